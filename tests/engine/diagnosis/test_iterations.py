"""Findings, answers and comparisons speak of iterations, and call parameters by their paths."""

from __future__ import annotations

import json

import msgspec
import pytest

import gradtape
from components.html.diagnosis_html import findings_html, why_html
from engine.diagnosis import Finding, findings, why
from engine.diagnosis.comparison.compare import compare
from engine.diagnosis.findings import explain
from engine.diagnosis.over_iterations import over_iterations, shows
from engine.graph.shown.captions import titles
from engine.graph.structure.moments import iteration_of
from engine.recording import Recording
from engine.recording.events import NOTHING, BackwardBegan, OpRan
from tests.recorded import recorded

NAN = """\
import torch
w = torch.tensor([1.0], requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)
for step in range(8):
    gap = w - 0.5 * (step > 4) * 4
    loss = torch.log(gap).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""

ROOT = """\
import torch
w = torch.tensor([1.0], requires_grad=True)
for step in range(6):
    w.grad = None
    loss = torch.sqrt(w * (step < 3)).sum()
    loss.backward()
"""

NET = """\
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(2, 3)
        self.fc2 = nn.Linear(3, 1)
        for p in self.parameters():
            p.data.mul_(0.5)

    def forward(self, x):
        return self.fc2(torch.relu(self.fc1(x)))

model = Net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for _ in range(4):
    loss = model(torch.ones(5, 2)).sum()
    loss.backward()
    optimizer.step()
"""


def found(tape: Recording, rule: str) -> Finding:
    return next(each for each in findings(tape) if each.rule == rule)


def test_the_first_nan_says_its_iteration_those_it_goes_on_in_and_the_last_good_one() -> None:
    nan = found(recorded(NAN), "nan")
    assert nan.iterations == "iterations 5–7"
    assert [iteration_of(recorded(NAN), step) for step in nan.steps] == [5, 6, 7]
    assert nan.steps[0] == nan.step
    assert dict(nan.evidence)["not finite in"] == "iterations 5–7"
    assert dict(nan.evidence)["last good"] == "iteration 4"
    assert "the root of backward pass 6 in iteration 5" in nan.explanation


def test_the_text_of_a_terminal_and_the_page_say_the_iteration(capsys: pytest.CaptureFixture[str], tmp_path) -> None:  # type: ignore[no-untyped-def]
    tape = recorded(NAN)
    assert "    shows in: iterations 5–7\n" in explain(tape)
    html = findings_html(tape, findings(tape))
    assert "iterations 5–7" in html
    steps = found(tape, "nan").steps
    assert f'data-gt-step="{steps[0]}">first: iteration 5</button>' in html
    assert f'data-gt-step="{steps[-1]}">last: iteration 7</button>' in html
    file = tmp_path / "nan.gradtape"
    file.write_bytes(tape.to_bytes())
    gradtape.main(["explain", "--format", "github", str(file)])
    assert "Shows in iterations 5–7." in capsys.readouterr().out
    gradtape.main(["explain", "--format", "json", str(file)])
    assert json.loads(capsys.readouterr().out)[0]["iterations"] == "iterations 5–7"


def test_what_a_rule_says_of_one_place_in_many_iterations_is_one_finding() -> None:
    tape = recorded(NAN)
    logs = [(step, event) for step, event in enumerate(tape.events) if isinstance(event, OpRan) and event.op == "log"]
    same = [
        Finding(
            rule="odd", severity="hint", title=f"odd {number}", explanation="", fix="", step=step, site=tape.site(event),
            nodes=(f"t{event.outputs[0].id}",),
        )
        for number, (step, event) in enumerate(logs)
    ]  # fmt: skip
    other = msgspec.structs.replace(same[0], rule="another")
    elsewhere = msgspec.structs.replace(same[0], nodes=("t0",))
    outside = msgspec.structs.replace(same[0], step=0)
    made = over_iterations(tape, [same[0], other, *same[1:6], elsewhere, outside, outside])
    assert [(each.rule, each.title, each.iterations) for each in made] == [
        ("odd", "odd 0", "iterations 0–5"),
        ("another", "odd 0", "iteration 0 of 8"),
        ("odd", "odd 0", "iteration 0 of 8"),
        ("odd", "odd 0", ""),
        ("odd", "odd 0", ""),
    ]
    assert made[0].nodes == tuple(each.nodes[0] for each in same[:6])
    assert (shows(made[0]), shows(made[1])) == ("shows in", "shows first in")


def test_an_answer_that_names_a_pass_says_its_iteration() -> None:
    tape = recorded(NAN)
    began = [step for step, event in enumerate(tape.events) if isinstance(event, BackwardBegan)]
    third = why(tape, "w", began[3] - 2)
    assert third.title == "w.grad was set by backward pass 3, line 8, iteration 2"
    rooted = why(recorded(ROOT), "w")
    assert rooted.title == "w.grad is NaN: it began with the derivative of sqrt(0) at line 5, iteration 5"
    assert "From there it spread: backward pass 6 (line 6, iteration 5) → w.grad." in rooted.explanation
    assert ("last good", "iteration 2") in rooted.evidence


def test_several_passes_of_one_line_are_a_range_of_iterations() -> None:
    told = why(recorded(NET), "model.fc1.weight")
    assert "the sum of 4 backward passes (line 19, iterations 0–3)" in told.title


def test_parameters_are_called_by_their_paths_though_a_loop_passed_over_them() -> None:
    tape = recorded(NET)
    title = titles(tape)
    named = {title(tensor) for event in tape.events if isinstance(event, OpRan) for tensor in [i.id for i in event.outputs]}
    assert {"model.fc1.weight", "model.fc2.bias"} <= named
    assert "p" not in named
    number = next(i.id for e in tape.events if isinstance(e, OpRan) for i in e.outputs if title(i.id) == "model.fc1.weight")
    assert why(tape, number).title.startswith("model.fc1.weight.grad")
    assert "model.fc1.weight.grad is not cleared" in found(tape, "no_zero_grad").title
    assert "backward pass 2 (iteration 1) added to it" in found(tape, "no_zero_grad").explanation


def test_a_comparison_says_the_iteration() -> None:
    compared = compare(recorded(NAN), recorded(NAN.replace("> 4", "> 2")))
    assert compared.first is not None
    assert compared.first.title.startswith("line 5, iteration 3: ")
    assert {row.iteration for row in compared.rows if row.name == "gap"} == {f"iteration {k}" for k in range(8)}


TRAINED = """\
import torch
from torch import nn
model = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
for step in range(9):
    pred = model(torch.ones(4, 2))
    loss = (pred ** 2).mean()
    if step == 4:
        loss = loss * torch.log(torch.tensor(-1.0))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""


@pytest.mark.parametrize("tensor", ["loss", "pred", "model.0.weight"])
def test_what_is_nan_names_where_that_began_however_many_iterations_ago(tensor: str) -> None:
    reason = why(recorded(TRAINED), tensor)
    asked = f"{tensor}.grad" if tensor == "model.0.weight" else tensor
    assert reason.code == "not_finite"
    assert reason.title == f"{asked} is NaN: it began with log(-1) at line 9, iteration 4"
    assert reason.line == 9
    assert reason.explanation.startswith("log of a negative number (-1) is NaN. From there it spread: loss (line 9) → ")
    way = ["backward pass 5 (line 11, iteration 4)", "Adam.step (line 12)", "pred (line 6, iteration 8)"]
    places = [reason.explanation.index(each) for each in way]
    assert places == sorted(places)
    assert "Backward pass 5 brings it to 4 of 4 gradients." in reason.explanation
    assert reason.fix == "Make the input positive: clamp(min=1e-8)."
    assert ("began in", "iteration 4 of 9") in reason.evidence
    assert ("last good", "iteration 3") in reason.evidence
    log = next(e for e in recorded(TRAINED).events if isinstance(e, OpRan) and e.op == "log")
    assert f"t{log.outputs[0].id}" in reason.nodes


def test_what_was_sound_then_is_not_told_of_what_came_later() -> None:
    tape = recorded(TRAINED)
    began = [step for step, event in enumerate(tape.events) if isinstance(event, BackwardBegan)]
    assert why(tape, "loss", began[3]).code == "loss_rises"
    assert why(tape, "loss", began[4]).code == "not_finite"


def test_an_infinity_that_overflows_names_its_operation_and_one_that_is_meant_does_not() -> None:
    text = (
        "import torch\nw = torch.tensor([50.0], requires_grad=True)\nfor step in range(4):\n    y = torch.exp(w * (1 + step))\n"
    )
    grown = why(recorded(text), "y")
    assert grown.title == "y is infinite: it began with exp(200) at line 4, iteration 3"
    assert "logsumexp" in grown.fix
    masked = (
        "import torch\ns = torch.zeros(2, 2, requires_grad=True)\nmask = torch.tensor([[False, True], [False, False]])\n"
        "t = s.masked_fill(mask, float('-inf'))\np = torch.softmax(t, -1)\np.sum().backward()\n"
    )
    assert why(recorded(masked), "t").code == "not_retained"


@pytest.mark.parametrize(
    ("lines", "tensor", "title"),
    [
        (["x = torch.tensor([0.0, 4.0], requires_grad=True)", "y = torch.sqrt(x).sum()", "y.backward()"], "x",
         "x.grad is infinite: it began with the derivative of sqrt(0) at line 3"),
        (["x = torch.tensor([1.0], requires_grad=True)", "y = x * 2", "y.backward(torch.tensor([float('nan')]))"], "x",
         "x.grad is NaN: backward pass 1 was started with it at line 4"),
        (["x = torch.tensor([float('nan')])", "y = x * 2"], "y", "y is NaN: it came in with x at line 2"),
        (["x = torch.tensor([1.0], requires_grad=True)", "x.grad = torch.tensor([float('nan')])"], "x",
         "x.grad is NaN: x.grad was set to it at line 3"),
    ],
)  # fmt: skip
def test_every_kind_of_beginning_is_named(lines: list[str], tensor: str, title: str) -> None:
    assert why(recorded("import torch\n" + "\n".join(lines) + "\n"), tensor).title == title


LOOP = """\
import torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(0)
x, y = torch.randn(8, 2), torch.randn(8)
model = nn.Linear(2, 1)
spare = nn.Parameter(torch.ones(1))
optimizer = torch.optim.SGD([*model.parameters(), spare], lr=0.01)
for step in range(12):
    pred = model(x)
    loss = ((pred - {}) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""
SPREAD = "broadcast_in_loss"


@pytest.mark.parametrize(
    ("target", "iterations", "first", "last"),
    [
        ("y", "all 12 iterations", 0, 11),
        ("(y if step >= 7 else y[:, None])", "iterations 7–11", 7, 11),
        ("(y if step % 3 == 1 else y[:, None])", "every 3rd iteration from 1 to 10", 1, 10),
        ("(y if step in (1, 2, 5, 9, 10) else y[:, None])", "5 of 12 iterations: 1, 2, 5, …, 10", 1, 10),
        ("(y if step in (2, 7) else y[:, None])", "iterations 2 and 7", 2, 7),
        ("(y if step == 6 else y[:, None])", "iteration 6 of 12", 6, 6),
    ],
)
def test_what_is_wrong_in_some_iterations_says_in_which(target: str, iterations: str, first: int, last: int) -> None:
    tape = recorded(LOOP.format(target))
    (spread,) = [each for each in findings(tape) if each.rule == SPREAD]
    assert spread.iterations == iterations
    ends = [spread.steps[0], spread.steps[-1]] if spread.steps else [spread.step] * 2
    assert [iteration_of(tape, step) for step in ends] == [first, last]


def test_what_begins_outside_of_a_loop_says_the_iterations_that_it_spoils() -> None:
    spare = found(recorded(LOOP.format("y")), "unused_parameter")
    assert spare.iterations == "all 12 iterations"
    assert iteration_of(recorded(LOOP.format("y")), spare.step) == NOTHING, "the moment is still where it was made"


def test_the_last_good_iteration_is_one_click_away() -> None:
    tape = recorded(TRAINED)
    reason = why(tape, "loss")
    assert iteration_of(tape, reason.good) == 3
    assert f'data-gt-step="{reason.good}">iteration 3, the last good one</button>' in why_html(tape, reason)
    assert why(tape, "loss", reason.good).good == NOTHING
