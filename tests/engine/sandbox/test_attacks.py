"""No attack reaches its goal: not with both layers, and not the goals that one layer prevents alone."""

from __future__ import annotations

import os
import re
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

import pytest

from engine.program import Program
from engine.sandbox import Layers, Limits, RunResult, run
from engine.sandbox.processes.forking import Server
from engine.sandbox.runner import job_for, server
from engine.sandbox.transport.receiver import STATUSES, CollectedRun
from tests.corpus import Case
from tests.engine.sandbox.attacks import GOALS, OUTSIDE, attacks, filled
from tests.thorough import THOROUGH

CORPUS = attacks()
SYSTEM = ("files", "network", "processes", "forging")
"""Classes of attacks on the system layer: there every goal counts."""
SECRET, CANARY = "what stands in the file 5f1d7c", "what stands in the environment 8ae24b"
PROMISED = 4.0
"""Seconds from the call of any program to its result."""
Bare = Callable[..., RunResult]
SHORT, PATIENT = Limits(seconds=0.3, events=50_000), Limits(seconds=30)
SHORTEST = Limits(seconds=0.15, events=50_000)
"""For what takes its time from the first moment on."""

INSIDES = re.compile(
    r"<module '[^']*' [(f]|<frame (at|object)|<code object|'__builtins__':|<_frozen_importlib|<class 'os\."
    r"|<built-in function (eval|exec|open|compile|__import__)>|<built-in method __(subclasses|reduce|reduce_ex|getattribute)"
)
"""How Python writes what no program is to have."""
MEMORY = re.compile(r"^0x[0-9a-f]+$|REACHED", re.M)


@dataclass(frozen=True)
class Places:
    """Where attacks are aimed."""

    secret: Path
    target: Path
    listener: socket.socket

    def fill(self, attack: Case) -> str:
        """The program."""
        return filled(attack, SECRET=self.secret, TARGET=self.target, PORT=self.listener.getsockname()[1])

    def connected(self) -> bool:
        """Whether somebody has come."""
        try:
            self.listener.accept()[0].close()
        except BlockingIOError:
            return False
        return True


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Places]:
    (tmp_path / "secret").write_text(SECRET)
    monkeypatch.setenv("CANARY", CANARY)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.setblocking(False)
        yield Places(tmp_path / "secret", tmp_path / "target", listener)


@pytest.fixture(scope="module")
def bare() -> Iterator[Bare]:
    """Runs a program where Landlock holds for nobody, so that each layer stands for itself."""
    alone = Server(landlocked=False)

    def run_there(text: str, layers: Layers, limits: Limits = SHORT) -> RunResult:
        program = Program.from_text(text)
        collected = CollectedRun(program, limits)
        return collected.result(alone.exchange(job_for(program, limits, layers=layers), collected), 0.0)

    yield run_there
    alone.close()


def reached(attack: Case, result: RunResult, places: Places) -> bool:
    """Whether the goal is seen to be reached."""
    error = result.error
    said = result.output + (f"{error.type} {error.message} {error.traceback}" if error is not None else "")
    match attack["goal"]:
        case "reads":
            return SECRET in said
        case "environment":
            return CANARY in said
        case "writes" | "starts":
            return os.path.lexists(places.target)
        case "connects":
            return places.connected()
        case "sees":
            return INSIDES.search(said) is not None
        case "memory":
            return MEMORY.search(result.output) is not None
        case "marks":
            return "REACHED" in result.output
        case "forges":
            return any("FORGED" in cell.output for cell in result.cells) and "print('FORGED')" not in attack.text
    return False


def ids(attack: Case) -> str:
    return f"{attack.group}: {attack.name}"


@pytest.mark.parametrize("attack", [a for a in CORPUS if a["goal"] != "slow"], ids=ids)
def test_no_goal_is_reached(attack: Case, places: Places, bare: Bare) -> None:
    program = places.fill(attack)
    # What stays within Python harms nobody else but by bringing the server down, which every tenth would show as well. Where
    # one layer holds alone, both do, which CI tries of all.
    tenth = CORPUS.index(attack) % 10 == 0
    if THOROUGH or tenth or attack.group in SYSTEM:
        with others_undisturbed() if tenth or attack.group in SYSTEM else nullcontext():
            began = time.monotonic()
            result = run(program, SHORT)
            assert time.monotonic() - began < PROMISED
        assert result.status in STATUSES
        assert not reached(attack, result, places), "with both layers"

    assert not reached(attack, bare(program, Layers(system=False)), places), "with the language layer alone"
    if attack["goal"] in OUTSIDE or attack.group in ("files", "network", "processes"):
        assert not reached(attack, bare(program, Layers(language=False)), places), "with the system layer alone"
    if attack.group == "forging":
        with others_undisturbed():
            run(program, SHORT, layers=Layers(language=False))
    if attack.group in SYSTEM:
        assert bare("print('next')", Layers(), PATIENT).output == "next\n"


@pytest.mark.parametrize("attack", [a for a in CORPUS if a["goal"] == "slow"], ids=ids)
def test_nobody_is_held_up(attack: Case, places: Places) -> None:
    program = places.fill(attack)
    began = time.monotonic()
    result = run(program, SHORTEST)
    assert time.monotonic() - began < PROMISED
    assert result.status in STATUSES
    assert len(result.output) <= SHORTEST.output_chars + 100
    if attack.group in SYSTEM:
        assert run(program, SHORTEST, layers=Layers(language=False)).status in STATUSES
    assert run("print('next')", PATIENT).output == "next\n"


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("name", "limits"),
    [
        ("a loop that catches everything", Limits()),
        *((name, Limits(seconds=1.0)) for name in (
            "kept small things", "a loop in an error's text", "a large power", "backtracking",
            "a graph without end", "output that is caught",
        )),
    ],
)  # fmt: skip
def test_it_is_over_within_the_time_that_is_promised(name: str, limits: Limits) -> None:
    program = next(a.text for a in CORPUS if a.name == name)
    run("pass")
    began = time.monotonic()
    result = run(program, limits)
    assert time.monotonic() - began < PROMISED
    assert result.status in ("timeout", "memory", "too_large")


@pytest.mark.parametrize(
    ("group", "name"),
    [
        ("files", "open"), ("files", "create"), ("network", "connect"), ("processes", "fork"), ("imports", "eval"),
        ("frames", "sys getframe"), ("numpy", "array interface"), ("files", "a directory"),
        ("forging", "writes an end to every descriptor"),
    ],
)  # fmt: skip
def test_without_any_layer_it_is_seen_that_the_goal_is_reached(group: str, name: str, places: Places, bare: Bare) -> None:
    attack = next(a for a in CORPUS if (a.group, a.name) == (group, name))
    result = bare(places.fill(attack), Layers(language=False, system=False))
    assert reached(attack, result, places), "the goal is not seen to be reached where nothing prevents it"


def test_there_are_programs_of_every_kind() -> None:
    assert len(CORPUS) == len({(a.group, a.name) for a in CORPUS})
    assert {a["goal"] for a in CORPUS} == set(GOALS)
    assert min(Counter(a.group for a in CORPUS).values()) >= 10


class others_undisturbed:  # noqa: N801
    """Meanwhile another visitor's program runs, and its result is its own."""

    def __enter__(self) -> None:
        self.results: list[RunResult] = []
        started = threading.Event()

        def honest() -> None:
            started.set()
            self.results.append(run("import time\ntime.sleep(0.02)\nprint('honest')", PATIENT))

        self.thread = threading.Thread(target=honest)
        self.before = server()
        self.thread.start()
        started.wait()

    def __exit__(self, *_: object) -> None:
        self.thread.join()
        assert [(r.status, r.output) for r in self.results] == [("ok", "honest\n")]
        assert server() is self.before, "the sandbox's server has died"
