"""What a lesson shows of a run: moments of cells, what is selected, and what the answers are."""

from __future__ import annotations

import pytest

from engine.graph import build, lessons
from engine.graph.graph_view import graph_view
from engine.graph.shown.captions import caption_at, caption_text
from engine.program import Program
from engine.recording import Recording
from engine.recording.events import CellBegan, CellEnded, OpRan
from engine.recording.index import index_of
from engine.recording.story import Look, Story
from engine.sandbox import run

CELLS = (
    "import torch\nx = torch.tensor([[1., 2.]], requires_grad=True)\nm = torch.nn.Linear(2, 1)",
    "y = (x * x).sum()\ny",
    "y.backward()\nx.grad",
)


@pytest.fixture(scope="module")
def recording() -> Recording:
    made = run(Program.from_cells(CELLS)).recording
    assert made is not None
    return made


def test_each_cell_has_its_stretch(recording: Recording) -> None:
    for cell, (first, last) in lessons.stretches(recording).items():
        event = recording.events[first]
        assert isinstance(event, CellBegan)
        assert event.cell == cell
        assert isinstance(recording.events[last], CellEnded)
    assert list(lessons.stretches(recording)) == [0, 1, 2]


def test_a_cell_that_fails_ends_with_the_run() -> None:
    made = run(Program.from_cells(("import torch\nx = torch.ones(2)", "x + torch.ones(3)", "x"))).recording
    assert made is not None
    assert lessons.stretches(made)[1][1] == len(made.events) - 1
    assert lessons.moment_of(made, Look(2)) is None


@pytest.mark.parametrize(
    ("question", "kind", "text"),
    [
        ("x.grad", "numbers", "[2 4]"), ("y", "numbers", "5"), ("y.item()", "numbers", "5"),
        ("y.grad_fn", "name", "<SumBackward0>"),
        ("x.grad_fn", "none", "None"), ("y.grad", "none", "None"), ("x.shape", "shape", "[1×2]"),
        ("y.shape", "shape", "scalar"),
        ("x.grad.shape", "shape", "[1×2]"), ("x.is_leaf", "flag", "True"), ("y.requires_grad", "flag", "True"),
        ("m.weight.grad", "none", "None"), ("m.bias.shape", "shape", "[1]"),
    ],
)  # fmt: skip
def test_the_answer_to(question: str, kind: str, text: str, recording: Recording) -> None:
    found = lessons.answer(recording, Look(2, predict=question))
    assert found is not None
    assert (found.kind, found.text) == (kind, text)


@pytest.mark.parametrize(
    "question", ["", "nowhere", "x + y", "__import__('os')", "x.grad.grad", "y.grad.shape", "x" * 500, "m"]
)
def test_no_answer_to(question: str, recording: Recording) -> None:
    assert lessons.answer(recording, Look(2, predict=question)) is None


def test_a_moment_that_is_kept_is_found_again_in_another_run(recording: Recording) -> None:
    first, _ = lessons.stretches(recording)[2]
    looked = lessons.look_at(recording, Look(2, predict="x.grad"), first + 2, "t0", "autograd")
    assert looked == Look(2, 2, "x", "autograd", "x.grad")
    longer = run(Program.from_cells(("z = 1\n" + CELLS[0] + "\nq = x + 1", *CELLS[1:]), story=Story((), (looked,)))).recording
    assert longer is not None
    assert lessons.moment_of(longer, looked) == lessons.stretches(longer)[2][0] + 2
    assert lessons.selected_of(longer, looked) == "t0"


def test_the_end_of_a_cell_is_kept_as_its_end(recording: Recording) -> None:
    last = lessons.stretches(recording)[2][1]
    assert lessons.look_at(recording, Look(2), last + 9, None, "").moment is None
    assert lessons.moment_of(recording, Look(2, 10_000)) == last


def test_a_node_without_a_name_is_kept_by_its_number(recording: Recording) -> None:
    node = f"n{min(index_of(recording).nodes)}"
    assert lessons.look_at(recording, Look(2), 10**6, node, "").selected == f"#{node}"
    assert lessons.selected_of(recording, Look(2, selected=f"#{node}")) == node
    for nonsense in ("#n999", "#g:x", "#", "nowhere"):
        assert lessons.selected_of(recording, Look(2, selected=nonsense)) is None


def test_cards_and_captions_say_which_cell(recording: Recording) -> None:
    subs = {a["title"]: a["sub"] for _, a in build(recording, "tensors").nodes(data=True)}
    assert subs["y"] == "float32 scalar · In [2] line 1"
    assert subs["x"] == "float32 [1×2] · In [1] line 2"
    step = next(k for k, event in enumerate(recording.events) if isinstance(event, OpRan) and event.op == "sum")
    assert caption_text(caption_at(recording, step)).startswith("In [2] line 1 · ")


def test_a_large_graph_is_folded_by_cell() -> None:
    many = "\n".join(f"y = y * 1.0{k}" for k in range(90))
    made = run(Program.from_cells((CELLS[0] + "\ny = x", many, many, "(y * x).sum().backward()", many, many))).recording
    assert made is not None
    titles = {group.title for group in graph_view(made, fold="auto").groups.groups.values() if group.kind == "cell"}
    assert {"In [2]", "In [3]", "In [5]", "In [6]"} <= titles


def test_a_program_that_is_no_notebook_has_no_cells_on_its_tape() -> None:
    recording = run("import torch\nx = torch.ones(2)\n").recording
    assert recording is not None
    assert lessons.stretches(recording) == {}
