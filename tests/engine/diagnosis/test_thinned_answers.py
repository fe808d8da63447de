"""Nothing is concluded from what is missing where a recording has grown thinner."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator

import pytest

from engine.diagnosis import check_numerically, findings, why
from engine.diagnosis.reason import Finding
from engine.diagnosis.run import Run
from engine.recording import Recording
from engine.recording.events import Accumulated, BackwardEnded, Thinned
from engine.recording.levels import iterations_of
from engine.sandbox import Limits, run

HEAD = """import torch
from torch import nn
torch.manual_seed(0)
X, Y = torch.randn(16, 4), torch.randn(16, 1)
model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
"""
SOUND = {
    "cleared in place": "for k in range(200):\n"
    "    optimizer.zero_grad(set_to_none=False)\n"
    "    ((model(X) - Y) ** 2).mean().backward()\n    optimizer.step()\n",
    "cleared to None": "for k in range(200):\n"
    "    optimizer.zero_grad()\n    ((model(X) - Y) ** 2).mean().backward()\n    optimizer.step()\n",
    "cleared after the step": "for k in range(200):\n"
    "    ((model(X) - Y) ** 2).mean().backward()\n    optimizer.step()\n    optimizer.zero_grad()\n",
    "by hand": "w = torch.zeros(4, 1, requires_grad=True)\nfor k in range(300):\n"
    "    ((X @ w - Y) ** 2).mean().backward()\n    with torch.no_grad():\n        w -= 0.01 * w.grad\n    w.grad = None\n",
    "micro-batches": "for k in range(60):\n    optimizer.zero_grad()\n    for part in range(4):\n"
    "        ((model(X) - Y) ** 2).mean().backward()\n    optimizer.step()\n",
    "two optimizers": "other = nn.Linear(1, 1)\nsecond = torch.optim.Adam(other.parameters())\nfor k in range(150):\n"
    "    optimizer.zero_grad()\n    second.zero_grad()\n    out = other(model(X))\n    ((out - Y) ** 2).mean().backward()\n"
    "    optimizer.step()\n    second.step()\n",
    "a layer that is used late": "late = nn.Linear(1, 1)\n"
    "optimizer = torch.optim.SGD([*model.parameters(), *late.parameters()], lr=0.01)\n"
    "for k in range(200):\n    optimizer.zero_grad()\n    out = model(X)\n    if k > 150:\n        out = late(out)\n"
    "    ((out - Y) ** 2).mean().backward()\n    optimizer.step()\n",
    "evaluation between": "for epoch in range(20):\n    for k in range(8):\n        optimizer.zero_grad()\n"
    "        ((model(X) - Y) ** 2).mean().backward()\n        optimizer.step()\n"
    "    with torch.no_grad():\n        value = ((model(X) - Y) ** 2).mean().item()\n",
}


def thinned(text: str, events: int) -> Recording:
    recording = run(HEAD + text, Limits(seconds=60, events=events)).recording
    assert recording is not None
    assert any(isinstance(event, Thinned) for event in recording.events)
    return recording


@pytest.mark.thorough
@pytest.mark.parametrize("events", [500, 900, 1_500])
@pytest.mark.parametrize("name", SOUND)
def test_a_sound_program_stays_sound(name: str, events: int) -> None:
    whole = run(HEAD + SOUND[name], Limits(seconds=60)).recording
    assert whole is not None
    found = {f.rule for f in findings(thinned(SOUND[name], events))}
    if name != "a layer that is used late":
        assert found <= {f.rule for f in findings(whole)}
    elif events == 1_500:
        assert not found & {"unused_parameter", "stale_optimizer"}


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("for k in range(200):\n    ((model(X) - Y) ** 2).mean().backward()\n    optimizer.step()\n", "no_zero_grad"),
        ("unused = nn.Linear(4, 1)\noptimizer = torch.optim.SGD([*model.parameters(), *unused.parameters()], lr=0.01)\n"
         + SOUND["cleared to None"], "unused_parameter"),
    ],
)  # fmt: skip
def test_what_shows_in_the_beginning_is_found(text: str, rule: str) -> None:
    assert rule in {f.rule for f in findings(thinned(text, 900))}


def test_the_first_nan_that_was_seen_thinly_is_said_to_be_so() -> None:
    text = SOUND["by hand"].replace(".mean().backward()", ".mean().mul(float('nan') if k == 155 else 1.0).backward()")
    (found,) = [f for f in findings(thinned(text, 2_000)) if f.rule.startswith("not_finite")]
    assert found.rule == "not_finite_unseen"
    assert re.search(r"for the first time in iteration 15\d or just before", found.title)


def test_why_asks_before_it_concludes() -> None:
    recording = thinned(SOUND["by hand"], 900)
    iterations = iterations_of(recording)
    thin = [s for s, e in enumerate(recording.events) if isinstance(e, Accumulated) and recording.level(s) == "thin"]
    assert why(recording, "w", thin[0]).code == "not_recorded"
    assert f"iteration {iterations.at(thin[0])}" in why(recording, "w", thin[0]).fix
    whole = [s for s, e in enumerate(recording.events) if isinstance(e, Accumulated) and recording.whole(s)]
    assert why(recording, "w", whole[0]).code == "set"
    assert why(recording, "w", whole[-1]).code == "set"  # of a whole iteration all is known, whatever comes before it


def test_a_numerical_check_is_of_a_pass_that_the_program_comes_to_again() -> None:
    recording = thinned(SOUND["by hand"], 900)
    last = max(event.number for event in recording.events if isinstance(event, BackwardEnded))
    assert "not recorded whole" in check_numerically(recording, last).problem
    assert check_numerically(recording).problem == ""


def test_a_rule_sees_what_is_whole_unless_it_holds_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    recording = thinned(SOUND["by hand"], 900)
    seen: list[int] = []

    def spy(run: Run) -> Iterator[Finding]:
        seen.append(len(run.events))
        yield from ()

    monkeypatch.setattr(sys.modules["engine.diagnosis.findings"], "RULES", (spy,))
    assert findings(recording) == []
    assert seen[-1] == next(step for step, event in enumerate(recording.events) if isinstance(event, Thinned))
    monkeypatch.setattr(sys.modules["engine.diagnosis.findings"], "everywhere", lambda rule: True)
    recording.forget()
    assert findings(recording) == []
    assert seen[-1] == len(recording.events)
