"""The public data sets that studies are run on, read from the folder that SIDEWISE_DATA names."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv

from sidewise.comparisons import Comparisons, read
from sidewise.errors import SidewiseError


class Absent(SidewiseError):  # noqa: N818 - data that are not here are no fault
    """A data set that is needed is not here."""


@dataclass(frozen=True)
class DataSet:
    """Answers, and what is known of the truth; where nothing is, answers held out have to do."""

    name: str
    comparisons: Comparisons
    truth: Mapping[str, float] | None = None
    groups: Mapping[str, str] | None = None  # item → the topic or scene within which items can be compared


@cache
def load(name: str) -> DataSet:
    """A data set by its name, read once."""
    comparisons, truth, groups = LOADERS[name](folder())
    return DataSet(name, comparisons, truth, groups)


def folder() -> Path:
    """Where the data are."""
    named = os.environ.get("SIDEWISE_DATA")
    if not named or not Path(named).is_dir():
        raise Absent("SIDEWISE_DATA names no folder of data sets")
    return Path(named)


Loaded = tuple[Comparisons, Mapping[str, float] | None, Mapping[str, str] | None]


def _reading(data: Path) -> Loaded:
    """Reading difficulty without pairs of one level: the winner is the harder passage, sides are lost."""
    answers = _winners(data / "readability" / "comparisons_11763.csv")
    return answers, _truth(data / "readability" / "items_472.csv", "item", "score"), None


def _reading_all(data: Path) -> Loaded:
    """All decided answers; two compare a passage with itself and are skipped."""
    worker, winner, loser = np.loadtxt(data / "readability" / "all_pair.txt", dtype=int).T.astype(str)
    passage, level = np.loadtxt(data / "readability" / "doc_info.txt", dtype=int).T
    answers = Comparisons.from_arrays(winner=winner, loser=loser, worker=worker, on_bad="skip")
    return answers, dict(zip(passage.astype(str).tolist(), level.astype(float).tolist(), strict=True)), None


def _faces(data: Path) -> Loaded:
    """The 48,627 shared comparisons of IMDB-WIKI-SbS: who looks older; the truth is the age, sides are lost."""
    answers = _winners(data / "imdb-wiki-sbs" / "comparisons_union_48627.csv")
    return answers, _truth(data / "imdb-wiki-sbs" / "items_9150.csv", "item", "score"), None


def _arguments(data: Path) -> Loaded:
    """Convincing arguments: the first of a pair was shown first; arguments are compared within a topic."""
    answers = read(
        data / "convincing-arguments" / "judgments.csv",
        left="arg1", right="arg2", winner="value", worker="worker", outcomes={"a1": 1, "a2": 0, "equal": 0.5},
    )  # fmt: skip
    ranking = pacsv.read_csv(data / "convincing-arguments" / "ranking.csv")
    items = ranking["arg"].to_pylist()
    # Nothing says so, but lower scores must be better: otherwise every model is wrong about seven pairs in eight.
    truth = {item: -score for item, score in zip(items, ranking["rank_score"].to_pylist(), strict=True)}
    return answers, truth, dict(zip(items, ranking["topic"].to_pylist(), strict=True))


def _language_models(data: Path) -> Loaded:
    """Answers of language models, compared by a crowd; nobody knows the truth."""
    path = data / "llmfao" / "llmfao.csv"
    return read(path, left="left", right="right", winner="winner", worker="worker"), None, None


def _light_field(data: Path) -> Loaded:
    """Distorted light fields, compared within a scene; nobody knows the truth. The first of a pair counts as left."""
    table = pacsv.read_csv(data / "light-field" / "comparisons.csv")
    text = {name: table[name].cast(pa.string()) for name in table.column_names}
    left, right = (pc.binary_join_element_wise(text["scene"], text[f"dist_type{n}"], text[f"dist_level{n}"], "|")
                   for n in (1, 2))  # fmt: skip
    answers = Comparisons.from_arrays(
        left=left.to_pylist(), right=right.to_pylist(), worker=text["observer"].to_pylist(),
        winner=np.where(table["selected"].to_numpy() == 1, "left", "right").tolist(), winner_is="side",
    )  # fmt: skip
    return answers, None, {item: item.split("|")[0] for item in answers.items}


def _image_quality(data: Path) -> Loaded:
    """Distorted images, 16 of each of 15 references, compared within a reference; nobody knows the truth."""
    return _by_reference(data / "image-quality" / "iqa_comparisons.csv")


def _video_quality(data: Path) -> Loaded:
    """Distorted videos, 16 of each of 10 references, every pair of a reference 32 times; nobody knows the truth."""
    return _by_reference(data / "video-quality" / "vqa_comparisons.csv")


def _by_reference(path: Path) -> Loaded:
    """An item is named by its reference and its number."""
    table = pacsv.read_csv(path)
    text = {name: table[name].cast(pa.string()) for name in table.column_names}
    better, worse = (pc.binary_join_element_wise(text["reference"], text[name], "|") for name in ("better", "worse"))
    answers = Comparisons.from_arrays(winner=better.to_pylist(), loser=worse.to_pylist())
    return answers, None, {item: item.split("|")[0] for item in answers.items}


def _winners(path: Path) -> Comparisons:
    return read(path, winner="winner", loser="loser", worker="worker")


def _truth(path: Path, item: str, score: str) -> dict[str, float]:
    table = pacsv.read_csv(path, parse_options=pacsv.ParseOptions(newlines_in_values=True))
    return dict(
        zip(table[item].cast(pa.string()).to_pylist(), table[score].cast(pa.float64()).to_pylist(), strict=True)
    )


LOADERS: dict[str, Callable[[Path], Loaded]] = {
    "reading": _reading,
    "reading, all": _reading_all,
    "faces": _faces,
    "arguments": _arguments,
    "language models": _language_models,
    "light field": _light_field,
    "image quality": _image_quality,
    "video quality": _video_quality,
}
