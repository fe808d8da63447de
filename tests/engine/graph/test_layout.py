"""The layout: no overlaps, edges forward, always the same, whatever the graph."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.graphs import GRAPHS
from engine.graph.layout import Layout, layout

Box = tuple[float, float, float, float]


def boxes(graph: Any, made: Layout) -> dict[Any, Box]:
    found = {}
    for key, a in graph.nodes(data=True):
        x, y = made.positions[key]
        found[key] = (x - a["width"] / 2, y - a["height"] / 2, x + a["width"] / 2, y + a["height"] / 2)
    return found


def check(graph: Any, direction: Any) -> Layout:
    made = layout(graph, direction)
    found = boxes(graph, made)
    if len(found) <= 200:
        for (a, p), (b, q) in combinations(found.items(), 2):
            apart = p[2] <= q[0] or q[2] <= p[0] or p[3] <= q[1] or q[3] <= p[1]
            assert apart, f"{a} and {b} overlap"
    axis = 0 if direction == "LR" else 1
    for edge, route in made.routes.items():
        u, v = edge[:2]
        if u == v or graph.edges[edge].get("write"):
            continue
        assert found[u][axis + 2] < found[v][axis], "edges go forward"
        assert route[0][axis] == pytest.approx(found[u][axis + 2])
        assert route[-1][axis] == pytest.approx(found[v][axis])
        assert list(route) == sorted(route, key=lambda point: point[axis])
    for left, top, right, bottom in found.values():
        assert left >= -1e-6
        assert top >= -1e-6
        assert right <= made.width + 1e-6
        assert bottom <= made.height + 1e-6
    assert layout(graph, direction) == made
    return made


@st.composite
def graphs(draw: Any) -> Any:
    n = draw(st.integers(1, 18))
    graph: Any = nx.MultiDiGraph()
    for i in range(n):
        graph.add_node(i, width=draw(st.integers(20, 200)), height=draw(st.integers(20, 90)))
    for _ in range(draw(st.integers(0, 30))):
        u, v = draw(st.integers(0, n - 1)), draw(st.integers(0, n - 1))
        if u < v:
            graph.add_edge(u, v)
        elif draw(st.booleans()):
            graph.add_edge(u, v, write=True)
    return graph


@settings(deadline=None, max_examples=80)
@given(graphs(), st.sampled_from(["LR", "TB"]))
def test_any_graph_is_laid_out_soundly(graph: Any, direction: str) -> None:
    check(graph, direction)


@pytest.mark.parametrize("shape", GRAPHS)
@pytest.mark.parametrize("size", [10, 100, 1000])
def test_graphs_of_real_models_are_laid_out_soundly(shape: str, size: int) -> None:
    check(GRAPHS[shape](size), "LR")


@pytest.mark.parametrize("shape", GRAPHS)
def test_ten_thousand_nodes_are_laid_out(shape: str) -> None:
    graph = GRAPHS[shape](10_000)
    assert len(layout(graph).positions) == len(graph)


def test_a_cycle_is_refused_by_name() -> None:
    graph: Any = nx.DiGraph()
    graph.add_edges_from([("a", "b"), ("b", "a")])
    with pytest.raises(ValueError, match="cycle through 'a'"):
        layout(graph)


def test_an_empty_graph_takes_no_room() -> None:
    made = layout(nx.DiGraph())
    assert (made.positions, made.width, made.height) == ({}, 0, 0)


def test_two_leaves_four_products_and_a_root_look_symmetric() -> None:
    graph: Any = nx.DiGraph()
    for name in ("x1", "x2"):
        graph.add_node(name, width=128, height=78)
    for name in ("5", "3", "2", "1"):
        graph.add_node(name, width=63, height=30)
    for name in ("y1", "y2", "z"):
        graph.add_node(name, width=170, height=80)
    graph.add_edges_from(
        [("x1", "5"), ("x1", "2"), ("x2", "3"), ("x2", "1"), ("5", "y1"), ("3", "y1"), ("2", "y2"), ("1", "y2")]
    )
    graph.add_edges_from([("y1", "z"), ("y2", "z")])
    made = check(graph, "LR")
    y = {key: at[1] for key, at in made.positions.items()}
    assert y["z"] == pytest.approx((y["y1"] + y["y2"]) / 2, abs=1)
    assert y["z"] == pytest.approx((y["x1"] + y["x2"]) / 2, abs=1)
