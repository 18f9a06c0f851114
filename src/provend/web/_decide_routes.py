"""``/api/decide``: orders, single orders explained, and all of them as a file."""

from __future__ import annotations

from math import isfinite
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from provend.web._answers import Refused, json_of
from provend.web._asked import count, flag, number, pair, read_options, text
from provend.web._house import house_of
from provend.web._jobs import Job
from provend.web._wanted import Override, Wanted

SUPPLY = ("pack", "minimum", "stock", "on_order", "lead_time", "review")
NAMES = (
    "file", "cu", "co", "support", "horizon", "model", "policy", "dissimilarity", "targets", "new_items", "options",
    *SUPPLY,
)  # fmt: skip
USUAL = {"new_items": False, "horizon": 1, "model": "auto", "policy": "minimax", "dissimilarity": "auto"}
DECIDE = "provend.web._decide.decide"
DETAIL, WHAT_IF = "provend.web._detail.detail", "provend.web._what_if.what_if"
AS_FILE = "provend.web._download.as_file"
MOST_OVERRIDES = 20_000
FARTHEST = 366  # dates ahead
SECONDS = 60.0  # limit for one row, or a file
MEDIA = {"csv": "text/csv", "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"}
LONGEST_REASON = 500


async def start(request: Request) -> Response:
    """Start deciding orders."""
    said = await json_of(request, NAMES)
    asked = USUAL | {name: value for name, value in said.items() if value is not None}
    options = read_options(asked["options"]) if "options" in asked else None
    upload = house_of(request).files.as_read(asked.get("file"), options)
    wanted = Wanted(
        upload,
        number(asked.get("cu"), "cu"),
        number(asked.get("co"), "co"),
        pair(asked.get("support"), "support"),
        count(asked["horizon"], "horizon", FARTHEST),
        text(asked["model"], "model"),
        text(asked["policy"], "policy"),
        _number_or_name(asked["dissimilarity"]),
        None if "targets" not in asked else house_of(request).files.find(asked["targets"]),
        flag(asked["new_items"], "new_items"),
        (*((name, number(asked[name], name)) for name in SUPPLY if name in asked), *upload.options.seen.items()),
    )
    return JSONResponse({"job": house_of(request).jobs.start(wanted, DECIDE, wanted)}, 202)


async def row(request: Request) -> Response:
    """What one order was based on."""
    job = _plan(request)
    place = _place((await json_of(request, ("row",))).get("row"))
    return await _from_reader(request, DETAIL, job, place)


async def another(request: Request) -> Response:
    """What another quantity would guarantee."""
    job = _plan(request)
    asked = await json_of(request, ("row", "quantity"))
    return await _from_reader(request, WHAT_IF, job, _place(asked.get("row")), _quantity(asked.get("quantity")))


async def download(request: Request) -> Response:
    """The plan as a file, with its owner's own decisions."""
    job = _plan(request)
    asked = await json_of(request, ("format", "overrides"))
    kind, overrides = asked.get("format", "csv"), asked.get("overrides", [])
    if not isinstance(kind, str) or kind not in MEDIA:
        raise Refused(400, f"format: choose one of {', '.join(MEDIA)}")
    if not isinstance(overrides, list) or len(overrides) > MOST_OVERRIDES:
        raise Refused(400, f"overrides: give a list of up to {MOST_OVERRIDES:,}")
    given = tuple(_override(one) for one in overrides)
    content = await house_of(request).reader.call(AS_FILE, job.about, job.folder, kind, given, seconds=SECONDS)
    headers = {"content-disposition": f'attachment; filename="plan.{kind}"'}
    return Response(content, media_type=MEDIA[kind], headers=headers)


def _plan(request: Request) -> Job:
    job = house_of(request).jobs.find(request.path_params["key"])
    if job.state != "done" or not isinstance(job.about, Wanted):
        raise Refused(404, "there is no plan under this name; decide first")
    return job


async def _from_reader(request: Request, work: str, job: Job, *given: Any) -> Response:
    found = await house_of(request).reader.call(work, job.about, job.folder, *given, seconds=SECONDS)
    return JSONResponse(found)


def _override(given: object) -> Override:
    if not isinstance(given, dict) or not given.keys() <= {"row", "quantity", "reason"}:
        raise Refused(400, "overrides: give objects with row, quantity and reason")
    reason = given.get("reason") or ""
    if not isinstance(reason, str) or len(reason) > LONGEST_REASON:
        raise Refused(400, f"reason: give a text of up to {LONGEST_REASON} characters")
    return Override(_place(given.get("row")), _quantity(given.get("quantity")), reason)


def _place(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 10**9:
        raise Refused(400, "row: give the number of a row of the plan")
    return value


def _quantity(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1e100:
        raise Refused(400, "quantity: give a number of at least 0")
    return float(value)


def _number_or_name(value: object) -> str | float:
    """One dissimilarity for all, or how to learn it."""
    if isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value):
        return float(value)
    said = text(value, "dissimilarity")
    try:
        return float(said)
    except ValueError:
        return said


routes = [
    Route("/api/decide", start, methods=["POST"]),
    Route("/api/decide/{key}/row", row, methods=["POST"]),
    Route("/api/decide/{key}/what-if", another, methods=["POST"]),
    Route("/api/decide/{key}/download", download, methods=["POST"]),
]
