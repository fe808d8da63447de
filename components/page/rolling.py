"""Runs that are shown rolled: what the user wants of their loops, and which node of the run a card stands for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from components.page.state import Page, page
from components.player.protocol import read_wish
from components.player.rolled import fold_name
from engine.graph.rolled_view import RolledView, rolled_view
from engine.recording import Recording


def view_of(p: Page, recording: Recording) -> RolledView | None:
    """The rolled view on show, if it is one."""
    return rolled_view(recording, p.view, p.turned) if p.rolls(recording) else None


def fold_of(p: Page, recording: Recording) -> str:
    """How the picture on show is folded, as part of its name."""
    return fold_name(p.turned) if p.rolls(recording) else p.fold


def heed(recording: Recording, told: Any) -> None:
    """Take note of what the player says of loops: rolled or not, turned ones, the steps that it wants to know more of."""
    p = page()
    wish = read_wish(told)
    if wish is None or p.heeded == told:
        return
    p.heeded = told
    now = p.rolls(recording)
    if wish.on != now:
        p.rolled, p.unfolded = wish.on, None
    if wish.turned != p.turned:
        known = {loop.id for loop in rolled_view(recording, p.view).loops.values()}
        p.turned, p.unfolded = tuple(sorted(known.intersection(wish.turned))), None
    p.window = wish.window


def window_of(p: Page, view: RolledView, run: str) -> tuple[int, int] | None:
    """The steps of which the player is told what cards show; of a run that was not on show before, those around the moment at
    which it is to go on."""
    if p.windowed != run:
        p.windowed = run
        p.window = None if p.keep is None else view.window(p.keep["step"])
    return p.window


def chosen(p: Page, view: RolledView, key: str | None, step: int) -> str | None:
    """The node of the run that the player has selected. That another iteration has another one of the same card is no click."""
    found = concrete(view, key, step)
    if key == p.card:
        p.reported = found
    p.card = key
    return found


def concrete(view: RolledView, key: str | None, step: int) -> str | None:
    """The node of the run that a selected card stands for at a step; None for an optimizer's step, which has none."""
    if key is None or key.startswith("g:"):
        return key
    found = view.member(key, step)
    return found if found[0] in "tn" else None


def card(view: RolledView, key: str | None) -> str | None:
    """The card that stands for a node of the run."""
    return None if key is None else view.rolled.key_of.get(key, key)


def marks(view: RolledView, overlay: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    """Marks over nodes of the run, as marks over the cards that stand for them."""
    if overlay is None:
        return None
    of = view.rolled.key_of
    edges = {}
    for name, mark in overlay.get("edges", {}).items():
        a, b = (of.get(key, key) for key in name.split(">")[:2])
        edges[f"{a}>{b}"] = mark
    ends = ("from", "to")
    links = [{**link, **{end: of.get(link[end], link[end]) for end in ends}} for link in overlay.get("links", ())]
    nodes = {of.get(key, key): mark for key, mark in overlay.get("nodes", {}).items()}
    return {**overlay, "nodes": nodes, "edges": edges, "links": links}
