"""A public installation tries out the faults of its interpreter that it relies on being shut, and refuses where one is not."""

from __future__ import annotations

import sys

import pytest

from engine.sandbox import Layers, run, runner
from engine.sandbox.settings import Settings
from engine.sandbox.system import faults
from engine.sandbox.system.faults import TABLE, Fault

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="public installations are on Linux")

DEREFERENCES = Fault("a made-up fault", "nothing", "import ctypes\nctypes.string_at(1)")


@pytest.fixture
def hosted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.sandbox.runner.settings", lambda: Settings(hosted=True))
    if not runner.server().layer.seccomp:
        pytest.skip("there is no filter here, which is refused for itself")


@pytest.mark.thorough
def test_every_fault_is_mended_or_shut_here(hosted: None) -> None:
    assert faults.standing() == []
    assert runner.refusal() == ""
    assert run("print(1)").output == "1\n"


def test_one_that_stands_open_is_a_reason_to_run_nothing(hosted: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(faults, "TABLE", (DEREFERENCES,))
    monkeypatch.setitem(faults._known, (DEREFERENCES,), ["a made-up fault"])
    assert "a made-up fault" in runner.refusal()
    result = run("print(1)")
    assert (result.status, result.output) == ("crashed", "")
    assert result.error is not None
    assert result.error.type == "HostError"
    assert "a made-up fault" in result.error.message
    assert "operator" in result.error.help


@pytest.mark.thorough
def test_a_crash_is_an_answer() -> None:
    harmless = Fault("nothing", "", "x = 1")
    assert faults.unshut((harmless, DEREFERENCES), Layers(language=False)) == ["a made-up fault"]
    assert faults.unshut((harmless, DEREFERENCES), Layers()) == []


def test_who_cannot_be_tried_out_is_not_trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(faults, "START", "raise SystemExit(1)")
    assert faults.unshut(TABLE, Layers()) == [faults.UNKNOWN]
    monkeypatch.setattr(faults, "START", "import time; time.sleep(100)")
    monkeypatch.setattr(faults, "PATIENCE", 0.2)
    assert faults.unshut(TABLE, Layers()) == [faults.UNKNOWN]


@pytest.mark.thorough
@pytest.mark.skipif(sys.version_info >= (3, 12, 5), reason="these are mended in newer interpreters")
def test_the_probes_find_what_is_open_where_nothing_shuts_it() -> None:
    found = faults.unshut(TABLE, Layers(language=False))
    assert TABLE[0].name not in found, "shut in all processes for programs"
    assert TABLE[1].name in found
    assert len(found) >= 7


def test_elsewhere_nothing_is_tried_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.sandbox.runner.settings", Settings)
    monkeypatch.setattr(faults, "standing", lambda: 1 / 0)
    assert runner.refusal() == ""
    assert run("print(1)").output == "1\n"
