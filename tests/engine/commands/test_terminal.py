"""Whatever a program says, the terminal does nothing but show it."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from engine.commands import main
from engine.commands.terminal import as_printed

TITLE, CLIPBOARD = "\x1b]0;hurt\x07", "\x1b]52;c;aHVydA==\x07"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_gets_colours_and_progress_bars_and_a_pipe_gets_everything() -> None:
    bar = "\r 10%\x1b[A\x1b[K \x1b[1;31mred\x1b[0m\n\tend\b"
    assert as_printed(bar, Terminal()) == bar
    assert as_printed(TITLE + "x", io.StringIO()) == TITLE + "x"
    for hurts in (TITLE, CLIPBOARD, "\x1b[5n", "\x1b[6n", "\x1bc", "\x9b5n", "\x1b[" + "1;" * 30 + "m", "\u202e"):
        shown = as_printed(f"a{hurts}b\x1b[32mc", Terminal())
        assert shown.startswith("a\N{REPLACEMENT CHARACTER}")
        assert shown.endswith("b\x1b[32mc")
        assert shown.count("\x1b") == 1


@pytest.mark.parametrize("raised", ["ValueError({!r})", "SystemExit({!r})", "type({!r}, (Exception,), {{}})"])
def test_errors_are_shown_without_what_a_terminal_obeys(
    raised: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "prog.py").write_text("raise " + raised.format(f"a{TITLE}b"))
    assert main(["run", str(tmp_path / "prog.py"), "-o", str(tmp_path / "run.gradtape")]) == 1
    told = capsys.readouterr()
    assert "\x1b" not in told.out + told.err
    assert "hurtb" in told.err.replace("\N{REPLACEMENT CHARACTER}", "")


def test_why_a_command_fails_is_said_without_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", f"no{CLIPBOARD}.py"]) != 0
    assert "\x1b" not in capsys.readouterr().err
