"""What the differences that a child found say about a recording's gradients: errors, verdicts, and why a part is missing."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any
from zlib import crc32

import numpy as np

from ...experiments.gradcheck.messages import CheckReply, Slope
from ...experiments.gradcheck.probe_directions import directed
from ...graph.shown.captions import titles
from ...recording.events import NOTHING, HookRan, OpRan
from ...recording.index import Index, Pass, index_of
from ...recording.recording import Recording
from ..contributions import gradient_total
from .check_result import BAD, GOOD, KINK, ROUNDED, UNKNOWN, Check, Checked, Part

TOLERANCE = 1e-4
"""Relative error up to which a derivative in float64 counts as right."""
SINGLE = 2e-3
"""Relative error up to which a recorded float32 gradient counts as right."""
FLOOR = 1e-3
"""Elements smaller than this part of the largest one of their tensor are measured against that part."""
NEGLIGIBLE = 1e-6
"""Derivatives smaller than this part of the largest one of all leaves, or of all edges, are measured against that part: where
terms cancel, zero is never exact."""
RIGHT = (
    f"Right means a relative error up to {TOLERANCE:g}. With steps of about 1e-5 in float64, differences are off by 1e-8 or "
    "less and a wrong formula by 1e-2 or more, so little depends on where the line is drawn. Gradients recorded in float32 may "
    f"be off by {SINGLE:g}. Elements under {FLOOR:g} of the largest of their tensor are measured against that, because rounding"
    " is."
)

_PROBLEMS = {
    "error": "In float64, or run once more, the program fails",
    "timeout": "The check ran out of time",
    "memory": "The check ran out of memory",
    "differs": "The check cannot follow the program",
    "random": "The program is not the same each time",
    "missing": "The check cannot follow the program",
    "failed": "There is nothing to compare",
    "too_large": "The program makes too much",
}


def judged(recording: Recording, entry: Pass, reply: CheckReply) -> Check:
    """The outcome, from the derivatives that a child found. What does not fit the recording is left out."""
    if reply.slopes and not same_until(recording, entry, reply):
        problem = "Run again, the program does other things, such as by chance without a seed, so nothing can be compared."
        return Check(number=entry.number, problem=problem, runs=reply.runs)
    judge = _Judge(recording, entry, reply)
    problem = ""
    if reply.status != "ok":
        where = f" (line {reply.line})" if reply.line else ""
        problem = f"{_PROBLEMS.get(reply.status, 'The check failed')}{where}: {reply.message}"
    notes = []
    if reply.slopes and not judge.comparable:
        notes.append(
            "Run again, the root has another value, such as by random numbers without a seed; so the gradients of the new run "
            "were checked, not those recorded."
        )
    if any(call < 0 for call, _ in reply.skipped):
        notes.append("A leaf was made where the check cannot follow.")
    if reply.left:
        notes.append(f"{reply.left} more elements were left out for lack of time.")
    leaves, edges = judge.leaves(), judge.edges()
    hooked = judge.hooked()
    if hooked:
        notes.append("Hooks replaced gradients in this pass; what they send on is not the derivative.")
    return Check(
        number=entry.number,
        problem=problem,
        note=" ".join(notes),
        leaves=leaves,
        edges=edges,
        skipped=judge.skipped(),
        runs=reply.runs,
        tolerance=RIGHT,
    )


class _Judge:
    def __init__(self, recording: Recording, entry: Pass, reply: CheckReply) -> None:
        self.recording, self.entry, self.reply = recording, entry, reply
        self.index: Index = index_of(recording)
        self.title = titles(recording)
        self.calls = operations(recording)
        self.comparable = self._same_root()
        self.largest_leaf = largest(s for s in reply.slopes if s.edge < 0)
        self.largest_edge = largest(s for s in reply.slopes if s.edge >= 0)

    def _same_root(self) -> bool:
        """Whether the rerun's root is the recorded one, so that recorded gradients can be compared."""
        total = 0.0
        for tensor, weight in self.entry.event.roots:
            value = self.recording.array(self.index.tensors[tensor].status(self.entry.began).array)
            g = self.recording.array(weight)
            if value is None or g is None:
                return False
            total += float((value.astype(np.float64) * g).sum())
        return bool(np.isclose(total, self.reply.root, rtol=1e-3, atol=1e-5))

    def hooked(self) -> bool:
        """Whether a hook replaced a gradient during the pass."""
        events = self.recording.events[self.entry.began : self.entry.ended + 1]
        return any(isinstance(e, HookRan) and e.before != e.after for e in events)

    def leaves(self) -> tuple[Part, ...]:
        """The leaves with their derivatives."""
        grouped: dict[int, list[Slope]] = {}
        for slope in self.reply.slopes:
            made = self.calls[slope.call].outputs if slope.edge < 0 and 0 <= slope.call < len(self.calls) else ()
            if 0 <= -1 - slope.edge < len(made):
                grouped.setdefault(made[-1 - slope.edge].id, []).append(slope)
        parts = []
        for tensor, slopes in sorted(grouped.items()):
            node, output = self._gradient_edge(tensor)
            gradient = gradient_total(self.recording, node, self.entry.number, output) if self.comparable else None
            shape = self.index.tensors[tensor].info.shape
            kept = [s for s in slopes if s.all or _fits(s.element, shape)]
            recorded = [_recorded(s, gradient, shape) for s in kept]
            event = self.index.tensors[tensor].op
            parts.append(
                Part(
                    key=f"t{tensor}",
                    title=self.title(tensor),
                    line=self.recording.line(event),
                    sources=(f"n{node}",) if self.index.nodes[node].info.variable == tensor else (),
                    checked=tuple(compared(kept, recorded, self.largest_leaf)),
                )
            )
        return tuple(parts)

    def _gradient_edge(self, tensor: int) -> tuple[int, int]:
        """Where the tensor's gradient arrives."""
        status = self.index.tensors[tensor].status(self.entry.began)
        if status.node != NOTHING:
            return status.node, status.output
        found = [id for id, h in self.index.nodes.items() if h.info.variable == tensor]
        return found[-1] if found else NOTHING, 0

    def edges(self) -> tuple[Part, ...]:
        """The edges with their derivatives, in the order in which the pass ran."""
        grouped: dict[tuple[int, int], list[Slope]] = {}
        for slope in self.reply.slopes:
            made = self.calls[slope.call].node if slope.edge >= 0 and 0 <= slope.call < len(self.calls) else None
            if made is not None and slope.edge < len(made.edges):
                grouped.setdefault((made.id, slope.edge), []).append(slope)
        parts = []
        for (node, edge), slopes in grouped.items():
            history = self.index.nodes[node]
            target, output = history.info.edges[edge]
            if target == NOTHING:
                continue
            to, of = self.index.owners.get((target, output), NOTHING), self.index.owners.get((node, 0), NOTHING)
            name = self.title(to) if to != NOTHING else self.index.nodes[target].info.name
            parts.append(
                Part(
                    key=f"n{node}",
                    title=f"{history.info.name} → {name}",
                    edge=edge,
                    sources=(f"n{node}", f"t{of}" if of != NOTHING else ""),
                    targets=(f"n{target}", f"t{to}" if to != NOTHING else ""),
                    line=self.recording.line(history.event),
                    checked=tuple(compared(slopes, [None] * len(slopes), self.largest_edge)),
                )
            )
        return tuple(parts)

    def skipped(self) -> tuple[tuple[str, str], ...]:
        """What was not checked, by key."""
        nodes = [(self.calls[p].node, why) for p, why in self.reply.skipped if 0 <= p < len(self.calls)]
        return tuple((f"n{node.id}", why) for node, why in nodes if node is not None)


INTRODUCED = frozenset(("grad", "constant", "accumulate"))
"""What a recording calls tensors that came about unseen, and gradients that grew: no operations."""


def operations(recording: Recording) -> list[OpRan]:
    """The operations that ran, in order, by which a run of the same program can be followed."""
    return [event for event in recording.events if isinstance(event, OpRan) and event.op not in INTRODUCED]


def same_until(recording: Recording, entry: Pass, reply: CheckReply) -> bool:
    """Whether the program did the same until the pass when it ran again."""
    digest = 0
    before = 0
    for event in recording.events[: entry.began]:
        if isinstance(event, OpRan) and event.op not in INTRODUCED:
            digest, before = crc32(event.op.encode(), digest), before + 1
    return (digest, before) == (reply.digest, reply.before)


def _fits(element: tuple[int, ...], shape: tuple[int, ...]) -> bool:
    return len(element) == len(shape) and all(0 <= i < n for i, n in zip(element, shape, strict=True))


def _recorded(slope: Slope, gradient: Any, shape: tuple[int, ...]) -> float | None:
    """The recorded gradient's element, or its sum over a direction."""
    if gradient is None or gradient.shape != shape:
        return None
    if not slope.all:
        return float(gradient[slope.element])
    return float((gradient.astype(np.float64) * directed(shape, None, slope.call)).sum())


def largest(slopes: Iterable[Slope]) -> float:
    """The largest derivative that is finite."""
    return max((abs(s.analytic) for s in slopes if math.isfinite(s.analytic)), default=0.0)


def compared(slopes: Sequence[Slope], recorded: Sequence[float | None], top: float) -> Iterable[Checked]:
    """The derivatives of one tensor with their errors and verdicts; `top` is the largest derivative of the pass's leaves, or of
    its edges."""
    numerics = [_numeric(s) for s in slopes]
    finite = [abs(x) for s, n in zip(slopes, numerics, strict=True) for x in (s.analytic, n) if math.isfinite(x)]
    scale = max(finite, default=0.0)
    for slope, numeric, known in zip(slopes, numerics, recorded, strict=True):
        floor = max(FLOOR * scale, NEGLIGIBLE * top, 1e-12)
        error = abs(slope.analytic - numeric) / max(abs(slope.analytic), abs(numeric), floor)
        verdict = _verdict(slope, error, floor)
        if verdict == GOOD and known is not None:
            # What float32 cannot tell beside the largest gradient is no loss.
            off = abs(known - slope.analytic) / max(abs(known), abs(slope.analytic), 10 * floor, 1e-4 * top)
            verdict = ROUNDED if off > SINGLE or not math.isfinite(off) else GOOD
        yield Checked(
            element=slope.element, all=slope.all, recorded=known, analytic=slope.analytic, numeric=numeric, error=error,
            verdict=verdict,
        )  # fmt: skip


def _numeric(slope: Slope) -> float:
    """The central difference of the step that comes closest: the child took finer ones only where it did not agree."""
    central = [(f + b) / 2 for f, b in zip(slope.forward, slope.backward, strict=True)]
    return min(central, key=lambda c: abs(c - slope.analytic) if math.isfinite(c) else math.inf)


def _verdict(slope: Slope, error: float, floor: float) -> str:
    if not math.isfinite(error):
        return UNKNOWN
    if error <= TOLERANCE:
        return GOOD
    if abs(slope.analytic - _numeric(slope)) <= 20 * slope.noise:
        return UNKNOWN
    if _kinked(slope, floor):
        low, high = sorted((slope.forward[0], slope.backward[0]))
        slack = 1e-3 * max(abs(low), abs(high), floor)
        return KINK if low - slack <= slope.analytic <= high + slack else BAD
    return BAD


def _kinked(slope: Slope, floor: float) -> bool:
    """Whether differences from the two sides disagree however small the step; where there is a derivative, they come together
    as fast as the step shrinks."""
    gaps = [abs(f - b) for f, b in zip(slope.forward, slope.backward, strict=True)]
    size = max(abs(slope.forward[0]), abs(slope.backward[0]), floor)
    return gaps[0] > 1e-2 * size and (len(gaps) == 1 or gaps[1] > 0.5 * gaps[0])
