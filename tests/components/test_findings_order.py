"""Findings have one order: the engine's, wherever they are shown."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import gradtape
from components.html.diagnosis_html import findings_html
from components.html.group_html import group_html
from components.panels.findings import badge
from components.replay.panels import panels
from engine.diagnosis import findings
from engine.diagnosis.findings import RULES
from engine.diagnosis.run import Run
from engine.graph import VIEWS
from engine.graph.unrolled_graph import unrolled_graph
from engine.recording import Recording
from engine.sandbox import run
from tests.thorough import first_of

HEAD = "import torch\nfrom torch import nn\nimport torch.nn.functional as F\ntorch.manual_seed(0)\n"
LOOP = """
x, y = torch.randn(8, 3), torch.randn(8)
for i in range(4):
    loss = F.mse_loss(model(x), y)
    loss.backward()
    opt.step()
"""
PROGRAMS = {
    "a shape in the loss shows before the gradients that are never cleared":
        "model = nn.Linear(3, 1)\nopt = torch.optim.SGD(model.parameters(), lr=0.01)" + LOOP,
    "an error at the end, warnings before":
        "model = nn.Linear(3, 1)\nopt = torch.optim.SGD(model.parameters(), lr=0.01)" + LOOP + "loss.backward()\n",
    "two parameters without a gradient, and hints":
        "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.a, self.b, self.c = nn.Linear(3, 1), nn.Linear(3, 1), nn.Linear(3, 1)\n"
        "    def forward(self, x):\n        return self.a(x)\n"
        "model = Net()\nopt = torch.optim.SGD(model.parameters(), lr=0.01)" + LOOP + "kept = loss * 2\n",
    "a divergence that ends in NaN":
        "w = torch.tensor([1.0], requires_grad=True)\nfor i in range(60):\n    loss = (w ** 4).sum()\n    loss.backward()\n"
        "    with torch.no_grad():\n        w -= 0.9 * w.grad\n",
}  # fmt: skip


@pytest.fixture(params=first_of(PROGRAMS, 2), scope="module")
def program(request: pytest.FixtureRequest) -> str:
    return HEAD + PROGRAMS[request.param]


@pytest.fixture(scope="module")
def recording(program: str) -> Recording:
    recording = run(program).recording
    assert recording is not None
    assert len(findings(recording)) > 1
    return recording


@pytest.fixture(scope="module")
def replayed(recording: Recording) -> dict[str, Any]:
    """What the replay shows beside the graph."""
    return panels(recording, VIEWS)


def titles(shown: str) -> list[str]:
    return [html.unescape(title) for title in re.findall(r"<h3>(.*?)</h3>", shown)]


def unescaped(title: str) -> str:
    """A title of an annotation as it is."""
    return title.replace("%3A", ":").replace("%2C", ",").replace("%25", "%")


def told(recording: Recording) -> list[str]:
    return [f.title for f in findings(recording)]


@pytest.mark.thorough
def test_page_and_replay_show_the_order_of_the_engine(recording: Recording, replayed: dict[str, Any]) -> None:
    assert titles(findings_html(recording, findings(recording))) == told(recording)
    assert titles(replayed["texts"][replayed["findings"]]) == told(recording)


@pytest.mark.thorough
def test_the_command_line_shows_the_order_of_the_engine(
    program: str, recording: Recording, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("program.py").write_text(program)
    recording.save(Path("run.gradtape"))
    shown: dict[str, Callable[[str], list[str]]] = {
        "text": lambda out: re.findall(r"^(?:error|warning|hint): (.*?)(?: \(line \d+\))? \[\w+\]$", out, re.MULTILINE),
        "github": lambda out: re.findall(r"[ ,]title=(.*?) \[\w+\]::", out),
        "json": lambda out: [f["title"] for f in json.loads(out)],
    }
    for file in ("program.py", "run.gradtape"):
        for form, read in shown.items():
            assert gradtape.main(["explain", file, "--format", form]) == 1
            written = [unescaped(title) for title in read(capsys.readouterr().out)]
            assert written == told(recording), form


def test_a_group_tells_of_what_is_inside_in_the_same_order(recording: Recording) -> None:
    everything = unrolled_graph(recording)
    groups = everything.groups("module")
    several = 0
    for id, group in groups.groups.items():
        shown = group_html(recording, everything, groups, id, len(recording.events) - 1)
        inside = [f.title for f in findings(recording) if set(group.members) & set(f.nodes)]
        part = shown.partition("findings inside")[2].partition("</section>")[0]
        assert [html.unescape(title) for title in re.findall(r"<p>(.*?)</p>", part)] == inside
        several += len(inside) > 0
    assert several > 0


def test_the_counts_leave_hints_out_everywhere(recording: Recording, replayed: dict[str, Any]) -> None:
    grave = sum(f.severity in ("error", "warning") for f in findings(recording))
    assert badge(recording) == f"Findings :red[**{grave}**]"
    assert replayed["found"] == grave


def test_a_cause_comes_before_what_it_leads_to_though_that_shows_earlier() -> None:
    recording = run(HEAD + PROGRAMS["a divergence that ends in NaN"]).recording
    assert recording is not None
    first, second, third = findings(recording)
    assert [(f.rule, f.severity) for f in (first, second, third)] == [
        ("no_zero_grad", "error"), ("diverging", "error"), ("inf", "error"),
    ]  # fmt: skip
    assert second.step < first.step < third.step


def test_the_order_is_severity_then_rule_then_moment(recording: Recording) -> None:
    whose = {(f.rule, f.title): k for k, rule in enumerate(RULES) for f in rule(Run(recording))}
    keys = [(("error", "warning", "hint").index(f.severity), whose[f.rule, f.title], f.step) for f in findings(recording)]
    assert keys == sorted(keys)
