"""``/api/explore``: the JSON twin of the Explore page."""

from __future__ import annotations

from time import monotonic

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from provend.web._answers import Refused, one_of_each
from provend.web._house import house_of
from provend.web._worker import TooLongError

EXPLORE = "provend.web._explore.explore"
QUICK = 0.03  # seconds of work after which a page is shown what is known
LIMIT = 30.0  # seconds for all of it
STEP = 20.0  # seconds that no single part may exceed


async def answer(request: Request) -> Response:
    """What is known of a problem: after a moment's work with ``quick=1``, otherwise when it is complete."""
    query = dict(one_of_each(request))
    quick = query.pop("quick", "0") == "1"
    worker, end = house_of(request).explorer, monotonic() + LIMIT
    while True:
        found = await worker.call(EXPLORE, query, QUICK, seconds=STEP)
        if quick or found["complete"]:
            return JSONResponse(found)
        if monotonic() > end:
            raise TooLongError(f"this takes longer than {LIMIT:g} seconds; ask for fewer samples or policies")
        if await request.is_disconnected():
            raise Refused(400, "nobody waits for the answer any more; ask again")


routes = [Route("/api/explore", answer)]
