"""What edges show: upstream gradient times local rule, in symbols and numbers."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.diagnosis.contributions import Contribution, contributions, gradient_total, summed_axes
from engine.graph import build
from engine.op.latex import balanced
from engine.recording import NOTHING, Recording
from engine.recording.events import Accumulated, NodeRan
from engine.recording.index import index_of
from engine.recording.op_info import MAX_RULE, OpInfo, RecordedRule
from engine.recording.store import RecordingError
from engine.sandbox import run
from tests.engine.latex_numbers import Unknown, evaluate
from tests.recorded import ran

ROOT = Path(__file__).parents[3]
EXAMPLES = sorted((ROOT / "assets/examples").glob("*.py"))
COMPLETE = sorted((ROOT / "tests/engine/complete").glob("*.py"))
FURTHER = {
    "products": "x = torch.tensor([1., -2.], requires_grad=True)\n(x * x * torch.exp(x) / (x - 4)).sum().backward()",
    "matrices": "A = torch.ones(5, 6, requires_grad=True)\nB = torch.ones(6, 2, requires_grad=True)\n"
    "(A @ B).tanh().sum().backward()",
    "scalar broadcast": "w = torch.tensor(2., requires_grad=True)\nx = torch.arange(12.).reshape(3, 4)\n"
    "(w * x).sum().backward()",
    "dtypes": "x = torch.ones(2, dtype=torch.float64, requires_grad=True)\n"
    "y = torch.ones(2, requires_grad=True)\n(x * y).sum().backward()",
    "cat": "a = torch.ones(2, requires_grad=True)\nb = torch.ones(3, requires_grad=True)\n"
    "(torch.cat([a, b]) ** 3).sum().backward()",
    "create_graph": "x = torch.tensor([2., 3.], requires_grad=True)\n"
    "(g,) = torch.autograd.grad((x**3).sum(), x, create_graph=True)\n"
    "(g * g).sum().backward()",
    "in place": "x = torch.tensor([1., 2.], requires_grad=True)\ny = x * 2\ny.mul_(x)\ny[0] = 5.\ny.sum().backward()",
    "losses": "import torch.nn.functional as F\nx = torch.tensor([0.3, -0.7], requires_grad=True)\n"
    "t = torch.tensor([1., 0.])\n"
    "(F.mse_loss(x, t) + F.binary_cross_entropy_with_logits(x, t) + F.huber_loss(x, t)).backward()",
    "hooks": "x = torch.tensor([1., 2.], requires_grad=True)\ny = x * 3\ny.register_hook(lambda g: g * 10)\ny.sum().backward()",
    "several outputs": "x = torch.tensor([[1., 3.], [5., 2.]], requires_grad=True)\na, b = x.unbind(0)\nm, i = x.max(1)\n"
    "(a * b + m).sum().backward()",
    "wide": "x = torch.linspace(-1, 1, 400, requires_grad=True)\n(torch.sigmoid(x) * x).sum().backward()",
    "zero gradient": "x = torch.tensor([-1., 2.], requires_grad=True)\n(x.relu() * x.detach()).sum().backward()",
}
PROGRAMS = {
    **{p.stem: p.read_text() for p in EXAMPLES},
    **{f"complete/{p.stem}": p.read_text() for p in COMPLETE},
    **{name: f"import torch\n{text}\n" for name, text in FURTHER.items()},
}


def recorded(name: str) -> Recording:
    recording = ran(PROGRAMS[name]).recording
    assert recording is not None
    return recording


def edges(recording: Recording) -> list[tuple[NodeRan, Contribution]]:
    ran = [e for e in recording.events if isinstance(e, NodeRan)][:400]
    return [(event, c) for event in ran for c in contributions(recording, event.node, event.number)]


def only(text: str, **options: Any) -> list[Contribution]:
    result = run(f"import torch\n{text}")
    assert result.recording is not None, result
    return [c for _, c in edges(result.recording)]


def close(a: Any, b: Any) -> bool:
    return bool(np.allclose(a, b, rtol=1e-6, atol=1e-9, equal_nan=True))


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_edges_into_a_node_sum_to_the_gradient_it_runs_on(name: str) -> None:
    recording = recorded(name)
    hooked = name == "hooks" or "hook" in PROGRAMS[name]
    for event in recording.events:
        if isinstance(event, NodeRan) and not hooked:
            for place, id in enumerate(event.received):
                total = gradient_total(recording, event.node, event.number, place)
                if id != NOTHING and recording.array(id) is not None and total is not None:
                    assert np.allclose(total, recording.array(id), rtol=1e-6, atol=1e-6, equal_nan=True)
        if isinstance(event, Accumulated) and not hooked:
            history = index_of(recording).nodes.get(event.node)
            if history is not None and history.info.variable == event.tensor:
                total = gradient_total(recording, event.node, event.number)
                if total is not None:
                    assert np.allclose(total, recording.array(event.increment), rtol=1e-6, atol=1e-6, equal_nan=True)


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_number_shown_is_the_recordings(name: str) -> None:
    recording = recorded(name)
    for _, c in edges(recording):
        array, raw = recording.array(c.array), recording.array(c.raw)
        assert balanced(c.symbols), c.symbols
        assert balanced(c.numbers), c.numbers
        assert array is not None
        assert raw is not None
        if c.raw != c.array and summed_axes(raw.shape, array.shape):
            assert close(raw.sum(summed_axes(raw.shape, array.shape)).reshape(array.shape), array)
        for place, result in results(c):
            shown = array.item() if array.size == 1 else array[place].item()
            assert close(result, shown), (c.numbers, shown)


def results(c: Contribution) -> list[tuple[tuple[int, ...], float]]:
    """The last numbers of the formula's lines, with their places."""
    if "pmatrix" in c.numbers or r"\underset" in c.numbers:
        return []
    lines = c.numbers.removeprefix(r"\begin{aligned}").removesuffix(r"\end{aligned}").split(r" \\ ")
    found = []
    for line in lines:
        left, right = re.split(r"&?(?:\\mathrel\{\+\})?= ", line, maxsplit=1)
        place = re.search(r"\[([\d, ]+)\] ?$", left) if c.chosen or r"aligned" in c.numbers else None
        last = right.rpartition(" = ")[2]
        try:
            value = float(evaluate(last))
        except Unknown:
            continue
        found.append((tuple(map(int, place[1].split(", "))) if place else (), value))
    return found


@pytest.mark.parametrize("name", [n for n in PROGRAMS if not n.startswith("complete")])
def test_both_sides_of_a_formula_are_equal(name: str) -> None:
    checked = 0
    for _, c in edges(recorded(name)):
        if "pmatrix" in c.numbers or r"\underset" in c.numbers or r"\cdots" in c.numbers:
            continue
        lines = c.numbers.removeprefix(r"\begin{aligned}").removesuffix(r"\end{aligned}").split(r" \\ ")
        for line in lines:
            right = re.split(r"&?(?:\\mathrel\{\+\})?= ", line, maxsplit=1)[1]
            expression, _, result = right.rpartition(" = ")
            if expression:
                try:
                    assert np.isclose(evaluate(expression), evaluate(result), rtol=2e-5, atol=2e-6), line
                except Unknown:
                    continue
                checked += 1
    assert checked or name in (
        "02_sum_of_two_leaves",
        "09_in_place_trouble",
        "10_classifier",
        "12_a_function_of_your_own",
        "cat",
        "scalar broadcast",
    )


@pytest.mark.parametrize("name", PROGRAMS)
def test_keys_are_nodes_of_the_two_views(name: str) -> None:
    recording = recorded(name)
    autograd, tensors = build(recording, "autograd"), {f"t{t}" for t in index_of(recording).tensors}
    for _, c in edges(recording):
        assert c.source in autograd
        assert c.target in autograd
        assert {t for t in c.tensors if t} <= tensors


def test_an_edge_says_upstream_times_other() -> None:
    (product,) = (c for c in only("x = torch.tensor(2., requires_grad=True)\ny = torch.tensor(3.)\nz = x * y\n"
        "(2 * z).backward()")
                  if c.symbols.startswith(r"\bar{x}"))  # fmt: skip
    assert product.symbols == r"\bar{x} = \bar{z} \cdot y"
    assert product.numbers == r"\bar{x} = 2 \cdot 3 = 6"
    assert product.steps == ("upstream 2 × y 3 = 6",)
    assert product.label == "2 × 3 = 6"


def test_the_sum_over_broadcast_axes_is_a_line_of_its_own() -> None:
    text = "b = torch.tensor(1., requires_grad=True)\nx = torch.tensor([1., 2., 3.])\n(x * b).sum().backward()"
    found = only(text)[-1]
    assert found.symbols == r"\bar{b} = \sum_{\text{axis }0} \overline{v_{3}} \cdot x"
    assert found.numbers == r"\bar{b} = 1 \cdot 1 + 1 \cdot 2 + 1 \cdot 3 = 6"
    assert found.steps == ("upstream [1 1 1] × x [1 2 3] → [1 2 3]", "summed over axis 0: 1 + 2 + 3 = 6")


def test_the_derivative_of_tanh_is_written_with_its_result() -> None:
    text = "x = torch.tensor(1., requires_grad=True)\ny = torch.tanh(x)\n(0.5 * y).backward()"
    found = only(text)[-1]
    assert found.symbols == r"\bar{x} = \bar{y} (1 - y^2)"
    assert found.numbers == r"\bar{x} = 0.5 (1 - 0.7615942^2) = 0.2099872"


def test_small_matrices_are_written_out_and_large_ones_named_with_their_shape() -> None:
    small = only("A = torch.tensor([[1., 2.]], requires_grad=True)\nB = torch.tensor([[3.], [4.]])\n(A @ B).sum().backward()")[
        -1
    ]
    assert small.symbols.endswith("B^T")
    assert r"1 \begin{pmatrix}3 \\ 4\end{pmatrix}^T = \begin{pmatrix}3 & 4\end{pmatrix}" in small.numbers
    large = only("A = torch.ones(5, 6, requires_grad=True)\nB = torch.ones(6, 7)\n(A @ B).sum().backward()")[-1]
    assert r"\underset{[6 \times 7]}{B}^T" in large.numbers
    assert large.numbers.endswith(r"\underset{[5 \times 6]}{\bar{A}}")


def test_of_large_tensors_one_element_is_shown_and_can_be_chosen() -> None:
    recording = recorded("wide")
    node = next(e for e, c in edges(recording) if c.chosen)
    (largest, *_) = contributions(recording, node.node, node.number)
    (wanted, *_) = contributions(recording, node.node, node.number, (7,))
    array = recording.array(largest.array)
    assert array is not None
    assert largest.element == (int(np.argmax(np.abs(array))),)
    assert wanted.element == (7,)
    assert contributions(recording, node.node, node.number, (400,))[0].element == largest.element


def test_a_rule_follows_its_plain_arguments() -> None:
    base = "x = torch.tensor(3., requires_grad=True)\n"
    assert only(base + "(x ** 2).backward()")[-1].numbers.endswith(r"= 1 \cdot 3 \cdot 2 = 6")
    assert only(base + "(x ** 3).backward()")[-1].numbers.endswith(r"= 1 \cdot 3 \cdot 3^{3 - 1} = 27")
    assert r"-1 \cdot 4 = -4" in "".join(c.numbers for c in only(base + "torch.sub(torch.ones(()), x, alpha=4).backward()"))


def test_a_function_of_the_programs_own_is_named() -> None:
    shown = [c.symbols for _, c in edges(recorded("12_a_function_of_your_own"))]
    assert r"\bar{x} = \mathrm{Cube.backward}\left(\bar{y}\right)" in shown


def test_a_node_that_did_not_run_contributes_nothing() -> None:
    recording = recorded("05_cutting_the_graph")
    assert contributions(recording, 10_000, 1) == []
    assert contributions(recording, 0, 99) == []
    assert gradient_total(recording, 10_000, 1) is None


def test_names_are_escaped() -> None:
    shown = only("p = {'a_{b}$\\\\href': torch.tensor(2., requires_grad=True)}\n(p['a_{b}$\\\\href'] * 3).backward()")[-1]
    assert balanced(shown.symbols)
    assert "\\href" not in shown.symbols


def test_formulas_survive_saving_and_opening() -> None:
    recording = recorded("06_broadcasting")
    opened = Recording.load(recording.to_bytes())
    assert [c for _, c in edges(opened)] == [c for _, c in edges(recording)]


@pytest.mark.parametrize(
    "template", ["{grad}}", r"\frac{{{grad}}", "{grad.__class__}", "{0}", r"\left({grad}", "}}{{", "{grad!r}", "{{{{{{"]
)
def test_a_strangers_template_is_not_obeyed(template: str) -> None:
    recording = Recording.load(recorded("01_repeated_backward").to_bytes())
    recording.ops = {
        name: OpInfo(name, rules=tuple(RecordedRule(r.input, template, True) for r in op.rules))
        for name, op in recording.ops.items()
    }
    for _, c in edges(Recording.load(recording.to_bytes())):
        assert balanced(c.symbols)
        assert "<class" not in c.symbols


def test_oversized_rules_are_refused() -> None:
    recording = Recording.load(recorded("01_repeated_backward").to_bytes())
    recording.ops["long"] = OpInfo("long", rules=(RecordedRule("self", "x" * (MAX_RULE + 1)),))
    with pytest.raises(RecordingError, match="at most 2,000 characters of a rule"):
        Recording.load(recording.to_bytes())
    recording.ops["long"] = OpInfo("long", rules=(RecordedRule("self", "x"),) * 100)
    with pytest.raises(RecordingError, match="at most 64 rules"):
        Recording.load(recording.to_bytes())
