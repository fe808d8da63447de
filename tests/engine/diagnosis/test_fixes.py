"""Fixes: every mechanical kind has one that is proven, a proven one ends the finding, and what is worse is no fix."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.diagnosis.findings import findings
from engine.diagnosis.findings.catalogue import RULES, entry, kinds
from engine.diagnosis.fixes import Untried, changed_program, offered, to_try, tried, trying
from engine.diagnosis.fixes.diff import lines_changed, unified
from engine.diagnosis.fixes.judging import CLOSE
from engine.diagnosis.fixes.lengthening import lengthened
from engine.diagnosis.fixes.places import Places
from engine.diagnosis.reason import Edit, Finding
from engine.program import Program
from engine.program.changes import TextChange, changed
from engine.recording import Recording
from engine.recording.events import Site
from engine.sandbox import Limits, RunResult, run
from tests.corpus import corpus
from tests.recorded import checked

from .proven import HERE, LIMITS
from .twins import all_twins

DEFECTS = corpus(HERE / "corpus/defects.py").cases.values()


def programs(kind: str) -> Iterator[str]:
    """Programs with a kind of finding, or that may have one: those written for it first."""
    if (RULES / f"{kind}.py").exists():
        yield entry(kind).broken
    yield from (case.program for case in DEFECTS if kind in case["finds"].split(", "))
    yield from (each.broken for each in sorted(all_twins(), key=lambda each: kind not in each.causes))


MECHANICAL = [id for id, kind in kinds().items() if kind.mechanical]


def ran(source: str) -> Recording:
    made = checked(source).recording
    assert made is not None
    return made


def mended(recording: Recording, edit: Edit) -> RunResult:
    return run(changed(recording.source, edit.changes)[0], LIMITS, seed=recording.seed)


@cache
def first_fix(kind: str) -> tuple[Recording, Finding, Edit]:
    """The first proven fix of a kind."""
    why = []
    for source in programs(kind):
        for finding in findings(ran(source)):
            if finding.rule == kind and finding.changes:
                outcome = tried(ran(source), finding, LIMITS)
                if isinstance(outcome, Edit):
                    return ran(source), finding, outcome
                why.append(outcome.why)
    raise AssertionError(f"no fix of {kind} is proven: {why}")


@pytest.mark.thorough
@pytest.mark.parametrize("kind", MECHANICAL)
def test_a_mechanical_kind_has_a_fix_that_ends_the_finding(kind: str) -> None:
    recording, finding, edit = first_fix(kind)
    result = mended(recording, edit)
    assert result.recording is not None
    broken = any(f.severity == "error" for f in findings(recording)) and checked(recording.source[0]).status == "error"
    assert result.status == "ok" or broken
    places = Places(recording.source, edit.changes)
    assert finding.site is not None
    first, last = places.lines(finding.site)
    assert not [f for f in findings(result.recording) if f.rule == kind and first <= f.line <= last]
    assert sum(f.grave for f in findings(result.recording)) <= sum(f.grave for f in findings(recording))


@pytest.mark.parametrize("kind", MECHANICAL)
def test_a_proof_tells_what_the_fix_did(kind: str) -> None:
    recording, _, edit = first_fix(kind)
    after = changed(recording.source, edit.changes)
    assert applied(recording.source[0], edit.proof.diff) == after[0]
    assert 1 <= edit.proof.lines <= 6
    assert str(edit.proof).startswith("tried: the finding is gone")
    if edit.proof.before is not None and edit.proof.after is not None and edit.proof.longer is None:
        assert not edit.proof.after > edit.proof.before + CLOSE * abs(edit.proof.before)


@pytest.mark.thorough
def test_kinds_whose_findings_bring_changes_are_mechanical_and_no_others() -> None:
    """By the programs that the catalogue shows, so that a kind cannot be marked for what another one brings."""
    bring: dict[str, bool] = {}
    for id in kinds():
        for finding in findings(ran(entry(id).broken)):
            if finding.rule == id:
                bring[id] = bring.get(id, False) or bool(finding.changes)
            assert not finding.changes or finding.rule in MECHANICAL, f"{finding.rule} brings changes and is not mechanical"
    without = {id for id in MECHANICAL if not bring[id]}
    assert without == {"loss_not_connected"}  # of a metric taken for a loss, which no rule can write anew


def test_many_kinds_have_a_fix() -> None:
    assert len(MECHANICAL) >= 30


# --- what is no fix -------------------------------------------------------------------------------------------------------

TRAINING = """\
import torch
torch.manual_seed(0)
w = torch.tensor([3.0], requires_grad=True)
print("begin")
for i in range(6):
    loss = (w * w).sum()
    loss.backward()
    with torch.no_grad():
        w -= 0.05 * w.grad
print("end")
"""


def judged(text: str, before: str, after: str) -> Edit | Untried:
    """What comes of writing something else into a program instead of what its first finding wants."""
    recording = ran(text)
    start = text.index(before)
    lines = text[:start].split("\n")
    end = (text[: start + len(before)]).split("\n")
    change = TextChange(0, len(lines), len(lines[-1]), len(end), len(end[-1]), after)
    finding = msgspec.structs.replace(findings(recording)[0], changes=(change,))
    return tried(recording, finding, LIMITS)


CLEARED = "        w -= 0.05 * w.grad\n        w.grad = None\n"
REFUSED = {
    "the finding stays": ("range(6)", "range(7)", "still there"),
    "the text is no Python": ("w -= 0.05", "w -= = 0.05", "ends with|leaves no recording"),
    "the program fails": (UPDATE := "        w -= 0.05 * w.grad\n", CLEARED + "        w.grad.zero_()\n", "ends with"),
    "another finding comes": (UPDATE, CLEARED.replace("w -= 0.05 *", "w += 9 *"), "another error"),
    "nothing is trained any more": ("    loss.backward()\n", "    pass\n", "no backward pass|ends with"),
    "the loss grows": (UPDATE, CLEARED.replace("0.05", "-0.01"), "loss|another error"),
    "nothing is changed": ("range(6)", "range(6)", "leave the program as it is"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_changes_that_are_no_fix_are_not_offered(case: str) -> None:
    before, after, why = REFUSED[case]
    outcome = judged(TRAINING, before, after)
    assert isinstance(outcome, Untried)
    assert re.search(why, outcome.why), outcome.why
    assert offered(ran(TRAINING))[0].edit is None


def test_what_is_printed_before_a_change_must_stay() -> None:
    assert isinstance(judged(TRAINING.replace("begin", "start"), UPDATE, CLEARED), Edit)
    outcome = judged(TRAINING.replace('print("begin")', "import time\nprint(time.perf_counter())"), UPDATE, CLEARED)
    assert isinstance(outcome, Untried)
    assert "prints something else" in outcome.why
    later = TRAINING.replace('print("end")', "import time\nprint(time.perf_counter())")
    assert isinstance(judged(later, UPDATE, CLEARED), Edit)


def test_a_larger_loss_after_few_steps_is_looked_at_for_longer() -> None:
    outcome = judged(TRAINING, UPDATE, CLEARED)
    assert isinstance(outcome, Edit)
    longer = outcome.proof.longer
    assert longer is not None
    assert longer.steps == 204
    assert longer.after < longer.before
    assert outcome.proof.after > outcome.proof.before  # type: ignore[operator]
    assert "(the loop run longer; after 6 steps" in str(outcome.proof)


@pytest.mark.parametrize(("small", "proven"), [(trying.SMALL, True), (10, False)])
def test_on_a_busy_machine_a_small_run_is_looked_at_for_longer_all_the_same(
    monkeypatch: pytest.MonkeyPatch, small: int, proven: bool
) -> None:
    def slow(program: Program, limits: Limits, **more: Any) -> RunResult:
        return msgspec.structs.replace(run(program, limits, **more), seconds=limits.seconds)

    monkeypatch.setattr(trying, "run", slow)
    monkeypatch.setattr(trying, "SMALL", small)
    assert isinstance(judged(TRAINING, UPDATE, CLEARED), Edit) == proven


LOOPS = {
    "for i in range(6):": (6, 204),
    "for i in range(1, 6):": (5, 240),
    "n = 6\nfor i in range(n):": (6, 204),
    "i = 0\nwhile i < 6:\n    i += 1": (6, 204),
    "for i in [1, 2]:": (2, 0),
    "n = 6\nn = 7\nfor i in range(n):": (7, 0),
}


@pytest.mark.parametrize("loop", LOOPS)
def test_a_loop_turns_as_often_as_a_number_says(loop: str) -> None:
    text = TRAINING.replace("for i in range(6):", loop)
    passes, turns = LOOPS[loop]
    line = text[: text.index("loss.backward()")].count("\n") + 1
    changes, times = lengthened(ran(text), line, passes)
    after = changed((text,), changes)[0]
    assert (times > 1) == bool(changes) == bool(turns)
    assert str(turns) in after or not turns


# --- losses whose value says nothing --------------------------------------------------------------------------------------

POLICY = """\
import torch
torch.manual_seed(0)
policy = torch.nn.Linear(4, 3)
opt = torch.optim.SGD(policy.parameters(), lr=0.1)
x, a, gain = torch.randn(16, 4), torch.randint(0, 3, (16,)), torch.randn(16)
for step in range(4):
    logp = torch.log_softmax(policy(x), 1)[torch.arange(16), a]
    loss = -(logp * gain).mean()
    loss.backward()
    opt.step()
"""
RIVALS = """\
import torch
from torch.nn import functional as F
torch.manual_seed(0)
maker, judge = torch.nn.Linear(2, 2), torch.nn.Linear(2, 1)
opt_m = torch.optim.SGD(maker.parameters(), lr=0.1)
opt_j = torch.optim.SGD(judge.parameters(), lr=0.1)
one, zero = torch.ones(8, 1), torch.zeros(8, 1)
for step in range(4):
    made = maker(torch.randn(8, 2))
    loss_j = F.binary_cross_entropy_with_logits(judge(made.detach()), zero)
    loss_j = loss_j + F.binary_cross_entropy_with_logits(judge(torch.randn(8, 2) + 3), one)
    loss_j.backward()
    opt_j.step()
    opt_j.zero_grad()
    loss_m = F.binary_cross_entropy_with_logits(judge(made), one)
    loss_m.backward()
    opt_m.step()
    opt_j.zero_grad()
"""
HOLLOW = {
    "a policy": (POLICY, "    loss.backward()\n", "    opt.zero_grad()\n", "loss = -(logp", "loss = (logp", "of both signs"),
    "two networks": (RIVALS, "    loss_m.backward()\n", "    opt_m.zero_grad()\n", "loss_m = F", "loss_m = -F",
                     "another network"),
}  # fmt: skip


@pytest.mark.parametrize("case", HOLLOW)
def test_a_smaller_loss_that_says_nothing_is_no_proof(case: str) -> None:
    """What leaves the first gradients as they are is one; what turns them is none, although the loss is smaller."""
    text, passing, clearing, right, turned, why = HOLLOW[case]
    good = judged(text, passing, clearing + passing)
    assert isinstance(good, Edit), good
    assert good.proof.after is None
    assert why in str(good.proof)
    start, end = text.index(right), text.index(passing) + len(passing)
    whole = text[start:end]
    bad = judged(text, whole, whole.replace(right, turned).replace(passing, clearing + passing))
    assert isinstance(bad, Untried)
    assert "gets another gradient" in bad.why
    assert why in bad.why


def test_a_loss_of_a_network_beside_one_that_reads_what_it_makes_is_compared() -> None:
    """The probe's training changes nothing for the network that it looks into."""
    text = RIVALS.replace("judge(made), one)", "made, one.expand(8, 2))")
    outcome = judged(text, "    loss_m = F", "    opt_m.zero_grad()\n    loss_m = F")
    assert isinstance(outcome, Untried)  # so few steps with gradients that add up come further
    assert outcome.why == "With the changes the loss after 4 steps is 0.6717, where it was 0.635."


RATIO = entry("gradient_cancels").broken


def test_what_is_subtracted_is_the_constant_of_a_ratio_whichever_was_computed_first() -> None:
    later = "    old_logp = Categorical(logits=policy(obs)).log_prob(action)\n    ratio"
    for text in (RATIO, RATIO.replace("    old_logp = dist.log_prob(action)\n", "").replace("    ratio", later, 1)):
        (found,) = [f for f in findings(ran(text)) if f.rule == "gradient_cancels"]
        outcome = tried(ran(text), found, LIMITS)
        assert isinstance(outcome, Edit), outcome
        assert "torch.exp(logp - old_logp.detach())" in outcome.proof.diff
        assert found.fix == "Take what is subtracted as a constant: old_logp.detach()."


@pytest.mark.parametrize("ratio", ["torch.exp(old_logp - logp)", "(logp - old_logp) + 1"])
def test_a_difference_that_is_no_ratio_of_new_to_old_has_no_automatic_fix(ratio: str) -> None:
    (found,) = [f for f in findings(ran(RATIO.replace("torch.exp(logp - old_logp)", ratio))) if f.rule == "gradient_cancels"]
    assert not found.changes
    assert "the one of the two that is meant to be a constant" in found.fix


# --- which are tried ------------------------------------------------------------------------------------------------------


def test_a_fix_is_tried_once_and_is_the_findings_edit_from_then_on() -> None:
    recording = run(TRAINING, LIMITS).recording
    assert recording is not None
    (finding,) = to_try(recording)
    outcome = tried(recording, finding, LIMITS)
    assert to_try(recording) == []
    assert [f.edit for f in offered(recording)] == [outcome]
    assert [f.edit for f in findings(recording)] == [None]


def test_recordings_that_do_not_run_here_have_none() -> None:
    recording = ran(TRAINING)
    assert to_try(Recording(recording.source, recording.events, recording.sites, recording.scopes, recording.arrays,
                            recording.ops, engine="torch")) == []  # fmt: skip
    assert to_try(Recording(("",), recording.events, recording.sites, recording.scopes, recording.arrays, recording.ops)) == []


NET = """import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 3)

    def forward(self, x):
        return self.fc(x){more}
"""
MAIN = """import torch
from torch.nn import functional as F
from net import Net

torch.manual_seed(0)
model = Net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(16, 4), torch.randint(0, 3, (16,))
for epoch in range(4):
    {clear}
    loss = F.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
"""


def of_files(main: str, net: str) -> Recording:
    """The recording of a program whose network lies in a file beside it."""
    made = run(Program((main,), "main.py", files=(("net.py", net.encode()),)), LIMITS, seed=1).recording
    assert made is not None
    assert made.names == ("main.py", "net.py")
    return made


def test_the_own_text_of_a_program_of_several_files_is_mended() -> None:
    recording = of_files(MAIN.format(clear="optimizer.zero_grad"), NET.format(more=""))
    found = next(f for f in findings(recording) if f.rule == "not_called")
    assert found in to_try(recording)
    edit = tried(recording, found, LIMITS)
    assert isinstance(edit, Edit), edit
    assert "-    optimizer.zero_grad\n+    optimizer.zero_grad()\n" in edit.proof.diff
    assert not edit.proof.diff.startswith("#")
    (text,) = changed_program(recording, edit.changes)
    assert [f.rule for f in findings(of_files(text, NET.format(more=""))) if f.grave] == []


def test_a_module_beside_a_program_is_left_alone() -> None:
    recording = of_files(MAIN.format(clear="optimizer.zero_grad()"), NET.format(more=".softmax(1)"))
    found = next(f for f in findings(recording) if f.rule == "softmax_twice")
    assert {change.cell for change in found.changes} == {1}
    assert found not in to_try(recording)
    outcome = tried(recording, found, LIMITS)
    assert isinstance(outcome, Untried)
    assert outcome.why == "The changes are in a module, and only the program's own text is mended."
    assert offered(recording)[0].edit is None


def test_a_trial_keeps_to_the_limits_of_the_run() -> None:
    recording = run(TRAINING, LIMITS).recording
    assert recording is not None
    finding = msgspec.structs.replace(findings(recording)[0], changes=(TextChange(0, 5, 0, 5, 0, "while True: pass\n"),))
    outcome = tried(recording, finding, Limits(seconds=0.5))
    assert isinstance(outcome, Untried)
    assert "stopped after 0.5 seconds" in outcome.why


# --- places and diffs -----------------------------------------------------------------------------------------------------


def applied(before: str, diff: str) -> str:
    """A text after a unified diff."""
    old, new, at = before.splitlines(keepends=True), list[str](), 0
    lines = diff.splitlines(keepends=True)
    for number, line in enumerate(lines):
        if hunk := re.match(r"@@ -(\d+)(?:,(\d+))? ", line):
            begin = int(hunk[1]) - (hunk[2] != "0")
            new += old[at:begin]
            at = begin
            continue
        if line.startswith("\\"):
            continue
        bare = line[1:].removesuffix("\n") if lines[number + 1 : number + 2] == ["\\ No newline at end of file\n"] else line[1:]
        if line[0] in " -":
            assert old[at] == bare
            at += 1
        if line[0] in " +":
            new.append(bare)
    return "".join(new + old[at:])


TEXTS = st.lists(st.sampled_from(["a\n", "b\n", "c\n", "\n", "d"]), max_size=24).map("".join)


@given(TEXTS, TEXTS)
def test_a_diff_says_all_and_nothing_else(before: str, after: str) -> None:
    diff = unified((before,), (after,))
    assert applied(before, diff) == after
    assert (diff == "") == (before == after)
    changed = lines_changed((before,), (after,))
    assert (changed == 0) == (before == after)
    assert changed <= len(before.splitlines()) + len(after.splitlines())
    if not before or not after:
        assert changed == len((before or after).splitlines())


def test_a_diff_is_written_as_elsewhere() -> None:
    before = "".join(f"{i}\n" for i in range(30))
    after = before.replace("4\n", "four\n", 1).replace("25\n", "")
    ours = unified((before,), (after,)).splitlines()
    theirs = list(difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm=""))[2:]
    assert ours == theirs
    assert unified((before, "x = 1\n"), (before, "x = 2\n")).startswith("# In [2]\n@@ -1 +1 @@\n")


def lines(changes: Sequence[TextChange], site: Site) -> tuple[int, int]:
    return Places(("é = 1\nb = 2\nc = 3\n", "d = 4\n"), changes).lines(site)


def test_places_move_with_what_is_written_before_them() -> None:
    above = [TextChange(0, 2, 0, 2, 0, "x\ny\n")]
    assert lines(above, Site(0, 1, 0, 1, 6)) == (1, 1)
    assert lines(above, Site(0, 2, 0, 2, 5)) == (4, 4)
    assert lines(above, Site(1, 1, 0, 1, 5)) == (1, 1)
    gone = [TextChange(0, 1, 0, 2, 0, "")]
    assert lines(gone, Site(0, 3, 4, 3, 5)) == (2, 2)
    assert lines(gone, Site(0, 1, 4, 1, 5)) == (1, 0)
    assert Places(("é = 1\nb = 2\n",), [*gone, TextChange(0, 3, 0, 3, 0, "c\nd")]).written() == [(0, 2, 3)]
    inside = [TextChange(0, 2, 0, 2, 5, "with y:\n    b = 2")]
    assert lines(inside, Site(0, 2, 4, 2, 5)) == (2, 3)
    assert lines(inside, Site(0, 3, 0, 3, 5)) == (4, 4)
    assert lines([], Site(7, 2, 0, 2, 5)) == (2, 2)


TWO_OPTIMIZERS = """import torch
from torch import nn
torch.manual_seed(0)
G, D = nn.Linear(2, 3), nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1), nn.Sigmoid())
opt_D, opt_G = torch.optim.SGD(D.parameters(), lr=0.1), torch.optim.SGD(G.parameters(), lr=0.1)
for step in range(3):
    real, fake = torch.randn(8, 3), G(torch.randn(8, 2))
    on_fake = D(fake)
    D_loss = -(torch.log(D(real)) + torch.log(1 - on_fake)).mean()
    G_loss = torch.log(1 - on_fake).mean()
    opt_D.zero_grad()
    D_loss.backward(retain_graph=True)
    opt_D.step()
    opt_G.zero_grad()
    G_loss.backward()
    opt_G.step()
"""


def test_a_step_is_not_moved_behind_a_pass_of_another_optimizer() -> None:
    recording = ran(TWO_OPTIMIZERS)
    (finding,) = (f for f in findings(recording) if f.rule == "in_place_on_saved")
    (text,) = changed_program(recording, finding.changes)
    lines = [line.strip() for line in text.splitlines()]
    step = lines.index("opt_D.step()")
    assert lines[step : step + 4] == [
        "opt_D.step()",
        "on_fake = D(fake)",
        "G_loss = torch.log(1 - on_fake).mean()",
        "opt_G.zero_grad()",
    ]
    assert lines.index("on_fake = D(fake)") < lines.index("D_loss.backward(retain_graph=True)")
    assert isinstance(tried(recording, finding), Edit)


def test_a_step_whose_gradients_are_cleared_before_the_next_pass_is_not_moved_behind_it() -> None:
    text = (
        "import torch\nw = torch.ones(2, requires_grad=True)\nopt = torch.optim.SGD([w], lr=0.1)\n"
        "y = w * w\nfirst, second = y.sum(), (y * 2).sum()\n{}opt.zero_grad()\nfirst.backward(retain_graph=True)\nopt.step()\n"
        "{}second.backward()\n"
    )
    (moved,) = (f for f in findings(ran(text.format("", ""))) if f.rule == "in_place_on_saved")
    assert moved.fix.startswith("Call backward() before")
    (kept,) = (f for f in findings(ran(text.format("", "opt.zero_grad()\n"))) if f.rule == "in_place_on_saved")
    assert kept.fix.startswith("Compute second anew after the step")


def test_a_state_that_a_module_keeps_is_cut_off_where_it_is_taken() -> None:
    recording = ran(
        "import torch\nfrom torch import nn\nclass Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.lstm = nn.LSTM(3, 4)\n        self.hidden = (torch.zeros(1, 2, 4), torch.zeros(1, 2, 4))\n"
        "    def forward(self, x):\n        out, self.hidden = self.lstm(x, self.hidden)\n        return out\n"
        "net = Net()\nfor step in range(3):\n    net(torch.randn(5, 2, 3)).mean().backward()\n"
    )
    (finding,) = (f for f in findings(recording) if f.rule == "spans_iterations")
    assert "through self.hidden (" in finding.title
    assert finding.fix == "Cut it off before it is used again: self.hidden = tuple(part.detach() for part in self.hidden)."
    assert isinstance(tried(recording, finding), Edit)
