"""Who may ask: pages of this server, in a browser on this machine; and what every answer says about itself."""

from __future__ import annotations

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from provend.web._answers import refusal

NAMES = ("127.0.0.1", "localhost", "[::1]")
SAFE_METHODS = ("GET", "HEAD")
# plotly.js writes a style sheet of its own; scripts come only from this server's files.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
    "font-src 'self'; connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
)
SAID = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "x-frame-options": "DENY",
}


class Guard:
    """Refuse what no page of this server would ask for, before anything is read.

    A site elsewhere can make a browser send requests here: under its own name (the Host header then shows it, even if
    that name was made to point to this machine), or under ours (Origin or Sec-Fetch-Site then shows it).
    """

    def __init__(self, app: ASGIApp, port: int) -> None:
        self.app = app
        self.hosts = {f"{name}:{port}" for name in NAMES} | (set(NAMES) if port == 80 else set())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer it here."""
        if scope["type"] != "http":  # no websockets; the lifespan is ours
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return

        async def saying(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in SAID.items():
                    headers[name] = value
                if "cache-control" not in headers:
                    headers["cache-control"] = "no-store" if scope["path"].startswith("/api/") else "no-cache"
            await send(message)

        refused = self._refusal(scope)
        await (self.app if refused is None else refused)(scope, receive, saying)

    def _refusal(self, scope: Scope) -> JSONResponse | None:
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if headers.getlist("host") != [host] or host not in self.hosts:
            return refusal(421, "this server answers to its own address alone; open the one that it printed")
        api = scope["path"].startswith("/api/")
        if headers.get("sec-fetch-site", "none") not in ("none", "same-origin") and (api or not _reads(scope)):
            return refusal(403, "another site asked for this; open the page itself")
        if not _reads(scope) and headers.get("origin", f"http://{host}") != f"http://{host}":
            return refusal(403, "another site asked for this; open the page itself")
        return None


def _reads(scope: Scope) -> bool:
    return scope["method"] in SAFE_METHODS
