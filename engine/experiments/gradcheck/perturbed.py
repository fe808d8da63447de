"""A run in float64 with one thing changed: what a numerical check is made of.

All runs but the first are in float64 (what is float32 in the program) and take the same random numbers, in the same precision.

What autograd takes for a constant is one here, too: from the nudge on, results that need no gradient (`detach`, `no_grad`,
`torch.tensor(x.item())`) are held at their values of the run without a nudge.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ... import dtypes
from ...nn import recurrent
from ...ops.creation.generator import default_generator
from ...rng import Stream
from ..rerun import Call, Finished, Follower, array_of

Array = np.ndarray[Any, Any]
FLOAT32, FLOAT64 = np.dtype(np.float32), np.dtype(np.float64)


class DoubleFollower(Follower):
    """Follows a run in float64."""

    def op(self, op: Any, arguments: tuple[Any, ...], result: Any, node: Any) -> None:
        """An operation ran: what is float32 becomes float64."""
        for t in result if isinstance(result, list) else (result,):
            if t._array.dtype == FLOAT32:
                t._array = t._array.astype(FLOAT64)
        if node is not None and getattr(node, "dtype", None) == FLOAT32:
            node.dtype = FLOAT64
        super().op(op, arguments, result, node)


@dataclass
class Perturbation:
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


class Perturbed(DoubleFollower):
    """A run up to the root of a pass, with one tensor nudged, and constants held; its result is the root's value."""

    def __init__(self, calls: list[Call], number: int, kept: Kept, nudge: Perturbation | None) -> None:
        super().__init__(calls, number)
        self.kept, self.nudge = kept, nudge
        self.target: Any = None
        self.value = np.nan
        self.sends = 0

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
                    elif not np.array_equal(t._array, constant, equal_nan=constant.dtype.kind in dtypes.INEXACT):
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
        raise Finished


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

    def begin(self, first: bool) -> None:
        """A run begins."""
        self.at, self.first = 0, first

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
        state, at = default_generator._stream.state(), self.at
        try:
            yield
        finally:
            default_generator._stream.restore(state)
            self.at = at


def in_double() -> None:
    """From now on, what programs call float32 has the precision of float64."""
    dtypes.float32._numpy = FLOAT64
    dtypes.OF_NUMPY[FLOAT64] = dtypes.float32
    # It asks NumPy's dtype which operations to use.
    vars(recurrent)["whole_layers"] = lambda given, states: given._array.size > 0
