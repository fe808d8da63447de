"""What cards and edges show in a window of steps, and what a debugger asks of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from msgspec import UNSET, UnsetType

from components.player.picture import Drawing
from components.player.protocol import Card, CardTold, Details, Drawn, LineTold, Row, RowTold, Spark, Told, Window
from engine.diagnosis import Finding
from engine.diagnosis.findings import findings_at_hand, known_findings
from engine.graph import Faces, changes, faces, gradients, node_sites
from engine.graph.rolled_cards import parameters, sparkline, title_within
from engine.graph.rolled_graph import RolledGraph
from engine.graph.shown.run_index import Norms
from engine.graph.shown.state_history import EdgeKey
from engine.graph.structure.folding import shown_member
from engine.recording.events import NodeRan

Lines = Callable[[int, int, int], Sequence[str]]
"""(step, node, its edge) → lines of text about the gradient that leaves there: upstream × local = contribution."""
MAX_DETAILS = 4000
"""Beyond so many gradients on edges their details are left out, so that the page stays quick."""
NORMS = 20_000
"""Changes of `.grad` that breakpoints look at over the whole run; of a longer one those in the window."""


def shown(d: Drawing, window: Window) -> Faces:
    """What everything shows; of a run that is not rolled, at all steps."""
    return faces(d.recording, d.own) if d.both else d.view.faces(window)


def tell(d: Drawing, data: Drawn, seen: Faces, window: Window) -> None:
    """Add to a picture what happens in it."""
    if (rolled := d.view.rolled) is not None:
        _tell_rolled(d, rolled, data, seen, window)
    else:
        _tell_whole(d, data, seen)
    for line, at in zip(data.edges, d.graph.edges(keys=True), strict=True):
        line.history = list(seen.edges.get(at, ()))
    sites = dict.fromkeys(site for card in data.nodes for site in _sites(card))
    named = {site: d.recording.sites[site] for site in sites}
    data.sites = {site: (s.cell, s.line, s.column, s.end_line, s.end_column) for site, s in named.items()}


def _sites(card: Card) -> Iterable[int]:
    yield from card.sites or ()
    for row in card.rows or ():
        yield from row.sites


# --- a run that is not rolled -------------------------------------------------------------------------------------------------


def _tell_whole(d: Drawing, data: Drawn, seen: Faces) -> None:
    recording, graph, whole = d.recording, d.own, d.view.structure
    told = told_of_groups(d, findings_at_hand(recording)) if d.view.groups.groups else {}
    if d.both:
        changed, norms, sites = changes(recording, graph), gradients(recording, graph), node_sites(recording, graph)
    else:
        changed, norms, sites = whole.changes, whole.norms, whole.node_sites  # type: ignore[union-attr]
    for card in data.nodes:
        key = card.id
        if key not in graph:
            card.history = [(0, d.both.faces[key])] if d.both and key in d.both.faces else []  # type: ignore[list-item]
            continue
        a = graph.nodes[key]
        card.history = seen.nodes.get(key, [])
        card.op, card.sites = a["op"], list(sites.get(key, ()))
        # A closed group changes whenever its card does.
        card.changes = changed[key] if key in changed else [step for step, _ in card.history]
        # What most cards have not is left out.
        card.pass_ = a["in_backward"] or UNSET
        card.grads, card.findings = norms.get(key, UNSET), told.get(key, UNSET)
        members = a.get("members", (key,))
        card.alarm, card.nan = _first(whole.troubles, members), _first(whole.nans, members)


def told_of_groups(d: Drawing, found: Iterable[Finding]) -> dict[str, list[str]]:
    """Closed group → the titles of the findings that are about something in it."""
    told: dict[str, list[str]] = {}
    for finding in found:
        for there in dict.fromkeys(map(d.view.card_of, finding.nodes)):
            if there.startswith("g:"):
                told.setdefault(there, []).append(finding.title)
    return told


def detailed(d: Drawing, seen: Faces, lines: Lines) -> Details:
    """Edge → lines of text for the steps at which a gradient passes."""
    graph = d.own
    alone = [(u, v, k) for u, v, k, parts in graph.edges(keys=True, data="parts") if len(parts or ()) < 2]
    active = {edge: [step for step, face in seen.edges[edge] if face.active] for edge in alone}
    if sum(map(len, active.values())) > MAX_DETAILS:
        return {}
    told: Details = {}
    for edge, steps in active.items():
        for step in steps:
            event = d.recording.events[step]
            if not isinstance(event, NodeRan):
                continue
            for slot in _slots(d, event, edge):
                if found := lines(step, event.node, slot):
                    told.setdefault("{}>{}>{}".format(*edge), {}).setdefault(step, []).extend(found)
    return told


def _slots(d: Drawing, event: NodeRan, edge: EdgeKey) -> list[int]:
    """The edges of a node that ran which an edge of the picture stands for."""
    if (rolled := d.view.rolled) is None:
        return [slot for node, slot in d.own.edges[edge]["carries"] if node == event.node]
    # It carries what passes in all iterations: those of one are looked up.
    (one,) = d.own.edges[edge].get("parts") or (edge,)
    return [slot for slot in range(len(event.sent)) if one in rolled.carriers.get((event.node, slot), ())]


# --- a rolled run -------------------------------------------------------------------------------------------------------------


def _tell_rolled(d: Drawing, rolled: RolledGraph, data: Drawn, seen: Faces, window: Window) -> None:
    told = told_of_groups(d, known_findings(d.recording) or ())
    norms = rolled.norms if rolled.lasting_grads <= NORMS else rolled.norms_between(*window)
    for card in data.nodes:
        key, a = card.id, d.graph.nodes[card.id]
        members = a.get("members")
        one = key if members is None else shown_member(rolled.graph, members)
        card.op, card.pass_ = a["op"], a["in_backward"]
        card.history = seen.nodes[key]
        card.changes = [step for step, _ in card.history if step >= window[0]]
        card.sites, card.grads = rolled.node_sites.get(one, []), norms.get(key, [])
        card.loop, card.times, card.some = rolled.graph.nodes[one]["loop"], a.get("times", 1), d.view.some(key)
        card.made, card.spark = rolled.made(one, *window), _spark(rolled, one, members)
        card.alarm, card.nan = _first(rolled.troubles, members or (key,)), _first(rolled.nans, members or (key,))
        card.findings = told.get(key, [])
        if members is not None:
            inside, card.parameters = parameters(rolled, members)
            card.rows = [_row(rolled, each, a["group"], seen, norms, window[0]) for each in inside]


def _first(since: Mapping[str, int], keys: Iterable[str]) -> int | UnsetType:
    return min((since[key] for key in keys if key in since), default=UNSET)


def _spark(rolled: RolledGraph, one: str, members: Sequence[str] | None = None) -> Spark | None:
    curves = sparkline(rolled, one, members)
    return Spark(*curves) if curves else None


def _row(rolled: RolledGraph, key: str, group: str, seen: Faces, norms: Norms, first: int) -> Row:
    a, history = rolled.graph.nodes[key], seen.nodes[key]
    return Row(
        key, title_within(a, group), "leaf", a["badge"], a["sub"], a["born"], _spark(rolled, key),
        history, rolled.node_sites.get(key, []), [step for step, _ in history if step >= first], norms.get(key, []), a["op"],
    )  # fmt: skip


def told_of(d: Drawing, rolled: RolledGraph, seen: Faces, window: Window) -> Told:
    """What everything in a rolled picture shows in another window."""
    of = seen.nodes
    shown = {key: shown_member(rolled.graph, a["members"]) if "members" in a else key for key, a in d.graph.nodes(data=True)}
    cards = [
        CardTold(
            key,
            of[key],
            rolled.made(shown[key], *window),
            [RowTold(one, of[one]) for one in parameters(rolled, a.get("members", ()))[0]],
        )
        for key, a in d.graph.nodes(data=True)
    ]
    lines = [LineTold("{}>{}>{}".format(*at), list(seen.edges[at])) for at in d.graph.edges(keys=True)]
    return Told(window, cards, lines)
