"""What the picture says at every step: values, gradients under way, captions, and the timeline's segments."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import numpy as np
import pytest

from engine.graph.numbers import describe, norm, number, preview
from engine.graph.shown.captions import caption_text, captions
from engine.graph.shown.node_states import Cast, faces, faces_between
from engine.graph.shown.state_history import EdgeFace, Face
from engine.graph.shown.timeline import segments, steps
from engine.graph.structure.build import VIEWS, build
from engine.recording import Recording, store
from engine.recording.events import (
    Accumulated,
    BackwardEnded,
    CellBegan,
    CellEnded,
    FlagSet,
    GradSet,
    HookRan,
    Named,
    NodeRan,
    OpRan,
    Printed,
    Raised,
    Stepped,
    Warned,
)
from engine.recording.store import StoredArray, summarize
from tests.engine.recordings import Tape, product, scaled, two_passes
from tests.recorded import recorded


@pytest.fixture(scope="module")
def recording() -> Recording:
    return two_passes().recording()


def steps_of(recording: Recording, kind: type, **wanted: Any) -> list[int]:
    return [
        step
        for step, event in enumerate(recording.events)
        if isinstance(event, kind) and all(getattr(event, key) == value for key, value in wanted.items())
    ]


def at(history: list[tuple[int, Any]], step: int) -> Any:
    """The entry in force at a step, None before the first."""
    return next((face for born, face in reversed(history) if born <= step), None)


def key_of(recording: Recording, name: str, which: int) -> str:
    """The node of the tensor a name was bound to for the `which`-th time."""
    event = recording.events[steps_of(recording, Named, name=name)[which]]
    assert isinstance(event, Named)
    return f"t{event.tensor}"


def test_the_moment_of_the_mock_is_shown_as_it_is_drawn_there(recording: Recording) -> None:
    """Backward pass 2, MulBackward0 of line 9 has just sent 4 and 11."""
    step = steps_of(recording, NodeRan, number=2)[0]
    graph = build(recording)
    shown = faces(recording, graph)
    face = {name: at(shown.nodes[key_of(recording, name, -1)], step) for name in ("x1", "x2", "y1", "y2", "z")}
    assert face["x1"] == Face("1", grad="42 + …")
    assert face["x2"] == Face("2", grad="23 + …")
    assert face["y1"] == Face("11", flow="4", flow_note="grad not kept", state="receiving")
    assert face["y2"] == Face("4", flow="11", flow_note="grad not kept", state="receiving")
    assert face["z"] == Face("44", flow="1", flow_note="grad not kept", state="running")
    active = {key: at(history, step) for key, history in shown.edges.items() if history}
    labels = {key[:2]: face.label for key, face in active.items() if face is not None and face.active}
    y1, y2, z = (key_of(recording, name, -1) for name in ("y1", "y2", "z"))
    assert labels == {(y1, z): "4", (y2, z): "11"}
    assert caption_text(captions(recording)[step]) == "Backward pass 2 · MulBackward0 (line 9) sends 4 to y1 and 11 to y2"


def test_nodes_have_no_face_before_they_are_born(recording: Recording) -> None:
    graph = build(recording)
    for key, history in faces(recording, graph).nodes.items():
        assert history[0][0] == graph.nodes[key]["born"]
        assert [step for step, _ in history] == sorted({step for step, _ in history})


def test_an_edge_is_active_for_the_one_step_in_which_its_gradient_is_sent(recording: Recording) -> None:
    graph = build(recording)
    histories = faces(recording, graph).edges
    assert all(len(history) == 2 for history in histories.values())
    for (source, target, key), ((on, first), (off, last)) in histories.items():
        event = recording.events[on]
        assert isinstance(event, NodeRan)
        assert event.node == graph.edges[source, target, key]["node"]
        assert first.active
        assert first.norm == float(first.label)
        assert (off, last) == (on + 1, EdgeFace(False))


def test_a_leaf_collects_its_gradients_and_then_adds_them_to_grad(recording: Recording) -> None:
    history = faces(recording, build(recording)).nodes["t0"]
    seen = [(face.grad, face.flow) for _, face in history]
    assert list(dict.fromkeys(seen)) == [
        (None, None),
        ("…", None),
        ("…", "22 + …"),
        ("…", "22 + 20"),
        ("…", "42"),
        ("42", None),
        ("42 + …", None),
        ("42 + …", "22 + …"),
        ("42 + …", "22 + 20"),
        ("42 + …", "42"),
        ("84", None),
    ]


def test_a_node_of_the_first_pass_rests_during_the_second(recording: Recording) -> None:
    history = faces(recording, build(recording)).nodes[key_of(recording, "y1", 0)]
    assert [face.state for _, face in history] == ["", "receiving", "waiting", "running", "done", ""]
    assert history[-1] == (steps_of(recording, BackwardEnded)[0], Face("11"))


def test_the_autograd_view_shows_the_same_gradients_on_its_nodes(recording: Recording) -> None:
    graph = build(recording, "autograd")
    shown = faces(recording, graph)
    step = steps_of(recording, NodeRan, number=2)[0]
    event = recording.events[step]
    assert isinstance(event, NodeRan)
    flows = {graph.nodes[key]["badge"]: at(history, step).flow for key, history in shown.nodes.items() if at(history, step)}
    assert flows["y1"] == "4"
    assert flows["y2"] == "11"
    assert at(shown.nodes[f"n{event.node}"], step) == Face("44", flow="1", flow_note="grad not kept", state="running")
    accumulate = next(key for key, badge in graph.nodes(data="badge") if badge == "x1")
    assert at(shown.nodes[accumulate], step).grad == "42 + …"
    assert at(shown.nodes[accumulate], len(recording.events) - 1).grad == "84"


def test_a_write_in_place_shows_in_value_and_state_for_one_step() -> None:
    tape = Tape()
    x = tape.leaf([1.0, 2.0], name="x", requires_grad=False)
    tape.write("mul_", x, [2], x.array * 2)
    tape.printed("done\n")
    recording = tape.recording()
    assert faces(recording, build(recording)).nodes["t0"] == [
        (0, Face("[1 2]")),
        (2, Face("[2 4]", state="written")),
        (3, Face("[2 4]")),
    ]


def test_a_retained_gradient_is_kept_on_the_card() -> None:
    tape = Tape()
    x = tape.leaf(3.0, name="x")
    y = scaled(tape, 2, x, 1)
    tape.name("y", y)
    tape.events.append(FlagSet(tensor=y.id, flag="retains_grad", value=True))
    z = product(tape, y, y, 2, "z")
    tape.backward(z)
    ran = next(i for i, e in enumerate(tape.events) if isinstance(e, NodeRan) and e.node == y.node)
    kept = tape.array(12.0)
    tape.events.insert(ran, Accumulated(number=1, tensor=y.id, increment=kept, total=kept, node=y.node))
    recording = tape.recording()
    recording.check()
    face = at(faces(recording, build(recording)).nodes["t1"], ran)
    assert (face.grad, face.flow_note) == ("12", "")
    assert caption_text(captions(recording)[ran]) == "y.grad: 12, kept by retain_grad (backward pass 1)"
    assert faces(recording, build(recording)).nodes["t1"][-1][1].grad == "12"


def test_a_card_follows_the_name_of_its_tensor() -> None:
    tape = Tape()
    a, b = tape.leaf(1.0, name="a"), tape.leaf(2.0, name="b")
    tape.name("a", b)
    tape.name("b", a)
    recording = tape.recording()
    shown = faces(recording, build(recording)).nodes
    assert [face.title for _, face in shown["t0"]] == [None, "b"]
    assert [face.title for _, face in shown["t1"]] == [None, "a"]


def test_every_kind_of_event_has_a_caption_in_words() -> None:
    tape = Tape()
    x = tape.leaf([1.0, 2.0], 1, name="x")
    d = tape.op("detach", [x], x.array, line=2, cut="detach", name="d")
    tape.write("add_", d, [1], d.array + 1, line=3)
    y = scaled(tape, 2, x, 4)
    tape.backward(y, 5)
    tape.zero_grad(x, 6)
    one = tape.array(1.0)
    tape.events += [
        GradSet(tensor=x.id, array=-1, how="None"),
        GradSet(tensor=x.id, array=one, how="assign"),
        GradSet(tensor=x.id, array=one, how="mul_"),
        FlagSet(tensor=d.id, flag="requires_grad", value=True),
        FlagSet(tensor=y.id, flag="retains_grad", value=True),
        HookRan(tensor=x.id, node=y.node, before=one, after=one),
        HookRan(tensor=-1, node=y.node, before=one, after=tape.array(3.0)),
        Stepped(optimizer="SGD", parameters=(x.id,)),
        Named(name="x", tensor=d.id),
        Named(name="x", tensor=-1),
        Printed(text="a\nb <b>", site=tape.site(7)),
        Printed(text="\n"),
        Printed(text="oh", stream="stderr"),
        Warned(category="UserWarning", message="careful"),
        CellBegan(cell=0),
        CellEnded(cell=0, result="3"),
        Raised(type="RuntimeError", message="no"),
    ]
    recording = tape.recording()
    recording.check()
    assert [caption_text(caption) for caption in captions(recording)] == [
        "line 1 · tensor makes x = [1 2], a leaf that requires grad",
        "line 1 · x names [1 2]",
        "line 2 · detach makes d = [1 2], cut off from the graph (detach)",
        "line 2 · d names [1 2]",
        "line 3 · add_ writes d = [2 3] in place, version 1",
        "line 4 · mul makes 2 × x = [2 4]",
        "line 5 · Backward pass 1 begins at 2 × x with [1 1]",
        "Backward pass 1 · MulBackward0 (line 4) sends [2 2] to x",
        "Backward pass 1 · AccumulateGrad takes [2 2] for x.grad",
        "x.grad: [2 2] (backward pass 1)",
        "Backward pass 1 ends; its saved tensors are freed",
        "line 6 · x.grad set to zero",
        "x.grad set to None",
        "x.grad assigned 1",
        "x.grad changed by mul_ to 1",
        "d now requires grad",
        "2 × x will keep its gradient (retain_grad)",
        "Hook on x sees 1",
        "Hook on MulBackward0 replaces 1 by 3",
        "SGD.step updates 1 parameter",
        "x now names another tensor, [2 3]",
        "x no longer names a tensor",
        "line 7 · prints a b <b>",
        "prints an empty line",
        "writes to stderr oh",
        "UserWarning: careful",
        "In [1] begins",
        "In [1] ends: 3",
        "RuntimeError: no",
    ]


def test_accumulation_is_told_as_a_sum(recording: Recording) -> None:
    told = [caption_text(captions(recording)[step]) for step in steps_of(recording, Accumulated)]
    assert told == [
        "x2.grad: 23 (backward pass 1)",
        "x1.grad: 42 (backward pass 1)",
        "x2.grad: 23 + 23 = 46 (backward pass 2)",
        "x1.grad: 42 + 42 = 84 (backward pass 2)",
    ]


def test_a_long_name_in_a_caption_keeps_its_end() -> None:
    tape = Tape()
    path = "transformer.encoder.layers.0.self_attention"
    tape.leaf(3.0, name=f"{path}.in_proj_weight")
    tape.leaf(3.0, name=f"{path}.in_proj_bias")
    told = [caption_text(each) for each in captions(tape.recording())]
    assert told[1] == "transformer.encode…_attention.in_proj_weight names 3"
    assert told[3] == "transformer.encode…lf_attention.in_proj_bias names 3"


def test_gradients_in_captions_are_marked_as_gradients(recording: Recording) -> None:
    caption = captions(recording)[steps_of(recording, NodeRan, number=2)[0]]
    assert [text for text, style in caption if style == "grad"] == ["4", "11"]
    assert [text for text, style in caption if style == "code"] == ["y1", "y2"]


def test_the_timeline_alternates_between_forward_and_backward(recording: Recording) -> None:
    found = segments(recording)
    assert [(part.label, part.kind) for part in found] == [
        ("forward", "forward"),
        ("backward 1", "backward"),
        ("forward", "forward"),
        ("backward 2", "backward"),
        ("output", "other"),
    ]
    assert [step for part in found for step in range(part.first, part.last + 1)] == [*range(len(recording.events))]


def test_an_optimizer_step_is_a_segment_of_its_own() -> None:
    tape = Tape()
    w = tape.leaf(1.0, 1, name="w")
    tape.backward(scaled(tape, 2, w, 2), 3)
    tape.write("sub_", w, [], 0.8, line=4)
    tape.events.append(Stepped(optimizer="SGD", parameters=(w.id,), site=tape.site(4)))
    scaled(tape, 2, w, 2)
    assert [part.label for part in segments(tape.recording())] == ["forward", "backward 1", "step", "forward"]


@pytest.mark.parametrize("view", VIEWS)
def test_steps_point_into_text_and_graph(recording: Recording, view: Any) -> None:
    graph = build(recording, view)
    found = steps(recording, graph)
    assert len(found) == len(recording.events)
    for step, event in zip(found, recording.events, strict=True):
        assert all(key in graph for key in step.focus)
        if isinstance(event, NodeRan):
            assert step.span is not None
            assert step.span[0] == 10
            assert len(step.focus) == 1 + len(event.sent)
        if isinstance(event, OpRan) and view == "tensors":
            assert step.focus == (f"t{event.outputs[0].id}",)


def test_everything_becomes_json_with_the_contract_s_names(recording: Recording) -> None:
    graph = build(recording)
    shown = faces(recording, graph)
    face = json.loads(msgspec.json.encode(shown.nodes["t4"][1][1]))
    assert face == {"value": "11", "flow": "4", "flowNote": "grad not kept", "state": "receiving"}, "defaults are left out"
    assert json.loads(msgspec.json.encode(segments(recording)))[0] == {
        "label": "forward",
        "kind": "forward",
        "from": 0,
        "to": 13,
    }
    assert set(json.loads(msgspec.json.encode(steps(recording, graph)))[0]) == {
        "phase",
        "cell",
        "span",
        "caption",
        "focus",
    }


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1.0, "1"),
        (42, "42"),
        (-0.00123, "-0.00123"),
        (1.2e-05, "1.2e-05"),
        (3.14159265, "3.142"),
        (1234567.0, "1234567"),
        (1.5e12, "1.5e+12"),
        (float("nan"), "nan"),
        (float("-inf"), "-inf"),
        (-0.0, "0"),
        (True, "True"),
        (10**12, "1e+12"),
    ],
)
def test_numbers_are_short(value: Any, text: str) -> None:
    assert number(value) == text


@pytest.mark.parametrize(
    ("array", "text"),
    [
        (np.array([11], np.float32), "11"),
        (np.array(0.1, np.float32), "0.1"),
        (np.array([[1, 2], [3, 4]]), "[1 2; 3 4]"),
        (np.array([True, False]), "[True False]"),
        (np.zeros((0, 3)), "empty"),
        (np.arange(8.0), "mean 3.5 ± 2.3"),
        (np.array([1.0, np.nan, np.inf] * 5), "5 NaN, 5 Inf"),
        (np.array([True] * 7 + [False]), "7 of 8 True"),
        (np.array([1 + 2j]), "1+2j"),
    ],
    ids=str,
)
def test_arrays_are_previewed(array: Any, text: str) -> None:
    assert preview(store(array)) == text


def test_a_large_array_is_described_by_dtype_shape_and_statistics() -> None:
    array = np.full((64, 128), 0.01, np.float32)
    assert describe(store(array)) == "float32 [64×128] mean 0.01 ± 0"
    summary = StoredArray("float32", (64, 128), None, summarize(array))
    assert describe(summary).startswith("float32 [64×128] mean 0.01 ±")


def test_norms_that_json_cannot_say_are_left_out() -> None:
    assert norm(store(np.array([3.0, 4.0]))) == 5
    assert norm(store(np.array([np.inf]))) is None
    assert norm(store(np.array([np.nan, 1.0]))) is None


# --- a window of steps --------------------------------------------------------------------------------------------------------

TRAINED = """import torch
w = torch.tensor([1.0, 2.0], requires_grad=True)
b = torch.tensor(0.5, requires_grad=True)
for k in range(4):
    h = w * (k + 1)
    h.retain_grad()
    same = h
    loss = (h.sum() + b) ** 2
    loss.backward()
    g, = torch.autograd.grad((w ** 3).sum(), w, create_graph=True)
    g.sum().backward()
    with torch.no_grad():
        w -= 0.01 * w.grad
        w.grad.zero_()
"""


def cast_of(graph: Any) -> Cast:
    carriers: dict[tuple[int, int], list[Any]] = {}
    for u, v, k, a in graph.edges(keys=True, data=True):
        for edge in a["carries"]:
            carriers.setdefault(edge, []).append((u, v, k))
    nodes = {key: (a["tensor"], a["title"]) for key, a in graph.nodes(data=True)}
    return Cast(graph.graph["view"] == "autograd", nodes, carriers, graph.edges(keys=True))


def clipped(history: list[tuple[int, Any]], first: int, last: int) -> list[tuple[int, Any]]:
    """What a history says between two steps."""
    before = [entry for entry in history if entry[0] <= first]
    return [(first, face) for _, face in before[-1:]] + [entry for entry in history if first < entry[0] <= last]


@pytest.mark.parametrize("view", VIEWS)
def test_a_window_of_steps_shows_what_the_whole_run_shows_there(view: Any) -> None:
    recording = recorded(TRAINED)
    graph = build(recording, view)
    whole, total = faces(recording, graph), len(recording.events)
    for first in range(0, total, 3):
        last = min(total - 1, first + 17)
        part = faces_between(recording, cast_of(graph), first, last)
        for key in graph:
            expected = clipped(whole.nodes[key], first, last)
            shown = part.nodes[key]
            assert [(max(step, first), face) for step, face in shown] == expected, (key, first)
            # What was there before is not taken for what happened at the first step.
            assert all(step >= first - 1 for step, _ in shown)
            there = whole.nodes[key][0][0] < first and all(step != first for step, _ in whole.nodes[key])
            assert not there or shown[0][0] == first - 1
        for edge in graph.edges(keys=True):
            active = [(step, face) for step, face in whole.edges[edge] if face.active and first <= step <= last]
            assert (
                [(step, face) for step, face in part.edges[edge] if face.active] == active if edge in part.edges else not active
            )


def test_a_window_looks_at_the_nodes_alone_that_are_asked_for() -> None:
    recording = recorded(TRAINED)
    graph = build(recording)
    whole = cast_of(graph)
    key = next(key for key, a in graph.nodes(data=True) if a["title"] == "loss")
    part = faces_between(recording, Cast(False, {key: whole.nodes[key]}, {}, []), 20, 40)
    assert list(part.nodes) == [key]
    expected = clipped(faces(recording, graph).nodes[key], 20, 40)
    assert [(max(step, 20), face) for step, face in part.nodes[key]] == expected
