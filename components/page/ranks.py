"""Several recordings opened together, such as those of ranks: the first is on show, another one is pinned beside it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from components.page import tasks
from components.page.opening import show_recording
from components.page.pinned import compare_with
from components.page.state import page
from engine.diagnosis.ranks import RankFacts, facts_of, one_world, rank_findings
from engine.diagnosis.reason import Finding
from engine.opening import opened
from engine.opening import sentence as not_opened
from engine.recording import Recording
from engine.recording.recording import SUFFIX
from engine.sandbox.calls import CallError
from engine.sandbox.settings import settings

MOST, MOST_HOSTED = 64, 4
"""Recordings that a visitor holds at once; fewer on a public installation."""


@dataclass
class Ranks:
    """What was opened together."""

    recordings: tuple[Recording, ...] = ()
    names: tuple[str, ...] = ()
    facts: tuple[RankFacts, ...] = ()
    """What is known of each, where they are ranks of one training."""
    found: tuple[Finding, ...] = ()
    """What is wrong with all of them together, with its places in the first."""
    data: bytes = b""
    """The file of the first, until it is on show."""

    def hold(self, recording: Recording) -> bool:
        """Whether a recording is one of them."""
        return any(each is recording for each in self.recordings)


def recordings_in(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """The recordings among several files, if there are several."""
    found = {name: data for name, data in files.items() if name.endswith(SUFFIX)}
    return found if len(found) > 1 else {}


def open_together(files: Mapping[str, bytes], otherwise: Callable[[], None] = lambda: None, query: str | None = None) -> None:
    """Show the first of several recordings, when all have been read, with the second one pinned beside it."""
    p = page()
    p.notice = ""
    most = MOST_HOSTED if settings().hosted else MOST
    names = sorted(files)[:most]

    def work(stop: threading.Event) -> Ranks:
        read = []
        for name in names:
            try:
                content = opened(files[name], name, stop=stop)
            except CallError as error:
                raise CallError(error.status, not_opened(error, name)) from None
            if isinstance(content, Recording):
                read.append((content, name))
        if together := one_world([each for each, _ in read]):
            read.sort(key=lambda pair: pair[0].rank)
        recordings = tuple(each for each, _ in read)
        facts = tuple(map(facts_of, recordings)) if together else ()
        found = tuple(rank_findings(facts, recordings[0])[0]) if together else ()
        shown = tuple(name.rpartition("/")[2] for _, name in read)
        return Ranks(recordings, shown, facts, found, files[read[0][1]])

    def arrived(ranks: Ranks) -> None:
        show_recording(ranks.recordings[0], ranks.names[0], ranks.data, query)
        ranks.data = b""
        p.memories[Ranks] = ranks
        pin_rank(1)
        if len(files) > len(names):
            p.notice = f"{len(files)} recordings were chosen; the first {len(names)} are open."

    def failed(error: CallError) -> None:
        otherwise()
        p.notice = str(error)

    tasks.start("open", f"Opening {len(names)} recordings", work, arrived, failed=failed)


def pin_rank(number: int) -> None:
    """Compare the recording on show with another one of those that were opened together."""
    p = page()
    ranks = p.memory(Ranks)
    if 0 <= number < len(ranks.recordings):
        compare_with(ranks.recordings[number], ranks.names[number])
        p.both = True
