"""``/api/paper``: what has been computed of the report, item by item, and a way to start the rest."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Route

from provend.web._answers import Refused, json_of
from provend.web._house import House, house_of

CONTENTS, COMPUTE = "provend.web._paper.contents", "provend.web._paper.compute"
SECONDS = 60.0


async def look(request: Request) -> Response:
    """The contents, which items are computed, and the job that computes the others."""
    house = house_of(request)
    found = await _contents(house)
    done = {file.stem for file in house.paper.folder.glob("*.json")}
    sections = [
        {**section, "items": [{**one, "done": one["name"] in done} for one in section["items"]]}
        for section in found["sections"]
    ]
    complete = all(one["done"] for section in sections for one in section["items"])
    job = None if house.paper.job is None else house.jobs.known.get(house.paper.job)
    state = {"at_work": job is not None and not job.over, "error": None if job is None else job.error}
    return JSONResponse({**found, "sections": sections, "complete": complete, "job": house.paper.job, **state})


async def item(request: Request) -> Response:
    """One item, if it has been computed."""
    house, name = house_of(request), request.path_params["name"]
    if name not in _names(await _contents(house)):
        raise Refused(404, "there is no such item; /api/paper lists them")
    file = house.paper.folder / f"{name}.json"
    if not file.exists():
        raise Refused(404, f"{name} is not computed yet; start it, or wait")
    return FileResponse(file, media_type="application/json")


async def start(request: Request) -> Response:
    """Have everything still missing computed; if a job is already at it, that job is the answer."""
    await json_of(request, ())
    house = house_of(request)
    running = None if house.paper.job is None else house.jobs.known.get(house.paper.job)
    if running is None or running.state in ("failed", "cancelled"):
        house.paper.job = house.jobs.start("paper", COMPUTE, house.paper.folder)
    return JSONResponse({"job": house.paper.job}, 202)


async def _contents(house: House) -> dict[str, Any]:
    if house.paper.contents is None:
        house.paper.contents = await house.reader.call(CONTENTS, seconds=SECONDS)
    return house.paper.contents


def _names(contents: dict[str, Any]) -> set[str]:
    return {one["name"] for section in contents["sections"] for one in section["items"]}


routes = [
    Route("/api/paper", look),
    Route("/api/paper", start, methods=["POST"]),
    Route("/api/paper/{name}", item),
]
