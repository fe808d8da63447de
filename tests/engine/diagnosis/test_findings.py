"""Findings: programs with one known defect, sound programs that must raise no alarm, and what a finding says."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

import pytest
from msgspec.structs import replace

from engine.diagnosis.findings import RULES, explain, findings
from engine.diagnosis.findings.catalogue import entry, kinds
from engine.diagnosis.findings.printed_averages import _ADDITIONS, _sums
from engine.diagnosis.findings.registry import Rule, kinds_of
from engine.diagnosis.paths import paths_of
from engine.diagnosis.reason import Finding
from engine.diagnosis.run import Run
from engine.program import Program
from engine.recording import Recording
from engine.recording.events import NodeRan, OpRan
from engine.sandbox import Limits, RunResult, run
from engine.sandbox.instrument import TAPE
from tests.corpus import Case, corpus
from tests.recorded import checked

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
DEFECTS = {name: case for path in sorted(HERE.glob("corpus/defects*.py")) for name, case in corpus(path).cases.items()}
SOUND = {name: case for path in sorted(HERE.glob("corpus/harmless*.py")) for name, case in corpus(path).cases.items()}
NEAR = corpus(HERE / "corpus/near.py").cases
PARITY = corpus(HERE.parent / "corpus/semantics.py").cases
HEAD = corpus(HERE / "corpus/defects.py").head
SHOWN = {p.name: p.read_text(encoding="utf-8") for p in sorted((ROOT / "assets" / "examples").glob("*.py"))}
COMPLETE = {p.name: p.read_text(encoding="utf-8") for p in sorted((HERE.parent / "complete").glob("*.py"))}


def record(source: str) -> RunResult:
    result = checked(source)
    assert result.recording is not None
    return result


def found(source: str) -> list[Finding]:
    recording = record(source).recording
    assert recording is not None
    return findings(recording)


def alarms(made: list[Finding]) -> list[str]:
    """What was found, without hints at a warning that the program has shown anyhow."""
    return [f.rule for f in made if f.grave or "warning" not in dict(f.evidence)]


def marked_line(source: str) -> int:
    marked = [number for number, line in enumerate(source.splitlines(), 1) if "# <-" in line]
    assert len(marked) == 1, "one line has an arrow, # <-"
    return marked[0]


@pytest.mark.parametrize("case", DEFECTS.values(), ids=[f"{name} ({case['finds']})" for name, case in DEFECTS.items()])
def test_a_defect_is_found_at_its_line_and_told_completely(case: Case) -> None:
    rules = case["finds"].split(", ")
    recording = record(case.program).recording
    assert recording is not None
    made = findings(recording)
    assert {f.rule for f in made} == set(rules)
    assert [f.line for f in made if f.rule == rules[0]] == [marked_line(case.program)]
    tensors = {f"t{info.id}" for event in recording.events for info in getattr(event, "outputs", ())}
    for f in made:
        declared = kinds()[f.rule].severity
        assert f.severity == declared or (declared, f.severity) in LESS, f.rule
        assert f.title.endswith(".")
        assert f.explanation
        assert f.fix
        assert f.evidence
        assert 0 <= f.step < len(recording.events)
        assert f.line > 0
        assert {n for n in f.nodes if n.startswith("t")} <= tensors
        assert TAPE not in str(f)


LESS = {("error", "warning"), ("error", "hint"), ("warning", "hint")}
"""How severe a kind is, and how severe a finding of it may be instead: never more."""


@pytest.mark.parametrize("case", NEAR.values(), ids=[f"{name} ({case['near']})" for name, case in NEAR.items()])
def test_what_is_near_to_a_mistake_is_a_hint_at_most(case: Case) -> None:
    made = found(case.program)
    assert [f.rule for f in made if f.grave] == []
    assert case["near"] in kinds()


@pytest.mark.parametrize("case", SOUND.values(), ids=SOUND.keys())
def test_a_sound_program_raises_no_alarm(case: Case) -> None:
    result = record(case.program)
    assert result.status == "ok", result.error
    assert result.recording is not None
    assert alarms(findings(result.recording)) == []


@pytest.mark.parametrize("source", [*SHOWN.values(), *COMPLETE.values()], ids=[*SHOWN, *COMPLETE])
def test_examples_raise_no_alarm(source: str) -> None:
    made = found(source)
    assert alarms(made) == (["in_place_on_saved"] if source.startswith("# In-place trouble") else [])


@pytest.mark.parametrize("case", PARITY.values(), ids=PARITY.keys())
def test_parity_programs_raise_no_alarm_but_one_about_their_exception(case: Case) -> None:
    result = record(HEAD + case.text)
    assert result.recording is not None
    made = findings(result.recording)
    assert [f.ends for f in made[:1] if f.ends] == ([True] if result.status == "error" else [])
    assert [f.rule for f in made if not f.ends and "warning" not in dict(f.evidence)] == []


def _anew(program: str) -> list[Finding]:
    """What is found in a program by rules that run now: a recording keeps what was found in it."""
    r = record(program).recording
    assert r is not None
    fresh = Recording(r.source, r.events, r.sites, r.scopes, r.arrays, r.ops)
    fresh.checks.update(r.checks)
    return findings(fresh)


@pytest.mark.thorough
def test_every_rule_is_tried_by_a_defect_or_by_the_catalogue(monkeypatch: pytest.MonkeyPatch) -> None:
    silent = set(RULES)

    def watched(rule: Rule) -> Rule:
        def said(run: Run) -> Iterator[Finding]:
            for finding in rule(run):
                silent.discard(rule)
                yield finding

        return said

    monkeypatch.setattr(sys.modules["engine.diagnosis.findings"], "RULES", tuple(watched(rule) for rule in RULES))
    made = set()
    for case in DEFECTS.values():
        made |= {f.rule for f in _anew(case.program)}
    assert made == {rule for case in DEFECTS.values() for rule in case["finds"].split(", ")}
    # The other kinds are found in their own programs, or else tests/engine/diagnosis/test_catalogue.py says so.
    shown = kinds().keys() - made
    silent = {rule for rule in silent if not any(kind.id in shown for kind in kinds_of(rule))}
    # Of a kind with several rules one may be tried here, and another one in the catalogue.
    for id in sorted({kind.id for rule in silent for kind in kinds_of(rule)}):
        _anew(entry(id).broken)
    assert not silent, "these rules find something in no program of corpus/defects.py or assets/rules"


def test_no_two_cases_have_one_name() -> None:
    for name, cases in (("defects", DEFECTS), ("harmless", SOUND)):
        assert len(cases) == sum(len(corpus(path).cases) for path in HERE.glob(f"corpus/{name}*.py"))


def test_kinds_of_different_meaning_have_different_ids() -> None:
    declared = {kind for rule in RULES for kind in kinds_of(rule)}
    assert len({kind.id for kind in declared}) == len(declared)
    assert {kind.severity for kind in declared} == {"error", "warning", "hint"}
    assert all(re.fullmatch(r"[a-z]+(_[a-z]+)*", kind.id) for kind in declared)


def test_every_file_of_findings_declares_a_rule() -> None:
    folder = ROOT / "engine/diagnosis/findings"
    assert {path.stem for path in folder.glob("*.py")} - {rule.__module__.rpartition(".")[2] for rule in RULES} == {
        "__init__", "catalogue", "registry", "told",
    }, "a file here declares a rule, with @rule(order)"  # fmt: skip


def test_the_crime_scene_names_both_lines_both_versions_and_the_backward() -> None:
    (f,) = found(SHOWN["09_in_place_trouble.py"])
    assert (f.line, sorted(site.line for site in f.related)) == (7, [6, 8])
    assert dict(f.evidence) == {
        "saved by": "ExpBackward0 at line 6, version 0",
        "written by": "y.add_(1) at line 7",
        "needed by": "backward pass 1 at line 8, version 1",
    }


def test_accumulation_comes_with_its_numbers() -> None:
    (f,) = found(DEFECTS["a loop by hand without zero_grad"].program)
    evidence = dict(f.evidence)
    assert evidence["added by pass 2"] == "[1.6 3.2]"
    assert evidence["w.grad afterwards"] == "[3.6 7.2]"
    assert evidence["updates with old gradients"] == "3"


PENALIZED = """import torch
from torch import nn
torch.manual_seed(0)
generator, critic = nn.Linear(2, 3), nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1))
first, second = torch.optim.SGD(critic.parameters(), lr=0.1), torch.optim.SGD(generator.parameters(), lr=0.1)
for step in range(4):
    made = generator(torch.randn(5, 2))
    x = torch.randn(5, 3, requires_grad=True)
    (slope,) = torch.autograd.grad(critic(x).sum(), x, create_graph=True)
    penalty = critic(made).mean() + ((slope.norm(2, dim=1) - 1) ** 2).mean()
    loss = -critic(torch.randn(5, 3)).mean()
    first.zero_grad()
    loss.backward()
    first.step()
    second.zero_grad()
    (-critic(generator(torch.randn(5, 2))).mean()).backward()
    second.step()
"""


def test_a_penalty_that_is_left_out_belongs_into_the_loss_and_replaces_nothing() -> None:
    (f,) = found(PENALIZED)
    assert f.rule == "unused_adaptation"
    assert "Add penalty to the loss" in f.fix
    assert "critic.0.weight" in f.explanation
    assert "generator" not in f.explanation + f.fix


def test_the_first_nan_names_operation_element_and_inputs() -> None:
    (f,) = found(DEFECTS["zero times log zero"].program)
    evidence = dict(f.evidence)
    assert evidence["p[0]"] == "0"
    assert evidence["result[0]"] == "-inf"
    assert evidence["first NaN"] == "mul at line 4"
    assert "0 times infinity" not in f.title
    assert "log(0) is −infinity" in f.explanation


def test_a_nan_that_a_distribution_refuses_is_told_by_where_it_began() -> None:
    program = """
        import torch
        from torch import nn
        from torch.distributions import Categorical
        policy = nn.Linear(4, 2)
        optimizer = torch.optim.SGD(policy.parameters(), lr=0.1)
        for step in range(4):
            seen = torch.randn(8, 4)
            if step == 2:
                seen = seen / (seen - seen)
            action = Categorical(logits=policy(seen))
            loss = -action.log_prob(action.sample()).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    """
    (f,) = found(dedent(program).strip())
    assert (f.rule, f.line, f.ends) == ("nan", 9, True)
    assert dict(f.evidence)["error"].startswith("ValueError: Expected parameter logits")


def test_a_branch_that_was_not_taken_is_explained() -> None:
    (f,) = found(DEFECTS["where with a division"].program)
    assert "not chosen" in f.explanation
    assert dict(f.evidence)["branch that was not taken"] == "line 4"
    assert dict(f.evidence)["gradient that arrives"] == "0"


def test_a_notebook_is_told_by_cell_and_line() -> None:
    first = "import torch\nw = torch.ones(2, requires_grad=True)"
    cells = (first, "loss = (w * 2).sum()\nloss.backward()", "loss = w * w\nloss.backward()")
    recording = run(Program(cells, notebook=True)).recording
    assert recording is not None
    (f,) = findings(recording)
    assert f.rule == "backward_on_vector"
    assert "(In [3], line 2)" in explain(recording)


def test_explain_is_plain_text() -> None:
    recording = record(DEFECTS["softmax before cross_entropy"].program).recording
    assert recording is not None
    text = explain(recording)
    assert text.startswith("warning: cross_entropy is given the result of softmax")
    assert "(line 8)" in text
    assert "  Fix: " in text
    assert explain(Recording()) == "Nothing has run that rules could look at.\n"


def test_hostile_names_stay_text_and_change_nothing() -> None:
    source = HEAD + "d = {'<img src=x>(': torch.ones(3, requires_grad=True)}\nd['<img src=x>('].mul(2).backward()\n"
    (f,) = found(source)
    assert f.rule == "backward_on_vector"


def test_findings_survive_saving() -> None:
    recording = record(DEFECTS["backward twice"].program).recording
    assert recording is not None
    assert findings(Recording.load(recording.to_bytes())) == findings(recording)


def test_a_cut_off_log_is_no_trouble() -> None:
    for name in ("a loop without zero_grad", "a hidden state that is not detached"):
        recording = record(DEFECTS[name].program).recording
        assert recording is not None
        for length in range(0, len(recording.events), 7):
            part = Recording(
                recording.source, recording.events[:length], recording.sites, recording.scopes, recording.arrays, recording.ops
            )
            findings(part)


@pytest.mark.thorough
def test_an_altered_log_is_no_trouble() -> None:
    """A stranger's recording may say anything that its references allow."""
    names = ("attention without scaling", "where with a division")
    for name in names:
        recording = record(DEFECTS[name].program).recording
        assert recording is not None
        arrays = len(recording.arrays)
        for step, event in enumerate(recording.events):
            if isinstance(event, OpRan):
                texts = tuple(a if a.tensor >= 0 else replace(a, text="9" * 5000) for a in event.inputs)
                outputs = tuple(replace(info, array=(info.array + 7) % arrays) for info in event.outputs)
                changed = [replace(event, inputs=texts), replace(event, inputs=()), replace(event, outputs=outputs)]
            elif isinstance(event, NodeRan):
                changed = [replace(event, received=()), replace(event, received=tuple(-1 for _ in event.received))]
            else:
                continue
            for other in changed:
                events = [*recording.events[:step], other, *recording.events[step + 1 :]]
                altered = Recording(
                    recording.source, events, recording.sites, recording.scopes, recording.arrays, recording.ops
                )
                altered.check()
                findings(altered)


def test_the_work_grows_in_step_with_the_run() -> None:
    def calls(iterations: int) -> int:
        source = HEAD + (
            "net = nn.Sequential(*[nn.Linear(4, 4) for _ in range(8)])\n"
            "opt = torch.optim.SGD(net.parameters(), lr=1e-3)\n"
            f"for i in range({iterations}):\n"
            "    opt.zero_grad()\n"
            "    net(torch.ones(2, 4)).pow(2).mean().backward()\n"
            "    opt.step()\n"
        )
        recording = record(source).recording
        assert recording is not None
        counted = 0

        def count(*_: object) -> None:
            nonlocal counted
            counted += 1

        sys.setprofile(count)
        try:
            assert findings(recording) == []
        finally:
            sys.setprofile(None)
        return counted

    assert calls(80) < 8 * calls(20)  # 16 times as many would be quadratic


def test_the_units_of_a_matrix_that_mv_takes_transposed_are_its_columns() -> None:
    lines = [
        "w = torch.full((3, 2), 0.5, requires_grad=True)",
        "v = torch.full((1, 2), 0.3, requires_grad=True)",
        "opt = torch.optim.SGD([w, v], lr=0.1)",
        "for i in range(4):",
        "    opt.zero_grad()",
        "    loss = (v.mv(torch.tanh(w.t().mv(torch.tensor([1.0, 2.0, 3.0])))) - 1).pow(2).sum()",
        "    loss.backward()",
        "    opt.step()",
    ]
    (f,) = found(HEAD + "\n".join(lines) + "\n")
    assert (f.rule, f.title) == ("symmetry", "The 2 units of w are initialised alike and stay alike.")


@pytest.mark.parametrize(("factor", "rules"), [(1 + 2**-22, ["symmetry"]), (1.01, [])])
def test_units_whose_gradients_differ_in_a_rounding_are_alike(factor: float, rules: list[str]) -> None:
    # As the kernels of some processors round the last row of a product.
    lines = [
        "net = nn.Sequential(nn.Linear(3, 2), nn.Tanh(), nn.Linear(2, 1))",
        "for p in net.parameters():",
        "    nn.init.constant_(p, 0.5)",
        f"net[0].weight.register_hook(lambda g: g * torch.tensor([[1.0], [{factor!r}]]))",
        "opt = torch.optim.SGD(net.parameters(), lr=0.1)",
        "x, y = torch.randn(8, 3), torch.randn(8, 1)",
        "for i in range(4):",
        "    opt.zero_grad()",
        "    loss = (net(x) - y).pow(2).mean()",
        "    loss.backward()",
        "    opt.step()",
    ]
    assert [f.rule for f in found(HEAD + "\n".join(lines) + "\n")] == rules


def test_scores_with_their_classes_last_are_named_where_cross_entropy_refuses_the_targets() -> None:
    (only,) = found(
        "import torch\nimport torch.nn.functional as F\nscores = torch.randn(4, 10, 3, requires_grad=True)\n"
        "F.cross_entropy(scores, torch.randint(0, 3, (4, 10))).backward()\n"
    )
    assert (only.rule, only.site.line) == ("target_shape", 4)
    assert "[4, 3]" in only.title
    assert "[4, 10]" in only.title
    assert "movedim(-1, 1)" in only.fix


def test_weights_that_are_set_alike_through_data_are_symmetric_not_dead() -> None:
    made = found(
        "import torch\nfrom torch import nn\nmodel = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))\n"
        "for p in model.parameters():\n    p.data.zero_()\noptimizer = torch.optim.SGD(model.parameters(), lr=0.1)\n"
        "x = torch.randn(32, 4)\nfor _ in range(5):\n    loss = ((model(x) - x.sum(1, keepdim=True)) ** 2).mean()\n"
        "    optimizer.zero_grad()\n    loss.backward()\n    optimizer.step()\n"
    )
    assert [each.rule for each in made] == ["symmetry"]


def test_that_the_time_was_up_comes_behind_what_is_wrong() -> None:
    source = (
        "import torch\nx = torch.tensor([-1.0], requires_grad=True)\ntorch.log(x).sum().backward()\nwhile True:\n    pass\n"
    )
    result = run(source, Limits(seconds=1.0))
    assert result.status == "timeout"
    assert result.recording is not None
    nan, late = (each for each in findings(result.recording) if each.severity == "error")
    assert (nan.rule, late.rule) == ("nan", "program_error")
    assert late.fix.count("second") == 2, "what can be done is said once"


def test_a_key_error_that_says_a_sentence_is_not_that_of_a_dictionary_without_a_key() -> None:
    (refused,) = found("import torch\nfrom torch import nn\nnn.Module().add_module('conv.1', nn.Linear(1, 1))\n")
    assert (refused.rule, refused.title) == ("program_error", "A key or a name is refused.")
    (missing,) = found("state = {'model': 1}\nstate['optimizer']\n")
    assert missing.title == "A dictionary is asked for a key that it does not have."


def test_of_many_additions_to_one_name_a_few_are_looked_at() -> None:
    program = "from torch.utils.data import DataLoader\nloader = DataLoader([1, 2])\na = 0\nfor x in loader:\n"
    program += "    a += 1\n" * 40 + "print(a / len(loader.dataset))\n" * 3
    recording = record(program).recording
    assert recording is not None
    assert len(_sums(paths_of(recording).run)) == 3 * _ADDITIONS


def test_what_a_mean_is_divided_by_is_told_as_a_fraction() -> None:
    (told,) = found(DEFECTS["batch means over the number of samples"].program)
    assert told.title.endswith("what is told is about 1/8 of the mean loss.")


def test_a_step_with_used_gradients_names_the_optimizer_that_never_steps() -> None:
    source = (
        f"{HEAD}\ng, d = nn.Linear(2, 2), nn.Linear(2, 1)\n"
        "g_opt = torch.optim.Adam(g.parameters())\nd_opt = torch.optim.Adam(d.parameters())\n"
        "for step in range(3):\n    g_opt.zero_grad()\n    d(g(torch.randn(4, 2))).mean().backward()\n    g_opt.step()\n"
        "    d_opt.zero_grad()\n    d(torch.randn(4, 2)).mean().backward()\n    g_opt.step()\n"
    )
    (twice,) = (f for f in found(source) if f.rule == "stepped_twice")
    assert twice.fix == "Call d_opt.step() there."
    assert "d_opt (line" in twice.explanation
    assert [change.text for change in twice.changes] == ["d_opt"]


def test_an_epsilon_that_half_precision_does_not_hold_is_named() -> None:
    source = (
        f"{HEAD}\nw = torch.zeros(4, dtype=torch.float16, requires_grad=True)\n"
        "opt, scale = torch.optim.Adam([w], lr=1e-3), torch.tensor([3.0, 3.0, 0.0, 0.0]).half()\n"
        "for step in range(2):\n    opt.zero_grad()\n    loss = (w * scale).sum()\n    loss.backward()\n    opt.step()\n"
    )
    (nan,) = (f for f in found(source) if f.rule == "nan")
    assert "plus eps. In float16 both are zero here: the gradient is 0" in nan.explanation
    assert "eps=1e-4" in nan.fix
