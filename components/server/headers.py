"""What every answer of the page's server says to browsers, and which of Streamlit's paths are closed.

The policy is the smallest with which the page works; `tests/browser` fails on anything that it forbids and the page does.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

import streamlit

from engine.sandbox.settings import SettingsError, settings

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

CLOSED = re.compile(r".*/(_stcore/(metrics|script-health-check|agent(/.*)?)|auth/.*|oauth2callback)/?")
"""Streamlit's figures of the process, its run of the page on request, its interface for programs, and its accounts: visitors
of the page need none of them."""
NO_SITE = "'none'"
SITE = re.compile(r"(https?://)?(\*\.)?[\w-]+(\.[\w-]+)*(:(\d+|\*))?|\*")
"""A source of a content security policy: a host, with or without scheme, wildcard and port, or everything."""


def policy(embed: str = "") -> str:
    """The content security policy, for a page that the sites in `embed` may show in a frame.

    Raises:
        SettingsError: for what is no site.
    """
    for site in embed.split():
        if not SITE.fullmatch(site):
            raise SettingsError(f"GRADTAPE_EMBED lists sites such as https://course.example, not {site!r}")
    return "; ".join(
        (
            "default-src 'none'",
            # Streamlit's bundle, the one script in its index.html, and the small components of ours that it loads from memory.
            f"script-src 'self' blob: {' '.join(_inline_scripts())}",
            # Streamlit's styles are made by script; ours and those of graphs come with the page's elements.
            "style-src 'self' 'unsafe-inline'",
            # Streamlit's own fonts, and those for mathematics, which stand in its style sheet.
            "font-src 'self' data:",
            # The page's icon, and small pictures in style sheets.
            "img-src 'self' data:",
            # The page's stream, uploads and downloads.
            "connect-src 'self'",
            "base-uri 'none'",
            "form-action 'none'",
            f"frame-ancestors {embed or NO_SITE}",
        )
    )


def _inline_scripts() -> Iterable[str]:
    """Hashes of the scripts that stand in Streamlit's own page."""
    page = (Path(streamlit.__file__).parent / "static" / "index.html").read_text(encoding="utf-8")
    for script in re.findall(r"<script>(.*?)</script>", page, re.DOTALL):
        yield f"'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'"


class Headers:
    """Adds the headers to every answer, and closes the addresses that no visitor needs (ASGI middleware)."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self.headers = [
            (b"content-security-policy", policy(settings().embed).encode()),
            (b"x-content-type-options", b"nosniff"),
            # Links hold programs: the sites they lead to must not learn of them.
            (b"referrer-policy", b"same-origin"),
        ]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                ours = {name for name, _ in self.headers}
                message["headers"] = [*(each for each in message["headers"] if each[0].lower() not in ours), *self.headers]
            await send(message)

        if scope["type"] != "http":
            await self.app(scope, receive, send)
        elif CLOSED.fullmatch(scope["path"]):
            await sending({"type": "http.response.start", "status": 404, "headers": [(b"content-length", b"0")]})
            await sending({"type": "http.response.body", "body": b""})
        else:
            await self.app(scope, receive, sending)
