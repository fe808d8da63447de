"""What a notebook shows of a recording, and recording from Python itself."""

from __future__ import annotations

import re
from base64 import b64decode
from xml.etree import ElementTree

import pytest

import engine as torch
from engine.graph import build
from engine.recording import Recording, record
from engine.recording.events import BackwardBegan, Named, Raised
from tests.engine.export.hostile import hostile
from tests.engine.export.programs import recorded


def image(html: str) -> ElementTree.Element:
    found = re.search(r'src="data:image/svg\+xml;base64,([^"]+)"', html)
    assert found is not None
    return ElementTree.fromstring(b64decode(found[1]))


def test_a_recording_is_shown_as_a_picture_with_a_line() -> None:
    html = recorded("repeated_backward")._repr_html_()
    assert image(html).tag.endswith("svg")
    assert "50 events · 16 tensors · 2 backward passes · x1.grad = 84 · x2.grad = 46" in html
    assert repr(recorded("repeated_backward")) == "<Recording: 50 events, 2 backward passes>"


def test_hostile_names_are_text() -> None:
    html = hostile()._repr_html_()
    assert set(re.findall(r"<(\w+)", html)) == {"figure", "img", "figcaption"}
    assert not re.search(r"<[^>]*\son\w+=", re.sub(r'"[^"]*"', '""', html))


def test_a_large_recording_is_described_instead() -> None:
    x = torch.ones(1, requires_grad=True)
    with record() as tape:
        y = x
        for _ in range(500):
            y = y * 1.01
    assert "<img" not in tape._repr_html_()
    assert "500 tensors" in tape._repr_html_() or "501 tensors" in tape._repr_html_()


def test_an_empty_recording_is_a_line() -> None:
    assert Recording()._repr_html_() == "<div>0 events · 0 tensors · 0 backward passes</div>"


def test_a_block_is_recorded_with_names_and_lines() -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    before = x * 3
    with record() as tape:
        y = (x**2).sum()
        y.backward()
        after = y.detach()
    recording = tape.recording
    titles = {title for _, title in build(recording).nodes(data="title")}
    assert {"x", "y", "after"} <= titles
    assert "before" not in titles
    assert before is not None
    assert after is not None
    (made,) = [recording.line(history) for history in recording.events if isinstance(history, BackwardBegan)]
    assert recording.source[0].split("\n")[made - 1].strip() == "y.backward()"


def test_names_of_every_turn_of_a_loop_are_noticed() -> None:
    x = torch.ones(1, requires_grad=True)
    with record() as tape:
        for factor in (2, 3, 4):
            y = x * factor
            y.sum().backward()
    assert len({e.tensor for e in tape.recording.events if isinstance(e, Named) and e.name == "y"}) == 3


def test_parameters_are_named_by_their_module() -> None:
    model = torch.nn.Linear(2, 1)
    with record() as tape:
        model(torch.ones(1, 2)).sum().backward()
    assert {"model.weight", "model.bias"} <= {e.name for e in tape.recording.events if isinstance(e, Named)}


def test_a_block_that_fails_is_recorded_to_its_end() -> None:
    x = torch.ones(1, requires_grad=True)
    with pytest.raises(ZeroDivisionError), record() as tape:  # noqa: PT012
        y = x * 2
        y.backward(torch.ones(1) / (1 / 0))
    (raised,) = [e for e in tape.recording.events if isinstance(e, Raised)]
    assert raised.type == "ZeroDivisionError"


def test_nothing_is_recorded_after_the_block() -> None:
    x = torch.ones(1, requires_grad=True)
    with record() as tape:
        y = x * 2
    count = len(tape.recording.events)
    (y * 3).backward()
    assert len(tape.recording.events) == count


def test_a_recording_made_so_can_be_saved_and_opened() -> None:
    x = torch.ones(2, requires_grad=True)
    with record() as tape:
        (x * 2).sum().backward()
    assert Recording.load(tape.recording.to_bytes()).events == tape.recording.events
