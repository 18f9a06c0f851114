"""What the server holds while it runs: workers, files, jobs, and a private folder that is deleted when it ends."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from starlette.requests import Request

from provend.web._files import Files
from provend.web._jobs import Jobs
from provend.web._worker import Worker

READY = "provend.web._preloaded.ready"
WARM = "provend.web._explore.warm_up"
WARM_UP = 120.0  # seconds: the first time, machine code is compiled


@dataclass
class Paper:
    """The reproduction report: the folder of computed items, its contents, and the job that computes the rest."""

    folder: Path
    contents: dict[str, Any] | None = None
    job: str | None = None


class House:
    """Its ``explorer`` answers while somebody moves a slider, its ``reader`` reads files and looks at single rows."""

    def __init__(self) -> None:
        self.explorer, self.reader = Worker(), Worker()
        self.files, self.jobs = Files(Path()), Jobs(Path())
        self.paper = Paper(Path())

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """Keep house from the first request to the last."""
        with TemporaryDirectory(prefix="provend-web-") as folder:  # which nobody else can read
            self.files, self.jobs = Files(Path(folder)), Jobs(Path(folder))
            self.paper = Paper(Path(folder) / "paper")
            self.paper.folder.mkdir()
            warming = asyncio.create_task(self._warm_up())
            try:
                yield
            finally:
                warming.cancel()
                await asyncio.wait([warming])
                await self.jobs.close()
                self.explorer.stop()
                self.reader.stop()

    async def _warm_up(self) -> None:
        """Warm up both workers at once; whoever asks first is told if something goes wrong now."""
        ready = self.reader.call(READY, seconds=WARM_UP), self.explorer.call(WARM, seconds=WARM_UP)
        await asyncio.gather(*ready, return_exceptions=True)


def house_of(request: Request) -> House:
    """The house of the server that received the request."""
    house: House = request.app.state.house
    return house
