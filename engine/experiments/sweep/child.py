"""The child's side of a sweep: one program at many points, each a run of its own up to the end of one backward pass.

An element of a leaf is set right before the pass's graph begins to use the leaf; a literal has another value from the start.
Everything else is the program as it is, in its own precision, with the same random numbers at every point.
"""

from __future__ import annotations

import ast
import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...dtypes import INEXACT
from ...program.parsing import Lines
from ...recording.bounded_text import said
from ...recording.index import index_of
from ...sandbox.instrument import TAPE
from ...sandbox.transport.frames import PART
from ...sandbox.transport.messages import Job, encode
from ..experiment import Experiment, Unmeasured
from ..perturbation_points import Targets
from ..rerun import Baseline, Call, Diverged, Follower, Program, array_of, root_of
from .messages import LAST, MAX_TEXT, NONE, Leaf, Literal, Point, SweepReply, SweepRequest, decode_request
from .path import last_pass, loss_of, path

EVERY = 0.1
"""Seconds between the messages that carry points."""
SHARE = 0.5
"""The share of the run's time after which no new point begins: the caller can ask again for the rest."""
TO_THE_END = 2**62
"""The number of a backward pass that no program has."""


class SweepRun(Experiment):
    """One request."""

    most_text = MAX_TEXT

    def __init__(self, job: Job, out: int) -> None:
        super().__init__(job, out)
        self.request: SweepRequest = decode_request(job.request)
        self.unsent: list[Point] = []
        self.under_way = -1
        self.whole = SweepReply("ok")
        """The reply if nothing gets in the way."""

    def reply(self, status: str, message: str, line: int) -> SweepReply:
        """The points that were not sent yet, then the end."""
        if status == "timeout" and self.under_way >= 0:  # the point's trouble, not the sweep's
            self.unsent.append(Point(self.under_way, np.nan, error=message))
            status = "ok"
        self._pass_on()
        return self.whole if status == "ok" else SweepReply(status, message, line)

    def _pass_on(self) -> None:
        points, self.unsent = self.unsent, []
        if points:
            self.send(PART, encode(points))

    # --- the sweep ----------------------------------------------------------------------------------------------------------

    def measure(self) -> None:
        """Run all points, or as many as there is time for."""
        request = self.request
        values: list[Any] = [None] * len(request.axes)
        self.tape.axis = lambda axis, own: own if values[axis] is None else values[axis]  # type: ignore[attr-defined]
        program = self.compiled()
        first = Baseline(program.files, TO_THE_END if request.path or request.number <= NONE else request.number)
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
        number = last_pass(recording) if request.number == LAST else request.number
        seconds = time.monotonic() - self.began
        spots = path(recording, [None if leaf is None else (leaf.tensor, leaf.element) for leaf in leaves])
        loss = loss_of(recording, number)
        self.whole = SweepReply("ok", "", 0, loss, tuple(spots) if request.path else (), seconds)
        del recording
        for position, point in enumerate(request.points):
            if self.spent(SHARE):
                break
            if self.due(EVERY):
                self._pass_on()
            values[:] = point
            self.under_way = position
            measured = self._point(program, position, Swept(first.calls, request.number, leaves, point))
            self.under_way = -1
            self.unsent.append(measured)

    def _point(self, program: Program, position: int, watch: Swept) -> Point:
        """One run."""
        try:
            program.run(watch)
        except MemoryError:
            return Point(position, np.nan, error="needs more memory than it may use")
        except Diverged:
            return Point(position, np.nan, error="does other things before the leaf is made")
        except BaseException as error:
            return Point(position, np.nan, error=self.short(f"{type(error).__name__}: {said(error)}"))
        if watch.value is None:
            return Point(position, np.nan, error="does not come to the backward pass")
        return Point(position, watch.value, tuple(watch.gradient(k) for k in range(len(watch.leaves))))

    def changed(self, cell: int, tree: Any) -> Any:
        """A cell's tree with its swept literals replaced."""
        axes = enumerate(self.request.axes)
        swept = {(a.start, a.end): k for k, a in axes if isinstance(a, Literal) and a.cell == cell}
        return _Substitute(Lines(self.job.cells[cell]), swept).visit(tree)


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


@dataclass
class Target:
    """A swept leaf in terms of the calls of a run."""

    tensor: int
    born: tuple[int, int]
    after: int
    element: tuple[int, ...]


def _targets(request: SweepRequest, calls: list[Call], recording: Any) -> list[Target | None]:
    """For each axis its leaf, None for a literal.

    Raises:
        Unmeasured: for a leaf that cannot be swept.
    """
    index = index_of(recording)
    entry = index.passes.get(request.number)
    targets: list[Target | None] = []
    for axis in request.axes:
        if not isinstance(axis, Leaf):
            targets.append(None)
            continue
        if entry is None:
            raise Unmeasured("missing", f"the program does not come to backward pass {request.number} again")
        where = Targets(calls, index, entry)
        tensors = [t for t, (at, output) in where.born.items() if calls[at].event == axis.event and output == axis.output]
        if not tensors or not _has(index.tensors[tensors[0]].info.shape, axis.element):
            again = "run again, the program does not make this leaf; with a seed it does the same each time"
            raise Unmeasured("missing", again)
        if not where.reached(tensors[0]):
            raise Unmeasured("missing", "the backward pass has no gradient for this leaf")
        targets.append(Target(tensors[0], where.born[tensors[0]], where.after(tensors[0]), axis.element))
    return targets


def _has(shape: tuple[int, ...], element: tuple[int, ...]) -> bool:
    return len(shape) == len(element) and all(0 <= i < n for i, n in zip(element, shape, strict=True))


class Swept(Follower):
    """Follows a run, sets leaves on its way, and keeps the root and the leaves' gradients of the backward pass."""

    def __init__(
        self, calls: list[Call], number: int, leaves: list[Target | None], point: tuple[int | float, ...]
    ) -> None:  # fmt: skip
        # Afterwards the leaves are as they should be, and the run may do what it likes.
        super().__init__(calls, number, max((leaf.after for leaf in leaves if leaf is not None), default=-1))
        self.leaves, self.point = leaves, point
        self.value: float | None = None
        self.live: dict[int, Any] = {}
        """Axis → its leaf in this run."""
        self.reached: dict[int, float] = {}
        self.added: dict[int, float] = {}

    def gradient(self, axis: int) -> float | None:
        """What was added to the leaf's `.grad`, or the gradient that went to it; None for a literal."""
        return self.added.get(axis, self.reached.get(axis))

    def called(self, at: int, op: Any, arguments: tuple[Any, ...], tensors: Any, node: Any, in_place: bool) -> None:
        """Set leaves when it is time."""
        if self.number == NONE and tensors[-1]._array.size == 1 and tensors[-1]._array.dtype.kind in INEXACT:
            self.value = float(tensors[-1]._array.item())
        if at > self.until:
            return
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

    def in_question(self) -> bool:
        """Whether it is the pass in question, or may be the last one."""
        return self.number in (LAST, self.passes)

    def began(self, roots: Any) -> None:
        """The root's value, and where gradients of leaves will arrive."""
        self.value = root_of(roots)
        for axis, tensor in self.live.items():
            self.expect(tensor, axis)
        self.sent_to([edge for _, edge, _ in roots], [g for _, _, g in roots])

    def arrived(self, key: int, g: Any) -> None:
        """A gradient arrived at a leaf."""
        self.reached[key] = self.reached.get(key, 0.0) + self._element(key, g)

    def _element(self, axis: int, g: Any) -> float:
        leaf = self.leaves[axis]
        assert leaf is not None
        return float(np.broadcast_to(g, self.live[axis]._array.shape)[leaf.element])

    def node_ran(self, node: Any, received: tuple[Any, ...], raw: tuple[Any, ...], sent: Any) -> None:
        """A node's rule ran."""
        if self.edges and self.under_way:
            self.sent_to(node.edges, sent)

    def accumulated(self, tensor: Any, increment: Any, node: Any) -> None:
        """A gradient was added to a leaf's `.grad`, after what hooks made of it."""
        if self.under_way:
            for axis, leaf in self.live.items():
                if leaf is tensor:
                    self.added[axis] = self._element(axis, array_of(increment))
