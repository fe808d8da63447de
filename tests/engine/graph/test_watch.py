"""What is watched has the value that the program would print at that step."""

from __future__ import annotations

from types import ModuleType

import pytest

from engine.graph.watch import LONGEST, suggestions, watched
from engine.program import Program
from engine.recording import Recording, replay
from engine.sandbox import run

PROGRAM = """import torch
from torch import nn
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 2), nn.Tanh())
x = torch.arange(6.).reshape(2, 3)
def doubled(a):
    inner = a * 2
    return inner.sum()
for i in range(2):
    loss = (net(x) ** 2).mean() + doubled(x) * 0
    loss.backward()
w = net[0].weight
n = torch.tensor([3, 1, 2])
bad = torch.log(x[0] - 1)
"""
EXPRESSIONS = [
    "w.grad.norm()", "w.grad.norm(p=1)", "w.std()", "w.var(dim=0)[1]", "w.std(unbiased=False)",
    "(w.T @ w)[0, 1]", "w.median()", "n.median()", "w.mean(1)[-1]", "w[0, 1:].sum()", "w.abs().max()", "x.sum() / 4 - 1",
    "x[1, 2] ** 2", "w.sigmoid().min()", "torch.exp(w).sum()", "w.softmax(dim=1)[0, 0]", "torch.isnan(bad).any()", "n.argmax()",
    "len(x)", "x.shape[1]", "x.numel()", "x.dim()", "w.requires_grad", "w.is_leaf", "w.dtype", "loss.item() > 0.4", "-n[0]",
    "net[0].bias.grad[0]", "n.sum() % 4", "n[0] // 2", "~torch.isfinite(bad).all()", "x.size(0)", "abs(w).sum()",
    "w.tanh().amin()",    "w.grad.max() != w.grad.min()", "x.T[2, 1]",
]  # fmt: skip


@pytest.fixture(scope="module")
def recording() -> Recording:
    found = run(Program((PROGRAM,), "watched")).recording
    assert found is not None
    return found


def last(recording: Recording) -> int:
    return len(recording.events) - 1


def test_values_are_those_of_pytorch(recording: Recording, torch: ModuleType) -> None:
    space: dict[str, object] = {}
    exec(PROGRAM, space)
    for expression in EXPRESSIONS:
        true = eval(expression, space)
        found = watched(recording, last(recording), expression)
        assert found.known, (expression, found.text)
        if isinstance(true, torch.Tensor):
            true = true.item()
        if isinstance(true, bool | str | torch.dtype):
            assert found.text == str(true), expression
        else:
            assert float(found.text) == pytest.approx(float(true), rel=1e-3), expression


def test_a_name_is_what_it_was_at_the_step(recording: Recording) -> None:
    first, second = (e for e in range(len(recording.events)) if watched(recording, e, "loss").since == e)
    assert watched(recording, first - 1, "loss").text == "no tensor is called loss at this step"
    assert watched(recording, first, "loss.grad_fn").text == "<AddBackward0>"
    one, two = (watched(recording, step, "net[0].weight.grad.norm()") for step in (second, last(recording)))
    assert one.known
    assert float(two.text) == pytest.approx(2 * float(one.text), rel=1e-3), "two passes add up"
    assert first < one.since < second < two.since
    assert watched(recording, first, "net.0.weight.grad").text == "None"


def test_locals_and_paths_of_modules_are_names_too(recording: Recording) -> None:
    end = last(recording)
    assert watched(recording, end, "inner.sum()").text == "30"
    assert watched(recording, end, "net.0.weight").tensor == watched(recording, end, "w").tensor >= 0
    assert watched(recording, end, "w").about == "float32 [2×3]"


@pytest.mark.parametrize(
    ("expression", "why"),
    [
        ("", "no expression"), ("x[", "no expression"), ("lambda: x", "no expression"), ("().__class__", "no expression"),
        ("x.__class__", "no .__class__"), ("[x for x in x]", "no expression"), ("open('a')", "no expression"),
        ("x.tofile('a')", "tofile() cannot be watched"), ("x.sum.__globals__", ".sum"), ("9 ** 9 ** 9", "too large"),
        ("x @ x", "mismatch"), ("x[9]", "out of bounds"), ("1 / 0", "division by zero"), ("x.item()", "one element"),
        ("x" * (LONGEST + 1), "longer"), ("x\0", "no expression"), ("w.grad.grad", "gradient of a gradient"),
        ("x.sum(9, 9, 9, 9)", ""), ("x.flatten()[:, 0]", "indices"), ("nothing.grad", "no tensor is called nothing"),
    ],
)  # fmt: skip
def test_what_has_no_value_says_why(recording: Recording, expression: str, why: str) -> None:
    found = watched(recording, last(recording), expression)
    assert not found.known
    assert why in found.text
    assert "\n" not in found.text


def test_nothing_is_worked_out_that_takes_long() -> None:
    found = run(Program(("import torch\na = torch.ones(3000, 1)\nb = torch.ones(1, 3000)\n",), "wide")).recording
    assert found is not None
    for expression in ("a + b", "a * b", "a == b", "a @ b"):
        assert "more than" in watched(found, last(found), expression).text
    assert watched(found, last(found), "(b @ a)[0, 0]").text == "3000"


def test_of_what_was_summarised_the_norm_is_known() -> None:
    found = run(Program(("import torch\na = torch.ones(300, 300)\n",), "large")).recording
    assert found is not None
    assert found.array(watched_tensor(found, "a")) is None, "only a summary is kept of it"
    assert watched(found, last(found), "a.norm()").text == "300"
    assert watched(found, last(found), "a[0]").text == "only its mean, deviation and norm were recorded here"
    assert watched(found, last(found), "a.shape").text == "[300, 300]"


def watched_tensor(recording: Recording, name: str) -> int:
    return replay(recording, last(recording)).tensor(watched(recording, last(recording), name).tensor).value


def test_what_is_offered_has_a_value(recording: Recording) -> None:
    offered = suggestions(recording)
    assert offered[:2] == ["loss", "w.grad.norm()"]
    for each in offered:
        assert watched(recording, last(recording), each).known, each
