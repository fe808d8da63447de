"""What a run of the page sends to a browser leaves many messages at a time.

Streamlit's server asks its event loop to be woken for each of a run's hundred messages, takes a turn of the loop to hand one to
the connection, and writes each to the network by itself; with a hundred visitors these turns are a quarter of all the time
that the page has. Here the loop is woken once for all that wait, hands them over in one turn, and what is written in one turn
leaves in one piece. The messages, their order and their frames stay what they are.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import wraps
from typing import Any

from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime import get_instance
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.session_manager import SessionClientDisconnectedError
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from components.server.around import put_around

ENQUEUES = "_enqueue_forward_msg"
"""What has a message wait to be sent, and tells the server's loop: `(session, message)`."""
FLUSHES = "flush_browser_queue"
"""What hands out what waits in a session, to be sent: `(session)`."""
CONNECTS = "connection_made"
"""What gives a connection what it writes to: `(protocol, transport)`."""
PIECE = 64 * 1024
"""Bytes from which what waits to be written waits no longer."""


def send_together() -> None:
    """Have the server do so; without effect on a Streamlit or a Uvicorn that does it otherwise."""
    put_around(AppSession, ENQUEUES, woken_once)
    put_around(AppSession, FLUSHES, handed_over)
    put_around(WebSocketsSansIOProtocol, CONNECTS, gathered)


def woken_once(plain: Callable[[Any, ForwardMsg], None]) -> Callable[[Any, ForwardMsg], None]:
    """The method that has a message wait and wakes the loop; in the loop's own thread it only tells it to look again."""

    @wraps(plain)
    def enqueue(session: Any, message: ForwardMsg) -> None:
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            plain(session, message)
            return
        runtime: Any = get_instance()
        parts = runtime._get_async_objs()
        if loop is parts.eventloop:
            session._browser_queue.enqueue(message)
            parts.need_send_data.set()
        else:
            plain(session, message)

    return enqueue


def handed_over(plain: Callable[[Any], list[ForwardMsg]]) -> Callable[[Any], list[ForwardMsg]]:
    """The method that hands out what waits, which hands it to the connection as far as that has room. What is left, and what
    finds the connection gone, is returned: the server goes on with it as it always does."""

    @wraps(plain)
    def flush(session: Any) -> list[ForwardMsg]:
        messages = plain(session)
        if len(messages) < 2:
            return messages
        runtime: Any = get_instance()
        info = runtime._session_mgr.get_active_session_info(session.id)
        room = _room(info)
        for sent, message in enumerate(messages[:room]):
            try:
                runtime._send_message(info, message)
            except SessionClientDisconnectedError:
                return messages[sent:]
        return messages[room:]

    return flush


def _room(info: Any) -> int:
    """Messages that a session's connection can take at once without coming near to being full."""
    waiting = getattr(getattr(info, "client", None), "_send_queue", None)
    return 0 if waiting is None else (waiting.maxsize - waiting.qsize()) // 2


def gathered(plain: Callable[[Any, Any], None]) -> Callable[[Any, Any], None]:
    """The method that gives a connection what it writes to, which gives it one that gathers what is written."""

    @wraps(plain)
    def connection_made(protocol: Any, transport: Any) -> None:
        plain(protocol, transport)
        protocol.transport = Gathering(transport, asyncio.get_running_loop())

    return connection_made


class Gathering:
    """A transport that writes what it is given in one turn of the loop at the end of that turn, in one piece."""

    def __init__(self, transport: Any, loop: asyncio.AbstractEventLoop) -> None:
        self._transport, self._loop = transport, loop
        self._parts: list[bytes] = []
        self._size = 0

    def write(self, data: bytes) -> None:
        """Write this, soon."""
        if not self._parts:
            self._loop.call_soon(self._flush)
        self._parts.append(data)
        self._size += len(data)
        if self._size >= PIECE:
            self._flush()

    def close(self) -> None:
        """Write what waits, then close."""
        self._flush()
        self._transport.close()

    def _flush(self) -> None:
        if self._parts:
            piece = b"".join(self._parts)
            self._parts.clear()
            self._size = 0
            self._transport.write(piece)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)
