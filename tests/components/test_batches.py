"""Messages of a run wake the server's thread together."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from streamlit.runtime.app_session import AppSession

from components.server import batches


def session_of(loop: asyncio.AbstractEventLoop, woken: list[int]) -> tuple[Any, Callable[[Any, Callable[[], None]], None]]:
    def plain(session: Any, callback: Callable[[], None]) -> None:
        woken.append(1)
        loop.call_soon_threadsafe(callback)

    return SimpleNamespace(), batches.together(plain)


def test_what_comes_while_something_waits_wakes_nobody() -> None:
    async def main() -> tuple[list[int], list[int]]:
        done: list[int] = []
        woken: list[int] = []
        session, call_soon = session_of(asyncio.get_running_loop(), woken)
        for k in range(100):
            call_soon(session, lambda k=k: done.append(k))  # type: ignore[misc]
        assert done == []
        for _ in range(3):
            await asyncio.sleep(0)
        return done, woken

    done, woken = asyncio.run(main())
    assert done == list(range(100))
    assert len(woken) == 1


def test_nothing_is_lost_between_threads() -> None:
    async def main() -> list[int]:
        done: list[int] = []
        session, call_soon = session_of(asyncio.get_running_loop(), [])

        def write() -> None:
            for k in range(5_000):
                call_soon(session, lambda k=k: done.append(k))  # type: ignore[misc]

        thread = threading.Thread(target=write)
        thread.start()
        while len(done) < 5_000:
            await asyncio.sleep(0)
        thread.join()
        return done

    assert asyncio.run(asyncio.wait_for(main(), 60)) == list(range(5_000))


def test_one_that_fails_stops_no_other() -> None:
    async def main() -> tuple[list[str], list[str]]:
        loop, done, failed = asyncio.get_running_loop(), [], []  # type: ignore[var-annotated]
        loop.set_exception_handler(lambda _, told: failed.append(str(told["exception"])))
        session, call_soon = session_of(loop, [])

        def fail() -> None:
            raise ValueError("no")

        call_soon(session, fail)
        call_soon(session, lambda: done.append("yes"))
        for _ in range(3):
            await asyncio.sleep(0)
        return done, failed

    assert asyncio.run(main()) == (["yes"], ["no"])


def test_streamlit_has_what_it_is_put_around(monkeypatch: pytest.MonkeyPatch) -> None:
    assert callable(getattr(AppSession, batches.NAME))
    monkeypatch.setattr(AppSession, batches.NAME, getattr(AppSession, batches.NAME))
    batches.hand_over_together()
    taken = getattr(AppSession, batches.NAME)
    batches.hand_over_together()
    assert getattr(AppSession, batches.NAME) is taken, "once"
