"""Messages of a run wake the server's thread together."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.scriptrunner import ScriptRunnerEvent

from components.server import batches

MESSAGE, ENDED = ScriptRunnerEvent.ENQUEUE_FORWARD_MSG, ScriptRunnerEvent.SCRIPT_STOPPED_WITH_SUCCESS


class Session:
    """What hears of runs: the same methods as Streamlit's."""

    def __init__(self, handle: Callable[[Any], None]) -> None:
        self.loop = asyncio.get_running_loop()
        self.handle = handle
        self.woken = 0
        self.hear = batches.together(lambda *_: None)

    def _handle_scriptrunner_event_on_event_loop(self, sender: Any, event: ScriptRunnerEvent, forward_msg: Any = None) -> None:
        self.handle(forward_msg)

    def _call_soon_on_event_loop(self, callback: Callable[[], None]) -> None:
        self.woken += 1
        self.loop.call_soon_threadsafe(callback)

    def hears(self, message: Any, event: ScriptRunnerEvent = MESSAGE) -> None:
        self.hear(self, None, event, message)


async def until(met: Callable[[], bool]) -> None:
    while not met():
        await asyncio.sleep(0.001)


def run(main: Any) -> Any:
    return asyncio.run(asyncio.wait_for(main(), 60))


def test_what_comes_while_something_waits_wakes_nobody() -> None:
    async def main() -> tuple[list[int], int]:
        done: list[int] = []
        session = Session(done.append)
        for k in range(100):
            session.hears(k)
        assert done == []
        await until(lambda: len(done) == 100)
        return done, session.woken

    assert run(main) == (list(range(100)), 1)


def test_a_message_after_them_waits_for_more_and_comes_by_itself() -> None:
    async def main() -> tuple[list[int], int]:
        done: list[int] = []
        session = Session(done.append)
        session.hears(0)
        await until(lambda: done == [0])
        session.hears(1)
        session.hears(2)
        assert session.woken == 1, "the thread looks by itself"
        await until(lambda: done == [0, 1, 2])
        return done, session.woken

    assert run(main) == ([0, 1, 2], 1)


def test_the_end_of_a_run_waits_for_nothing() -> None:
    async def main() -> list[int]:
        done: list[int] = []
        session = Session(done.append)
        session.hears(0)
        await until(lambda: done == [0])
        session.hears(1)
        session.hears(2, ENDED)
        assert session.woken == 2
        for _ in range(2):  # turns of the loop, and no time
            await asyncio.sleep(0)
        return done

    assert run(main) == [0, 1, 2]


def test_a_thread_that_has_gone_to_sleep_is_woken_again() -> None:
    async def main() -> tuple[list[int], int]:
        done: list[int] = []
        session = Session(done.append)
        session.hears(0)
        await until(lambda: done == [0])
        entry: Any = vars(session)["gradtape_batch"]
        await until(lambda: not entry.kept.expected)
        session.hears(1)
        await until(lambda: done == [0, 1])
        return done, session.woken

    assert run(main) == ([0, 1], 2)


def test_nothing_is_lost_between_threads() -> None:
    async def main() -> list[int]:
        done: list[int] = []
        session = Session(done.append)

        def write() -> None:
            for k in range(5_000):
                session.hears(k, ENDED if k % 97 == 0 else MESSAGE)

        thread = threading.Thread(target=write)
        thread.start()
        await until(lambda: len(done) == 5_000)
        thread.join()
        return done

    assert run(main) == list(range(5_000))


def test_one_that_fails_stops_no_other() -> None:
    async def main() -> tuple[list[str], list[str]]:
        done: list[str] = []
        failed: list[str] = []
        asyncio.get_running_loop().set_exception_handler(lambda _, told: failed.append(str(told["exception"])))

        def handle(message: str) -> None:
            if message == "no":
                raise ValueError("no")
            done.append(message)

        session = Session(handle)
        session.hears("no")
        session.hears("yes")
        await until(lambda: done == ["yes"])
        return done, failed

    assert run(main) == (["yes"], ["no"])


def test_streamlit_has_what_it_is_put_around(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (batches.HEARS, batches.HANDLES, batches.WAKES):
        assert callable(getattr(AppSession, name))
    monkeypatch.setattr(AppSession, batches.HEARS, getattr(AppSession, batches.HEARS))
    batches.hand_over_together()
    taken = getattr(AppSession, batches.HEARS)
    batches.hand_over_together()
    assert getattr(AppSession, batches.HEARS) is taken, "once"
