"""A process that works for the server: one call at a time, bounded in time and memory, and killed if need be."""

from __future__ import annotations

import asyncio
import multiprocessing
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from threading import Lock
from typing import Any

from provend.web._child import OUT_OF_MEMORY, Progress, Work, run

MEMORY = 4 * 2**30  # bytes that one process may allocate
# Forked, where the system can, from a process that has all modules and nothing else: ready in milliseconds.
forks = "forkserver" in multiprocessing.get_all_start_methods()
context = multiprocessing.get_context("forkserver") if forks else multiprocessing.get_context("spawn")
PRELOADED = ["provend.web._preloaded"]


class WorkError(Exception):
    """Work that came to nothing, and why, in a sentence; with ``bug``, the request was not at fault."""

    def __init__(self, sentence: str, *, bug: bool = False) -> None:
        super().__init__(sentence)
        self.bug = bug


class TooLongError(WorkError):
    """Work that was stopped at its time limit."""


class EndedError(WorkError):
    """Work whose process ended in the middle of it, usually for lack of memory."""


@dataclass(frozen=True)
class _Process:
    """A process and this end of the connection to it, which is closed when nobody holds it any longer."""

    process: BaseProcess
    line: Connection

    @classmethod
    def started(cls, memory: int) -> _Process:
        context.set_forkserver_preload(PRELOADED)
        line, theirs = context.Pipe()
        process = context.Process(target=run, args=(theirs, memory), name="provend worker", daemon=True)
        process.start()
        theirs.close()
        return cls(process, line)

    def end(self) -> None:
        """End it at once, whatever it is doing."""
        self.process.kill()
        self.process.join()

    def exchange(self, work: Work, given: tuple[Any, ...], progress: Progress | None) -> Any:
        """Send a call and wait for what comes of it; this blocks, and ends when the process does."""
        try:
            self.line.send((work, given))
            while (received := self.line.recv())[0] == "progress":
                if progress is not None:
                    progress(*received[1])
        except (EOFError, OSError):
            raise EndedError(OUT_OF_MEMORY) from None
        kind, content = received
        if kind == "done":
            return content
        raise WorkError(content, bug=kind == "failed")


class Worker:
    """One process, started when first needed, and again after it had to be killed."""

    def __init__(self, memory: int = MEMORY) -> None:
        self.memory = memory
        self.turn = asyncio.Lock()
        self._running: _Process | None = None
        self._ends, self._changing = 0, Lock()  # how often it was stopped; a process may have been starting at the time

    async def call(self, work: Work, *given: Any, seconds: float, progress: Progress | None = None) -> Any:
        """The result of ``work(*given, progress)``, by the full name of the function; one call at a time."""
        async with self.turn:
            try:
                async with asyncio.timeout(seconds):
                    running = await asyncio.to_thread(self._ready, self._ends)
                    return await asyncio.to_thread(running.exchange, work, given, progress)
            except TimeoutError:
                self.stop()
                limit = f"this takes longer than the {seconds:g} seconds a request may take"
                raise TooLongError(f"{limit}; give it less to do") from None
            except (asyncio.CancelledError, EndedError):
                self.stop()  # nobody must ask it again, even if it does not look dead yet
                raise

    def _ready(self, ends: int) -> _Process:
        running = self._running
        if running is not None and running.process.is_alive():
            return running
        running = _Process.started(self.memory)
        with self._changing:
            if self._ends == ends:
                self._running = running
                return running
        running.end()
        raise WorkError("this was stopped; start it again")

    def stop(self) -> None:
        """End the process at once, whatever it is doing."""
        with self._changing:
            running, self._running = self._running, None
            self._ends += 1
        if running is not None:
            running.end()
