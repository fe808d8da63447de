"""Which edges of a rolled graph show what goes along an edge of the autograd graph, of which each iteration has its own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from itertools import chain

import numpy as np

from ...recording.columns import Flags, Ints
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
        self._number = {edge: number for number, edge in enumerate(self._edges)}
        self._wanted: Flags | None = None

    def among(self, edges: Iterable[EdgeKey]) -> Carriers:
        """The same of some edges alone."""
        some = copy(self)
        some._wanted = np.zeros(len(self._edges), np.bool_)
        some._wanted[[self._number[edge] for edge in edges]] = True
        return some

    def carry(self, nodes: Ints, slots: Ints) -> Flags:
        """Whether there is an edge for what goes along edges of nodes."""
        wanted = nodes * _SLOTS + slots
        low, high = np.searchsorted(self._pairs, wanted), np.searchsorted(self._pairs, wanted, "right")
        if self._wanted is None:
            return high > low
        before = np.concatenate(([0], np.cumsum(self._wanted[self._edge])))
        found: Flags = before[high] > before[low]
        return found

    def __getitem__(self, pair: tuple[int, int]) -> list[EdgeKey]:
        wanted = pair[0] * _SLOTS + pair[1]
        low = int(self._pairs.searchsorted(wanted))
        found = []
        while low < len(self._pairs) and self._pairs[low] == wanted:
            if self._wanted is None or self._wanted[self._edge[low]]:
                found.append(self._edges[self._edge[low]])
            low += 1
        if not found:
            raise KeyError(pair)
        return found

    def __iter__(self) -> Iterator[tuple[int, int]]:
        return iter([(pair // _SLOTS, pair % _SLOTS) for pair in np.unique(self._pairs).tolist()])

    def __len__(self) -> int:
        return len(np.unique(self._pairs))
