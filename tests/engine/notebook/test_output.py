"""What stands below a cell where the process that makes it does not come to its end."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from engine.notebook import output
from engine.notebook.output import Request

ASKED = Request(height=500, most=1_000)


def made(monkeypatch: pytest.MonkeyPatch, program: str) -> tuple[str, str]:
    """The output of a process that runs this program instead."""
    monkeypatch.setattr(output, "START", f"import sys\nsys.stdin.buffer.read()\n{program}")
    return output._made(ASKED, b"data")


def test_an_error_is_told_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    html, text = made(monkeypatch, "raise ValueError('<b>\\x1b[31m')")
    assert html == "<p>The player could not be made: ValueError: &lt;b&gt;[31m</p>"
    assert text == "The player could not be made: ValueError: <b>[31m"
    html, _ = made(monkeypatch, "import os; os._exit(3)")
    assert html == "<p>The player could not be made: its process ended</p>"


def test_what_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    html, _ = made(monkeypatch, "import nothing_of_this_name.inside")
    assert html == (
        "<p>The player needs nothing_of_this_name, which is not installed here: pip install nothing_of_this_name</p>"
    )


def test_who_takes_too_long_has_shown_the_findings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    told = tmp_path / "told"

    class Late(subprocess.Popen[bytes]):
        """Its time is over once it has told something, however long that takes."""

        def communicate(self, input: bytes | None = None, timeout: float | None = None) -> tuple[bytes, bytes]:
            if timeout is None:
                return super().communicate()
            while True:
                last = told.exists()
                try:
                    return super().communicate(input, 0.1)
                except subprocess.TimeoutExpired:
                    if last:
                        raise
                input = None

    monkeypatch.setattr(subprocess, "Popen", Late)
    program = (
        "import pathlib, time\nsys.stdout.buffer.write(b'text\\0<p>found</p>\\0half of')\nsys.stdout.flush()\n"
        f"pathlib.Path({str(told)!r}).touch()\ntime.sleep(600)"
    )
    html, text = made(monkeypatch, program)
    assert html.startswith(f"<p>found</p><p>The player was not made within {output.SECONDS} seconds")
    assert text == "text"


def test_a_process_that_ends_amid_the_player_shows_nothing_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    html, text = made(monkeypatch, "sys.stdout.buffer.write(b'text\\0<p>found</p>\\0half of')")
    assert (html, text) == ("<p>found</p><p>The player could not be made: its process ended</p>", "text")


def test_a_player_that_is_whole_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    html, text = made(monkeypatch, "sys.stdout.buffer.write(b'text\\0<p>found</p>\\0<i>player</i>\\0')")
    assert (html, text) == ("<p>found</p><i>player</i>", "text")
