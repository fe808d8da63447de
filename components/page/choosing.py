"""What the user does to cards of the graph: hides them, gives them a colour, has their values watched."""

from __future__ import annotations

from collections.abc import Iterable

from components.page import controls
from components.page.keeping.record import MARKED
from components.page.rolling import concrete
from components.page.selection import exists, translated
from components.page.state import Page
from components.player.protocol import Choice, Choices, read
from engine.graph.chosen import Chosen
from engine.graph.graph_view import GraphView
from engine.graph.structure.tensor_titles import best_name
from engine.graph.watch import MOST


def heed(p: Page, view: GraphView, run: str, told: Choices | None) -> None:
    """Do what the player has told since it was heard last, in this view of this run; nonsense is passed over."""
    for each in told.last if told is not None else ():
        choice = read(each, Choice)
        if choice is not None and choice.n > p.chose:
            p.chose = choice.n
            if choice.run == run:
                _do(p, view, choice)


def _do(p: Page, view: GraphView, choice: Choice) -> None:
    key, hidden, coloured = choice.key, p.chosen.hidden, p.chosen.coloured
    if choice.do == "watch":
        _watch(p, view, key)
    elif choice.do == "show" and not key:
        p.chosen = Chosen((), coloured)
    elif choice.do == "colour":
        rest = dict(coloured)
        for one in _same(view, rest, key):
            del rest[one]
        more = () if choice.colour is None else ((key, choice.colour),)
        p.chosen = Chosen(hidden, (*rest.items(), *more)[:MARKED])
    else:
        same = _same(view, hidden, key)
        rest_hidden = tuple(one for one in hidden if one not in same)
        p.chosen = Chosen((*rest_hidden, *((key,) if choice.do == "hide" else ()))[:MARKED], coloured)


def _same(view: GraphView, keys: Iterable[str], key: str) -> list[str]:
    """Those of the keys, which may have been chosen in other views, for which the same card stands."""
    return [one for one, cards in view.cards_of(keys).items() if one == key or key in cards]


def _watch(p: Page, view: GraphView, key: str) -> None:
    """Watch a tensor by its name; of too many the first is let go."""
    if view.rolled is not None and key in view.rolled.graph:
        key = concrete(view.rolled, key, p.step or 0) or ""
    if not key[1:].isdecimal() or not exists(view.recording, key):
        return
    tensor = translated(view.recording, key, "tensors")
    name = best_name(view.recording, int(tensor[1:])) if tensor is not None else ""
    if name:
        p.watched = [*(each for each in p.watched if each != name), name][-MOST:]
        controls.put(f"watch_{p.shown}", p.watched)
