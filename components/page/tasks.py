"""Work under way for a visitor: begun in the pool, taken in when it has finished, given up when it is not wanted any more."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import TypeVar

from components.page.state import page
from components.page.task_progress import Task, present
from components.server.render_lock import turn_given_away
from engine.sandbox import Control, Limits
from engine.sandbox.calls import CallError
from engine.serving.pool import Busy, Cancelled, pool

T = TypeVar("T")

PATIENCE = 0.4
"""Seconds that a run of the page waits for a result before it is drawn without: most programs are quicker, and nothing
flickers."""


def start(
    purpose: str,
    what: str | Callable[[], str],
    work: Callable[[threading.Event], T],
    arrived: Callable[[T], None],
    *,
    long: bool = False,
    limits: Limits | None = None,
    control: Control | None = None,
    failed: Callable[[CallError], None] | None = None,
    dims: bool = True,
    patience: float | None = None,
) -> None:
    """Have something done in the pool instead of what is under way for the same purpose, and wait for it for a moment.

    With its limits the bar shows how much of them is used; with a `control` the work can be ended so that it keeps what it has.
    `failed` takes why a call ended without a result; `dims` says whether what is on show will be replaced; `patience`
    is for how many seconds it is waited for, `PATIENCE` where nothing is said.
    """
    p = page()
    cancel(purpose)
    try:
        ticket = pool().submit(p.session, work, long=long, wanted=present())
    except Busy as error:
        p.notice = str(error)
        return
    p.tasks[purpose] = Task(what, ticket, arrived, limits, control, failed, dims)
    with turn_given_away():
        ticket.done.wait(PATIENCE if patience is None else patience)
    settle()


def settle() -> None:
    """Take in what has finished."""
    p = page()
    for purpose, task in list(p.tasks.items()):
        # What arrives may have begun something else for a purpose that was looked at before.
        if not task.ticket.finished or p.tasks.get(purpose) is not task:
            continue
        del p.tasks[purpose]
        try:
            result = task.ticket.result()
        except Cancelled:
            continue
        except Busy as error:
            p.notice = str(error)
        except CallError as error:
            if error.status in ("failed", "crashed"):
                logging.getLogger(__name__).error("%s failed: %s", purpose, error)
            if task.failed is not None:
                task.failed(error)
        except Exception:
            logging.getLogger(__name__).exception("a run failed")
            p.notice = "The program could not be run: the part of Gradtape that runs programs does not answer."
        else:
            task.arrived(result)
        finally:
            task.release()


def cancel(purpose: str) -> None:
    """Give up what is under way for a purpose."""
    task = page().tasks.pop(purpose, None)
    if task is not None:
        task.ticket.cancel()
        task.release()
