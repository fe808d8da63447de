"""Comments of a program that say which findings are not to be told."""

from __future__ import annotations

import pytest

from engine.diagnosis.findings import explain, findings, ignored, known_findings, outcome
from engine.diagnosis.findings.catalogue import kinds
from engine.program import Program
from engine.recording import Recording
from engine.sandbox import Limits, run

HEAD = "import torch\nx = torch.ones(2, requires_grad=True)\n"


def recorded(program: str | Program, limits: Limits | None = None) -> Recording:
    recording = run(program, limits or Limits()).recording
    assert recording is not None
    return recording


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ("y = x * 2\ny.backward()", ["backward_on_vector"]),
        ("y = x * 2\ny.backward()  # gradtape: ignore[backward_on_vector]", []),
        ("y = x * 2\ny.backward()  #gradtape:ignore[nan,backward_on_vector , inf]", []),
        ("y = x * 2\ny.backward()  # on purpose; gradtape: ignore[nan] gradtape: ignore[backward_on_vector]", []),
        ("y = x * 2\ny.backward(\n    None,\n)  # gradtape: ignore[backward_on_vector]", []),
        ("y = x * 2\ny.backward(  # gradtape: ignore[backward_on_vector]\n    None,\n)", []),
        ("y = x * 2\ny.backward()  # gradtape: ignore[nan]", ["backward_on_vector"]),
        ("y = x * 2  # gradtape: ignore[backward_on_vector]\ny.backward()", ["backward_on_vector"]),
        ("y = x * 2\n# gradtape: ignore[backward_on_vector]\ny.backward()", ["backward_on_vector"]),
        ("y = x * 2\ns = '# gradtape: ignore[backward_on_vector]'; y.backward()", ["backward_on_vector"]),
        ("y = x * 2\ny.backward(); s = '''\n# gradtape: ignore[backward_on_vector]\n'''", ["backward_on_vector"]),
        ("for k in range(2):  # gradtape: ignore[backward_on_vector]\n    y = x * 2\n    y.backward()", ["backward_on_vector"]),
    ],
)
def test_a_comment_in_a_line_of_the_statement_counts(lines: str, told: list[str]) -> None:
    recording = recorded(HEAD + lines + "\n")
    assert [f.rule for f in findings(recording)] == told
    assert [f.rule for f in known_findings(recording) or ()] == told
    assert [f.rule for f in ignored(recording)] == [rule for rule in ["backward_on_vector"] if rule not in told]


def test_a_cell_of_a_notebook_has_lines_of_its_own() -> None:
    cells = (HEAD + "# gradtape: ignore[backward_on_vector]", "y = x * 2\n\n\ny.backward()")
    recording = recorded(Program(cells, notebook=True))
    assert [f.rule for f in findings(recording)] == ["backward_on_vector"]
    recording = recorded(Program((HEAD, "(x * 2).backward()  # gradtape: ignore[backward_on_vector]"), notebook=True))
    assert findings(recording) == []
    assert "1 finding is ignored: backward_on_vector at In [2], line 1." in outcome(recording)


def test_an_id_that_no_rule_has_is_told_with_the_nearest() -> None:
    recording = recorded(HEAD + "x.sum().backward()  # gradtape: ignore[nan, no_zero_grads]\n")
    assert "ignore[no_zero_grads] at line 3 names no rule. Did you mean no_zero_grad?" in outcome(recording)


def test_where_nothing_is_found_the_next_step_is_told() -> None:
    sound = recorded(HEAD + "loss = x.sum()\nloss.backward()\n")
    (said,) = outcome(sound)
    assert said.startswith(
        f"Nothing looks wrong ({len(kinds())} rules looked). To go on: check the gradients against differences"
    )
    assert "loss" in said
    assert explain(sound) == f"{said}\n"
    (said,) = outcome(recorded(HEAD))
    assert said.endswith("No backward pass has run: call backward() on a result to get gradients.")
    assert outcome(Recording()) == ["Nothing has run that rules could look at."]


def test_a_run_that_failed_never_looks_right() -> None:
    for lines in ("raise ValueError", "1 / 0", "import os\nos.system('true')", "while True: x = x * 1", "x = = 1"):
        recording = recorded(HEAD + lines + "\n", Limits(seconds=1))
        found = findings(recording)
        assert found, lines
        assert found[0].ends == ("while" not in lines), "that the time was up comes behind what is wrong"
        assert found[0].grave
        assert "looks wrong" not in explain(recording)
        assert "looks wrong" not in " ".join(outcome(recording, {f.rule for f in found}))


def test_a_thinned_recording_says_how_many_rules_saw_all_of_it() -> None:
    lines = "for k in range(400):\n    (x * x).sum().backward()\n    x.grad = None\n"
    (said,) = outcome(recorded(HEAD + lines, Limits(events=1_000)))
    assert "rules looked at all of the run, the others at its beginning, which is recorded whole" in said
