"""The system layer alone: a program that the language layer would never let through reaches nothing outside its process."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.program import Program
from engine.sandbox import Layers, Limits, RunResult, run, runner
from engine.sandbox.processes.forking import SLACK, Server
from engine.sandbox.processes.server import GRACE
from engine.sandbox.settings import Settings
from engine.sandbox.transport.messages import PROGRAMS, Job, SystemLayer
from engine.sandbox.transport.receiver import CollectedRun
from tests.engine.sandbox.reaching import KERNEL, PRELUDE, REACHES

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the system layer is Linux's")

ALONE = Layers(language=False)
BARE = Layers(language=False, system=False)


def do(server: Server, program: str, limits: Limits = Limits(seconds=20), layers: Layers = ALONE) -> RunResult:  # noqa: B008
    collected = CollectedRun(Program.from_text(program), limits)
    return collected.result(server.exchange(Job((program,), False, limits, layers=layers), collected), 99.0)


@pytest.fixture(scope="module")
def filtered() -> Iterator[Server]:
    """A server whose children have the filter and no Landlock, which stands behind it on some machines only."""
    server = Server(landlocked=False)
    yield server
    server.close()


@pytest.mark.parametrize("attempt", REACHES.values(), ids=REACHES.keys())
def test_what_is_tried_here_would_work_without_a_sandbox(attempt: str) -> None:
    found = subprocess.run([sys.executable, "-I", "-c", PRELUDE + attempt], capture_output=True, text=True, timeout=60)
    assert "REACHED" in found.stdout, found.stderr


@pytest.mark.parametrize("attempt", [*REACHES.values(), *KERNEL.values()], ids=[*REACHES, *KERNEL])
def test_the_filter_alone_holds_a_program_that(filtered: Server, attempt: str) -> None:
    result = do(filtered, PRELUDE + "print('begins')\n" + attempt)
    assert result.output.startswith("begins\n"), result.error
    assert "REACHED" not in result.output
    assert result.status in ("error", "crashed")
    assert do(filtered, "print('next')").output == "next\n"


FILES = (
    "reads a file", "opens a file below Python's open", "opens a file in C", "opens a file by a newer call", "writes a file",
    "lists a directory", "makes a directory", "reads its environment from the kernel", "reads with NumPy", "writes with NumPy",
    "loads a module that nobody needs", "loads a library", "starts a program", "spawns a program", "runs a command",
    "becomes a program",
)  # fmt: skip


@pytest.mark.parametrize("attempt", [REACHES[name] for name in FILES], ids=FILES)
def test_landlock_alone_keeps_files_and_programs_away(attempt: str) -> None:
    if not runner.server().layer.landlock:
        pytest.skip("this kernel has no Landlock")
    assert "REACHED" not in run(PRELUDE + attempt, Limits(seconds=20), layers=BARE).output


def test_the_second_set_of_numbers_is_no_way_around() -> None:
    # Linux on x86-64 knows each call by a second number, above 2**30.
    result = run(PRELUDE + "print('REACHED', system(0x40000000 + 39))", layers=ALONE)
    assert "REACHED" not in result.output
    assert result.status in ("error", "crashed")


def test_what_a_program_needs_of_the_system_works() -> None:
    program = (
        "import time, random, os, threading, numpy as np\n"
        "time.sleep(0.01)\nlock = threading.Lock()\nwith lock: pass\n"
        "print(len(os.urandom(4)), time.time() > 0, time.perf_counter() > 0, time.process_time() > 0)\n"
        "a = np.ones((600, 600))\nb = a @ a\nnp.linalg.svd(a[:50, :50])\nprint(b[0, 0])\n"
        "kept = [bytearray(10 ** 6) for _ in range(50)]\ndel kept\n"
        "print('é'.encode('latin-1'), '\\N{BULLET}')\n"
        "try: 1 / 0\nexcept ZeroDivisionError as e: print(e)\n"
        "raise ValueError('shown with its line')"
    )
    result = run(program, Limits(seconds=20), layers=ALONE)
    assert result.output == "4 True True True\n600.0\nb'\\xe9' •\ndivision by zero\n"
    assert result.error is not None
    assert "line 15" in result.error.traceback


@pytest.fixture(scope="module")
def untold() -> Iterator[Server]:
    """A server of its own; the page's process has a word in its environment that must not get there."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GRADTAPE_TEST_SECRET", "swordfish")
        server = Server()
    yield server
    server.close()


def test_nothing_of_ours_is_in_the_environment_or_the_arguments(untold: Server) -> None:
    program = "import os, sys\nprint(sorted(os.environ), sys.argv, getattr(sys, 'orig_argv', []))"
    told = do(untold, program).output
    command = Path(f"/proc/{untold.process.pid}/cmdline").read_text()
    assert "swordfish" not in told + command
    names = told[: told.index("]")]
    assert set(names.strip("[").replace("'", "").split(", ")) <= {
        "LC_ALL", "LC_CTYPE", "MKL_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS",
    }  # fmt: skip


def test_the_server_never_sees_a_program(untold: Server) -> None:
    for _ in range(3):
        assert do(untold, "swordfish = 'sword' + 'fish'\nprint(swordfish)").output == "swordfish\n"
    assert b"swordfish" not in _memory(untold.process.pid)


def _memory(pid: int) -> bytes:
    """All private memory of a process that can be read."""
    parts = []
    try:
        with open(f"/proc/{pid}/maps") as maps, open(f"/proc/{pid}/mem", "rb", 0) as memory:
            for line in maps:
                span, rights, *_ = line.split()
                if rights.startswith("rw") and "[v" not in line:
                    start, end = (int(n, 16) for n in span.split("-"))
                    memory.seek(start)
                    parts.append(memory.read(end - start))
    except PermissionError:
        pytest.skip("only root may look into the server")
    return b"".join(parts)


# --- the processes survive whatever a child does, without any layer -------------------------------------------------------

HOSTILE = {
    "stops itself": ("import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)", "timeout"),
    "ends by a signal without a name": ("import os\nos.kill(os.getpid(), 40)", "crashed"),
    "ignores all signals": (
        "import signal\nfor s in range(1, 65):\n    try: signal.signal(s, signal.SIG_IGN)\n"
        "    except (OSError, ValueError): pass\n"
        "while True: pass",
        "timeout",
    ),
    "kills the server": ("import os, signal\nos.kill(os.getppid(), signal.SIGKILL)\nwhile True: pass", "crashed"),
}


@pytest.mark.thorough
@pytest.mark.parametrize(("program", "status"), HOSTILE.values(), ids=HOSTILE.keys())
def test_a_child_without_any_layer_that(program: str, status: str) -> None:
    assert run(program, Limits(seconds=0.5), layers=BARE).status == status
    assert run("print('next')").output == "next\n"


@pytest.mark.thorough
def test_a_server_that_hangs_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.sandbox.processes.forking.SLACK", 0.3)
    program = (
        "import os, signal\nsignal.signal(signal.SIGALRM, signal.SIG_IGN)\nos.kill(os.getppid(), signal.SIGSTOP)\n"
        "while True: pass"
    )
    assert run(program, Limits(seconds=0.3), layers=BARE).status == "crashed"
    assert run("print('next')").output == "next\n"


@pytest.mark.thorough
def test_children_go_with_their_server() -> None:
    server = Server()
    found: list[RunResult] = []
    program = "import os\nprint(os.getpid())\nwhile True: pass"
    one = threading.Thread(target=lambda: found.append(do(server, program, layers=BARE)))
    one.start()
    while not server.waiting:
        time.sleep(0.01)
    time.sleep(0.5)
    server.process.kill()
    one.join()
    server.close()
    assert found[0].status == "crashed"
    child = int(found[0].output)
    for _ in range(200):
        if not os.path.exists(f"/proc/{child}"):
            break
        time.sleep(0.05)
    assert not os.path.exists(f"/proc/{child}")


def test_a_run_that_is_stopped_ends_at_once() -> None:
    stop = threading.Event()
    threading.Timer(0.3, stop.set).start()
    began = time.monotonic()
    with pytest.raises(runner.Stopped):
        run("while True: pass", Limits(seconds=60), stop=stop)
    assert time.monotonic() - began < 30


# --- time -----------------------------------------------------------------------------------------------------------------


def test_the_longest_run_takes_less_than_four_seconds() -> None:
    assert Limits().seconds + GRACE < 3.75
    assert GRACE < SLACK


STUCK = {
    "a power": "x = 1\ny = pow(10, 10 ** 9)",
    "a product": "import numpy as np\na = np.ones((20_000, 20_000), dtype='f4') @ np.ones((20_000, 20_000), dtype='f4')",
    "a pattern": "import re\nre.match('(a+)+$', 'a' * 50 + 'b')",
    "a sum": "x = 1\nsum(range(10 ** 12))",
    "a sleep": "import time\ntime.sleep(1000)",
    "a lock": "import threading\nlock = threading.Lock(); lock.acquire(); lock.acquire()",
    "a string": "x = 1\n'a' * 10 ** 8 in 'a' * (10 ** 8 - 1) + 'b' + 'a' * (10 ** 8 - 1)\nwhile True: pass",
}


@pytest.mark.parametrize("program", STUCK.values(), ids=STUCK.keys())
def test_a_program_is_stopped_and_its_line_is_known_when_it_is_stuck_in(program: str) -> None:
    result = run(program, Limits(seconds=0.4, memory_mb=8_000), layers=ALONE)
    assert result.status == "timeout"
    assert result.error is not None
    assert result.error.line in (2, 3)
    assert result.error.message.startswith("the program was stopped after 0.4 seconds, in line ")


# --- where the filter is missing ------------------------------------------------------------------------------------------


class Without:
    """A sandbox on a machine without the filter."""

    layer = SystemLayer(seccomp=False, landlock=7)
    alive = True

    def exchange(self, job: Job, collected: object, stop: object = None) -> None:
        raise AssertionError("a program was run")

    def close(self) -> None:
        pass


def test_a_public_installation_without_the_filter_runs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "_running", {(PROGRAMS,): runner.Guarded(Without())})
    monkeypatch.setattr("engine.sandbox.runner.settings", lambda: Settings(hosted=True))
    assert "seccomp" in runner.refusal()
    assert not runner.isolated()
    result = run("print(1)")
    assert (result.status, result.output) == ("crashed", "")
    assert result.error is not None
    assert result.error.type == "HostError"
    assert "seccomp" in result.error.message
    assert "operator" in result.error.help


def test_a_public_installation_lets_no_layer_be_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.sandbox.runner.settings", lambda: Settings(hosted=True))
    if runner.server().layer.seccomp:
        assert runner.refusal() == ""
        assert run("print(1)").output == "1\n"
    for layers in (ALONE, BARE, Layers(system=False)):
        result = run("print(1)", layers=layers)
        assert result.error is not None
        assert result.error.type == "HostError"


def test_elsewhere_there_is_no_refusal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "_running", {(PROGRAMS,): runner.Guarded(Without())})
    monkeypatch.setattr("engine.sandbox.runner.settings", Settings)
    assert runner.refusal() == ""
    assert not runner.isolated()
