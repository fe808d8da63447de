"""What a program prints while it is recorded, and the warnings that it is given, which stand where they would anyway."""

from __future__ import annotations

import io
import sys
import warnings
from types import ModuleType
from typing import Any

import pytest

from engine.recording import Recording
from engine.recording import events as e


def train(torch: ModuleType) -> None:
    x = torch.ones(3, requires_grad=True)
    (x * 2).grad  # noqa: B018  (it warns)
    torch.nn.MSELoss()(torch.ones(3), torch.ones(3, 1))
    torch.tensor(x)
    warnings.warn("mine", stacklevel=1)
    print("loss", 0.5)


def warned(torch: ModuleType, level: str = "") -> tuple[list[tuple[str, int, str]], Recording | None]:
    """File, line and first words of every warning; recorded, if there is a level."""
    from engine.pytorch import record

    tape: Any = None
    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("always")
        if level:
            with record(level=level) as tape:
                train(torch)
        else:
            train(torch)
    return [(each.filename, each.lineno, str(each.message)[:20]) for each in shown], tape and tape.recording


@pytest.mark.parametrize("level", ["facts", "statistics"])
def test_warnings_stand_where_they_would_without_the_recorder(torch: ModuleType, level: str) -> None:
    told, recording = warned(torch, level)
    assert told == warned(torch)[0]
    assert len(told) >= 4
    assert recording is not None
    events = [event for event in recording.events if isinstance(event, e.Warned)]
    assert [event.message[:20] for event in events] == [words for _, _, words in told]


def test_what_is_printed_is_there_where_values_are(torch: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    for level, printed in (("statistics", ["loss 0.5\n"]), ("facts", [])):
        _, recording = warned(torch, level)
        assert recording is not None
        assert [event.text for event in recording.events if isinstance(event, e.Printed)] == printed
        assert capsys.readouterr().out == "loss 0.5\n"


def test_afterwards_python_is_as_it_was(torch: ModuleType) -> None:
    from engine.pytorch import record

    before = sys.stdout, warnings.showwarning
    with record():
        assert sys.stdout is not before[0]
        assert sys.stdout.buffer is before[0].buffer
    assert (sys.stdout, warnings.showwarning) == before


def test_who_listens_since_goes_on(torch: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    from engine.pytorch import record

    mine, shown = io.StringIO(), warnings.showwarning
    monkeypatch.setattr(sys, "stdout", sys.stdout)
    monkeypatch.setattr(warnings, "showwarning", shown)

    def listening(*_: Any) -> None:
        """Whoever replaces it."""

    with record() as tape:
        copy = sys.stdout
        sys.stdout, warnings.showwarning = mine, listening  # type: ignore[assignment]
    assert sys.stdout is mine
    assert warnings.showwarning is listening
    monkeypatch.undo()
    copy.write("")
    print("later", file=copy)
    assert not [event for event in tape.recording.events if isinstance(event, e.Printed)]


def test_one_recording_within_another(torch: ModuleType) -> None:
    from engine.pytorch import record

    before = sys.stdout
    with record() as outer:
        print("before")
        with record() as inner:
            print("both")
        print("after")
    assert sys.stdout is before

    def printed(tape: Any) -> list[str]:
        return [event.text for event in tape.recording.events if isinstance(event, e.Printed)]

    assert printed(inner) == ["both\n"]
    assert printed(outer)[0] == "before\n"
    assert printed(outer)[-1] == "after\n"
