"""The numerical check by itself: Functions whose backward the program writes down."""

from __future__ import annotations

from pathlib import Path

import pytest

import gradtape
from engine.diagnosis import findings
from engine.diagnosis.custom_functions import functions_of
from engine.diagnosis.gradcheck.functions import check_functions, keep, passes_of_functions
from engine.diagnosis.paths import paths_of
from engine.program import Program
from engine.recording import Recording
from engine.sandbox import run

CUBE = """import torch
class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x ** 3
    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return {derivative}
"""
WRONG = CUBE.format(derivative="2 * x ** 2 * g")
USE = "x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)\nCube.apply(x).sum().backward()\n"


def recorded(program: str | Program) -> Recording:
    made = run(program).recording
    assert made is not None
    return made


def checked(program: str | Program) -> Recording:
    recording = recorded(program)
    keep(recording, check_functions(recording))
    return recording


def test_the_entry_that_differs_comes_with_both_numbers_and_its_value() -> None:
    (f,) = findings(checked(WRONG + USE))
    evidence = dict(f.evidence)
    assert (f.rule, f.severity, f.line) == ("wrong_backward", "error", 10)
    assert evidence["entry"] == "x[2] = 3"
    assert (evidence["backward gives"], evidence["differences give"]) == ("18", "27")
    assert evidence["entries that differ"] == "3 of 3"
    assert "0.6667 times what it should be everywhere" in f.explanation


@pytest.mark.parametrize(
    ("derivative", "said"),
    [
        ("-3 * x ** 2 * g", "It has the wrong sign everywhere."),
        ("-6 * x ** 2 * g", "It is 2 times what it should be everywhere, with the wrong sign."),
        ("3 * x ** 2", "It leaves out g: what comes back is the derivative alone"),
    ],
)
def test_what_all_wrong_entries_have_in_common_is_told(derivative: str, said: str) -> None:
    use = USE.replace("Cube.apply(x)", "(Cube.apply(x) * torch.tensor([2.0, 3.0, 4.0]))")
    (f,) = findings(checked(CUBE.format(derivative=derivative) + use))
    assert said in f.explanation


def test_a_right_backward_is_checked_and_nothing_is_found() -> None:
    recording = checked(CUBE.format(derivative="3 * x ** 2 * g") + USE)
    assert [part.verdict for part in recording.checks[1].edges] == ["good", "good"]
    assert findings(recording) == []


def test_findings_run_no_program() -> None:
    recording = recorded(WRONG + USE)
    assert findings(Recording.load(recording.to_bytes())) == []
    assert recording.checks == {}


def test_only_the_first_pass_of_each_function_is_checked_and_only_once() -> None:
    loop = "x = torch.tensor([2.0, 3.0], requires_grad=True)\nfor i in range(5):\n    (x * x).sum().backward()\n"
    loop += "    Cube.apply(x).sum().backward()\n"
    recording = recorded(WRONG + loop)
    assert passes_of_functions(recording) == [2]
    keep(recording, check_functions(recording))
    assert passes_of_functions(recording) == []


def test_a_pass_that_fails_is_not_checked() -> None:
    recording = recorded(CUBE.format(derivative="(g, g)") + USE)
    assert passes_of_functions(recording) == []


def test_what_is_meant_to_be_no_derivative_is_not_checked() -> None:
    reversal = WRONG.replace("x ** 3", "x.view_as(x)").replace("2 * x ** 2 * g", "-g")
    assert passes_of_functions(recorded(reversal + USE)) == []
    assert passes_of_functions(recorded(WRONG.replace("Cube", "RoundSTE") + USE.replace("Cube", "RoundSTE"))) == []


def test_a_function_is_found_in_a_notebook_and_under_another_name() -> None:
    program = Program((WRONG, "cube = Cube.apply\n", USE.replace("Cube.apply", "cube")), notebook=True)
    recording = checked(program)
    assert list(functions_of(paths_of(recording))) == ["Cube"]
    (f,) = findings(recording)
    assert f.site is not None
    assert (f.site.cell, f.line) == (0, 10)


def test_the_command_checks_by_itself(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "cube.py"
    file.write_text(WRONG + USE)
    assert gradtape.main(["explain", str(file)]) == 1
    assert "backward of Cube is wrong: it gives 18 for x[2], and differences of forward give 27." in capsys.readouterr().out


def test_a_recording_is_explained_without_running_its_program(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "cube.gradtape"
    recorded(WRONG + USE).save(file)
    assert gradtape.main(["explain", str(file)]) == 0
    assert "Nothing" in capsys.readouterr().out
