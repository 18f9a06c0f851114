"""Work for the web app's workers to be tried on."""

from __future__ import annotations

import os
import signal
import time


def sleep(seconds: float, progress) -> None:
    progress(0.5, "half asleep")
    time.sleep(seconds)


def process(progress) -> int:
    return os.getpid()


def allocate(size: int, progress) -> int:
    return len(bytearray(size))


def crash(progress) -> None:
    os.kill(os.getpid(), signal.SIGSEGV)


def fail(progress) -> None:
    raise RuntimeError("a secret of the house")


def job(seconds: float, folder, progress) -> str:
    (folder / "left").write_text("behind")
    sleep(seconds, progress)
    return "well done"
