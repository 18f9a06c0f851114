"""The application: pages, and the routes under ``/api/``."""

from __future__ import annotations

from pathlib import Path

import plotly
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from provend.web._guards import Guard, refusal

STATIC = Path(__file__).parent / "static"
PLOTLY = Path(plotly.__file__).parent / "package_data" / "plotly.min.js"
PAGES = ("decide", "explore", "backtest", "paper")


def create_app(port: int = 8000) -> Starlette:
    """The web app, to be served at this port of the machine itself."""
    return Starlette(
        routes=[
            Route("/", _home),
            *(Route(f"/{page}", _page) for page in PAGES),
            Route("/static/plotly.min.js", _plotly),
            Mount("/static", StaticFiles(directory=STATIC)),
        ],
        middleware=[Middleware(Guard, port=port)],
        exception_handlers={HTTPException: _http_error, Exception: _bug},
    )


async def _home(request: Request) -> Response:
    return RedirectResponse("/decide")


async def _page(request: Request) -> Response:
    return FileResponse(STATIC / f"{request.url.path.strip('/')}.html")


async def _plotly(request: Request) -> Response:
    return FileResponse(PLOTLY, media_type="text/javascript", headers={"cache-control": "max-age=86400"})


async def _http_error(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    return refusal(status, "there is nothing here; the pages are /decide, /explore, /backtest and /paper")


async def _bug(request: Request, error: Exception) -> Response:
    return refusal(500, "this should not have happened; the server goes on, its terminal shows the details")
