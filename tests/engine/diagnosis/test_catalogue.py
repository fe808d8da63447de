"""The catalogue: every kind of finding has a program with it and the same program mended, which behave so on PyTorch, too."""

from __future__ import annotations

import contextlib
import io
import re
import warnings
from types import ModuleType

import pytest

from engine.diagnosis import catalogue_page
from engine.diagnosis.findings import findings
from engine.diagnosis.findings.catalogue import RULES, Entry, entry, every_kind, kinds, nearest
from engine.recording import Recording
from engine.recording.events import Warned
from engine.sandbox import Limits, RunResult
from tests.recorded import PATIENT, checked, printed

LIMITS = {"not_finite_unseen": Limits(seconds=120, events=5_000)}
"""Smaller limits where a program says that it does not fit them."""


def ran(id: str, which: str) -> tuple[RunResult, Recording]:
    """One of the programs of a kind, run."""
    result = checked(getattr(entry(id), which), LIMITS.get(id, PATIENT))
    assert result.recording is not None
    return result, result.recording


def test_the_files_are_those_of_the_kinds() -> None:
    assert {path.stem for path in RULES.glob("*.py")} == set(every_kind())


@pytest.mark.parametrize("id", kinds())
def test_the_broken_program_has_the_finding_and_the_mended_one_nothing_grave(id: str) -> None:
    _, recording = ran(id, "broken")
    assert (id, kinds()[id].severity) in [(f.rule, f.severity) for f in findings(recording)]
    result, recording = ran(id, "mended")
    assert result.error is None
    assert [f.rule for f in findings(recording) if f.grave or f.rule == id] == []


@pytest.mark.parametrize("id", kinds())
@pytest.mark.parametrize("which", ["broken", "mended"])
def test_a_program_does_on_pytorch_what_it_does_here(torch: ModuleType, id: str, which: str) -> None:
    result, recording = ran(id, which)
    warned = {_own(event.message) for event in recording.events if isinstance(event, Warned)}
    raised = "" if result.error is None else f"{result.error.type}: {_own(result.error.message)}"
    assert (printed(recording), warned, raised) == _on_pytorch(torch, getattr(entry(id), which))


def _on_pytorch(torch: ModuleType, text: str) -> tuple[str, set[str], str]:
    """What a program prints, warns of and raises on PyTorch."""
    out, raised = io.StringIO(), ""
    always, before = torch.is_warn_always_enabled(), torch.get_rng_state()
    torch.set_warn_always(True)
    # PyTorch's own tests, of which others here import some, switch the checks of distributions off.
    checks = torch.distributions.Distribution._validate_args
    torch.distributions.Distribution.set_default_validate_args(True)
    try:
        with contextlib.redirect_stdout(out), warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                exec(compile(text, "<program>", "exec"), {"__name__": "__main__"})
            except Exception as error:
                raised = f"{type(error).__name__}: {_own(str(error))}"
    finally:
        torch.set_warn_always(always)
        torch.distributions.Distribution.set_default_validate_args(checks)
        torch.set_rng_state(before)
    return out.getvalue(), {_own(str(warning.message)) for warning in caught}, raised


def _own(message: str) -> str:
    """A message without where in PyTorch's source it was made."""
    return re.split(r" ?\(Triggered|\nException raised from", message)[0].strip()


@pytest.mark.parametrize("id", every_kind())
def test_programs_are_written_as_people_write_them(id: str) -> None:
    found: Entry = entry(id)
    assert re.fullmatch(r"[A-Za-z].*\.", found.about)
    assert found.broken != found.mended
    for program in (found.broken, found.mended):
        assert program.startswith(("import", "from"))
        assert len(program.splitlines()) <= 40
        assert "manual_seed" in program or not re.search(r"rand|nn\.(Linear|Conv|RNN|LSTM|Embedding)", program)


def test_the_page_is_not_stale() -> None:
    assert catalogue_page.PAGE.read_text(encoding="utf-8") == catalogue_page.page(), "run `make reference`"


def test_the_page_has_every_kind_once_and_links_to_it() -> None:
    page = catalogue_page.page()
    shown = re.findall(r"^### `(.+)`$", page, re.MULTILINE)
    linked = re.findall(r"^\| \[`(.+)`\]\(#(.+)\) \|", page, re.MULTILINE)
    assert sorted(shown) == sorted(every_kind())
    assert linked == [(id, id) for id in shown]
    for id in every_kind():
        assert page.count(entry(id).broken) >= 1 <= page.count(entry(id).mended)


def test_what_is_no_kind_is_near_one() -> None:
    assert nearest("no_zero_grads") == "no_zero_grad"
    assert nearest("xyz") == ""
    with pytest.raises(KeyError):
        entry("no_zero_grads")
