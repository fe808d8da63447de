"""What a run of the page sends leaves many messages at a time, and stays what it is."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.session_manager import SessionClientDisconnectedError
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from components.server import sent_together


def messages(n: int) -> list[ForwardMsg]:
    return [ForwardMsg(hash=str(k)) for k in range(n)]


class Runtime:
    """A server with one session, and a connection that takes `most` messages before it is gone."""

    def __init__(self, room: int = 500, most: int = 1_000) -> None:
        self.sent: list[ForwardMsg] = []
        self.most = most
        self.info = SimpleNamespace(client=SimpleNamespace(_send_queue=asyncio.Queue(room)))
        self._session_mgr = SimpleNamespace(get_active_session_info=lambda of: self.info if of == "s" else None)

    def _send_message(self, info: Any, message: ForwardMsg) -> None:
        assert info is self.info
        if len(self.sent) >= self.most:
            raise SessionClientDisconnectedError
        self.sent.append(message)
        info.client._send_queue.put_nowait(message)


def flushed(runtime: Runtime, waiting: list[ForwardMsg], monkeypatch: pytest.MonkeyPatch, id: str = "s") -> list[ForwardMsg]:
    monkeypatch.setattr(sent_together, "get_instance", lambda: runtime)
    return sent_together.handed_over(lambda session: list(waiting))(SimpleNamespace(id=id))


def test_all_that_waits_goes_to_the_connection_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    runtime, waiting = Runtime(), messages(113)
    assert flushed(runtime, waiting, monkeypatch) == []
    assert runtime.sent == waiting


def test_a_connection_that_fills_gets_the_rest_as_streamlit_sends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    runtime, waiting = Runtime(room=90), messages(113)
    left = flushed(runtime, waiting, monkeypatch)
    assert runtime.sent + left == waiting
    assert 0 < len(runtime.sent) < 90, "it is not filled to the brim, which would cut it off"


def test_what_finds_the_connection_gone_is_left_to_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    runtime, waiting = Runtime(most=3), messages(9)
    assert flushed(runtime, waiting, monkeypatch) == waiting[3:], "which tries it again, and lets go of the session"
    assert flushed(Runtime(), waiting, monkeypatch, id="another") == waiting


def test_the_loop_is_told_in_its_own_thread_and_woken_from_others(monkeypatch: pytest.MonkeyPatch) -> None:
    plain: list[ForwardMsg] = []
    queue: list[ForwardMsg] = []
    session = SimpleNamespace(_browser_queue=SimpleNamespace(enqueue=queue.append))
    enqueue = sent_together.woken_once(lambda session, message: plain.append(message))
    one, two = messages(2)

    async def main() -> bool:
        parts = SimpleNamespace(eventloop=asyncio.get_running_loop(), need_send_data=asyncio.Event())
        monkeypatch.setattr(sent_together, "get_instance", lambda: SimpleNamespace(_get_async_objs=lambda: parts))
        enqueue(session, one)
        await asyncio.to_thread(enqueue, session, two)
        return parts.need_send_data.is_set()

    assert asyncio.run(main())
    assert (queue, plain) == ([one], [two])


class Transport:
    """Where bytes go."""

    def __init__(self) -> None:
        self.written: list[bytes] = []
        self.closed = False

    def write(self, data: bytes) -> None:
        assert not self.closed
        self.written.append(data)

    def close(self) -> None:
        self.closed = True

    def is_closing(self) -> bool:
        return self.closed


def test_what_is_written_in_one_turn_leaves_in_one_piece() -> None:
    async def main() -> tuple[list[bytes], list[bytes]]:
        transport = Transport()
        gathering = sent_together.Gathering(transport, asyncio.get_running_loop())
        for part in (b"a", b"b", b"c"):
            gathering.write(part)
        before = list(transport.written)
        await asyncio.sleep(0)
        gathering.write(b"d")
        await asyncio.sleep(0)
        return before, transport.written

    assert asyncio.run(main()) == ([], [b"abc", b"d"])


def test_much_does_not_wait_and_closing_leaves_nothing_behind() -> None:
    async def main() -> list[bytes]:
        transport = Transport()
        gathering = sent_together.Gathering(transport, asyncio.get_running_loop())
        gathering.write(b"x")
        gathering.write(b"y" * sent_together.PIECE)
        assert len(transport.written) == 1
        gathering.write(b"last")
        gathering.close()
        assert gathering.is_closing()
        await asyncio.sleep(0)
        return transport.written

    assert asyncio.run(main()) == [b"x" + b"y" * sent_together.PIECE, b"last"]


def test_streamlit_and_uvicorn_have_what_it_is_put_around() -> None:
    assert callable(getattr(AppSession, sent_together.ENQUEUES))
    assert callable(getattr(AppSession, sent_together.FLUSHES))
    assert callable(getattr(WebSocketsSansIOProtocol, sent_together.CONNECTS))
