"""Pictures and graphs of rolled runs: one card a place, loops as frames, and what iterations hand on to one another."""

from __future__ import annotations

import io
import re
import warnings

import networkx as nx
import pydot
import pytest

import gradtape
from components.page import saving
from components.page.state import Page
from engine.export import Options, export
from engine.export.picture import picture, rolls
from engine.export.scene import Box, Curve, Group, Picture, Polygon, Text
from engine.graph import build, graph_view
from engine.graph.design import palette
from engine.graph.design.sizes import EDGE
from engine.graph.rolled_graph import rolled_graph
from engine.program import Program
from engine.recording import Recording
from engine.sandbox import run

COLOURS = palette("light")

LOOP = """\
import torch
from torch import nn
model = nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
h = torch.zeros(1)
for epoch in range(2):
    for step in range({}):
        x = torch.ones(4, 2)
        loss = (torch.tanh(model(x)).sum() + h.sum() * 0.1) ** 2
        if step == 2 and epoch == 1:
            loss = loss + torch.log(x.sum())
        h = loss.detach()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
"""


def recorded(text: str) -> Recording:
    recording = run(text).recording
    assert recording is not None
    return recording


@pytest.fixture(scope="module")
def short() -> Recording:
    return recorded(LOOP.format(4))


def texts(drawn: Picture) -> list[str]:
    shapes = [shape for item in drawn.items for shape in (item.shapes if isinstance(item, Group) else (item,))]
    return [shape.text for shape in shapes if isinstance(shape, Text)]


def told(drawn: Picture) -> set[str]:
    """The parts of all texts."""
    return {part for text in texts(drawn) for part in text.split(" · ")}


def test_small_runs_are_drawn_as_they_were_and_long_or_grouped_ones_rolled(short: Recording) -> None:
    assert not rolls(short, "tensors", None)
    assert rolls(short, "grouped", None)
    assert rolls(recorded(LOOP.format(20)), "tensors", None)
    assert not rolls(recorded("import torch\nx = torch.ones(400).unbind()\n"), "grouped", None)
    assert rolls(short, "tensors", True)
    assert not rolls(short, "grouped", False)


@pytest.mark.parametrize("direction", ["LR", "TB"])
@pytest.mark.parametrize("view", ["tensors", "autograd"])
def test_loops_are_frames_with_their_iteration_and_every_card_of_them_is_inside(
    short: Recording, view: str, direction: str
) -> None:
    drawn = picture(short, Options(view, direction, rolled=True))  # type: ignore[arg-type]
    assert {"for epoch in range(2)", "for step in range(4)"} <= set(texts(drawn))
    assert {"iteration 1 of 2", "iteration 7 of 8"} <= told(drawn)
    seen = graph_view(short, view, rolled=True)
    cards = [item for item in drawn.items if isinstance(item, Group)]
    assert len(cards) == len(seen.graph) < len(build(short, view)) / 2  # type: ignore[arg-type]
    frames = [item for item in drawn.items if isinstance(item, Box) and item.radius == 14.0][1::2]
    assert len(frames) == 2
    outer, inner = frames
    assert outer.left < inner.left < inner.left + inner.width < outer.left + outer.width
    for (_, loops), card in zip(seen.graph.nodes(data="frames"), cards, strict=True):
        body = next(shape for shape in card.shapes if isinstance(shape, Box) and shape.stroke)
        within = [
            frame.left <= body.left and body.left + body.width <= frame.left + frame.width
            and frame.top <= body.top and body.top + body.height <= frame.top + frame.height
            for frame in frames
        ]  # fmt: skip
        assert sum(within) == len(loops)


def test_an_earlier_step_is_in_its_own_iteration(short: Recording) -> None:
    view = graph_view(short, rolled=True)
    assert view.rolled is not None
    inner = next(loop for loop in view.rolled.loops.values() if "step" in loop.title)
    assert view.frame_title(inner.id, 0) == ("for step in range(4)", "8 iterations")
    drawn = picture(short, Options(step=int(inner.starts[5]), rolled=True))
    assert {"iteration 1 of 2", "iteration 5 of 8"} <= told(drawn)


def test_what_only_some_iterations_have_is_dashed_and_says_so(short: Recording) -> None:
    drawn = picture(short, Options(rolled=True))
    (log,) = [item for item in drawn.items if isinstance(item, Group) and item.label.startswith("log ")]
    assert log.label.endswith("in 1 of 8 iterations · value 2.079")
    assert next(shape for shape in log.shapes if isinstance(shape, Box) and shape.stroke).dash == (6, 4)
    assert "in 1 of 8 iterations" in texts(drawn)


def test_edges_to_the_next_iteration_are_dashed_in_a_colour_of_their_own_with_open_arrows(short: Recording) -> None:
    drawn = picture(short, Options(rolled=True))
    lines, heads = {COLOURS.carried_pale, COLOURS.carried_firm}, {COLOURS.carried_firm, COLOURS.carried}
    carried = [
        item for item in drawn.items if isinstance(item, Curve) and item.stroke in lines and item.dash == EDGE.carried_dash
    ]
    arrows = [item for item in drawn.items if isinstance(item, Polygon) and item.stroke in heads and not item.fill]
    assert len(carried) == len(arrows) > 0
    assert "to the next iteration" in texts(drawn)
    assert "to the next iteration" not in texts(picture(short, Options(rolled=False)))


def test_what_an_expression_repeats_says_how_often() -> None:
    tape = recorded(
        "import torch\nw = torch.ones(3, requires_grad=True)\nfor i in range(4):\n"
        "    parts = [w * k for k in range(9)]\n    sum(p.sum() for p in parts).backward()\n"
    )
    assert any(text.endswith(" × 9") for text in texts(picture(tape, Options(rolled=True))))


def test_modules_say_their_value_alone_and_steps_how_far_they_went(short: Recording) -> None:
    drawn = picture(short, Options(rolled=True))
    labels = {item.label.split(" · ")[0]: item for item in drawn.items if isinstance(item, Group)}
    assert {"‖w‖", "moved"} <= {shape.text for shape in labels["optimizer.step()"].shapes if isinstance(shape, Text)}
    assert not any(" = " in shape.text for shape in labels["model"].shapes if isinstance(shape, Text))


def test_groups_are_open_as_the_page_has_them(short: Recording) -> None:
    closed, all_open = (graph_view(short, rolled=True, opened=opened) for opened in ((), ["Mmodel"]))
    assert len(closed.graph) < len(all_open.graph)
    assert len([i for i in picture(short, Options(rolled=True, opened=())).items if isinstance(i, Group)]) == len(closed.graph)


def test_a_turned_loop_has_no_frame(short: Recording) -> None:
    loops = {loop.title: loop.id for loop in rolled_graph(short).loops.values()}
    shown = texts(picture(short, Options(rolled=True, turned=(loops["for epoch in range(2)"],))))
    assert "for epoch in range(2)" not in shown


def test_dot_and_mermaid_hold_loops_as_clusters_that_close(short: Recording) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # pydot's own, of the parser it uses
        (graph,) = pydot.graph_from_dot_data(export(short, "dot", Options(rolled=True)).decode()) or [None]
    assert graph is not None
    (outer,) = graph.get_subgraphs()
    (inner,) = outer.get_subgraphs()
    assert outer.get_label() == '"for epoch in range(2) · iteration 1 of 2"'
    assert inner.get_label() == '"for step in range(4) · iteration 7 of 8"'
    assert any(edge.get("constraint") == "false" for edge in graph.get_edges())
    lines = export(short, "mermaid", Options(rolled=True)).decode().splitlines()
    assert sum(line.startswith("  subgraph loop_") for line in lines) == lines.count("  end") == 2
    carried = next(line for line in lines if re.match(r"  linkStyle [\d,]+ stroke:#7a5bc7$", line))
    assert carried


def test_graphml_says_which_edges_lead_to_the_next_iteration(short: Recording) -> None:
    graph = nx.read_graphml(io.BytesIO(export(short, "graphml", Options(rolled=True))))
    assert any(a.get("carried") for *_, a in graph.edges(data=True))
    assert {a["loops"] for _, a in graph.nodes(data=True) if "loops" in a} == {"L6 L6/L7"}
    assert any(a.get("some") == "in 1 of 8 iterations" for _, a in graph.nodes(data=True))


def test_the_command_line_rolls_and_unrolls(short: Recording, tmp_path) -> None:  # type: ignore[no-untyped-def]
    file = tmp_path / "run.gradtape"
    file.write_bytes(short.to_bytes())
    made = {}
    for flag in ("--rolled", "--unrolled", ""):
        out = tmp_path / f"run{flag}.svg"
        assert gradtape.main(["svg", str(file), "-o", str(out), *([flag] if flag else [])]) == 0
        made[flag] = out.read_text()
    assert "iteration 7 of 8" in made["--rolled"]
    assert "iteration 7 of 8" not in made["--unrolled"]
    assert made["--unrolled"] == made[""]


def test_the_menu_saves_what_is_on_show(short: Recording) -> None:
    p = Page(Program(short.source[0]))
    p.result = run(short.source[0])
    assert saving.on_show(p, False).rolled is True
    p.turned, p.unfolded = ("L6",), ("Mmodel",)
    shown = saving.on_show(p, True)
    assert (shown.rolled, shown.turned, shown.opened) == (True, ("L6",), ("Mmodel",))
    p.rolled = False
    assert saving.on_show(p, False) == Options(p.view, p.direction, None, "light", p.name, True, False)  # type: ignore[arg-type]
