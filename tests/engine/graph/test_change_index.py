"""What a debugger watches: changes of nodes, sizes of gradients, places in the program, ends of source lines."""

from __future__ import annotations

from engine.graph import build, changes, gradients, layout, line_ends, node_sites
from engine.graph.shown.change_index import MISSING, NOT_FINITE
from engine.recording import Recording, replay
from engine.recording.events import Accumulated, GradSet, NodeRan, OpRan
from tests.recorded import recorded

LOOP = """import torch
w = torch.ones(2, requires_grad=True)
for i in range(2):
    loss = (w * 3).sum()
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
    w.grad = None
"""


def key(recording: Recording, name: str) -> str:
    return f"t{replay(recording, len(recording.events) - 1).names[name]}"


def test_a_leaf_changes_when_it_is_made_written_and_when_its_grad_is_filled_or_cleared() -> None:
    tape = recorded(LOOP)
    w = key(tape, "w")
    expected = [
        step
        for step, event in enumerate(tape.events)
        if (isinstance(event, Accumulated | GradSet) and f"t{event.tensor}" == w)
        or (isinstance(event, OpRan) and w in [f"t{info.id}" for info in (*event.outputs,)])
        or (isinstance(event, OpRan) and w in [f"t{write.tensor}" for write in event.written])
    ]
    assert changes(tape, build(tape))[w] == expected
    assert len(expected) == 7


def test_a_result_changes_when_its_node_runs_in_a_pass() -> None:
    tape = recorded(
        "import torch\nx = torch.ones(1, requires_grad=True)\ny = x * 2\ny.backward(retain_graph=True)\ny.backward()\n"
    )
    found = changes(tape, build(tape))[key(tape, "y")]
    runs = [step for step, event in enumerate(tape.events) if isinstance(event, NodeRan) and event.node == 1]
    assert len(runs) == 2
    assert found[1:] == runs


def test_norms_say_when_a_gradient_is_none_or_not_finite() -> None:
    tape = recorded(LOOP)
    assert [norm for _, norm in gradients(tape, build(tape))[key(tape, "w")]] == [4.24264, MISSING, 4.24264, MISSING]
    tape = recorded("import torch\nx = torch.zeros(1, requires_grad=True)\nx.sqrt().sum().backward()\n")
    assert [norm for _, norm in gradients(tape, build(tape))[key(tape, "x")]] == [NOT_FINITE]


def test_a_node_knows_where_it_was_made_written_and_named() -> None:
    tape = recorded(LOOP)
    for view in ("tensors", "autograd"):
        graph = build(tape, view)  # type: ignore[arg-type]
        name = next(k for k, a in graph.nodes(data=True) if a["kind"] in ("leaf", "accumulate"))
        sites = [tape.sites[site] for site in node_sites(tape, graph)[name]]
        assert sites[0].line == 2
        assert {site.line for site in sites} == {2, 7}


def test_a_line_ends_where_the_program_leaves_it_and_a_loop_comes_back() -> None:
    tape = recorded(LOOP)
    ends = line_ends(tape)
    lines = []
    for end in ends:
        step = end
        while not tape.line(tape.events[step]):
            step -= 1
        lines.append(tape.line(tape.events[step]))
    assert lines == [2, *[4, 5, 7, 8] * 2]
    assert ends[-1] == len(tape.events) - 1


def test_a_loop_of_one_line_is_visited_once_per_iteration() -> None:
    tape = recorded("import torch\nx = torch.ones(1)\nfor i in range(3):\n    x = x * 2\n")
    assert len(line_ends(tape)) == 4


def test_what_a_pass_records_of_itself_stands_after_its_root() -> None:
    tape = recorded(
        "import torch\nx = torch.tensor(2., requires_grad=True)\ny = (x * 2).exp().sin()\n"
        "g, = torch.autograd.grad(y, x, create_graph=True)\ng.backward()\n"
    )
    for view in ("tensors", "autograd"):
        graph = build(tape, view)  # type: ignore[arg-type]
        placed = layout(graph if view == "tensors" else graph.reverse(copy=True))
        root = next(k for k, a in graph.nodes(data=True) if a["root"] and not a["in_backward"])
        inner = [k for k, a in graph.nodes(data=True) if a["in_backward"] == 1]
        assert len(inner) >= 4
        assert all(placed.positions[k][0] > placed.positions[root][0] for k in inner)
