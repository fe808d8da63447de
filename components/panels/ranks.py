"""Ranks: the processes of one training side by side, and what is wrong with all of them together."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from components.html.diagnosis_html import each_html
from components.html.markup import more, muted, table, text
from components.page.ranks import Ranks, pin_rank
from components.panels import Beside, panel
from engine.diagnosis.ranks import RankFacts
from engine.graph.numbers import number
from engine.recording import Recording

ROWS = 64
"""Ranks that are listed."""


def badge(recording: Recording) -> str:
    """The panel's name with the rank on show."""
    return f"Ranks {recording.rank}/{recording.world_size}"


@panel("Ranks", 85, label=badge, when=lambda recording: recording.world_size > 1)
def ranks_panel(on: Beside) -> None:
    """What each rank has done, what is wrong with them together, and which of them is compared with the one on show."""
    ranks = on.memory(Ranks)
    with st.container(key="ranks", height="stretch", border=False):
        if not ranks.facts or not ranks.hold(on.recording):
            st.html(
                muted(
                    f"This is rank {on.recording.rank} of {on.recording.world_size}. Open the files of several ranks at once "
                    "to see them side by side, here or with gradtape open run.rank*.gradtape."
                )
            )
            return
        st.html(ranks_html(ranks.facts))
        others = [k for k, each in enumerate(ranks.recordings) if each is not on.recording]
        labels = [f"rank {ranks.facts[k].rank}: {ranks.names[k]}" for k in others]
        now = next((place for place, k in enumerate(others) if ranks.recordings[k] is on.page.pinned), None)
        chosen = st.selectbox("Compared with", labels, index=now, key="rank_beside", placeholder="Choose a rank")
        if chosen is not None and (now is None or labels.index(chosen) != now):
            pin_rank(others[labels.index(chosen)])
            st.rerun()
        shown = each_html(ranks.recordings[0], ranks.found)
        st.html("".join(shown) if shown else muted("Nothing looks wrong with the ranks together."))


def ranks_html(facts: Sequence[RankFacts]) -> str:
    """The ranks as a table."""
    rows = [
        ("", [
            text(str(each.rank)), f"{each.step_count:,}", f"{each.pass_count:,}", f"{each.collective_count:,}",
            "" if each.loss is None else text(number(each.loss)),
            text(each.error or each.last + ("" if each.complete else ", no end"), 120),
        ])
        for each in facts[:ROWS]
    ]  # fmt: skip
    head = ["rank", "steps", "passes", "together", "last loss", "last seen at"]
    return table(head, rows) + more(len(facts), ROWS)
