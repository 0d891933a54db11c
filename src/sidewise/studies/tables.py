"""Rows of figures as tables of a page."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sidewise.studies.parts import Rows


def table_of(head: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """A Markdown table."""
    return "\n".join(f"| {' | '.join(line)} |" for line in [head, ["---"] * len(head), *lines])


def three(value: float | None) -> str:
    """A fraction to three digits, without the 0 before the point; a dash where there is none."""
    return "–" if value is None else f"{value:.3f}".replace("0.", ".", 1)


def with_sd(value: float | None, spread: float | None) -> str:
    """A mean, with the standard deviation where there is one."""
    return three(value) if not spread else f"{three(value)} ({three(spread)})"


def by_share(rows: Rows, published: Mapping[str, Mapping[float, float]], measure: str = "accuracy") -> str:
    """A line a model, a column a share of spammers; others' figures below."""
    shares = sorted({row["share"] for row in rows})
    models = dict.fromkeys(row["model"] for row in rows)
    body = [[model, *(cell_of(rows, measure, model=model, share=share) for share in shares)] for model in models]
    body += [[f"{model}, *a public repository*", *(three(by_share.get(share)) for share in shares)]
             for model, by_share in published.items()]  # fmt: skip
    return table_of(["", *(f"{100 * share:.0f} %" for share in shares)], body)


def cell_of(rows: Rows, measure: str, **where: object) -> str:
    """One mean with its standard deviation; a dash where there is no such row."""
    for row in rows:
        if all(row[name] == value for name, value in where.items()):
            return with_sd(row[measure], row[f"{measure}_sd"])
    return "–"


def trials_of(rows: Iterable[Mapping[str, Any]]) -> str:
    """Over how many trials the means are."""
    counts: Sequence[int] = sorted({row["trials"] for row in rows})
    return f"{' or '.join(map(str, counts))} trials."


def of_models(rows: Rows, models: Sequence[str]) -> Rows:
    """The rows of some models."""
    return [row for row in rows if row["model"] in models]
