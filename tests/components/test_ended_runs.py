"""What a run of the page was made of is free when it has ended, without the garbage collector."""

from __future__ import annotations

import gc
import threading
import weakref
from types import SimpleNamespace
from typing import Any

from streamlit.runtime.scriptrunner.script_runner import ScriptRunner
from streamlit.runtime.state import SessionState
from streamlit.runtime.state.safe_session_state import SafeSessionState

from components.server import ended_runs


class Runner:
    """As much of Streamlit's as holds itself."""

    def __init__(self) -> None:
        self.thread = threading.Thread(target=self.run)
        self._session_state = SafeSessionState(SessionState(), self.look)

    def look(self) -> None:
        raise AssertionError("the run has ended")

    def enqueue(self) -> None:
        pass

    def run(self) -> None:
        ended_runs.letting_go(
            lambda runner: setattr(threading.current_thread(), ended_runs.CONTEXT, SimpleNamespace(e=runner.enqueue))
        )(self)


def test_a_run_that_has_ended_holds_nothing() -> None:
    runner = Runner()
    gone, state = weakref.ref(runner), runner._session_state
    gc.collect()
    gc.disable()
    try:
        runner.thread.start()
        runner.thread.join()
        del runner
        assert gone() is None
    finally:
        gc.enable()
    assert "x" not in state, "and who still looks into its session disturbs no runner"


def test_it_does_so_after_an_error_too() -> None:
    seen: list[bool] = []

    def fails(runner: Any) -> None:
        setattr(threading.current_thread(), ended_runs.CONTEXT, runner)
        raise KeyError("x")

    def run() -> None:
        try:
            ended_runs.letting_go(fails)(SimpleNamespace())
        except KeyError:
            seen.append(hasattr(threading.current_thread(), ended_runs.CONTEXT))

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert seen == [False]


def test_streamlit_has_what_it_is_put_around() -> None:
    assert callable(getattr(ScriptRunner, ended_runs.NAME))
    assert hasattr(SafeSessionState(SessionState(), print), ended_runs.YIELDS)
