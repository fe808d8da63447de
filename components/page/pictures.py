"""The picture that the player is sent of the recording on show: made here or by another process, and kept."""

from __future__ import annotations

from typing import Any

from components.page import tasks
from components.page.state import Asked, Page, page
from components.player import isolated
from components.player.isolated import Picture
from components.player.picture import Drawing, Wish, drawing, view_of
from components.player.protocol import FoldsWish, Window
from engine.graph.graph_view import to_open
from engine.graph.rolled_graph import RolledGraph
from engine.recording import Recording
from engine.sandbox.calls import CallError

MOST = 4
"""Pictures of one recording that are kept."""


def wish_of(p: Page, recording: Recording, run: str) -> Wish:
    """The picture that the page is to show; `run` tells the recording from others, and from itself merged with a pinned one."""
    if not p.rolls(recording):
        return Wish(p.view, p.direction, run, p.fold, p.unfolded, chosen=p.chosen)
    return Wish(p.view, p.direction, run, p.fold, p.unfolded, True, p.turned, p.name, p.chosen)


def unfold(recording: Recording, shown: Wish, told: FoldsWish | None) -> None:
    """Take note of the groups that the user wants open in a picture."""
    p = page()
    if told is None or told.picture != shown.name:
        return
    view = view_of(recording, shown)
    wanted: tuple[str, ...] = ()
    if told.wanted is not None:
        wanted = to_open(view.groups, view.structure.key_of(told.wanted))
        if view.rolled is not None and p.sought != told:
            p.sought = told
            show_moment(view.rolled, told.wanted)
    p.unfolded = tuple(dict.fromkeys(id for id in (*told.opened, *wanted) if id in view.groups.groups))


def show_moment(view: RolledGraph, node: str) -> None:
    """Have the player go to the iteration in which a card stands for a node of the run, and select it."""
    p = page()
    key = view.rolled.key_of.get(node)
    if key is None:
        return
    away = p.step is None or view.member(key, p.step) != node
    p.order(step=view.moment(node) if away else None, select=key)
    p.expected.add(node)


def drawn_here(p: Page, recording: Recording, pinned: Recording | None, wish: Wish) -> Drawing:
    """A picture, kept with what has been made of it."""
    if wish not in p.drawings:
        if len(p.drawings) >= MOST or any(other.run.split()[0] != p.run_id for other in p.drawings):
            p.drawings.clear()
        p.drawings[wish] = drawing(recording, wish, pinned)
    return p.drawings[wish]


def drawn_apart(
    recording: Recording, pinned: Recording | None, wish: Wish, window: Window | None
) -> tuple[Picture | None, Picture | None]:
    """The picture, which another process draws when it is asked for, and the last one of this recording; None where there is
    none yet."""
    p = page()
    there: dict[Asked, Picture] = recording.derived.setdefault("pictures", {})
    name = pinned, wish, window
    if name not in there and p.asked != name:
        p.asked, p.undrawn = name, ""

        def arrived(drawn: Picture) -> None:
            for old in list(there)[: max(0, len(there) - MOST + 1)]:
                del there[old]
            there[name] = drawn
            p.asked = None
            recording.derived["findings"] = drawn.findings

        def failed(error: CallError) -> None:
            p.undrawn = f"The graph could not be drawn: {error}."

        def work(stop: Any) -> Picture:
            return isolated.picture(recording, pinned, wish, window, stop)

        tasks.start("picture", "Drawing the graph", work, arrived, failed=failed)
    return there.get(name), next(reversed(there.values()), None)


def draw_again() -> None:
    """Ask once more for the picture that was asked for last."""
    page().asked = None
