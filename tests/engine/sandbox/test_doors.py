"""What calls back into a program: no callee frees, changes or sees more than its own, with the language layer alone.

The programs stand in `corpus/doors`, each with how it is to end and what it prints. They run where freed memory is filled at
once, so that whoever uses it again crashes.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.program import Program
from engine.recording import Recording, replay
from engine.sandbox import Layers, Limits, RunResult
from engine.sandbox.processes.forking import Server
from engine.sandbox.runner import job_for
from engine.sandbox.system.faults import FILLED, FREED
from engine.sandbox.transport.receiver import CollectedRun
from tests.corpus import Case, corpora

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the server is Linux's")

REACHED = re.compile(r"<frame (at|object)|<code object|<module '[^']*' [(f]|<traceback object|__builtins__|REACHED")


DOORS = list(corpora(Path(__file__).parent / "corpus/doors"))


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """A server whose children fill memory that is freed."""
    found = Server(landlocked=False, python=FREED, environment=FILLED)
    yield found
    found.close()


def do(server: Server, text: str, layers: Layers) -> RunResult:
    program, limits = Program.from_text(text), Limits(seconds=120)
    collected = CollectedRun(program, limits)
    return collected.result(server.exchange(job_for(program, limits, layers=layers), collected), 0.0)


@pytest.mark.thorough
@pytest.mark.parametrize("door", DOORS, ids=lambda door: f"{door.group}: {door.name}")
def test_a_callee_reaches_nothing_through(door: Case, server: Server) -> None:
    result = do(server, door.text, Layers(system=False))
    error = result.error
    kind, _, name = door["ends"].partition(" ")
    if kind != "any":
        printed = door["prints"] + "\n" if "prints" in door.said else ""
        assert (result.status, result.output) == (kind, printed), error
        assert not name or (error is not None and error.type == name), error
    assert result.status != "crashed"
    assert not REACHED.search(result.output + (error.message + error.traceback if error is not None else ""))
    assert result.recording is not None
    reread = Recording.load(result.recording.to_bytes())
    replay(reread, len(reread.events) - 1)


def test_there_are_doors_of_every_kind() -> None:
    assert len(DOORS) == len({(d.group, d.name) for d in DOORS}) >= 220
    assert len({d.group for d in DOORS}) >= 6


def test_it_is_seen_when_freed_memory_is_used(server: Server) -> None:
    program = next(d.text for d in DOORS if d.name == "objects in an array emptied by its own sort")
    assert do(server, program, Layers(language=False, system=False)).status == "crashed"
