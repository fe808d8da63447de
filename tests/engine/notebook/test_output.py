"""What stands below a cell where the process that makes it does not come to its end."""

from __future__ import annotations

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


def test_who_takes_too_long_has_shown_the_findings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(output, "SECONDS", 3)
    told = "import time\nsys.stdout.buffer.write(b'text\\0<p>found</p>\\0half of')\nsys.stdout.flush()\ntime.sleep(600)"
    html, text = made(monkeypatch, told)
    assert html.startswith("<p>found</p><p>The player was not made within 3 seconds")
    assert text == "text"


def test_a_player_that_is_whole_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    html, text = made(monkeypatch, "sys.stdout.buffer.write(b'text\\0<p>found</p>\\0<i>player</i>\\0')")
    assert (html, text) == ("<p>found</p><i>player</i>", "text")
