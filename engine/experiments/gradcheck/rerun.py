"""Runs a program again, in float64, with one thing changed: what a numerical check is made of.

The first run is the program as it is, under a recorder, so that tensors and nodes get the numbers they have in the recording.
All others are in float64 (what is float32 in the program) and take the same random numbers, in the same precision. A run is
followed by counting what it reports: the n-th operation of one run is the n-th of every other.

What autograd takes for a constant is one here, too: from the nudge on, results that need no gradient (`detach`, `no_grad`,
`torch.tensor(x.item())`) are held at their values of the run without a nudge.
"""

from __future__ import annotations

import io
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from zlib import crc32

import numpy as np

from ... import dtypes
from ...context import context, observed
from ...itself import engine
from ...nn import recurrent
from ...ops.creation.random import default_generator
from ...recording.recorder import Recorder
from ...rng import Stream
from ...tensor import Tensor

Array = np.ndarray[Any, Any]
SEED = 0
FLOAT32, FLOAT64 = np.dtype(np.float32), np.dtype(np.float64)


class Enough(BaseException):
    """A run has told what was asked of it."""


class Misled(Exception):
    """A run did other things than the first one."""


@dataclass
class Call:
    """One thing that the program did, as the first run saw it."""

    name: str
    made: tuple[int, ...]
    """Ids of the tensors it made."""
    node: int = -1
    in_place: bool = False
    event: int = -1
    """Which of the recording's operations it is. Ids differ from run to run with when the log is written up; this does not."""


class First(Recorder):
    """Records the program as it is, up to the end of one backward pass."""

    def __init__(self, program: dict[str, int], number: int) -> None:
        super().__init__(program)
        self.number = number
        self.done = False
        self.calls: list[Call] = []
        self.noted = 0
        """How many of the calls are events of the recording."""
        self.digest = 0
        """Of their names, up to the beginning of the pass."""
        self.before = 0
        """How many there were at the beginning of the pass."""

    def op(self, op: Any, arguments: tuple[Any, ...], result: Any, node: Any) -> None:
        """An operation ran."""
        super().op(op, arguments, result, node)
        tensors = result if isinstance(result, list) else (result,)
        made = tuple(self.known(t) for t in tensors)
        self._called(Call(op.name, made, -1 if node is None else self.known(node), event=self.noted))

    def wrote(self, op: Any, arguments: tuple[Any, ...], tensor: Any, node: Any) -> None:
        """An operation wrote in place."""
        # Of a `.grad` that the program has never held, a recording only says that it changed.
        unseen = id(tensor) in self._grads and self.known(tensor) < 0
        super().wrote(op, arguments, tensor, node)
        self._called(Call(op.name, (self.known(tensor),), in_place=True, event=-1 if unseen else self.noted))

    def _called(self, call: Call) -> None:
        if self.done:
            raise Enough  # the program caught it before
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
            raise Enough


class Watch:
    """Follows a run in float64. What nobody asks for is not noted."""

    count = 0
    """Of events, of which there are none here."""
    printed = warned = bind = read = flag_set = grad_set = hook_ran = stepped = accumulated = lambda *_, **__: None
    module_began = module_ended = lambda *_, **__: None

    def __init__(self, calls: list[Call], number: int) -> None:
        self.calls, self.number = calls, number
        self.program: dict[str, int] = {}
        """File names of the program's code, by which errors are placed."""
        self.at = -1
        self.done = False
        self.passes = 0
        self.running: list[int] = []

    def place(self) -> tuple[Any, ...]:
        """Where the program is does not matter."""
        return ()

    def op(self, op: Any, arguments: tuple[Any, ...], result: Any, node: Any) -> None:
        """An operation ran: what is float32 becomes float64."""
        tensors = result if isinstance(result, list) else (result,)
        for t in tensors:
            if t._array.dtype == FLOAT32:
                t._array = t._array.astype(FLOAT64)
        if node is not None and getattr(node, "dtype", None) == FLOAT32:
            node.dtype = FLOAT64
        self.step(op, arguments, tensors, node, False)

    def wrote(self, op: Any, arguments: tuple[Any, ...], tensor: Any, node: Any) -> None:
        """An operation wrote in place."""
        self.step(op, arguments, (tensor,), node, True)

    def step(self, op: Any, arguments: tuple[Any, ...], tensors: Any, node: Any, in_place: bool) -> None:
        """Count, and see that the run does what the first one did."""
        if self.done:
            raise Enough  # the program caught it before
        self.at += 1
        if self.at >= len(self.calls) or self.calls[self.at].name != op.name:
            raise Misled
        self.called(self.at, op, arguments, tensors, node, in_place)

    def called(self, at: int, op: Any, arguments: tuple[Any, ...], tensors: Any, node: Any, in_place: bool) -> None:
        """What is done after each call."""

    def backward_began(self, roots: Any, retain_graph: bool, create_graph: bool, inputs: Any, via: str) -> None:
        """A backward pass began."""
        self.passes += 1
        self.running.append(self.passes)
        if self.passes == self.number:
            self.began(roots)

    def began(self, roots: Any) -> None:
        """The backward pass in question began."""

    def node_ran(self, node: Any, received: tuple[Any, ...], raw: tuple[Any, ...], sent: Any) -> None:
        """A node's rule ran."""

    def backward_ended(self, retain_graph: bool, error: BaseException | None) -> None:
        """A pass ended."""
        if self.running.pop() == self.number and error is None:
            self.done = True
            raise Enough


@dataclass
class Nudge:
    """What is changed in a run: elements of a tensor, after a call."""

    tensor: tuple[int, int]
    """The call that makes it, and which of the call's results it is."""
    after: int
    """The call after which it is nudged: the last one before the pass's graph begins to use it."""
    by: Array


@dataclass
class Kept:
    """What the run without a nudge leaves for those with one."""

    constants: dict[tuple[int, int], Array] = field(default_factory=dict)
    sent: list[tuple[Array | None, ...]] = field(default_factory=list)
    """The gradients of earlier passes, in order, which are constants of later ones."""
    weights: list[Array] = field(default_factory=list)
    """What the roots are weighted with."""
    size: int = 0


def array_of(g: Any) -> Any:
    """The array of a gradient, which may be a tensor."""
    return g._array if isinstance(g, Tensor) else g


class Nudged(Watch):
    """A run up to the root of a pass, with one tensor nudged, and constants held; its result is the root's value."""

    def __init__(self, calls: list[Call], number: int, kept: Kept, nudge: Nudge | None) -> None:
        super().__init__(calls, number)
        self.kept, self.nudge = kept, nudge
        self.target: Any = None
        self.value = np.nan
        self.sends = 0
        self.pending = False

    def called(self, at: int, op: Any, arguments: tuple[Any, ...], tensors: Any, node: Any, in_place: bool) -> None:
        """Hold constants after the nudge; make the nudge when it is time."""
        nudge = self.nudge
        if nudge is None:
            return
        if at > nudge.after:
            for k, t in enumerate(tensors):
                constant = self.kept.constants.get((at, k))
                if constant is not None and not t._needs and constant.shape == t._array.shape:
                    if in_place:
                        np.copyto(t._array, constant)
                    elif not np.array_equal(t._array, constant, equal_nan=constant.dtype.kind == "f"):
                        t._array = constant.copy()
        if at == nudge.tensor[0] and not in_place:
            self.target = tensors[nudge.tensor[1]]
        if at == nudge.after and self.target is not None:
            self.target._array = np.asarray(self.target._array + nudge.by)

    def node_ran(self, node: Any, received: tuple[Any, ...], raw: tuple[Any, ...], sent: Any) -> None:
        """Gradients of earlier passes are constants, unless they have a graph of their own."""
        if self.nudge is None or self.sends >= len(self.kept.sent):
            return
        constants = self.kept.sent[self.sends]
        self.sends += 1
        for g, constant in zip(sent, constants, strict=False):
            if isinstance(g, np.ndarray) and constant is not None and g.shape == constant.shape and g.flags.writeable:
                np.copyto(g, constant)

    def began(self, roots: Any) -> None:
        """The root's value is all that is asked for."""
        weights = self.kept.weights or [array_of(g) for _, _, g in roots]
        self.value = float(sum((t._array * g).sum() for (t, _, _), g in zip(roots, weights, strict=True)))
        self.done = True
        raise Enough


class Draws:
    """Random numbers in every run as in the first one: with the precision they had there, whatever the dtype is now."""

    NAMES = ("uniform", "between", "normal")

    def __init__(self) -> None:
        self.log: list[Any] = []
        self.first = True
        self.at = 0
        self._depth = 0
        for name in self.NAMES:
            setattr(Stream, name, self._patched(getattr(Stream, name)))

    def _patched(self, original: Callable[..., Array]) -> Callable[..., Array]:
        def drawn(stream: Stream, *arguments: Any) -> Array:
            if self._depth:
                return original(stream, *arguments)
            self._depth += 1
            try:
                *others, dtype = arguments
                wanted = np.dtype(dtype)
                if self.first:
                    self.log.append(wanted)
                    return original(stream, *arguments)
                was = self.log[self.at] if self.at < len(self.log) else wanted
                self.at += 1
                return original(stream, *others, was).astype(wanted, copy=False)
            finally:
                self._depth -= 1

        return drawn

    @contextmanager
    def aside(self) -> Iterator[None]:
        """What is drawn in the block is not part of the run."""
        state, at = default_generator.stream.state(), self.at
        try:
            yield
        finally:
            default_generator.stream.restore(state)
            self.at = at


class Null(io.TextIOBase):
    """Takes what the program prints."""

    encoding = "utf-8"

    def writable(self) -> bool:
        """Always."""
        return True

    def write(self, text: str) -> int:
        """Forget it."""
        return len(text)


def in_double() -> None:
    """From now on, what programs call float32 has the precision of float64."""
    dtypes.float32.numpy = FLOAT64
    dtypes.OF_NUMPY[FLOAT64] = dtypes.float32
    # It asks NumPy's dtype which operations to use.
    vars(recurrent)["whole_layers"] = lambda given, states: given._array.size > 0


@dataclass
class Program:
    """The compiled program, which can be run any number of times."""

    cells: list[Any]
    namespace: Callable[[], dict[str, Any]]
    files: dict[str, int]
    tape: Any
    draws: Draws
    runs: int = 0

    def run(self, observer: Any) -> None:
        """One run under an observer, which ends it by `Enough` or lets it come to its end."""
        self.runs += 1
        self.draws.at = 0
        self.draws.first = isinstance(observer, First)
        observer.program = self.files
        self.tape.recorder = observer
        self.tape.loops.clear()
        dtypes.set_default_dtype(dtypes.float32)
        engine.manual_seed(SEED)
        random.seed(SEED)
        np.random.seed(SEED)
        context.grad, context.inference, context.linked, context.writing = True, False, None, None
        namespace = self.namespace()
        try:
            with observed(observer):
                for cell in self.cells:
                    exec(cell, namespace)
        except BaseException:
            if not observer.done:
                raise
        finally:
            context.observer = None
