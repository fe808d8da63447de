"""What rooms do for others that do not know them, and that no message to the sandbox says what is imported."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from engine.program import Program
from engine.sandbox import Limits
from engine.sandbox.processes import child
from engine.sandbox.runner import backend, job_for, server
from engine.sandbox.transport.receiver import Collected
from engine.slots import Slots, slots

ROOT = Path(__file__).resolve().parents[2]


class Taken(Collected):
    """Notes which frames come."""

    def __init__(self) -> None:
        super().__init__()
        self.kinds: list[bytes] = []

    def take(self, kind: bytes, body: bytes) -> None:
        self.kinds.append(kind)


def test_a_recording_has_a_picture_where_nothing_else_was_imported() -> None:
    program = (
        "import sys\nfrom engine.recording import Recording\nassert 'engine.export' not in sys.modules\n"
        "print(Recording()._repr_html_())"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "<div>0 events · 0 tensors · 0 backward passes</div>\n"


def test_programs_run_here_unless_they_go_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    assert backend() is server()
    monkeypatch.setattr(slots, "elsewhere", lambda: "elsewhere")
    assert backend() == "elsewhere"


def test_an_empty_slot_says_so() -> None:
    with pytest.raises(RuntimeError, match="nothing has been put there"):
        Slots().picture(None)


def test_every_kind_of_job_is_work() -> None:
    assert set(slots.jobs) == {"check", "sweep"}
    for load in slots.jobs.values():
        assert issubclass(load(), child.Run)


@pytest.mark.parametrize("kind", ["os", "engine.experiments.gradcheck.child:CheckRun", "Check", " "])
def test_a_job_of_a_kind_that_there_is_not_is_not_done(kind: str) -> None:
    taken = Taken()
    job = job_for(Program.from_text("print(1)"), Limits(seconds=5.0), kind=kind, request=b"\x80")
    end = server().exchange(job, taken, threading.Event())
    assert taken.kinds == []
    assert end == (1, False)
