"""The question field of the inspector: what is asked in words is answered at the step on show."""

from __future__ import annotations

import html
from pathlib import Path

import pytest

from components.html.diagnosis_html import why_html
from components.panels.inspector import KEY
from engine.diagnosis import findings, why
from engine.sandbox import run
from tests.components.visits import visit_file

PROGRAM = (
    "import torch\nfrom torch import nn\ntorch.manual_seed(0)\nnet = nn.Sequential(nn.Linear(2, 1))\nx = torch.ones(1, 2)\n"
    "loss = net(x).sum()\nloss.backward()\ncut = (net[0].weight * 2).detach()\n"
)


@pytest.mark.thorough
def test_a_question_is_answered_beside_the_selection(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "prog.py").write_text(PROGRAM)
    visit = visit_file(monkeypatch, tmp_path / "prog.py").draw(panel_tab="Inspector")
    field = f"{KEY}_question"
    assert "Both parameters of net have a gradient" in visit.draw(**{field: "net"}).text("panel")
    assert "loss was computed once" in visit.draw(**{field: "why is loss so small?"}).text("panel")
    assert "line 6 did not fail" in visit.draw(**{field: "line 6"}).text("panel")
    assert "“<b>no</b>” names no tensor, module or line" in visit.draw(**{field: "<b>no</b>"}).text("panel")
    assert "&lt;b&gt;no" in visit.markup("panel")
    assert "names no" not in visit.draw(**{field: ""}).text("panel")


def test_only_what_is_wrong_is_amber_and_has_a_fix() -> None:
    recording = run(
        PROGRAM + "w = torch.ones(2, requires_grad=True)\n(w * 2).detach().sum().requires_grad_().backward()\n"
    ).recording
    assert recording is not None
    tones = {name: why_html(recording, why(recording, name)) for name in ("net.0.weight", "x", "w")}
    assert 'class="gt-note gt-fine"' in tones["net.0.weight"]
    assert 'class="gt-note gt-fact"' in tones["x"]
    assert "Fix: " not in tones["x"]
    assert 'class="gt-note"' in tones["w"]
    assert "Fix: " in tones["w"]


def test_what_was_found_about_it_stands_above_the_answer() -> None:
    recording = run(
        "import torch\nx = torch.rand(8, 2, requires_grad=True)\nt = x[:, :1]\nu = (x * x).sum()\ntorch.autograd.grad(u, t)\n"
    ).recording
    assert recording is not None
    answer = "t.grad is None because t is not a leaf"
    assert why_html(recording, why(recording, "t")).count("asked for the gradient of t") == 0, "nobody waits for findings"
    findings(recording)
    shown = why_html(recording, why(recording, "t"))
    assert 0 < shown.index("asked for the gradient of t") < shown.index(answer)
    assert "asked for the gradient of t" not in why_html(recording, why(recording, "x"))


def test_below_a_finding_no_other_fix_is_given_for_a_tensor_that_was_taken_out_of_its_graph() -> None:
    recording = run(
        "import torch\nnet = torch.nn.Linear(2, 1)\nshadow = {n: p.data for n, p in net.named_parameters()}\n"
        "opt = torch.optim.SGD(net.parameters(), lr=0.1)\nfor step in range(4):\n    opt.zero_grad()\n"
        "    net(torch.randn(4, 2)).pow(2).mean().backward()\n    opt.step()\n    with torch.no_grad():\n"
        "        for n, p in net.named_parameters():\n            shadow[n].mul_(0.9).add_(p.data, alpha=0.1)\n"
        "print(shadow['weight'].grad)\n"
    ).recording
    assert recording is not None
    reason = why(recording, "shadow['weight']")
    assert reason.fix
    assert reason.fix in html.unescape(why_html(recording, reason))
    findings(recording)
    shown = html.unescape(why_html(recording, reason))
    assert "p.data.clone()" in shown
    assert reason.fix not in shown
