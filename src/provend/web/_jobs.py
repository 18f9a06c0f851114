"""Long work: a job has a process of its own, reports its progress, and can be cancelled."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from pathlib import Path
from secrets import token_urlsafe
from shutil import rmtree
from typing import Any, Literal

from provend.web._answers import Refused
from provend.web._child import Work
from provend.web._worker import Worker, WorkError

State = Literal["waiting", "running", "done", "failed", "cancelled"]

AT_ONCE = 2  # jobs that run while others wait
MOST_WAITING = 20
KEPT = 40  # finished jobs that are remembered
SECONDS = 900.0  # limit for a job


@dataclass(eq=False)
class Job:
    """Some work, and what became of it."""

    folder: Path
    about: Any  # what was asked for, for follow-up questions
    state: State = "waiting"
    progress: float | None = None
    message: str = "waiting for its turn"
    result: Any = None
    error: str | None = None
    task: asyncio.Task[None] | None = field(default=None, repr=False)

    @property
    def over(self) -> bool:
        """Whether nothing more will come of it."""
        return self.state in ("done", "failed", "cancelled")

    def facts(self) -> dict[str, Any]:
        """What whoever waits for the job is told."""
        return {name: getattr(self, name) for name in ("state", "progress", "message", "result", "error")}


class Jobs:
    """All jobs by their ids, each with a folder for what it leaves behind."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.known: dict[str, Job] = {}
        self._places = asyncio.Semaphore(AT_ONCE)

    def start(self, about: Any, work: Work, *given: Any) -> str:
        """Have ``work(*given, folder, progress)`` done, and return the id of the job."""
        if sum(not job.over for job in self.known.values()) >= MOST_WAITING:
            raise Refused(503, f"{MOST_WAITING} jobs are waiting already; cancel some, or try again later")
        self._forget()
        key = token_urlsafe(16)
        folder = self.folder / f"job-{key}"
        folder.mkdir()
        job = self.known[key] = Job(folder, about)
        job.task = asyncio.create_task(self._done(job, work, (*given, folder)))
        return key

    def find(self, key: object) -> Job:
        """The job with this id."""
        if not isinstance(key, str) or key not in self.known:
            raise Refused(404, "this job is not known any more; start it again")
        return self.known[key]

    async def cancel(self, key: str) -> Job:
        """Stop a job, and whatever it is doing, at once."""
        job = self.find(key)
        if job.task is not None and not job.over:
            job.task.cancel()
            await asyncio.wait([job.task])
            job.state, job.message = "cancelled", "cancelled"  # even if it had not begun
        return job

    async def close(self) -> None:
        """Stop all jobs."""
        for key in list(self.known):
            await self.cancel(key)

    async def _done(self, job: Job, work: Work, given: tuple[Any, ...]) -> None:
        worker = Worker()

        def progress(share: float | None, words: str) -> None:
            job.progress, job.message = share, words

        try:
            async with self._places:
                job.state, job.message = "running", "starting"
                job.result = await worker.call(work, *given, seconds=SECONDS, progress=progress)
            job.state, job.progress, job.message = "done", 1.0, "done"
        except WorkError as error:
            job.state, job.error, job.message = "failed", str(error), "failed"
        finally:
            worker.stop()

    def _forget(self) -> None:
        over = [key for key, job in self.known.items() if job.over]
        for key in over[: max(len(over) - KEPT + 1, 0)]:
            rmtree(self.known.pop(key).folder, ignore_errors=True)
