"""Requests that are malformed, oversized or meant to harm: each is answered with a sentence, and the server goes on."""

from __future__ import annotations

import gzip
import io
import json
import socket
import time
import zipfile
from urllib.parse import quote

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

SALES = b"date,demand\n" + b"".join(b"2026-01-%02d,%d\n" % (day, day % 7) for day in range(1, 29))


@pytest.fixture
def sound(server):
    """Whatever was sent, the server answers afterwards, and said nothing of its insides."""
    yield server
    assert server.get("/api/explore?n=3&policies=erm").status == 200


def refused(found, *statuses):
    assert found.status in statuses, found
    sentence = found.json["error"]
    assert 0 < len(sentence) <= 600
    for inside in ("Traceback", "site-packages", "/tmp", "provend-web-"):
        assert inside not in sentence
    return sentence


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'"x"',
        b'{"file": NaN}',
        b'{"file": Infinity}',
        b"\xff\xfe\x00",
        b'{"a":' * 100_000,
        b"[" * 900_000,
        b'{"file":' + b"9" * 100_000 + b"}",
        json.dumps({"file": "x", "support": [[[[[[[[[[1]]]]]]]]]]}).encode(),
        b'{"file": "x", "surprise": 1}',
        b'{"__proto__": {}}',
    ],
    ids=lambda body: repr(body[:12]),
)
def test_bodies_that_are_no_request(sound, body):
    for path in ("/api/decide", "/api/backtest"):
        refused(sound.ask("POST", path, body, {"content-type": "application/json"}), 400, 404)


def test_a_form_of_another_site_is_no_json(sound):
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""):
        refused(sound.ask("POST", "/api/decide", b"{}", {"content-type": kind}), 415)


def test_too_much_json(sound):
    refused(sound.ask("POST", "/api/decide", b" " * 2**21, {"content-type": "application/json"}), 413)


def test_too_large_a_file_is_refused_before_it_is_sent(sound):
    with socket.create_connection(("127.0.0.1", sound.port)) as line:
        head = f"POST /api/files HTTP/1.1\r\nHost: 127.0.0.1:{sound.port}\r\nX-File-Name: a.csv\r\n"
        line.sendall(f"{head}Content-Length: {10**12}\r\n\r\n".encode())
        assert b" 413 " in line.recv(200)


def test_too_large_a_file_that_does_not_say_so(sound):
    with socket.create_connection(("127.0.0.1", sound.port)) as line:
        head = f"POST /api/files HTTP/1.1\r\nHost: 127.0.0.1:{sound.port}\r\nX-File-Name: a.csv\r\n"
        line.sendall(f"{head}Transfer-Encoding: chunked\r\n\r\n".encode())
        chunk = b"100000\r\n" + b"1" * 2**20 + b"\r\n"
        try:
            for _ in range(60):
                line.sendall(chunk)
        except OSError:
            return  # hung up on: as good as an answer
        assert b" 413 " in line.recv(200)


@pytest.mark.parametrize("name", ["a.exe", "a", "..", "%00.py", "a.csv/../../b", "a.csv%0d%0aX: y.sh", ".bashrc"])
def test_names_of_files(sound, name):
    refused(sound.send(name, SALES), 400)


def test_a_name_with_a_path_is_a_name(sound):
    found = sound.send("..%2F..%2Fetc%2Fpasswd%0A.csv", SALES)
    assert found.status == 200
    assert found.json["name"] == "passwd.csv"
    assert sound.send("C:%5Cdata%5Csales.csv", SALES).json["name"] == "sales.csv"


def test_no_name_and_no_content(sound):
    refused(sound.ask("POST", "/api/files", SALES), 400)
    refused(sound.send("a.csv", b""), 400)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", b"\x00" * 1000),
        ("a.csv", b"x" * 100_000),
        ("a.csv", b"date,demand\n" + b'"' * 1000),
        ("a.csv", b"," * 5_000),
        ("a.csv", b"date,demand\n2026-01-01,1e400\n2026-01-02,nan\n"),
        ("a.xlsx", b"PK\x03\x04 and no more"),
        ("a.xlsx", SALES),
        ("a.parquet", b"PAR1" + b"\xff" * 100 + b"PAR1"),
        ("a.gz", b"\x1f\x8b\x08\x00 and no more"),
        ("a.csv.gz", gzip.compress(SALES, mtime=0)[:-20]),
    ],
    ids=lambda value: repr(value[:12]),
)
def test_files_that_are_none(sound, name, content):
    found = sound.send(name, content)
    if found.status == 200:  # a question
        assert found.json["needs"]
    else:
        refused(found, 400)


def test_a_workbook_that_claims_a_flood(sound):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("xl/worksheets/sheet1.xml", b" " * 1000)
    claimed = packed.getvalue().replace((1000).to_bytes(4, "little"), (10**9).to_bytes(4, "little"))
    assert "unpacks" in refused(sound.send("a.xlsx", claimed), 400)


def test_entities_that_grow(sound):
    """A sheet of ten lines that would be a billion words."""
    grown = "".join(f'<!ENTITY a{i} "{f"&a{i - 1};" * 10}">' for i in range(1, 10))
    sheet = f'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a0 "laugh">{grown}]><worksheet>&a9;</worksheet>'
    book = openpyxl.Workbook()
    book.active.append(["date", "demand"])
    whole, packed = io.BytesIO(), io.BytesIO()
    book.save(whole)
    with zipfile.ZipFile(whole) as old, zipfile.ZipFile(packed, "w") as new:
        for entry in old.namelist():
            new.writestr(entry, sheet if entry == "xl/worksheets/sheet1.xml" else old.read(entry))
    refused(sound.send("a.xlsx", packed.getvalue()), 400)


def test_rows_that_are_there_a_million_times_are_not_read(sound, monkeypatch):
    rows = pa.table(
        {"date": pa.array([1]).take(pa.array([0] * 10**6)), "demand": pa.array([1]).take(pa.array([0] * 10**6))}
    )
    packed = io.BytesIO()
    pq.write_table(rows, packed)
    assert len(packed.getvalue()) < 10**5
    assert "500,000 rows" in refused(sound.send("a.parquet", packed.getvalue()), 400)


def test_a_flood_of_bodies_is_refused_and_not_kept(sound, monkeypatch):
    monkeypatch.setattr("provend.web._answers.FLOOD", 3 * 2**19)
    head = f"POST /api/files HTTP/1.1\r\nHost: 127.0.0.1:{sound.port}\r\nX-File-Name: a.csv\r\n"
    lines = [socket.create_connection(("127.0.0.1", sound.port), timeout=30) for _ in range(2)]
    for line in lines:  # neither is too large, both together are
        line.sendall(f"{head}Content-Length: {2**21}\r\n\r\n".encode() + b"1" * 2**20)
    time.sleep(0.5)
    answers = []
    for line in lines:
        line.settimeout(6)
        answers.append(line.recv(300))
        line.close()
    assert any(b" 503 " in answer for answer in answers)
    assert sound.send("sales.csv", SALES).status == 200


@pytest.mark.parametrize("cost", ["1e99999999", "9" * 200, "1/" + "9" * 190, "0x10", "١٢", "1_000", "1e-99999999"])
def test_numbers_that_take_forever(sound, table, cost):
    found = sound.get(f"/api/explore?cu={quote(cost)}&co=1&n=3&policies=erm")
    assert found.status in (200, 400)
    started = sound.post("/api/decide", {"file": table, "cu": cost, "co": 1, "horizon": 1})
    assert sound.wait(started.json["job"])["state"] in ("done", "failed")


def test_two_pages_may_read_one_table_differently(sound):
    text = b"date,qty,sold\n" + b"".join(b"2026-01-%02d,%d,%d\n" % (day, day % 5, 50 + day % 7) for day in range(1, 29))
    key = sound.send("two.csv", text).json["file"]
    for name in ("qty", "sold"):  # the last one to read it is not the one to ask
        assert sound.post(f"/api/files/{key}/read", {"options": {"demand": name}}).status == 200
    asked = {"file": key, "cu": 3, "co": 1, "options": {"demand": "qty"}}
    (order,) = sound.result(sound.post("/api/decide", asked).json["job"])["orders"]
    assert order["order"] < 10
    refused(sound.post("/api/decide", asked | {"options": {"surprise": 1}}), 400)


def test_an_upload_that_breaks_off(sound):
    for sent in (b"", SALES[:50]):
        with socket.create_connection(("127.0.0.1", sound.port)) as line:
            head = f"POST /api/files HTTP/1.1\r\nHost: 127.0.0.1:{sound.port}\r\nX-File-Name: a.csv\r\n"
            line.sendall(f"{head}Content-Length: 5000\r\n\r\n".encode() + sent)


def test_slow_clients_are_let_go_all_at_once(sound):
    """Nothing, half a head, no HTTP, empty lines, a head that goes on and on, and a body that does not arrive."""
    head = f"POST /api/files HTTP/1.1\r\nHost: 127.0.0.1:{sound.port}\r\nX-File-Name: a.csv\r\n"
    body = f"{head}Content-Length: 5000\r\n\r\n1".encode()
    starts = [b"", b"GET /decide HT", b"\x16\x03\x01\x02\x00\x01", b"\r\n" * 10, b"GET /decide HTTP/1.1\r\n", body]
    lines = [socket.create_connection(("127.0.0.1", sound.port), timeout=30) for _ in starts]
    for line, start in zip(lines, starts, strict=True):
        line.sendall(start)
    for _ in range(100):
        try:
            lines[4].sendall(b"X-A: b\r\n")
        except OSError:
            break
        time.sleep(0.2)
    else:
        raise AssertionError("the server waited for a head that goes on and on")
    assert b" 408 " in lines[5].recv(300)
    for line in lines[:4]:
        while line.recv(1000):  # ends when the server hangs up, and fails if it does not
            pass
    for line in lines:
        line.close()


def test_a_head_without_end(sound):
    with socket.create_connection(("127.0.0.1", sound.port), timeout=15) as line:
        line.sendall(b"GET /decide HTTP/1.1\r\n")
        try:
            line.sendall(b"X-A: " + b"b" * 10**6)
            assert b" 400 " in line.recv(300)
        except OSError:
            pass  # hung up on


@pytest.mark.parametrize(
    "query",
    [
        "n=0", "n=1001", "n=1e3", "n=-1", "n=nan", "n=99999999999999999999", "n=%F0%9D%9F%99", "q=nan", "q=inf", "q=0",
        "q=1", "q=1e-99999", "q=9/0", "value=nan", "value=-1", "value=inf", "kind=x", "kind=given", "kind=given&d=nan",
        "kind=given&d=" + "0.1," * 2000, "kind=given&d=0.1,x", "policies=", "policies=knn", "policies=knn:0",
        "policies=knn:x", "policies=exp:2", "policies=kernel:gaussian:0", "policies=__import__", "policies=erm,x",
        "policies=" + ",".join(f"knn:{k}" for k in range(1, 9)), "cu=1",
        "cu=1&co=1&q=0.5", "cu=0&co=1", "cu=1&co=1&support=1,0", "cu=1&co=1&support=0", "cu=1&co=1&support=0,inf",
        "cu=1e300&co=1e300&support=-1e300,1e300", "support=0,1", "surprise=1", "q=0.9&q=0.8",
    ],
    ids=lambda query: query[:30],
)  # fmt: skip
def test_addresses_that_mean_nothing(sound, query):
    refused(sound.get(f"/api/explore?{query}"), 400)


@pytest.mark.parametrize(
    "changes",
    [
        {"file": None}, {"file": 3}, {"file": ["x"]}, {"file": "../../etc/passwd"}, {"cu": None}, {"cu": True},
        {"cu": []}, {"cu": 10**400}, {"cu": "x" * 1000}, {"support": [1]}, {"support": "0,1"}, {"support": [None, 1]},
        {"horizon": 0}, {"horizon": 1.5}, {"horizon": "7"}, {"horizon": 10**9}, {"horizon": True}, {"model": 3},
        {"model": {"a": 1}}, {"dissimilarity": True}, {"dissimilarity": []},
    ],
    ids=lambda changes: repr(changes)[:30],
)  # fmt: skip
def test_decisions_that_cannot_be_meant(sound, table, changes):
    refused(sound.post("/api/decide", {"file": table, "cu": 9, "co": 1} | changes), 400, 404)


@pytest.fixture(scope="module")
def table(server):
    return server.send("sales.csv", SALES).json["file"]


@pytest.mark.parametrize(
    "changes",
    [{"cu": 0}, {"cu": -1}, {"cu": "nowhere"}, {"cu": "nan"}, {"support": [5, 1]}, {"support": [0, "inf"]},
     {"model": "x"}, {"dissimilarity": -1}, {"dissimilarity": "x"}, {"policy": "__import__('os')"}],
)  # fmt: skip
def test_decisions_that_are_refused_later(sound, table, changes):
    started = sound.post("/api/decide", {"file": table, "cu": 9, "co": 1} | changes)
    found = sound.wait(started.json["job"])
    if found["state"] == "done":  # what concerns an item is said in its row
        assert {row["badge"] for row in found["result"]["orders"]} == {"failed"}
    else:
        assert found["state"] == "failed"
        assert "/tmp" not in found["error"]
        assert "should not have happened" not in found["error"]


@pytest.mark.parametrize(
    "options",
    [
        [], {"item": 3}, {"item": ["x"] * 1000}, {"day_first": "yes"}, {"columns": ["a"]}, {"columns": {"a": 1}},
        {"surprise": 1}, {"decimal": "x"}, {"negative": "x"}, {"date": "../../etc/passwd"}, {"date": "x" * 5000},
        {"left_out": "demand"}, {"delimiter": "date"},
    ],
    ids=lambda options: repr(options)[:30],
)  # fmt: skip
def test_ways_to_read_that_are_none(sound, table, options):
    refused(sound.post(f"/api/files/{table}/read", {"options": options}), 400)


def test_overrides_that_are_none(sound, table):
    job = sound.post("/api/decide", {"file": table, "cu": 9, "co": 1, "support": [0, 10]}).json["job"]
    sound.result(job)
    for overrides in ({}, [1], [{"row": -1, "quantity": 1}], [{"row": 99, "quantity": 1}], [{"row": 0}],
                      [{"row": 0, "quantity": -1}], [{"row": 0, "quantity": 1, "reason": 5}],
                      [{"row": 0, "quantity": 1, "reason": "x" * 501}], [{"row": 0, "quantity": 1e300}]):  # fmt: skip
        refused(sound.post(f"/api/decide/{job}/download", {"format": "csv", "overrides": overrides}), 400)
    refused(sound.post(f"/api/decide/{job}/download", {"format": "exe"}), 400)
    for row in (-1, 99, 10**400, "0", None, True, 0.5):
        refused(sound.post(f"/api/decide/{job}/row", {"row": row}), 400)
    refused(sound.post(f"/api/decide/{job}/what-if", {"row": 0, "quantity": None}), 400)
    refused(sound.get(f"/api/backtest/{job}/orders?item=1"), 404)
