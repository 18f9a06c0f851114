"""``/api/files``: tables that are sent, read and read again differently, and with them tables of the days ahead."""

from __future__ import annotations

from dataclasses import replace

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from provend.web._answers import Refused, body_of, json_of, one_of_each
from provend.web._asked import read_options
from provend.web._files import LARGEST, RESTAURANT, restaurant
from provend.web._house import house_of
from provend.web._wanted import Upload

DESCRIBE = "provend.web._reading.describe"
AHEAD, TO_FILL_IN = "provend.web._ahead.describe", "provend.web._to_fill_in.to_fill_in"
FARTHEST = 366  # dates ahead
MEDIA = {"csv": "text/csv", "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"}
SECONDS = 60.0  # limit for reading a table


async def send(request: Request) -> Response:
    """Keep a table, and say what was understood of it."""
    return await _described(request, *await _kept(request))


async def send_ahead(request: Request) -> Response:
    """Keep a table of the days to decide, and say what it adds to one of past demand."""
    past = house_of(request).files.find(request.path_params["key"])
    return await _described_ahead(request, past, *await _kept(request))


async def read_ahead(request: Request) -> Response:
    """Say the same about a table that was sent before."""
    files, key = house_of(request).files, request.path_params["ahead"]
    options = (await json_of(request, ("options",))).get("options")
    past = files.as_read(request.path_params["key"], None if options is None else read_options(options))
    return await _described_ahead(request, past, key, files.find(key))


async def to_fill_in(request: Request) -> Response:
    """A table of the days ahead with empty contexts."""
    past = house_of(request).files.find(request.path_params["key"])
    days = one_of_each(request).get("days", "7")
    if not (days.isascii() and days.isdigit() and len(days) <= 3 and 1 <= int(days) <= FARTHEST):
        raise Refused(400, f"days: give a whole number from 1 to {FARTHEST}")
    kind, content = await house_of(request).reader.call(TO_FILL_IN, past, int(days), seconds=SECONDS)
    headers = {"content-disposition": f'attachment; filename="ahead.{kind}"'}
    return Response(content, media_type=MEDIA[kind], headers=headers)


async def bring(request: Request) -> Response:
    """Keep the restaurant's data, and say what was understood of it."""
    key, upload = house_of(request).files.keep(RESTAURANT, restaurant())
    return await _described(request, key, upload)


async def read_again(request: Request) -> Response:
    """Read the same bytes with other options."""
    files, key = house_of(request).files, request.path_params["key"]
    upload = files.find(key)
    options = read_options((await json_of(request, ("options",))).get("options"))
    found = await _described(request, key, replace(upload, options=options))
    files.read_as(key, options)  # from now on, since that worked
    return found


async def give_back(request: Request) -> Response:
    """The bytes as they were sent."""
    upload = house_of(request).files.find(request.path_params["key"])
    headers = {"content-disposition": f'attachment; filename="table{upload.path.suffix}"'}
    return Response(upload.path.read_bytes(), media_type="application/octet-stream", headers=headers)


async def _kept(request: Request) -> tuple[str, Upload]:
    name = request.headers.get("x-file-name")
    if not name:
        raise Refused(400, "the request does not name the file; send its name as X-File-Name")
    return house_of(request).files.keep(name, await body_of(request, LARGEST, "the file"))


async def _described_ahead(request: Request, past: Upload, key: str, targets: Upload) -> Response:
    found = await house_of(request).reader.call(AHEAD, past, targets, seconds=SECONDS)
    return JSONResponse({"file": key, **found})


async def _described(request: Request, key: str, upload: Upload) -> Response:
    found = await house_of(request).reader.call(DESCRIBE, upload, seconds=SECONDS)
    return JSONResponse({"file": key, **found})


routes = [
    Route("/api/files", send, methods=["POST"]),
    Route("/api/files/restaurant", bring, methods=["POST"]),
    Route("/api/files/{key}", give_back),
    Route("/api/files/{key}/read", read_again, methods=["POST"]),
    Route("/api/files/{key}/ahead", to_fill_in),
    Route("/api/files/{key}/ahead", send_ahead, methods=["POST"]),
    Route("/api/files/{key}/ahead/{ahead}", read_ahead, methods=["POST"]),
]
