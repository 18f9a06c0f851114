"""Answers: JSON, and errors as one sentence with the remedy; and requests, read within bounds."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response

from provend.web._worker import TooLongError, WorkError

LONGEST = 600  # characters per sentence
BODY = 2**20  # bytes of JSON
DEEPEST = 8  # levels of nested brackets
PATIENCE = 60.0  # seconds for a body to arrive
FLOOD = 256 * 2**20  # bytes of all bodies arriving at the same time

arriving: dict[object, int] = {}  # bodies on their way, and how much of each has arrived


class Refused(HTTPException):
    """A request that is refused, and why, in a sentence."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(status, sentence)


def refusal(status: int, sentence: str) -> JSONResponse:
    """An error in the form that all answers of this server share."""
    short = sentence if len(sentence) <= LONGEST else f"{sentence[: LONGEST - 3]}..."
    return JSONResponse({"error": short.encode("utf-8", "replace").decode()}, status)


async def refused_work(request: Request, error: Exception) -> Response:
    """What a worker refused, could not finish in time, or failed at."""
    if isinstance(error, TooLongError):
        return refusal(503, str(error))
    return refusal(500 if isinstance(error, WorkError) and error.bug else 400, str(error))


async def body_of(request: Request, most: int, what: str) -> bytes:
    """The body, if it is not too long and does not take forever to arrive."""
    told = request.headers.get("content-length", "0")
    if told.isdigit() and int(told) > most:
        raise Refused(413, f"{what} is larger than {most / 2**20:g} MB; send less")
    parts: list[bytes] = []
    try:
        async with asyncio.timeout(PATIENCE):
            async for part in request.stream():
                parts.append(part)
                arriving[request] = arriving.get(request, 0) + len(part)
                if arriving[request] > most:
                    raise Refused(413, f"{what} is larger than {most / 2**20:g} MB; send less")
                if sum(arriving.values()) > FLOOD:
                    raise Refused(503, f"too much is being sent at once for {what} to be taken; try again in a moment")
    except TimeoutError:
        raise Refused(408, f"{what} did not arrive within {PATIENCE:g} seconds; try again") from None
    except ClientDisconnect:
        raise Refused(400, f"{what} broke off; send it again") from None
    finally:
        arriving.pop(request, None)
    return b"".join(parts)


async def json_of(request: Request, allowed: tuple[str, ...]) -> dict[str, Any]:
    """The names and values in a request: only what is allowed, and no numbers such as NaN."""
    if request.headers.get("content-type", "").split(";")[0].strip().lower() != "application/json":
        raise Refused(415, "the request is not marked as application/json; send JSON")
    body = await body_of(request, BODY, "the request")
    try:
        found = json.loads(body, parse_constant=_no_number)
    except (ValueError, RecursionError):
        raise Refused(400, "the request is not JSON that can be read; send an object such as {}") from None
    if not isinstance(found, dict):
        raise Refused(400, "the request is no JSON object; send one such as {}")
    if _depth(found) > DEEPEST:
        raise Refused(400, "the request has too many brackets within brackets; send a flat object")
    for name in found:
        if name not in allowed:
            raise Refused(400, f"{name[:40]!r} is not known here; an object has {', '.join(allowed)}")
    return found


def _no_number(text: str) -> float:
    raise ValueError(text)


def _depth(value: object) -> int:
    """How deeply brackets are nested, counted level by level, without a recursion that a request could exhaust."""
    level, depth = [value], 0
    while level:
        depth += 1
        inner = (one for one in level if isinstance(one, dict | list))
        level = [child for one in inner for child in (one.values() if isinstance(one, dict) else one)]
        if depth > DEEPEST:
            break
    return depth


def one_of_each(request: Request) -> Mapping[str, str]:
    """The names and values in an address, each name once."""
    pairs = request.query_params.multi_items()
    names = [name for name, _ in pairs]
    for name in names:
        if names.count(name) > 1:
            raise Refused(400, f"{name[:40]!r} is there more than once in the address; give it once")
    return dict(pairs)
