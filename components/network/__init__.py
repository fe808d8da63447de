"""A recording's graph as pyvis's Network, for those who go on with it in Python; and as the page that pyvis writes of it.

    from gradtape.components.network import network

    net = network(recording, view="autograd")
    net.show_buttons()
    net.write_html("graph.html")

Nodes stand where the layout puts them, and nothing moves. The page asks no other server for anything, and texts of the program
are only ever texts in it. This file is used in two kinds of processes, in which the engine has two names.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from html import escape
from importlib import import_module
from typing import TYPE_CHECKING, Any

import jinja2
import networkx as nx

from .pyvis_alone import TEMPLATES, Edge, Network, Node

if TYPE_CHECKING:
    from engine.graph import View
    from engine.graph.design import Palette, Theme
    from engine.graph.structure.build import Graph
    from engine.graph.structure.layout import Direction
    from engine.progress import Tell
    from engine.recording import Recording

OURS = __name__.rpartition("components.")[0]
"""How the names of our modules begin: as `gradtape.engine` is called in somebody's program, or as `engine` in our processes."""
HEIGHT = "90vh"
FONT = 13
CHARACTERS = 6.9
"""Pixels that a character takes at that size, about: labels are cut where a card would grow wider than the layout knows."""
_ELSEWHERE = re.compile(r"<(link|script)\s[^>]*//cdn\.jsdelivr\.net/[^>]*>(\s*</script>)?")
"""Bootstrap, which pyvis's page asks a server for in all cases, and does without."""
_TWICE = re.compile(r"<center>\s*<h1>\{\{heading\}\}</h1>\s*</center>")


def network(
    of: Recording | Graph,
    view: View = "tensors",
    direction: Direction = "LR",
    *,
    step: int | None = None,
    theme: Theme = "light",
    title: str = "",
    tell: Tell | None = None,
) -> Network:
    """The graph of a recording after a step (the last one), or a graph that `engine.graph.build` has made, as it is.

    Ids are the graph's: `t<tensor>`, `n<grad_fn>`, `g:<group>`; edges are called `from>to>number`. A node also has `kind`,
    `op`, `line`, `dtype`, `about` and `gradtape`, its title as the program has it; an edge has `kind`.

    Raises:
        IndexError: for a step that the recording does not have.
    """
    drawn, sizes = _still(of, direction) if isinstance(of, nx.Graph) else _after(of, view, direction, step, tell)
    colours = _engine("graph.design").palette(theme)
    net = Network(
        HEIGHT, "100%", directed=True, bgcolor=colours.stage, font_color=colours.ink, heading=title, cdn_resources="in_line"
    )
    net.templateEnv = _templates()
    net.toggle_physics(False)
    net.options.edges.smooth.type = "cubicBezier"
    net.options.edges.smooth.forceDirection = "horizontal" if direction == "LR" else "vertical"
    # pyvis's own `add_node` and `add_edge` look through all nodes that are there already.
    for key, a in drawn.nodes(data=True):
        node = _node(key, a, sizes[key], colours)
        net.nodes.append(node)
        net.node_ids.append(key)
        net.node_map[key] = node
    net.edges.extend(_edge(u, v, k, a, colours) for u, v, k, a in drawn.edges(keys=True, data=True))
    return net


def _engine(name: str) -> Any:
    return import_module(f"{OURS}engine.{name}")


Sizes = dict[str, tuple[float, float]]


def _after(recording: Recording, view: View, direction: Direction, step: int | None, tell: Tell | None) -> tuple[Graph, Sizes]:
    """What there is of a recording after a step, with what it shows then."""
    options = _engine("export").Options(view, direction, step)
    drawn: Graph = _engine("export.snapshot").snapshot(recording, options, tell or _engine("progress").untold)
    pictures = _engine("export.picture")
    cards = pictures.view_with(recording, options).graph.nodes
    return drawn, {key: (cards[key]["width"], cards[key]["height"]) for key in drawn}


def _still(graph: Graph, direction: Direction) -> tuple[Graph, Sizes]:
    """A graph with all its steps at once, which shows no values."""
    clean: Callable[[str], str] = _engine("export.scene").clean
    tone = _engine("graph.shown.node_kinds").tone
    views = _engine("graph.graph_view")
    leaves_first = views.turned_round(graph) if graph.graph["view"] == "autograd" else graph
    placed = views.layout(leaves_first, direction, views.CANVAS)
    drawn: Graph = nx.MultiDiGraph()
    for key, a in graph.nodes(data=True):
        x, y = placed.positions[key]
        texts = {"title": a["title"], "badge": a["badge"], "about": a["sub"], "op": a["op"]}
        told = {name: clean(text) for name, text in texts.items() if text}
        drawn.add_node(key, kind=a["kind"], tone=tone(a), x=round(x, 1), y=round(y, 1), line=a["line"], **told)
    for u, v, k, a in graph.edges(keys=True, data=True):
        # What an iteration takes from an earlier one, in a rolled graph.
        drawn.add_edge(u, v, k, kind="carried" if a.get("carried") else a["kind"])
    return drawn, {key: (a["width"], a["height"]) for key, a in graph.nodes(data=True)}


def _node(key: str, a: dict[str, Any], size: tuple[float, float], colours: Palette) -> dict[str, Any]:
    lines: list[str] = _engine("export.snapshot").lines(a)
    wide, high = size
    most = max(4, int((wide - 16) / CHARACTERS))
    look = _engine("graph.design.sizes").look_of(a["tone"])
    fill, border = getattr(colours, look.fill), getattr(colours, look.stroke)
    shown = {"background": fill, "border": border}
    node = Node(
        key, "box", "\n".join(line if len(line) <= most else line[: most - 1] + "…" for line in lines),
        # The hover text is text where vis-network shows it, and markup where pyvis does (when any node's has a link).
        font_color=colours.ink, title="\n".join(escape(line, quote=False) for line in lines), x=a["x"], y=a["y"],
        color={**shown, "highlight": {**shown, "border": colours.orange}, "hover": shown},
        widthConstraint={"minimum": wide - 10, "maximum": wide - 10}, heightConstraint={"minimum": high - 10},
        gradtape=a.get("title", ""), **{name: a[name] for name in ("kind", "op", "line", "dtype", "about") if name in a},
    )  # fmt: skip
    node.options["font"] |= {"size": FONT}
    return dict(node.options)


def _edge(u: str, v: str, k: int, a: dict[str, Any], colours: Palette) -> dict[str, Any]:
    cut, carried = a["kind"] == "cut", a["kind"] == "carried"
    passing = {"title": escape(str(a["gradient"]), quote=False), "width": 2.5} if "gradient" in a else {}
    colour = colours.orange if passing else colours.cut if cut else colours.edge
    edge = Edge(u, v, True, id=f"{u}>{v}>{k}", kind=a["kind"], color=colour, dashes=[9, 5] if carried else cut, **passing)
    return dict(edge.options)


@cache
def _templates() -> jinja2.Environment:
    """pyvis's templates, which escape a heading and name no other server; each is read once."""

    def read(name: str) -> str:
        text = (TEMPLATES / name).read_text(encoding="utf-8")
        return _TWICE.sub("", _ELSEWHERE.sub("", text), count=1)

    return jinja2.Environment(loader=jinja2.FunctionLoader(read), autoescape=True, auto_reload=False)
