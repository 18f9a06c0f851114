"""The paper on the command line, and the files it writes."""

from __future__ import annotations

import csv
import json

import pytest

from provend import paper
from provend.cli import main


def test_json_is_one_object(capsys: pytest.CaptureFixture[str]) -> None:
    main(["paper", "claim_no_data", "--json"])
    found = json.loads(capsys.readouterr().out)
    assert found["name"] == "claim_no_data"
    assert found["rows"][0] == {
        "what": "no-data regret",
        "computed": pytest.approx(0.09),
        "published": "0.09",
        "verdict": "same",
        "why": "",
    }


def test_the_list_names_every_item(capsys: pytest.CaptureFixture[str]) -> None:
    main(["paper", "list", "--json"])
    assert [one["name"] for one in json.loads(capsys.readouterr().out)["items"]] == list(paper.ITEMS)


def test_q_reaches_the_item(capsys: pytest.CaptureFixture[str]) -> None:
    main(["paper", "claim_no_data", "--q", "1/2", "--json"])
    assert json.loads(capsys.readouterr().out)["rows"][0]["computed"] == pytest.approx(0.25)


def test_one_table_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    main(["paper", "claim_sensitivity"])
    out = capsys.readouterr().out
    assert "differs" in out
    assert "5.69" in out


def test_bad_names_exit_with_2(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["paper", "table9"])
    assert stop.value.code == 2
    assert "table9" in capsys.readouterr().err


def test_files_hold_what_was_computed(tmp_path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["paper", "figure1", "--out", str(tmp_path)])
    with (tmp_path / "figure1.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    result = paper.run("figure1")
    assert [float(one["computed"]) for one in rows] == [one.computed for one in result.rows]
    assert {one["verdict"] for one in rows} == {"picture"}
    assert "plotly" in (tmp_path / "figure1.html").read_text(encoding="utf-8")
    assert not (tmp_path / "report.html").exists()
