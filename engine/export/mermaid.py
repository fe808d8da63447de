"""Graphs as Mermaid flowcharts, for Markdown on GitHub and in notebooks."""

from __future__ import annotations

import re

from ..graph.design import palette
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
    look = f"fill:{colours.card},color:{colours.ink},stroke"
    kinds = {
        "leaf": f"{look}:{colours.blue},stroke-width:2px",
        "root": f"{look}:{colours.ink},stroke-width:2px",
        "result": f"{look}:{colours.border}",
        "node": f"{look}:{colours.border}",
        "group": f"{look}:{colours.border},stroke-width:3px",
        "constant": f"{look}:{colours.line}",
        "cut": f"{look}:{colours.cut},stroke-dasharray:4 4",
        "accumulate": f"fill:{colours.blue_tint},color:{colours.ink},stroke:{colours.blue}",
    }
    used = {attributes["tone"] for _, attributes in graph.nodes(data=True)}
    text += [f"  classDef {tone} {style}" for tone, style in kinds.items() if tone in used]
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
