"""The rolled graph: one node for each place, edges where anything passes in any iteration, and the model in the middle."""

from __future__ import annotations

from functools import cache
from typing import Any

import networkx as nx
import numpy as np
import pytest

from engine.graph import VIEWS, build
from engine.graph.structure.build import visible
from engine.graph.structure.drawn import node_edges, stepping_rows, tensor_edges, visible_rows
from engine.graph.structure.folding import AT_FIRST, folded, groups_at_first
from engine.graph.structure.layout import layout
from engine.graph.structure.places import place, places_of
from engine.graph.structure.rolled import Rolled, rolled
from engine.recording import Recording
from engine.recording.columns import columns_of
from engine.recording.events import Scope
from engine.recording.index import index_of
from engine.sandbox import Limits, run
from tests.engine.graph.training_programs import PROGRAMS
from tests.recorded import recorded

every_program = pytest.mark.parametrize("name", PROGRAMS)
every_view = pytest.mark.parametrize("view", VIEWS)


@cache
def recording_of(name: str) -> Recording:
    return recorded(PROGRAMS[name])


def titles(graph: Any, **wanted: Any) -> list[str]:
    return [a["title"] for _, a in graph.nodes(data=True) if all(a.get(k) == v for k, v in wanted.items())]


def node(graph: Any, title: str, **wanted: Any) -> dict[str, Any]:
    """Attributes of the only node with a title."""
    (found,) = (a for _, a in graph.nodes(data=True) if a["title"] == title and all(a.get(k) == v for k, v in wanted.items()))
    return dict(found)


def check(recording: Recording, view: Any, made: Rolled) -> None:
    """Every node and edge of the unrolled graph is within one of the rolled one; cycles are closed by carried edges only."""
    whole, graph = build(recording, view), made.graph
    stood_for = [key for _, a in graph.nodes(data=True) for key in a["all"]]
    assert sorted(stood_for) == sorted(whole)
    edges = [edge for *_, a in graph.edges(data=True) for edge in a["all"]]
    assert sorted(edges) == sorted(whole.edges(keys=True))
    for u, v, a in graph.edges(data=True):
        assert all((made.key_of[source], made.key_of[target]) == (u, v) for source, target, _ in a["all"])
        assert not a["carried"] or a["write"]
    firm = nx.DiGraph([(u, v) for u, v, a in graph.edges(data=True) if not a["write"]])
    assert nx.is_directed_acyclic_graph(firm)
    for key, a in graph.nodes(data=True):
        assert 1 <= a["seen"] <= a["of"]
        assert a["times"] >= 1
        # Parameters are outside of loops, but stand where they are used.
        assert (a["loop"] == "") == (a["frames"] == ()) or (not a["loop"] and a["kind"] in ("leaf", "accumulate")), key
        assert not a["all"] or a["born"] == min(whole.nodes[one]["born"] for one in a["all"])


# --- the unrolled graph, as arrays ------------------------------------------------------------------------------------------


@pytest.mark.thorough
@every_program
def test_the_arrays_hold_the_nodes_and_edges_that_build_draws(name: str) -> None:
    recording = recording_of(name)
    columns, edges = columns_of(recording), tensor_edges(recording)
    assert set(columns.tensors.id[visible_rows(recording)].tolist()) == visible(recording)
    assert (stepping_rows(recording)[0] == index_of(recording).stepping).all()
    drawn: dict[tuple[str, str, int], list[Any]] = {}
    for i in range(len(edges.source)):
        key = (f"t{edges.source[i]}", f"t{edges.target[i]}", int(edges.key[i]))
        entry = drawn.setdefault(key, ["cut", [], int(edges.slot[i]), int(edges.step[i]), bool(edges.write[i])])
        if not edges.cut[i]:
            entry[0] = "data"
        if edges.input[i] >= 0:
            entry[1].append((int(edges.node[i]), int(edges.input[i])))
    assert drawn == {
        (u, v, k): [a["kind"], a["carries"], a["slot"], a["born"], a["write"]]
        for u, v, k, a in build(recording).edges(keys=True, data=True)
    }
    nodes = node_edges(recording)
    assert {(f"n{u}", f"n{v}", k) for u, v, k in zip(nodes.source, nodes.target, nodes.key)} == set(
        build(recording, "autograd").edges(keys=True)
    )


# --- nodes and edges --------------------------------------------------------------------------------------------------------


@every_view
@every_program
def test_it_stands_for_the_unrolled_graph(name: str, view: Any) -> None:
    recording = recording_of(name)
    check(recording, view, rolled(recording, view))


@every_program
def test_with_all_time_turned_to_depth_only_what_is_repeated_is_merged(name: str) -> None:
    recording = recording_of(name)
    turned = [loop.id for loop in rolled(recording).loops if loop.kind == "time"]
    made = rolled(recording, "tensors", turned)
    check(recording, "tensors", made)
    assert all(a["loop"] == "" for _, a in made.graph.nodes(data=True))
    assert all(len(a["all"]) <= 1 or a["times"] == len(a["all"]) for _, a in made.graph.nodes(data=True))


def test_turned_to_depth_a_program_without_repetitions_is_the_unrolled_graph() -> None:
    recording = recording_of("rnn")
    turned = [loop.id for loop in rolled(recording).loops if loop.kind == "time"]
    graph = rolled(recording, "tensors", turned).graph
    assert set(graph) == set(build(recording))


@every_program
def test_it_is_the_same_each_time(name: str) -> None:
    def facts(recording: Recording) -> Any:
        made = rolled(recording)
        folds = {id: (group.title, group.members, group.badge) for id, group in made.folding.groups.items()}
        return list(made.graph.nodes(data=True)), list(made.graph.edges(keys=True, data=True)), folds, made.main

    again = Recording.load(recording_of(name).to_bytes())
    assert facts(recording_of(name)) == facts(again)


def test_a_training_script_is_a_few_dozen_places() -> None:
    recording = recording_of("script")
    made = rolled(recording)
    assert len(build(recording)) > 3000
    assert places_of(recording).count == 62
    assert len(made.graph) == 48
    assert made.main == "L41/L42"
    assert made.worth


def test_iterations_of_different_shape_are_one_graph() -> None:
    graph = rolled(recording_of("script")).graph
    log = node(graph, "log")
    assert (log["seen"], log["of"]) == (1, 40)
    assert {a["seen"] for _, a in graph.nodes(data=True) if a["title"] == "loss"} == {1, 40}


def test_what_a_library_repeats_in_one_expression_is_one_card() -> None:
    select = node(rolled(recording_of("script")).graph, "select dim=0", seen=40)
    assert select["times"] == 64
    assert len(select["all"]) == 64 * 40


def test_an_iteration_that_uses_what_an_earlier_one_made_has_a_carried_edge() -> None:
    graph = rolled(recording_of("rnn")).graph
    h = next(key for key, a in graph.nodes(data=True) if a["title"] == "h" and a["kind"] == "result")
    (carried,) = (a for _, v, a in graph.out_edges(h, data=True) if a["carried"])
    assert (carried["seen"], carried["of"]) == (110, 110)  # the first of each epoch's 12 steps has nothing to go on from
    loss = next(key for key, a in graph.nodes(data=True) if a["title"] == "loss")
    assert [a["carried"] for u, v, a in graph.edges(data=True) if u == v == loss] == [True]


def test_parameters_are_one_node_each_with_the_writes_of_steps_as_carried_edges() -> None:
    graph = rolled(recording_of("script")).graph
    step = next(key for key, a in graph.nodes(data=True) if a["kind"] == "step")
    a = graph.nodes[step]
    assert (a["title"], a["badge"], a["sub"]) == ("optimizer.step()", "Adam", "9 parameters · line 49")
    written = {graph.nodes[v]["title"] for _, v, e in graph.out_edges(step, data=True) if e["carried"] and e["write"]}
    assert written == set(titles(graph, badge="parameter")) - {"model.head.temperature"}
    assert all(a["loop"] == "" for _, a in graph.nodes(data=True) if a["badge"] == "parameter")


def test_an_expression_is_one_place_by_whatever_instructions_it_runs() -> None:
    """CPython runs `x[t]` by others once it has run a few times, and these have positions of their own."""
    graph = rolled(recording_of("rnn")).graph
    assert [(a["seen"], a["of"]) for _, a in graph.nodes(data=True) if a["op"] == "select"] == [(120, 120)] * 2


def test_both_edges_of_a_square_are_kept_with_what_they_carry() -> None:
    recording = recorded(
        "import torch\nx = torch.ones(2, requires_grad=True)\nfor i in range(3):\n    (x * x).sum().backward()"
    )
    graph = rolled(recording).graph
    edges = [a["carries"] for u, v, a in graph.edges(data=True) if graph.nodes[v]["op"] == "mul"]
    assert [len(carries) for carries in edges] == [3, 3]
    assert {input for _, input in edges[0]} == {0}
    assert {input for _, input in edges[1]} == {1}


def test_updates_by_hand_are_carried_into_the_parameter() -> None:
    graph = rolled(recording_of("rnn")).graph
    w = next(key for key, a in graph.nodes(data=True) if a["title"] == "W")
    assert [(a["carried"], a["seen"]) for _, _, a in graph.in_edges(w, data=True)] == [(True, 10)]


def test_a_function_that_calls_itself_has_each_operation_once() -> None:
    graph = rolled(recording_of("recursion")).graph
    assert {a["times"] for _, a in graph.nodes(data=True) if a["op"] in ("cat", "mv", "tanh")} == {15}
    back = [a for u, v, a in graph.edges(data=True) if graph.nodes[u]["op"] == "tanh" and graph.nodes[v]["op"] == "cat"]
    assert [a["carried"] for a in back] == [True]


def test_there_is_one_accumulate_grad_for_each_leaf() -> None:
    graph = rolled(recording_of("rnn"), "autograd").graph
    assert titles(graph, kind="accumulate", loop="") == ["AccumulateGrad"] * 4
    assert sorted(a["badge"] for _, a in graph.nodes(data=True) if a["kind"] == "accumulate") == ["U", "V", "W", "b"]


def test_an_autograd_node_has_the_place_of_the_operation_that_made_it() -> None:
    tensors, nodes = rolled(recording_of("rnn")).graph, rolled(recording_of("rnn"), "autograd").graph
    assert node(nodes, "TanhBackward0")["line"] == node(tensors, "h", kind="result")["line"]
    assert len([a for _, a in nodes.nodes(data=True) if a["kind"] == "node"]) == len(
        [a for _, a in tensors.nodes(data=True) if a["badge"].endswith("Backward0")]
    )


def test_what_a_pass_records_has_the_place_of_the_node_that_it_was_at() -> None:
    recording = recording_of("maml")
    columns, places = columns_of(recording), places_of(recording)
    inside = np.flatnonzero(columns.operations.in_backward > 0)
    assert len(inside)
    # Two products in the rule of each `addmm`, for each of two layers: four places, not one "× 8".
    mm = inside[columns.operations.op[inside] == columns.op_names.index("mm")]
    assert len(np.unique(places.operation[mm])) == 3
    row = int(np.searchsorted(columns.tensors.step, columns.operations.step[mm[0]]))
    assert place(recording, places, row).of == places.operation[places.inner[mm[0]]]


def test_places_and_iterations_are_found_by_the_id_of_a_tensor() -> None:
    recording = recording_of("rnn")
    places = places_of(recording)
    graph = rolled(recording).graph
    h = node(graph, "h", kind="result")
    ids = [int(key[1:]) for key in h["all"]]
    assert {int(places.place_of[id]) for id in ids} == {h["place"]}
    assert [int(places.iteration_of[id]) for id in ids] == list(range(120))
    assert int(places.iteration_of[0]) == -1


def test_frames_are_the_time_loops_around_a_node() -> None:
    graph = rolled(recording_of("nested")).graph
    assert node(graph, "h", kind="result")["frames"] == ("L25", "L25/L27", "L25/L27/L19")
    assert node(graph, "loss")["frames"] == ("L25", "L25/L27")
    # A parameter stands where it is used.
    assert node(graph, "model.out.bias")["frames"] == ("L25", "L25/L27")
    assert node(graph, "model.cell.ih.weight")["frames"] == ("L25", "L25/L27", "L25/L27/L19")
    assert node(graph, "X")["frames"] == ()


def test_build_gives_it() -> None:
    recording = recording_of("rnn")
    assert build(recording, rolled=True) is rolled(recording).graph
    assert build(recording, "autograd", rolled=True) is rolled(recording, "autograd").graph


def test_recordings_that_know_no_calls_are_rolled_too() -> None:
    recording = recording_of("nested")
    before = Recording(
        source=recording.source,
        events=recording.events,
        sites=recording.sites,
        scopes=[Scope(s.function, s.call, s.loops, s.module) for s in recording.scopes],
        arrays=recording.arrays,
        ops=recording.ops,
    )
    made = rolled(before)
    check(before, "tensors", made)
    assert len(made.graph) < 60


@pytest.mark.parametrize("program", ["print('nothing')", "import torch", "import torch\nx = torch.ones(2)\nraise ValueError"])
@every_view
def test_programs_that_do_next_to_nothing(program: str, view: Any) -> None:
    recording = recorded(program)
    made = rolled(recording, view)
    check(recording, view, made)
    assert not made.worth


# --- groups -----------------------------------------------------------------------------------------------------------------


def first_view(name: str, view: Any = "tensors") -> Any:
    made = rolled(recording_of(name), view)
    return folded(made.graph, made.folding, groups_at_first(made.folding, made.graph))


@every_view
@every_program
def test_the_first_view_can_be_laid_out_and_read(name: str, view: Any) -> None:
    graph = first_view(name, view)
    layout(graph)
    assert len(graph) <= AT_FIRST


def test_modules_without_modules_are_one_card_with_their_parameters() -> None:
    graph = first_view("script")
    cards = {a["title"]: (a["badge"], len(a["rows"])) for _, a in graph.nodes(data=True) if a["kind"] == "group"}
    assert cards["fc1"] == ("Linear 8→32", 2)
    assert cards["bn1"] == ("BatchNorm1d 32", 2)
    assert cards["out"] == ("Linear 32→1", 2)
    made = rolled(recording_of("script"))
    assert "model.fc1.weight" in [made.graph.nodes[key]["title"] for key in made.folding.groups["Mmodel/Mfc1"].rows]


def test_buffers_are_within_their_modules() -> None:
    made = rolled(recording_of("script"))
    inside = [made.graph.nodes[key] for key in made.folding.groups["Mmodel/Mbn1"].members]
    assert {a["op"] for a in inside} >= {"batch_norm", "zeros", "ones"}
    assert not any(a["side"] for a in inside)


def test_the_model_is_in_the_middle_and_the_rest_aside() -> None:
    graph = first_view("gpt")
    side = [a["title"] for _, a in graph.nodes(data=True) if a["side"]]
    assert {"clip_grad_norm_(…)", "model.generate(…)"} <= set(side)
    middle = {a["title"] for _, a in graph.nodes(data=True) if not a["side"]}
    assert {"wte", "h.0.ln_1", "h.0.attn", "h.1.attn", "ln_f", "lm_head", "loss", "optimizer.step()"} <= middle


def test_metrics_and_evaluation_stand_aside_under_what_made_them() -> None:
    aside = {a["title"] for _, a in first_view("nested").nodes(data=True) if a["side"]}
    assert {"model(X)", "clip_grad_norm_(…)"} <= aside
    aside = {a["title"] for _, a in first_view("generation").nodes(data=True) if a["side"]}
    assert {"acc = (head(h).argmax(1…", "for _ in range(12)"} <= aside
    middle = {a["title"] for _, a in first_view("generation").nodes(data=True) if not a["side"]}
    assert {"emb", "rnn", "head", "loss"} <= middle


def test_what_a_pass_records_of_itself_is_folded_under_it() -> None:
    (card,) = (a for _, a in first_view("maml").nodes(data=True) if a["badge"] == "backward")
    assert card["title"] == "torch.autograd.grad(…)"
    assert not card["side"]


def test_layers_of_depth_stand_side_by_side() -> None:
    made = rolled(recording_of("ensemble"))
    layers = [group for group in made.folding.groups.values() if group.kind == "iteration"]
    assert [group.title for group in layers] == [f"iteration {k}" for k in range(1, 6)]
    blocks = rolled(recording_of("gpt")).folding.groups
    middle = [group.title for group in blocks.values() if not group.side]
    assert [title for title in middle if title.endswith(("h.0", "h.1"))] == ["transformer.h.0", "transformer.h.1"]


def test_a_module_goes_by_the_name_of_its_parameters_not_by_an_argument() -> None:
    outermost = [group for group in rolled(recording_of("gpt")).folding.groups.values() if not group.parent]
    assert "model" in [group.title for group in outermost]
    assert "module" not in [group.title for group in outermost]


def test_a_loss_that_was_recorded_thinly_is_no_leaf() -> None:
    program = """import torch
w = torch.ones(3, requires_grad=True)
opt = torch.optim.SGD([w], lr=0.01)
for i in range(3000):
    loss = ((w - 2) ** 2).sum()
    opt.zero_grad()
    loss.backward()
    opt.step()
"""
    recording = run(program, Limits(seconds=60, events=4_000)).recording
    assert recording is not None
    assert recording.unit, "it grew thinner"
    kinds = {a["title"]: a["kind"] for _, a in build(recording, rolled=True).nodes(data=True)}
    assert kinds["w"] == "leaf"
    assert kinds["loss"] == "result"
    assert [a["title"] for _, a in build(recording).nodes(data=True) if a["kind"] == "leaf"] == ["w"]
