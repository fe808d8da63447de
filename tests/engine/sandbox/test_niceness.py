"""A program that takes long steps back behind everything else on the machine."""

from __future__ import annotations

import os
import sys
import threading
import time
from pathlib import Path

import pytest

from engine.sandbox import Limits, run
from engine.sandbox.transport.receiver import Stopped

SOON = 30.0


def descendants(pid: int) -> set[int]:
    """A process's children, theirs and so on."""
    found: set[int] = set()
    try:
        tasks = list(Path(f"/proc/{pid}/task").iterdir())
    except OSError:  # it has ended meanwhile
        return found
    for task in tasks:
        try:
            children = {int(word) for word in (task / "children").read_text().split()}
        except OSError:
            continue
        found |= children
        for child in children:
            found |= descendants(child)
    return found


def nicest(pids: set[int]) -> int:
    levels = [0]
    for pid in pids:
        try:
            levels.append(os.getpriority(os.PRIO_PROCESS, pid))
        except OSError:
            continue
    return max(levels)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_an_endless_program_becomes_the_nicest_and_a_quick_one_still_runs() -> None:
    run("pass")
    stop = threading.Event()
    outcome: list[type] = []

    def loop() -> None:
        try:
            run("while True:\n    pass\n", Limits(seconds=120.0), stop=stop)
        except Stopped:
            outcome.append(Stopped)

    thread = threading.Thread(target=loop)
    thread.start()
    deadline = time.monotonic() + SOON
    while nicest(descendants(os.getpid())) < 19:
        assert time.monotonic() < deadline, "it never stepped back"
        assert thread.is_alive(), "it ended before"
        time.sleep(0.01)
    assert run("print('quick')").output == "quick\n"
    stop.set()
    thread.join(SOON)
    assert outcome == [Stopped]
