"""What the user does to cards of the graph: hides them, gives them a colour, has their values watched."""

from __future__ import annotations

from components.page import controls
from components.page.keeping.record import MARKED
from components.page.rolling import concrete
from components.page.selection import translated
from components.page.state import Page
from components.player.protocol import Choice, Choices
from engine.graph.chosen import Chosen
from engine.graph.rolled_graph import RolledGraph
from engine.graph.structure.tensor_titles import best_name
from engine.graph.watch import MOST
from engine.recording import Recording


def heed(p: Page, recording: Recording, view: RolledGraph | None, told: Choices | None) -> None:
    """Do what the player has told since it was heard last."""
    for choice in told.last if told is not None else ():
        if choice.n > p.chose:
            p.chose = choice.n
            _do(p, recording, view, choice)


def _do(p: Page, recording: Recording, view: RolledGraph | None, choice: Choice) -> None:
    key = choice.key
    if choice.do == "watch":
        _watch(p, recording, concrete(view, key, p.step or 0) if view is not None else key)
    elif choice.do == "show":
        p.chosen = Chosen(tuple(each for each in p.chosen.hidden if key not in ("", each)), p.chosen.coloured)
    elif choice.do == "hide" and len(p.chosen.hidden) < MARKED:
        p.chosen = p.chosen.hide(key)
    elif choice.do == "colour" and (choice.colour is None or len(p.chosen.coloured) < MARKED):
        p.chosen = p.chosen.colour(key, choice.colour)


def _watch(p: Page, recording: Recording, key: str | None) -> None:
    """Watch a tensor by its name; of too many the first is let go."""
    tensor = translated(recording, key, "tensors")
    name = best_name(recording, int(tensor[1:])) if tensor is not None and tensor.startswith("t") else ""
    if name:
        p.watched = [*(each for each in p.watched if each != name), name][-MOST:]
        controls.put(f"watch_{p.shown}", p.watched)
