"""The picture that the player is sent of the recording on show: made here or by another process, and kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from components.page import rolling, tasks
from components.page.state import Page, page
from components.player import in_parts, isolated, knows
from components.player.folds import folding, to_open
from components.player.isolated import Picture, Wish
from components.player.payload import drawing, late_details, packed, payload, sketch
from components.player.rolled import RolledDrawing, not_rolled, rolled_drawing, rolled_news, rolled_payload
from components.player.tape import late_captions
from engine.diagnosis import findings
from engine.diagnosis.contributions import edge_lines
from engine.graph.rolled_view import RolledView, rolled_view, worth_rolling
from engine.graph.structure.folding import Mode
from engine.recording import Recording
from engine.sandbox.calls import CallError

MOST = 4
"""Pictures of one recording that are kept."""

Late = Mapping[str, Callable[[], Any]]
"""Gives what the player is sent of a large recording when it has the picture."""


def unfold(recording: Recording, picture: str, wish: Mapping[str, Any] | None) -> None:
    """Take note of the groups that the user wants open in a picture."""
    p = page()
    if not isinstance(wish, Mapping) or wish.get("picture") != picture or not isinstance(wish.get("opened"), list):
        return
    view = rolling.view_of(p, recording)
    groups = folding(recording, p.view, p.fold) if view is None else view.folding
    wanted: tuple[str, ...] = ()
    if isinstance(named := wish.get("wanted"), str):
        wanted = to_open(groups, named if view is None else view.rolled.key_of.get(named, named))
        if view is not None and p.sought != wish:
            p.sought = wish
            show_moment(view, named)
    p.unfolded = tuple(dict.fromkeys(id for id in (*wish["opened"], *wanted) if isinstance(id, str) and id in groups.groups))


def show_moment(view: RolledView, node: str) -> None:
    """Have the player go to the iteration in which a card stands for a node of the run, and select it."""
    p = page()
    key = view.rolled.key_of.get(node)
    if key is None:
        return
    p.commands += 1
    away = p.step is None or view.member(key, p.step) != node
    p.command = {"n": p.commands, "step": view.moment(node) if away else None, "select": key, "open": True}
    p.expected.add(node)


def rolled_here(p: Page, recording: Recording, run: str) -> dict[str, Any]:
    """The player's data for a rolled run, with what the cards show in the window that it asks for."""
    drawn = _rolled(p, recording, run)
    if not in_parts(recording):
        findings(recording)
    return packed(rolled_payload(drawn, rolling.window_of(p, drawn.everything, run), edge_lines(recording), p.name))


def rolled_news_for(p: Page, recording: Recording, run: str, holds: Any) -> dict[str, Any] | None:
    """What a player that shows the picture of a long rolled run lacks; None for one that does not show it.

    It is never drawn apart: a window has a bounded number of steps, whatever the length of the run.
    """
    if not p.rolls(recording) or not in_parts(recording) or not isinstance(holds, Mapping) or "window" not in holds:
        return None
    drawn = _rolled(p, recording, run)
    if holds.get("rev") != drawn.rev or holds.get("tape") != drawn.tape:
        return None
    return rolled_news(drawn, rolling.window_of(p, drawn.everything, run), holds["window"], edge_lines(recording))


def _rolled(p: Page, recording: Recording, run: str) -> RolledDrawing:
    view = rolled_view(recording, p.view, p.turned)

    def draw() -> RolledDrawing:
        return rolled_drawing(recording, p.view, p.direction, run, p.turned, p.unfolded)

    drawn: RolledDrawing = view.once(("drawn", run, p.direction, p.unfolded), draw)
    return drawn


def drawn_here(p: Page, recording: Recording, pinned: Recording | None, run: str, holds: Any) -> tuple[dict[str, Any], Late]:
    """The player's data, and what comes later; of a large recording that it knows nothing of, a sketch to begin with."""
    fold: Mode = "none" if pinned else p.fold
    late: Late = {
        "captions": partial(late_captions, recording),
        "details": partial(late_details, recording, p.view, fold, p.unfolded, edge_lines(recording)),
    }
    key = (run, p.view, p.direction, p.fold, p.unfolded)
    if key in p.payloads:
        return p.payloads[key], late
    large = in_parts(recording)
    begun, p.sketched = p.sketched, None
    if begun is not None and begun[0] == key:
        drawn = begun[1]
    else:
        drawn = drawing(recording, p.view, p.direction, run, pinned, p.fold, p.unfolded)
    if large and pinned is None and not knows(holds, drawn.rev, drawn.tape):
        p.sketched = key, drawn
        return packed(sketch(drawn)) | {"rolled": not_rolled(worth_rolling(recording))}, late
    if len(p.payloads) >= MOST or any(other[0].split()[0] != p.run_id for other in p.payloads):
        p.payloads.clear()
    made = packed(payload(drawn, edge_lines(recording), complete=not large))
    if pinned is None:
        made["rolled"] = not_rolled(worth_rolling(recording))
    p.payloads[key] = made
    return made, late


def drawn_apart(recording: Recording, pinned: Recording | None, wish: Wish) -> tuple[Picture | None, Picture | None]:
    """The picture, which another process draws when it is asked for, and the last one of this recording; None where there is
    none yet."""
    p = page()
    there: dict[tuple[Recording | None, Wish], Picture] = recording.derived.setdefault("pictures", {})
    name = pinned, wish
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
            return isolated.picture(recording, pinned, wish, stop)

        tasks.start("picture", "Drawing the graph", work, arrived, failed=failed)
    return there.get(name), next(reversed(there.values()), None)


def draw_again() -> None:
    """Ask once more for the picture that was asked for last."""
    page().asked = None
