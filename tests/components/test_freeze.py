"""The freeze scenarios at their smallest size, so that the benchmark goes on running, and reaches everything."""

from __future__ import annotations

import pytest

from benchmarks import freeze
from benchmarks.freeze import CELL_STEPS, MEGABYTES, TEXT_STEPS, run, scenarios


@pytest.mark.thorough
def test_every_scenario_goes_through_all_its_steps() -> None:
    wanted = scenarios()
    found = run(wanted, small=True)
    assert [(one.scenario, one.step) for one in found] == [(s.name, step) for s in wanted for step, _ in s.steps]
    assert {len(s.steps) for s in wanted} == {len(TEXT_STEPS), len(CELL_STEPS), 1}
    assert all(0 <= one.megabytes < MEGABYTES / 10 for one in found)


def test_the_script_prints_the_worst(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    few = scenarios()[:3]
    monkeypatch.setattr(freeze, "scenarios", lambda: few)
    freeze.main(["--smallest"])
    shown = capsys.readouterr().out
    assert f"{sum(len(s.steps) for s in few)} steps of 3 hostile programs" in shown
    assert "600 marks: what if" in shown
