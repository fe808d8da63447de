"""The graphs of a recording: what becomes a node, what an edge stands for, and what stays out of the picture."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np
import pytest

from engine.graph.graph_view import build
from engine.graph.shown.node_states import faces
from engine.graph.structure.build import VIEWS, Graph
from engine.graph.symbols import clip, expression, pill_title
from engine.recording import NOTHING
from engine.recording.events import Argument, NodeInfo, OpRan, Stepped, TensorInfo
from tests.engine.recordings import Tape, added, chain, product, scaled, two_passes
from tests.recorded import recorded


def titles(graph: Graph, **wanted: Any) -> list[str]:
    return [a["title"] for _, a in graph.nodes(data=True) if all(a[key] == value for key, value in wanted.items())]


def edges(graph: Graph) -> list[tuple[str, str, str]]:
    title = graph.nodes(data="title")
    return [(title[source], title[target], kind) for source, target, kind in graph.edges(data="kind")]


def test_named_tensors_are_cards_and_unnamed_results_are_pills_titled_by_their_op() -> None:
    graph = build(two_passes().recording())
    assert titles(graph, shape="card") == ["x1", "x2", "y1", "y2", "z", "y1", "y2", "z"]
    assert titles(graph, shape="pill") == ["× 5", "× 3", "× 2", "× 1"] * 2
    assert titles(graph, kind="leaf") == ["x1", "x2"]
    assert titles(graph, root=True) == ["z", "z"]


@pytest.mark.parametrize("view", VIEWS)
def test_a_leafs_card_is_as_wide_as_what_it_will_say_of_its_gradient(view: Any) -> None:
    program = """import torch
a = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(3.0, requires_grad=True)
for k in range(2):
    (1234.567 * a + 0.001 * a * a + b).backward()
"""
    recording = recorded(program)
    graph = build(recording, view)
    shown = faces(recording, graph).nodes
    called = {a["badge" if view == "autograd" else "title"]: key for key, a in graph.nodes(data=True)}
    wide, narrow = called["a"], called["b"]
    assert "1235" in [face.grad for _, face in shown[wide]]
    for key in (wide, narrow):
        said = {text for _, face in shown[key] for text in (face.grad, face.flow) if text is not None}
        # Seven pixels for a letter, the column of the words before it, and what is left free on both sides.
        assert graph.nodes[key]["width"] >= 7 * max(map(len, said)) + 48 + 24
    assert graph.nodes[wide]["width"] > graph.nodes[narrow]["width"]


def test_a_card_tells_dtype_shape_line_and_grad_fn() -> None:
    graph = build(two_passes().recording())
    x1, y1 = graph.nodes["t0"], graph.nodes["t4"]
    assert (x1["badge"], x1["sub"]) == ("leaf", "float32 [1]")
    assert (y1["badge"], y1["sub"], y1["line"]) == ("AddBackward0", "float32 [1] · line 7", 7)


def test_each_iteration_has_nodes_of_its_own() -> None:
    graph = build(two_passes().recording())
    assert graph.number_of_nodes() == 2 + 2 * 7
    assert len({graph.nodes[key]["born"] for key in graph}) == graph.number_of_nodes()


def test_every_edge_knows_the_autograd_edge_whose_gradient_flows_against_it() -> None:
    tape = two_passes()
    graph = build(tape.recording())
    for source, _, attributes in graph.edges(data=True):
        target, _ = tape.nodes[attributes["node"]].edges[attributes["input"]]
        tensor = tape.values[graph.nodes[source]["tensor"]]
        assert target == (tape.accumulators[tensor.id] if tensor.is_leaf else tensor.node)


def test_a_tensor_used_twice_has_two_edges_with_a_gradient_each() -> None:
    tape = Tape()
    x = tape.leaf(3.0, name="x")
    product(tape, x, x, 2, "y")
    graph = build(tape.recording())
    assert edges(graph) == [("x", "y", "data")] * 2
    assert [carries for *_, carries in graph.edges(data="carries")] == [[(1, 0)], [(1, 1)]]


def test_detach_and_no_grad_are_cuts() -> None:
    tape = Tape()
    x = tape.leaf(3.0, name="x")
    plain = tape.leaf(1.0, name="plain", requires_grad=False)
    tape.op("detach", [x], x.array, name="d", cut="detach")
    tape.op("mul", [x, 2], x.array * 2, name="n", cut="no_grad")
    tape.op("mul", [plain, x], x.array, name="m", cut="no_grad")
    graph = build(tape.recording())
    assert set(edges(graph)) == {("x", "d", "cut"), ("x", "n", "cut"), ("plain", "m", "data"), ("x", "m", "cut")}
    assert [graph.nodes[key]["badge"] for key in ("t2", "t3")] == ["detach", "no_grad"]
    assert all(not carries for *_, carries in graph.edges(data="carries"))


def test_an_in_place_write_keeps_the_node_and_adds_an_edge_from_what_was_written_with() -> None:
    tape = Tape()
    x, w = tape.leaf(3.0, name="x"), tape.leaf(2.0, name="w")
    y = scaled(tape, 2, x, 1)
    tape.name("y", y)
    for _ in range(3):
        tape.write("mul_", y, [w], y.array * w.array, lambda g: [g, g])
    graph = build(tape.recording())
    assert edges(graph) == [("x", "y", "data"), ("w", "y", "data")]
    written = graph.edges["t1", "t2", 1]
    assert written["write"]
    assert len(written["carries"]) == 3
    assert all(tape.nodes[node].edges[slot][0] == tape.accumulators[w.id] for node, slot in written["carries"])


def test_a_write_under_no_grad_is_a_cut() -> None:
    tape = Tape()
    x, w = tape.leaf(3.0, name="x"), tape.leaf(2.0, name="w")
    tape.write("mul_", x, [w], x.array * w.array)
    graph = build(tape.recording())
    assert edges(graph) == [("w", "x", "cut")]
    assert graph.edges["t1", "t0", 0]["carries"] == []


def test_a_node_written_over_in_place_still_brings_its_gradient_to_the_card() -> None:
    tape = Tape()
    x, w = tape.leaf(3.0, name="x"), tape.leaf(2.0, name="w")
    y = scaled(tape, 2, x, 1)
    tape.name("y", y)
    tape.write("mul_", y, [w], y.array * w.array, lambda g: [g * 2, g * 6])
    tape.backward(y)
    recording = tape.recording()
    shown = faces(recording, build(recording))
    flows = [face.flow for _, face in shown.nodes["t2"] if face.flow]
    assert list(dict.fromkeys(flows)) == ["1", "2"]
    assert all(history[0][1].active for history in shown.edges.values())


def test_gradients_own_bookkeeping_stays_out_of_the_picture() -> None:
    tape = with_grad_tensor()
    assert titles(build(tape.recording())) == ["x", "y"]


def test_a_gradient_that_feeds_a_computation_is_shown() -> None:
    tape = with_grad_tensor()
    tape.op("mul", [tape.values[-1], 0.1], 0.1, name="change")
    graph = build(tape.recording())
    assert titles(graph) == ["x", "y", "x.grad", "change"]
    assert ("x.grad", "change", "data") in edges(graph)


def with_grad_tensor() -> Tape:
    tape = Tape()
    x = tape.leaf(3.0, name="x")
    y = scaled(tape, 2, x, 1)
    tape.name("y", y)
    tape.backward(y)
    grad = tape._value(2.0)
    info = TensorInfo(grad.id, "float32", (), tape.array(2.0), grad_of=x.id)
    tape.events.append(OpRan(op="grad", inputs=(Argument("self", x.id),), outputs=(info,)))
    tape.write("zero_", grad, [], 0.0)
    return tape


def test_what_an_optimizer_does_inside_its_step_is_not_drawn() -> None:
    tape = Tape()
    x = tape.leaf(3.0, name="x")
    site = tape.site(9)
    for event in (
        OpRan(op="zeros", outputs=(TensorInfo(1, "float32", (), tape.array(0.0)),), site=site),
        Stepped(optimizer="Adam", parameters=(x.id,), site=site),
    ):
        tape.events.append(event)
    assert titles(build(tape.recording())) == ["x"]


def test_the_autograd_view_is_exactly_next_functions() -> None:
    tape = two_passes()
    graph = build(tape.recording(), "autograd")
    assert [graph.nodes[f"n{node.id}"]["title"] for node in tape.nodes] == [node.name for node in tape.nodes]
    expected = [
        (f"n{node.id}", f"n{target}", slot, input)
        for node in tape.nodes
        for slot, (target, input) in enumerate(node.edges)
        if target != NOTHING
    ]
    found = [(u, v, a["slot"], a["target_input"]) for u, v, a in graph.edges(data=True)]
    assert sorted(found) == sorted(expected)
    assert titles(graph, kind="accumulate") == ["AccumulateGrad"] * 2


def test_dead_nodes_are_in_the_autograd_view_too() -> None:
    tape = Tape()
    x = tape.leaf(3.0, name="x")
    scaled(tape, 2, x, 1)
    tape.backward(scaled(tape, 3, x, 2))
    graph = build(tape.recording(), "autograd")
    assert titles(graph, kind="node") == ["MulBackward0", "MulBackward0"]


@pytest.mark.parametrize("view", VIEWS)
def test_edges_join_older_to_newer_and_so_form_no_cycle(view: Any) -> None:
    assert nx.is_directed_acyclic_graph(build(two_passes().recording(), view))


@pytest.mark.parametrize("view", VIEWS)
def test_every_node_has_room_and_every_edge_a_birth(view: Any) -> None:
    graph = build(two_passes().recording(), view)
    assert all(attributes["width"] > 40 and attributes["height"] > 20 for _, attributes in graph.nodes(data=True))
    assert all(born >= graph.nodes[u]["born"] or view == "autograd" for u, _, born in graph.edges(data="born"))


def test_an_unknown_view_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown view"):
        build(two_passes().recording(), "pretty")  # type: ignore[arg-type]


def test_a_long_chain_is_built_without_recursion() -> None:
    graph = build(chain(5000))
    assert graph.number_of_nodes() == 5001
    assert graph.number_of_edges() == 5000


@pytest.mark.parametrize(
    ("op", "inputs", "title", "sentence"),
    [
        ("mul", [5, "x"], "× 5", "5 × x"),
        ("mul", ["x", 5], "× 5", "x × 5"),
        ("sub", [1, "x"], "1 −", "1 − x"),
        ("sub", ["x", 1], "− 1", "x − 1"),
        ("add", ["x", "y"], "+", "x + y"),
        ("pow", ["x", 2], "^ 2", "x ^ 2"),
        ("tanh", ["x"], "tanh", "tanh(x)"),
        ("sum", ["x", 1], "sum other=1", "sum(x, other=1)"),
    ],
)
def test_ops_are_written_as_a_reader_would(op: str, inputs: list[Any], title: str, sentence: str) -> None:
    numbers = {"x": 0, "y": 1}
    arguments = tuple(
        Argument(name, numbers[one]) if one in numbers else Argument(name, text=str(one))
        for name, one in zip(("self", "other"), inputs, strict=False)
    )
    event = OpRan(op=op, inputs=arguments)
    assert pill_title(event, {}) == title
    assert expression(event, {}, "xy".__getitem__) == sentence


def test_long_and_many_lined_texts_are_clipped() -> None:
    assert clip("a\n b" + "c" * 100, 10) == "a bcccccc…"


def test_casts_between_two_tensors_are_looked_through() -> None:
    tape = Tape()
    x = tape.leaf(3.0, name="x")
    cast = NodeInfo(1, "ToCopyBackward0", ((0, 0),))
    node = NodeInfo(2, "MulBackward0", ((1, 0),))
    accumulate = NodeInfo(0, "AccumulateGrad", variable=x.id)
    made = TensorInfo(1, "float64", (), tape.store.add(np.array(6.0)), True, False, 2)
    tape.events.append(
        OpRan(
            op="mul",
            inputs=(Argument("self", x.id), Argument("other", text="2")),
            outputs=(made,),
            node=node,
            accumulators=(accumulate, cast),
        )
    )
    graph = build(tape.recording())
    assert graph.edges["t0", "t1", 0]["carries"] == [(2, 0)]


def test_sums_share_their_inputs() -> None:
    tape = Tape()
    a, b = tape.leaf(1.0, name="a"), tape.leaf(2.0, name="b")
    added(tape, a, b, 1, "c")
    assert edges(build(tape.recording())) == [("a", "c", "data"), ("b", "c", "data")]
