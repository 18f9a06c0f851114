"""Listen on this machine until interrupted."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from provend._errors import InputError
from provend.web._app import create_app

HOST = "127.0.0.1"
PATIENCE = 20.0  # seconds for the head of a request to arrive, and for a connection to be used again
MOST_CONNECTIONS = 500
PARTING = 2  # seconds left to answers under way when the server is to end


def serve(port: int = 8000, *, ready: Callable[[str], object] = lambda address: None) -> None:
    """Serve the web app on this machine alone, until interrupted.

    Parameters
    ----------
    port : int
        Where to listen; 0 for any free port.
    ready : callable
        Called once, with the address, as soon as the server answers.
    """
    with _listening(port) as line:
        at = line.getsockname()[1]
        config = uvicorn.Config(
            create_app(at),
            http=Patient,
            ws="none",
            lifespan="on",
            log_level="warning",
            access_log=False,
            server_header=False,
            timeout_keep_alive=int(PATIENCE),
            timeout_graceful_shutdown=PARTING,
            limit_concurrency=MOST_CONNECTIONS,
        )
        Announced(config, lambda: ready(f"http://{HOST}:{at}")).run(sockets=[line])


def _listening(port: int) -> socket.socket:
    try:
        return socket.create_server((HOST, port))
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"port = {port}: {reason}; choose another port") from None


class Announced(uvicorn.Server):
    """A server that says when it answers."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], object]) -> None:
        super().__init__(config)
        self.ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Open the doors, and say so."""
        await super().startup(sockets)
        if not self.should_exit:
            self.ready()


class Patient(H11Protocol):
    """Close connections on which the head of a request does not arrive in time: they take up everybody's room."""

    waited: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Expect something to arrive from now on."""
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        """End the wait on a complete request; part of one does not end it."""
        super().data_received(data)
        if self.cycle is not None and not self.cycle.response_complete:
            self._stop_waiting()

    def on_response_complete(self) -> None:
        """Give the next request as long again."""
        super().on_response_complete()
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Expect nothing more."""
        self._stop_waiting()
        super().connection_lost(exc)

    def _wait(self) -> None:
        self._stop_waiting()
        self.waited = self.loop.call_later(PATIENCE, self._give_up)

    def _stop_waiting(self) -> None:
        if self.waited is not None:
            self.waited.cancel()
            self.waited = None

    def _give_up(self) -> None:
        if self.cycle is None or self.cycle.response_complete:
            self.transport.close()
