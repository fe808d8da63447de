"""Every question of `corpus/questions.py` gets its reason with its line, and sound programs get healthy reasons."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from engine.diagnosis import Reason, why
from engine.diagnosis.answers.codes import CODES
from engine.graph import build
from engine.program import Program
from engine.recording import Recording
from engine.recording.events import NOTHING, OpRan
from engine.recording.index import index_of
from engine.sandbox import RunResult, run
from tests.corpus import Case, corpus
from tests.engine.recordings import chain, two_passes

CORPUS = Path(__file__).parent / "corpus"
QUESTIONS = corpus(CORPUS / "questions.py").cases
ASKED = corpus(CORPUS / "asked.py").cases
SOUND = corpus(CORPUS / "sound.py").cases
PRELUDE = corpus(CORPUS / "questions.py").head


@cache
def executed(text: str) -> RunResult:
    cells = text.split("# %%\n")
    if len(cells) > 1:
        return run(Program.from_cells((PRELUDE, *cells)))
    return run(PRELUDE + text)


def marked(text: str) -> tuple[int, int]:
    """Cell and line of the mark."""
    cells = text.split("# %%\n")
    for number, cell in enumerate(cells):
        for place, line in enumerate(cell.splitlines(), 1):
            if line.endswith("# <-"):
                return (number + 1, place) if len(cells) > 1 else (0, place + 1)
    return 0, 0


def last_step_of(recording: Recording, text: str) -> int:
    line = next(n for n, one in enumerate(recording.source[0].splitlines(), 1) if text in one)
    return max(step for step, event in enumerate(recording.events) if recording.line(event) == line)


@pytest.mark.parametrize("case", QUESTIONS.values(), ids=QUESTIONS.keys())
def test_the_reason_and_its_line(case: Case) -> None:
    recording = executed(case.text).recording
    assert recording is not None
    step = last_step_of(recording, case["until"]) if "until" in case.said else None
    reason = why(recording, case["tensor"], step)
    assert (reason.code, (reason.site.cell, reason.line) if reason.site else (0, 0)) == (case["code"], marked(case.text)), str(
        reason
    )
    assert case["tensor"] in reason.title
    assert reason.requires_grad.startswith(case["tensor"])
    nodes = set(reason.nodes)
    assert all(a in nodes and b in nodes for a, b in reason.cut)
    if reason.code.startswith("cut_"):
        # A number that is never made a tensor again has no edge in the graph.
        assert reason.cut or reason.code == "cut_numbers"
        assert reason.fix


def test_every_reason_is_tried_by_a_question() -> None:
    asked = {case["code"] for case in (*QUESTIONS.values(), *ASKED.values())}
    assert asked == CODES.keys() - {"under_way", "not_made", "not_recorded"}


def test_there_are_enough_questions() -> None:
    assert len(QUESTIONS) >= 60


@pytest.mark.parametrize("case", SOUND.values(), ids=SOUND.keys())
def test_in_a_sound_program_every_parameter_is_in_order(case: Case) -> None:
    result, codes = executed(case.text), case["codes"].split()
    recording = result.recording
    assert result.status == "ok", result.error
    assert recording is not None
    leaves = [t for t, h in index_of(recording).tensors.items() if h.first_name and (h.info.requires_grad and h.info.is_leaf)]
    assert leaves
    for tensor in leaves:
        reason = why(recording, tensor)
        assert reason.code in codes, str(reason)
        if reason.code in ("set", "paths"):
            assert not reason.fix
            assert reason.line


def test_there_are_enough_sound_programs() -> None:
    assert len(SOUND) >= 20
    assert {case.head for case in (*QUESTIONS.values(), *SOUND.values())} == {PRELUDE}


# --- at any moment, about any tensor ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["gradient descent in a loop that makes a new w", "dead relu", "the graph was freed", "a notebook"]
)
def test_there_is_an_answer_for_every_tensor_at_every_step(name: str) -> None:
    recording = executed(QUESTIONS[name].text).recording
    assert recording is not None
    for step in range(-1, len(recording.events)):
        for tensor in index_of(recording).tensors:
            reason = why(recording, tensor, step)
            assert isinstance(reason, Reason)
            assert reason.title
            assert reason.requires_grad
            assert reason.moment < len(recording.events)


def test_the_answer_follows_the_moment() -> None:
    recording = executed(QUESTIONS["accumulated over two losses"].text).recording
    assert recording is not None
    codes = [why(recording, "w", step).code for step in range(2, len(recording.events))]
    assert list(dict.fromkeys(codes)) == ["not_yet", "under_way", "set", "accumulated"]


def test_a_doubled_gradient_is_taken_apart() -> None:
    recording = two_passes().recording()
    reason = why(recording, "x1")
    assert (reason.code, reason.line) == ("accumulated", 10)
    assert "22 + 42" not in reason.explanation
    assert "= 84" in reason.explanation or "84" in str(reason.evidence)
    assert why(recording, "y1").code == "not_retained"
    assert why(recording, "x1", 0).code in ("not_yet", "needs_none")


def test_a_name_that_never_stood_for_a_tensor_is_an_error() -> None:
    recording = two_passes().recording()
    with pytest.raises(KeyError):
        why(recording, "nobody")
    with pytest.raises(KeyError):
        why(recording, 10_000)
    with pytest.raises(IndexError):
        why(recording, "x1", 10_000)


def test_a_tensor_that_is_not_there_yet() -> None:
    recording = two_passes().recording()
    later = max(index_of(recording).tensors)
    assert why(recording, later, 0).code == "not_made"


def test_names_may_be_written_as_the_program_writes_them() -> None:
    recording = executed(SOUND["linear regression with SGD"].text).recording
    assert recording is not None
    assert why(recording, "model.weight.grad").tensor == why(recording, "model.weight").tensor
    recording = executed(QUESTIONS["a dead layer"].text).recording
    assert recording is not None
    assert why(recording, "model[0].weight").tensor == why(recording, "model.0.weight").tensor


def test_long_graphs_are_walked_without_recursion() -> None:
    recording = chain(5_000)
    assert why(recording, 0).code == "set"
    assert why(recording, "y").code == "overwritten"
    first = index_of(recording).tensors[0]
    assert why(recording, 0, first.born).code == "not_yet"


def test_the_cut_is_an_edge_of_the_graph() -> None:
    recording = executed(QUESTIONS["detach in the middle"].text).recording
    assert recording is not None
    graph = build(recording)
    for pair in why(recording, "w").cut:
        assert graph.has_edge(*pair)
        assert any(data["kind"] == "cut" for data in graph.get_edge_data(*pair).values())


def test_the_cut_says_which_line_switched_gradients_off() -> None:
    recording = executed(QUESTIONS["no_grad where the model is called"].text).recording
    assert recording is not None
    cut = next(e for e in recording.events if isinstance(e, OpRan) and e.cut == "no_grad" and e.outputs)
    assert recording.line(cut) == 4
    assert cut.opened != NOTHING
    assert recording.sites[cut.opened].line == 3


def test_numbers_that_are_only_looked_at_change_nothing() -> None:
    before = "w = torch.tensor(2.0, requires_grad=True)\nprint(w.item())\n"
    after = "loss = w * 3\nprint(float(loss.detach()))\nloss.backward()\n"
    recording = executed(before + after).recording
    assert recording is not None
    assert why(recording, "w").code == "set"


def test_hostile_source_is_only_text() -> None:
    recording = two_passes().recording()
    for source in ("(" * 5_000, "x = " + "a." * 5_000 + "b", "\0", "def f(:", "-" * 20_000 + "1"):
        again = Recording.load(Recording((source,), recording.events, recording.sites, arrays=recording.arrays).to_bytes())
        assert why(again, "x1").code == "accumulated"


def test_a_pass_that_is_still_on_its_way_is_not_said_to_have_missed_the_tensor() -> None:
    leaves = "x = torch.ones(1, requires_grad=True)\nother = torch.ones(1, requires_grad=True)\n"
    twice = executed(leaves + "for _ in range(2):\n    (x * 2).sum().backward()\n").recording
    assert twice is not None
    second = index_of(twice).passes[2]
    assert why(twice, "x", second.began + 1).explanation == "It is 2. Another pass, at line 5, is on its way."
    past = executed(leaves + "(x * 2).sum().backward()\n(other * 2).sum().backward()\n").recording
    assert past is not None
    assert why(past, "x").explanation == "It is 2. The later pass at line 5 did not reach x."


@pytest.mark.parametrize(
    ("program", "said", "fix"),
    [
        ("x = torch.arange(4)\ny = (x - 1).float()\n", "integers cannot require grad", ""),
        (
            "w = torch.ones(2, requires_grad=True)\n"
            "y = torch.autograd.grad((w**2).sum(), w,\n    retain_graph=True)[0]\ny = y.norm() - 1\n",
            "so nothing leads from them to w. No backward pass starts from what is computed from y: no gradient is missed",
            "If a gradient is wanted: call torch.autograd.grad with create_graph=True.",
        ),
    ],
)
def test_no_flag_is_asked_for_where_none_can_be_set(program: str, said: str, fix: str) -> None:
    reason = why(run(f"import torch\n{program}").recording, "y")
    assert reason.explanation.endswith(f"{said}.")
    assert reason.fix == fix
