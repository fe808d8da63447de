"""What strangers write is looked through by the page's process, which does nothing else meanwhile: no pattern takes long."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from typing import Any

import pytest

from components.html.notes import markdown
from engine.diagnosis import findings
from engine.diagnosis.failures import FAILURES, WARNINGS, Case
from engine.diagnosis.ignoring import _COMMENT
from engine.graph.structure.loops import _HEADER_END
from engine.recording.story import Note
from engine.sandbox import run

LONG = 60_000
"""Characters of what is looked through; a program may have eight times as many."""
PROMPT = 0.5
"""Seconds of the processor for it."""
FILLS = ("a", "1", "[", "1, ", ")", "a1 ", ".")
CASES = [case for failure in (*FAILURES, *WARNINGS) for case in failure.cases]
OPTIMIZER = """
import torch
x = torch.ones(2, requires_grad=True)
optimizer = torch.optim.SGD([x], lr=0.1)
x.sum().backward()
optimizer.step()
"""
TARGET = """
import torch
from torch import nn
net = nn.Linear(2, 1)
target_net = net
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(2):
    optimizer.zero_grad()
    ((net(torch.ones(2)) - target_net(torch.ones(2)).detach()) ** 2).sum().backward()
    optimizer.step()
"""
REFUSED = "def f(): pass\nf(**{'a' * %d + '! is not a Module subclass': 1})"


def taken(do: Callable[[], Any]) -> float:
    began = time.thread_time()
    do()
    return time.thread_time() - began


def hostile(pattern: str) -> list[str]:
    """Texts that begin what a pattern looks for again and again, and never end it."""
    parts = [part for part in re.split(r"\\?[()\[\]][^()\[\]]*|[.*+?|\\]+", pattern) if part.strip()]
    return [
        text
        for fill in FILLS
        for text in ("".join((part + fill) * (LONG // 3 // max(len(part), 1)) for part in parts), fill * LONG)
    ]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.pattern[:40])
def test_what_an_error_says(case: Case) -> None:
    assert all(taken(lambda text=text: case.search(text)) < PROMPT for text in hostile(case.pattern))


@pytest.mark.parametrize("program", [OPTIMIZER, TARGET])
def test_a_program_of_empty_lines(program: str) -> None:
    recording = run(program + "\n" * LONG + "print()").recording
    assert recording is not None
    assert taken(lambda: findings(recording)) < 2


def test_an_error_whose_words_are_the_programs() -> None:
    recording = run(REFUSED % 3_000).recording
    assert recording is not None
    assert taken(lambda: findings(recording)) < PROMPT


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (_HEADER_END, "for i in (1," + " " * LONG + "2"),
        (_HEADER_END, ": " * LONG + "x"),
        (_COMMENT, "gradtape: ignore[" * LONG),
    ],
)
def test_a_line(pattern: re.Pattern[str], text: str) -> None:
    assert taken(lambda: pattern.sub("", text)) < PROMPT


@pytest.mark.parametrize(
    "text",
    [
        ("<img " + "src=attachment:" * 66 + "a" * 1_500 + "\n") * 25,
        "<img src=attachment:" * 3_000,
        "![](" * 15_000,
        "![](a " * 10_000,
    ],
)
def test_a_notebooks_note(text: str) -> None:
    assert taken(lambda: markdown(Note(0, text))) < PROMPT


def test_a_picture_is_found_as_before() -> None:
    assert markdown(Note(0, "a <img width=3 src='attachment:b.png' alt=\"b\"> c")) == "a *a picture that is not kept here* c"
    assert markdown(Note(0, '![w](https://a.b/c.png "title")')) == "[w](https://a.b/c.png)"
