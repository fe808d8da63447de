"""Two recordings, whoever made them: where they first differ is found in columns, with what went into it."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays as numpy_arrays

from engine.diagnosis import compare
from engine.diagnosis.comparison.array_change import array_change
from engine.diagnosis.comparison.array_pairs import unlike
from engine.diagnosis.comparison.compare import Comparison, Difference
from engine.diagnosis.comparison.tolerance import RERUN, Tolerance
from engine.precision import PRECISION, tolerances
from engine.recording import Recording
from engine.recording.arrays import arrays_from
from engine.recording.brief import brief
from engine.recording.events import Thinned
from engine.recording.log import Events
from engine.recording.store import StoredArray, store
from engine.recording.tables import Tape
from tests.recorded import recorded

TRAINING = """\
import torch
from torch import nn
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
x, y = torch.randn(16, 4), torch.randn(16, 1)
for step in range(8):
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(net(x), y)
    loss.backward()
    optimizer.step()
print(loss.item())
"""
CLOSE = Tolerance()


def compared(old: str, new: str, tolerance: Tolerance = CLOSE, program: str = TRAINING) -> Comparison:
    assert old in program
    return compare(recorded(program), recorded(program.replace(old, new)), tolerance)


def first(found: Comparison) -> Difference:
    assert found.first is not None
    return found.first


def test_a_run_is_the_same_as_itself_and_all_of_its_arrays_are_looked_at() -> None:
    found = compare(recorded(TRAINING), recorded(TRAINING), CLOSE)
    assert found.first is None
    assert found.only == ()
    assert found.sides == ()
    assert found.matched == len(found.before.events) == len(found.after.events)
    whole, told, unknown = found.compared
    assert whole > 200
    assert told == unknown == 0


def test_an_optimizer_of_other_settings_is_named_with_inputs_that_are_equal() -> None:
    found = first(compared("lr=0.1", "lr=0.1, weight_decay=0.1"))
    assert (found.kind, found.line, found.iteration, found.operation) == ("parameter", 11, "iteration 0", "SGD.step")
    assert [(each.name, each.same) for each in found.inputs] == [
        ("net.0.weight", True), ("net.0.weight.grad", True), ("learning rate", True),
    ]  # fmt: skip
    assert found.sentence == (
        "The runs first differ at line 11, iteration 0: SGD.step gives another net.0.weight, though what goes into it is the "
        "same: the optimizer's settings or its state differ"
        "."
    )


def test_another_learning_rate_is_among_what_goes_in() -> None:
    found = first(compared("lr=0.1", "lr=0.2"))
    assert found.kind == "parameter"
    assert [(each.before, each.after) for each in found.inputs if each.same is False] == [("0.1", "0.2")]
    assert "this differs: learning rate (0.1 → 0.2)" in found.sentence


def test_a_rate_that_no_parameter_shows_differs_too() -> None:
    program = TRAINING.replace("    optimizer.step()", "    net.requires_grad_(True)\n    optimizer.step()")
    program = program.replace("loss.backward()", "(loss * 0).backward()")
    found = first(compared("lr=0.1", "lr=0.2", program=program))
    assert (found.kind, found.before, found.after) == ("rates", "0.1", "0.2")


def test_an_argument_that_differs_is_told() -> None:
    program = TRAINING.replace("nn.Tanh()", "nn.LayerNorm(8, eps=1e-5)")
    found = first(compared("eps=1e-5", "eps=1e-1", program=program))
    assert (found.line, found.iteration) == (9, "iteration 0")
    assert [(each.name, each.before, each.after) for each in found.inputs if each.same is False] == [("eps", "1e-05", "0.1")]


def test_a_gradient_that_comes_out_of_a_node_differs_with_what_came_into_it() -> None:
    program = """\
import torch
class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2
    @staticmethod
    def backward(ctx, grad):
        return grad * 2.0
x = torch.tensor([1.0, 2.0], requires_grad=True)
Twice.apply(x).sum().backward()
"""
    found = first(compared("grad * 2.0", "grad * 3.0", program=program))
    assert found.kind == "gradient"
    assert found.what.startswith("gradient out of Twice")
    assert [(each.name, each.same) for each in found.inputs] == [("the gradient that comes", True)]


def test_a_gradient_that_was_not_cleared_differs_by_what_was_there() -> None:
    program = TRAINING.replace("range(8)", "range(2)").replace("    optimizer.step()\n", "")
    found = compare(recorded(program), recorded(program.replace("    optimizer.zero_grad()\n", "")), CLOSE)
    assert first(found).kind == "removed"
    assert "grad set to None" in first(found).what
    assert [(only.run, only.count) for only in found.only] == [("before", 4)]


def test_what_only_one_of_them_did_is_named_by_its_place() -> None:
    program = TRAINING.replace(
        "    optimizer.step()", "    with torch.no_grad():\n        net[0].weight.mul_(0.9)\n    optimizer.step()"
    )
    found = compare(recorded(TRAINING), recorded(program), CLOSE)
    (only,) = found.only
    assert (only.run, only.line, only.iteration, only.count) == ("after", 12, "iteration 0", 8)
    assert only.what.startswith("mul_ writes net.0.weight")
    assert first(found).kind == "added"
    assert first(found).line == 12


def test_a_run_that_goes_on_is_told_in_one_line() -> None:
    found = compared("range(8)", "range(5)")
    assert [(only.run, only.what) for only in found.only] == [("before", "goes on: iterations 5–7")]
    assert (first(found).kind, first(found).iteration) == ("removed", "iteration 5")


def test_what_is_within_the_tolerance_is_no_difference() -> None:
    assert compared("torch.randn(16, 1)", "torch.randn(16, 1) + 1e-9").first is not None, "an operation more"
    shifted = "x, y = torch.randn(16, 4), torch.randn(16, 1).mul(1 + {})"
    program = TRAINING.replace("x, y = torch.randn(16, 4), torch.randn(16, 1)", shifted.format("1e-3"))
    assert compared("1e-3", "1.001e-3", program=program).first is None
    assert compared("1e-3", "2e-3", program=program).first is not None
    assert compared("1e-3", "2e-3", Tolerance(0.05, 0.05), program).first is None
    assert compared("1e-3", "1.001e-3", Tolerance(0.0, 0.0), program).first is not None


def test_texts_and_names_count_only_between_runs_of_one_engine() -> None:
    assert compared("print(loss.item())", "print('loss', loss.item())").first is None
    assert first(compared("print(loss.item())", "print('loss', loss.item())", RERUN)).kind == "output"


def test_a_recording_that_holds_less_is_compared_where_it_holds_it() -> None:
    whole = recorded(TRAINING)
    cut = replace(whole, events=whole.events[:120], complete=False)
    for before, after in ((whole, cut), (cut, whole)):
        found = compare(before, after, CLOSE)
        assert found.first is None
        assert found.only == ()
        assert any("has no end" in side for side in found.sides)
    ended = replace(whole, events=whole.events[:120])
    assert compare(whole, ended, CLOSE).first is not None
    middle = [*whole.events[:60], Thinned("silent"), Thinned("whole"), *whole.events[90:]]
    thin = replace(whole, events=middle)
    for before, after in ((whole, thin), (thin, whole)):
        assert compare(before, after, CLOSE).only == ()


def test_other_dtypes_are_told_and_no_difference_by_themselves() -> None:
    program = "import torch\nx = torch.ones(3, dtype=torch.float32, requires_grad=True)\n(x * 2).sum().backward()\n"
    found = compared("float32", "float64", program=program)
    assert found.first is None
    assert found.sides[1] == "Of 3 tensors 3 have other dtypes: float32 in {0} and float64 in {1}, the first at line 2."
    assert compared("float32", "float64", RERUN, program).first is not None


def test_uninitialized_memory_is_not_compared() -> None:
    program = "import torch\nx = torch.empty(4)\nx.fill_(2.0)\ny = x * 3\n"
    before, after = recorded(program), recorded(program)
    made = next(event for event in after.events if getattr(event, "op", "") == "empty").outputs[0].array  # type: ignore[union-attr]
    garbage = store(np.full(4, 1e30, np.float32))
    other = replace(after, arrays=[garbage if k == made else each for k, each in enumerate(after.arrays)])
    assert compare(before, other, CLOSE).first is None


def test_a_value_that_is_infinite_in_one_is_the_first_difference() -> None:
    program = TRAINING.replace("    loss.backward()", "    loss = loss * torch.tensor(1.0)\n    loss.backward()")
    found = first(compared("torch.tensor(1.0)", "torch.tensor(float('inf') if step == 3 else 1.0)", program=program))
    assert (found.iteration, found.kind, found.after) == ("iteration 3", "value", "inf")


def test_a_long_run_is_compared_in_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    program = TRAINING.replace("range(8)", "range(200)")
    before, after = recorded(program), recorded(program.replace("lr=0.1", "lr=0.1, weight_decay=0.1"))
    assert len(before.events) > 5_000
    made: list[int] = []
    decoded = Tape.decoded
    monkeypatch.setattr(Tape, "decoded", lambda tape, first, last: made.append(last - first) or decoded(tape, first, last))
    for recording in (before, after):
        recording.events = Events(recording.tape)  # type: ignore[attr-defined]
    found = compare(before, after, CLOSE)
    assert found.first is not None
    assert found.only == ()
    assert sum(made) < 100


# --- arrays -------------------------------------------------------------------------------------------------------------------

VALUES = numpy_arrays(np.float32, st.integers(1, 6), elements=st.floats(-4, 4, width=32))


@given(VALUES, st.sampled_from([0.0, 1e-7, 1e-6, 1e-4, 1.0]), st.booleans())
def test_what_is_worked_out_for_many_pairs_is_what_assert_close_says_of_each(
    x: np.ndarray, shift: float, all_of_it: bool
) -> None:  # type: ignore[type-arg]
    y = (x + np.float32(shift)) if all_of_it else np.concatenate([x[:-1], x[-1:] + np.float32(shift)])
    rtol, atol = tolerances("float32")
    expected = bool((np.abs(y.astype(np.float64) - x) > atol + rtol * np.abs(x.astype(np.float64))).any())
    a, b = (arrays_from([store(each)]) for each in (x, y.astype(np.float32)))
    zero = np.zeros(1, np.int64)
    assert bool(unlike(a, b, zero, zero, CLOSE)[0]) == expected


@given(numpy_arrays(np.float32, st.just((40,)), elements=st.floats(-4, 4, width=32)), st.sampled_from([0.0, 1e-7, 0.5]))
def test_arrays_and_statistics_of_the_same_elements_are_never_told_apart(x: np.ndarray, shift: float) -> None:  # type: ignore[type-arg]
    told = brief(np.repeat(x, 50))
    whole = store(np.repeat(x, 50).astype(np.float32), cap=10**6)
    assert told.summary is not None
    assert whole.summary is None
    zero = np.zeros(1, np.int64)
    assert not unlike(arrays_from([told]), arrays_from([whole]), zero, zero, CLOSE)[0]
    moved = store((np.repeat(x, 50) + np.float32(shift)).astype(np.float32), cap=10**6)
    assert bool(unlike(arrays_from([told]), arrays_from([moved]), zero, zero, CLOSE)[0]) == (shift == 0.5)


def test_many_pairs_of_every_kind_are_told_apart_at_once() -> None:
    nan, inf = float("nan"), float("inf")
    pairs = [
        (np.array([1.0, nan]), np.array([1.0, nan]), False),
        (np.array([1.0, nan]), np.array([1.0, 2.0]), True),
        (np.array([inf]), np.array([inf]), False),
        (np.array([inf]), np.array([-inf]), True),
        (np.array(3), np.array(3), False),
        (np.array(2**62), np.array(2**62 + 1), True),
        (np.array([True, False]), np.array([True, True]), True),
        (np.zeros((2, 3)), np.zeros((3, 2)), True),
        (np.zeros((0, 3)), np.zeros((0, 3)), False),
        (np.array(1 + 1j), np.array(1 + 1j), False),
        (np.array(1 + 1j), np.array(1 + 2j), True),
        (np.ones(2, np.float32), np.ones(2), False),
        (np.arange(10_000.0), np.arange(10_000.0), False),
        (np.arange(10_000.0), np.arange(10_000.0)[::-1].copy(), True),
        (np.arange(10_000.0), np.arange(10_000.0) * 1.001, True),
    ]
    a, b = (arrays_from([store(np.asarray(pair[k]), cap=100) for pair in pairs]) for k in (0, 1))
    ids = np.arange(len(pairs))
    expected = [differ for *_, differ in pairs]
    assert unlike(a, b, ids, ids, CLOSE).tolist() == expected
    assert [array_change(x, y, CLOSE).changed for x, y in zip(a, b, strict=True)] == expected
    assert unlike(a, b, ids[::-1], ids[::-1], CLOSE).tolist() == expected[::-1]


def test_arrays_of_the_same_statistics_are_told_apart_by_their_corners_and_pictures() -> None:
    x = np.random.default_rng(0).standard_normal((64, 64)).astype(np.float32)
    corner, middle = x.copy(), x.copy()
    corner[0, :2] = corner[0, 1::-1]
    middle[10:12], middle[40:42] = x[40:42], x[10:12]
    others = [x, corner, middle, x]
    a, b = (arrays_from([store(each, cap=100) for each in pair]) for pair in ([x] * 4, others))
    ids = np.arange(4)
    for tolerance in (CLOSE, RERUN):
        assert unlike(a, b, ids, ids, tolerance).tolist() == [False, True, True, False]


def test_of_large_arrays_the_statistic_that_differs_is_told() -> None:
    x = np.tile(np.array([-1.0, 1.0], np.float32), 5_000)
    change = array_change(store(x, cap=100), store(x * np.float32(1.5), cap=100))
    assert (change.changed, change.largest, change.note) == (True, 0.5, "of the standard deviations")


def test_where_nothing_was_kept_nothing_is_said() -> None:
    summary = store(np.full(10_000, np.nan, np.float32), cap=100).summary
    assert summary is not None
    unknown = StoredArray("float32", (10_000,), None, msgspec.structs.replace(summary, nan=0))
    zero = np.zeros(1, np.int64)
    assert not unlike(arrays_from([unknown]), arrays_from([store(np.ones(10_000, np.float32))]), zero, zero, CLOSE)[0]


def test_the_tolerances_are_those_of_assert_close(torch: object) -> None:
    from torch.testing import _comparison  # type: ignore[import-not-found]

    theirs = {str(dtype).removeprefix("torch."): found for dtype, found in _comparison._DTYPE_PRECISIONS.items()}
    assert {name: theirs[name] for name in PRECISION} == PRECISION


def test_recordings_without_anything_in_common_are_compared() -> None:
    assert compare(Recording(), Recording(), CLOSE).first is None
    found = compare(recorded("import torch\nx = torch.ones(2)\n"), recorded("import torch\ny = torch.zeros(3).exp()\n"), CLOSE)
    assert found.first is not None
    assert found.only


@pytest.mark.parametrize("tolerance", [CLOSE, RERUN])
def test_the_answer_is_kept_with_its_tolerance(tolerance: Tolerance) -> None:
    before, after = recorded(TRAINING), recorded(TRAINING)
    assert compare(before, after, tolerance) is compare(before, after, tolerance)
    assert compare(before, after, tolerance).tolerance == tolerance
