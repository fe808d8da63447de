"""Loops of code whose text is not changed."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from engine.recording.events import OpRan

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


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="lines are told of by sys.monitoring")
def test_of_a_node_that_tells_what_it_did_python_tells_once(torch: ModuleType) -> None:
    """A trace function is told of whatever Python function is called, and for that Python copies its variables."""
    from engine.pytorch import record

    told: list[str] = []

    def counted(frame: Any, event: str, _: Any) -> None:
        if "pytorch" in Path(frame.f_code.co_filename).parts or frame.f_code.co_name == "remove":
            told.append(frame.f_code.co_name)

    def of_a_pass(length: int) -> int:
        value = torch.ones(2, requires_grad=True)
        for _ in range(length):
            value = value * 2
        loss = value.sum()
        told.clear()
        loss.backward()
        return len(told)

    before = sys.gettrace()
    sys.settrace(None)
    try:
        with record() as session:
            assert session.recorder is not None
            codes = session.recorder.codes
            ours, codes.trace = codes.trace, counted
            sys.settrace(counted)
            try:
                short, long = of_a_pass(5), of_a_pass(25)
                assert sys.gettrace() is counted
            finally:
                sys.settrace(ours)
                codes.trace = ours
        assert ours is not None
        assert long - short == 20
    finally:
        sys.settrace(before)


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="lines are told of by sys.monitoring")
def test_python_tells_of_none_of_the_calls_in_which_gradients_are_taken_away(torch: ModuleType) -> None:
    from engine.pytorch import record

    told: list[str] = []

    def counted(frame: Any, event: str, _: Any) -> None:
        told.append(frame.f_code.co_name)

    def of_parameters(count: int) -> int:
        optimizer = torch.optim.SGD([torch.ones(2, requires_grad=True) for _ in range(count)])
        for p in optimizer.param_groups[0]["params"]:
            p.grad = torch.ones(2)
        told.clear()
        optimizer.zero_grad()
        return len(told)

    before = sys.gettrace()
    sys.settrace(None)
    try:
        with record() as session:
            assert session.recorder is not None
            codes = session.recorder.codes
            ours, codes.trace = codes.trace, counted
            sys.settrace(counted)
            try:
                few, many = of_parameters(2), of_parameters(22)
                assert sys.gettrace() is counted
            finally:
                sys.settrace(ours)
                codes.trace = ours
        assert few == many
    finally:
        sys.settrace(before)


def test_a_function_that_pytorch_calls_has_its_loops(torch: ModuleType, tmp_path: Path) -> None:
    """Not told of are calls of PyTorch's that call none of the program's code; those that are given some, and passes, may."""
    from engine.pytorch import record

    path = tmp_path / "program.py"
    path.write_text(CALLED)
    names: dict[str, Any] = {"torch": torch}
    exec(compile(CALLED, str(path), "exec"), names)
    session = record()
    session.begin(sys._getframe(), tmp_path)
    try:
        names["train"]()
    finally:
        session.end()
    tape = session.recording
    lines = CALLED.splitlines()
    marked = {lines.index(line) + 1 for line in lines if "# here" in line}
    seen = {
        (tape.line(event), tape.scopes[event.scope].loops[-1][1])
        for event in tape.events
        if isinstance(event, OpRan) and tape.line(event) in marked
    }
    assert seen == {(line, k) for line in marked for k in range(2)}


CALLED = """
def distance(a, b):
    total = 0
    for _ in range(2):
        total = total + (a - b).abs().sum(-1)  # here
    return total


class Doubled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return halved(g)


def halved(g):
    for _ in range(2):
        g = g * 0.5
    return g


def changed(g):
    for _ in range(2):
        g = g * 0.5  # here
    return g


def train():
    a = torch.randn(3, 4, requires_grad=True)
    loss = torch.nn.functional.triplet_margin_with_distance_loss(a, a * 2, a * 3, distance_function=distance)
    b = Doubled.apply(a)
    b.register_hook(changed)
    (loss + b.sum()).backward()
"""


def test_what_a_loader_does_when_there_is_nothing_more_is_no_iteration(torch: ModuleType) -> None:
    from engine.graph.rolled_graph import rolled_graph
    from engine.pytorch import record

    w = torch.ones(2, requires_grad=True)
    data = torch.utils.data.TensorDataset(torch.randn(12, 2))
    loader = torch.utils.data.DataLoader(data, 4, shuffle=True)  # whose sampler draws a last order that nobody asks for
    with record() as session:
        for _ in range(2):
            for (x,) in loader:
                (w * x).sum().backward()
    assert session.recording is not None
    view = rolled_graph(session.recording)
    assert len(view.iterations) == 6
    assert {a["seen"] for _, a in view.graph.nodes(data=True) if a["title"] == "x"} == {6}
