"""The application: its pages, its routes and its worker processes."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import plotly
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from provend.web._answers import Refused, refusal, refused_work
from provend.web._backtest_routes import routes as backtest_routes
from provend.web._decide_routes import routes as decide_routes
from provend.web._explore_routes import routes as explore_routes
from provend.web._file_routes import routes as file_routes
from provend.web._guards import Guard
from provend.web._house import House
from provend.web._job_routes import routes as job_routes
from provend.web._pages import PAGES, html
from provend.web._paper_routes import routes as paper_routes
from provend.web._worker import WorkError

STATIC = Path(__file__).parent / "static"
PLOTLY = Path(plotly.__file__).parent / "package_data" / "plotly.min.js"
WORDS = {
    404: "there is nothing here; the pages are /decide, /explore, /backtest and /paper",
    405: "this address does not take such requests; use the page that belongs to it",
}


def create_app(port: int = 8000) -> Starlette:
    """The web app, to be served on this port of this machine."""
    house = House()

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        async with house.open():
            yield

    app = Starlette(
        routes=[*_pages(), *explore_routes, *file_routes, *job_routes, *decide_routes, *backtest_routes, *paper_routes],
        middleware=[Middleware(Guard, port=port)],
        exception_handlers={HTTPException: _http_error, WorkError: refused_work, Exception: _bug},
        lifespan=lifespan,
    )
    app.state.house = house
    return app


def _pages() -> list[BaseRoute]:
    return [
        Route("/", _home),
        *(Route(f"/{page}", _page) for page in PAGES),
        Route("/static/plotly.min.js", _plotly),
        Mount("/static", StaticFiles(directory=STATIC)),
    ]


async def _home(request: Request) -> Response:
    return RedirectResponse("/decide")


async def _page(request: Request) -> Response:
    return HTMLResponse(html(request.url.path.strip("/")))


async def _plotly(request: Request) -> Response:
    return FileResponse(PLOTLY, media_type="text/javascript", headers={"cache-control": "max-age=86400"})


async def _http_error(request: Request, error: Exception) -> Response:
    if isinstance(error, Refused):
        return refusal(error.status_code, error.detail)
    status = error.status_code if isinstance(error, HTTPException) else 500
    return refusal(status, WORDS.get(status, "this request cannot be followed; use the pages"))


async def _bug(request: Request, error: Exception) -> Response:
    return refusal(500, "this should not have happened; the server goes on, and its terminal shows the details")
