"""What a run of the page was made of is free as soon as the run has ended.

Streamlit makes a thread, a runner and a context for each run, which hold one another, a hundred things in all. Only a look of
the garbage collector through everything frees such a circle, and meanwhile nobody is served.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import wraps
from typing import Any

from streamlit.runtime.scriptrunner.script_runner import ScriptRunner
from streamlit.runtime.scriptrunner_utils.script_run_context_attr import SCRIPT_RUN_CONTEXT_ATTR_NAME as CONTEXT

from components.server.around import put_around

NAME = "_run_script_thread"
"""What a run's thread does from its beginning to its end: `(runner)`."""
YIELDS = "_yield_callback"
"""By what a run's view of its session calls the runner."""


def let_go_of_ended_runs() -> None:
    """Have each run's thread do so at its end; without effect on a Streamlit that runs the page in another way."""
    put_around(ScriptRunner, NAME, letting_go)


def letting_go(plain: Callable[[Any], None]) -> Callable[[Any], None]:
    """The same method, after which the thread knows no context and the session's view no runner."""

    @wraps(plain)
    def run(runner: Any) -> None:
        try:
            plain(runner)
        finally:
            vars(threading.current_thread()).pop(CONTEXT, None)
            state = getattr(runner, "_session_state", None)
            if hasattr(state, YIELDS):
                object.__setattr__(state, YIELDS, _nothing)

    return run


def _nothing() -> None:
    pass
