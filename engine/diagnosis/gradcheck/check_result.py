"""What a numerical check answers with: derivatives found in two ways, verdicts, and marks for the graph."""

from __future__ import annotations

import math
from typing import Any

import msgspec

from ...recording.events import NOTHING

GOOD, BAD, KINK, ROUNDED, UNKNOWN = "good", "bad", "kink", "rounded", "unknown"
_WORST = (GOOD, UNKNOWN, KINK, ROUNDED, BAD)
_TONES = {GOOD: "good", BAD: "bad", KINK: "warn", ROUNDED: "warn", UNKNOWN: "warn"}


class Checked(msgspec.Struct, frozen=True, kw_only=True):
    """One derivative found in two ways."""

    element: tuple[int, ...]
    all: bool = False
    """Whether all elements moved at once, up or down by chance: a check of the whole tensor in one number."""
    recorded: float | None
    """What the recording says, None where it cannot be compared."""
    analytic: float
    """What the backward pass gives in float64."""
    numeric: float
    """What the differences give."""
    error: float
    """Relative error of the analytic one."""
    verdict: str
    """"good", "bad", "kink", "rounded" (right in float64, lost in float32) or "unknown" (not finite, or less than rounding
    makes of the differences)."""


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """A leaf, or an edge of a node, with its derivatives."""

    key: str
    """`t3` for a leaf; for an edge its node, `n5`."""
    title: str
    """The program's name for it: "w", or "CubeBackward → x"."""
    edge: int = NOTHING
    targets: tuple[str, ...] = ()
    """For an edge, the keys of where it leads in both views."""
    sources: tuple[str, ...] = ()
    """For an edge, the keys of where it comes from in both views."""
    line: int = 0
    checked: tuple[Checked, ...] = ()

    @property
    def verdict(self) -> str:
        """The worst verdict."""
        return max((c.verdict for c in self.checked), key=_WORST.index, default=UNKNOWN)

    @property
    def worst(self) -> Checked | None:
        """The derivative that is furthest off, of those with the worst verdict."""
        return max((c for c in self.checked if c.verdict == self.verdict), key=lambda c: c.error, default=None)

    @property
    def error(self) -> float:
        """The largest relative error among those with the worst verdict."""
        return self.worst.error if self.worst is not None else math.nan


class Check(msgspec.Struct, frozen=True, kw_only=True):
    """The outcome of a numerical check."""

    number: int
    """The backward pass, 0 if there is none to check."""
    problem: str = ""
    """Why there is no outcome, or only a part of one."""
    note: str = ""
    leaves: tuple[Part, ...] = ()
    edges: tuple[Part, ...] = ()
    skipped: tuple[tuple[str, str], ...] = ()
    """What was not checked (a key), and why."""
    runs: int = 0
    tolerance: str = ""
    """What counts as right, in words."""

    @property
    def wrong(self) -> tuple[Part, ...]:
        """The parts with a wrong derivative: edges first, because they say where it comes from."""
        return tuple(p for p in (*self.edges, *self.leaves) if p.verdict == BAD)

    @property
    def verdict(self) -> str:
        """The worst verdict of all; "unknown" if nothing was checked."""
        return max((p.verdict for p in (*self.leaves, *self.edges)), key=_WORST.index, default=UNKNOWN)

    def sentences(self) -> list[str]:
        """What is wrong, in words."""
        found = []
        for part in self.wrong:
            worst = part.worst
            assert worst is not None
            where = f" (line {part.line})" if part.line else ""
            which = "in a direction over all elements" if worst.all else f"at {list(worst.element)}" if worst.element else ""
            sends = "sends a wrong gradient" if part.edge != NOTHING else "has a wrong gradient"
            values = f"{worst.analytic:.6g}, but differences give {worst.numeric:.6g}."
            found.append(" ".join(f"{part.title}{where} {sends} {which}".split()) + f": {values}")
        return found

    def overlay(self) -> dict[str, Any]:
        """Marks for the graph: nodes and edges by relative error, for the player."""
        nodes: dict[str, Part] = {}
        edges: dict[str, Part] = {}
        for part in self.edges:
            for source, target in zip(part.sources, part.targets, strict=True):
                if source and target:
                    _put(nodes, source, part)
                    # Data flows against the gradient in the tensors view.
                    _put(edges, f"{source}>{target}" if source[0] == "n" else f"{target}>{source}", part)
        for part in self.leaves:
            for key in (part.key, *part.sources):
                nodes[key] = part
        marks = {key: _mark(part) for key, part in nodes.items()}
        for key, why in self.skipped:
            marks.setdefault(key, {"tone": "warn", "value": None, "label": f"not checked: {why}"[:120]})
        tones = dict.fromkeys([m["tone"] for m in marks.values()] + [_TONES[p.verdict] for p in edges.values()])
        legend = {
            "good": "agrees with differences",
            "bad": "wrong derivative",
            "warn": "not comparable: a kink, chance, rounding",
        }
        return {
            "nodes": marks,
            "edges": {key: _mark(part) for key, part in edges.items()},
            "legend": [{"tone": tone, "label": legend[tone]} for tone in legend if tone in tones],
            "dim": False,
        }


def _put(table: dict[str, Part], key: str, part: Part) -> None:
    known = table.get(key)
    if known is None or (_WORST.index(part.verdict), part.error) > (_WORST.index(known.verdict), known.error):
        table[key] = part


def _mark(part: Part) -> dict[str, Any]:
    error = part.error
    label = {KINK: "kink: no derivative here", ROUNDED: "lost to float32 rounding", UNKNOWN: "cannot be told"}.get(
        part.verdict, f"error {error:.1g}"
    )
    return {"tone": _TONES[part.verdict], "value": _scaled(error), "label": label}


def _scaled(error: float) -> float | None:
    """An error from 1e-12 to 1 on a logarithmic scale from 0 to 1."""
    return None if not math.isfinite(error) else min(1.0, max(0.0, (math.log10(max(error, 1e-12)) + 12) / 12))
