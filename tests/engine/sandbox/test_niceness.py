"""A program that takes long steps back behind everything else on the machine."""

from __future__ import annotations

import math
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.sandbox import Limits, run
from engine.sandbox.processes import server
from engine.sandbox.processes.server import Child
from engine.sandbox.transport.messages import EXIT
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


@pytest.fixture
def told() -> Iterator[tuple[socket.socket, socket.socket]]:
    """Both ends of what a server tells its parent."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.setblocking(False)
        yield ours, theirs


def child_that(does: str) -> subprocess.Popen[bytes]:
    """A process group of its own, as the server makes one for each run; it says a word when it has come so far."""
    process = subprocess.Popen([sys.executable, "-c", does], process_group=0, stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"there\n"
    process.stdout.close()
    return process


WAITS = "import time; print('there', flush=True); time.sleep(600)"
WORKED = "import time\nwhile time.process_time() < 0.5: pass\nprint('there', flush=True); time.sleep(600)"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no such server")
def test_who_is_killed_has_ended_for_the_parent_at_once_and_is_told_of_once(told: tuple[socket.socket, socket.socket]) -> None:
    ours, theirs = told
    process = child_that(WAITS)
    child = Child(7, deadline=0.0, long=math.inf, asked=True)
    server._watch(theirs, children := {process.pid: child})
    assert EXIT.unpack(ours.recv(EXIT.size)) == (7, signal.SIGKILL, True)
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)  # it is dead, and nobody has let go of it
    server._reap(theirs, children)
    assert not children
    with pytest.raises(BlockingIOError):
        ours.recv(EXIT.size)
    process.returncode = -signal.SIGKILL  # it was reaped behind its back


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems do not tell the time")
@pytest.mark.parametrize(("does", "nice"), [(WAITS, 0), (WORKED, 19)])
def test_who_steps_back_has_used_the_processor_not_waited_for_it(
    does: str, nice: int, told: tuple[socket.socket, socket.socket]
) -> None:
    process = child_that(does)
    before = os.getpriority(os.PRIO_PROCESS, process.pid)
    child = Child(7, deadline=math.inf, long=0.0)
    server._watch(told[1], {process.pid: child})
    assert os.getpriority(os.PRIO_PROCESS, process.pid) == (nice or before)
    assert (child.long == math.inf) is bool(nice)
    process.kill()
    process.wait()
