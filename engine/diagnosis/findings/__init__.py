"""What is wrong or odd about a run: rules over a recording, each a small function, in files by theme.

Every file of this folder is read: a rule is declared where it stands (`registry.rule`), and nothing else has to know of it.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...discovery import modules
from ...recording.levels import beginning
from ...recording.recording import Recording
from ..over_iterations import over_iterations, shows
from ..paths import paths_of
from ..reason import Finding
from .registry import Rule, everywhere, in_order

__all__ = ["RULES", "explain", "findings", "known_findings"]

modules(__name__, __path__)
RULES: tuple[Rule, ...] = in_order()
"""The rules, in the order in which their findings matter where they are equally severe."""

CONSEQUENCES = {
    "leaf_overwritten": {"grad_is_none", "loss_not_connected", "non_leaf_in_optimizer"},
    "loss_recreated": {"stale_optimizer", "step_without_backward", "detached_parameter", "unused_parameter"},
    "step_without_backward": {"unused_parameter"},
    "growing_graph": {"needless_retain"},
    "stale_optimizer": {"late_parameter"},
    "late_parameter": {"unused_parameter"},
    "wrong_optimizer": {"step_before_backward"},
    "exhausted_parameters": {"no_zero_grad"},
    "dead_relu": {"zero_gradient"},
    "saturated": {"zero_gradient"},
    "zero_derivative": {"zero_gradient"},
    "symmetry": {"zero_gradient"},
    "vanishing_gradients": {"zero_gradient"},
}
"""Findings that say no more than that another one has taken effect."""

_SEVERITIES = ("error", "warning", "hint")


def findings(recording: Recording) -> list[Finding]:
    """What is wrong or odd about a run, in the order in which it should be read. Computed once and kept on the recording.

    What a rule says of one place in many iterations is one finding.
    The gravest come first, equally grave ones in the order of `RULES`, those of one rule in the order of the run. Page, command
    line, replay and groups all show this order; none has one of its own.
    """
    kept = recording.derived.get("findings")
    if kept is None:
        reported = [finding for rule in RULES for finding in sorted(_found(rule, recording), key=lambda f: f.step)]
        implied = {rule for f in reported for rule in CONSEQUENCES.get(f.rule, ())}
        reported = [f for f in reported if f.rule not in implied]
        reported = over_iterations(recording, reported)
        kept = recording.derived["findings"] = sorted(reported, key=lambda f: _SEVERITIES.index(f.severity))
    answer: list[Finding] = kept
    return list(answer)


def _found(rule: Rule, recording: Recording) -> Iterator[Finding]:
    """What a rule finds, where it may look."""
    whole = beginning(recording)
    run = paths_of(recording).run
    if whole is recording or everywhere(rule):
        yield from rule(run)
        return
    early = paths_of(whole).run
    for finding in rule(early):
        tensors = [int(key[1:]) for key in finding.nodes if key[:1] == "t"]
        # What got no gradient in the beginning may have got one later, which is known of the rest, too.
        if not any(early.tensors[t].ledger is None and run.tensors[t].ledger is not None for t in tensors):
            yield finding


def known_findings(recording: Recording) -> list[Finding] | None:
    """The findings if they have been computed, for those who do not wait for them."""
    found: list[Finding] | None = recording.derived.get("findings")
    return found


LONG = 100_000
"""Events from which on nobody waits for findings who has not asked for them."""


def findings_at_hand(recording: Recording) -> list[Finding]:
    """The findings for who would like to say what is among them; of a long recording those that have been computed."""
    if known_findings(recording) is None and len(recording.events) > LONG:
        return []
    return findings(recording)


def explain(recording: Recording) -> str:
    """The findings as plain text for a terminal."""
    found = findings(recording)
    if not found:
        return "Nothing looks wrong.\n"
    run = paths_of(recording).run
    parts = []
    for f in found:
        where = f" ({run.site_text(f.site)})" if f.line else ""
        lines = [f"{f.severity}: {f.title}{where}", f"  {f.explanation}"]
        if f.fix:
            lines.append(f"  Fix: {f.fix}")
        lines += [f"    {what}: {value}" for what, value in f.evidence]
        if f.iterations:
            lines.append(f"    {shows(f)}: {f.iterations}")
        if f.related:
            lines.append(f"    see also: {', '.join(dict.fromkeys(run.site_text(site) for site in f.related))}")
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)
