"""The document that a browser gets first has the page's style sheet in it.

As an element of the page it came after what it is about: for a moment everything stood where Streamlit puts it, and then all of
it moved. It stands behind the document's head, as Streamlit's own styles are added to the end of that and ours are to hold.
"""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING, Any

from components.server import styles

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

ROOT = b'<div id="root">'
"""What the page is drawn into."""
ASKED = (b"accept-encoding", b"if-none-match", b"if-modified-since", b"range")
"""What a browser asks of the document that is not passed on: for Streamlit it would be the same as ever."""
TOLD = (b"content-length", b"etag", b"last-modified", b"accept-ranges")
"""What Streamlit says of its document, and is not so of ours."""


class Document:
    """Puts the styles into what a browser opens, whatever its address is, and compresses it (ASGI middleware)."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "GET" or not _named(scope["headers"], b"accept", b"text/html"):
            await self.app(scope, receive, send)
            return
        start: dict[str, Any] | None = None
        body = b""

        async def sending(message: Message) -> None:
            nonlocal start, body
            if message["type"] == "http.response.start" and _is_document(message):
                start = dict(message)
            elif start is None:
                await send(message)
            else:
                body += message.get("body", b"")
                if not message.get("more_body"):
                    await _send_styled(start, body, _named(scope["headers"], b"accept-encoding", b"gzip"), send)

        await self.app({**scope, "headers": [each for each in scope["headers"] if each[0] not in ASKED]}, receive, sending)


def _named(headers: list[tuple[bytes, bytes]], header: bytes, word: bytes) -> bool:
    """Whether a header has a word."""
    return any(name.lower() == header and word in value for name, value in headers)


def _is_document(start: Message) -> bool:
    return start["status"] == 200 and _named(start["headers"], b"content-type", b"text/html")


async def _send_styled(start: dict[str, Any], body: bytes, small: bool, send: Send) -> None:
    headers = [each for each in start["headers"] if each[0].lower() not in TOLD]
    body = body.replace(ROOT, styles.sheet().encode() + ROOT, 1)
    if small:
        body = gzip.compress(body, 6, mtime=0)
        headers += [(b"content-encoding", b"gzip"), (b"vary", b"Accept-Encoding")]
    headers.append((b"content-length", str(len(body)).encode()))
    await send({**start, "headers": headers})
    await send({"type": "http.response.body", "body": body})
