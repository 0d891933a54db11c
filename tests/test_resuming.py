"""Studies that are interrupted: what is done is kept, and is not done again where nothing has changed."""

import json

import pytest

from sidewise.studies import Setting, factor_bt, resuming
from sidewise.studies.resuming import resumed


def squared(number):
    squared.called.append(number)
    if number == squared.fails_at:
        raise KeyboardInterrupt
    return [{"number": number, "square": number / 3}]


def test_what_is_done_is_not_done_again(tmp_path, monkeypatch):
    squared.called, squared.fails_at = [], 3
    setting = Setting(part="some", folder=tmp_path)
    with pytest.raises(KeyboardInterrupt):
        resumed(squared, [1, 2, 3, 4], setting)
    with setting.unfinished.open("a") as file:
        file.write('{"key": "cut off in the mid')
    squared.called, squared.fails_at = [], None
    told = []
    again = Setting(part="some", folder=tmp_path, progress=lambda *some: told.append(some))
    assert [row["square"] for row in resumed(squared, [1, 2, 3, 4], again)] == [1 / 3, 2 / 3, 1, 4 / 3]
    assert squared.called == [3, 4]
    assert told == [(3, 4), (4, 4)]
    squared.called = []
    monkeypatch.setattr(resuming, "code", lambda: "other")
    resumed(squared, [1, 5], again)
    assert squared.called == [1, 5]


def test_processes_keep_what_they_have_done_too(tmp_path):
    setting = Setting(jobs=2, part="two", folder=tmp_path)
    rows = resumed(factor_bt.simulated, [3, 4], setting)
    lines = [json.loads(line) for line in setting.unfinished.read_text().splitlines()]
    assert sorted(row["value"] for line in lines for row in line["rows"]) == sorted(row["value"] for row in rows)
    assert resumed(factor_bt.simulated, [4, 3], setting) == [*rows[len(rows) // 2 :], *rows[: len(rows) // 2]]
