"""How far a worker has come."""

from django.db.models import Exists, F, OuterRef, QuerySet

from sidewise.collect.server.answering import ANSWERED
from sidewise.collect.server.leasing import Served, done_by
from sidewise.collect.server.log import Kind
from sidewise.collect.server.models import Assignment, Event, Task, Worker


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
    """How many pairs of a query are behind this worker, of those there are for them; what others have is not theirs.

    So everybody begins with 0, and what their own answers have decided counts as done.
    """
    pairs, mine = worker.campaign.tasks.filter(group=group), worker.assignments.filter(task__group=group)
    had = Assignment.objects.filter(task=OuterRef("pk"), worker=worker)
    left = pairs.filter(taken__lt=F("wanted")).exclude(Exists(had)).count()
    left += mine.filter(state=Assignment.State.LEASED).count()
    done = mine.filter(state__in=ANSWERED).count() + _implied(pairs, mine)
    return {"query_done": done, "query_most": done + left}


def _implied(pairs: QuerySet[Task], mine: QuerySet[Assignment]) -> int:
    """How many pairs need not be asked because of a worker's answers."""
    said = mine.filter(state=Assignment.State.ANSWERED)
    told = Event.objects.filter(kind=Kind.IMPLIED, assignment__in=said).values_list("data", flat=True)
    implied = {task for data in told for task in data["tasks"]}
    answered = mine.filter(state__in=ANSWERED).values("task_id")
    return pairs.filter(pk__in=implied, wanted=0).exclude(pk__in=answered).count()
