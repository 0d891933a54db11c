"""How far a worker has come."""

from django.db.models import F

from sidewise.collect.server.leasing import Served, done_by
from sidewise.collect.server.models import Worker


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
        group = served.page[0].task.group
        pairs = worker.campaign.tasks.filter(group=group)
        found["query_done"] = pairs.filter(taken=F("wanted")).count()
        found["query_most"] = pairs.count()
    return found
