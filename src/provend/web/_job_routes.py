"""``/api/jobs``: the progress of long work, and a way to stop it."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from provend.web._house import house_of


async def look(request: Request) -> Response:
    """How far a job has got, or what came of it."""
    return JSONResponse(house_of(request).jobs.find(request.path_params["key"]).facts())


async def cancel(request: Request) -> Response:
    """Stop a job at once."""
    return JSONResponse((await house_of(request).jobs.cancel(request.path_params["key"])).facts())


routes = [Route("/api/jobs/{key}", look), Route("/api/jobs/{key}", cancel, methods=["DELETE"])]
