"""Programs as people write them, laid out as the page shows them: nothing in the way, and a training loop readable whole."""

from __future__ import annotations

from typing import Any

import pytest

from components.player.picture import Drawing, Wish, drawing
from engine.graph import Layout
from engine.graph.graph_view import turned_round
from engine.recording import Recording
from tests.engine.graph.test_layout_shape import check
from tests.engine.graph.training_programs import PROGRAMS
from tests.recorded import recorded

CANVAS = (638.0, 449.0)
"""The free part of the page's canvas in a window of 1480 × 920 pixels, for a run with loops."""
READABLE = 0.6
"""The zoom down to which the player keeps all texts at 11 pixels."""
TAB = 32.0
"""What the tab of a loop takes above its cards."""
GAN = """
import torch
import torch.nn as nn

torch.manual_seed(1)
G = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
D = nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1))
g_opt = torch.optim.Adam(G.parameters(), lr=2e-3)
d_opt = torch.optim.Adam(D.parameters(), lr=2e-3)
bce = nn.BCEWithLogitsLoss()
for it in range(5):
    real = torch.randn(32, 2) + 3
    fake = G(torch.randn(32, 4))
    d_loss = bce(D(real), torch.ones(32, 1)) + bce(D(fake.detach()), torch.zeros(32, 1))
    d_opt.zero_grad()
    d_loss.backward()
    d_opt.step()
    g_loss = bce(D(fake), torch.ones(32, 1))
    g_opt.zero_grad()
    g_loss.backward()
    g_opt.step()
"""
CLASSIFIER = """
import torch
import torch.nn as nn

torch.manual_seed(0)

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(8, 16)
        self.bn1 = nn.BatchNorm1d(16)
        self.fc2 = nn.Linear(16, 16)
        self.head = nn.Linear(16, 3)

    def forward(self, x):
        h = torch.relu(self.bn1(self.fc1(x)))
        h = torch.tanh(self.fc2(h))
        return self.head(h)

model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(3):
    for batch in range(4):
        x = torch.randn(32, 8)
        y = torch.randint(0, 3, (32,))
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
"""
ALL = {**PROGRAMS, "gan": GAN, "classifier": CLASSIFIER}


def rolled(recording: Recording, view: str = "tensors", **wanted: Any) -> Drawing:
    """The picture of a run as the page shows it."""
    return drawing(recording, Wish(view, rolled=True, **wanted))


def closed(d: Drawing) -> list[str]:
    """The groups that are closed in a picture."""
    return [a["group"] for _, a in d.graph.nodes(data=True) if "group" in a]


@pytest.mark.parametrize("view", ["tensors", "autograd"])
@pytest.mark.parametrize("name", ALL)
def test_nothing_is_in_the_way_whatever_is_open(name: str, view: str) -> None:
    recording = recorded(ALL[name])
    first = rolled(recording, view)
    opened = first.view.opened
    for groups in (opened, (), *((*opened, group) for group in closed(first)[:4])):
        for direction in ("LR", "TB"):
            made = rolled(recording, view, direction=direction, opened=tuple(sorted(groups)))
            check(turned_round(made.graph) if view == "autograd" else made.graph, made.placed)


@pytest.mark.parametrize("name", ["gan", "classifier"])
def test_a_training_loop_is_readable_as_a_whole_at_first_sight(name: str) -> None:
    made = rolled(recorded(ALL[name]))
    assert made.view.rolled is not None
    across, down = _inside(made.graph, made.placed, made.view.rolled.rolled.main)
    scale = CANVAS[0] / across
    assert scale >= READABLE
    assert down * scale <= 2 * CANVAS[1], "what does not fit is one screen further down, and nothing is at a side"


def _inside(graph: Any, made: Layout, frame: str) -> tuple[float, float]:
    """Width and height of what is in a loop's frame, with its tab."""
    cards = [
        (*made.positions[key], a["width"] / 2, a["height"] / 2) for key, a in graph.nodes(data=True) if frame in a["frames"]
    ]
    assert len(cards) > 8
    wide = max(x + w for x, _, w, _ in cards) - min(x - w for x, _, w, _ in cards)
    return wide, max(y + h for _, y, _, h in cards) - min(y - h for _, y, _, h in cards) + TAB


@pytest.mark.parametrize("name", ["gan", "classifier", "rnn"])
def test_the_first_view_depends_on_the_program_alone(name: str) -> None:
    one, other = recorded(ALL[name]), recorded(ALL[name])
    before = rolled(one)
    for group in closed(before)[:2]:
        _ = rolled(one, opened=(*before.view.opened, group)).placed
    assert rolled(one).placed == rolled(other).placed == before.placed
