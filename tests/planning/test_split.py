"""Rows on disk: all rows of an item in one part, whatever the order of the table."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from provend.planning import Choice, Job, OwnRows, Terms, _embedded, _split, read_request
from provend.planning._request import Opened, open_tables
from provend.planning._source import Names, connect
from provend.planning._state import State

ITEMS, DAYS = 40, 9
NAMES = np.array([f"item {i}" for i in range(ITEMS)])  # not in the order of the alphabet


def history() -> pa.Table:
    dates = np.datetime64("2024-01-01", "us") + np.arange(DAYS) * np.timedelta64(1, "D")
    demand = np.arange(ITEMS * DAYS) % 7
    return pa.table({"unique_id": np.repeat(NAMES, DAYS), "ds": np.tile(dates, ITEMS), "y": demand})


def targets() -> pa.Table:
    moments = np.full(3, np.datetime64("2024-02-01", "us"))
    return pa.table({"unique_id": ["item 7", "new", None], "ds": moments})


def split(
    table: pa.Table, ahead: pa.Table | None, folder: Path
) -> tuple[list[set[str | None]], list[tuple[object, ...]]]:
    """The items of each part, and all rows."""
    state = State(folder)
    state.folder.mkdir()
    request = read_request((9, 1), Names(), choice=Choice("own"))
    with connect() as connection:
        opened: Opened = open_tables(connection, request, table, ahead)
        _split.split_rows(opened, state)
    parts = [
        pa.concat_tables([pq.read_table(file, partitioning=None) for file in _split.files_of(state, part)])
        for part in _split.parts_of(state)
    ]
    assert sum(_split.count_targets(state, part) for part in _split.parts_of(state)) == (
        ITEMS if ahead is None else ahead.num_rows
    )
    rows = [tuple(row.values()) for part in parts for row in part.drop_columns(["provend_row"]).to_pylist()]
    return [set(part["provend_item"].to_pylist()) for part in parts], sorted(rows, key=str)


@pytest.mark.parametrize("ahead", [None, targets()], ids=["dates to come", "targets"])
@pytest.mark.parametrize("order", ["by item", "by date", "an item comes again", "a row without an item"])
def test_every_row_is_in_one_part_with_all_rows_of_its_item(
    order: str, ahead: pa.Table | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dealt, real = [], _split._dealt
    monkeypatch.setattr(_split, "_dealt", lambda *given: (dealt.append(given), real(*given)))
    table = history()
    if order == "by date":
        table = table.take(np.argsort(np.tile(np.arange(DAYS), ITEMS), kind="stable"))
    elif order == "an item comes again":  # far enough from its other rows to be in another part
        table = pa.concat_tables([table.slice(1), table.slice(0, 1)])
    elif order == "a row without an item":
        table = pa.concat_tables([table, table.slice(0, 1).set_column(0, "unique_id", pa.array([None], pa.string()))])
    parts, rows = split(table, ahead, tmp_path / "made")
    assert bool(dealt) == (order != "by item")
    assert len(parts) > 4
    for place, one in enumerate(parts):
        assert not any(one & other for other in parts[place + 1 :])
    past = [row for row in rows if not row[2]]
    wanted = zip(*(table[name].to_pylist() for name in ("unique_id", "ds", "y")), strict=True)
    assert sorted((row[0], row[1], row[3]) for row in past if row[0]) == sorted(one for one in wanted if one[0])
    asked = [(row[0], row[1]) for row in rows if row[2]]
    if ahead is not None:
        assert sorted(map(str, asked)) == sorted(
            map(str, zip(ahead["unique_id"].to_pylist(), ahead["ds"].to_pylist(), strict=True))
        )
    else:
        assert sorted(item for item, _ in asked) == sorted(NAMES)


@pytest.mark.parametrize(
    ("seconds", "here"), [([9.0, 9.0, 9.0], 1), ([1.0, 0.2, 0.2], 22), ([1.0, 0.5, 0.5], 2)], ids=str
)
def test_processes_are_started_where_they_save_time(
    seconds: list[float], here: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Of 22 parts that take so many seconds: with two processes, half of what is left can be saved."""
    clock, decided, shared = [0.0], list[int](), list[int]()

    def deciding(part: int, *_: object) -> int:
        clock[0] += seconds[min(part, 2)]
        decided.append(part)
        return part

    monkeypatch.setattr(_embedded, "process_time", lambda: clock[0])
    monkeypatch.setattr(_embedded, "decide_part", deciding)
    monkeypatch.setattr(_embedded, "_shared", lambda parts, *_: shared.extend(parts) or iter(parts))
    job = Job(OwnRows(), Terms(9, 1, None), "ds", ())
    assert list(_embedded._decided(list(range(22)), State(tmp_path), job, 2)) == list(range(22))
    assert (decided, shared) == (list(range(here)), list(range(here, 22)))
