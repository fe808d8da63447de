"""The child's side of a sweep: one program at many points, each a run of its own up to the end of one backward pass.

An element of a leaf is set right before the pass's graph begins to use the leaf; a literal has another value from the start.
Everything else is the program as it is, in its own precision, with the same random numbers at every point.
"""

from __future__ import annotations

import ast
import os
import sys
import time
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...context import context
from ...program.parsing import Lines
from ...recording.bounded_text import said
from ...recording.index import index_of
from ...sandbox.instrument import TAPE, instrument
from ...sandbox.parse import parsed
from ...sandbox.processes.child import Run
from ...sandbox.system import timer
from ...sandbox.tracer import file_name
from ...sandbox.transport.frames import POINTS, REPLY
from ...sandbox.transport.messages import Job, encode
from ...tensor import gradient_edge
from ..gradcheck.perturbation_points import Targets
from ..gradcheck.rerun import Call, Draws, Enough, First, Misled, Null, Program, array_of
from .messages import LAST, MAX_TEXT, NONE, Leaf, Literal, Point, SweepReply, SweepRequest
from .path import last_pass, loss_of, path

EVERY = 0.1
"""Seconds between the messages that carry points."""
SHARE = 0.5
"""Of the time, after which no new point begins: whoever asked can ask again for the rest."""
TO_THE_END = 2**62
"""The number of a backward pass that no program has."""


class SweepRun(Run):
    """One request."""

    def __init__(self, job: Job, out: int) -> None:
        super().__init__(job, out)
        assert job.sweep is not None
        self.request: SweepRequest = job.sweep
        self.tape.send = lambda: None  # type: ignore[method-assign]
        self.found: list[Point] = []
        self.under_way = -1
        self.last = self.began
        self.reply = SweepReply("ok")

    def go(self) -> None:
        """Run all points, or as many as there is time for, and reply."""
        self._prepare()
        sys.stdout = sys.stderr = Null()
        warnings.showwarning = lambda *_, **__: None
        try:
            self._sweep()
        except MemoryError:
            self.reply = SweepReply("memory", "the sweep needed more memory than it may use")
        except BaseException as error:
            context.observer = None
            explained = self._explain(error)
            self.reply = SweepReply("error", _short(f"{explained.type}: {said(error)}"), explained.line)
        timer.stop()
        self._end()

    def _end(self) -> None:
        context.observer = None
        self._pass_on()
        self.tape.frame(REPLY, encode(self.reply))

    def _pass_on(self) -> None:
        points, self.found = self.found, []
        self.last = time.monotonic()
        if points:
            self.tape.frame(POINTS, encode(points))

    def _stop(self, status: str, message: str) -> None:
        """Nothing that is counted here can become too much."""

    def _time_is_up(self, _: int, frame: Any) -> None:
        if self.tape.writing:
            self.tape.late = lambda: self._time_is_up(0, frame)
            return
        self.tape.late = None
        message = f"stopped after {self.job.limits.seconds:g} seconds"
        if self.under_way >= 0:
            self.found.append(Point(self.under_way, np.nan, error=message))
        else:
            self.reply = SweepReply("timeout", message)
        self._end()
        os._exit(0)

    # --- the sweep ----------------------------------------------------------------------------------------------------------

    def _sweep(self) -> None:
        request, fresh = self.request, dict(self.namespace)
        files = {file_name(self.job, cell): cell for cell in range(len(self.job.cells))}
        values: list[Any] = [None] * len(request.axes)
        self.tape.axis = lambda axis, own: own if values[axis] is None else values[axis]  # type: ignore[attr-defined]
        program = Program(self._compiled(), lambda: dict(fresh), files, self.tape, Unchanged())
        first = First(files, TO_THE_END if request.path or request.number <= NONE else request.number)
        error: BaseException | None = None
        try:
            program.run(first)
        except MemoryError:
            raise
        except BaseException as raised:  # perhaps after the pass in question
            error = raised
        recording = first.recording(self.job.cells)
        if error is not None and not 0 < request.number <= last_pass(recording):
            raise error
        leaves = _targets(request, first.calls, recording)
        if isinstance(leaves, str):
            self.reply = SweepReply("missing", leaves)
            return
        number = last_pass(recording) if request.number == LAST else request.number
        seconds = time.monotonic() - self.began
        spots = path(recording, [None if leaf is None else (leaf.tensor, leaf.element) for leaf in leaves])
        loss = loss_of(recording, number)
        self.reply = SweepReply("ok", "", 0, loss, tuple(spots) if request.path else (), seconds)
        del recording
        for place, point in enumerate(request.points):
            now = time.monotonic()
            if now - self.began > SHARE * self.job.limits.seconds:
                break
            if now - self.last > EVERY:
                self._pass_on()
            values[:] = point
            self.under_way = place
            found = self._point(program, place, Swept(first.calls, request.number, leaves, point))
            self.under_way = -1
            self.found.append(found)

    def _point(self, program: Program, place: int, watch: Swept) -> Point:
        """One run."""
        try:
            program.run(watch)
        except MemoryError:
            return Point(place, np.nan, error="needs more memory than it may use")
        except Misled:
            return Point(place, np.nan, error="does other things before the leaf is made")
        except BaseException as error:
            return Point(place, np.nan, error=_short(f"{type(error).__name__}: {said(error)}"))
        if watch.value is None:
            return Point(place, np.nan, error="does not come to the backward pass")
        return Point(place, watch.value, tuple(watch.gradient(k) for k in range(len(watch.leaves))))

    def _compiled(self) -> list[Any]:
        codes = []
        for cell, text in enumerate(self.job.cells):
            name = file_name(self.job, cell)
            tree = parsed(text, name, self.job.layers)
            swept = {(a.start, a.end): k for k, a in enumerate(self.request.axes) if isinstance(a, Literal) and a.cell == cell}
            codes.append(compile(instrument(_Substitute(Lines(text), swept).visit(tree)), name, "exec", dont_inherit=True))
        return codes


class _Substitute(ast.NodeTransformer):
    """Literals become calls of the tape, which knows the point."""

    def __init__(self, text: Lines, swept: dict[tuple[int, int], int]) -> None:
        self.text, self.swept = text, swept

    def visit(self, node: ast.AST) -> Any:
        """Replace a swept literal; look into everything else."""
        if isinstance(node, ast.Constant | ast.UnaryOp) and getattr(node, "end_lineno", None) is not None:
            axis = self.swept.get(self.text.span(node))
            if axis is not None:
                ask = ast.Attribute(ast.Name(TAPE, ast.Load()), "axis", ast.Load())
                call = ast.Call(ask, [ast.Constant(axis), node], [])
                for made in (ask, ask.value, call.args[0], call):
                    ast.copy_location(made, node)
                return call
        return self.generic_visit(node)


class Unchanged(Draws):
    """Random numbers stay as the program draws them: its precision does not change."""

    def __init__(self) -> None:
        self.at, self.first = 0, True


@dataclass
class Target:
    """A swept leaf in terms of the calls of a run."""

    tensor: int
    born: tuple[int, int]
    after: int
    element: tuple[int, ...]


def _targets(request: SweepRequest, calls: list[Call], recording: Any) -> list[Target | None] | str:
    """For each axis its leaf, None for a literal; or why a leaf cannot be swept."""
    index = index_of(recording)
    entry = index.passes.get(request.number)
    found: list[Target | None] = []
    for axis in request.axes:
        if not isinstance(axis, Leaf):
            found.append(None)
            continue
        if entry is None:
            return f"the program does not come to backward pass {request.number} again"
        where = Targets(calls, index, entry)
        made = [t for t, (at, output) in where.born.items() if calls[at].event == axis.event and output == axis.output]
        if not made or not _has(index.tensors[made[0]].info.shape, axis.element):
            return "run again, the program does not make this leaf; with a seed it does the same each time"
        if not where.reached(made[0]):
            return "the backward pass has no gradient for this leaf"
        found.append(Target(made[0], where.born[made[0]], where.after(made[0]), axis.element))
    return found


def _has(shape: tuple[int, ...], element: tuple[int, ...]) -> bool:
    return len(shape) == len(element) and all(0 <= i < n for i, n in zip(element, shape, strict=True))


class Swept:
    """Follows a run, sets leaves on its way, and keeps the root and the leaves' gradients of the backward pass."""

    count = 0
    """Of events, of which there are none here."""
    printed = warned = bind = read = flag_set = grad_set = hook_ran = stepped = module_began = module_ended = lambda *_, **__: (
        None
    )
    module_began = module_ended = lambda *_, **__: None

    def __init__(
        self, calls: list[Call], number: int, leaves: list[Target | None], point: tuple[int | float, ...]
    ) -> None:  # fmt: skip
        self.calls, self.number, self.leaves, self.point = calls, number, leaves, point
        self.program: dict[str, int] = {}
        self.at = -1
        self.done = False
        self.passes = 0
        self.running: list[int] = []
        self.value: float | None = None
        self.live: dict[int, Any] = {}
        """Axis → its leaf in this run."""
        self.edges: dict[tuple[int, int], list[int]] = {}
        """id() of a node and its input → the axes whose leaf's gradient arrives there."""
        self.alive: list[Any] = []
        self.arrived: dict[int, float] = {}
        self.added: dict[int, float] = {}
        self.until = max((leaf.after for leaf in leaves if leaf is not None), default=-1)
        """The call after which the leaves are as they should be, and the run may do what it likes."""

    def place(self) -> tuple[Any, ...]:
        """Where the program is does not matter."""
        return ()

    def gradient(self, axis: int) -> float | None:
        """What was added to the leaf's `.grad`, or the gradient that went to it; None for a literal."""
        return self.added.get(axis, self.arrived.get(axis))

    # --- forward ------------------------------------------------------------------------------------------------------------

    def op(self, op: Any, arguments: tuple[Any, ...], result: Any, node: Any) -> None:
        """An operation ran."""
        self.step(op, result if isinstance(result, list) else (result,), False)

    def wrote(self, op: Any, arguments: tuple[Any, ...], tensor: Any, node: Any) -> None:
        """An operation wrote in place."""
        self.step(op, (tensor,), True)

    def step(self, op: Any, tensors: Any, in_place: bool) -> None:
        """Count, and set leaves when it is time."""
        if self.done:
            raise Enough  # the program caught it before
        self.at = at = self.at + 1
        if self.number == NONE and tensors[-1]._array.size == 1 and tensors[-1]._array.dtype.kind == "f":
            self.value = float(tensors[-1]._array.item())
        if at > self.until:
            return
        if at >= len(self.calls) or self.calls[at].name != op.name:
            raise Misled
        for axis, leaf in enumerate(self.leaves):
            if leaf is None:
                continue
            if at == leaf.born[0] and not in_place:
                self.live[axis] = tensors[leaf.born[1]]
            if at == leaf.after:
                tensor = self.live[axis]
                if not tensor._array.flags.writeable:
                    tensor._array = tensor._array.copy()
                tensor._array[leaf.element] = self.point[axis]

    # --- backward -----------------------------------------------------------------------------------------------------------

    def backward_began(self, roots: Any, retain_graph: bool, create_graph: bool, inputs: Any, via: str) -> None:
        """A backward pass began."""
        self.passes += 1
        self.running.append(self.passes)
        if self.number not in (LAST, self.passes):
            return
        self.value = float(sum((t._array * array_of(g)).sum() for t, _, g in roots))
        for axis, tensor in self.live.items():
            node, output = gradient_edge(tensor)
            self.alive.append(node)
            self.edges.setdefault((id(node), output), []).append(axis)
        for _, (node, output), g in roots:
            self.arrive(node, output, array_of(g))

    def arrive(self, node: Any, output: int, g: Any) -> None:
        """A gradient reached a node."""
        if g is None:
            return
        for axis in self.edges.get((id(node), output), ()):
            self.arrived[axis] = self.arrived.get(axis, 0.0) + self._element(axis, g)

    def _element(self, axis: int, g: Any) -> float:
        leaf = self.leaves[axis]
        assert leaf is not None
        return float(np.broadcast_to(g, self.live[axis]._array.shape)[leaf.element])

    def node_ran(self, node: Any, received: tuple[Any, ...], raw: tuple[Any, ...], sent: Any) -> None:
        """A node's rule ran."""
        if self.edges and self.running and self.running[-1] == self.number:
            for (target, output), g in zip(node.edges, sent, strict=True):
                if target is not None and g is not None:
                    self.arrive(target, output, array_of(g))

    def accumulated(self, tensor: Any, increment: Any, node: Any) -> None:
        """A gradient was added to a leaf's `.grad`, after what hooks made of it."""
        if self.running and self.running[-1] == self.number:
            for axis, leaf in self.live.items():
                if leaf is tensor:
                    self.added[axis] = self._element(axis, array_of(increment))

    def backward_ended(self, retain_graph: bool, error: BaseException | None) -> None:
        """A pass ended."""
        if self.running.pop() == self.number and error is None:
            self.done = True
            raise Enough


def _short(text: str) -> str:
    return text if len(text) <= MAX_TEXT else text[: MAX_TEXT - 1] + "…"
