"""How much there is to draw of a recording: its events, or their parts where these are more than usual."""

from __future__ import annotations

from engine.recording import Recording
from engine.sandbox.transport.budget import parts_of_events

USUAL = 8
"""Parts of an event (inputs, dimensions, edges) in nearly every program, at most; stacking a thousand tensors has more."""


def extent(recording: Recording) -> int:
    """How many events of the usual size take as long to draw. Counted once and kept on the recording."""
    return recording.once("extent", lambda: max(len(recording.events), parts_of_events(recording.tape) // USUAL))
