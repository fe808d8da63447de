"""What the player is sent of a recording, as it puts it together."""

from __future__ import annotations

from typing import Any

from components.player import feed
from components.player.cards import Lines
from components.player.picture import Wish, drawing
from components.player.protocol import Holds, Window
from engine.recording import Recording


def nothing(*_: int) -> tuple[str, ...]:
    """No details."""
    return ()


def sent(
    recording: Recording,
    wish: Wish | None = None,
    *,
    pinned: Recording | None = None,
    holds: Holds | None = None,
    lines: Lines = nothing,
    window: Window | None = None,
) -> dict[str, Any]:
    """What a player that holds this is sent next."""
    return feed.plain(feed.message(feed.parts_of(drawing(recording, wish or Wish(), pinned), lines, window), holds))
