"""Whatever a program does, it ends in a clear status, and what it did until then is kept."""

from __future__ import annotations

import os
import threading
import time

import pytest

from engine.program import Program
from engine.recording.events import OpRan
from engine.sandbox import Control, Layers, Limits, RunResult, run
from engine.sandbox.processes.forking import Server

BEFORE = "import torch\nx = torch.ones(3)\nprint('before')\n"

BARE = Layers(language=False, system=False)
"""Nothing but the processes and their limits: whatever a program does, others do not notice."""

ENDINGS = {
    "loops forever": ("while True: pass", "timeout"),
    "is stuck in C": ("x = pow(10, 10 ** 9) % 7", "timeout"),
    "allocates without end": ("kept = []\nwhile True: kept.append(bytearray(10 ** 7))", "memory"),
    "asks for too much at once": ("torch.ones(10 ** 10)", "memory"),
    "prints without end": ("while True: print('x' * 1000)", "too_large"),
    "records without end": ("while True: x = x + 1", "timeout"),
    "records without end in one statement": ("any((x + 1) is None for _ in range(10 ** 9))", "timeout"),
    "prints lines without end": ("while True: print('x', flush=True)", "too_large"),
    "raises": ("1 / 0", "error"),
    "exits": ("import sys; sys.exit()", "ok"),
    "exits with a message": ("import sys; sys.exit('no')", "error"),
}

ATTACKS = {
    "kills itself": ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "crashed"),
    "leaves at once": ("import os; os._exit(3)", "crashed"),
    "crashes the interpreter": ("import ctypes; ctypes.string_at(0)", "crashed"),
    "closes what it writes to": (
        "import os\nfor fd in range(3, 40):\n    try: os.close(fd)\n    except OSError: pass",
        "crashed",
    ),
    "writes nonsense to its parent": (
        "import os\nfor fd in range(3, 40):\n    try: os.write(fd, b'B' + b'\\xff' * 99)\n    except OSError: pass",
        "crashed",
    ),
}


def names(result: RunResult) -> list[str]:
    assert result.recording is not None
    return [e.op for e in result.recording.events if isinstance(e, OpRan)]


@pytest.mark.thorough
@pytest.mark.parametrize(("ending", "status"), ENDINGS.values(), ids=ENDINGS.keys())
def test_a_program_that(ending: str, status: str) -> None:
    # Only what is meant to run out of time gets little of it, so that a slow machine reaches the other limits as well.
    result = run(BEFORE + ending, Limits(seconds=0.8 if status == "timeout" else 30, events=4_000, output_chars=200_000))
    assert result.status == status
    assert result.output.startswith("before\n")
    assert names(result)[0] == "ones"
    assert (result.error is None) == (status == "ok")


@pytest.mark.parametrize(("ending", "status"), ATTACKS.values(), ids=ATTACKS.keys())
def test_a_process_without_any_defence_that(ending: str, status: str) -> None:
    result = run(BEFORE + ending, Limits(seconds=30), layers=BARE)
    assert result.status == status
    assert result.error is not None
    if "\\xff" not in ending:
        assert result.output.startswith("before\n")
        assert names(result)[0] == "ones"
    assert run("print('next')").output == "next\n"


def test_output_is_cut_with_a_line_that_says_so() -> None:
    result = run("print('x' * 100)\nprint('y' * 5000)", Limits(output_chars=1000))
    assert result.status == "too_large"
    assert result.output.startswith("x" * 100 + "\n" + "y" * 10)
    assert "output stopped after 1,000 characters" in result.output
    assert len(result.output) < 1200
    assert result.output.isascii(), "a sign that is not makes the text twice or four times as large"
    assert result.cells[0].output is result.output, "and it is held once"


def test_a_timeout_names_the_line() -> None:
    result = run("x = 1\nwhile True:\n    pass\n", Limits(seconds=0.3))
    assert result.error is not None
    assert result.error.line in (2, 3)


def test_a_run_that_is_stopped_before_it_has_begun_ends_as_one_that_is_stopped() -> None:
    for _ in range(5):
        control = Control()
        control.halt.set()
        result = run("while True: pass", Limits(seconds=60.0), control=control)
        assert (result.status, result.error and result.error.message[:14]) == ("timeout", "you stopped it")


@pytest.mark.thorough
def test_a_stopped_run_leaves_no_process_of_its_own_behind() -> None:
    program = "import os, time\nchild = os.fork()\nif not child: time.sleep(20)\nprint(child)\nwhile True: pass"
    left = int(run(program, Limits(seconds=0.5), layers=BARE).output)
    for _ in range(200):  # a process that was killed may take a moment to go
        if not os.path.exists(f"/proc/{left}/stat"):
            break
        time.sleep(0.05)
    assert not os.path.exists(f"/proc/{left}/stat")


def test_runs_at_the_same_time_do_not_mix() -> None:
    results: dict[int, RunResult] = {}

    def one(k: int) -> None:
        results[k] = run(f"import torch\nx = torch.ones({k})\nprint({k})")

    threads = [threading.Thread(target=one, args=(k,)) for k in range(1, 13)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert {k: r.output for k, r in results.items()} == {k: f"{k}\n" for k in range(1, 13)}
    assert all(r.status == "ok" for r in results.values())


def test_many_runs_leak_no_file_descriptor() -> None:
    run("pass")
    before = len(os.listdir("/dev/fd"))
    for _ in range(60):
        run("print(1)")
    assert len(os.listdir("/dev/fd")) <= before + 1


def test_a_dead_server_is_replaced() -> None:
    from engine.sandbox import runner

    run("pass")
    local = runner.server().local
    assert isinstance(local, Server)
    local.process.kill()
    local.process.wait()
    assert run("print('again')").output == "again\n"


def test_the_program_never_runs_in_this_process() -> None:
    result = run("import os; print(os.getpid())", layers=BARE)
    assert int(result.output) != os.getpid()


def test_cells_after_a_failed_one_are_skipped() -> None:
    result = run(Program.from_cells(("x = 1", "boom", "x")))
    assert [c.status for c in result.cells] == ["ok", "error", "skipped"]
    assert result.error is not None
    assert (result.error.cell, result.error.line, result.error.type) == (1, 1, "NameError")


@pytest.mark.parametrize(
    "program", ["sum(range(10 ** 12))", "while True:\n    try:\n        while True: pass\n    except BaseException: pass"]
)
def test_a_stuck_program_stops_and_others_go_on(program: str) -> None:
    assert run(program, Limits(seconds=0.5)).status == "timeout"
    assert run("print('next')").output == "next\n"


def test_the_output_limit_cannot_be_caught() -> None:
    program = "while True:\n    try:\n        print('x' * 1000)\n    except BaseException:\n        pass\n"
    result = run(program, Limits(seconds=3))
    assert result.status == "too_large"
    assert result.output.count("output stopped") == 1


def test_half_a_line_is_not_lost() -> None:
    assert run("print('half', end='')\nwhile True: pass", Limits(seconds=0.3)).output == "half"
    assert run("import os\nprint('half', end='')\nos._exit(1)", layers=BARE).output == "half"


def test_what_outlives_the_program_does_not_hold_up_its_result() -> None:
    program = "import os, time\nif os.fork() == 0:\n    os.setsid()\n    time.sleep(20)\n    os._exit(0)\nprint('done')"
    result = run(program, layers=BARE)
    assert (result.status, result.output) == ("ok", "done\n")
    assert result.seconds < 5


def test_an_error_without_a_message_of_sense_is_still_an_error() -> None:
    for program in (
        "class E(Exception):\n    def __str__(self): raise ValueError\nraise E",
        "raise ValueError('\\ud800')",
        "{}['\\ud800']",
    ):
        assert run(program).status == "error"


def test_unseeded_random_numbers_differ_from_run_to_run() -> None:
    program = "import torch, random, numpy\nprint(torch.randn(1).item(), random.random(), numpy.random.rand())"
    assert len({run(program).output for _ in range(3)}) == 3
