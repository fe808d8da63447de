"""A sweep gives at each point what the program itself gives there, and never more trouble than the point deserves."""

from __future__ import annotations

import threading
import time
from types import SimpleNamespace

import numpy as np
import pytest

from engine.experiments.sweep.messages import LAST, Leaf, Point, Spot, SweepReply, SweepRequest
from engine.experiments.sweep.parent import Listener, _Replies, run_points
from engine.experiments.sweep.path import loss_of
from engine.program import Program
from engine.program.controls import knobs, with_value
from engine.recording import Recording
from engine.recording.events import Accumulated
from engine.recording.index import index_of
from engine.sandbox import Limits, run
from engine.sandbox.transport.messages import encode
from engine.sandbox.transport.receiver import Stopped
from engine.sweep import Axis, Choice, SweepError, begin, choices, grid, sweep

PLENTY = Limits(seconds=30.0)
FIT = """\
import torch
w = torch.tensor(-1.5, requires_grad=True)
b = torch.tensor([2.0, 0.25], requires_grad=True)
x = torch.tensor([0.0, 1.0, 2.0, 3.0])
y = torch.tensor([1.0, 3.1, 4.9, 7.2])
opt = torch.optim.SGD([w, b], lr=0.05, momentum=0.6)
for step in range(6):
    loss = ((w * x + b.sum() - y) ** 2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
"""


def recorded(text: str) -> Recording:
    result = run(text, PLENTY)
    assert result.recording is not None
    return result.recording


def increments(recording: Recording, number: int) -> dict[str, np.ndarray]:
    """Name → what a pass added to its `.grad`."""
    index = index_of(recording)
    found = {}
    for event in recording.events:
        if isinstance(event, Accumulated) and event.number == number:
            found[index.tensors[event.tensor].first_name] = recording.array(event.increment)
    return found


def choice(offered: list[Choice], label: str) -> Choice:
    return next(c for c in offered if c.label.split(" · ")[0] == label)


@pytest.mark.parametrize("number", [1, 3])
def test_loss_and_gradients_are_those_of_the_program_with_these_values(number: int) -> None:
    # Before the first pass, a leaf that is set is a literal that is set; later ones are set in the text by an `if`.
    wa, ba = (-2.0, 0.5, 3.0), (-1.0, 1.75)
    text = FIT.replace(
        "    loss =", "    if step == 2:\n        with torch.no_grad():\n            w.mul_(1.0), b.mul_(1.0)\n    loss ="
    )
    offered = choices(recorded(text), number)
    found = sweep(text, [_at(choice(offered, "w"), wa), _at(choice(offered, "b[1]"), ba)], PLENTY, number=number)
    for i, w in enumerate(wa):
        for j, b in enumerate(ba):
            if number == 1:
                there = text.replace("-1.5", str(w)).replace("0.25", str(b))
            else:
                there = text.replace("w.mul_(1.0), b.mul_(1.0)", f"w.fill_({w})\n            b[1] = {b}")
            direct = recorded(there)
            assert found.loss[i, j] == loss_of(direct, number)
            added = increments(direct, number)
            assert tuple(found.gradients[i, j]) == (float(added["w"]), float(added["b"][1]))


def _at(offered: Choice, values: tuple[float, ...]) -> Axis:
    return Axis(offered.label, offered.target, values, offered.own)


def test_a_literal_is_swept_as_if_it_stood_in_the_text() -> None:
    offered = [c for c in choices(recorded(FIT), 1) if not c.is_leaf]
    rate = choice(offered, "lr in SGD(…)")
    values = (0.01, 0.05, 0.2)
    found = sweep(FIT, [_at(rate, values)], PLENTY)
    assert found.number == LAST
    assert np.isnan(found.gradients).all()
    knob = next(k for k in knobs(FIT) if k.label == "lr in SGD(…)")
    for value, loss in zip(values, found.loss, strict=True):
        assert loss == loss_of(recorded(with_value(FIT, knob, value)), 6)


def test_a_whole_number_stays_one() -> None:
    steps = choice(choices(recorded(FIT), 1), "range(□)")
    axis = steps.axis(1.0, 4.0, 50)
    assert axis.values == (1, 2, 3, 4)
    found = sweep(FIT, [axis], PLENTY)
    direct = recorded(FIT)
    assert list(found.loss) == [loss_of(direct, number) for number in axis.values]


def test_the_path_is_where_the_parameters_were() -> None:
    text = FIT + "print(w.item(), b[0].item())"
    traced = FIT.replace("    opt.zero_grad()", "    print(w.item(), b[0].item(), loss.item())\n    opt.zero_grad()")
    found = sweep(FIT, ["w", "b[0]"], PLENTY, points=5)
    told = [tuple(map(float, line.split())) for line in run(traced, PLENTY).output.splitlines()]
    assert [(*spot.values, spot.loss) for spot in found.path[:-1]] == told
    assert [spot.number for spot in found.path] == [1, 2, 3, 4, 5, 6, 0]
    assert found.path[-1].values == tuple(map(float, run(text, PLENTY).output.split()))


def test_the_path_follows_a_name_that_gets_new_leaves() -> None:
    text = """\
import torch
w = torch.tensor(4.0, requires_grad=True)
for _ in range(3):
    loss = (w - 1) ** 2
    loss.backward()
    w = (w - 0.25 * w.grad).detach().requires_grad_()
"""
    found = sweep(text, ["w"], PLENTY, points=3)
    assert [spot.values[0] for spot in found.path] == [4.0, 2.5, 1.75, 1.375]


def test_a_parameter_of_a_module_and_grad_of_a_function_are_swept() -> None:
    text = "import torch\ntorch.manual_seed(1)\nm = torch.nn.Linear(2, 1)\nloss = m(torch.ones(3, 2)).pow(2).sum()\n"
    found = sweep(text + "loss.backward()", ["m.weight[0, 1]"], PLENTY, points=3)
    for value, loss, gradient in zip(found.axes[0].values, found.loss, found.gradients[:, 0], strict=True):
        put = f"with torch.no_grad(): m.weight[0, 1] = {value!r}\n"
        direct = run(text.replace("loss =", put + "loss =") + "loss.backward()\nprint(loss.item(), m.weight.grad[0, 1].item())")
        assert direct.output.split() == [str(float(loss)), str(float(gradient))]
    text = "import torch\nx = torch.tensor(3.0, requires_grad=True)\ny = x ** 3\ng, = torch.autograd.grad(y, x)"
    found = sweep(text, [Axis("x", Leaf(0, 0, ()), (-1.0, 2.0), 3.0)], PLENTY)
    assert (list(found.loss), list(found.gradients[:, 0])) == ([-1.0, 8.0], [3.0, 12.0])


def test_a_hook_has_its_say() -> None:
    text = "import torch\nx = torch.tensor(3.0, requires_grad=True)\nx.register_hook(lambda g: g * 10)\n(x * x).backward()"
    assert list(sweep(text, ["x"], PLENTY, points=3).gradients[:, 0]) == [20.0 * v for v in (-3.0, 3.0, 9.0)]


def test_points_that_fail_are_marked_and_the_others_are_there() -> None:
    text = """\
import torch
x = torch.tensor(1.0, requires_grad=True)
if x.item() > 2:
    raise ValueError("too <b>large</b>")
loss = torch.log(x)
loss.backward()
"""
    found = sweep(text, [Axis("x", Leaf(0, 0, ()), (-1.0, 0.0, 1.0, 3.0), 1.0)], PLENTY)
    assert found.finished
    assert not found.problem
    assert found.errors == {3: "ValueError: too <b>large</b>"}
    assert np.isnan(found.loss[0])
    assert (found.loss[1], found.loss[2]) == (-np.inf, 0.0)


def test_a_point_that_never_ends_costs_its_time_and_no_more() -> None:
    text = "import torch\na = 1.0\nwhile a == 2.0: pass\nx = torch.tensor(a, requires_grad=True)\n(x * x).backward()"
    offered = choice(choices(recorded(text), 0), "a")
    found = sweep(text, [_at(offered, (1.0, 2.0, 3.0))], Limits(seconds=1.0))
    assert found.errors == {1: "stopped after 1 seconds"}
    assert (found.loss[0], found.loss[2]) == (1.0, 9.0)


def test_a_point_that_ends_the_process_is_found_among_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    def dies_at_five(
        program: Program, request: SweepRequest, limits: Limits, told: Listener, stop: threading.Event
    ) -> SweepReply:
        if (5.0,) in request.points:
            return SweepReply("failed", "the process has ended")
        return run_points(program, request, limits, told, stop)

    monkeypatch.setattr("engine.sweep.grid.run_points", dies_at_five)
    axis = Axis("w", Leaf(0, 0, ()), tuple(float(v) for v in range(8)), -1.5)
    found = begin(recorded(FIT), [axis], PLENTY).complete()
    assert found.errors == {5: "the process has ended"}
    assert np.flatnonzero(np.isfinite(found.loss)).tolist() == [0, 1, 2, 3, 4, 6, 7]


def test_a_program_without_backward_gives_its_last_number() -> None:
    found = sweep("import torch\na = 2.0\nt = (torch.ones(3) * a).sum()\nprint(t)", ["a"], PLENTY, points=3)
    assert found.number == 0
    assert list(found.loss) == [3 * v for v in found.axes[0].values]


def test_a_program_that_fails_after_the_pass_is_swept_up_to_it() -> None:
    text = "import torch\nx = torch.tensor(2.0, requires_grad=True)\n(x * x).backward()\n1 / 0"
    assert list(sweep(text, ["x"], PLENTY, points=3).loss) == [4.0, 4.0, 36.0]


def test_random_numbers_are_the_same_at_every_point_and_said_to_be_others() -> None:
    text = "import torch\nx = torch.tensor(1.0, requires_grad=True)\n(x * 0 + torch.rand(())).backward()"
    found = sweep(text, ["x"], PLENTY, points=9)
    assert len(set(found.loss)) == 1
    assert found.drawn
    assert not sweep(text.replace("x =", "torch.manual_seed(3)\nx ="), ["x"], PLENTY, points=9).drawn


def test_what_cannot_be_swept_is_said() -> None:
    with pytest.raises(SweepError, match="no 'q' to sweep; there are w"):
        sweep(FIT, ["q"], PLENTY)
    with pytest.raises(SweepError, match="one axis or two"):
        sweep(FIT, [], PLENTY)
    with pytest.raises(SweepError, match="10,000 points"):
        sweep(FIT, ["w", "b[0]"], PLENTY, points=101)
    with pytest.raises(SweepError, match="cannot be run: name 'torch' is not defined"):
        sweep("w = torch.ones(1)", ["w"], PLENTY)


def test_a_sweep_comes_in_portions_and_can_be_cancelled() -> None:
    slow = FIT.replace("range(6)", "range(6)").replace("loss = (", "loss = sum([0.0] * 20000) + (")
    moving = begin(recorded(slow), ["w", "b[0]"], PLENTY, points=61)
    while moving.done < 20:
        assert moving.advance(0.05)
    moving.cancel()
    assert moving.finished
    assert not moving.advance()
    assert 20 <= moving.done < moving.total
    assert moving.problem == "The sweep was cancelled."
    assert run("print('next')", PLENTY).output == "next\n"


@pytest.mark.parametrize("shape", [(1,), (5,), (81,), (31, 31), (3, 200)])
def test_points_come_from_coarse_to_fine(shape: tuple[int, ...]) -> None:
    order = grid.coarse_to_fine(shape)
    assert sorted(order) == list(range(int(np.prod(shape))))
    assert order[0] == 0
    where = np.array(np.unravel_index(order, shape))
    at = 0
    for stride in grid.strides(shape):
        count = int(np.prod([-(-size // stride) for size in shape]))
        assert (where[:, at:count] % stride == 0).all(), stride
        assert stride > 1 or count == len(order)
        at = count


def test_what_is_not_known_yet_is_shown_as_its_coarse_neighbour() -> None:
    moving = begin(recorded(FIT), ["w", "b[0]"], PLENTY, points=9)
    assert np.isnan(moving.coarse).all()
    while moving.done < 9:
        moving.advance(0.01)
    moving.cancel()
    assert moving.done < moving.total
    shown, known = moving.coarse, ~np.isnan(moving.loss)
    assert not np.isnan(shown).any(), "the coarse grid is whole"
    assert np.array_equal(shown[known], moving.loss[known])
    assert np.isin(shown, moving.loss[known]).all()


def test_a_sweep_that_was_cancelled_goes_on() -> None:
    whole = begin(recorded(FIT), ["w", "b[0]"], PLENTY, points=9).complete()
    moving = begin(recorded(FIT), ["w", "b[0]"], PLENTY, points=9)
    moving.cancel()
    assert (moving.finished, moving.done) == (True, 0)
    moving.go_on()
    assert not moving.finished
    moving.complete()
    assert (moving.problem, moving.done) == ("", moving.total)
    assert np.array_equal(moving.loss, whole.loss)
    assert [spot.values for spot in moving.path] == [spot.values for spot in whole.path]


def test_a_sweep_goes_on_as_long_as_points_come(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]
    monkeypatch.setattr(grid, "time", SimpleNamespace(monotonic=lambda: clock[0], sleep=time.sleep))
    monkeypatch.setattr(grid, "FIRST", 1)
    monkeypatch.setattr(grid, "LARGEST", 1)
    moving = begin(recorded(FIT), ["w"], PLENTY, points=12)
    done = 0
    while moving.advance(0.1):
        if moving.done > done:
            done = moving.done
            clock[0] += 80.0
    assert (moving.done, moving.problem) == (12, "")
    assert clock[0] > 2 * grid.PATIENCE
    stuck = begin(recorded(FIT), ["w"], PLENTY, points=12)
    clock[0] += grid.PATIENCE + 1
    stuck.advance()
    assert stuck.finished
    assert stuck.problem == "No point came for 90 s: 12 of 12 are missing."


def test_points_stop_when_they_are_to() -> None:
    stop = threading.Event()
    program = Program.from_text("import torch\nx = torch.tensor(1.0, requires_grad=True)\n(x * x).backward()\nwhile True: pass")
    request = SweepRequest(1, (Leaf(0, 0, ()),), ((1.0,),), path=True)
    stop.set()
    with pytest.raises(Stopped):
        run_points(program, request, PLENTY, lambda points: None, stop)


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        (b"S", encode([Point(2, 0.0, (0.0,))])),
        (b"S", encode([Point(-1, 0.0, (0.0,))])),
        (b"S", encode([Point(0, 0.0, (0.0,)), Point(0, 0.0, (0.0,))])),
        (b"S", encode([Point(0, 0.0, (0.0, 1.0))])),
        (b"S", encode([Point(0, 0.0, error="x" * 400)])),
        (b"S", b"\xff\xff"),
        (b"C", encode(SweepReply("ok", "x" * 400))),
        (b"C", encode(SweepReply("ok", path=(Spot(1, (1.0, 2.0), 0.0),)))),
        (b"B", b""),
    ],
)  # fmt: skip
def test_what_no_honest_child_sends_is_refused(kind: bytes, body: bytes) -> None:
    import msgspec

    replies = _Replies(SweepRequest(1, (Leaf(0, 0, ()),), ((1.0,), (2.0,))), lambda points: None)
    with pytest.raises((ValueError, msgspec.MsgspecError)):
        replies.take(kind, body)


def test_the_lowest_point_can_be_written_into_the_text() -> None:
    offered = choices(recorded(FIT), 1)
    assert choice(offered, "w").write([FIT], 2.5) == (0, FIT.replace("-1.5", "2.5"))
    assert choice(offered, "b[1]").write([FIT], 2.5) == (0, FIT.replace("0.25", "2.5"))
    assert choice(offered, "range(□)").write([FIT], 4.0) == (0, FIT.replace("range(6)", "range(4)"))
