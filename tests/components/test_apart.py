"""Pictures of long recordings that another process draws are those that the page would have drawn."""

from __future__ import annotations

import json
from typing import Any

import pytest

from components.player import isolated
from components.player.isolated import Wish
from components.player.payload import drawing, late_details, packed, payload
from components.player.rolled import not_rolled, rolled_drawing, rolled_payload
from components.player.tape import late_captions
from engine.diagnosis import findings
from engine.diagnosis.contributions import edge_lines
from engine.graph.rolled_view import rolled_view
from engine.recording import Recording
from engine.sandbox import Limits, run
from engine.sandbox.calls import CallError, Function
from engine.sandbox.settings import Settings

LOOP = """
import torch
w = torch.tensor([1.0, 2.0], requires_grad=True)
for i in range({}):
    loss = (w * i).pow(2).sum()
    loss.backward()
(w - 5).log().sum().backward()
"""


def recorded(iterations: int) -> Recording:
    recording = run(LOOP.format(iterations), Limits(seconds=60)).recording
    assert recording is not None
    return recording


def plain(data: Any) -> Any:
    """Data as the player reads it."""
    import msgspec

    return json.loads(msgspec.json.encode(data))


@pytest.mark.parametrize(
    ("view", "direction", "fold", "opened"), [("tensors", "LR", "auto", None), ("autograd", "TB", "none", ())]
)
def test_another_process_draws_the_same_picture(view: str, direction: str, fold: Any, opened: Any) -> None:
    recording = recorded(20)
    made = isolated.picture(recording, None, Wish(view, direction, "run", fold, opened))
    here = drawing(recording, view, direction, "run", None, fold, opened)
    assert plain(made.data()) == plain(packed(payload(here, edge_lines(recording))) | {"rolled": not_rolled(True)})
    assert made.findings == findings(recording)
    assert made.findings


def test_another_process_draws_the_same_rolled_picture() -> None:
    recording = recorded(300)
    window = rolled_view(recording).window(500)
    made = isolated.picture(recording, None, Wish("tensors", "LR", "run", "auto", None, True, (), window, "loop.py"))
    findings(recording)  # the other process does not leave them to the page
    here = rolled_payload(rolled_drawing(recording, run="run"), window, edge_lines(recording), "loop.py")
    assert plain(made.data()) == plain(packed(here))
    assert made.late() == {}


def test_a_picture_merged_with_a_pinned_run_too() -> None:
    recording, pinned = recorded(5), recorded(4)
    made = isolated.picture(recording, pinned, Wish("tensors", "LR", "run", "auto", None))
    here = drawing(recording, "tensors", "LR", "run", pinned, "auto", None)
    assert plain(made.data()) == plain(packed(payload(here, edge_lines(recording))))


def test_what_comes_later_of_a_large_picture_comes_along() -> None:
    recording = recorded(300)
    wish = Wish("tensors", "LR", "run", "auto", None)
    made = isolated.picture(recording, None, wish)
    here = drawing(recording, "tensors", "LR", "run", None, "auto", None)
    lines = edge_lines(recording)
    assert plain(made.data()) == plain(packed(payload(here, lines, complete=False)) | {"rolled": not_rolled(True)})
    late = {name: plain(part()) for name, part in made.late().items()}
    assert late == plain(
        {"captions": late_captions(recording), "details": late_details(recording, "tensors", "auto", None, lines)}
    )


def test_a_picture_that_takes_too_much_is_refused_with_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    recording = recorded(300)
    monkeypatch.setattr(isolated, "PICTURE", Function(isolated.PICTURE.name, seconds=0.02))
    with pytest.raises(CallError, match=r"more than 0\.02 seconds"):
        isolated.picture(recording, None, Wish("tensors", "LR", "run", "auto", None))


def test_only_long_recordings_of_strangers_are_drawn_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    short, long = recorded(5), recorded(300)
    assert not isolated.wanted(long)
    monkeypatch.setattr(isolated, "settings", lambda: Settings(hosted=True))
    assert isolated.wanted(long)
    assert not isolated.wanted(short)


def test_a_few_events_with_very_many_inputs_count_as_many(monkeypatch: pytest.MonkeyPatch) -> None:
    wide = run("import torch\nx = [torch.ones(1)] * 200\nfor _ in range(50): torch.stack(x)\n", Limits(seconds=60)).recording
    assert wide is not None
    assert len(wide.events) < 200
    monkeypatch.setattr(isolated, "settings", lambda: Settings(hosted=True))
    assert isolated.wanted(wide)
