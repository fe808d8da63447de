"""A server that is killed, stopped or hangs is not the program's fault: its runs are done once more, and never twice."""

from __future__ import annotations

import logging
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from engine.experiments.gradcheck.messages import CheckRequest
from engine.experiments.gradcheck.parent import check
from engine.program import Program
from engine.sandbox import Control, Layers, Limits, RunResult, run, runner
from engine.sandbox.processes import forking, retrying
from engine.sandbox.processes.forking import Server
from engine.sandbox.runner import Stopped
from engine.serving.pool import Pool

BARE = Layers(language=False, system=False)
WAITS = "import torch, time\nx = torch.ones(3)\nprint('begun')\ntime.sleep({seconds})\nprint('ended')\n"
GATED = (
    "import torch, os, time\nx = torch.ones(3)\nprint('begun')\n"
    "while not os.path.exists({gate!r}): time.sleep(0.01)\nprint({number}, 'ended')\n"
)
"""Goes on when the test has made a file; it needs to get at that, so no layer may hold."""
KILLS = "import os, signal, time\nprint('kills')\nos.kill(os.getppid(), signal.SIGKILL)\ntime.sleep(60)\n"
PATIENCE = 60.0
OURS = "a run of the tests of retrying"
"""The name of the threads in which runs are under way."""


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    """No program is suspected yet, and there is a server that has just done something."""
    retrying._suspects.clear()
    assert run("pass", Limits(seconds=60)).status == "ok"
    retrying._suspects.clear()
    yield
    retrying._suspects.clear()


@pytest.fixture
def said(caplog: pytest.LogCaptureFixture) -> Callable[[], list[str]]:
    """What the operator reads of the runs of this test: those of other tests that are still under way lose the server, too."""
    caplog.set_level(logging.WARNING, "gradtape.sandbox")
    ours = (threading.main_thread().name, OURS)
    return lambda: [
        record.message for record in caplog.records if record.name == "gradtape.sandbox" and record.threadName in ours
    ]


def server() -> Server:
    local = runner.server().local
    assert isinstance(local, Server)
    return local


def until(condition: Callable[[], object], what: str) -> None:
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, f"never happened: {what}"
        time.sleep(0.01)


class Under:
    """Runs under way at the same time."""

    def __init__(self, programs: dict[str, str], limits: Limits = Limits(seconds=60), layers: Layers = Layers()) -> None:  # noqa: B008
        self.results: dict[str, RunResult] = {}
        self.controls = {name: Control() for name in programs}
        self.threads = [
            threading.Thread(target=self._one, args=(name, text, limits, layers), name=OURS, daemon=True)
            for name, text in programs.items()
        ]
        for thread in self.threads:
            thread.start()

    def _one(self, name: str, text: str, limits: Limits, layers: Layers) -> None:
        self.results[name] = run(text, limits, control=self.controls[name], layers=layers)

    def begun(self) -> None:
        """Wait until all of them have recorded and printed something."""
        until(lambda: all(control.events > 2 for control in self.controls.values()), "all have begun")

    def ended(self) -> dict[str, RunResult]:
        for thread in self.threads:
            thread.join(PATIENCE)
        assert not any(thread.is_alive() for thread in self.threads)
        return self.results


@pytest.mark.thorough
def test_runs_under_way_when_the_server_is_killed_are_done_once_more(said: Callable[[], list[str]], tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    runs = Under({str(k): GATED.format(gate=str(gate), number=k) for k in range(3)}, layers=BARE)
    runs.begun()
    server().process.kill()
    until(lambda: len(said()) == 3, "each of them has lost its server")
    gate.touch()
    for number, result in runs.ended().items():
        assert (result.status, result.output) == ("ok", f"begun\n{number} ended\n")
        assert result.recording is not None
        result.recording.check()
    assert said() == ["the server that runs programs has died; a run is done once more"] * 3
    assert not retrying._suspects, "they have come to their end"
    assert run("print('next')").output == "next\n"


@pytest.mark.thorough
def test_a_stopped_server_is_noticed_and_replaced(monkeypatch: pytest.MonkeyPatch, said: Callable[[], list[str]]) -> None:
    monkeypatch.setattr(forking, "SIGN", 0.5)
    stopped = server()
    os.kill(stopped.process.pid, signal.SIGSTOP)
    result = run("print('hello' + ' ' * 100_000)", Limits(seconds=60))
    assert (result.status, result.output[:5]) == ("ok", "hello")
    assert said() == ["the server that runs programs does not answer; a run is done once more"]
    assert run("print('next')").output == "next\n"
    assert stopped.process.poll() is not None, "nothing is left of it"


def test_a_server_that_is_stopped_while_runs_are_under_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forking, "SLACK", 0.5)
    runs = Under(
        {"ends": WAITS.format(seconds=0.5), "late": "import torch\nx = torch.ones(3)\nprint('begun')\nwhile True: pass"},
        Limits(seconds=2),
    )
    runs.begun()
    stopped = server().process
    os.kill(stopped.pid, signal.SIGSTOP)
    found = runs.ended()
    stopped.kill()
    assert found["ends"].status == "ok", "its own process was not stopped"
    assert found["late"].status == "timeout"
    assert found["late"].output == "begun\n"


@pytest.mark.thorough
def test_a_program_that_kills_servers_takes_down_no_other_run_twice(said: Callable[[], list[str]], tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    innocent = Under({str(k): GATED.format(gate=str(gate), number=k) for k in range(2)}, layers=BARE)
    innocent.begun()
    killing = Under({"killer": KILLS}, layers=BARE)
    until(lambda: len(said()) == 3, "the server has been killed")
    gate.touch()
    killer = killing.ended()["killer"]
    assert killer.status == "crashed"
    assert killer.error is not None
    assert killer.error.type == "HostError"
    assert "not the program's fault" in killer.error.help or "stopped while this one ran" in killer.error.message
    assert {result.status for result in innocent.ended().values()} == {"ok"}
    assert said().count("the server that runs programs has died; a run is done once more") == 3, "each of them once"
    shared = server()
    again = run(KILLS, Limits(seconds=60), layers=BARE)
    assert again.status == "crashed"
    assert shared.process.poll() is None, "from now on it has servers of its own"
    assert server() is shared


@pytest.mark.thorough
def test_a_run_is_charged_for_both_tries_to_the_same_visitor() -> None:
    pool = Pool(2, 10, 4)
    try:
        control = Control()
        ticket = pool.submit(
            "visitor", lambda stop: run(WAITS.format(seconds=0.6), Limits(seconds=60), stop=stop, control=control)
        )
        until(lambda: control.events, "it has begun")
        server().process.kill()
        result = ticket.result(PATIENCE)
        assert result.status == "ok"
        assert ticket.seconds >= result.seconds >= 0.6
        until(lambda: not pool.running, "the slot is free")
        assert set(pool._used) == {"visitor"}
        assert pool._used["visitor"][0] >= 0.6
    finally:
        pool.close()


@pytest.mark.thorough
def test_a_run_can_be_called_off_while_it_waits_for_a_server_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retrying, "_alone", threading.BoundedSemaphore(1))
    with retrying._alone:
        control, stop = Control(), threading.Event()
        ended: list[bool] = []

        def one() -> None:
            with pytest.raises(Stopped):
                run(WAITS.format(seconds=5), Limits(seconds=60), stop=stop, control=control)
            ended.append(True)

        thread = threading.Thread(target=one)
        thread.start()
        until(lambda: control.events, "it has begun")
        server().process.kill()
        until(lambda: retrying._suspects, "it is to be done once more")
        stop.set()
        thread.join(PATIENCE)
        assert ended == [True]


@pytest.mark.thorough
def test_when_there_is_no_server_at_all_it_is_not_the_programs_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*_: object) -> Server:
        raise OSError("no processes")

    control = Control()
    threading.Thread(
        target=lambda: (until(lambda: control.events, "it has begun"), server().process.kill()), daemon=True
    ).start()
    monkeypatch.setattr(runner, "_start", none)
    result = run(WAITS.format(seconds=30), Limits(seconds=60), control=control)
    assert result.status == "crashed"
    assert result.error is not None
    assert result.error.type == "HostError"
    assert result.error.help
    monkeypatch.undo()
    assert run("print('next')").output == "next\n"


@pytest.mark.thorough
def test_a_check_is_done_once_more_too() -> None:
    program = Program.from_text(
        "import torch, time\nx = torch.ones(2, requires_grad=True)\ntime.sleep(0.3)\n(x * x).sum().backward()"
    )
    threading.Timer(0.2, server().process.kill).start()
    assert check(program, CheckRequest(1), Limits(seconds=60)).status == "ok"


@pytest.mark.thorough
def test_a_child_that_is_killed_from_outside_keeps_what_it_recorded() -> None:
    runs = Under({"run": "import torch\nx = torch.ones(3)\nprint('begun')\nimport time\ntime.sleep(60)\n"})
    runs.begun()
    until(lambda: children(), "the child")
    for child in children():
        os.kill(child, signal.SIGKILL)
    result = runs.ended()["run"]
    assert (result.status, result.output) == ("crashed", "begun\n")
    assert result.error is not None
    assert "from outside" in result.error.message
    assert result.recording is not None
    assert run("print('next')").output == "next\n"


@pytest.mark.thorough
def test_a_child_that_is_stopped_from_outside_ends_with_its_time() -> None:
    runs = Under({"run": "import torch\nx = torch.ones(3)\nprint('begun')\nwhile True: pass\n"}, Limits(seconds=1.0))
    runs.begun()
    for child in children():
        os.kill(child, signal.SIGSTOP)
    result = runs.ended()["run"]
    assert (result.status, result.output) == ("timeout", "begun\n")
    assert result.recording is not None


def children() -> list[int]:
    pid = server().process.pid
    return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


# --- a run that the user stops ------------------------------------------------------------------------------------------------


STOPPED = {
    "computes": ("while True: x = x + 1", 5),
    "prints": ("while True: print('x')", 5),
    "sleeps": ("import time\ntime.sleep(1000)", 6),
    "catches everything": ("while True:\n    try:\n        while True: pass\n    except BaseException: pass", 0),
    "is stuck in C": ("y = pow(10, 10 ** 9) % 7", 5),
}


@pytest.mark.parametrize(("ending", "line"), STOPPED.values(), ids=STOPPED.keys())
def test_a_run_that_is_stopped_keeps_what_it_has_recorded(ending: str, line: int) -> None:
    runs = Under(
        {"run": f"import torch\nx = torch.ones(3)\nprint('begun')\nx = x * 2\n{ending}"},
        Limits(seconds=120, output_chars=10**7),
    )
    until(lambda: runs.controls["run"].events > 4, "it has begun")
    began = time.monotonic()
    runs.controls["run"].halt.set()
    result = runs.ended()["run"]
    assert time.monotonic() - began < PATIENCE
    assert result.status == "timeout"
    assert result.error is not None
    assert result.error.type == "KeyboardInterrupt"
    assert result.error.message.startswith("you stopped it")
    assert result.error.line == line or not line
    assert result.output.startswith("begun\n")
    assert result.recording is not None
    assert len(result.recording.events) > 4
    result.recording.check()


def test_a_run_that_is_stopped_when_its_server_has_died_keeps_what_has_come() -> None:
    runs = Under({"run": WAITS.format(seconds=60)})
    runs.begun()
    runs.controls["run"].halt.set()
    server().process.kill()
    result = runs.ended()["run"]
    assert result.status == "timeout"
    assert result.output == "begun\n"
