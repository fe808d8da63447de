"""Findings: what is wrong or odd about the whole run."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from components.html.diagnosis_html import FINDINGS, each_html, edit_html, findings_html, rest_html
from components.html.markup import muted
from components.html.rules_html import entry_html
from components.menus.gallery import PROGRAMS
from components.page import fixing, tasks
from components.page.edits import mend
from components.page.fixing import PURPOSE
from components.page.opening import open_example
from components.page.pinned import pin
from components.page.status import task_bar
from components.page.task_progress import again
from components.panels import Beside, panel
from components.player.feed import in_parts
from engine.diagnosis import Finding, findings
from engine.diagnosis.findings import known_findings
from engine.diagnosis.findings.catalogue import entry, kinds
from engine.diagnosis.fixes import not_offered, offered
from engine.diagnosis.reason import Edit
from engine.program.parsing import UnreadError, read_cells
from engine.recording import Recording


def badge(recording: Recording) -> str:
    """The panel's name with the number of errors and warnings, in red; of a large recording when they are known, since no panel
    waits for them."""
    found = known_findings(recording) or () if in_parts(recording) else findings(recording)
    count = sum(f.grave for f in found)
    return f"Findings :red[**{count}**]" if count else "Findings"


@panel("Findings", 20, label=badge, timed=False, finds=True)
def findings_panel(on: Beside) -> None:
    """The findings of the run."""
    with st.container(key="findings", height="stretch", border=False):
        tasks.settle()
        found = offered(on.recording)
        if fixing.by_itself(on.recording):
            fixing.try_fixes(on.recording, found[:FINDINGS])
            found = offered(on.recording)
        _list(on, found)
        if PURPOSE in on.page.tasks:
            task_bar(on.page, PURPOSE)
        _catalogue([f.rule for f in found])


def _list(on: Beside, found: Sequence[Finding]) -> None:
    """The findings, with what can be done about those that can be mended."""
    unread = unread_html(on.recording)
    if not any(f.changes for f in found[:FINDINGS]):
        st.html(unread + findings_html(on.recording, found, opens=True))
        return
    if unread:
        st.html(unread)
    for number, (finding, html) in enumerate(zip(found, each_html(on.recording, found, opens=True))):
        st.html(html)
        if finding.edit is not None:
            _fix(on, finding.edit, key=f"fix_{number}")
        elif fixing.can_be_tried(on.recording, finding) and PURPOSE not in on.page.tasks:
            _offer(on, finding, key=f"fix_{number}")
        elif why := not_offered(on.recording, finding):
            st.html(muted(f"A change was tried and is not offered. {why}"))
    if rest := rest_html(on.recording, found):
        st.html(rest)


def _fix(on: Beside, edit: Edit, *, key: str) -> None:
    """A fix that is proven: what it does, and what can be done with it."""
    p = on.page
    now = p.edited == [on.recording.source[k] for k in on.recording.own]
    with st.container(key=key, border=False):
        st.html(edit_html(edit))
        with st.container(horizontal=True, key=f"bar_{key}"):
            stale = "" if now else "The text has been changed since this run; run it, and the fix is tried anew."
            apply = st.button(
                "Apply", key=f"apply_{key}", icon=":material/build:", type="primary", disabled=not now,
                help=stale or "Change the text and run it; Ctrl Z in the editor takes it back",
            )  # fmt: skip
            compare = st.button(
                "Open both in Compare", key=f"compare_{key}", icon=":material/compare_arrows:", disabled=not now,
                help=stale or "Pin this run, change the text and run it: both runs stand side by side",
            )  # fmt: skip
    if apply or compare:
        before = p.pinned, p.pinned_name, p.pins, p.both
        if compare:
            pin()
            p.next_panel = "Compare"
        if not mend(on.recording, edit.changes) and compare:
            (p.pinned, p.pinned_name, p.pins, p.both), p.next_panel = before, ""
        st.rerun()


def _offer(on: Beside, finding: Finding, *, key: str) -> None:
    """A fix that is tried when it is asked for."""
    with st.container(key=key, border=False, horizontal=True):
        asked = st.button(
            "Try a fix", key=f"try_{key}", icon=":material/science:", disabled=bool(on.page.tasks),
            help="Runs a changed copy of the program, and shows the change only if it mends it: nothing else may be worse",
        )  # fmt: skip
    if asked:
        fixing.try_fixes(on.recording, [finding])
        again()


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
