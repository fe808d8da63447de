"""A notebook's replay is a lesson: pages with their notes, a stretch of the tape, a moment, and what is to be guessed."""

from __future__ import annotations

from typing import Any

import msgspec

from components.html.notes import note_html
from engine.graph import lessons
from engine.recording import Recording


def lesson(recording: Recording) -> dict[str, Any] | None:
    """The pages as the replay's script takes them; None for what is no notebook with notes."""
    if not recording.story:
        return None
    stretches = lessons.stretches(recording)
    pages = []
    for notes, cell in recording.story.pages(len(recording.source)):
        page: dict[str, Any] = {"prose": "".join(map(note_html, notes)), "cell": cell}
        if cell in stretches:
            look = recording.story.look(cell)
            first, last = stretches[cell]
            asked = lessons.answer(recording, look) if look.predict else None
            step = lessons.moment_of(recording, look)
            assert step is not None
            page |= {
                "first": first, "last": last, "step": step, "selected": lessons.selected_of(recording, look), "view": look.view,
                "from": max(first, step - lessons.PLAYED), "question": look.predict.strip(),
                "answer": None if asked is None else msgspec.to_builtins(asked),
            }  # fmt: skip
        pages.append(page)
    return {"pages": pages}
