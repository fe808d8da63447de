"""What a notebook shows below a cell: findings first, then the player in a frame that holds all of it."""

from __future__ import annotations

import io
import re
import sys
import zlib
from base64 import b64decode, b64encode
from hashlib import sha256
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import msgspec
import pytest

from components import notebook
from engine.notebook.output import Request
from engine.recording import Recording
from engine.sandbox import run
from tests.engine.export.hostile import TAGS, hostile

ADDED_UP = """import torch
w = torch.ones(2, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)
for k in range(3):
    loss = (w * w).sum()
    loss.backward()
    optimizer.step()
"""
WANTED = Request(height=500, most=2_500_000)


def recorded(text: str) -> Recording:
    """The recording of a program."""
    made = run(text).recording
    assert made is not None
    return made


def made(recording: Recording, request: Request = WANTED) -> tuple[str, str, str]:
    """The parts of an output, as they are sent to the kernel."""
    target = io.BytesIO()
    notebook.main(io.BytesIO(msgspec.json.encode(request) + b"\n" + recording.to_bytes()), target)
    text, findings, player, rest = target.getvalue().decode().split("\0")
    assert rest == ""
    return text, findings, player


class Elements(HTMLParser):
    """The elements of some HTML, with their attributes."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.found.append((tag, dict(attrs)))


def held(player: str) -> tuple[str, str]:
    """The frame's own page, and the one that is packed in it."""
    ((_, frame),) = [each for each in Elements(player).found if each[0] == "iframe"]
    outer = frame["srcdoc"] or ""
    packed = re.search(r"<template>([^<]*)</template>", outer)
    assert packed is not None
    return outer, zlib.decompress(b64decode(packed[1])).decode()


def test_findings_come_as_text_and_as_html_and_the_player_after_them() -> None:
    recording = recorded(ADDED_UP)
    text, findings, player = made(recording)
    assert text.startswith("error: Gradients add up over iterations")
    assert "<b>error: Gradients add up over iterations: w.grad is not cleared between updates.</b> (line 6)" in findings
    assert "<b>Fix: </b>Call optimizer.zero_grad()" in findings
    assert "This output holds the program&#x27;s text and the values of its tensors; so does the notebook" in player
    names = [name for name, _ in Elements(player).found]
    assert names == ["iframe", "div"]
    _, page = held(player)
    assert page.startswith("<!doctype html>")
    assert 'id="data"' in page


def test_the_frame_is_shut_and_runs_two_scripts_that_its_policy_names() -> None:
    _, _, player = made(recorded(ADDED_UP))
    ((_, frame),) = [each for each in Elements(player).found if each[0] == "iframe"]
    assert frame["sandbox"] == "allow-scripts"
    assert "height: 500px" in str(frame["style"])
    outer, page = held(player)
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', outer)
    assert policy is not None
    said = unescape(policy[1])
    assert said.startswith("default-src 'none'; script-src 'sha256-")
    for text, script in ((outer, r"<script>(.*?)</script>"), (page, r'<script type="module">(.*?)</script>')):
        found = re.search(script, text, re.DOTALL)
        assert found is not None
        assert f"'sha256-{b64encode(sha256(found[1].encode()).digest()).decode()}'" in said
    assert len(re.findall("<script", outer)) == 1


def test_without_findings_it_says_how_to_go_on_and_notes_stand_beside() -> None:
    recording = recorded("import torch\nx = torch.ones(2, requires_grad=True)\n(x * 2).sum().backward()\n")
    text, findings, _ = made(recording, msgspec.structs.replace(WANTED, notes=("The cell ran on <the> engine.",)))
    assert text.startswith("Nothing looks wrong")
    assert findings.startswith("<p>Nothing looks wrong")
    assert "<p>The cell ran on &lt;the&gt; engine.</p>" in findings


def test_a_player_that_is_too_large_is_a_sentence_and_the_findings_stay() -> None:
    recording = recorded(ADDED_UP)
    _, findings, player = made(recording, msgspec.structs.replace(WANTED, most=10_000))
    assert "Gradients add up over iterations" in findings
    assert "iframe" not in player
    assert re.search(r"<p>The player of \d+ events takes \d+\.\d kB, and an output of a notebook 10\.0 kB at most: ", player)
    assert "with -o FILE the recording opens in the page" in player
    _, _, player = made(recording, msgspec.structs.replace(WANTED, most=10_000, file="a<b.gradtape"))
    assert "open a&lt;b.gradtape with gradtape open" in player


def test_a_program_without_values_is_said_to_be_one() -> None:
    _, _, player = made(recorded(ADDED_UP), msgspec.structs.replace(WANTED, values=False))
    assert "holds the program&#x27;s text, and no values of its tensors" in player


@pytest.mark.parametrize("raising", [False, True])
def test_texts_of_programs_are_never_markup(raising: bool) -> None:
    program = f"import torch\ntorch.ones(2)\nraise ValueError({TAGS!r} + chr(27))\n"
    text, findings, player = made(recorded(program) if raising else hostile())
    names = {name for name, _ in Elements(findings + player).found}
    assert names <= {"div", "b", "p", "iframe"}
    assert TAGS not in findings + player
    assert "\x1b" not in text


def test_a_finding_tells_what_the_program_says() -> None:
    program = "of = {}\n" + re.sub(r"\bw\b", lambda _: f"of[{TAGS!r}]", ADDED_UP)
    text, findings, _ = made(recorded(program))
    assert TAGS in text
    assert TAGS not in findings
    assert "&lt;img src=x onerror=" in findings


def test_what_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "components.replay.page", None)
    _, findings, player = made(recorded(ADDED_UP))
    assert "Gradients add up over iterations" in findings
    assert player.startswith("<p>The player needs ")


def test_the_frames_script_is_small_and_foreign_to_nothing() -> None:
    assert Path(notebook.__file__).with_name("frame.js").stat().st_size < 1_000
    assert "</script" not in notebook.SCRIPT
