"""Runs that are shown rolled: what the user wants of their loops, and which node of the run a card stands for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from components.page.state import Page, page
from components.player.protocol import RolledWish
from engine.graph.rolled_graph import RolledGraph, rolled_graph
from engine.graph.structure.rolled import is_card
from engine.recording import Recording


def view_of(p: Page, recording: Recording) -> RolledGraph | None:
    """The rolled view on show, if it is one."""
    return rolled_graph(recording, p.view, p.turned) if p.rolls(recording) else None


def heed(recording: Recording, wish: RolledWish | None) -> None:
    """Take note of what the player says of loops: rolled or not, turned ones, the steps that it wants to know more of."""
    p = page()
    if wish is None or p.heeded == wish:
        return
    p.heeded = wish
    now = p.rolls(recording)
    if wish.on != now:
        p.rolled, p.unfolded = wish.on, None
    if wish.turned != p.turned:
        _turn(p, recording, wish.turned)
    p.window = wish.window


def _turn(p: Page, recording: Recording, turned: tuple[str, ...]) -> None:
    """Take loops for the other kind, and open cards. Groups that are open stay so; new ones are as a first view has them."""
    before = rolled_graph(recording, p.view, p.turned)
    p.turned = tuple(sorted(name for name in set(turned) if name in before.loops or is_card(name)))
    now = rolled_graph(recording, p.view, p.turned)
    opened = before.at_first if p.unfolded is None else p.unfolded
    known = now.folding.groups.keys()
    p.unfolded = tuple(sorted(known & {*opened, *(now.at_first - before.folding.groups.keys())}))


def window_of(p: Page, view: RolledGraph, run: str) -> tuple[int, int] | None:
    """The steps of which the player is told what cards show; of a run that was not on show before, those around the moment at
    which it is to go on."""
    if p.windowed != run:
        p.windowed = run
        p.window = None if p.keep is None else view.window(p.keep["step"])
    return p.window


def window_on_show(p: Page, view: RolledGraph, run: str) -> tuple[int, int] | None:
    """The same for a player that has nothing of the picture: what it has fetched besides, Python does not know."""
    window = window_of(p, view, run)
    if p.step is None or (window is not None and window[0] <= p.step <= window[1]):
        return window
    return view.window(p.step)


def chosen(p: Page, view: RolledGraph, key: str | None, step: int) -> str | None:
    """The node of the run that the player has selected. That another iteration has another one of the same card is no click."""
    found = concrete(view, key, step)
    if key == p.card:
        p.reported = found
    p.card = key
    return found


def concrete(view: RolledGraph, key: str | None, step: int) -> str | None:
    """The node of the run that a selected card stands for at a step; None for an optimizer's step, which has none."""
    if key is None or key.startswith("g:"):
        return key
    found = view.member(key, step)
    return found if found[0] in "tn" else None


def card(view: RolledGraph, key: str | None) -> str | None:
    """The card that stands for a node of the run."""
    return None if key is None else view.key_of(key)


def marks(view: RolledGraph, overlay: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    """Marks over nodes of the run, as marks over the cards that stand for them."""
    if overlay is None:
        return None
    of = view.key_of
    edges = {}
    for name, mark in overlay.get("edges", {}).items():
        a, b = map(of, name.split(">")[:2])
        edges[f"{a}>{b}"] = mark
    links = [{**link, **{end: of(link[end]) for end in ("from", "to")}} for link in overlay.get("links", ())]
    nodes = {of(key): mark for key, mark in overlay.get("nodes", {}).items()}
    return {**overlay, "nodes": nodes, "edges": edges, "links": links}
