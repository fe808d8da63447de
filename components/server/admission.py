"""Who may see a page that is served for one person on a machine that others use, too: who has its token.

A recording holds source and values. The address that is printed has the token; the browser gets it back as a cookie. What comes
under another name than the machine's own, or from a page of another site, is refused, whatever it has.
"""

from __future__ import annotations

import hmac
import os
from hashlib import sha256
from http.cookies import CookieError, SimpleCookie
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlencode, urlsplit

from components.commands import TOKEN

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

ASKED = "token"
"""The parameter of the address that has it."""
OWN = ("127.0.0.1", "localhost", "::1")


class Admission:
    """Refuses who has no token (ASGI middleware)."""

    def __init__(self, app: ASGIApp, token: str | None = None) -> None:
        self.app = app
        # Without one everybody is admitted whom the server's address lets in.
        self.token = os.environ.get(TOKEN, "") if token is None else token
        # Cookies are those of a host whatever the port, so each page has its own.
        self.cookie = f"gradtape-{sha256(self.token.encode()).hexdigest()[:12]}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on what is admitted."""
        if not self.token or scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        if not _own(headers):
            await _refuse(scope, send)
        elif self._is_token(_cookie(headers.get("cookie", ""), self.cookie)):
            await self.app(scope, receive, send)
        elif scope["type"] == "http" and scope["method"] == "GET" and (rest := self._asked(scope)) is not None:
            place = scope["path"] + (f"?{rest}" if rest else "")
            value = f"{self.cookie}={self.token}; Path=/; HttpOnly; SameSite=Lax"
            await _answer(send, 303, [(b"location", place.encode()), (b"set-cookie", value.encode())])
        else:
            await _refuse(scope, send)

    def _asked(self, scope: Scope) -> str | None:
        """The address's other parameters, where it has the token."""
        asked = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        if not any(name == ASKED and self._is_token(value) for name, value in asked):
            return None
        return urlencode([(name, value) for name, value in asked if name != ASKED])

    def _is_token(self, given: str) -> bool:
        return hmac.compare_digest(given.encode(), self.token.encode())


def _own(headers: dict[str, str]) -> bool:
    """Whether a request names this machine as its host, and comes from no page of another one."""
    host = headers.get("host", "")
    try:
        name = urlsplit(f"//{host}").hostname
    except ValueError:
        return False
    origin = headers.get("origin")
    return name in OWN and (origin is None or origin == f"http://{host}")


def _cookie(header: str, name: str) -> str:
    try:
        found = SimpleCookie(header).get(name)
    except CookieError:
        return ""
    return "" if found is None else found.value


async def _refuse(scope: Scope, send: Send) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008})
    else:
        said = b"This page needs the address that was printed.\n"
        await _answer(send, 403, [(b"content-type", b"text/plain; charset=utf-8")], said)


async def _answer(send: Send, status: int, headers: list[tuple[bytes, bytes]], body: bytes = b"") -> None:
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
