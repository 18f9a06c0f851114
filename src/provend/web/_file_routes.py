"""``/api/files``: tables are sent, read, and read again in another way."""

from __future__ import annotations

from dataclasses import replace

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from provend.web._answers import Refused, body_of, json_of
from provend.web._asked import read_options
from provend.web._files import LARGEST, RESTAURANT, restaurant
from provend.web._house import house_of
from provend.web._wanted import Upload

DESCRIBE = "provend.web._reading.describe"
SECONDS = 60.0  # to read a table


async def send(request: Request) -> Response:
    """Keep a table, and say what was understood of it."""
    name = request.headers.get("x-file-name")
    if not name:
        raise Refused(400, "the request does not name the file; send its name as X-File-Name")
    key, upload = house_of(request).files.keep(name, await body_of(request, LARGEST, "the file"))
    return await _described(request, key, upload)


async def bring(request: Request) -> Response:
    """The same for the restaurant's data."""
    key, upload = house_of(request).files.keep(RESTAURANT, restaurant())
    return await _described(request, key, upload)


async def read_again(request: Request) -> Response:
    """The same bytes under other options."""
    files, key = house_of(request).files, request.path_params["key"]
    upload = files.find(key)
    options = read_options((await json_of(request, ("options",))).get("options"))
    found = await _described(request, key, replace(upload, options=options))
    files.read_as(key, options)  # from now on, as it could be read so
    return found


async def give_back(request: Request) -> Response:
    """The bytes as they were sent."""
    upload = house_of(request).files.find(request.path_params["key"])
    headers = {"content-disposition": f'attachment; filename="table{upload.path.suffix}"'}
    return Response(upload.path.read_bytes(), media_type="application/octet-stream", headers=headers)


async def _described(request: Request, key: str, upload: Upload) -> Response:
    found = await house_of(request).reader.call(DESCRIBE, upload, seconds=SECONDS)
    return JSONResponse({"file": key, **found})


routes = [
    Route("/api/files", send, methods=["POST"]),
    Route("/api/files/restaurant", bring, methods=["POST"]),
    Route("/api/files/{key}", give_back),
    Route("/api/files/{key}/read", read_again, methods=["POST"]),
]
