"""What people ask is answered with its cause, its line and the program's own words, and PyTorch's gradients are like that."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.diagnosis import why
from engine.diagnosis.answers.subject import (
    LineSubject,
    LossSubject,
    ModuleSubject,
    Subject,
    TensorSubject,
    UpdateSubject,
    parse,
)
from engine.recording import Recording
from engine.sandbox import run
from tests.corpus import Case, corpus
from tests.recorded import ran

ASKED = corpus(Path(__file__).parent / "corpus" / "asked.py").cases


@pytest.mark.parametrize("case", ASKED.values(), ids=ASKED.keys())
def test_the_answer_names_the_cause_and_its_line(case: Case) -> None:
    recording = ran(case.program).recording
    assert recording is not None
    reason = why(recording, case["asks"])
    line = next(number for number, text in enumerate(case.program.splitlines(), 1) if text.endswith("# <-"))
    assert (reason.code, reason.line) == (case["code"], line), str(reason)
    assert reason.wrong == (case.said.get("wrong") != "no")
    text = f"{reason.title} {reason.explanation} {reason.fix}"
    for part in case.said.get("says", "").splitlines():
        assert part in text
    for part in case.said.get("never", "").splitlines():
        assert part not in text
    if reason.wrong:
        assert reason.fix or reason.explanation


@pytest.mark.filterwarnings("ignore")  # PyTorch's own remarks on what the programs do
@pytest.mark.parametrize("case", [case for case in ASKED.values() if "grad" in case.said], ids=str)
def test_the_gradient_is_what_it_is_on_pytorch(case: Case) -> None:
    torch = pytest.importorskip("torch")
    names: dict[str, object] = {"__name__": "__main__"}
    exec(compile(case.head, "<head>", "exec", dont_inherit=True), names)
    try:
        exec(compile(case.text, str(case), "exec", dont_inherit=True), names)
    except (RuntimeError, TypeError) as error:
        assert case["code"] in ("backward_failed", "no_backward", "overwritten"), error
    asked = parse(case["asks"])
    assert isinstance(asked, TensorSubject | UpdateSubject)
    name = str(asked.tensor if isinstance(asked, TensorSubject) else asked.name)
    owner, _, last = name.rpartition(".")
    head, *path = owner.split(".") if owner else [last]
    value = names["net"] if head == "m" and "m" not in names else names[head]
    for part in [*path, *([last] if owner else [])]:
        value = value[int(part)] if part.isdigit() else getattr(value, part)  # type: ignore[index]
    grad = value.grad  # type: ignore[attr-defined]
    match case["grad"]:
        case "None":
            assert grad is None
        case "nan":
            assert bool(torch.isnan(grad).any())
        case "zero":
            assert not bool(grad.any())
        case number:
            assert float(grad.flatten()[0]) == pytest.approx(float(number), rel=1e-3)


def test_there_are_enough_questions() -> None:
    assert len(ASKED) >= 60
    assert all(case["after"].strip() for case in ASKED.values())


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("w", TensorSubject("w")),
        ("net.0.weight.grad", TensorSubject("net.0.weight")),
        ("why is w.grad None?", TensorSubject("w")),
        ("why is w so large", TensorSubject("w")),
        ("params[1]", TensorSubject("params[1]")),
        ("loss", LossSubject("loss")),
        ("why is the loss not going down?", LossSubject("loss")),
        ("why is train_loss constant", LossSubject("train_loss")),
        ("why is it NaN", LossSubject()),
        ("line 12", LineSubject(12)),
        ("why did cell 2, line 3 fail?", LineSubject(3, 2)),
        ("In [2], line 3", LineSubject(3, 2)),
        ("why did it fail", LineSubject()),
        ("why did w not move", UpdateSubject("w")),
        ("why is net.fc not updated?", UpdateSubject("net.fc")),
    ],
)
def test_a_question_is_read(text: str, subject: Subject) -> None:
    assert parse(text) == subject


def test_a_subject_may_be_given_itself() -> None:
    made = ran(ASKED["a module that is in order"].program).recording
    assert made is not None
    assert why(made, ModuleSubject("net.head")) == why(made, "net.head")
    assert why(made, TensorSubject("net.head.bias")) == why(made, "net.head.bias")
    for nothing in (ModuleSubject("net.head.weight"), UpdateSubject("nobody"), LineSubject(400), "nobody"):
        with pytest.raises(KeyError):
            why(made, nothing)


MASKED = """\
import torch
from torch.nn import functional as F
torch.manual_seed(0)
w = torch.randn(4, 4, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)
for step in range(3):
    scores = (torch.randn(4, 4) @ w).masked_fill(torch.triu(torch.ones(4, 4), 1) == 1, float("-inf"))
    loss = F.softmax(scores, -1).pow(2).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""


@pytest.mark.parametrize("question", ["w", "why is the loss not going down"])
def test_an_answer_works_out_what_it_is_asked_and_not_the_whole_run(question: str) -> None:
    made = run(MASKED).recording
    assert made is not None
    opened = Recording.load(made.to_bytes())
    assert why(opened, question).title
    assert "meant infinities" not in opened.derived
    assert "statistics" not in opened.derived
    assert "statistics" not in opened.stored.__dict__
    assert why(opened, "scores").title == why(made, "scores").title
