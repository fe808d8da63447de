"""Loops of code whose text is not changed."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

PROGRAM = """
def nested(at):
    for a in range(2):
        for b in range(2):
            at()

def left(at):
    for a in range(3):
        at()
        if a == 1:
            break
    at()
    k = 0
    while k < 2:
        k += 1
        at()
    while True:
        k += 1
        at()
        if k > 3:
            return

def one_line(at):
    for a in range(2): at()

def skipped(at):
    for a in range(3):
        if a == 1:
            continue
        at()
    else:
        at()

def calls(at):
    for a in range(2):
        inner(at)

def inner(at):
    for b in range(2):
        at()

def generated(at):
    for x in numbers(at):
        at()

def numbers(at):
    for n in range(2):
        at()
        yield n

def fails(at):
    for a in range(2):
        try:
            broken(at)
        except ValueError:
            pass
        at()

def broken(at):
    for b in range(2):
        at()
        raise ValueError
"""
EXPECTED = {
    "nested": [(0, 0), (0, 1), (1, 0), (1, 1)],
    "left": [(0,), (1,), (), (0,), (1,), (0,), (1,)],
    "one_line": [(0,), (1,)],
    "skipped": [(0,), (2,), ()],
    "calls": [(0, 0), (0, 1), (1, 0), (1, 1)],
    "fails": [(0, 0), (0,), (1, 0), (1,)],
}


@pytest.mark.parametrize("name", EXPECTED)
def test_iterations_are_counted(tmp_path: Path, name: str) -> None:
    from engine.pytorch.loops import loops_of
    from engine.pytorch.project import ProjectCodes

    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    names: dict[str, Any] = {}
    exec(compile(PROGRAM, str(path), "exec"), names)
    now: list[Any] = [((), ())]
    seen: list[tuple[int, ...]] = []
    function: Callable[[Callable[[], None]], None] = names[name]
    with loops_of(ProjectCodes(tmp_path, str(path)), lambda nest: now.__setitem__(0, nest), sys._getframe()) as can:
        assert can
        function(lambda: seen.append(now[0][1]))
    assert seen == EXPECTED[name]
    assert sys.gettrace() is None or sys.version_info >= (3, 12)


def test_generators_are_within_the_loop_that_asks(tmp_path: Path) -> None:
    from engine.pytorch.loops import loops_of
    from engine.pytorch.project import ProjectCodes

    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    names: dict[str, Any] = {}
    exec(compile(PROGRAM, str(path), "exec"), names)
    now: list[Any] = [((), ())]
    seen: list[Any] = []
    with loops_of(ProjectCodes(tmp_path, str(path)), lambda nest: now.__setitem__(0, nest), sys._getframe()):
        names["generated"](lambda: seen.append(now[0][1][0]))
    assert seen == [0, 0, 1, 1]


def test_a_debugger_is_left_alone(tmp_path: Path) -> None:
    from engine.pytorch.loops import loops_of
    from engine.pytorch.project import ProjectCodes

    def debugger(*_: Any) -> None:
        return None

    before = sys.gettrace()
    sys.settrace(debugger)
    try:
        with loops_of(ProjectCodes(tmp_path, "program.py"), lambda nest: None, sys._getframe()) as can:
            assert can == (sys.version_info >= (3, 12))
            assert sys.gettrace() is debugger
    finally:
        sys.settrace(before)
