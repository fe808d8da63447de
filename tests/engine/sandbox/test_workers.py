"""Single-use workers, as on systems where forking is not safe: every ending, the audit hook alone, and nobody left behind."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Iterator

import pytest

from engine.limits import EVENTS
from engine.sandbox import Layers, Limits, RunResult, run, runner
from engine.sandbox.processes.forking import ROOT
from engine.sandbox.processes.spawning import Workers
from engine.sandbox.system.lockdown import bounds
from engine.sandbox.transport.messages import FULL, PROGRAMS
from tests.engine.sandbox.reaching import REACHES
from tests.engine.sandbox.test_innocent import ODD, past
from tests.engine.sandbox.test_innocent import ran as odd
from tests.engine.sandbox.test_limits import ATTACKS, BARE, BEFORE, ENDINGS, names

HOOK_ONLY = Layers(language=False)


@pytest.fixture(scope="module", autouse=True)
def workers() -> Iterator[Workers]:
    """This module's runs go to workers, whatever the system."""
    found = Workers()
    patch = pytest.MonkeyPatch()
    patch.setattr(runner, "_running", {(PROGRAMS,): runner.Guarded(found)})
    yield found
    patch.undo()
    found.close()


# What needs limits that some systems lack is tried where they are.
@pytest.mark.thorough
@pytest.mark.parametrize(("ending", "status"), ENDINGS.values(), ids=ENDINGS.keys())
def test_a_program_that(ending: str, status: str) -> None:
    result = run(BEFORE + ending, Limits(seconds=0.8 if status == "timeout" else 30, events=4_000, output_chars=200_000))
    if status == "memory" and sys.platform != "linux":
        pytest.skip("only Linux limits a process's memory")
    assert result.status == status
    assert result.output.startswith("before\n")
    assert names(result)[0] == "ones"


@pytest.mark.thorough
@pytest.mark.parametrize("name", [n for n in ATTACKS if n != "crashes the interpreter"])
def test_a_process_without_any_defence_that(name: str) -> None:
    ending, _ = ATTACKS[name]
    # Here the messages go to where programs elsewhere have their output.
    result = run(BEFORE + ending.replace("range(3, 40)", "range(40)"), Limits(seconds=30), layers=BARE)
    assert result.status == "crashed"


@pytest.mark.thorough
def test_the_next_program_is_not_touched() -> None:
    run("import os; os._exit(3)", Limits(seconds=30), layers=BARE)
    assert run("print('next')").output == "next\n"


PYTHON = {
    name: code
    for name, code in REACHES.items()
    if not any(c in code for c in ("call(", "system(3", "system(4")) and "resource" not in code and "asks who" not in name
} | {"gets at C": "import ctypes\nprint('REACHED', ctypes.CDLL(None))"}
NOT_HELD = (
    "asks whether a file exists", "follows a link", "asks where it is", "makes a file in memory", "makes a pipe",
    "copies a file descriptor", "waits for others", "asks for the machine's name", "waits for events",
    "takes precedence", "ignores the alarm", "blocks signals", "starts a thread", "makes executable memory",
)  # fmt: skip
"""What Python tells no audit hook, or what cannot get at anything of others."""


def test_the_audit_hook_alone_holds_what_python_does() -> None:
    tried = {name: code for name, code in PYTHON.items() if name not in NOT_HELD}
    program = (
        f"import ctypes, os, sys\nfor name, code in {tried!r}.items():\n"
        "    print('tries', name)\n    try: exec(code)\n    except (OSError, ImportError, RuntimeError): pass\n"
    )
    result = run(program, Limits(seconds=60), layers=HOOK_ONLY)
    assert "REACHED" not in result.output
    assert result.output.count("tries") == len(tried)


@pytest.mark.thorough
def test_runs_at_the_same_time_do_not_mix() -> None:
    results: dict[int, RunResult] = {}

    def one(k: int) -> None:
        results[k] = run(f"print({k})", Limits(seconds=60))

    threads = [threading.Thread(target=one, args=(k,)) for k in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert {k: r.output for k, r in results.items()} == {k: f"{k}\n" for k in range(4)}


def test_a_run_can_be_stopped() -> None:
    stop = threading.Event()
    threading.Timer(0.3, stop.set).start()
    with pytest.raises(runner.Stopped):
        run("while True: pass", Limits(seconds=60), stop=stop)


def test_a_program_that_is_stuck_in_c_is_killed_and_its_line_is_known() -> None:
    result = run("import re\ny = re.match('(a+)+$', 'a' * 64 + 'b')", Limits(seconds=0.8))
    assert result.status == "timeout"
    assert result.error is not None
    assert result.error.line == 2


def test_there_is_no_isolation_here_and_a_public_installation_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    from engine.sandbox.settings import Settings

    assert not runner.isolated()
    monkeypatch.setattr("engine.sandbox.runner.settings", lambda: Settings(hosted=True))
    assert runner.refusal()
    result = run("print(1)")
    assert result.error is not None
    assert result.error.type == "HostError"


def test_closing_leaves_no_process_behind() -> None:
    found = Workers(ahead=1)
    processes: list[subprocess.Popen[bytes]] = [worker.process for worker in found._ready]
    found.close()
    assert all(p.poll() is not None for p in processes)


@pytest.mark.thorough
def test_where_the_system_limits_no_memory_a_worker_watches_its_own() -> None:
    # Linux counts the peak of the process that started this one as its own: only a fork begins anew.
    program = (
        "import os, sys\nsys.path.insert(0, sys.argv[1])\n"
        "if child := os.fork():\n    sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n"
        "import time\nfrom engine.sandbox.processes.worker import watch_memory\nwatch_memory(100 * 2 ** 20)\nkept = []\n"
        "while len(kept) < 100:\n    kept.append(bytes(10 ** 7) + b'x')\n    time.sleep(0.05)\n"
    )
    assert subprocess.run([sys.executable, "-I", "-c", program, ROOT], timeout=120).returncode == FULL


def test_each_job_has_a_worker_of_its_own() -> None:
    program = "import os\nprint(os.getpid())"
    found = {run(program, Limits(seconds=60), layers=BARE).output for _ in range(2)}
    assert len(found) == 2


def test_on_a_mac_workers_do_the_jobs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    local = runner._start(PROGRAMS, ())
    try:
        assert isinstance(local, Workers)
        assert not local.layer.seccomp
    finally:
        local.close()


def test_what_a_worker_needed_to_begin_is_not_taken_from_the_programs_time(monkeypatch: pytest.MonkeyPatch) -> None:
    before = bounds(Limits(seconds=1))["RLIMIT_CPU"]
    used = time.process_time()
    monkeypatch.setattr("time.process_time", lambda: used + 100)
    assert bounds(Limits(seconds=1))["RLIMIT_CPU"] >= before + 99


@pytest.mark.thorough
def test_a_run_that_is_stopped_keeps_what_it_has_recorded() -> None:
    control = runner.Control()
    program = "import torch\nx = torch.ones(3)\nprint('begun')\nwhile True: x = x + 1"
    results: list[RunResult] = []
    thread = threading.Thread(target=lambda: results.append(run(program, Limits(seconds=120, events=500_000), control=control)))
    thread.start()
    end = time.monotonic() + 60
    while control.events < 3 and time.monotonic() < end:
        time.sleep(0.01)
    control.halt.set()
    thread.join(60)
    (result,) = results
    assert (result.status, result.output) == ("timeout", "begun\n")
    assert result.error is not None
    assert result.error.message.startswith("you stopped it after")
    assert names(result)[0] == "ones"


@pytest.mark.thorough
@pytest.mark.parametrize("name", list(ODD)[::12])
def test_an_odd_program_that(name: str) -> None:
    program, status = ODD[name]
    assert odd(f"print('before')\n{program}").status == status


def test_events_are_cut_at_their_edge() -> None:
    allowed = Limits(seconds=60, events=300)
    program = "import torch\nx = torch.ones(1)\nwhile True:\n    x = x + 1\n    print('a' * 9_000, flush=True)"
    result = past(odd(program, allowed), EVENTS, 300)
    assert result.recording is not None
    assert len(result.recording.events) == 301
