"""The tables of a campaign.

Facts are events: they are appended and never changed (the database itself refuses, see migration 0002). Tasks and
assignments say where things stand, for quick serving; an assignment's state can be told from its events alone.
Every index is paid for at every answer: keys that begin one of the indexes below have none of their own.

::

    Campaign ─┬─ Item ──┬── Task (a pair, or whatever else a kind of task asks about)
              ├─ Worker ─┴──── Assignment (one task, one worker: leased, answered …)
              ├─ Event (what happened, in order)
              └─ Standing (the ranking that followed from so many answers)
"""

import hashlib
import json
import secrets
import uuid
from functools import cached_property, lru_cache
from typing import Any, ClassVar

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from sidewise.collect.campaign import Campaign as Spec


def fresh_code() -> str:
    """A completion code that is easy to copy."""
    return secrets.token_hex(4).upper()


@lru_cache(maxsize=64)
def _spec(content: str) -> Spec:
    """A campaign file, checked once: every request needs it, and checking takes longer than the rest of a request."""
    return Spec.from_dict(json.loads(content))


class Campaign(models.Model):
    """What is asked, whose it is, and whether it is open."""

    class State(models.TextChoices):
        """A campaign is prepared, open, perhaps paused, and at last closed."""

        DRAFT = "draft"
        OPEN = "open"
        PAUSED = "paused"
        CLOSED = "closed"

    name = models.SlugField(max_length=64, unique=True)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="campaigns")
    state = models.CharField(max_length=8, choices=State.choices, default=State.DRAFT)
    content = models.JSONField()  # the campaign file, see sidewise.collect.campaign
    queries = models.JSONField(default=dict)  # of a search campaign: group → [query, description]
    instructions = models.TextField(blank=True)  # in Markdown
    restricted = models.BooleanField(default=False)  # only the pairs in Allowed are asked
    folder = models.TextField(blank=True)  # where its media lie
    created_at = models.DateTimeField(auto_now_add=True)
    planned = models.BigIntegerField(default=0)  # how many places of the queue have been given out
    plan_due = models.DateTimeField(null=True)  # a job is waiting that plans, …
    ranking_due = models.DateTimeField(null=True)  # … or that ranks
    finished = models.CharField(max_length=200, blank=True)  # why nothing more is asked: budget, stopping rule …
    trouble = models.CharField(max_length=500, blank=True)  # of the strategy, where a random design stands in for it

    def __str__(self) -> str:
        return self.name

    @cached_property
    def spec(self) -> Spec:
        """The campaign as its file says it."""
        return _spec(json.dumps(self.content, sort_keys=True))


class Item(models.Model):
    """Something that is compared."""

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="items")
    name = models.CharField(max_length=400)  # the id in the requester's files
    media = models.TextField()
    group = models.CharField(max_length=400, blank=True)
    attributes = models.JSONField(default=dict)
    turn = models.FloatField(default=0.0)  # how many pairs with it were planned, and a part of one by chance

    class Meta:
        """An id is given once."""

        constraints: ClassVar = [models.UniqueConstraint(fields=["campaign", "name"], name="item_once")]
        indexes: ClassVar = [
            models.Index(fields=["campaign", "group", "id"], name="item_by_group"),
            models.Index(fields=["campaign", "group", "turn"], name="item_by_turn"),
        ]

    def __str__(self) -> str:
        return self.name


class Allowed(models.Model):
    """A pair that may be asked, in a campaign that restricts them."""

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="allowed")
    first = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="+", db_index=False)
    second = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="+", db_index=False)
    group = models.CharField(max_length=400, blank=True)
    turn = models.FloatField(default=0.0)  # by chance
    planned = models.BooleanField(default=False)
    turned = models.BooleanField(default=False)  # in the requester's table the second stands on the left

    class Meta:
        """Each pair once, in the order of its items' numbers."""

        constraints: ClassVar = [models.UniqueConstraint(fields=["campaign", "first", "second"], name="allowed_once")]
        indexes: ClassVar = [
            models.Index(fields=["campaign", "group", "turn"], condition=Q(planned=False), name="allowed_by_turn")
        ]

    def __str__(self) -> str:
        return f"{self.first_id}, {self.second_id}"


class Worker(models.Model):
    """Somebody who answers, in one campaign."""

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="workers")
    name = models.CharField(max_length=200)  # an invited worker's id, a platform's, or a random one
    invited = models.BooleanField(default=False)
    joined_at = models.DateTimeField(auto_now_add=True)
    barred = models.BooleanField(default=False)  # is served nothing more
    code = models.CharField(max_length=40, default=fresh_code)  # shown when done, if the file states none

    class Meta:
        """A name is one worker."""

        constraints: ClassVar = [models.UniqueConstraint(fields=["campaign", "name"], name="worker_once")]

    def __str__(self) -> str:
        return self.name


class Task(models.Model):
    """What is asked about: for side-by-side comparisons a pair, which exists once.

    ``taken`` counts the leases that run and the answers that count. It never exceeds ``wanted``: the campaign's
    overlap, or less where the budget ends or the answer is implied by others.
    """

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="tasks", db_index=False)
    kind = models.CharField(max_length=32, default="side-by-side")
    first = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="+", null=True, db_index=False)
    second = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="+", null=True, db_index=False)
    content = models.JSONField(default=dict)  # what other kinds of tasks ask about
    group = models.CharField(max_length=400, blank=True)
    place = models.BigIntegerField()  # in the queue: the lowest is served first
    wanted = models.PositiveIntegerField(default=1)
    taken = models.PositiveIntegerField(default=0)
    planned_by = models.CharField(max_length=64)
    planned_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        """The database itself keeps the overlap."""

        constraints: ClassVar = [
            models.UniqueConstraint(fields=["campaign", "first", "second"], name="pair_once"),
            models.CheckConstraint(condition=Q(taken__lte=F("wanted")), name="overlap_kept"),
            models.CheckConstraint(condition=Q(first__lt=F("second")), name="pair_in_order"),
        ]
        indexes: ClassVar = [
            models.Index(fields=["campaign", "place"], condition=Q(taken__lt=F("wanted")), name="task_open"),
            models.Index(
                fields=["campaign", "group", "place"], condition=Q(taken__lt=F("wanted")), name="task_open_by_group"
            ),
        ]

    def __str__(self) -> str:
        return f"task {self.pk}"


class Assignment(models.Model):
    """One task with one worker; its key makes an answer count once, however often it is sent."""

    class State(models.TextChoices):
        """What has become of it."""

        LEASED = "leased"  # the worker has it; a slot is taken until the lease ends
        ANSWERED = "answered"  # counts
        SURPLUS = "surplus"  # answered too late: kept and marked, another has the slot
        SKIPPED = "skipped"
        EXPIRED = "expired"

    key = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="assignments", db_index=False)
    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="assignments", db_index=False)
    worker = models.ForeignKey(Worker, on_delete=models.CASCADE, related_name="assignments", db_index=False)
    state = models.CharField(max_length=8, choices=State.choices, default=State.LEASED)
    swapped = models.BooleanField(default=False)  # the second item was shown on the left
    leased_at = models.DateTimeField()
    served_at = models.DateTimeField(null=True)  # when it was shown; tasks are leased ahead, to load their media
    expires_at = models.DateTimeField()
    answered_at = models.DateTimeField(null=True)
    answer = models.CharField(max_length=32, blank=True)  # what the worker said
    reason = models.CharField(max_length=200, blank=True)  # of a skip
    verdict = models.CharField(max_length=32, blank=True)  # what the requester made of it, where that differs
    set_aside = models.BooleanField(default=False)  # by the requester: counts no longer
    late = models.BooleanField(default=False)  # the lease had ended before the answer came

    class Meta:
        """A worker gets a task once."""

        constraints: ClassVar = [models.UniqueConstraint(fields=["task", "worker"], name="task_once_a_worker")]
        indexes: ClassVar = [
            models.Index(fields=["worker", "state", "leased_at"], name="assignment_of_worker"),
            models.Index(fields=["campaign", "expires_at"], condition=Q(state="leased"), name="assignment_leased"),
            models.Index(fields=["campaign", "answered_at"], name="assignment_answered"),
        ]

    def __str__(self) -> str:
        return str(self.key)


class Event(models.Model):
    """Something that happened. Never changed, never deleted."""

    class Kind(models.TextChoices):
        """All that can happen."""

        CREATED = "created"
        STATE = "state"
        ITEMS = "items"
        JOINED = "joined"
        PLANNED = "planned"
        FALLBACK = "fallback"
        LEASED = "leased"
        SERVED = "served"
        ANSWERED = "answered"
        REPEATED = "repeated"
        UNDONE = "undone"
        SKIPPED = "skipped"
        EXPIRED = "expired"
        IMPLIED = "implied"
        CORRECTED = "corrected"
        SET_ASIDE = "set-aside"
        RESTORED = "restored"
        BARRED = "barred"
        READMITTED = "readmitted"
        FINISHED = "finished"

    campaign = models.ForeignKey(Campaign, on_delete=models.PROTECT, related_name="events", db_index=False)
    at = models.DateTimeField()
    kind = models.CharField(max_length=16, choices=Kind.choices)
    worker = models.ForeignKey(Worker, on_delete=models.PROTECT, null=True, related_name="+", db_index=False)
    assignment = models.ForeignKey(Assignment, on_delete=models.PROTECT, null=True, related_name="events")
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+", db_index=False
    )
    data = models.JSONField(default=dict)

    class Meta:
        """In the order of their numbers."""

        indexes: ClassVar = [models.Index(fields=["campaign", "kind", "id"], name="event_by_kind")]

    def __str__(self) -> str:
        return f"{self.kind} at {self.at}"


class Standing(models.Model):
    """A ranking, with what it was made from: the answers' digest and number."""

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="standings")
    at = models.DateTimeField(auto_now_add=True)
    answers = models.PositiveIntegerField()
    digest = models.CharField(max_length=64)
    seconds = models.FloatField()
    ranking = models.BinaryField(null=True)  # an Arrow table, see standing.py
    workers = models.BinaryField(null=True)
    summary = models.JSONField(default=dict)  # what the dashboard shows beside

    class Meta:
        """The newest first."""

        get_latest_by = "id"

    def __str__(self) -> str:
        return f"{self.campaign_id} after {self.answers} answers"


class Token(models.Model):
    """A key to the programming interface; only its hash is kept."""

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="tokens")
    name = models.CharField(max_length=100)
    digest = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(auto_now_add=True)
    used_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return self.name

    @classmethod
    def issue(cls, owner: Any, name: str) -> str:
        """A new token, which is shown once and known to nobody afterwards."""
        token = secrets.token_urlsafe(32)
        cls.objects.create(owner=owner, name=name, digest=cls.hashed(token))
        return token

    @staticmethod
    def hashed(token: str) -> str:
        """What is kept of a token; it is random and long, so that one round of a hash will do."""
        return hashlib.sha256(token.encode()).hexdigest()
