"""The days ahead: a second table gives contexts, the plan is that of the library, and what is said to copy does it."""

from __future__ import annotations

import io
from datetime import datetime

import numpy as np
import openpyxl
import pytest

import provend as pv

RNG = np.random.default_rng(8)
DATES = [
    f"{date[8:]}.{date[5:7]}.{date[:4]}"
    for date in np.arange("2026-03-01", "2026-05-01", dtype="datetime64[D]").astype(str)
]
PROMOTED = RNG.random(len(DATES)) < 0.3
PAST = "Artikel;Datum;Menge;Aktion;Preis;Wetter\r\n" + "".join(
    f"{item};{date};{RNG.poisson(mean * (2 if promoted else 1))};{'ja' if promoted else 'nein'};"
    f"{'1,99' if promoted else '2,49'};{'warm' if RNG.random() < 0.5 else 'kalt'}\r\n"
    for item, mean in (("Brot", 30), ("=Kuchen", 6))
    for date, promoted in zip(DATES, PROMOTED, strict=True)
)  # fmt: skip
ROWS = ("Brot;01.05.2026;ja;1,99", "Brot;02.05.2026;nein;2,49", "=Kuchen;01.05.2026;ja;1,99")
AHEAD = "\r\n".join(["Artikel;Datum;Aktion;Preis", *ROWS, ""])
ASKED = {"cu": 9, "co": 1, "support": [0, 100]}
COLUMNS = {"columns": {"Preis": "category"}}


def send_ahead(server, file, text=AHEAD, name="ahead.csv"):
    return server.ask("POST", f"/api/files/{file}/ahead", text.encode(), {"x-file-name": name})


@pytest.fixture(scope="module")
def file(server):
    key = server.send("past.csv", PAST.encode()).json["file"]
    assert server.post(f"/api/files/{key}/read", {"options": COLUMNS}).status == 200
    return key


@pytest.fixture(scope="module")
def found(server, file):
    targets = send_ahead(server, file).json["file"]
    return server.result(server.post("/api/decide", {"file": file, "targets": targets, **ASKED}).json["job"])


def test_what_counts_and_what_cannot_is_said(server, file):
    told = send_ahead(server, file).json
    assert (told["rows"], told["items"], told["first"], told["last"]) == (3, 2, "2026-05-01", "2026-05-02")
    assert (told["contexts"], told["lacking"]) == (["Aktion", "Preis"], ["Wetter"])
    again = server.post(f"/api/files/{file}/ahead/{told['file']}", {}).json
    assert again == told


def test_the_plan_is_that_of_the_library_and_its_words_do_the_same(found, tmp_path, said_does):
    (tmp_path / "past.csv").write_text(PAST, newline="")
    (tmp_path / "ahead.csv").write_text(AHEAD, newline="")
    sales = pv.read_sales("past.csv")
    targets = pv.read_targets("ahead.csv", sales)
    kinds = {"Preis": "category"}
    rows = pv.plan(
        sales.table, targets, cu=9, co=1, support=(0, 100), columns=kinds, contexts=["Aktion", "Preis"]
    ).to_pylist()
    told = sorted(found["orders"], key=lambda one: one["row"])
    assert [(one["item"], one["order"], one["guarantee"]) for one in told] == [
        (row["unique_id"], row["order"], row["guarantee"]) for row in rows
    ]
    assert "contexts that count beside the date: Aktion, Preis" in found["what"]
    assert "not used, as not known for the days ahead: Wetter" in found["what"]
    said_does(found, rows)


def test_a_promotion_counts(found):
    on, off = sorted((one for one in found["orders"] if one["item"] == "Brot"), key=lambda one: one["date"])
    assert on["order"] > 1.3 * off["order"]


def test_one_order_is_taken_apart_with_its_contexts(server, file, found):
    targets = send_ahead(server, file).json["file"]
    job = server.post("/api/decide", {"file": file, "targets": targets, **ASKED}).json["job"]
    server.result(job)
    for told in found["orders"]:
        row = server.post(f"/api/decide/{job}/row", {"row": told["row"]}).json
        below = sum(day["weight"] for day in row["past"] if day["brought"] <= told["order"] * (1 + 1e-9))
        assert row["order"] == told["order"]
        assert below >= 0.8  # about the critical ratio, among demands as they were brought to this very day


def test_a_table_to_fill_in(server, file):
    got = server.get(f"/api/files/{file}/ahead?days=2")
    assert got.headers["content-disposition"] == 'attachment; filename="ahead.csv"'
    text = got.body.decode("utf-8-sig")
    assert text.splitlines()[:2] == ["Artikel;Datum;Aktion;Preis;Wetter", "Brot;01.05.2026;;;"]
    assert "'=Kuchen;02.05.2026" in text  # nothing that a spreadsheet would run
    filled = text.replace(";;;", ";nein;2,49;warm").replace("'=", "=")
    assert send_ahead(server, file, filled).json["contexts"] == ["Aktion", "Preis", "Wetter"]
    for days in ("0", "367", "x", "1e1", ""):
        assert server.get(f"/api/files/{file}/ahead?days={days}").status == 400


def test_a_table_to_fill_in_has_what_never_changes_and_keeps_item_numbers(server):
    """Item numbers with leading zeros would be lost in a .csv file that a spreadsheet opens."""
    rows = [
        f"{item};{date};{i % 5};{name};{cost};{i % 2}"
        for item, name, cost in (("007", "Brot", "0,5"), ("8", "Kuchen", "2"))
        for i, date in enumerate(DATES)
    ]
    past = "\r\n".join(["Artikel;Datum;Menge;Name;Kosten;Aktion", *rows, ""])
    file = server.send("past.csv", past.encode()).json["file"]
    got = server.get(f"/api/files/{file}/ahead?days=1")
    assert got.headers["content-disposition"] == 'attachment; filename="ahead.xlsx"'
    cells = list(openpyxl.load_workbook(io.BytesIO(got.body)).active.iter_rows(values_only=True))
    day = datetime(2026, 5, 1)
    assert cells[0] == ("Artikel", "Datum", "Name", "Kosten", "Aktion")
    assert cells[1:] == [("007", day, "Brot", 0.5, None), ("8", day, "Kuchen", 2, None)]
    back = server.ask("POST", f"/api/files/{file}/ahead", got.body, {"x-file-name": "ahead.xlsx"}).json
    assert (back["rows"], back["items"], back["first"]) == (2, 2, "2026-05-01")
    plain = server.send("past.csv", past.replace("007;", "7;").encode()).json["file"]
    text = server.get(f"/api/files/{plain}/ahead?days=1").body.decode("utf-8-sig")
    assert text.splitlines()[1:] == ["7;01.05.2026;Brot;0,5;", "8;01.05.2026;Kuchen;2,0;"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Datum;Aktion\n01.05.2026;ja\n", "there is no column 'Artikel'"),
        ("Artikel;Datum;Preis\nBrot;01.05.2026;viel\n", "'viel' in row 2"),
        ("Artikel;Datum\nBrot;01.05.2026\nBrot;01.05.2026\n", "more than once for 2026-05-01"),
        ("Artikel;Datum\n", "no rows"),
    ],
)
def test_what_is_wrong_with_it_is_said_under_its_name(server, file, text, told):
    refused = send_ahead(server, file, text)
    assert refused.status == 400
    assert refused.json["error"].startswith("ahead.csv: ")
    assert told in refused.json["error"]
    assert "/tmp" not in refused.json["error"]


def test_files_that_are_not_there(server, file):
    assert send_ahead(server, "nowhere").status == 404
    assert server.post(f"/api/files/{file}/ahead/nowhere", {}).status == 404
    assert server.post("/api/decide", {"file": file, "targets": "nowhere", "cu": 9, "co": 1}).status == 404
    assert server.post("/api/decide", {"file": file, "targets": 3, "cu": 9, "co": 1}).status == 404


def test_items_without_a_past_are_doubted_before_they_are_new(server, file):
    """Named when the file is read, refused by the plan, and decided once they are said to be new."""
    other = "Artikel;Datum;Aktion\r\nbrot;01.05.2026;ja\r\nTorte;01.05.2026;nein\r\n"
    told = send_ahead(server, file, other).json
    assert told["strangers"] == {"count": 2, "one": "brot", "like": "Brot"}
    assert send_ahead(server, file).json["strangers"] == {"count": 0, "one": None, "like": None}
    asked = {"file": file, "targets": told["file"], **ASKED}
    refused = server.wait(server.post("/api/decide", asked).json["job"])
    assert refused["state"] == "failed"
    assert "'brot' looks like 'Brot'" in refused["error"]
    found = server.result(server.post("/api/decide", asked | {"new_items": True}).json["job"])
    assert [one["order"] > 0 for one in found["orders"]] == [True, True]
    assert any("no history" in text for text in found["messages"])
    assert "--new-items" in found["as_command"]
    assert found["as_python"].count("new_items=True") == 2
    assert server.post("/api/decide", asked | {"new_items": "x"}).status == 400


def test_a_column_left_empty_is_not_used(server, file):
    other = "Artikel;Datum;Aktion;Preis\r\nBrot;01.05.2026;ja;\r\nBrot;02.05.2026;nein;\r\n"
    targets = send_ahead(server, file, other).json["file"]
    found = server.result(server.post("/api/decide", {"file": file, "targets": targets, **ASKED}).json["job"])
    assert [one["status"] for one in found["orders"]] == ["ok", "ok"]
    assert "contexts that count beside the date: Aktion" in found["what"]


def test_what_was_never_seen_is_said(server, file):
    other = "Artikel;Datum;Aktion\r\nBrot;01.05.2026;JA\r\nBrot;01.04.2026;nein\r\n"
    targets = send_ahead(server, file, other).json["file"]
    found = server.result(server.post("/api/decide", {"file": file, "targets": targets, **ASKED}).json["job"])
    assert {one["status"] for one in found["orders"]} == {"context never seen", "not after its past"}
    said = " ".join(found["messages"])
    assert "Aktion: 'JA' was never seen; seen: ja, nein" in said
    assert "not after the item's own past" in said
