"""Paper: items as they are computed, in the order of the paper."""

from __future__ import annotations

import json
import time

from provend.paper import ITEMS, run
from provend.web._paper import as_json, compute


def test_contents_name_every_item(server):
    found = server.get("/api/paper").json
    names = [one["name"] for section in found["sections"] for one in section["items"]]
    assert names == list(ITEMS)
    assert len({section["anchor"] for section in found["sections"]}) == len(found["sections"])
    assert found["sections"][0]["title"] == "1. Introduction"


def test_the_report_is_started_once_seen_growing_and_cancelled(server):
    job = server.post("/api/paper", {}).json["job"]
    assert server.post("/api/paper", {}).json["job"] == job
    while not server.get("/api/paper").json["sections"][0]["items"][0]["done"]:
        assert server.get(f"/api/jobs/{job}").json["state"] in ("waiting", "running")
        time.sleep(0.1)
    first = server.get("/api/paper/figure1").json
    assert first["figure"]["data"]
    assert first["rows"][0]["shown"]
    assert server.ask("DELETE", f"/api/jobs/{job}").json["state"] == "cancelled"
    assert not server.get("/api/paper").json["complete"]
    assert server.get("/api/paper/optimal").status == 404
    assert server.get("/api/paper/nonsense").status == 404


def test_only_what_is_missing_is_computed(tmp_path):
    for name in ITEMS:
        if name != "claim_no_data":
            (tmp_path / f"{name}.json").write_text("{}")
    told = []
    compute(tmp_path, tmp_path, lambda *said: told.append(said))
    found = json.loads((tmp_path / "claim_no_data.json").read_text())
    assert [row["verdict"] for row in found["rows"]] == ["same", "beyond"]
    assert len(told) == 1
    assert (tmp_path / "table1.json").read_text() == "{}"


def test_an_item_has_the_papers_layout_where_there_is_one():
    found = as_json(ITEMS["table2"], run("table2", zetas=(0.05, 0.1)))
    (line,) = found["layout"]["lines"]
    assert found["layout"]["columns"] == ["0.05", "0.1"]
    assert [cell["shown"] for cell in line["cells"]] == ["56", "15"]
    assert as_json(ITEMS["claim_no_data"], run("claim_no_data"))["layout"] is None
