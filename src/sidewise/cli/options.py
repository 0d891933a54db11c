"""Options that say how to rank: what they are called here, and which model they go to."""

from collections.abc import Mapping
from inspect import signature
from typing import Annotated, Any, NamedTuple

import typer

from sidewise.cli.columns import WORKER_MODELS
from sidewise.comparisons import Comparisons, PairCounts
from sidewise.errors import SidewiseError

# Named here, and not asked of the models, so that --help need not load them; a test compares.
MODEL_NAMES = (
    "bradley-terry", "crowd-bt", "elo", "factor-bt", "hodge-rank", "linear-bias", "page-rank", "pairwise-hits",
    "random-order", "thurstone", "win-rate", "worker-bt",
)  # fmt: skip
PLAIN, CROWD = "bradley-terry", "worker-bt"  # the models to choose from, where none is named
# What the options of the models are called here.
FLAGS = {
    "ties": "--ties", "prior": "--prior", "covariates": "--covariate", "intervals": "--intervals-by", "unit": "--unit",
    "replicates": "--replicates", "orders": "--orders", "seed": "--seed", "strict": "--strict", "level": "--interval",
    "flow": "--flow", "penalty": "--penalty", "credit": "--credit", "bias_sd": "--bias-sd",
    "sensitivity_sd": "--sensitivity-sd",
}  # fmt: skip

ModelName = Annotated[str | None, typer.Option("--model", help=f"One of: {', '.join(MODEL_NAMES)}. Without a word: {CROWD} where the data name workers, {PLAIN} elsewhere.")]  # noqa: E501  # fmt: skip
Ties = Annotated[str | None, typer.Option(help="half, davidson, rao-kupper, threshold or drop.")]
Prior = Annotated[
    str | None,
    typer.Option(help="auto (spread estimated), none (maximum likelihood), normal:SD or virtual:STRENGTH."),
]
Covariate = Annotated[
    list[str] | None,
    typer.Option(help="What else sways every comparison: side, or a factor's name; may be repeated."),
]
Intervals = Annotated[
    str | None, typer.Option("--intervals-by", help="posterior, hessian, sandwich, least-squares, bootstrap or none.")
]
Unit = Annotated[
    str | None, typer.Option(help="What bootstrap and sandwich take as independent: comparison or worker.")
]
Replicates = Annotated[int | None, typer.Option(help="Of the bootstrap.", min=2)]
Orders = Annotated[int | None, typer.Option(help="elo: average over so many random orders of rows.", min=0)]
Flow = Annotated[
    str | None, typer.Option(help="hodge-rank: mean, logit, probit or angular; pairwise-hits: sum or mean.")
]
Penalty = Annotated[
    float | None, typer.Option(help="linear-bias: on the workers' biases, instead of one by BIC.", min=0)
]
CreditOption = Annotated[
    str | None,
    typer.Option(
        "--credit",
        metavar="RIGHT:WRONG",
        help="crowd-bt, factor-bt: answers that every worker begins with, such as 4:1.",
    ),
]
SensitivitySd = Annotated[
    float | None, typer.Option(help="worker-bt: how much workers' sensitivities differ, instead of an estimate.")
]
BiasSd = Annotated[float | None, typer.Option(help="worker-bt, factor-bt: how much workers' biases differ.")]


class Choice(NamedTuple):
    """A model, and why it was taken; no reason where it was named."""

    model: str
    why: str = ""


def given_options(prior: str | None, credit: str | None, covariates: list[str] | None, **others: Any) -> dict[str, Any]:
    """The options that were given, as the models take them."""
    given = {"prior": _prior(prior), "credit": _credit(credit), "covariates": covariates or None, **others}
    given = {name: value for name, value in given.items() if value is not None and value is not False}
    if given.get("prior") == "none":
        given["prior"] = None
    return given


def check_taken(model: str | None, given: Mapping[str, Any], *, workers: bool) -> None:
    """See that the model takes what was given, or, where none was named, that one of the usual two does."""
    if model is not None:
        strange = strangers(model, given)
        if strange and " " in strange[0]:  # a value
            raise SidewiseError(f"{model} takes no {strange[0]}; {PLAIN} does")
        if strange:
            raise SidewiseError(f"{model} has no option {strange[0]}; it takes: {', '.join(_taken(model))}")
        if workers and _hyphened(model) not in WORKER_MODELS:
            raise SidewiseError(f"{model} learns nothing about workers; these do: {', '.join(WORKER_MODELS)}")
        return
    unplain, uncrowd = strangers(PLAIN, given), strangers(CROWD, given)
    for flag in unplain:
        if flag in uncrowd:
            takers = [f"--model {name}" for name in MODEL_NAMES if flag in _taken(name)]
            raise SidewiseError(f"{flag} goes with {' or '.join(takers)}: name {'one' if len(takers) > 1 else 'it'}")
    if uncrowd and (unplain or workers):
        other = unplain[0] if unplain else "the table of workers"
        raise SidewiseError(f"{uncrowd[0]} goes with {PLAIN} and {other} with {CROWD}: leave out one of them")


def choose(answers: Comparisons | PairCounts, given: Mapping[str, Any], *, workers: bool) -> Choice:
    """The model that suits the data and the options, where none was named."""
    from sidewise.models.by_name import default_model

    if isinstance(answers, PairCounts):
        return Choice(PLAIN, "since pair counts know no workers; --no-stream keeps them")
    if default_model(answers) == PLAIN and not workers and not strangers(PLAIN, given):
        none = answers.worker is None
        return Choice(PLAIN, "since the data name no workers" if none else "since there is one worker only")
    if answers.worker is None:
        return Choice(CROWD, "since you ask about workers")
    uncrowd = strangers(CROWD, given)
    if uncrowd:
        return Choice(PLAIN, f"which {uncrowd[0]} goes with; without it, {CROWD} would weigh the workers")
    return Choice(CROWD, f"since the data name workers; --model {PLAIN} ignores them")


def strangers(model: str, given: Mapping[str, Any]) -> list[str]:
    """The options that a model does not take, as they are written; of the usual models also values that it refuses."""
    from sidewise.models import Normal
    from sidewise.models.by_name import PLAIN_INTERVALS

    taken = _taken(model)
    strange = [FLAGS[name] for name in given if FLAGS[name] not in taken]
    if _hyphened(model) == CROWD and not isinstance(given.get("prior", Normal()), Normal):
        strange.append("--prior none" if given["prior"] is None else "--prior virtual")
    if _hyphened(model) == CROWD and given.get("intervals") in PLAIN_INTERVALS:
        strange.append(f"--intervals-by {given['intervals']}")
    return strange


def _taken(model: str) -> list[str]:
    from sidewise.models import find_model

    parameters = signature(find_model(model)).parameters
    return [flag for option, flag in FLAGS.items() if option in parameters]


def _hyphened(model: str) -> str:
    return model.replace("_", "-").lower()


def _prior(text: str | None) -> Any:
    from sidewise.models import Normal, VirtualItem

    if text is None or text == "none":
        return text
    kind, _, number = text.partition(":")
    try:
        value = float(number) if number else None
    except ValueError:
        value, kind = None, ""
    match kind, value:
        case (("auto" | "normal"), None):
            return Normal()
        case "normal", _:
            return Normal(value)
        case "virtual", _:
            return VirtualItem(1.0 if value is None else value)
        case _:
            raise SidewiseError(f"--prior {text!r} is not one of: auto, none, normal:SD, virtual:STRENGTH")


def _credit(text: str | None) -> tuple[float, float] | None:
    if text is None:
        return None
    try:
        right, wrong = map(float, text.split(":"))
    except ValueError:
        raise SidewiseError(f"--credit {text!r}: write right and wrong answers as in 4:1, or 0:0 for none") from None
    return right, wrong
