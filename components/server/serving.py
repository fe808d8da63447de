"""What is put around Streamlit's server: headers, a health check that tells the truth, a way to stop that cuts nobody off."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from starlette.middleware import Middleware
from starlette.routing import Route
from streamlit.runtime import get_instance

from components.commands import OPEN
from components.server import first_files, health, styles, windows
from components.server.admission import Admission
from components.server.batches import hand_over_together
from components.server.component_state import hand_out_plain_state
from components.server.document import Document
from components.server.ended_runs import let_go_of_ended_runs
from components.server.first_files import FirstFiles
from components.server.gc_policy import QUIET, housekeeping
from components.server.headers import Headers
from components.server.health import Truth, answer
from components.server.probe import PATH
from components.server.puts import show_what_was_put
from components.server.requests import hear_every_click
from components.server.sent_together import send_together
from components.server.theme_told import remember_theme
from components.server.unsent import drop_whole_parts
from engine.sandbox.calls import get_ready
from engine.sandbox.runner import refusal, server
from engine.sandbox.settings import settings

ROUTES = [Route(PATH, answer), Route(windows.PATH, windows.answer)]
MIDDLEWARE = [Middleware(Admission), Middleware(Headers), Middleware(FirstFiles), Middleware(Document), Middleware(Truth)]


@asynccontextmanager
async def life(app: Any) -> AsyncIterator[None]:
    """Serve when everything is there that the first page needs; else the first visitor waits for it, with the turn."""
    await asyncio.gather(*(asyncio.to_thread(each) for each in (_start_sandbox, first_files.files)))
    styles.in_document = True
    remember_theme()
    hear_every_click()
    drop_whole_parts()
    show_what_was_put()
    hand_out_plain_state()
    hand_over_together()
    send_together()
    let_go_of_ended_runs()
    await _prepare()
    housekeeping.begin()
    cleaning = asyncio.create_task(_tidy_when_quiet())
    try:
        async with health.life(app):
            yield
    finally:
        cleaning.cancel()


async def _prepare() -> None:
    """Draw the page for nobody: what is worked out once for all visitors is there when the first one comes (0.4 s).

    A file that the page was started with is opened for its visitor alone. In public, the process for large recordings starts
    now: else it takes seconds of a slot when the first one comes, and of the slot of everybody who needs it meanwhile.
    """
    if OPEN not in os.environ:
        await get_instance().does_script_run_without_error()
    if settings().hosted:
        get_ready()


async def _tidy_when_quiet() -> None:
    """Let go of what visitors have left behind when nobody waits for a page."""
    while True:
        await asyncio.sleep(QUIET)
        await asyncio.to_thread(housekeeping.tidy_when_quiet)


def _start_sandbox() -> None:
    """Start this machine's sandbox, if programs run here, and try out what a public installation relies on."""
    if not settings().scheduler:
        server()
        refusal()
