"""One server in a thread, its workers in processes of their own, and a client that can say anything to it."""

from __future__ import annotations

import contextlib
import csv
import http.client
import io
import json
import shlex
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from queue import SimpleQueue
from threading import Thread
from typing import Any

import pytest

from commands import run


@dataclass
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class Client:
    port: int

    def ask(
        self, method: str, path: str, body: bytes | Iterator[bytes] | None = None, headers: dict[str, str] | None = None
    ) -> Answer:
        line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            line.request(method, path, body, headers or {})
            found = line.getresponse()
            return Answer(found.status, {k.lower(): v for k, v in found.getheaders()}, found.read())
        finally:
            line.close()

    def get(self, path: str, **headers: str) -> Answer:
        return self.ask("GET", path, headers={name.replace("_", "-"): value for name, value in headers.items()})

    def post(self, path: str, given: Any, **headers: str) -> Answer:
        usual = {"content-type": "application/json"} | {name.replace("_", "-"): v for name, v in headers.items()}
        return self.ask("POST", path, json.dumps(given).encode(), usual)

    def send(self, name: str, content: bytes) -> Answer:
        return self.ask("POST", "/api/files", content, {"x-file-name": name})

    def result(self, job: str) -> Any:
        found = self.wait(job)
        assert found["state"] == "done", found
        return found["result"]

    def wait(self, job: str) -> Any:
        end = time.monotonic() + 120
        while time.monotonic() < end:
            found = self.get(f"/api/jobs/{job}").json
            if found["state"] in ("done", "failed", "cancelled"):
                return found
            time.sleep(0.05)
        raise AssertionError(found)


@pytest.fixture(scope="session")
def server() -> Iterator[Client]:
    """Less patient than usual, so that slow clients can be tested; small bodies arrive at once."""
    from provend.web import _answers, _serve

    caught: list[_serve.Announced] = []

    class Caught(_serve.Announced):
        def __init__(self, *given: Any) -> None:
            super().__init__(*given)
            caught.append(self)

    ready: SimpleQueue[str] = SimpleQueue()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_serve, "Announced", Caught)
        patch.setattr(_serve, "PATIENCE", 4.0)
        patch.setattr(_answers, "PATIENCE", 4.0)
        thread = Thread(target=_serve.serve, args=(0,), kwargs={"ready": ready.put})
        thread.start()
        try:
            yield Client(int(ready.get(timeout=60).rpartition(":")[2]))
            assert thread.is_alive(), "the server has ended by itself"
        finally:
            caught[0].should_exit = True
            thread.join(60)
    assert not thread.is_alive()


@pytest.fixture
def said_does(tmp_path, monkeypatch, capsys) -> Callable[[Any, list[dict[str, Any]]], None]:
    """Assert that what is said to copy, Python and command, makes this plan; files are in the working directory."""
    monkeypatch.chdir(tmp_path)

    def check(found: Any, plan: list[dict[str, Any]]) -> None:
        with contextlib.redirect_stdout(io.StringIO()):
            names: dict[str, Any] = {}
            exec(found["as_python"], names)
        assert names["plan"].to_pylist() == plan
        assert run(capsys, *shlex.split(found["as_command"])[1:])[0] == 0
        written = (tmp_path / "plan.csv").read_text(encoding="utf-8-sig")
        delimiter = ";" if ";" in written.splitlines()[0] else ","  # as in the history
        for row, wanted in zip(csv.DictReader(io.StringIO(written), delimiter=delimiter), plan, strict=True):
            said = [float(row[name].replace(",", ".")) for name in ("order", "guarantee")]
            assert said == [wanted["order"], wanted["guarantee"]]

    return check
