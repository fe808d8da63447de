"""Watching operations to measure them: what watches already goes on doing so."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, NamedTuple

from ..context import context


class Span(NamedTuple):
    """Something that took time: its name, when it began, how long it took, in microseconds, and the part that was its own."""

    name: str
    began: float
    total: float
    own: float
    inputs: tuple[tuple[int, ...], ...] = ()


def now() -> float:
    """The time in microseconds."""
    return time.perf_counter_ns() / 1000


class Watching:
    """An observer that measures operations, and tells the one that was there before."""

    def __init__(self, before: Any) -> None:
        self.before = before
        self.spans: list[Span] = []
        self.marked: list[list[Any]] = []
        """Of the blocks that are open: name, beginning, and how long operations in them took."""
        self._last = now()

    def op(self, op: Any, arguments: tuple[Any, ...], result: Any, node: Any) -> None:
        """An operation ran: it took the time since the last one, as far as its block has been open."""
        self._ran(f"aten::{op.name}", arguments)
        if self.before is not None:
            self.before.op(op, arguments, result, node)
        self._last = now()

    def wrote(self, op: Any, arguments: tuple[Any, ...], tensor: Any, node: Any) -> None:
        """An operation ran in place."""
        name = op.name if op.name.endswith("_") else f"{op.name}_"
        self._ran(f"aten::{name}", arguments)
        if self.before is not None:
            self.before.wrote(op, arguments, tensor, node)
        self._last = now()

    def _ran(self, name: str, arguments: tuple[Any, ...]) -> None:
        took = now() - self._last
        for block in self.marked:
            block[2] += took
        shapes = tuple(tuple(x.shape) for x in arguments if hasattr(x, "_array"))
        self.spans.append(Span(name, self._last, took, took, shapes))

    def node_ran(self, node: Any, received: Any, raw: Any, sent: Any) -> None:
        """A node's rule ran."""
        self._ran(type(node).__name__, ())
        if self.before is not None:
            self.before.node_ran(node, received, raw, sent)
        self._last = now()

    def begin(self, name: str) -> None:
        """A block begins."""
        self._last = now()
        self.marked.append([name, self._last, 0.0])

    def end(self) -> None:
        """The innermost block ends."""
        name, began, inside = self.marked.pop()
        total = now() - began
        self.spans.append(Span(name, began, total, total - inside))
        self._last = now()

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if self.before is None:
            return lambda *_, **__: None
        found: Callable[..., Any] = getattr(self.before, name)
        return found


_open: list[Watching] = []
"""Those that are measuring, the innermost last."""


def begin() -> Watching:
    """Begin to measure."""
    watching = Watching(context.observer)
    context.observer = watching
    _open.append(watching)
    return watching


def end(watching: Watching) -> None:
    """Measure no more."""
    while watching.marked:
        watching.end()
    if watching in _open:
        _open.remove(watching)
    context.observer = watching.before


class record_function:  # noqa: N801
    """A block, or a function that it decorates, under a name of its own in what is measured."""

    _within: list[Watching | None] = []

    def __init__(self, name: str, args: str | None = None) -> None:
        self.name, self.args = name, args
        self._within = []

    def __enter__(self) -> record_function:
        self._within.append(_open[-1] if _open else None)
        if self._within[-1] is not None:
            self._within[-1].begin(self.name)
        return self

    def __exit__(self, *_: object) -> None:
        watching = self._within.pop()
        if watching is not None and watching.marked:
            watching.end()

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def recorded(*args: Any, **kwargs: Any) -> Any:
            with self:
                return function(*args, **kwargs)

        recorded.__name__ = getattr(function, "__name__", "recorded")
        return recorded


record_function.__module__ = "torch.autograd.profiler"
