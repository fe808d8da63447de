"""Two runs of a changed program: what is the same in both is found, and every difference is told with its size."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

from components.menus.gallery import examples
from engine.diagnosis.comparison.alignment import match, match_lines
from engine.diagnosis.comparison.array_change import array_change
from engine.diagnosis.comparison.compare import Comparison, compare
from engine.diagnosis.comparison.graph_diff import merged
from engine.graph import VIEWS, View, layout
from engine.recording import Recording
from engine.recording.index import index_of
from engine.recording.store import StoredArray
from tests.engine.recordings import Tape, added, chain, product, two_passes
from tests.recorded import recorded

BASE = """\
import torch
x = torch.tensor([1., 2.], requires_grad=True)
w = torch.tensor([3., 4.], requires_grad=True)
y = x * w
z = (y + 1).sum()
z.backward()
"""


def compared(old: str, new: str, program: str = BASE) -> Comparison:
    assert old in program
    return compare(recorded(program), recorded(program.replace(old, new)))


def statuses(found: Comparison) -> dict[str, str]:
    return {row.name: row.status for row in found.rows}


def stored(values: object, dtype: str = "float32") -> StoredArray:
    array = np.asarray(values, dtype=dtype)
    return StoredArray(dtype, array.shape, array.tobytes())


@pytest.mark.parametrize("name", examples())
def test_a_run_is_the_same_as_itself(name: str) -> None:
    text = examples()[name].text
    found = compare(recorded(text), recorded(text))
    assert found.first is None
    assert {row.status for row in found.rows} == {"same"}
    assert found.summary == "Both runs are the same."


def test_a_changed_value_is_followed_to_values_and_gradients() -> None:
    found = compared("[3., 4.]", "[3., 4.5]")
    rows = {row.name: row for row in found.rows}
    assert statuses(found) == {"x": "changed", "w": "changed", "y": "changed", "y + 1": "changed", "z": "changed"}
    assert (rows["w"].value.largest, rows["w"].value.relative) == (0.5, 0.125)
    assert (rows["y"].value.largest, rows["y"].value.relative) == (1.0, 0.125)
    assert not rows["x"].value.changed
    assert (rows["x"].grad.largest, rows["x"].grad.relative) == (0.5, 0.125)
    assert not rows["w"].grad.changed
    assert found.first is not None
    assert found.first.title == "line 3: w, [3 4] → [3 4.5]"
    assert found.first.step == found.first.step_before
    assert found.summary == (
        "4 values changed, 1 gradient changed. The runs first differ at line 3: w, [3 4] → [3 4.5]."
    )  # fmt: skip


def test_a_gradient_that_only_flows_is_compared_too() -> None:
    found = compared("(y + 1).sum()", "(y + 1).sum() * 2")
    row = next(row for row in found.rows if row.name == "y")
    assert not row.kept
    assert (row.value.changed, row.grad.largest) == (False, 1.0)


def test_an_inserted_line_is_added_and_what_follows_is_still_matched() -> None:
    found = compared("z = (y + 1)", "k = y * y\nz = (y + 1 + k)")
    assert statuses(found)["k"] == "added"
    assert statuses(found)["z"] == "changed"
    assert found.first is not None
    assert found.first.title.startswith("line 5: mul makes k")


def test_a_deleted_line_is_removed() -> None:
    program = BASE.replace("z = (y", "k = torch.exp(x)\nz = (y")
    found = compared("k = torch.exp(x)\n", "", program)
    assert statuses(found)["k"] == "removed"
    assert found.counts == {"same": 5, "removed": 1}
    assert found.first is not None
    assert found.first.title == "line 5: exp makes k = [2.718 7.389] (no longer)"


def test_a_tensor_keeps_its_name_when_another_operation_makes_it() -> None:
    found = compared("y = x * w", "y = x + w")
    row = next(row for row in found.rows if row.name == "y")
    assert row.before >= 0
    assert row.after >= 0
    assert row.status == "changed"


def test_a_line_that_moved_is_recognised_by_what_feeds_it() -> None:
    program = BASE.replace("z = (y + 1).sum()", "z = (y + 1).sum() + x.exp().sum()")
    moved = program.replace("y = x * w", "t = x.exp()\ny = x * w").replace("x.exp().sum()", "t.sum()")
    before, after = recorded(program), recorded(moved)
    found = compare(before, after)
    assert found.counts["same"] == len(found.rows)


def test_another_iteration_of_a_loop_is_added_and_the_others_stay() -> None:
    program = "import torch\nx = torch.tensor(2., requires_grad=True)\nfor i in range(2):\n    y = x * x\n    y.backward()\n"
    found = compared("range(2)", "range(3)", program)
    ys = {row.iteration: row.status for row in found.rows if row.name == "y"}
    assert ys == {"iteration 0": "same", "iteration 1": "same", "iteration 2": "added"}
    assert next(row for row in found.rows if row.name == "x").grad.largest == 4.0


def test_gradients_that_were_zeroed_are_told_from_those_that_were_not() -> None:
    found = compared("z.backward()\n", "z.backward()\nx.grad.zero_()\n")
    row = next(row for row in found.rows if row.name == "x")
    assert (row.grad.changed, row.grad.largest) == (True, 4.0)
    assert found.first is not None
    assert found.first.title == "line 7: x.grad set to zero (new)"


def test_gradients_cleared_in_both_runs_are_compared_as_they_were() -> None:
    program = BASE + "x.grad = None\n"
    found = compared("[3., 4.]", "[3., 6.]", program)
    assert next(row for row in found.rows if row.name == "x").grad.largest == 2.0


def test_a_cut_shows_as_a_flag() -> None:
    found = compared("y = x * w", "y = (x * w).detach()")
    row = next(row for row in found.rows if row.name == "y")
    assert row.flags == "requires no grad now"


def test_a_program_that_fails_is_compared_up_to_there() -> None:
    found = compared("z = (y + 1).sum()", "z = (y + torch.ones(3)).sum()")
    assert statuses(found)["y"] == "changed", "its gradient no longer comes"
    assert found.counts["removed"] == 2


def test_nan_is_the_same_as_nan_and_a_new_nan_is_told() -> None:
    nan = float("nan")
    assert not array_change(stored([1, nan]), stored([1, nan])).changed
    change = array_change(stored([1, 2]), stored([1.5, nan]))
    assert (change.changed, change.largest, change.note) == (True, 0.5, "1 NaN now")
    assert array_change(stored([nan, nan]), stored([1, nan])).note == "1 NaN before"
    assert not array_change(stored(float("inf")), stored(float("inf"))).changed
    assert array_change(stored(float("inf")), stored(-float("inf"))).largest == float("inf")


@pytest.mark.parametrize(
    ("old", "new", "changed", "note"),
    [
        (None, None, False, ""),
        (None, stored(1), True, "None before"),
        (stored(1), None, True, "None now"),
        (stored([1, 2]), stored([[1, 2]]), True, "shape [2] → [1, 2]"),
        (stored(1), stored(1, "float64"), True, "float32 → float64"),
        (stored(1e6), stored(1e6 + 0.1), False, ""),
        (stored(0), stored(1e-30), True, ""),
        (stored([]), stored([]), False, ""),
        (stored([True, False], "bool"), stored([True, True], "bool"), True, ""),
        (stored(1 + 1j, "complex64"), stored(1 + 1j, "complex64"), False, ""),
    ],
)
def test_arrays_of_every_kind_are_compared(old: StoredArray, new: StoredArray, changed: bool, note: str) -> None:
    found = array_change(old, new)
    assert (found.changed, found.note) == (changed, note)


def test_large_arrays_are_compared_by_what_is_kept_of_them() -> None:
    program = "import torch\na = torch.arange(100_000.)\nb = a * 2\n"
    assert compared("a * 2", "a * 2", program).first is None
    found = compared("a * 2", "a * 3", program)
    assert next(row for row in found.rows if row.name == "b").value.note == "of the means"


def test_changed_lines_are_matched_by_their_likeness() -> None:
    old = ("import torch\na = 1\nb = f(a, 2)\nc = 3\nend",)
    new = ("import torch\nq = zzz()\nb = f(a, 5)\nend",)
    assert match_lines(old, new) == {(0, 1): (0, 1), (0, 3): (0, 3), (0, 5): (0, 4)}


def test_the_moment_stays_where_the_same_event_is() -> None:
    before = recorded(BASE)
    after = recorded(BASE.replace("y = x * w", "q = x + 1\ny = x * w"))
    matching = match(before, after)
    for old, new in matching.events.items():
        assert type(before.events[old]) is type(after.events[new])
    named = [index_of(before).tensors[t].born for t in index_of(before).tensors]
    y = next(step for step in named if index_of(before).births.at(step, []) and matching.moment(step) == step + 2)
    assert matching.moment(y) == y + 2
    assert matching.moment(len(before.events) - 1) == len(after.events) - 1


def test_a_moment_that_is_gone_goes_to_the_one_before_it() -> None:
    program = BASE.replace("z = (y", "k = torch.exp(x)\nz = (y")
    before, after = recorded(program), recorded(BASE)
    matching = match(before, after)
    gone = next(step for step in range(len(before.events)) if step not in matching.events)
    assert matching.moment(gone) == matching.moment(gone - 1)


def test_recordings_without_scopes_are_compared() -> None:
    found = compare(two_passes().recording(), two_passes().recording())
    assert found.first is None
    tape = Tape("a = 1\n")
    a = tape.leaf([1.0], 1, name="a")
    tape.backward(product(tape, a, added(tape, a, a, 2), 3, "b"), 4)
    other = compare(tape.recording(), two_passes().recording())
    assert other.first is not None


def test_empty_recordings_are_compared() -> None:
    assert compare(Recording(), Recording()).first is None
    assert compare(Recording(), recorded(BASE)).first is not None
    assert compare(recorded(BASE), Recording()).counts == {"removed": 5}


def test_long_recordings_are_matched_in_full() -> None:
    matching = match(chain(2000), chain(2000))
    assert matching.likeness == 1.0


EDITS = [
    ("repeated_backward", "5 * x1", "6 * x1"),
    ("repeated_backward", "    z = y1 * y2", "    q = y1 + 1\n    z = q * y2"),
    ("repeated_backward", "    y2 = 2 * x1 + 1 * x2\n    z = y1 * y2", "    z = y1 * y1"),
    ("cutting_the_graph", ".detach()", ""),
    ("training_a_network", "    optimizer.zero_grad()\n", ""),
    ("second_derivative", "x**3", "x**4"),
    ("tiny_mlp", "range(3)", "range(2)"),
]


@pytest.mark.parametrize(("name", "old", "new"), EDITS)
@pytest.mark.parametrize("view", VIEWS)
def test_the_merged_graph_holds_both_and_can_be_laid_out(name: str, old: str, new: str, view: View) -> None:
    program = examples()[name].text
    before, after = recorded(program), recorded(program.replace(old, new))
    both = merged(before, after, view)
    assert set(both.own) <= set(both.graph)
    assert set(both.nodes) <= set(both.graph)
    assert all(both.graph.has_edge(*edge) for edge in both.edges)
    removed = {key for key, a in both.graph.nodes(data=True) if a.get("removed")}
    assert removed == {key for key, mark in both.nodes.items() if mark["tone"] == "removed"}
    assert not removed & set(both.own)
    placed = layout(both.graph if view == "tensors" else both.graph.reverse(copy=True))
    assert set(placed.positions) == set(both.graph)


@pytest.mark.parametrize("view", VIEWS)
def test_swapped_roles_make_no_cycle(view: View) -> None:
    program = "import torch\na = torch.ones(1, requires_grad=True)\nb = a * 2\nc = b + 1\nc.backward()\n"
    swapped = "import torch\na = torch.ones(1, requires_grad=True)\nc = a + 1\nb = c * 2\nb.backward()\n"
    both = merged(recorded(program), recorded(swapped), view)
    solid = nx.DiGraph([(u, v) for u, v, a in both.graph.edges(data=True) if not a.get("write")])
    assert nx.is_directed_acyclic_graph(solid)
    layout(both.graph)


def test_marks_say_from_what_to_what() -> None:
    both = merged(recorded(BASE), recorded(BASE.replace("[3., 4.]", "[3., 4.5]")))
    w = next(key for key, a in both.graph.nodes(data=True) if a["title"] == "w")
    assert both.nodes[w] == {"tone": "changed", "label": "[3 4] → [3 4.5]", "value": 0.125}
    assert both.tones() == ["changed"]
