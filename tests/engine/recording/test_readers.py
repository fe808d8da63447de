"""No reader of a recording forgets a kind of event."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest

from engine.context import Observer
from engine.experiments.gradcheck.perturbed import DoubleFollower, Perturbed
from engine.experiments.rerun import Baseline
from engine.experiments.sweep.child import Swept
from engine.recording.events import AnyEvent
from engine.recording.recorder import Recorder
from engine.recording.thin import ThinRecorder
from tests.engine.recording.readers import EVENTS, forgotten, kinds, readers

ROOT = Path(__file__).resolve().parents[3]


def test_every_reader_names_every_kind_of_event() -> None:
    assert not forgotten(ROOT), "say what to do with it, or that it is left alone, in the last `case`"


@pytest.mark.parametrize("kind", [Recorder, ThinRecorder, Baseline, DoubleFollower, Perturbed, Swept])
def test_every_observer_can_be_told_everything(kind: type) -> None:
    told = [name for name in vars(Observer) if not name.startswith("_")]
    assert len(told) > 10
    assert [name for name in told if not hasattr(kind, name)] == []


def test_the_kinds_are_those_of_the_log() -> None:
    assert kinds(ROOT) == [kind.__name__ for kind in get_args(AnyEvent)]


def test_readers_are_found_however_they_tell_kinds_apart(tmp_path: Path) -> None:
    (tmp_path / EVENTS).parent.mkdir(parents=True)
    (tmp_path / EVENTS).write_text("AnyEvent = Ran | Named | Told | Ended\n")
    (tmp_path / "engine/some.py").write_text(
        "TABLE = {Ran: 1, Named: 2, e.Ended: 3}\n"
        "def matched(event):\n    match event:\n        case Ran(op='x') | Named():\n            pass\n"
        "def asked(event):\n    isinstance(event, Ran)\n    isinstance(event, Named | Told)\n"
        "def asked_for_one(event):\n    return isinstance(event, Ran)\n"
        "def whole(event):\n    match event:\n        case Ran():\n            pass\n"
        "        case Named() | Told() | e.Ended():\n            pass\n"
    )
    assert forgotten(tmp_path) == [
        "engine/some.py: TABLE says nothing of Told",
        "engine/some.py: matched says nothing of Told, Ended",
        "engine/some.py: asked says nothing of Ended",
    ]
    assert "engine/some.py: asked_for_one" not in readers(tmp_path)
