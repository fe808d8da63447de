"""Which edges show what goes along an edge of the autograd graph."""

from __future__ import annotations

import pytest

from engine.graph.rolled_graph import rolled_graph
from engine.graph.shown.carriers import Carriers
from tests.recorded import recorded

LOOP = """import torch
w = torch.ones(3, requires_grad=True)
for k in range(5):
    a, b = (w * 2).split((1, 2))
    (a.sum() + (b * b).sum() + w.sum()).backward()
"""


@pytest.mark.parametrize("view", ["tensors", "autograd"])
def test_they_are_those_that_say_so(view: str) -> None:
    graph = rolled_graph(recorded(LOOP), view).graph
    found: dict[tuple[int, int], list[tuple[str, str, int]]] = {}
    for u, v, k, pairs in graph.edges(keys=True, data="carries"):
        for pair in pairs:
            found.setdefault(pair, []).append((u, v, k))
    carriers = Carriers(graph)
    assert len(found) > 5
    assert dict(carriers) == found
    assert len(carriers) == len(found)
    assert carriers.get((10**6, 0), ()) == ()
