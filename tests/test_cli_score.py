"""``sidewise score`` as a person uses it: any file with items and numbers, clear tables, clear refusals."""

import contextlib
import csv
import io
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from sidewise.cli import app
from sidewise.cli.score import NAMES, USUAL
from sidewise.measures import bootstrap, compare, ndcg, pair_accuracy
from sidewise.measures.by_name import MEASURES

CAKES = str(Path(__file__).parents[1] / "examples" / "cakes.csv")


def run(*words, cwd="."):
    with contextlib.chdir(cwd):
        return CliRunner().invoke(app, ["score", *map(str, words)])


def printed(*words, cwd="."):
    done = run(*words, cwd=cwd)
    assert done.exit_code == 0, done.stderr
    return done.stdout


def refused(*words, cwd="."):
    done = run(*words, cwd=cwd)
    assert done.exit_code == 2, done.stdout
    assert done.stderr.startswith("error: ")
    return done.stderr


def rows(text):
    return list(csv.DictReader(io.StringIO(text)))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Thirty items of two kinds, scores, other scores, and a truth."""
    folder, rng = tmp_path_factory.mktemp("score"), np.random.default_rng(1)
    items = [f"{n:03d}" for n in range(30)]
    truth = rng.integers(0, 5, 30)
    scores, others = truth + rng.normal(0, 1, 30), truth + rng.normal(0, 3, 30)
    pacsv.write_csv(pa.table({"item": items, "score": scores, "rank": np.arange(30)}), folder / "scores.csv")
    pq.write_table(pa.table({"item": items[::-1], "score": others[::-1]}), folder / "others.parquet")
    kinds = ["tea" if n % 3 else "[coffee]" for n in range(30)]
    pacsv.write_csv(pa.table({"item": items, "truth": truth, "kind": kinds}), folder / "truth.csv")
    return folder


@pytest.fixture(scope="module")
def sides(folder):
    read = {name: pacsv.read_csv(folder / f"{name}.csv") for name in ("scores", "truth")}
    others = pq.read_table(folder / "others.parquet")
    return (read["scores"]["score"].to_numpy(), others["score"].to_numpy()[::-1], read["truth"]["truth"].to_numpy())


def test_usual_measures_are_printed_with_intervals(folder):
    lines = printed("scores.csv", "truth.csv", cwd=folder).splitlines()
    assert lines[1].split() == ["measure", "value", "95", "%", "interval"]
    assert [line.split()[0] for line in lines[3:9]] == list(USUAL)
    assert lines[-1] == "30 items; intervals by bootstrap over items, 1,000 resamples, seed 0"


def test_numbers_are_those_of_the_library(folder, sides):
    scores, others, truth = sides
    text = printed("scores.csv", "truth.csv", "--against", "others.parquet", "--measure", "pair-accuracy",
                   "--measure", "nDCG@5", "--resamples", 200, "--seed", 3, "--confidence", 0.9, "--format", "csv",
                   cwd=folder)  # fmt: skip
    for row, name in zip(rows(text), ("pair-accuracy", "ndcg@5"), strict=True):
        alone = bootstrap(name, scores, truth, resamples=200, seed=3, confidence=0.9)
        lead = compare(name, scores, others, truth, resamples=200, seed=3, confidence=0.9)
        found = [float(row[key]) for key in ("value", "low", "high", "against", "difference", "difference_low",
                                             "difference_high", "p_value")]  # fmt: skip
        assert row["measure"] == name
        assert found == pytest.approx([alone.value, alone.low, alone.high, lead.second, lead.value, lead.low, lead.high,
                                       lead.p_value])  # fmt: skip


def test_another_ranking_gets_a_second_table(folder):
    text = printed("scores.csv", "truth.csv", "--against", "others.parquet", "--measure", "spearman", cwd=folder)
    assert "against others.parquet:" in text
    assert text.splitlines()[-3].split()[0] == "spearman"
    assert "p" in text.splitlines()[-5].split()


def test_groups_are_measured_each_and_all(folder, sides):
    scores, _, truth = sides
    text = printed("scores.csv", "truth.csv", "--by", "kind", "--measure", "ndcg", "--resamples", 0, "--format", "csv",
                   cwd=folder)  # fmt: skip
    coffee = np.arange(30) % 3 == 0
    assert [(row["group"], row["items"]) for row in rows(text)] == [
        ("all items", "30"),
        ("[coffee]", "10"),
        ("tea", "20"),
    ]
    assert [float(row["value"]) for row in rows(text)] == pytest.approx(
        [ndcg(scores, truth), ndcg(scores[coffee], truth[coffee]), ndcg(scores[~coffee], truth[~coffee])]
    )
    table = printed("scores.csv", "truth.csv", "--by", "kind", "--resamples", 20, cwd=folder)
    assert table.count("[coffee]") == 1
    assert table.count("pair-accuracy") == 3


def test_no_resamples_make_no_intervals(folder):
    lines = printed("scores.csv", "truth.csv", "--against", "others.parquet", "--resamples", 0, cwd=folder).splitlines()
    assert lines[1].split() == ["measure", "value"]
    assert lines[-1] == "30 items"


def test_results_go_to_files(folder, tmp_path):
    for kind in ("csv", "parquet", "json"):
        printed("scores.csv", "truth.csv", "--resamples", 20, "--out", tmp_path / f"out.{kind}", cwd=folder)
    document = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    assert (document["resamples"], document["confidence"]) == (20, 0.95)
    assert [row["measure"] for row in document["measures"]] == list(USUAL)
    assert pq.read_table(tmp_path / "out.parquet").to_pylist() == document["measures"]
    assert len(rows((tmp_path / "out.csv").read_text(encoding="utf-8"))) == len(USUAL)
    assert json.loads(printed("scores.csv", "truth.csv", "--resamples", 20, "--format", "json", cwd=folder)) == document
    assert "end the name in .csv" in refused("scores.csv", "truth.csv", "--out", "out.txt", cwd=folder)
    assert "there is no folder" in refused("scores.csv", "truth.csv", "--out", "no/out.csv", cwd=folder)


@pytest.mark.parametrize("kind", ["csv", "parquet", "json"])
def test_what_rank_writes_can_be_scored(tmp_path, kind):
    ranking = tmp_path / f"ranking.{kind}"
    words = [sys.executable, "-m", "sidewise.cli", "rank", CAKES, "--model", "win-rate", "--out", str(ranking)]
    subprocess.run(words, check=True, capture_output=True)  # noqa: S603
    assert "1.0000" in printed(ranking, ranking, "--measure", "spearman")


def write(path, text):
    path.write_text(text, encoding="utf-8")
    return path


TRUTH = "item,truth\na,3\nb,2\nc,1\n"


def test_columns_are_found_or_named(tmp_path):
    truth = write(tmp_path / "truth.csv", TRUTH)
    for head in ("item,score", "id,score", "label,score", "item,rating", "item,anything"):
        ranking = write(tmp_path / "ranking.csv", f"{head}\na,3\nb,2\nc,1\n")
        assert "1.0000" in printed(ranking, truth, "--measure", "spearman")
    other = write(tmp_path / "other.csv", "who;speed;x\na;1;0\nb;2;0\nc;3;0\n")
    assert "say so with delimiter=';' (command line: --delimiter ';')" in refused(other, truth)
    both = write(tmp_path / "both.tsv", "thing\tspeed\ttrue value\tx\na\t1\t1\t0\nb\t2\t2\t0\n")
    assert "no column for the item; there are 'thing', 'speed'" in refused(both, truth)
    words = ("--item-column", "thing", "--score-column", "speed", "--truth-column", "true value")
    assert "1.0000" in printed(both, both, *words, "--measure", "spearman")
    words = ("--item-column", "thing", "--score-column", "speed", "--truth-item-column", "item", "--missing", "drop")
    assert "-1.0000" in printed(both, truth, *words, "--measure", "spearman")
    assert "no column 'who' for --by; there are 'item', 'truth'" in refused(both, truth, *words, "--by", "who")


def test_low_numbers_may_be_the_good_ones(tmp_path):
    truth = write(tmp_path / "truth.csv", TRUTH)
    ranking = write(tmp_path / "ranking.csv", "item,rank\na,1\nb,2\nc,3\n")
    assert "0.0000" in printed(ranking, truth, "--measure", "accuracy")
    assert "1.0000" in printed(ranking, truth, "--measure", "accuracy", "--lower-is-better", "score")
    done = run(ranking, truth, "--lower-is-better", "truth")
    assert "without ndcg" in done.stderr
    assert "1.0000" in done.stdout


@pytest.mark.parametrize(
    ("ranking", "says"),
    [
        ("item,score\na,1\nb,2\n", "truth.csv has the item 'c' that"),
        ("item,score\na,1\nb,2\nc,\n", "ranking.csv has no number for the item 'c'"),
        ("item,score\na,1\nb,2\nc,high\n", "ranking.csv row 3: score is 'high', which is not a number"),
        ("item,score\na,1\nb,2\nc,3\nc,4\n", "ranking.csv has the item 'c' more than once"),
        ("item,score\na,1\nb,2,3\nc,3\n", "ranking.csv row 2: text is 'b,2,3': wrong number of fields"),
        ("item,score\nx,1\n", "have no item in common: do they use the same ids?"),
        ("item,score\n", "has no items: there is nothing to measure"),
        ("item,score\n,1\n", "ranking.csv has an item without an id"),
        ("item,rating,value\na,1,2\n", "could be the score: 'rating', 'value'; say which with --score-column"),
        ("", "ranking.csv is empty"),
    ],
)
def test_bad_files_are_refused_by_name(tmp_path, ranking, says):
    write(tmp_path / "truth.csv", TRUTH)
    write(tmp_path / "ranking.csv", ranking)
    assert says in refused("ranking.csv", "truth.csv", cwd=tmp_path)


def test_what_is_missing_may_be_dropped(tmp_path):
    write(tmp_path / "truth.csv", TRUTH + "d,NA\ne,7\n")
    write(tmp_path / "ranking.csv", "item,score\na,3\nb,2\nc,1\nd,0\n")
    done = run("ranking.csv", "truth.csv", "--missing", "drop", "--measure", "accuracy", cwd=tmp_path)
    assert "left out 2 items without a number in every file, as asked" in done.stderr
    assert "3 items" in done.stdout


def test_a_group_too_small_to_measure_says_so(tmp_path):
    write(tmp_path / "truth.csv", "item,truth,kind\na,3,x\nb,2,x\nc,1,\n")
    write(tmp_path / "ranking.csv", "item,score\na,3\nb,2\nc,1\n")
    text = printed("ranking.csv", "truth.csv", "--by", "kind", "--measure", "accuracy", cwd=tmp_path)
    assert "(none)" in text
    assert "– is not known: it takes items of different truth" in text


def test_bad_words_are_refused(folder, tmp_path):
    assert "did you mean ndcg?" in refused("scores.csv", "truth.csv", "--measure", "ndgc", cwd=folder)
    assert "there is no file nothing.csv" in refused("nothing.csv", "truth.csv", cwd=folder)
    assert "compared with itself" in refused("scores.csv", "truth.csv", "--against", "scores.csv", cwd=folder)
    assert "confidence must lie between" in refused("scores.csv", "truth.csv", "--confidence", 95, cwd=folder)
    assert "--graded is not for rankings of items" in refused("scores.csv", "truth.csv", "--graded", cwd=folder)
    bad = write(tmp_path / "bad.json", '{"a": 1}')
    assert "neither a list of JSON objects" in refused(bad, folder / "truth.csv")


def test_search_runs_are_handed_on(tmp_path):
    write(tmp_path / "run.txt", "1 Q0 a 1 9 x\n1 Q0 b 2 8 x\n")
    write(tmp_path / "qrels.txt", "1 0 a 2\n1 0 b 0\n")
    assert "ndcg@10" in printed("run.txt", "qrels.txt", "--measure", "ndcg@10", cwd=tmp_path)
    assert "--by is not for search runs" in refused("run.txt", "qrels.txt", "--by", "x", cwd=tmp_path)
    assert "--skip-missing" in refused("run.txt", "qrels.txt", "--missing", "drop", cwd=tmp_path)
    assert "name the run first" in refused("qrels.txt", "run.txt", cwd=tmp_path)


def test_the_names_in_the_help_are_those_of_the_measures():
    assert sorted(NAMES) == sorted(MEASURES)


def test_real_ages_by_gender(data, tmp_path):
    """Groups of 4,575; the truth against itself is perfect, and against a part of itself nearly so."""
    truth = data / "imdb-wiki-sbs" / "items_9150.csv"
    table = pacsv.read_csv(truth)
    score = np.round(table["score"].to_numpy(), -1)
    pacsv.write_csv(pa.table({"item": table["item"], "score": score}), tmp_path / "decades.csv")
    words = ("--by", "gender", "--measure", "accuracy", "--measure", "ndcg@10", "--resamples", 0, "--format", "csv")
    found = rows(printed(tmp_path / "decades.csv", truth, *words))
    assert [row["items"] for row in found] == ["9150"] * 2 + ["4575"] * 4
    assert float(found[0]["value"]) == pytest.approx(pair_accuracy(score, table["score"].to_numpy()))
