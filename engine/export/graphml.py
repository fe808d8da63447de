"""Graphs as GraphML, which networkx, Gephi, yEd and Cytoscape open."""

from __future__ import annotations

import io

import networkx as nx

from ..progress import Tell, untold
from ..recording.recording import Recording
from .picture import LAST, Options
from .snapshot import snapshot


def graphml(recording: Recording, options: Options = LAST, tell: Tell = untold) -> bytes:
    """The graph at a step as GraphML; `networkx.read_graphml` gives the same nodes, edges and attributes again."""
    buffer = io.BytesIO()
    nx.write_graphml_xml(snapshot(recording, options, tell), buffer, named_key_ids=True)
    return buffer.getvalue()
