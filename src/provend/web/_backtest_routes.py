"""``/api/backtest``: a backtest, and the orders of one item in it."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from provend.web._answers import Refused, json_of, one_of_each
from provend.web._asked import count, names, number, pair, read_options, text
from provend.web._house import house_of
from provend.web._jobs import Job
from provend.web._wanted import BacktestWanted

NAMES = ("file", "cu", "co", "support", "policies", "test", "refit_every", "options")
BACKTEST, ORDERS = "provend.web._backtest.backtest", "provend.web._backtest.orders_of"
MOST_POLICIES = 12
SELDOM = 10_000  # most rows between two fits
SECONDS = 30.0
TABLES = ("summary", "by_item", "orders")


async def start(request: Request) -> Response:
    """Start a backtest of policies."""
    asked = await json_of(request, NAMES)
    policies = names(asked.get("policies") or [], "policies")
    if len(policies) > MOST_POLICIES:
        raise Refused(400, f"policies: {len(policies)} are too many side by side; choose up to {MOST_POLICIES}")
    options = read_options(asked["options"]) if asked.get("options") is not None else None
    wanted = BacktestWanted(
        house_of(request).files.as_read(asked.get("file"), options),
        number(asked.get("cu"), "cu"),
        number(asked.get("co"), "co"),
        _ends(asked.get("support")),
        policies,
        number(asked.get("test", "0.3"), "test"),
        count(asked.get("refit_every", 28), "refit_every", SELDOM),
    )
    return JSONResponse({"job": house_of(request).jobs.start(wanted, BACKTEST, wanted)}, 202)


async def orders(request: Request) -> Response:
    """Demand and orders of one item."""
    job = _finished(request)
    item = text(one_of_each(request).get("item"), "item")
    return JSONResponse(await house_of(request).reader.call(ORDERS, job.folder, item, seconds=SECONDS))


async def download(request: Request) -> Response:
    """One of the three tables as a file."""
    job = _finished(request)
    which = (await json_of(request, ("which",))).get("which")
    if which not in TABLES:
        raise Refused(400, f"which: choose one of {', '.join(TABLES)}")
    headers = {"content-disposition": f'attachment; filename="{which}.csv"'}
    return Response((job.folder / f"{which}.csv").read_bytes(), media_type="text/csv", headers=headers)


def _finished(request: Request) -> Job:
    job = house_of(request).jobs.find(request.path_params["key"])
    if job.state != "done" or not isinstance(job.about, BacktestWanted):
        raise Refused(404, "there is no backtest under this name; run one first")
    return job


def _ends(value: object) -> tuple[float, float] | None:
    ends = pair(value, "support")
    if ends is None:
        return None
    try:
        return float(ends[0]), float(ends[1])
    except ValueError:
        raise Refused(400, "support: give two numbers, the lowest and the highest, or null") from None


routes = [
    Route("/api/backtest", start, methods=["POST"]),
    Route("/api/backtest/{key}/orders", orders),
    Route("/api/backtest/{key}/download", download, methods=["POST"]),
]
