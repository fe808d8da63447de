"""Findings: what is wrong or odd about the whole run."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from components.html.diagnosis_html import findings_html
from components.html.markup import muted
from components.html.rules_html import entry_html
from components.menus.gallery import PROGRAMS
from components.page.opening import open_example
from components.panels import Beside, panel
from components.player.feed import in_parts
from engine.diagnosis import findings
from engine.diagnosis.findings import known_findings
from engine.diagnosis.findings.catalogue import entry, kinds
from engine.program.parsing import UnreadError, read_cells
from engine.recording import Recording


def badge(recording: Recording) -> str:
    """The panel's name with the number of errors and warnings; of a large recording when they are known, since no panel waits
    for them."""
    found = known_findings(recording) or () if in_parts(recording) else findings(recording)
    count = sum(f.grave for f in found)
    return f"Findings {count}" if count else "Findings"


@panel("Findings", 20, label=badge)
def findings_panel(on: Beside) -> None:
    """The findings of the run."""
    with st.container(key="findings", height="stretch", border=False):
        found = findings(on.recording)
        st.html(unread_html(on.recording) + findings_html(on.recording, found, opens=True))
        _catalogue([f.rule for f in found])


def _catalogue(found: Sequence[str]) -> None:
    """All rules, to be searched, those that have found something first; the chosen one with programs that can be opened."""
    ids = list(dict.fromkeys([*found, *sorted(kinds())]))
    chosen = st.selectbox(
        f"All {len(ids)} rules", ids, index=None, key="rule", placeholder="Search by name", format_func=_label
    )
    if chosen is None:
        return
    st.html(entry_html(entry(chosen)))
    with st.container(horizontal=True, key="rule_programs"):
        for which in PROGRAMS:
            if st.button(f"Open the {which} program", key=f"open_{which}", icon=":material/open_in_browser:"):
                open_example(f"{chosen}.{which}")
                st.rerun()


def _label(id: str) -> str:
    """A rule in the list: what one may search it by."""
    return f"{id} ({kinds()[id].severity}): {kinds()[id].meaning}"


def unread_html(recording: Recording) -> str:
    """A remark that the program's text is too much to be read, if it is."""
    over = [one for one in read_cells(recording.source) if isinstance(one, UnreadError) and one.over]
    if not over:
        return ""
    if len(recording.source) == 1:
        return muted(f"{over[0].sentence('is read for findings')} They go by what was recorded alone.")
    return muted(f"{len(over):,} of {len(recording.source):,} cells are too much to be read for findings.")
