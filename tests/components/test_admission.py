"""A page that a program serves for the one who runs it lets in who has its token, from no other site, under its own name."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from components.server.admission import Admission

HOST = "127.0.0.1:8600"
TOKEN = "a-token_of-some-length"


async def answers(scope: Any, receive: Any, send: Any) -> None:
    """A page that is admitted to."""
    await send({"type": "http.response.start", "status": 200, "headers": []})


def ask(
    path: str = "/", query: str = "", kind: str = "http", method: str = "GET", token: str = TOKEN, **headers: str
) -> dict[str, Any]:
    """What is sent first on a request."""
    sent: list[dict[str, Any]] = []

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    given = [(name.encode(), value.encode()) for name, value in ({"host": HOST} | headers).items()]
    scope = {"type": kind, "path": path, "query_string": query.encode(), "headers": given, "method": method}
    asyncio.run(Admission(answers, token)(scope, None, send))  # type: ignore[arg-type]
    return sent[0]


def cookie() -> str:
    """What the address gives a browser."""
    head = ask(query=f"embed=true&token={TOKEN}")
    assert head["status"] == 303
    sent = {name.decode(): value.decode() for name, value in head["headers"]}
    assert sent["location"] == "/?embed=true", "the token does not stay in the address"
    assert "HttpOnly" in sent["set-cookie"]
    assert "SameSite=Lax" in sent["set-cookie"]
    return sent["set-cookie"].partition(";")[0]


def test_the_address_admits_and_its_cookie_goes_on_doing_so() -> None:
    assert ask(cookie=cookie())["status"] == 200
    assert ask(cookie=f"other=1; {cookie()}", origin=f"http://{HOST}", kind="websocket")["status"] == 200
    assert ask(cookie=cookie(), host="localhost:8600")["status"] == 200


@pytest.mark.parametrize("query", ["", "token=", "token=another", f"tokens={TOKEN}"])
def test_who_has_no_token_is_refused(query: str) -> None:
    assert ask(query=query)["status"] == 403
    assert ask(query=query, cookie=f"{cookie().partition('=')[0]}=another")["status"] == 403
    assert ask(kind="websocket", query=query) == {"type": "websocket.close", "code": 1008}


def test_a_token_in_the_address_opens_no_stream_and_takes_nothing() -> None:
    assert ask(kind="websocket", query=f"token={TOKEN}")["type"] == "websocket.close"
    assert ask(method="POST", query=f"token={TOKEN}")["status"] == 403


@pytest.mark.parametrize(
    "headers",
    [
        {"host": "attacker.example"},
        {"host": "attacker.example:8600"},
        {"host": "127.0.0.1.attacker.example:8600"},
        {"host": "[::1"},
        {"host": ""},
        {"origin": "http://attacker.example"},
        {"origin": "https://127.0.0.1:8600"},
        {"origin": "http://127.0.0.1:8601"},
        {"origin": "null"},
    ],
)
def test_other_names_and_other_sites_are_refused_whatever_they_have(headers: dict[str, str]) -> None:
    assert ask(**({"cookie": cookie()} | headers))["status"] == 403
    assert ask(kind="websocket", **({"cookie": cookie()} | headers))["type"] == "websocket.close"


def test_a_page_without_a_token_is_for_everybody() -> None:
    assert ask(token="", host="course.example", origin="https://course.example")["status"] == 200
