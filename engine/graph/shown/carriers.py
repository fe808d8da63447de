"""Which edges of a rolled graph show what goes along an edge of the autograd graph, of which each iteration has its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain

import numpy as np

from ..structure.build import Graph
from .state_history import EdgeKey

_SLOTS = 1 << 20
"""Edges that a node may have."""


class Carriers(Mapping[tuple[int, int], list[EdgeKey]]):
    """(node, its edge) → edges of a graph, in columns: a dictionary of a million of them takes some hundred megabytes."""

    def __init__(self, graph: Graph) -> None:
        edges = [(key, pairs) for *key, pairs in graph.edges(keys=True, data="carries")]
        self._edges: list[EdgeKey] = [(u, v, k) for (u, v, k), _ in edges]
        counts = [len(pairs) for _, pairs in edges]
        flat = np.fromiter(chain.from_iterable(chain.from_iterable(pairs for _, pairs in edges)), np.int64, 2 * sum(counts))
        pairs = flat[::2] * _SLOTS + flat[1::2]
        order = np.argsort(pairs, kind="stable")
        self._pairs, self._edge = pairs[order], np.repeat(np.arange(len(edges), dtype=np.int32), counts)[order]

    def __getitem__(self, pair: tuple[int, int]) -> list[EdgeKey]:
        wanted = pair[0] * _SLOTS + pair[1]
        low = int(self._pairs.searchsorted(wanted))
        found = []
        while low < len(self._pairs) and self._pairs[low] == wanted:
            found.append(self._edges[self._edge[low]])
            low += 1
        if not found:
            raise KeyError(pair)
        return found

    def __iter__(self) -> Iterator[tuple[int, int]]:
        return iter([(pair // _SLOTS, pair % _SLOTS) for pair in np.unique(self._pairs).tolist()])

    def __len__(self) -> int:
        return len(np.unique(self._pairs))
