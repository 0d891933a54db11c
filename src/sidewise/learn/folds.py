"""Folds as LETOR has them: three fifths of the queries to learn from, one to choose by, one to test on."""

import hashlib
from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from sidewise.errors import DataError
from sidewise.learn.features import Features
from sidewise.learn.letor import lines_of, read_features, write_features

# What the files of a fold are called: in LETOR 3.0 and 4.0, and in LETOR 2.0.
FILES = {"train": ("train.txt", "trainingset.txt"), "validation": ("vali.txt", "validationset.txt"),
         "test": ("test.txt", "testset.txt")}  # fmt: skip


class Fold(NamedTuple):
    """Queries to train on, to choose settings by, and to test on."""

    train: tuple[str, ...]
    validation: tuple[str, ...]
    test: tuple[str, ...]


class Folds(NamedTuple):
    """The features of all queries of a folder, and its folds."""

    features: Features
    folds: tuple[Fold, ...]


def folds(queries: Iterable[str], *, parts: int = 5) -> tuple[Fold, ...]:
    """Make folds by rotation: the queries in order are cut into S1 … S5, and fold 1 trains on S1 to S3.

    It then chooses by S4 and tests on S5; fold 2 trains on S2 to S4, chooses by S5 and tests on S1, and so on (Liu et
    al. 2007). Every query is tested once. Fifty queries make 30, 10 and 10.

    Parameters
    ----------
    queries
        In order; shuffle them before, if the order means something.
    parts
        How many parts and folds; all but two parts are trained on.

    Examples
    --------
    >>> folds("abcde")[0]
    Fold(train=('a', 'b', 'c'), validation=('d',), test=('e',))
    >>> [fold.test for fold in folds("abcde")]
    [('e',), ('a',), ('b',), ('c',), ('d',)]
    """
    ordered = list(dict.fromkeys(queries))
    if parts < 3 or len(ordered) < parts:
        raise DataError(f"{len(ordered)} queries do not make {parts} folds: three parts or more, of a query or more")
    cuts = [round(part * len(ordered) / parts) for part in range(parts + 1)]
    sets = [tuple(ordered[start:end]) for start, end in pairwise(cuts)]
    turned = [sets[first:] + sets[:first] for first in range(parts)]
    return tuple(Fold(sum(some[:-2], ()), some[-2], some[-1]) for some in turned)


def read_folds(folder: str | Path) -> Folds:
    """Read a LETOR folder: Fold1, Fold2 … with train.txt, vali.txt and test.txt each, or LETOR 2.0's names.

    A query stands in a file of every fold. Its lines must be the same in all of them, and are read once.

    >>> from tempfile import TemporaryDirectory
    >>> from sidewise.learn import write_folds
    >>> made = Features.from_arrays("12345", "aaaaa", [[1], [2], [3], [4], [5]], labels=[0] * 5)
    >>> with TemporaryDirectory() as folder:
    ...     write_folds(made, folds("12345"), folder)
    ...     found = read_folds(folder)
    >>> found.features, found.folds[1].test
    (Features(5 queries, 5 documents, 1 feature), ('1',))
    """
    paths = [_files(fold) for fold in _fold_folders(Path(folder))]
    digests: dict[str, tuple[str, Path]] = {}
    wanted: dict[Path, list[str]] = {}
    found = []
    for files in paths:
        queries = [_queries(path) for path in files]
        for path, digest_of in zip(files, queries, strict=True):
            for query, digest in digest_of.items():
                if query not in digests:
                    digests[query] = digest, path
                    wanted.setdefault(path, []).append(query)
                elif digests[query][0] != digest:
                    raise DataError(f"query {query} has other lines in {path} than in {digests[query][1]}")
        found.append(_checked(Fold(*map(tuple, queries)), files))
    return Folds(_joined([read_features(path).of_queries(queries) for path, queries in wanted.items()]), tuple(found))


def write_folds(features: Features, folds: Iterable[Fold], folder: str | Path) -> None:
    """Write a folder as LETOR has them, Fold1, Fold2 … with train.txt, vali.txt and test.txt each."""
    for number, fold in enumerate(folds, 1):
        here = Path(folder) / f"Fold{number}"
        here.mkdir(parents=True, exist_ok=True)
        for (name, _), queries in zip(FILES.values(), fold, strict=True):
            write_features(features.of_queries(queries), here / name)


def _fold_folders(folder: Path) -> list[Path]:
    found = [path for path in folder.glob("[Ff]old*") if path.is_dir() and path.name[4:].isdigit()]
    if not found:
        raise DataError(
            f"{folder} holds no folders Fold1, Fold2 …; name the folder of one data set, as LETOR's 2003_td_dataset"
        )
    return sorted(found, key=lambda path: int(path.name[4:]))


def _files(fold: Path) -> list[Path]:
    files = []
    for names in FILES.values():
        here = [fold / name for name in names if (fold / name).is_file()]
        if not here:
            raise DataError(f"{fold} has no {names[0]}")
        files.append(here[0])
    return files


def _queries(path: Path) -> dict[str, str]:
    """The queries of a file, each with a digest of its lines; nothing else is looked at yet."""
    digests: dict[bytes, hashlib._Hash] = {}
    with lines_of(path) as lines:
        for line in lines:
            parts = line.split(None, 2)
            if len(parts) > 1 and parts[1].startswith(b"qid:"):
                digests.setdefault(parts[1][4:], hashlib.sha256()).update(line.strip())
    return {query.decode(errors="replace"): digest.hexdigest() for query, digest in digests.items()}


def _checked(fold: Fold, files: Sequence[Path]) -> Fold:
    for one, other in ((0, 1), (0, 2), (1, 2)):
        both = set(fold[one]) & set(fold[other])
        if both:
            raise DataError(f"query {min(both)} stands both in {files[one]} and in {files[other]}: leave it out of one")
    return fold


def _joined(pieces: list[Features]) -> Features:
    import numpy as np

    width = max(piece.width for piece in pieces)
    values = [np.pad(piece.values, ((0, 0), (0, width - piece.width))) for piece in pieces]
    return Features(
        sum((piece.queries for piece in pieces), ()), sum((piece.documents for piece in pieces), ()),
        np.concatenate(values), np.concatenate([piece.labels for piece in pieces]),
        sum((piece.comments for piece in pieces), ()),
    )  # fmt: skip
