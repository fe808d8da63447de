"""Graphs in Graphviz's language."""

from __future__ import annotations

from ..graph.design import Palette, palette
from ..progress import Tell, untold
from ..recording.recording import Recording
from .picture import LAST, Options
from .snapshot import lines, nested, snapshot


def dot(recording: Recording, options: Options = LAST, tell: Tell = untold) -> str:
    """The graph at a step as DOT text; ranks run as in the picture."""
    graph, colours = snapshot(recording, options, tell), palette(options.theme)
    # Graphviz ranks along the edges, which in the autograd view run against the picture.
    flow = {"LR": "RL", "TB": "BT"} if options.view == "autograd" else {"LR": "LR", "TB": "TB"}
    title = f"  label={quoted(options.title)} labelloc=t\n" if options.title else ""
    text = [
        "digraph gradtape {",
        f'  rankdir={flow[options.direction]} bgcolor="{colours.stage}" fontname="sans-serif" fontcolor="{colours.ink}"',
        f'{title}  node [shape=box style="rounded,filled" fontname="sans-serif" fontsize=11 fillcolor="{colours.card}" '
        f'color="{colours.border}" fontcolor="{colours.ink}"]',
        f'  edge [color="{colours.edge}" fontname="sans-serif" fontsize=10 fontcolor="{colours.orange_text}"]',
    ]
    for what, key, title in nested(graph):
        if what == "loop":
            look = f'label={quoted(title)} style=rounded color="{colours.frame_line}"'
            text.append(f"  subgraph {quoted(f'cluster {key}')} {{ {look}")
        elif what == "end":
            text.append("  }")
        else:
            attributes = graph.nodes[key]
            label = "\\l".join(escaped(line) for line in lines(attributes)) + "\\l"
            look = _look(str(attributes["tone"]), colours) + (' style="rounded,filled,dashed"' if "some" in attributes else "")
            text.append(f'  {quoted(key)} [label="{label}"{look}]')
    for u, v, _, attributes in graph.edges(keys=True, data=True):
        parts = ["style=dashed"] if attributes["kind"] == "cut" else []
        if "carried" in attributes:
            parts = ["style=dashed", f'color="{colours.carried}"', "arrowhead=vee", "constraint=false"]
        elif "some" in attributes:
            parts = ["style=dotted"]
        if "gradient" in attributes:
            parts += [f'color="{colours.orange}"', "penwidth=2.4", f"label={quoted(attributes['gradient'])}"]
            parts += ["dir=back"] if attributes["kind"] != "grad_fn" else []
        look = f" [{' '.join(parts)}]" if parts else ""
        text.append(f"  {quoted(u)} -> {quoted(v)}{look}")
    return "\n".join([*text, "}"]) + "\n"


def quoted(text: str) -> str:
    """A text in quotes."""
    return f'"{escaped(text)}"'


def escaped(text: str) -> str:
    """A text inside quotes; Graphviz would replace `\\N`, `\\G` and the like by names."""
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")


def _look(tone: str, colours: Palette) -> str:
    looks = {
        "leaf": f' color="{colours.blue}" penwidth=2',
        "accumulate": f' color="{colours.blue}" fillcolor="{colours.blue_tint}"',
        "root": f' color="{colours.ink}" penwidth=2',
        "constant": f' color="{colours.line}" fillcolor="{colours.constant}"',
        "group": f' peripheries=2 color="{colours.border}"',
        "cut": ' style="rounded,filled,dashed"',
    }
    return looks.get(tone, "")
