"""Rules about gradients that the program reads, and that are None or zero everywhere, where nobody trains with them: `why` says
why they are. What an optimizer uses is the matter of other rules.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import suppress

from ...recording.events import NOTHING, Accumulated
from ..answers.names import named
from ..answers.why import why
from ..cuts import KINDS
from ..paths import Paths, paths_of
from ..reason import Finding, Kind, Reason
from ..run import Run, finding, key
from .registry import rule

NO_GRADIENT = Kind(
    "no_gradient", "warning", "The program reads a .grad that is None, because something cuts the leaf off, or too late."
)
ZERO_GRADIENT = Kind("zero_gradient_read", "warning", "The program reads a .grad that is zero everywhere.")

_MEANT = frozenset(KINDS[code].code for code in ("detach", "data", "no_grad", "inference"))
"""Cuts that somebody has written down as such."""
_LATE = frozenset(("flag_late", "retained_late"))
"""Why there is none where it was asked for only when the operations, or the pass, had been."""
_CUT = frozenset(kind.code for kind in KINDS.values()) | _LATE | {"overwritten"}
_FLAT = frozenset(("zero_step", "zero_saturated", "zero_relu", "zero_clamp", "zero_factor", "zero_mask", "zero_cancelled"))
"""Why a gradient is zero where that is worth a look."""
_GRAVE = frozenset(("zero_step",))
_MOST = 40
"""Expressions `….grad` of a program that are looked at."""


@rule(184, NO_GRADIENT, ZERO_GRADIENT)
def read_gradient(run: Run) -> Iterator[Finding]:
    """A leaf's `.grad` is read, and every pass has left it None, or zero everywhere."""
    if run.updates or run.optimizer_steps or run.raised is not None or not run.passes:
        return
    paths = paths_of(run.recording)
    last = len(run.events) - 1
    told: set[int] = set()
    for name in _read(paths):
        tensor = run.named_at(name, last)
        if tensor == NOTHING:
            with suppress(KeyError):
                tensor = named(paths, name, last)
        history = run.tensors.get(tensor)
        if history is None or tensor in told or not run.status(tensor, last).requires_grad:
            continue
        told.add(tensor)
        leaf = run.status(tensor, last).is_leaf
        if history.ledger is None:
            reason = why(run.recording, tensor, last)
            if reason.code in (_CUT if leaf else _LATE):
                yield _told(run, NO_GRADIENT, tensor, name, reason, "hint" if reason.code in _MEANT else "")
        elif leaf and (filled := _always_zero(run, tensor)) != NOTHING:
            reason = why(run.recording, tensor, filled)
            if reason.code in _FLAT:
                yield _told(run, ZERO_GRADIENT, tensor, name, reason, "" if reason.code in _GRAVE else "hint")


def _told(run: Run, kind: Kind, tensor: int, name: str, reason: Reason, severity: str) -> Finding:
    return finding(
        run, kind, f"{reason.title}." if not reason.title.endswith(".") else reason.title,
        reason.explanation or "No backward pass has given it a gradient.",
        reason.fix or "Look at what lies between the leaf and the loss.",
        step=reason.moment if reason.moment != NOTHING else run.tensors[tensor].born,
        site=reason.site, related=[run.site(run.tensors[tensor].born), run.site(run.passes[-1].began)],
        evidence=[*reason.evidence] or [(f"{name}.grad", "None" if kind is NO_GRADIENT else "0")],
        nodes=[key(tensor), *reason.nodes], severity=severity,
    )  # fmt: skip


def _read(paths: Paths) -> list[str]:
    """What the program reads the `.grad` of, as it is written, in order."""
    found: dict[str, tuple[int, int]] = {}
    for node in paths.source.parents:
        if isinstance(node, ast.Attribute) and node.attr == "grad" and isinstance(node.ctx, ast.Load):
            found.setdefault(ast.unparse(node.value), (node.lineno, node.col_offset))
    return sorted(found, key=found.__getitem__)[:_MOST]


def _always_zero(run: Run, tensor: int) -> int:
    """The step at which a `.grad` was last filled, if every pass has brought zeros; else NOTHING."""
    rows = [(step, event) for step, event in run.history(tensor) if isinstance(event, Accumulated)]
    return rows[-1][0] if rows and all(run.zero(event.increment) for _, event in rows) else NOTHING
