"""Tables 1 and 2 as printed: every number in its place."""

from __future__ import annotations

from provend import paper


def test_table1_has_every_printed_number_in_its_place() -> None:
    result = paper.run("table1", zetas=(0.0, 0.04), targets=("100%", "50%", "10%"), most=60)
    layout = paper.laid_out("table1", result)
    assert layout is not None
    assert layout.columns == ("100%", "50%", "10%")
    assert [line.labels for line in layout.lines] == [
        ("0", "N general-purpose"), ("", "N exact"), ("0.04", "N general-purpose"), ("", "N exact"),
    ]  # fmt: skip
    printed = [[cell.published for cell in line.cells] for line in layout.lines]
    assert printed == [["279", "1032", "24673"], ["3", "5", "37"], ["6228", "inf", "inf"], ["3", "6", "inf"]]
    assert {id(cell) for line in layout.lines for cell in line.cells} <= {id(row) for row in result.rows}


def test_table2_is_one_line() -> None:
    layout = paper.laid_out("table2", paper.run("table2", zetas=(0.05, 0.1)))
    assert layout is not None
    (line,) = layout.lines
    assert layout.columns == ("0.05", "0.1")
    assert [(cell.computed, cell.published) for cell in line.cells] == [(56, "58"), (15, "15")]


def test_other_items_are_no_such_tables() -> None:
    assert paper.laid_out("claim_no_data", paper.run("claim_no_data")) is None
