"""Gradients checked by finite differences: right ones pass, wrong ones are found where they come from."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from engine.diagnosis.gradcheck.check import check_numerically
from engine.diagnosis.gradcheck.check_result import BAD, GOOD, KINK, ROUNDED, UNKNOWN, Check
from engine.diagnosis.gradcheck.verdicts import judged, operations
from engine.experiments.gradcheck.messages import CheckReply, CheckRequest, Slope, check_reply, decode_reply
from engine.experiments.gradcheck.parent import check
from engine.graph import build
from engine.program import Program
from engine.recording import Recording
from engine.recording.index import index_of
from engine.sandbox import Limits, run
from engine.sandbox.transport.messages import encode

ROOT = Path(__file__).parents[3]
EXAMPLES = sorted((ROOT / "assets/examples").glob("*.py"))

WRONG_CUBE = """\
import torch

class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x ** 3

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * 3 * x

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * 2
z = Cube.apply(y)
z.sum().backward()
"""

WRONG_SECOND = """\
import torch

class Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a * b

    @staticmethod
    def backward(ctx, grad):
        a, b = ctx.saved_tensors
        return grad * b, grad * b

a = torch.tensor([1.0, 2.0], requires_grad=True)
b = torch.tensor([3.0, 2.0], requires_grad=True)
Product.apply(a, b).sum().backward()
"""

TRAINING = """\
import torch
w = torch.tensor([1.0, -0.5], requires_grad=True)
x = torch.tensor([[1.0, 2.0], [3.0, -1.0]])
for step in range(4):
    loss = ((x @ w).sigmoid() ** 2).sum()
    loss.backward()
    with torch.no_grad():
        w -= 0.3 * w.grad
        w.grad.zero_()
"""


def torch(text: str) -> str:
    return f"import torch\n{text}\n"


def sound(check: Check) -> bool:
    return not check.problem and check.verdict == GOOD and bool(check.leaves)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_the_gradients_of_all_examples_are_right(path: Path) -> None:
    check = check_numerically(path.read_text())
    if path.stem.startswith("09"):
        assert "modified by an inplace operation" in check.problem
        return
    assert sound(check), check
    assert not check.skipped
    assert not check.note
    assert check.edges
    assert max(c.error for p in (*check.leaves, *check.edges) for c in p.checked) < 1e-6
    assert all(c.recorded is not None for p in check.leaves for c in p.checked)
    assert check.sentences() == []


def test_a_wrong_backward_is_found_where_it_is() -> None:
    check = check_numerically(WRONG_CUBE)
    (wrong, leaf) = check.wrong
    assert (wrong.title, wrong.line) == ("CubeBackward → y", 16)
    assert wrong.worst is not None
    assert wrong.worst.element == (1,)
    assert wrong.worst.analytic == pytest.approx(12)
    assert wrong.worst.numeric == pytest.approx(48, rel=1e-6)
    assert leaf.title == "x"
    assert check.sentences()[0] == ("CubeBackward → y (line 16) sends a wrong gradient at [1]: 12, but differences give 48.")
    good = [p.title for p in check.edges if p.verdict == GOOD]
    assert len(good) == 2


def test_of_two_inputs_the_wrong_one_is_named() -> None:
    check = check_numerically(WRONG_SECOND)
    assert [p.title for p in check.wrong] == ["ProductBackward → b", "b"]
    assert {p.title: p.verdict for p in check.leaves} == {"a": GOOD, "b": BAD}
    assert check.wrong[0].worst is not None
    assert check.wrong[0].worst.element == (0,)


def test_a_wrong_gradient_in_one_of_many_elements_is_found_by_moving_all() -> None:
    text = WRONG_CUBE.replace("return grad * 3 * x", "g = grad * 3 * x ** 2\n        g[517] += 1\n        return g")
    check = check_numerically(
        text.replace("torch.tensor([1.0, 2.0], requires_grad=True)", "torch.linspace(-1, 1, 600, requires_grad=True)")
    )
    found = [p for p in check.wrong if p.title == "CubeBackward → y"]
    assert found
    assert found[0].worst is not None
    assert found[0].worst.all


@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_each_pass_of_a_training_loop_is_checked_at_its_own_values(number: int) -> None:
    check = check_numerically(TRAINING, number)
    assert sound(check), check
    assert check.number == number
    recorded = [c.recorded for c in check.leaves[0].checked]
    assert recorded == pytest.approx([c.numeric for c in check.leaves[0].checked], rel=1e-4)


def test_an_optimizer_and_modules_are_followed() -> None:
    text = torch(
        "from torch import nn\ntorch.manual_seed(3)\n"
        "m = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.BatchNorm1d(8), nn.Linear(8, 2))\n"
        "opt = torch.optim.Adam(m.parameters(), lr=0.01)\nx = torch.randn(5, 3)\nfor i in range(3):\n    opt.zero_grad()\n"
        "    loss = nn.functional.cross_entropy(m(x), torch.tensor([0, 1, 0, 1, 1]))\n    loss.backward()\n    opt.step()"
    )
    check = check_numerically(text)
    assert sound(check), check
    assert len(check.leaves) == 6


def test_a_recurrent_network_is_followed() -> None:
    text = torch(
        "torch.manual_seed(0)\nm = torch.nn.LSTM(2, 3)\nx = torch.randn(4, 1, 2)\nout, _ = m(x)\n(out ** 2).sum().backward()"
    )
    assert sound(check_numerically(text))


def test_what_autograd_takes_for_a_constant_is_one() -> None:
    text = torch(
        "x = torch.tensor([1.5, 2.0], requires_grad=True)\nwith torch.no_grad():\n    scale = x.exp()\nk = x.sum().item()\n"
        "y = x * x.detach() * scale * torch.tensor(k)\n(y + (x > 1.7).float() * x).sum().backward()"
    )
    assert sound(check_numerically(text))


def test_a_gradient_used_as_a_constant_is_one() -> None:
    text = torch(
        "x = torch.tensor([1.5, 2.0], requires_grad=True)\ny = x ** 3\n"
        "(g,) = torch.autograd.grad(y.sum(), x, retain_graph=True)\n"
        "(y * g).sum().backward()"
    )
    assert sound(check_numerically(text))


def test_second_derivatives_are_derivatives_of_first_ones() -> None:
    text = torch(
        "x = torch.tensor([0.3, 1.2], requires_grad=True)\n"
        "(g,) = torch.autograd.grad((x.sin() * x).sum(), x, create_graph=True)\n"
        "(g ** 2).sum().backward()"
    )
    check = check_numerically(text)
    assert sound(check), check
    assert len(check.edges) >= 4


def test_a_kink_is_no_wrong_gradient() -> None:
    check = check_numerically(
        torch("x = torch.tensor([0.0, 1.0], requires_grad=True)\ny = torch.relu(x)\n(y * 2).sum().backward()")
    )
    assert check.verdict == KINK
    assert check.wrong == ()
    assert [c.verdict for c in check.leaves[0].checked] == [KINK, GOOD]
    assert check.overlay()["nodes"]["t0"]["label"] == "kink: no derivative here"


def test_at_a_kink_a_gradient_outside_both_slopes_is_wrong() -> None:
    text = WRONG_CUBE.replace("x ** 3", "x.clamp(min=0)").replace("grad * 3 * x", "grad * 7 * (x >= 0)")
    check = check_numerically(text.replace("[1.0, 2.0]", "[0.0, -2.0]"))
    assert check.verdict == BAD
    assert check.wrong[0].title == "CubeBackward → y"


def test_dropout_repeats_its_mask() -> None:
    # Powers of two: another mask gives another root, whatever is drawn without a seed.
    leaf = "x = torch.tensor([1.0, 2.0, 4.0, 8.0, 16.0, 32.0], requires_grad=True)"
    text = f"{leaf}\ny = torch.nn.functional.dropout(x * 2, 0.5)\n(y * y).sum().backward()"
    seeded = check_numerically(torch(f"torch.manual_seed(4)\n{text}"))
    assert [p.verdict for p in seeded.leaves] == [GOOD]
    assert not seeded.note
    unseeded = check_numerically(torch(text))
    assert unseeded.verdict in (GOOD, KINK)
    assert not unseeded.wrong


def test_without_a_seed_the_new_run_is_checked_and_said_so() -> None:
    check = check_numerically(torch("x = torch.randn(4, requires_grad=True)\n(x.exp() * x).sum().backward()"))
    assert check.verdict == GOOD
    assert "another value" in check.note
    assert all(c.recorded is None for c in check.leaves[0].checked)


def test_random_numbers_are_those_of_the_recording() -> None:
    text = torch(
        "torch.manual_seed(11)\nw = torch.nn.Parameter(torch.empty(3, 30).uniform_(-1, 1))\n"
        "z = torch.randn(40, requires_grad=True)\n"
        "n = torch.randn_like(z[:30]) + torch.rand(30)\n((w * n).sum() * z.sum().tanh()).backward()"
    )
    check = check_numerically(text)
    assert sound(check), check
    assert not check.note


def test_a_program_that_differs_from_run_to_run_is_reported_and_not_blamed() -> None:
    text = torch(
        "import time\nx = torch.tensor(2.0, requires_grad=True)\n(x * x * (time.perf_counter_ns() % 1000003)).backward()"
    )
    check = check_numerically(text)
    assert not check.wrong
    assert "each time" in check.problem


def test_float64_is_left_as_it_is() -> None:
    text = torch(
        "x = torch.tensor([1., 2.], dtype=torch.float64, requires_grad=True)\n"
        "y = torch.tensor([3., 4.], requires_grad=True)\n"
        "(x * y.double() + (x * y).float()).sum().backward()"
    )
    check = check_numerically(text)
    assert not check.wrong
    assert check.verdict == GOOD or check.problem


def test_what_rounding_hides_is_neither_right_nor_wrong() -> None:
    text = torch(
        "x = torch.tensor([1.0], requires_grad=True)\ny = (x + 3e7) * (x + 3e7)\n(y - (x * x + 6e7 * x)).sum().backward()"
    )
    check = check_numerically(text)
    assert [p.verdict for p in check.leaves] == [UNKNOWN]
    assert not check.wrong


def test_a_gradient_lost_to_float32_is_no_wrong_formula() -> None:
    check = check_numerically(torch("x = torch.tensor(0.0, requires_grad=True)\n((x * 1e9 + x * 2) - x * 1e9).backward()"))
    (leaf,) = check.leaves
    assert leaf.verdict == ROUNDED
    assert leaf.checked[0].recorded == 0
    assert leaf.checked[0].analytic == 2
    assert leaf.checked[0].numeric == pytest.approx(2, rel=1e-4)
    assert not check.wrong


SINGLE = "str(x.detach().numpy().dtype) == 'float32'"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("x = torch.ones(2)", "There is no backward pass"),
        ("def broken(:", "There is no backward pass"),
        (
            f"x = torch.ones((), requires_grad=True)\nassert {SINGLE}, 'not single'\n(x * 2).backward()",
            "(line 3): AssertionError",
        ),
        ("x = torch.ones((), requires_grad=True)\nif not " + SINGLE + ": x * 3\n(x * 2).backward()", "other things"),
        ("x = torch.ones((), requires_grad=True)\nok = " + SINGLE + "\nwhile not ok: pass\n(x * 2).backward()", "out of time"),
    ],
)
def test_programs_that_cannot_be_checked_say_why(text: str, problem: str) -> None:
    check = check_numerically(torch(text), limits=Limits(seconds=2))
    assert problem in check.problem
    assert not check.wrong


def test_what_happens_after_the_pass_does_not_matter() -> None:
    text = "x = torch.ones((), requires_grad=True)\n(x * 2).backward()\n"
    assert sound(check_numerically(torch(text + "raise ValueError('late')")))
    caught = "x = torch.ones((), requires_grad=True)\ntry:\n    (x * 2).backward()\nexcept BaseException:\n    x * 3"
    assert sound(check_numerically(torch(caught)))


def test_a_pass_that_does_not_exist_is_said_to() -> None:
    assert "no backward pass 7; the program has 4" in check_numerically(TRAINING, 7).problem


def test_a_check_without_time_leaves_elements_out_and_says_so() -> None:
    slow = torch("import time\nx = torch.ones(8, requires_grad=True)\ntime.sleep(0.2)\n(x * 2).sum().backward()")
    check = check_numerically(slow, limits=Limits(seconds=1.5))
    assert not check.wrong
    assert "for lack of time" in check.note or "time" in check.problem


def test_a_recording_is_checked_with_the_program_it_holds() -> None:
    recording = run(TRAINING).recording
    assert recording is not None
    assert sound(check_numerically(Recording.load(recording.to_bytes()), 2))
    recording.source = ()
    assert "does not hold its program" in check_numerically(recording).problem


def test_a_recording_of_another_program_is_not_compared() -> None:
    recording = run(TRAINING).recording
    assert recording is not None
    recording.source = (torch("w = torch.ones(2, requires_grad=True)\nfor i in range(4):\n    (w * 3).sum().backward()"),)
    assert "does other things" in check_numerically(recording).problem


def test_a_notebook_is_checked() -> None:
    cells = ("import torch\nx = torch.tensor(2.0, requires_grad=True)", "y = x ** 3\ny.backward()", "x.grad")
    assert sound(check_numerically(Program.from_cells(cells)))


def test_hooks_are_mentioned() -> None:
    text = torch(
        "x = torch.tensor([1., 2.], requires_grad=True)\ny = x * 3\ny.register_hook(lambda g: g * 10)\n(y * y).sum().backward()"
    )
    assert "Hooks replaced" in check_numerically(text).note


def test_the_overlay_marks_the_graphs_of_both_views() -> None:
    recording = run(WRONG_CUBE).recording
    assert recording is not None
    check = check_numerically(recording)
    marks = check.overlay()
    for view in ("tensors", "autograd"):
        graph = build(recording, view)  # type: ignore[arg-type]
        ends = {f"{u}>{v}" for u, v in graph.edges()}
        here = {k: m for k, m in marks["edges"].items() if k in ends}
        assert len(here) == len(ends) == 3
        assert [m["tone"] for m in here.values()].count("bad") == 1
        assert set(graph) <= set(marks["nodes"])
    bad = next(m for m in marks["edges"].values() if m["tone"] == "bad")
    good = next(m for m in marks["edges"].values() if m["tone"] == "good")
    assert 0 <= good["value"] < 0.5 < bad["value"] <= 1
    assert {entry["tone"] for entry in marks["legend"]} == {"good", "bad"}
    assert check.tolerance


def test_a_hostile_reply_is_believed_only_as_far_as_it_fits() -> None:
    recording = run(TRAINING).recording
    assert recording is not None
    entry = index_of(recording).passes[1]
    nonsense = [
        Slope(place, edge, element, False, 1.0, (2.0,), (2.0,), 0.0)
        for place in (-1, 0, 3, 10_000)
        for edge in (-5, -1, 0, 99)
        for element in ((), (0,), (7,), (0, 0))
    ]
    check = judged(recording, entry, CheckReply("ok", slopes=nonsense, skipped=[(999, "x"), (-1, "y")]))
    assert "does other things" in check.problem
    with pytest.raises(ValueError, match="impossible form"):
        check_reply(CheckReply("ok", slopes=[Slope(0, -1, (0,) * 100, False, 0.0, (0.0,), (0.0,), 0.0)]))
    with pytest.raises(msgspec.ValidationError, match="length <= 20000"):
        decode_reply(encode(CheckReply("ok", skipped=[(0, "")] * 30_000)))
    with pytest.raises(ValueError, match="longer than"):
        check_reply(CheckReply("ok", message="x" * 5_000))
    assert operations(recording)[0].op == "tensor"


@pytest.mark.parametrize("parts", [2, 5])
def test_a_check_in_parts_finds_what_one_process_finds(parts: int) -> None:
    text = "import torch\ntorch.manual_seed(0)\nm = torch.nn.Linear(4, 3)\nm(torch.rand(5, 4)).tanh().pow(2).sum().backward()"
    program, request = Program.from_text(text), CheckRequest(1)
    whole, divided = check(program, request), check(program, request, parts=parts)
    assert whole.status == divided.status == "ok"
    assert divided.slopes == whole.slopes
    assert (divided.skipped, divided.left, divided.digest) == (whole.skipped, whole.left, whole.digest)
    assert divided.runs > whole.runs


@pytest.mark.parametrize("parts", [1, 3])
def test_a_check_says_how_far_it_is(parts: int) -> None:
    told: list[float] = []
    text = "import torch\nw = torch.ones(6, requires_grad=True)\n(w * w).sum().backward()\n"
    assert check(Program.from_text(text), CheckRequest(1), parts=parts, progress=told.append).status == "ok"
    assert len(told) >= parts
    assert told == sorted(told)
    assert told[-1] == pytest.approx(1.0)
