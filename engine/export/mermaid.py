"""Graphs as Mermaid flowcharts, for Markdown on GitHub and in notebooks."""

from __future__ import annotations

import re

from ..graph.design import Palette, palette
from ..graph.design.sizes import look_of
from ..progress import Tell, untold
from ..recording.recording import Recording
from .picture import LAST, Options
from .snapshot import lines, nested, snapshot

_PLAIN = frozenset(" .,:-+=/·×±÷−…→–")
"""Signs that mean nothing to Mermaid inside quotes."""


def mermaid(recording: Recording, options: Options = LAST, tell: Tell = untold) -> str:
    """The graph at a step as Mermaid text."""
    graph, colours = snapshot(recording, options, tell), palette(options.theme)
    flow = {"LR": "RL", "TB": "BT"} if options.view == "autograd" else {"LR": "LR", "TB": "TB"}
    text = [f"flowchart {flow[options.direction]}"]
    names = {key: key if key.isalnum() else f"g{number}" for number, key in enumerate(graph)}
    for what, key, title in nested(graph):
        if what == "loop":
            text.append(f'  subgraph {_plain_id(key)}["{escaped(title)}"]')
        elif what == "end":
            text.append("  end")
        else:
            attributes = graph.nodes[key]
            label = "<br/>".join(escaped(line) for line in lines(attributes))
            text.append(f'  {names[key]}["{label}"]:::{attributes["tone"]}')
    flowing, carried = [], []
    for number, (u, v, _, attributes) in enumerate(graph.edges(keys=True, data=True)):
        arrow = "-.->" if attributes["kind"] == "cut" or "carried" in attributes or "some" in attributes else "-->"
        if "carried" in attributes:
            carried.append(number)
        label = ""
        if "gradient" in attributes:
            flowing.append(number)
            label = f'|"{escaped(attributes["gradient"])}"|'
        text.append(f"  {names[u]} {arrow}{label} {names[v]}")
    text += [f"  classDef {tone} {_style(tone, colours)}" for tone in sorted({tone for _, tone in graph.nodes(data="tone")})]
    if flowing:
        text.append(f"  linkStyle {','.join(map(str, flowing))} stroke:{colours.orange},stroke-width:3px")
    if carried := [number for number in carried if number not in flowing]:
        text.append(f"  linkStyle {','.join(map(str, carried))} stroke:{colours.carried}")
    return "\n".join(text) + "\n"


def _plain_id(loop: str) -> str:
    """A loop's id in letters and digits."""
    return "loop_" + "_".join(re.findall(r"[A-Za-z0-9]+", loop))


def escaped(text: str) -> str:
    """A text inside quotes: every sign that could mean something to Mermaid, Markdown or HTML as its number (`#35;`).

    Mermaid looks for `$$` after it has read the numbers, so these two are set apart.
    """
    return "".join(c if c.isalnum() or c in _PLAIN else f"#{ord(c)};" for c in text.replace("$$", "$ $"))


def _style(tone: str, colours: Palette) -> str:
    """What cards of a tone look like."""
    look = look_of(tone)
    fill, stroke = getattr(colours, look.fill), getattr(colours, look.stroke)
    dash = f",stroke-dasharray:{' '.join(f'{length:g}' for length in look.dash)}" if look.dash else ""
    return f"fill:{fill},color:{colours.ink},stroke:{stroke},stroke-width:{look.line:g}px{dash}"
