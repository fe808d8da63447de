"""What is wrong or odd about a run: rules over a recording, each a small function, in files by theme."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ...recording.recording import Recording
from ..reason import Finding
from . import connection, flow, graph, inplace, losses, numbers, parameters, training
from .run import Run

__all__ = ["RULES", "explain", "findings"]

Rule = Callable[[Run], Iterator[Finding]]

RULES: tuple[Rule, ...] = (
    parameters.leaf_overwritten,
    connection.loss_not_connected,
    connection.loss_recreated,
    connection.not_a_scalar,
    connection.grad_of_none,
    connection.refused,
    inplace.changed_saved_tensor,
    inplace.refused_write,
    graph.freed_graph,
    parameters.stale_optimizer,
    parameters.unlisted_parameter,
    training.no_zero_grad,
    training.idle_step,
    training.diverging,
    numbers.not_finite,
    losses.squashed_twice,
    losses.spread_loss,
    parameters.no_gradient,
    parameters.symmetry,
    graph.growing_graph,
    graph.needless_retain,
    graph.kept_losses,
    flow.along_depth,
    flow.dead_relu,
    flow.saturated,
    flow.rounded,
    graph.unused_result,
)
"""The rules, in the order in which their findings matter where they are equally severe: what makes all gradients
wrong comes before what spoils some, and a cause before what it leads to, which may show earlier in the run."""

CONSEQUENCES = {
    "leaf_overwritten": {"grad_is_none", "loss_not_connected", "non_leaf_in_optimizer"},
    "loss_recreated": {"stale_optimizer", "step_without_backward", "detached_parameter", "unused_parameter"},
    "step_without_backward": {"unused_parameter"},
    "growing_graph": {"needless_retain"},
}
"""Findings that say no more than that another one has taken effect."""

_SEVERITIES = ("error", "warning", "hint")


def findings(recording: Recording) -> list[Finding]:
    """What is wrong or odd about a run, in the order in which it should be read. Computed once and kept on the recording.

    The gravest come first, equally grave ones in the order of `RULES`, those of one rule in the order of the run. Page, command
    line, replay and groups all show this order; none has one of its own.
    """
    made = recording.derived.get("findings")
    if made is None:
        run = Run(recording)
        found = [finding for rule in RULES for finding in sorted(rule(run), key=lambda f: f.step)]
        implied = {rule for f in found for rule in CONSEQUENCES.get(f.rule, ())}
        found = [f for f in found if f.rule not in implied]
        made = recording.derived["findings"] = sorted(found, key=lambda f: _SEVERITIES.index(f.severity))
    kept: list[Finding] = made
    return list(kept)


def explain(recording: Recording) -> str:
    """The findings as plain text for a terminal."""
    found = findings(recording)
    if not found:
        return "Nothing looks wrong.\n"
    run = Run(recording)
    parts = []
    for f in found:
        where = f" ({run.place(f.site)})" if f.line else ""
        lines = [f"{f.severity}: {f.title}{where}", f"  {f.explanation}"]
        if f.fix:
            lines.append(f"  Fix: {f.fix}")
        lines += [f"    {what}: {value}" for what, value in f.evidence]
        if f.related:
            lines.append(f"    see also: {', '.join(dict.fromkeys(run.place(site) for site in f.related))}")
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)
