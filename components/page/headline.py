"""The headline: the worst that was found in the run on show, in one line above everything.

Its place is there and as high whether there is something to say or not: nothing below moves when a run ends well or badly. It
speaks of the run, not of the moment, so that it stays as it is from step to step.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import streamlit as st

from components.html.markup import literal, muted, shortened, tag, text
from components.page import fixing
from components.page.fixing import PURPOSE
from components.page.selection import go
from components.page.state import Page, page
from components.page.task_progress import by_itself
from components.panels import of_findings
from components.server.render_lock import in_turn
from engine.diagnosis import Finding, findings
from engine.diagnosis.findings import LONG, known_findings, outcome
from engine.diagnosis.fixes import offered
from engine.recording import Recording
from engine.recording.events import NOTHING

ICONS = {"error": ":material/error:", "warning": ":material/warning:", "hint": ":material/lightbulb:"}
TITLE, LONGEST = 200, 300
"""Characters of a finding's title and of what explains it: the line is cut where the page ends."""
NAMED = 4
"""Findings after the worst that are named."""
QUICK = 600
"""Events of a run whose findings are worked out before its picture is drawn: some 20 ms for 150 events."""
LOOK = 0.6
"""Seconds from one look at fixes that are tried to the next, and after which a run that stays on show has its fixes tried."""


@dataclass
class Headline:
    """What the line says, until more is known of the run that has come since."""

    of: tuple[int, str] = (0, "")
    """The program,"""
    said: tuple[Finding, ...] = ()
    """what was found in its last run whose findings are known,"""
    where: str = ""
    """and where the worst of that is."""
    known: tuple[int, int] = (0, 0)
    """The recording of which the page has told last, and how many proven fixes it had."""


def headline(p: Page) -> None:
    """The worst finding, or that there is none."""
    line, recording = p.memory(Headline), p.recording
    found = known(recording) if recording is not None else None
    line.known = known_of(recording)
    waits = found is None
    if found is not None and recording is not None:
        line.of, line.said = (p.shown, p.work), tuple(found)
        line.where = recording.site_text(found[0].site) if found else ""
    elif line.of != (p.shown, p.work):
        line.said = ()
    with st.container(key="headline", horizontal=True, vertical_alignment="center"):
        st.html(tag("span", cls="gt-unseen", data_gt_page=p.run_id), width="content")
        if line.said and (not waits or recording is not None):
            _worst(line, waits)
        elif recording is not None:
            _nothing(recording, waits)
        if not waits and recording is not None:
            _mended(recording)


def known(recording: Recording) -> list[Finding] | None:
    """The findings where nobody has to wait for them: of a short run, and of a longer one when they have been worked out."""
    return findings(recording) if len(recording.events) < QUICK else known_findings(recording)


def known_of(recording: Recording | None) -> tuple[int, int]:
    """What the page can tell of a recording: which one it is, if its findings are known, and how many have a proven fix."""
    if recording is None or (found := known_findings(recording)) is None:
        return (0, 0)
    proven = sum(f.edit is not None for f in offered(recording)) if any(f.changes for f in found) else 0
    return id(recording), proven


def outdated(p: Page) -> bool:
    """Whether more is known of the run on show than the page tells."""
    return p.memory(Headline).known != known_of(p.recording)


def _worst(line: Headline, waits: bool) -> None:
    worst, rest = line.said[0], line.said[1:]
    title = literal(shortened(worst.title, TITLE))
    where = literal(line.where) if line.where else ""
    why = literal(shortened(worst.explanation, LONGEST))
    said = f"{shortened(worst.title, TITLE)} {line.where}" + (f", and {len(rest)} more" if rest else "")
    st.html(tag("div", "" if waits else text(said), cls="gt-unseen", role="status"), width="content")
    about = " · ".join(part for part in (where, why) if part)
    st.button(
        f"**{title}** {about}", key=f"headline_{worst.severity}", icon=ICONS[worst.severity], width="stretch",
        on_click=partial(_open, 0), disabled=waits,
    )  # fmt: skip
    if rest:
        st.button(
            f"and {len(rest)} more: {literal(_named(rest))}", key="headline_rest", on_click=partial(_open, -1), disabled=waits
        )


def _named(rest: Sequence[Finding]) -> str:
    return " · ".join(shortened(f.title.rstrip("."), TITLE // 2) for f in rest[:NAMED])


def _nothing(recording: Recording, waits: bool) -> None:
    """Nothing was found, or nobody has looked yet."""
    if not waits:
        st.html(muted(outcome(recording)[0].partition(". ")[0].rstrip(".") + "."))
    elif len(recording.events) > LONG:
        label = f"{len(recording.events):,} events: look for what is wrong with this run"
        st.button(label, key="headline_look", icon=":material/search:", on_click=partial(_open, -1))
    else:
        st.html(muted("Looking for what is wrong with this run …"))


def _open(number: int) -> None:
    """Open the findings, and go to the moment and place of one of them."""
    p = page()
    p.next_panel = of_findings()
    found = (known_findings(p.recording) or []) if p.recording is not None else []
    if 0 <= number < len(found):
        go_to(found[number])


def go_to(finding: Finding) -> None:
    """Have the player show a finding's moment and the first node that it is about."""
    go(None if finding.step == NOTHING else finding.step, next(iter(finding.nodes), None))


def _mended(recording: Recording) -> None:
    """Have the fixes of a run tried once it stays on show, where that is done without being asked for."""
    if not fixing.by_itself(recording) or not (fixing.untried(recording) or PURPOSE in page().tasks):
        return

    @st.fragment(run_every=LOOK)
    @in_turn
    def look() -> None:
        p = page()
        if not by_itself() or p.recording is None:
            return
        task = p.tasks.get(PURPOSE)
        if task is None and fixing.untried(p.recording):
            fixing.try_fixes(p.recording, fixing.untried(p.recording), patience=0)
        elif task is None or task.ticket.finished:
            st.rerun()

    look()
