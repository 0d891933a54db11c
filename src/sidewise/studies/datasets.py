"""The data sets of :mod:`sidewise.datasets`, by the short names that the studies' tables have for them."""

from functools import cache
from pathlib import Path

from sidewise.datasets import DataSet, data_folder
from sidewise.datasets import load as load_data_set
from sidewise.errors import Absent

__all__ = ["NAMES", "Absent", "DataSet", "folder", "load"]

NAMES = {
    "reading": "reading-difficulty-11763",
    "reading, all": "reading-difficulty",
    "faces": "imdb-wiki-sbs-48627",
    "arguments": "convincing-arguments",
    "language models": "llmfao",
    "light field": "light-field",
    "image quality": "image-quality",
    "video quality": "video-quality",
}


@cache
def load(name: str) -> DataSet:
    """A data set by a study's name for it, or by its own, read once."""
    return load_data_set(NAMES.get(name, name), folder=folder())


def folder() -> Path:
    """Where the data are."""
    named = data_folder()
    if not named.is_dir():
        raise Absent(
            f"SIDEWISE_DATA names no folder of data sets, and there is no {named}; sidewise data get NAME makes it"
        )
    return named
