"""Graphs of the shapes that autograd makes, of any size, for tests of the layout; run, how long the layout takes of them."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

import networkx as nx

from benchmarks.sizes import smallest
from engine.graph.graph_view import CANVAS
from engine.graph.structure.layout import layout


class _Builder:
    def __init__(self) -> None:
        self.graph: Any = nx.MultiDiGraph()
        self.numbers = count()

    def node(self, *inputs: Any, card: bool = True) -> int:
        number = next(self.numbers)
        self.graph.add_node(number, width=150 if card else 60, height=80 if card else 30)
        for i in inputs:
            self.graph.add_edge(i, number)
        return number


def mlp(n: int) -> Any:
    """Layers one after another, each with a weight and a bias."""
    b = _Builder()
    h = b.node()
    while len(b.graph) < n:
        h = b.node(b.node(b.node(h, b.node(), card=False), b.node()))
    return b.graph


def transformer(n: int) -> Any:
    """Blocks with residual connections, attention's three branches and two norms."""
    b = _Builder()
    h = b.node()
    while len(b.graph) < n:
        norm = b.node(h, b.node(), b.node())
        q, k, v = (b.node(norm, b.node()) for _ in range(3))
        weights = b.node(b.node(b.node(q, b.node(k, card=False)), card=False))
        h = b.node(h, b.node(b.node(weights, v), b.node()))
        norm = b.node(h, b.node(), b.node())
        h = b.node(h, b.node(b.node(b.node(norm, b.node())), b.node()))
    return b.graph


def rnn(n: int) -> Any:
    """One set of weights that every time step uses, and a loss that every step feeds."""
    b = _Builder()
    w, u, bias = b.node(), b.node(), b.node()
    h, losses = b.node(), []
    while len(b.graph) < n:
        x = b.node()
        h = b.node(b.node(b.node(b.node(h, w, card=False), b.node(x, u, card=False), card=False), bias))
        losses.append(b.node(h, card=False))
    b.node(*losses)
    return b.graph


def scalar(n: int) -> Any:
    """Many scalars used several times each, as in a micrograd expression."""
    b = _Builder()
    layer = [b.node() for _ in range(6)]
    while len(b.graph) < n:
        following = []
        for k in range(6):
            products = [b.node(x, b.node(), card=False) for x in layer[k % 3 :: 2]]
            total = products[0]
            for p in products[1:]:
                total = b.node(total, p, card=False)
            following.append(b.node(total))
        layer = following
    return b.graph


GRAPHS: dict[str, Callable[[int], Any]] = {"mlp": mlp, "transformer": transformer, "rnn": rnn, "scalar": scalar}


def main(arguments: Sequence[str] | None = None) -> None:
    """Print how long each graph is being laid out as the page does, the median of five times."""
    sizes, times = ((10,), 1) if smallest(__doc__, arguments) else ((1_000, 10_000), 5)
    for name, make in GRAPHS.items():
        for size in sizes:
            seconds = []
            for _ in range(times):
                graph = make(size)
                began = time.perf_counter()
                layout(graph, "LR", CANVAS)
                seconds.append(time.perf_counter() - began)
            print(f"layout of {name}, {len(graph):,} nodes: {statistics.median(seconds) * 1000:.0f} ms")


if __name__ == "__main__":
    main()
