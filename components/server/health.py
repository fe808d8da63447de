"""How the page's process is: for probes, for a service manager, and while it is being stopped."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
from collections.abc import AsyncIterator, Mapping
from typing import TYPE_CHECKING, Any

from components.server.render_lock import a_turn_is_free
from components.server.watch import watch
from engine.sandbox.settings import settings

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.types import ASGIApp, Receive, Scope, Send

WELL, LEAVING, UNWELL = 200, 404, 503
"""A proxy takes 404 for: no new visitors, please (HAProxy's `disable-on-404`)."""
LOOK = 0.5
"""Seconds between looks at whether everybody has left."""

_leaving = False


def condition() -> tuple[int, str]:
    """How this process is, as an HTTP status and a sentence."""
    if seconds := watch.stuck(a_turn_is_free()):
        return UNWELL, f"No page could be drawn for {seconds:.0f} s."
    if _leaving:
        return LEAVING, "Going: whoever is here is served, new visitors should go elsewhere."
    return WELL, "Pages are drawn."


async def answer(_request: Request | None) -> Response:
    """Tell a probe how this process is; in the server's own thread, so that no answer comes when that is stuck."""
    from starlette.responses import PlainTextResponse

    status, words = condition()
    return PlainTextResponse(words + "\n", status, {"Cache-Control": "no-store"})


class Truth:
    """Has Streamlit's own health check fail too while no page could be drawn (ASGI middleware).

    Browsers ask it before they connect, and so do probes that know Streamlit only.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"].endswith("/_stcore/health") and condition()[0] == UNWELL:
            await (await answer(None))(scope, receive, send)
        else:
            await self.app(scope, receive, send)


@contextlib.asynccontextmanager
async def life(_app: Any) -> AsyncIterator[None]:
    """While the server runs: the service manager hears that it is well, and being told to stop it lets its visitors finish."""
    notify("READY=1")
    tasks = [asyncio.create_task(_keep_telling(os.environ))]
    _let_visitors_finish(tasks)
    try:
        yield
    finally:
        notify("STOPPING=1")
        for task in tasks:
            task.cancel()


async def _keep_telling(environment: Mapping[str, str]) -> None:
    """Tell systemd's watchdog, if there is one, as long as all is well; a process that says nothing is started anew."""
    every = int(environment.get("WATCHDOG_USEC", 0)) / 1e6 / 4
    while every:
        if condition()[0] != UNWELL:
            notify("WATCHDOG=1")
        await asyncio.sleep(every)


def notify(state: str) -> None:
    """Tell systemd, if it has started this process (`sd_notify`)."""
    address = os.environ.get("NOTIFY_SOCKET", "")
    if address:
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as service:
            service.sendto(state.encode(), "\0" + address[1:] if address.startswith("@") else address)


def _let_visitors_finish(tasks: list[asyncio.Task[None]]) -> None:
    """On the first SIGTERM go on until no visitor is left or the time is over; on the second one stop at once."""
    if not settings().drain:
        return
    stop = signal.getsignal(signal.SIGTERM)
    loop = asyncio.get_running_loop()

    def told(number: int, frame: Any) -> None:
        global _leaving
        if _leaving:
            stop(number, frame)  # type: ignore[operator, misc]
            return
        _leaving = True
        loop.call_soon_threadsafe(lambda: tasks.append(asyncio.create_task(_leave(number))))

    signal.signal(signal.SIGTERM, told)


async def _leave(number: int) -> None:
    """Wait for the last visitor, then stop."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(settings().drain):
            await asyncio.sleep(2 * LOOK)  # a proxy has to hear of it first
            while _visited():
                await asyncio.sleep(LOOK)
    os.kill(os.getpid(), number)


def _visited() -> bool:
    """Whether any visitor has the page open."""
    from streamlit.runtime import RuntimeState, get_instance

    return get_instance().state == RuntimeState.ONE_OR_MORE_SESSIONS_CONNECTED
