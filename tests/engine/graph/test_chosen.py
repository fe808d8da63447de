"""What is hidden or coloured in a graph, in every view of it and in the files that are made of it."""

from __future__ import annotations

from typing import Any

import pytest

from engine.export import FORMATS, Options
from engine.export.picture import picture
from engine.export.snapshot import snapshot
from engine.graph.chosen import Chosen, counterparts
from engine.graph.design import palette
from engine.graph.graph_view import GraphView, graph_view
from engine.recording import Recording
from tests.recorded import recorded

SMALL = """import torch
x = torch.tensor([2.0], requires_grad=True)
y = x * 3
z = y.sum()
z.backward()
"""
TRAINING = """import torch
w = torch.ones(2, requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1)
for k in range(6):
    loss = w.square().sum()
    opt.zero_grad()
    loss.backward()
    opt.step()
"""


@pytest.fixture(scope="module")
def small() -> Recording:
    return recorded(SMALL)


@pytest.fixture(scope="module")
def training() -> Recording:
    return recorded(TRAINING)


def titled(view: GraphView, title: str) -> str:
    """The card with a title, or that of the tensor with this name."""
    return next(key for key, a in view.graph.nodes(data=True) if title in (a["title"], a["badge"]))


def test_one_that_is_hidden_takes_its_edges_with_it_and_all_others_stay(small: Recording) -> None:
    whole = graph_view(small)
    y = titled(whole, "y")
    view = graph_view(small, chosen=Chosen((y,)))
    assert set(whole.graph) - set(view.graph) == {y} == view.hidden
    assert set(view.graph.edges) == {edge for edge in whole.graph.edges if y not in edge[:2]}
    assert view.placed.positions == whole.placed.positions
    assert y in whole.graph, "the other view has it"
    steps = range(len(small.events))
    assert all(y not in view.focus(step) for step in steps)
    assert any(y in whole.focus(step) for step in steps)


@pytest.mark.parametrize(("tensor", "node"), [("x", "AccumulateGrad"), ("z", "SumBackward0")])
def test_a_tensor_and_its_grad_fn_are_chosen_together(small: Recording, tensor: str, node: str) -> None:
    tensors, autograd = graph_view(small), graph_view(small, "autograd")
    key, other = titled(tensors, tensor), titled(autograd, node)
    assert counterparts(small, [key], "autograd") == {key: other}
    assert counterparts(small, [other], "tensors") == {other: key}
    assert graph_view(small, "autograd", chosen=Chosen((key,))).hidden == {other}
    assert graph_view(small, chosen=Chosen((), ((other, 2),))).coloured == {key: 2}


@pytest.mark.parametrize("key", ["t99999", "n99999", "g:gone", "pt1", "tensor", "n-1", "t1e3", "", "t٣"])
@pytest.mark.parametrize("view", ["tensors", "autograd"])
@pytest.mark.parametrize("rolled", [False, True])
def test_what_there_is_not_is_passed_over(training: Recording, key: str, view: str, rolled: bool) -> None:
    chosen = Chosen((key,), ((key, 1),))
    seen = graph_view(training, view, rolled=rolled, chosen=chosen)
    assert (seen.hidden - {"pt1"}, seen.coloured.keys() - {"pt1"}) == (set(), set())
    assert seen.placed.positions


def test_of_a_rolled_run_the_place_is_chosen(training: Recording) -> None:
    rolled = graph_view(training, rolled=True)
    key = titled(rolled, "loss")
    tensor = rolled.rolled.member(key, len(training.events) - 1) if rolled.rolled else ""
    assert graph_view(training, rolled=True, chosen=Chosen((tensor,))).hidden == {key}
    assert graph_view(training, rolled=True, chosen=Chosen((), ((key, 0),))).coloured == {key: 0}


def test_a_frame_goes_with_the_last_card_in_it(training: Recording) -> None:
    whole = graph_view(training, rolled=True)
    (loop,) = whole.placed.frames
    inside = tuple(key for key, loops in whole.graph.nodes(data="frames", default=()) if loop in loops)
    assert list(graph_view(training, rolled=True, chosen=Chosen(inside[1:])).placed.frames) == [loop]
    assert not graph_view(training, rolled=True, chosen=Chosen(inside)).placed.frames
    assert picture(training, Options(rolled=True, chosen=Chosen(inside))).items


@pytest.mark.parametrize("rolled", [False, True])
def test_files_show_what_the_page_shows(training: Recording, rolled: bool) -> None:
    view = graph_view(training, rolled=rolled)
    w, loss = titled(view, "w"), titled(view, "loss")
    options = Options(rolled=rolled, chosen=Chosen((w,), ((loss, 1),)))
    colour = palette("light").chosen[1]

    def made(options: Options) -> bytes:
        return FORMATS["svg"].make(training, options)

    assert colour.encode() in made(options)
    assert colour.encode() not in made(Options(rolled=rolled))
    assert w not in snapshot(training, options)
    assert loss in snapshot(training, options)


def test_what_is_chosen_last_counts(small: Recording) -> None:
    x = titled(graph_view(small), "x")
    node = titled(graph_view(small, "autograd"), "AccumulateGrad")
    for first, second in ((x, node), (node, x)):
        chosen = Chosen((), ((first, 1), (second, 4)))
        assert graph_view(small, chosen=chosen).coloured == {x: 4}
        assert graph_view(small, "autograd", chosen=chosen).coloured == {node: 4}


def test_what_was_chosen_rolled_is_chosen_unrolled_and_in_the_other_view(training: Recording) -> None:
    rolled = graph_view(training, rolled=True)
    key = titled(rolled, "loss")
    chosen = Chosen((key,))
    members = set(rolled.structure.graph.nodes[key]["all"])
    assert len(members) == 6
    assert graph_view(training, chosen=chosen).hidden == members
    other = graph_view(training, "autograd", rolled=True, chosen=chosen)
    assert [other.graph.nodes.get(card) for card in other.hidden] == [None]
    assert len(graph_view(training, "autograd", chosen=chosen).hidden) == 6


def test_in_another_run_they_go_where_the_nodes_went() -> None:
    chosen = Chosen(("t1", "g:M", "t2"), (("t3", 2), ("t2", 0)))
    moved = chosen.moved({"t1": "t5", "g:M": "g:M", "t3": "t7"}.get)
    assert moved == Chosen(("t5", "g:M"), (("t7", 2),))


def luminance(colour: str) -> float:
    """As WCAG has it."""
    parts: list[Any] = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    r, g, b = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return float(0.2126 * r + 0.7152 * g + 0.0722 * b)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_colour_stands_out_on_a_card(theme: Any) -> None:
    colours = palette(theme)
    assert len(set(colours.chosen)) == len(colours.chosen)
    for one in colours.chosen:
        high, low = sorted((luminance(one), luminance(colours.card)), reverse=True)
        assert (high + 0.05) / (low + 0.05) >= 3, one
