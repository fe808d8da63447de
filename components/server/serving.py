"""What is put around Streamlit's server: headers, a health check that tells the truth, a way to stop that cuts nobody off."""

from __future__ import annotations

import ast
import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from starlette.middleware import Middleware
from starlette.routing import Route

from components.server import health
from components.server.gc_policy import QUIET, housekeeping
from components.server.headers import Headers
from components.server.health import Truth, answer
from components.server.probe import PATH
from engine.sandbox.runner import refusal, server
from engine.sandbox.settings import settings

PAGE = Path(__file__).resolve().parent.parent.parent / "app.py"
ROUTES = [Route(PATH, answer)]
MIDDLEWARE = [Middleware(Headers), Middleware(Truth)]


@asynccontextmanager
async def life(app: Any) -> AsyncIterator[None]:
    """Serve when everything is there that the first page needs; else the first visitor waits for it, with the turn."""
    await asyncio.gather(asyncio.to_thread(_load), asyncio.to_thread(_start_sandbox))
    cleaning = asyncio.create_task(_tidy_when_quiet())
    try:
        async with health.life(app):
            yield
    finally:
        cleaning.cancel()


async def _tidy_when_quiet() -> None:
    """Let go of what visitors have left behind when nobody waits for a page."""
    while True:
        await asyncio.sleep(QUIET)
        await asyncio.to_thread(housekeeping.tidy_when_quiet)


def _load() -> None:
    """Import what the page imports."""
    for node in ast.parse(PAGE.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            __import__(node.module, fromlist=[each.name for each in node.names])  # modules among them too


def _start_sandbox() -> None:
    """Start this machine's sandbox, if programs run here, and try out what a public installation relies on."""
    if not settings().scheduler:
        server()
        refusal()
