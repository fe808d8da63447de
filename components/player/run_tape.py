"""What the player is told of a rolled run: of all of it a few columns, and what happens in it for a window of steps."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

import numpy as np

from components.player.folds import index_of_groups
from components.player.tape import queue_rows, written_up
from engine.graph import segments
from engine.graph.rolled_view import RolledView
from engine.graph.shown.captions import captions_between
from engine.recording import Recording
from engine.recording.index import index_of


def of_run(recording: Recording, everything: RolledView) -> dict[str, Any]:
    """The parts of a payload that stay while the run does: where each step is in the text, segments, ends of visits to lines.

    They are columns, so that they are small and quickly made for any number of events.
    """
    table = [[s.cell, [s.line, s.column, s.end_line, s.end_column] if s.line else None] for s in recording.sites]
    parts = segments(recording)
    names = {name: number for number, name in enumerate(dict.fromkeys((part.label, part.kind) for part in parts))}
    return {
        "steps": {"total": len(recording.events), "sites": column(everything.sites_of_steps), "table": table},
        "segments": {
            "from": column(np.array([part.first for part in parts], np.int64)),
            "name": column(np.array([names[part.label, part.kind] for part in parts], np.int64)),
            "names": list(names),
        },
        "lines": column(everything.line_ends),
        "passes": len(index_of(recording).passes),
        "index": index_of_groups(everything, everything.folding),
    }


def of_window(recording: Recording, everything: RolledView, first: int, last: int) -> dict[str, Any]:
    """What happens from one step to another: captions, the cards that each step is about, the passes that run."""
    return {
        "captions_from": first,
        "captions": written_up(captions_between(recording, first, last)),
        "focuses": [everything.about(step) for step in range(first, last + 1)],
        "running": written_up(queue_rows(recording, everything.card_of_node, (first, last))),
    }


def column(numbers: np.ndarray[Any, np.dtype[np.int64]]) -> dict[str, Any]:
    """Whole numbers as `frontend/src/steps.js` reads them: of two bytes where that is enough, else of four."""
    wide = 4 if np.abs(numbers).max(initial=0) >= 1 << 15 else 2
    return {"bytes": wide, "data": b64encode(numbers.astype(f"<i{wide}").tobytes()).decode()}
