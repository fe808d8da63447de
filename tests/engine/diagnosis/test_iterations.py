"""Findings, answers and comparisons speak of iterations, and call parameters by their paths."""

from __future__ import annotations

import json

import msgspec
import pytest

import gradtape
from components.html.diagnosis_html import findings_html
from engine.diagnosis import Finding, findings, why
from engine.diagnosis.comparison.compare import compare
from engine.diagnosis.findings import explain
from engine.diagnosis.over_iterations import over_iterations, shows
from engine.graph.shown.captions import titles
from engine.recording import Recording
from engine.recording.events import BackwardBegan, OpRan
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
    assert nan.iterations == "iteration 5 of 8"
    assert dict(nan.evidence)["not finite in"] == "iterations 5–7"
    assert dict(nan.evidence)["last good"] == "iteration 4"
    assert "the root of backward pass 6 in iteration 5" in nan.explanation


def test_the_text_of_a_terminal_and_the_page_say_the_iteration(capsys: pytest.CaptureFixture[str], tmp_path) -> None:  # type: ignore[no-untyped-def]
    tape = recorded(NAN)
    assert "    shows first in: iteration 5 of 8\n" in explain(tape)
    assert "iteration 5 of 8" in findings_html(tape, findings(tape))
    file = tmp_path / "nan.gradtape"
    file.write_bytes(tape.to_bytes())
    gradtape.main(["explain", "--format", "github", str(file)])
    assert "Shows first in iteration 5 of 8." in capsys.readouterr().out
    gradtape.main(["explain", "--format", "json", str(file)])
    assert json.loads(capsys.readouterr().out)[0]["iterations"] == "iteration 5 of 8"


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
    assert why(recorded(ROOT), "w").explanation == (
        "It came with backward pass 6 (line 6, iteration 5). The last good one is of iteration 2."
    )


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
