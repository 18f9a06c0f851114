"""Listen on this machine until interrupted."""

from __future__ import annotations

import uvicorn

from provend.web._app import create_app

HOST = "127.0.0.1"


def serve(port: int = 8000, *, browser: bool = True) -> None:
    """Serve the web app at ``http://127.0.0.1:PORT`` until interrupted."""
    uvicorn.run(create_app(port), host=HOST, port=port, log_level="warning", server_header=False)
