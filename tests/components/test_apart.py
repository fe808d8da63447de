"""Pictures of long recordings that another process draws are those that the page would have drawn."""

from __future__ import annotations

import json
from typing import Any

import pytest

from components.player import feed, isolated
from components.player.picture import Wish, drawing
from components.player.protocol import Holds, Window
from engine.diagnosis import findings
from engine.diagnosis.contributions import edge_lines
from engine.graph.rolled_graph import rolled_graph
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


def made_here(recording: Recording, wish: Wish, pinned: Recording | None = None, window: Window | None = None) -> Any:
    """The parts of a picture that the page makes itself."""
    parts = feed.parts_of(drawing(recording, wish, pinned), edge_lines(recording), window)
    return {name: plain(make()) for name, make in parts.make.items() if name not in ("outline", "sketch", "told", "found")}


@pytest.mark.parametrize(
    "wish", [Wish("tensors", "LR", "run", "auto"), Wish("autograd", "TB", "run", "none", ())], ids=("first view", "unfolded")
)
def test_another_process_draws_the_same_picture(wish: Wish) -> None:
    recording = recorded(20)
    made = isolated.picture(recording, None, wish)
    assert plain(made.made) == made_here(recording, wish)
    assert plain(made.made)["drawn"]["rolled"]["worth"]
    assert made.findings == findings(recording)
    assert made.findings


def test_another_process_draws_the_same_rolled_picture() -> None:
    recording = recorded(300)
    wish, window = Wish("tensors", "LR", "run", "auto", None, True, (), "loop.py"), rolled_graph(recording).window(500)
    made = isolated.picture(recording, None, wish, window)
    findings(recording)  # the other process does not leave them to the page
    assert plain(made.made) == made_here(recording, wish, None, window)
    assert feed.next_parts(made.parts(), Holds()) == ["run", "drawn", "moments", "details"]


def test_a_picture_merged_with_a_pinned_run_too() -> None:
    recording, pinned, wish = recorded(5), recorded(4), Wish("tensors", "LR", "run", "auto")
    made = isolated.picture(recording, pinned, wish)
    assert plain(made.made) == made_here(recording, wish, pinned)
    assert plain(made.made)["overlay"]["nodes"]


def test_what_comes_later_of_a_large_picture_comes_along() -> None:
    recording, wish = recorded(300), Wish("tensors", "LR", "run", "auto")
    made = isolated.picture(recording, None, wish)
    assert plain(made.made) == made_here(recording, wish)
    held = Holds(tape=made.tape, rev=made.rev)
    assert feed.next_parts(made.parts(), Holds()) == ["run", "drawn"]
    assert feed.next_parts(made.parts(), held) == ["moments", "details"]
    late = plain(feed.message(made.parts(), held))
    assert len(late["moments"]["captions"]) == len(recording.events)


def test_a_picture_that_takes_too_much_is_refused_with_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    recording = recorded(300)
    monkeypatch.setattr(isolated, "PICTURE", Function(isolated.PICTURE.name, seconds=0.02))
    with pytest.raises(CallError, match=r"more than 0\.02 seconds"):
        isolated.picture(recording, None, Wish("tensors", "LR", "run", "auto"))


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
