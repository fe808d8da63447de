"""Runs a program again and again, and follows each run: what every experiment is made of.

The first run is the program as it is, under a recorder, so that tensors and nodes get the numbers they have in the recording.
The others are followed by counting what they report: the n-th operation of one run is the n-th of every other.
"""

from __future__ import annotations

import io
import math
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from zlib import crc32

import numpy as np

from .. import dtypes
from ..context import context, observed
from ..itself import engine
from ..recording.recorder import Recorder
from ..tensor import Tensor, gradient_edge

SEED = 0


class Finished(BaseException):
    """A run has told what was asked of it."""


class Diverged(Exception):
    """A run did other things than the first one."""


@dataclass
class Call:
    """One thing that the program did, as the first run saw it."""

    name: str
    results: tuple[int, ...]
    """Ids of the tensors it made."""
    node: int = -1
    in_place: bool = False
    event: int = -1
    """Which of the recording's operations it is. Ids differ from run to run with when the log is written up; this does not."""


class Baseline(Recorder):
    """Records the program as it is, up to the end of one backward pass."""

    def __init__(self, program: dict[str, int], number: int) -> None:
        super().__init__(program)
        self.number = number
        self.done = False
        self.calls: list[Call] = []
        self.noted = 0
        """How many of the calls are events of the recording."""
        self.digest = 0
        """A checksum of the calls' names, up to the beginning of the pass."""
        self.before = 0
        """How many calls there were at the beginning of the pass."""

    def op(self, op: Any, arguments: tuple[Any, ...], result: Any, node: Any) -> None:
        """An operation ran."""
        super().op(op, arguments, result, node)
        tensors = result if isinstance(result, list) else (result,)
        made = tuple(self.known(t) for t in tensors)
        self._called(Call(op.name, made, -1 if node is None else self.known(node), event=self.noted))

    def wrote(self, op: Any, arguments: tuple[Any, ...], tensor: Any, node: Any) -> None:
        """An operation wrote in place."""
        # Of a `.grad` that the program has never held, a recording only says that it changed.
        unseen = self.owner_of(tensor) >= 0 and self.known(tensor) < 0
        super().wrote(op, arguments, tensor, node)
        self._called(Call(op.name, (self.known(tensor),), in_place=True, event=-1 if unseen else self.noted))

    def _called(self, call: Call) -> None:
        if self.done:
            raise Finished  # the program caught it before
        self.calls.append(call)
        if call.event >= 0:
            self.noted += 1
            if self._passes < self.number:
                self.digest, self.before = crc32(call.name.encode(), self.digest), self.noted

    def backward_ended(self, retain_graph: bool, error: BaseException | None) -> None:
        """A pass ended; the one in question is the last thing of interest."""
        ended = self._running[-1]
        super().backward_ended(retain_graph, error)
        if ended == self.number and error is None:
            self.done = True
            raise Finished


class Follower:
    """Follows a run up to the end of one backward pass. What is not asked for is not noted."""

    count = 0
    """How many events there are: none, since nothing is recorded here."""
    printed = warned = bind = placed = read = flag_set = grad_set = hook_ran = stepped = accumulated = lambda *_, **__: None
    bound = loops = turned = module_began = module_ended = lambda *_, **__: None

    def __init__(self, calls: list[Call], number: int, until: float = math.inf) -> None:
        """Follow up to the end of backward pass `number`, counted from 1, a run that must make the same `calls` as the first
        one `until` the last of these."""
        self.calls, self.number, self.until = calls, number, until
        self.program: dict[str, int] = {}
        """File names of the program's code, by which errors are placed."""
        self.at = -1
        self.done = False
        self.passes = 0
        self.running: list[int] = []
        self.edges: dict[tuple[int, int], list[int]] = {}
        """id() of a node and its input → those whose gradient arrives there."""
        self.alive: list[Any] = []
        """What must not go while its id() is known."""

    def position(self) -> tuple[Any, ...]:
        """Where the program is does not matter."""
        return ()

    # --- forward ------------------------------------------------------------------------------------------------------------

    def op(self, op: Any, arguments: tuple[Any, ...], result: Any, node: Any) -> None:
        """An operation ran."""
        self.step(op, arguments, result if isinstance(result, list) else (result,), node, False)

    def wrote(self, op: Any, arguments: tuple[Any, ...], tensor: Any, node: Any) -> None:
        """An operation wrote in place."""
        self.step(op, arguments, (tensor,), node, True)

    def step(self, op: Any, arguments: tuple[Any, ...], tensors: Any, node: Any, in_place: bool) -> None:
        """Count, and see that the run does what the first one did."""
        if self.done:
            raise Finished  # the program caught it before
        self.at = at = self.at + 1
        if at <= self.until and (at >= len(self.calls) or self.calls[at].name != op.name):
            raise Diverged
        self.called(at, op, arguments, tensors, node, in_place)

    def called(self, at: int, op: Any, arguments: tuple[Any, ...], tensors: Any, node: Any, in_place: bool) -> None:
        """What is done after each call."""

    # --- backward -----------------------------------------------------------------------------------------------------------

    def backward_began(self, roots: Any, retain_graph: bool, create_graph: bool, inputs: Any, via: str) -> None:
        """A backward pass began."""
        self.passes += 1
        self.running.append(self.passes)
        if self.in_question():
            self.began(roots)

    def in_question(self) -> bool:
        """Whether the pass that has just begun is one that is looked at."""
        return self.passes == self.number

    def began(self, roots: Any) -> None:
        """The backward pass in question began."""

    def node_ran(self, node: Any, received: tuple[Any, ...], raw: tuple[Any, ...], sent: Any) -> None:
        """A node's rule ran."""

    def backward_ended(self, retain_graph: bool, error: BaseException | None) -> None:
        """A pass ended."""
        if self.running.pop() == self.number and error is None:
            self.done = True
            raise Finished

    @property
    def under_way(self) -> bool:
        """Whether the pass in question is under way, and no other within it."""
        return bool(self.running) and self.running[-1] == self.number

    # --- gradients of tensors -----------------------------------------------------------------------------------------------

    def expect(self, tensor: Tensor, key: int) -> None:
        """Have `arrived` called with `key` for each gradient that arrives at a tensor from now on."""
        node, output = gradient_edge(tensor)
        self.alive.append(node)
        self.edges.setdefault((id(node), output), []).append(key)

    def sent_to(self, targets: Any, gradients: Any) -> None:
        """Gradients are on their way to edges."""
        for (node, output), g in zip(targets, gradients, strict=True):
            if node is not None and g is not None:
                for key in self.edges.get((id(node), output), ()):
                    self.arrived(key, array_of(g))

    def arrived(self, key: int, g: Any) -> None:
        """A gradient arrived at a tensor that is looked at; several add up."""


def array_of(g: Any) -> Any:
    """The array of a gradient, which may be a tensor."""
    return g._array if isinstance(g, Tensor) else g


def root_of(roots: Any) -> float:
    """The root's value: what the pass starts from, weighted with the gradients that it starts with."""
    return float(sum((t._array * array_of(g)).sum() for t, _, g in roots))


class Null(io.TextIOBase):
    """Takes what the program prints."""

    encoding = "utf-8"

    def writable(self) -> bool:
        """Always."""
        return True

    def write(self, text: str) -> int:
        """Forget it."""
        return len(text)


@dataclass
class Program:
    """The compiled program, which can be run any number of times."""

    cells: list[Any]
    namespace: dict[str, Any]
    """What it finds at its beginning, each time anew."""
    files: dict[str, int]
    tape: Any
    begins: Callable[[bool], None] = lambda first: None
    """Told that a run begins, and whether it is the first one."""
    anew: Callable[[], None] = lambda: None
    """Gives it its files and modules anew."""
    runs: int = 0

    def run(self, observer: Any) -> None:
        """One run under an observer, which ends it by `Finished` or lets it come to its end."""
        self.runs += 1
        self.begins(isinstance(observer, Baseline))
        self.anew()
        if isinstance(observer, Follower):
            observer.program = self.files
        self.tape.recorder = observer
        self.tape.loops.clear()
        dtypes.set_default_dtype(dtypes.float32)
        engine.manual_seed(SEED)
        random.seed(SEED)
        np.random.seed(SEED)
        context.grad, context.inference, context.linked, context.writing = True, False, None, None
        namespace = dict(self.namespace)
        try:
            with observed(observer):
                for cell in self.cells:
                    exec(cell, namespace)
        except BaseException:
            if not observer.done:
                raise
        finally:
            context.observer = None
