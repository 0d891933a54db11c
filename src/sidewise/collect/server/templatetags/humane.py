"""Numbers and answers as people read them."""

from typing import Any

from django import template

from sidewise.collect.server.models import Assignment, Item

register = template.Library()


@register.filter
def grouped(value: Any) -> str:
    """A number with commas between thousands."""
    return f"{value:,}" if isinstance(value, int) else str(value if value is not None else "")


@register.filter
def decimal(value: Any, places: int = 2) -> str:
    """A number with so many decimals and a minus that is one, or nothing where there is none."""
    return "" if value is None or value == "" else f"{float(value):z.{places}f}".replace("-", "\N{MINUS SIGN}")


@register.filter
def probability(value: float) -> str:
    """A p-value: ``= 0.04``, or how small it is at most."""
    return "< 0.001" if value < 0.001 else f"= {value:.2g}" if value < 0.1 else f"= {value:.2f}"


@register.filter
def percent(value: float) -> str:
    """A share in per cent."""
    return f"{100 * value:.0f} %"


@register.filter
def format_name(form: str) -> str:
    """What a form of files is called."""
    return {"csv": "CSV", "jsonl": "JSON Lines", "parquet": "Parquet"}.get(form, form)


@register.filter
def spoken(answer: str) -> str:
    """The name of an answer, in words: ``both_bad`` is ``both bad``."""
    return answer.replace("_", " ")


@register.filter
def words(text: str) -> list[str]:
    """The words of a text."""
    return text.split()


@register.filter
def left(said: Assignment) -> Item | None:
    """The item that stood on the left."""
    return said.task.second if said.swapped else said.task.first


@register.filter
def right(said: Assignment) -> Item | None:
    """The item that stood on the right."""
    return said.task.first if said.swapped else said.task.second


@register.filter
def seconds(said: Assignment) -> str:
    """How long it took, by the server's clock."""
    if said.answered_at is None or said.served_at is None:
        return ""
    return f"{(said.answered_at - said.served_at).total_seconds():.1f}"
