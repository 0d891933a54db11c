"""How far a worker has come."""

from django.db.models import Exists, F, OuterRef

from sidewise.collect.server.leasing import Served, done_by
from sidewise.collect.server.models import Assignment, Worker


def progress(worker: Worker, served: Served) -> dict[str, object]:
    """So many of so many, if there is an end in sight; in a search campaign also of the query at hand."""
    done, most = done_by(worker), worker.campaign.spec.serving.tasks_per_worker
    found: dict[str, object] = {
        "done": done,
        "most": most,
        "now": done + 1,
        "part": round(100 * done / most) if most else None,
    }
    if worker.campaign.spec.search is not None and served.page:
        found |= _of_query(worker, served.page[0].task.group)
    return found


def _of_query(worker: Worker, group: str) -> dict[str, object]:
    """How many pairs of a query are behind this worker: answered, by whomever it takes, or implied by answers."""
    pairs = worker.campaign.tasks.filter(group=group)
    had = Assignment.objects.filter(task=OuterRef("pk"), worker=worker)
    most = pairs.count()
    left = pairs.filter(taken__lt=F("wanted")).exclude(Exists(had)).count()
    left += worker.assignments.filter(state=Assignment.State.LEASED, task__group=group).count()
    return {"query_done": most - left, "query_most": most}
