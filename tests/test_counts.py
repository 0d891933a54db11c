"""Pair counts: the same from memory and from a stream, whatever the pieces."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.making import comparisons, random_comparisons

import sidewise as sw
from sidewise.comparisons import components, files
from sidewise.comparisons.counts import Accumulator, accumulate, sort_order


def plain_counts(answers):
    """Wins and ties by a loop."""
    found = {}
    for left, right, outcome, weight in zip(
        answers.left.tolist(), answers.right.tolist(), answers.outcome.tolist(), answers.weights().tolist(), strict=True
    ):
        pair, first = (left, right), outcome
        if left > right:
            pair, first = (right, left), 1 - outcome
        wins = found.setdefault(pair, [0.0, 0.0, 0.0])
        if outcome == 0.5:
            wins[2] += weight
        else:
            wins[0] += weight * first
            wins[1] += weight * (1 - first)
    return found


def as_dict(counts):
    columns = (counts.first, counts.second, counts.first_wins, counts.second_wins, counts.ties)
    return {(i, j): [a, b, t] for i, j, a, b, t in zip(*(column.tolist() for column in columns), strict=True)}


def assert_same(found, expected):
    assert found.keys() == expected.keys()
    for pair in found:
        assert found[pair] == pytest.approx(expected[pair])


@given(comparisons(outcomes=st.sampled_from([0.0, 0.3, 0.5, 1.0])))
def test_counts_agree_with_a_loop(answers):
    counts = answers.counts()
    assert_same(as_dict(counts), plain_counts(answers))
    assert counts.weight == pytest.approx(len(answers))
    assert np.all(np.diff(counts.first.astype(np.int64) * len(answers.items) + counts.second) > 0)


@given(comparisons(most=60), st.integers(1, 7))
def test_pieces_add_up_to_the_whole(answers, size):
    parts = [answers.select(np.arange(k, min(k + size, len(answers)))).rows for k in range(0, len(answers), size)]
    streamed = accumulate(parts).counts(answers.items, sided=True)
    assert_same(as_dict(streamed), as_dict(answers.counts()))
    assert (streamed.left_wins, streamed.right_wins, streamed.rows) == (
        answers.counts().left_wins, answers.counts().right_wins, len(answers),
    )  # fmt: skip


def test_buckets_of_many_items_come_out_in_order():
    answers = random_comparisons(3000, 20_000, weight=True)
    accumulator = Accumulator()
    for start in range(0, 20_000, 777):
        accumulator.add(answers.select(np.arange(start, min(start + 777, 20_000))).rows)
    streamed, whole = accumulator.counts(answers.items, sided=True), answers.counts()
    assert not accumulator.buckets
    for name in ("first", "second"):
        assert np.array_equal(getattr(streamed, name), getattr(whole, name))
    assert np.allclose(streamed.first_wins, whole.first_wins)


@given(st.lists(st.integers(0, 1 << 62)), st.lists(st.integers(0, 30)))
def test_sorting_packed_keys_is_stable_sorting(large, small):
    for keys in (large, small):
        if keys:
            key = np.array(keys, np.int64)
            assert np.array_equal(sort_order(key), np.argsort(key, kind="stable"))


@pytest.mark.parametrize("ending", ["parquet", "csv", "jsonl"])
def test_files_are_streamed_in_pieces(tmp_path, monkeypatch, ending):
    monkeypatch.setattr(files, "PIECE_ROWS", 100)
    monkeypatch.setattr(files, "BLOCK_BYTES", 1000)
    answers = random_comparisons(30, 1000, ties=0.2)
    table, path = answers.to_frame(), tmp_path / f"a.{ending}"
    if ending == "parquet":
        pq.write_table(table, path)
    elif ending == "csv":
        pa.csv.write_csv(table, path)
    else:
        path.write_text(table.to_pandas().to_json(orient="records", lines=True))
    seen = []
    counts = sw.read_counts(path, progress=lambda done, total: seen.append((done, total)))
    assert len(seen) > 3
    assert seen[-1][0] == pytest.approx(seen[-1][1], rel=0.3)
    expected = answers.counts()
    assert counts.rows == 1000
    by_name = {name: code for code, name in enumerate(counts.items)}
    code = np.array([by_name[name] for name in answers.items])
    flip = code[expected.first] > code[expected.second]
    want = {
        (int(min(code[i], code[j])), int(max(code[i], code[j]))): ([b, a, t] if f else [a, b, t])
        for i, j, a, b, t, f in zip(
            expected.first, expected.second, expected.first_wins, expected.second_wins, expected.ties, flip, strict=True
        )
    }
    assert_same(as_dict(counts), want)
    assert sw.bradley_terry(counts).to_dict() == pytest.approx(sw.bradley_terry(answers).to_dict(), abs=1e-5)


def test_components_are_numbered_by_size_and_zero_weights_join_nothing():
    answers = sw.Comparisons.from_arrays(
        winner=["a", "c", "d", "a"],
        loser=["b", "d", "e", "c"],
        weight=[1, 1, 1, 0],
        items=["a", "b", "c", "d", "e", "f"],
    )
    graph = components(answers.counts())
    assert graph.count == 3
    assert graph.label.tolist() == [1, 1, 0, 0, 0, 2]


def test_the_summary_counts_what_is_there():
    answers = sw.Comparisons.from_arrays(
        left=["a", "a", "b", "d"], right=["b", "c", "c", "e"], winner=["a", "a", "tie", "e"],
        worker=["w", "v", "w", "w"], items=["a", "b", "c", "d", "e", "z"],
    )  # fmt: skip
    summary = answers.summary()
    assert (summary.items, summary.workers, summary.comparisons, summary.pairs, summary.ties) == (6, 2, 4, 4, 1)
    assert summary.left_share == pytest.approx(2 / 3)
    assert (summary.components, summary.largest_component) == (3, 3)
    assert summary.unbeaten == ("a", "e")
    assert summary.winless == ("d",)
    assert summary.unseen == ("z",)
    assert "left share        0.667" in str(summary)


def test_files_of_winners_and_losers_do_not_pretend_to_know_the_sides():
    summary = sw.Comparisons.from_arrays(winner=["a"], loser=["b"]).summary()
    assert summary.left_share is None
    assert "left share        unknown" in str(summary)
