"""The pictures of one view in a replay: folded as it opens, and with each group open, since a file cannot ask for another."""

from __future__ import annotations

from typing import Any

import msgspec

from components.player import cards, feed, tape
from components.player.cards import Lines
from components.player.picture import Wish, drawing
from components.replay.openings import Rows, openings, running, standing
from engine.graph.chosen import NONE_CHOSEN, Chosen
from engine.graph.graph_view import graph_view
from engine.graph.structure.folding import Mode
from engine.progress import Tell, told, untold
from engine.recording import Recording

FOLD: Mode = "auto"


def pictures(
    recording: Recording, view: str, direction: str, name: str, lines: Lines, tell: Tell = untold, chosen: Chosen = NONE_CHOSEN
) -> dict[str, Any]:
    """What all pictures of a view share, and the pictures by name: {"shared", "nodes", "edges", "pictures"}.

    `shared` is what the player puts together of a message, without what differs. `nodes` and `edges` are tables; a picture's
    own `nodes` are [row in the table, x, y], its `edges` [row, whether far, route]; `vis` is whether vis-network draws it.
    """
    first = graph_view(recording, view, fold=FOLD)
    wish, window = Wish(view, direction, name, FOLD, chosen=chosen), (0, len(recording.events) - 1)
    nodes, edges = Rows(), Rows()
    made: dict[str, Any] = {}
    options: dict[str, Any] = {}
    for title, opened in told(list(openings(first)), tell):
        d = drawing(recording, msgspec.structs.replace(wish, opened=tuple(sorted(opened))))
        data = feed.picture(d, window, cards.shown(d, window))
        options = options or (data.network.options if data.network else {})
        made[title] = {
            "rev": d.rev, "fold": data.fold, "legend": data.legend, "sites": data.sites, "vis": data.network is not None,
            "nodes": [standing(card, nodes) for card in data.nodes],
            "edges": [running(line, edges) for line in data.edges],
        }  # fmt: skip
    whole = drawing(recording, msgspec.structs.replace(wish, fold="none"))
    shared = {
        "tape": wish.tape, "total": len(recording.events), "picture": wish.name, "view": view, "direction": direction,
        "options": options, "run": tape.run(first, captioned=True),
        "details": cards.detailed(whole, cards.shown(whole, window), lines),
    }  # fmt: skip
    return {"shared": shared, "nodes": nodes.rows, "edges": edges.rows, "pictures": made}
