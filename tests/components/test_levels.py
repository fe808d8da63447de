"""Everything that can be read of a recording, for recordings of real PyTorch at each level: what was not measured is not taken
for a number, and is said not to be recorded."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from types import ModuleType

import pytest

from components.menus.gallery import DEFAULT, examples
from components.panels import panels
from engine.diagnosis import compare, findings, why
from engine.diagnosis.findings import CONSEQUENCES
from engine.export import FORMATS, Options
from engine.graph.numbers import UNMEASURED
from engine.graph.watch import watched
from engine.recording.index import index_of
from tests.components.test_panels import CASES
from tests.components.visits import visit_file
from tests.corpus import ROOT, Case, corpora
from tests.levels import LEVELS, PICTURES, Read, files, readers, taped
from tests.thorough import first_of

PART = 24
"""Of the programs that findings and answers are tried with, one in so many is read at each level."""
FAULT = re.compile(r"(?<![\w.])(?<!= )(?<!not )(?:nan|-?inf|None)(?![\w(])", re.IGNORECASE)
"""What is written for a number that is none, or a `.grad`; not where a fix assigns it, or it is "not None"."""
LESS = [level for level in LEVELS if level != "values"]
FOLDER = ROOT / "tests/engine/diagnosis/corpus"


def _programs() -> list[Case]:
    found = [case for folder in ("", "threads", "sound") for case in corpora(FOLDER / folder) if len(case.cells) == 1]
    return found[::PART]


@pytest.fixture(autouse=True)
def with_torch(torch: ModuleType) -> None:
    """Skips where it is not."""


TEXTS = {
    "example": examples()[DEFAULT].text,
    **{name: case.content.decode() for name, case in CASES.items() if case.suffix == ".py" and name != "large"},
}


def looked_at(program: str, *reads: Read) -> None:
    """Read all of a program's recordings, and compare what is said of each with what is said where values were kept."""
    whole = taped(program, "values")
    said = {name: make() for read in reads for name, make in read(whole).items()}
    rules = {finding.rule for finding in findings(whole)}
    allowed = rules.union(*(CONSEQUENCES.get(rule, set()) for rule in rules))
    for level in LESS:
        recording = taped(program, level)
        for name, make in ((name, make) for read in reads for name, make in read(recording).items()):
            text = make()
            lines = [line for line in text.splitlines() if FAULT.search(line) and line not in said[name]]
            wrong = _faults(text) - _faults(said[name])
            assert not wrong, f"{level}, {name}: {wrong} in {lines[:5]}"
        assert {finding.rule for finding in findings(recording)} <= allowed, level
        compared = compare(whole, recording)
        assert compared.first is None, level


def _faults(text: str) -> Counter[str]:
    return Counter(word.lower() for word in FAULT.findall(text))


@pytest.mark.parametrize("case", _programs(), ids=str)
def test_of_a_program_no_more_is_said_than_was_measured(case: Case) -> None:
    looked_at(case.program, readers)


@pytest.mark.parametrize("name", TEXTS)
def test_neither_of_a_training(name: str) -> None:
    looked_at(TEXTS[name], readers, files)


@pytest.mark.parametrize("level", first_of(LEVELS))
def test_every_format_is_made(level: str) -> None:
    recording = taped(TEXTS["training loop"], level)
    for name in PICTURES:
        assert FORMATS[name].make(recording, Options())


@pytest.mark.parametrize("level", LESS)
def test_every_panel_is_drawn(level: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    taped(TEXTS["training loop"], level).save(tmp_path / "run.gradtape")
    visit = visit_file(monkeypatch, tmp_path / "run.gradtape")
    recording = visit.page.recording
    assert recording is not None
    weight = next(t for t in index_of(recording).tensors.values() if t.info.is_parameter)
    visit.draw(player={"moment": visit.moment(selected=f"t{weight.info.id}")})
    for panel in [name for name, each in panels().items() if each.when(recording)]:
        shown = visit.draw(panel_tab=panel).text("panel")
        assert shown
        assert not re.search(r"\b(nan|inf)\b", shown, re.IGNORECASE), panel
        if level == "facts" and panel in ("Inspector", "Ledger", "Tensors"):
            assert UNMEASURED in shown, panel


def test_how_a_loss_goes_and_what_moves_is_said_not_to_be_recorded() -> None:
    recording = taped(TEXTS["training loop"], "facts")
    loss, moved = why(recording, "loss"), why(recording, "why did model.0.weight not move")
    assert (loss.code, moved.code) == ("not_recorded", "not_recorded")
    assert loss.title == "What loss was, and how it went, is not in the recording, which holds no values of it"
    assert loss.explanation == "backward() began from it 4 times."
    assert "SGD.step() (line 10) updated it 4 times" in moved.title
    assert UNMEASURED not in why(recording, "model.0.weight").explanation, "no sum of what is not known"


REFUSED = """import torch
w = torch.ones(2, requires_grad=True)
loss = (w.detach() ** 2).sum()
loss.backward()
"""


def test_a_loss_without_a_graph_is_told_of_without_its_value() -> None:
    codes = [why(taped(REFUSED, level), "loss").code for level in LEVELS]
    assert len({*codes}) == 1, codes


def test_a_rate_of_zero_is_a_fact() -> None:
    program = TEXTS["training loop"].replace("lr=0.1", "lr=0.0")
    assert why(taped(program, "facts"), "why did model.0.weight not move").code == "rate_zero"


ZEROED = """import torch
w = torch.ones(100, requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1)
for _ in range(3):
    opt.zero_grad(set_to_none=False)
    (w * w).sum().backward()
    opt.step()
"""


@pytest.mark.parametrize("level", LESS)
def test_gradients_that_are_zeroed_are_known_to_be_zero(level: str) -> None:
    recording = taped(ZEROED, level)
    told = why(recording, "w")
    assert "sum of" not in told.title, told.title
    assert told.code == why(taped(ZEROED, "values"), "w").code
    watched_grad = [watched(recording, step, "w.grad.norm()").text for step in range(len(recording.events))]
    assert "0" in watched_grad
    assert "nan" not in watched_grad


HOOKS = """import torch
w = torch.ones(2, requires_grad=True)
for _ in range(5):
    w.register_hook(lambda g: g.clone())
    (w * w).sum().backward()
"""


def test_hooks_of_which_nobody_knows_what_they_change_are_no_graver_than_those_that_change_nothing() -> None:
    found = {level: [f for f in findings(taped(HOOKS, level)) if f.rule == "hooks_pile_up"] for level in LEVELS}
    assert [len(each) for each in found.values()] == [1, 1, 1]
    assert {each[0].severity for each in found.values()} == {"hint"}
    assert "done 5 times over" in found["facts"][0].explanation
    assert "they all give the same" in found["values"][0].explanation
