"""The rules of the house: what is public, which words are used, how long things may be."""

import ast
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import sidewise as sw
from sidewise import measures

ROOT = Path(__file__).parents[1]
SOURCES = sorted((ROOT / "src").rglob("*.py"))


def test_everything_public_is_listed_sorted_and_documented():
    assert sw.__all__ == sorted(sw.__all__, key=lambda name: (not name[0].isupper(), name))
    for name in sw.__all__:
        assert getattr(sw, name).__doc__, name
    assert set(sw.__all__) <= set(dir(sw))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = sw.nothing


def test_every_public_function_is_in_the_reference():
    text = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "docs").rglob("*.md"))
    missing = [name for name in sw.__all__ if name not in text]
    assert not missing


HELPERS = {"bootstrap", "compare", "estimate_mean", "find_measure", "read_answer_grid"}  # for measures, and none
JOINED = {"agreement", "agreement_picture", "plot_curves", "score_boxes"}  # measures whose functions are elsewhere


def functions_of_measures():
    return [name for name in measures.__all__ if inspect.isfunction(getattr(measures, name)) and name not in HELPERS]


def test_one_page_lists_all_measures():
    page = (ROOT / "docs" / "measures.md").read_text(encoding="utf-8")
    assert not [name for name in functions_of_measures() if f"`{name}`" not in page]


@pytest.mark.parametrize("name", sorted({*functions_of_measures()} - JOINED))
def test_every_measure_has_a_formula_a_source_and_an_example(name):
    """The examples are run with the tests; ``foretold`` has no source to name."""
    text = getattr(measures, name).__doc__
    assert re.search(r"::\n| = | / |Σ", text)
    assert re.search(r"(18|19|20)\d\d", text) or name == "foretold"
    assert ">>>" in text


def test_one_word_per_concept():
    """Other systems' words for items, workers and answers stay out of names; the table of aliases may quote them."""
    forbidden = re.compile(r"competitor|performer|annotator|\bvotes?\b|golden", re.IGNORECASE)
    for path in SOURCES:
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if path.name != "columns.py":
                assert not forbidden.search(line), f"{path}:{number}: {line}"


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT / "src")))
def test_files_and_functions_stay_short(path):
    text = path.read_text(encoding="utf-8")
    assert text.count("\n") <= 400
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef):
            doc = ast.get_docstring(node, clean=False) or ""
            assert node.end_lineno - node.lineno + 1 - doc.count("\n") <= 50, f"{path}: {node.name}"


def test_importing_is_light():
    """Nothing heavy comes with the import: no scipy, no plotting, no dataframe library."""
    code = "import sys, sidewise; print(*sorted({name.split('.')[0] for name in sys.modules}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)  # noqa: S603
    assert not {"scipy", "pandas", "polars", "altair", "sklearn", "typer", "numba"} & set(done.stdout.split())


def test_data_of_others_are_not_in_the_repository():
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)  # noqa: S607
    study = ("src/sidewise/studies/imdb_wiki_sbs", "docs/studies/imdb-wiki-sbs/", "tests/test_imdb_wiki_sbs_study.py")
    named = [name for name in listed.stdout.splitlines() if "imdb" in name or "llmfao" in name]
    assert not [name for name in named if not name.startswith(study)]
