"""``provend serve``: where it listens, and how it ends."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
from urllib.request import urlopen

import pytest

from commands import run

COMMAND = [sys.executable, "-c", "from provend.cli import main; main()", "serve", "--no-browser", "--port"]


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as line:
        return int(line.getsockname()[1])


@pytest.mark.skipif(sys.platform == "win32", reason="interrupts are sent otherwise there")
def test_it_says_where_it_is_answers_and_ends_well_when_interrupted() -> None:
    port = free_port()
    with subprocess.Popen([*COMMAND, str(port)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            said = process.stdout.readline()
            assert f"http://127.0.0.1:{port}" in said
            with urlopen(f"http://127.0.0.1:{port}/", timeout=30) as page:
                assert page.url.endswith("/decide")
            process.send_signal(signal.SIGINT)
            _, complaints = process.communicate(timeout=60)
        finally:
            process.kill()
    assert process.returncode == 0
    assert "Traceback" not in complaints


def test_a_port_that_is_taken_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as line:
        code, _, said = run(capsys, "serve", "--no-browser", "--port", str(line.getsockname()[1]))
    assert code == 2
    assert "choose another port" in said
    assert run(capsys, "serve", "--port", "0")[0] == 2
