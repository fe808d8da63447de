"""What findings say of programs after real threads: it never gets worse than it is, and what is missed is written down."""

from __future__ import annotations

import contextlib
import io
import re
import warnings
from typing import Any

import pytest

import engine as gradtape
from tests.corpus import Case
from tests.recorded import checked
from tests.thorough import first_of

from .score import main, of_broken, of_sound, shown, sound_cases
from .twins import FOLDER, Twins, all_twins

PAIRS = {str(twins): twins for twins in all_twins()}
IMPORTED = re.compile(r"(import |from )torch([.; ])")
SOUND = {f"{case.group}::{case.name}": case for case in sound_cases() if "/sound/" in case.file}


def executed(program: str, engine: str) -> tuple[dict[str, Any], str]:
    """What a program leaves behind, run in this process on one engine, and the exception that it ends with."""
    module = pytest.importorskip("torch") if engine == "pytorch" else gradtape
    if engine == "gradtape":
        program = IMPORTED.sub(lambda found: f"{found[1]}engine{' as torch' if found[2] == ';' else ''}{found[2]}", program)
    left: dict[str, Any] = {"__name__": "__main__"}
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            exec(compile(program, "program", "exec"), left)
        except Exception as error:
            return left, f"{type(error).__name__}: {error}"
        finally:
            # Programs may switch these for good.
            module.set_grad_enabled(True)
            module.set_default_dtype(module.float32)
    return left, ""


@pytest.mark.parametrize("twins", PAIRS.values(), ids=PAIRS)
def test_the_cause_is_found_or_its_miss_is_written_down(twins: Twins) -> None:
    verdict = of_broken(twins)
    if twins.said("missed"):
        assert not verdict.good, "it is found by now: take its line `#: missed:` away"
    else:
        assert verdict.good, shown(verdict)


@pytest.mark.parametrize("twins", PAIRS.values(), ids=PAIRS)
def test_the_mended_twin_raises_no_alarm(twins: Twins) -> None:
    verdict = of_sound(str(twins), twins.mended)
    assert verdict.good, shown(verdict)


@pytest.mark.parametrize("case", SOUND.values(), ids=SOUND)
def test_a_program_that_looks_odd_raises_no_alarm(case: Case) -> None:
    assert checked(case.program).status == "ok"
    verdict = of_sound(case.name, case.program)
    assert verdict.good, shown(verdict)


@pytest.mark.parametrize("twins", PAIRS.values(), ids=PAIRS)
@pytest.mark.parametrize("engine", first_of(["gradtape", "pytorch"], 0))
def test_only_the_broken_twin_shows_it(twins: Twins, engine: str) -> None:
    for program, broken in ((twins.broken, True), (twins.mended, False)):
        left, error = executed(program, engine)
        if broken and twins.said("raises"):
            assert error.startswith(twins.said("raises"))
            continue
        assert not error
        if twins.said("shows"):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                assert bool(eval(twins.said("shows"), left)) == broken


@pytest.mark.parametrize("case", SOUND.values(), ids=SOUND)
def test_what_looks_odd_works_on_pytorch(case: Case) -> None:
    assert executed(case.program, "pytorch")[1] == ""


def test_the_set_is_large_and_says_where_it_is_from() -> None:
    assert len(PAIRS) >= 150
    assert len(SOUND) >= 150
    for case in (*(twins.case for twins in PAIRS.values()), *SOUND.values()):
        kind, _, where = case["thread"].partition(", ")
        assert kind in {"issue", "forum", "tutorial", "example"}, case
        assert where, case
    for twins in PAIRS.values():
        assert twins.said("shows") or twins.said("raises"), twins


def test_twins_are_taken_apart() -> None:
    twins = next(twins for twins in PAIRS.values() if twins.case.name == "backward was forgotten")
    added = "    loss.backward()\n"
    assert added not in twins.broken
    assert twins.mended.replace(added, "") == twins.broken
    assert [twins.broken.splitlines()[line - 1] for line in sorted(twins.lines)] == ["    optimizer.step()"]


def test_the_score_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--missed", "backward was forgotten"]) == 0
    printed = capsys.readouterr().out
    assert "broken programs whose cause is found: 1 of 1 (100.0 %); 0 wrong text, 0 silent" in printed
    assert "mended twins without an alarm: 1 of 1" in printed
    assert FOLDER.is_dir()
