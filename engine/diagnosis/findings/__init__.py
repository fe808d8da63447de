"""What is wrong or odd about a run: rules over a recording, each a small function, in files by theme.

Every file of this folder is read: a rule is declared where it stands (`registry.rule`), and nothing else has to know of it.
"""

from __future__ import annotations

from ...discovery import modules
from ...recording.recording import Recording
from ..paths import paths_of
from ..reason import Finding
from .registry import Rule, in_order

__all__ = ["RULES", "explain", "findings"]

modules(__name__, __path__)
RULES: tuple[Rule, ...] = in_order()
"""The rules, in the order in which their findings matter where they are equally severe."""

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
    kept = recording.derived.get("findings")
    if kept is None:
        run = paths_of(recording).run
        reported = [finding for rule in RULES for finding in sorted(rule(run), key=lambda f: f.step)]
        implied = {rule for f in reported for rule in CONSEQUENCES.get(f.rule, ())}
        reported = [f for f in reported if f.rule not in implied]
        kept = recording.derived["findings"] = sorted(reported, key=lambda f: _SEVERITIES.index(f.severity))
    answer: list[Finding] = kept
    return list(answer)


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
        if f.related:
            lines.append(f"    see also: {', '.join(dict.fromkeys(run.site_text(site) for site in f.related))}")
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)
