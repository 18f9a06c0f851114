"""What runs in a worker process: one call after another, within a memory limit, until the server ends."""

from __future__ import annotations

import os
import signal
import sys
import traceback
import warnings
from collections.abc import Callable
from importlib import import_module
from multiprocessing import parent_process
from multiprocessing.connection import Connection
from threading import Thread
from typing import Any, Literal

from provend._errors import InputError

Progress = Callable[[float | None, str], None]
Work = str  # where to find a function(*given, progress) with a picklable result; the server itself does not import it
Kind = Literal["progress", "done", "refused", "failed"]

OUT_OF_MEMORY = "this takes more memory than a request may have; give fewer rows, items or samples"
FAILED = "this should not have happened; the server goes on, and its terminal shows the details"


def run(connection: Connection, memory: int) -> None:
    """Answer calls from the other end until it is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupt is for the server, which then ends this process
    _bound_memory(memory)
    Thread(target=_end_with_parent, daemon=True).start()
    warnings.simplefilter("ignore")  # what they say about a user's table is in the answers
    while True:
        try:
            work, given = connection.recv()
        except EOFError:
            return
        connection.send(_answer(work, given, lambda share, words: connection.send(("progress", (share, words)))))


def _answer(work: Work, given: tuple[Any, ...], progress: Progress) -> tuple[Kind, Any]:
    """What came of the work; only the user's own mistakes are reported in the work's own words."""
    try:
        module, _, name = work.rpartition(".")
        return "done", getattr(import_module(module), name)(*given, progress)
    except InputError as error:
        return "refused", " ".join(str(error).split())
    except MemoryError:
        return "refused", OUT_OF_MEMORY
    except Exception as error:
        if "memory" in str(error).lower():  # from DuckDB and Arrow, each in its own words
            return "refused", OUT_OF_MEMORY
        print(traceback.format_exc(), file=sys.stderr, flush=True)
        return "failed", FAILED


def _bound_memory(memory: int) -> None:
    """Make allocations beyond the limit fail here rather than freeze the machine; not every system supports this."""
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
    except (ImportError, AttributeError, ValueError, OSError):
        return


def _end_with_parent() -> None:
    """Watch the server, and end with it: a server that is killed cannot tell its workers to stop."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
