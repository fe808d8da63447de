"""What a node sends when it runs, written out with numbers."""

from __future__ import annotations

from components.html.formulas_html import MOST, contributions_at, edge_title, edges_on_show, heading, steps_html
from components.html.markup import muted, tag
from engine.recording import Recording


def formula_html(recording: Recording, step: int) -> str:
    """The formulas of a step at which a node runs; "" where there are none."""
    into, edges = edges_on_show(recording, step, None)
    found = contributions_at(recording, edges, None)
    if not found:
        return ""
    lines = [part for c in found[:MOST] for part in (edge_title(recording, c), steps_html(c))]
    more = muted(f"and {len(found) - MOST} more") if len(found) > MOST else ""
    return tag("section", heading(recording, into, found, len(found)), *lines, more, cls="gt-section")
