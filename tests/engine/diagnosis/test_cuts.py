"""Cuts and failures: `why` and the findings name the same cut at the same line, PyTorch has no gradient there either, and each
of its texts is explained once."""

from __future__ import annotations

import contextlib
import io
import warnings
from pathlib import Path
from typing import Any

import pytest

from engine.diagnosis import findings, why
from engine.diagnosis.answers.why import CODES
from engine.diagnosis.cuts import KINDS
from engine.diagnosis.failures import FAILURES, code_of, failure_of, help_with
from engine.diagnosis.findings.catalogue import kinds
from engine.recording import Recording
from engine.recording.events import NOTHING, OpRan
from engine.recording.index import index_of
from tests.corpus import Case, corpus
from tests.recorded import ran

HERE = Path(__file__).parent
CASES = corpus(HERE / "corpus/cuts.py").cases


def recorded(program: str) -> Recording:
    recording = ran(program).recording
    assert recording is not None
    return recording


def on_pytorch(program: str) -> tuple[dict[str, Any], str]:
    """What a program leaves behind on PyTorch, and the text of the exception it ends with."""
    pytest.importorskip("torch")
    left: dict[str, Any] = {"__name__": "__main__"}
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            exec(compile(program, "program", "exec"), left)
        except Exception as error:
            return left, str(error)
        finally:
            # Programs may switch gradients off for good.
            left["torch"].set_grad_enabled(True)
    return left, ""


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_why_and_the_findings_name_the_same_cut(case: Case) -> None:
    recording = recorded(case.program)
    line = next(number for number, line in enumerate(case.program.splitlines(), 1) if line.endswith("# <-"))
    reason = why(recording, case["tensor"])
    found = [f for f in findings(recording) if f.rule == case["finds"]]
    assert (reason.code, reason.line) == (case["code"], line), str(reason)
    assert line in [f.line for f in found], "\n".join(map(str, found))
    cuts = [fact for fact in reason.evidence if fact[0] == "cut"]
    assert bool(cuts) == reason.code.startswith("cut_")
    assert set(cuts[:1]) <= set(next(f for f in found if f.line == line).evidence)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_pytorch_gives_no_gradient_either(case: Case) -> None:
    left, error = on_pytorch(case.program)
    owner, _, path = case["tensor"].partition(".")
    tensor = left[owner].get_parameter(path) if path else left[owner]
    assert tensor.requires_grad
    assert tensor.grad is None
    ours = ran(case.program).error
    assert code_of(error) == code_of("" if ours is None else ours.message)
    assert bool(error) == (ours is not None)


def test_each_kind_of_cut_is_tried_by_both() -> None:
    tried = {case["code"] for case in CASES.values()}
    assert {kind.code for kind in KINDS.values()} <= tried
    assert {kind.code for kind in KINDS.values()} <= CODES.keys()


def test_every_cut_that_a_recording_names_is_a_kind() -> None:
    named = {e.cut for case in CASES.values() for e in recorded(case.program).events if isinstance(e, OpRan) and e.cut}
    assert named <= KINDS.keys()
    assert named >= KINDS.keys() - {"numbers", "gradient", "sample"}


def test_a_result_that_was_detached_in_place_is_a_leaf() -> None:
    program = "import torch\nw = torch.ones(2, requires_grad=True)\nh = w * 3\nh.detach_()\n"
    recording = recorded(program)
    theirs = on_pytorch(program)[0]["h"]
    ours = index_of(recording).tensors[why(recording, "h").tensor].status(len(recording.events))
    assert (ours.is_leaf, ours.requires_grad, ours.node) == (theirs.is_leaf, theirs.requires_grad, NOTHING)
    assert theirs.grad_fn is None


# --- texts of failures --------------------------------------------------------------------------------------------------------

X = "x = torch.tensor([1.0, 2.0], requires_grad=True)\n"
REFUSED = {
    "loss_not_connected": "torch.ones(1).backward()",
    "backward_of_number": "x.sum().item().backward()",
    "backward_on_vector": "(x * 2).backward()",
    "freed_graph": "y = x.exp().sum()\ny.backward()\ny.backward()",
    "in_place_on_saved": "y = x.exp()\ny += 1\ny.sum().backward()",
    "in_place_on_leaf": "x += 1",
    "in_place_on_view": "a, b = (x * 2).unbind()\na += 1",
    "integer_requires_grad": "torch.tensor([1, 2], requires_grad=True)",
    "non_leaf_in_optimizer": "torch.optim.SGD([x * 2], lr=0.1)",
    "unused_input": "torch.autograd.grad(torch.ones(1, requires_grad=True).sum(), x)",
    "flag_of_non_leaf": "(x * 2).requires_grad_(False)",
    "numpy_of_tracked": "x.numpy()",
    "shapes_do_not_broadcast": "x + torch.ones(3)",
    "matrix_shapes": "torch.ones(2, 3) @ torch.ones(2, 3)",
    "bce_of_logits": "torch.nn.functional.binary_cross_entropy(x, torch.ones(2))",
    "bce_shapes": "torch.nn.functional.binary_cross_entropy(torch.ones(2, 1), torch.ones(2))",
}
"""A program that is refused, by the code of its failure."""


def test_every_failure_is_tried_here_or_by_the_catalogue() -> None:
    assert {failure.code for failure in FAILURES} <= REFUSED.keys() | kinds().keys()


@pytest.mark.parametrize(("code", "program"), REFUSED.items(), ids=REFUSED.keys())
def test_a_failure_is_known_by_what_pytorch_says(code: str, program: str) -> None:
    program = f"import torch\n{X}{program}\n"
    _, theirs = on_pytorch(program)
    assert code_of(theirs) == code
    error = ran(program).error
    assert error is not None
    assert code_of(error.message) == code
    assert sum(any(part in theirs for part in failure.said) for failure in FAILURES if not failure.types) == 1


@pytest.mark.parametrize("code", sorted(REFUSED))
def test_its_finding_gives_the_remedy_of_the_table(code: str) -> None:
    recording = recorded(f"import torch\n{X}{REFUSED[code]}\n")
    failure = failure_of(recording.events[-1].message)  # type: ignore[union-attr]
    assert failure is not None
    rule = "loss_not_connected" if code == "backward_of_number" else code
    (found,) = [f for f in findings(recording) if f.rule == rule]
    if code != "loss_not_connected":
        before, _, after = failure.fix.partition("{name}")
        assert found.fix.startswith(before)
        assert found.fix.endswith(after.rpartition("}")[2])


def test_a_remedy_reads_well_with_and_without_a_name() -> None:
    for failure in FAILURES:
        assert failure.title.endswith(".")
        assert failure.explanation.endswith(".")
        for fix in (failure.remedy(), failure.remedy("loss")):
            assert fix.endswith(".")
            assert "{" not in fix
    assert help_with("grad can be implicitly created only for scalar outputs").startswith("Reduce the result first")
    assert help_with("something else") == ""


def test_a_state_that_is_carried_on_is_to_be_detached_wherever_one_asks() -> None:
    """Keeping the graph, which is what helps when one graph is used twice, leads on to an error of another kind here."""
    lines = [
        "import torch",
        "cell = torch.nn.Linear(2, 2)",
        "opt = torch.optim.SGD(cell.parameters(), lr=0.1)",
        "h = torch.zeros(1, 2)",
        "for k in range(3):",
        "    START",
        "    opt.zero_grad()",
        "    h = torch.tanh(cell(h))",
        "    h.sum().backward(KEEP)",
        "    opt.step()",
    ]

    def program(start: str = "pass", keep: str = "") -> str:
        return "\n".join(lines).replace("START", start).replace("KEEP", keep) + "\n"

    assert code_of(on_pytorch(program())[1]) == "freed_graph"
    assert code_of(on_pytorch(program(keep="retain_graph=True"))[1]) == "in_place_on_saved"
    assert on_pytorch(program(start="h = h.detach()"))[1] == ""
    recording = recorded(program())
    (found,) = findings(recording)
    reason = why(recording, "cell.weight")
    assert (found.rule, reason.code) == ("spans_iterations", "backward_failed")
    assert "h = h.detach()" in found.fix
    assert reason.fix == found.fix
