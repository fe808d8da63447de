"""The child's side of a numerical check: the leaves of a backward pass, and each of its nodes, differentiated by differences.

Of a leaf: the program runs again with the leaf nudged right before the pass's graph begins to use it, so that in a training
loop the gradient is checked at the leaf's value of that iteration. Of a node: its operation, or the `forward` of the program's
own Function, is called again with an input nudged, and the result is weighted with the gradient that the node received.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...context import grad_mode, observed
from ...recording.index import Index, index_of
from ...sandbox.transport.frames import SHARE, WHOLE
from ...sandbox.transport.messages import Job
from ...tensor import Tensor, constant
from ..experiment import Experiment, Unmeasured
from ..perturbation_points import Targets
from ..rerun import Baseline, Call, Diverged, Program, array_of, root_of
from .differences import differences
from .messages import MAX_TEXT, CheckReply, CheckRequest, Slope, decode_request
from .node import NodeCheck
from .perturbed import Array, DoubleFollower, Draws, Kept, Perturbation, Perturbed, in_double
from .probe_directions import chosen, directed

KEPT = 64 * 2**20
"""Bytes of constants and arguments that are kept from one run."""
TIME = 0.85
"""The share of the run's time after which no new element is checked."""
TOLD_EVERY = 0.2
"""Seconds between two messages of how far it is."""


class CheckRun(Experiment):
    """One check."""

    most_text = MAX_TEXT
    stopped = "the check was stopped after {:g} seconds"

    def __init__(self, job: Job, out: int) -> None:
        super().__init__(job, out)
        self.request: CheckRequest = decode_request(job.request)
        self.slopes: list[Slope] = []
        self.skipped: list[tuple[int, str]] = []
        self.before = self.digest = 0
        self.root = 0.0
        self.left = 0
        self.program: Program | None = None

    def reply(self, status: str, message: str, line: int) -> CheckReply:
        """What was found so far."""
        runs = 0 if self.program is None else self.program.runs
        found = (self.root, self.slopes, self.skipped, self.before, self.digest, self.left, runs)
        return CheckReply(status, message, line, *found)

    @property
    def over(self) -> bool:
        """Whether the time is spent but for the reply."""
        return self.spent(TIME)

    # --- the check ----------------------------------------------------------------------------------------------------------

    def measure(self) -> None:
        """Check the leaves of the pass, and its nodes on the way.

        Raises:
            Unmeasured: when there is nothing to check.
        """
        try:
            self._check()
        except Diverged:
            raise Unmeasured("differs", "in float64 the program does other things than it did") from None

    def _check(self) -> None:
        number = self.request.number
        draws = Draws()
        program = self.program = self.compiled(draws.begin)
        first = Baseline(program.files, number)
        program.run(first)
        self.before, self.digest = first.before, first.digest
        recording = first.recording(self.job.cells)
        index = index_of(recording)
        entry = index.passes.get(number)
        if entry is None:
            raise Unmeasured("missing", f"the program did not come to backward pass {number} again")
        in_double()
        analysed = Analysed(self, draws, first.calls, index, number)
        program.run(analysed)
        self.root = analysed.value
        if not np.isfinite(self.root):
            raise Unmeasured("failed", "the root is not finite")
        again = Perturbed(first.calls, number, analysed.kept, None)
        program.run(again)
        if again.value != self.root and not abs(again.value - self.root) <= 1e-12 * abs(self.root):
            raise Unmeasured("random", "the root has another value each time the program runs, although random numbers repeat")
        targets = analysed.targets
        plans = [(t, chosen(analysed.shapes[t], self.request.elements, analysed.event(t))) for t in targets]
        rounds = max((len(elements) for _, elements in plans), default=0)
        turns = [(tensor, elements[k]) for k in range(rounds) for tensor, elements in plans if k < len(elements)]
        mine = turns[self.request.part :: self.request.parts]
        for done, (tensor, element) in enumerate(mine):
            self._tell(done / len(mine))
            if self.over:
                self.left += 1
            else:
                self._leaf(program, tensor, element, analysed, first.calls)
        self._tell(1.0)

    def _tell(self, share: float) -> None:
        """Say how far the check is, now and then and at its end."""
        if share == 1.0 or self.due(TOLD_EVERY):
            self.send(SHARE, round(share * WHOLE).to_bytes(2, "big"))

    def _leaf(
        self, program: Program, tensor: int, element: tuple[int, ...] | None, analysed: Analysed, calls: list[Call]
    ) -> None:  # fmt: skip
        """Check one element of a leaf, or a direction."""
        value, gradient = analysed.values[tensor], analysed.gradients[tensor]
        event = analysed.event(tensor)
        direction = directed(value.shape, element, event)
        analytic = float((gradient * direction).sum())

        def moved(by: Array) -> float:
            run = Perturbed(calls, analysed.number, analysed.kept, Perturbation(*analysed.points[tensor], by))
            program.run(run)
            return run.value

        found = differences(value, direction, moved, self.root, abs(self.root), analytic, lambda: self.over)
        self.slopes.append(Slope(event, -1 - analysed.born[tensor][1], element or (), element is None, analytic, *found))


class Analysed(DoubleFollower):
    """The run without a nudge: its gradients, what the others take for constants, and the check of each node on the way."""

    def __init__(self, check: CheckRun, draws: Draws, calls: list[Call], index: Index, number: int) -> None:
        super().__init__(calls, number)
        self.check, self.draws, self.index = check, draws, index
        self.kept = Kept()
        self.value = np.nan
        self.entry = index.passes[number]
        self.where = Targets(calls, index, self.entry)
        self.born, self.passed = self.where.born, self.where.passed
        self.targets: list[int] = []
        self.points: dict[int, tuple[tuple[int, int], int]] = {}
        """Tensor → the call that makes it and which of its results it is, and the call after which it is nudged."""
        self.find_targets()
        self.live: dict[int, Tensor] = {}
        self.shapes: dict[int, tuple[int, ...]] = {}
        self.values: dict[int, Array] = {}
        self.gradients: dict[int, Array] = {}
        self.ran: dict[int, tuple[int, Any, list[Any], list[Array]]] = {}
        """id() of a node → which of the recording's operations made it, operation, arguments and results."""

    def event(self, tensor: int) -> int:
        """Which of the recording's operations made a tensor."""
        return self.where.event(tensor)

    def find_targets(self) -> None:
        """The tensors whose gradient the pass computes, and when to nudge them."""
        for tensor in list(self.entry.event.inputs) or list(self.entry.fills):
            if not self.where.reached(tensor) or tensor in self.targets:
                continue
            if tensor not in self.born:
                self.check.skipped.append((-1, "made where the check cannot follow"))
                continue
            self.targets.append(tensor)
            self.points[tensor] = (self.born[tensor], self.where.after(tensor))

    # --- forward ------------------------------------------------------------------------------------------------------------

    def called(self, at: int, op: Any, arguments: tuple[Any, ...], tensors: Any, node: Any, in_place: bool) -> None:
        """Keep what later runs take for constants, and what the node's check needs."""
        for k, t in enumerate(tensors):
            number = self.calls[at].results[k] if k < len(self.calls[at].results) else -1
            if number in self.points and not in_place:
                self.live[number] = t
            if not t._needs:
                self.kept.constants[at, k] = self.keep(t._array)
        for tensor, (_, after) in self.points.items():
            if after == at and tensor in self.live:
                self.values[tensor] = self.live[tensor]._array.copy()
        number = self.calls[at].node
        if number in self.passed and node is not None and not in_place and self.kept.size < KEPT:
            copies = [self.copied(a) for a in arguments]
            self.ran[id(node)] = (self.calls[at].event, op, copies, [t._array.copy() for t in tensors])
            self.alive.append(node)

    def keep(self, array: Array) -> Array:
        """A copy that counts against the budget."""
        self.kept.size += array.nbytes
        if self.kept.size > 4 * KEPT:
            raise MemoryError
        return array.copy()

    def copied(self, value: Any) -> Any:
        """An argument as it is now."""
        if isinstance(value, Tensor):
            return constant(self.keep(value._array))
        if isinstance(value, list | tuple) and any(isinstance(v, Tensor) for v in value):
            return type(value)([self.copied(v) for v in value]) if type(value) in (list, tuple) else value
        return value

    # --- backward -----------------------------------------------------------------------------------------------------------

    def began(self, roots: Any) -> None:
        """The pass in question: where gradients of targets will arrive."""
        self.kept.weights = [array_of(g).copy() for _, _, g in roots]
        self.value = root_of(roots)
        for tensor in list(self.targets):
            live = self.live.get(tensor)
            if live is None or tensor not in self.values:
                self.targets.remove(tensor)
                self.check.skipped.append((-1, "made where the check cannot follow"))
                continue
            self.expect(live, tensor)
            self.shapes[tensor] = live._array.shape
            self.gradients[tensor] = np.zeros(live._array.shape)
        self.sent_to([edge for _, edge, _ in roots], [g for _, _, g in roots])

    def arrived(self, key: int, g: Any) -> None:
        """A gradient reached a target."""
        self.gradients[key] = self.gradients[key] + np.broadcast_to(g, self.gradients[key].shape)

    def node_ran(self, node: Any, received: tuple[Any, ...], raw: tuple[Any, ...], sent: Any) -> None:
        """A node ran: of an earlier pass its gradients are kept, in the pass in question it is checked."""
        arrays = tuple(array_of(g) for g in sent)
        if self.passes < self.number:
            recorded = any(isinstance(g, Tensor) for g in sent)
            self.kept.sent.append(() if recorded else tuple(None if g is None else self.keep(g) for g in arrays))
            return
        if not self.under_way:
            return
        self.sent_to(node.edges, arrays)
        ran = self.ran.get(id(node))
        if ran is None or self.check.request.part:
            return
        event, op, arguments, results = ran
        if self.check.over:
            self.check.skipped.append((event, "time did not suffice"))
            return
        with observed(None), grad_mode(False), self.draws.aside():
            one = NodeCheck(
                event, node, op, arguments, results, [array_of(g) for g in received], arrays, self.check.request.node_elements
            )
            one.run()
        self.check.slopes += one.slopes
        self.check.skipped += one.skipped
