"""Who may ask, and what every answer says about itself."""

from __future__ import annotations

import socket

import pytest


def test_pages_are_there_and_the_first_leads_to_decide(server):
    assert server.get("/").headers["location"] == "/decide"
    for page in ("decide", "explore", "backtest", "paper"):
        found = server.get(f"/{page}")
        assert found.status == 200
        assert found.headers["content-type"].startswith("text/html")


def test_plotly_comes_from_the_installed_package(server):
    found = server.get("/static/plotly.min.js")
    assert found.status == 200
    assert b"plotly.js v" in found.body[:500]


def test_no_script_but_our_own_may_run(server):
    for path in ("/decide", "/api/explore?n=0", "/static/plotly.min.js", "/nowhere"):
        said = server.get(path).headers
        rules = dict(rule.strip().split(" ", 1) for rule in said["content-security-policy"].split(";"))
        assert rules["default-src"] == "'none'"
        assert rules["script-src"] == "'self'"
        assert rules["frame-ancestors"] == "'none'"
        assert said["x-content-type-options"] == "nosniff"
        assert said["referrer-policy"] == "no-referrer"
        assert "access-control-allow-origin" not in said
        assert "server" not in said


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "127.0.0.1:1", "localhost.evil.example:{port}", ""])
def test_other_names_of_this_machine_are_refused(server, host):
    for path in ("/decide", "/api/explore", "/static/plotly.min.js"):
        found = server.get(path, host=host.format(port=server.port))
        assert found.status == 421
        assert "address" in found.json["error"]


@pytest.mark.parametrize("name", ["localhost", "127.0.0.1", "[::1]"])
def test_its_own_names_are_answered(server, name):
    assert server.get("/decide", host=f"{name}:{server.port}").status == 200


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1", "https://127.0.0.1:{port}", ""])
def test_other_sites_change_nothing(server, origin):
    found = server.post("/api/files/restaurant", {}, origin=origin.format(port=server.port))
    assert found.status == 403
    found = server.ask("DELETE", "/api/jobs/x", headers={"origin": origin.format(port=server.port)})
    assert found.status == 403


def test_our_own_pages_may(server):
    found = server.ask("DELETE", "/api/jobs/x", headers={"origin": f"http://127.0.0.1:{server.port}"})
    assert found.status == 404


def test_other_sites_do_not_make_us_work(server):
    assert server.get("/api/explore", sec_fetch_site="cross-site").status == 403
    assert server.get("/api/explore", sec_fetch_site="same-site").status == 403
    assert server.get("/decide", sec_fetch_site="cross-site").status == 200  # a link to us is a link
    assert server.ask("POST", "/api/paper", b"{}", {"sec-fetch-site": "cross-site"}).status == 403


def test_two_hosts_are_none(server):
    with socket.create_connection(("127.0.0.1", server.port)) as line:
        line.sendall(f"GET /decide HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nHost: evil\r\n\r\n".encode())
        assert line.recv(100).split(b" ")[1] in (b"400", b"421")


def test_no_websockets(server):
    upgrade = {"connection": "upgrade", "upgrade": "websocket", "sec-websocket-version": "13", "sec-websocket-key": "x"}
    assert server.ask("GET", "/decide", headers=upgrade).status == 200  # an ordinary page, no upgrade


@pytest.mark.parametrize(
    "path",
    [
        "/static/../_app.py",
        "/static/..%2f_app.py",
        "/static/%2e%2e/_app.py",
        "/static//etc/passwd",
        "/static/....//_app.py",
        "/static/%00",
        "/api/files/../../etc/passwd",
        "/api/files/..%2f..%2fetc%2fpasswd",
        "/api/jobs/..%2f..",
        "/api/paper/..%2ftable1",
        "/api/backtest/x/orders?item=../../etc/passwd",
        "/decide.html",
        "/DECIDE",
    ],
)
def test_there_is_nothing_outside(server, path):
    found = server.get(path)
    assert found.status in (400, 404)
    assert found.json["error"]
    assert b"import" not in found.body


def test_methods_that_are_not_meant(server):
    for method, path in (("PUT", "/api/files"), ("POST", "/api/explore"), ("DELETE", "/decide"), ("TRACE", "/decide")):
        found = server.ask(method, path)
        assert found.status == 405
        assert found.json["error"]
