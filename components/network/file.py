"""pyvis's page of a graph, as one of the formats in which the page saves."""

from __future__ import annotations

from components.network import network
from engine.export import Format, Options
from engine.progress import Tell, part, untold
from engine.recording import Recording


def _pyvis(recording: Recording, options: Options, tell: Tell = untold, /) -> bytes:
    o = options
    net = network(recording, o.view, o.direction, step=o.step, theme=o.theme, title=o.title, tell=part(tell, 0, 0.8))
    page: str = net.generate_html()
    return page.encode()


PYVIS = Format("pyvis", "data", "pyvis", "one page with the graph as pyvis draws it", "text/html", _pyvis, True, "pyvis.html")
