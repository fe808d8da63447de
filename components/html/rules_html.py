"""Rules of the diagnosis as HTML: what one means, and the programs that the catalogue has of it."""

from __future__ import annotations

from components.html.markup import tag, text
from engine.diagnosis.findings.catalogue import Entry, entry


def rule_of(id: str, opens: bool) -> str:
    """The id of a finding's rule, which unfolds to what the catalogue says of it; `opens` where the page is at hand, in which
    its programs can be opened."""
    return tag("details", tag("summary", tag("code", text(id))), entry_html(entry(id), opens), cls="gt-rule")


def entry_html(shown: Entry, opens: bool = False) -> str:
    """A rule: its meaning, and the broken and the mended program."""
    parts = [tag("p", text(shown.kind.meaning))]
    for which, program in (("broken", shown.broken), ("mended", shown.mended)):
        about = f": {shown.about}" if which == "broken" else ""
        address = f"?example={shown.kind.id}.{which}"
        link = tag("a", text("open it"), href=address, target="_blank", rel="noopener") if opens else ""
        parts += [tag("div", text(which.capitalize() + about), " ", link, cls="gt-muted"), tag("pre", text(program))]
    return tag("div", *parts)
