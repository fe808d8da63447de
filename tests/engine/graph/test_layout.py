"""The layout: no overlaps, edges forward, always the same, whatever the graph; few crossings, and work that grows with it."""

from __future__ import annotations

import sys
from itertools import combinations, pairwise
from statistics import mean, median
from typing import Any

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.graphs import GRAPHS
from engine.graph.structure.layout import Layout, layout
from engine.graph.structure.layout_order import _saved
from tests.thorough import examples

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


@settings(deadline=None, max_examples=examples(80))
@given(graphs(), st.sampled_from(["LR", "TB"]))
def test_any_graph_is_laid_out_soundly(graph: Any, direction: str) -> None:
    check(graph, direction)


@pytest.mark.parametrize("shape", GRAPHS)
@pytest.mark.parametrize("size", [10, 100, 1000])
def test_graphs_of_real_models_are_laid_out_soundly(shape: str, size: int) -> None:
    check(GRAPHS[shape](size), "LR")


@pytest.mark.thorough
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


def test_a_chain_of_results_keeps_to_one_line_whatever_stands_beside_it() -> None:
    graph = GRAPHS["mlp"](200)
    made = layout(graph)
    chain = [key for key in graph if graph.in_degree(key)]
    assert len(chain) > 60
    assert max(made.positions[key][1] for key in chain) - min(made.positions[key][1] for key in chain) < 1


@pytest.mark.parametrize("shape", GRAPHS)
def test_leaves_stand_next_to_their_first_use(shape: str) -> None:
    graph = GRAPHS[shape](300)
    made = layout(graph)
    columns = sorted({round(x, 3) for x, _ in made.positions.values()})
    place = {x: k for k, x in enumerate(columns)}
    for key in graph:
        if not graph.in_degree(key) and graph.out_degree(key):
            first = min(place[round(made.positions[v][0], 3)] for v in graph.successors(key))
            assert place[round(made.positions[key][0], 3)] == first - 1


def test_what_every_step_uses_shares_a_lane_beside_the_drawing() -> None:
    graph = GRAPHS["rnn"](300)
    made = layout(graph)
    found = boxes(graph, made)
    low, high = min(box[1] for box in found.values()), max(box[3] for box in found.values())
    assert len(made.far) > 100
    lanes = {}
    for edge in made.far:
        lane = [y for _, y in made.routes[edge] if not low <= y <= high]
        assert len(lane) == 2, "out to the lane, along it, and back"
        assert lane[0] == lane[1]
        lanes.setdefault(lane[0], []).append(edge)
    assert len(lanes) <= 5, "one for each weight, and one for the losses"


def crossings(graph: Any, made: Layout) -> int:
    """Pairs of edges without a common end whose routes cross, those in lanes aside."""
    pieces = [
        (min(a[0], b[0]), max(a[0], b[0]), edge, a, b)
        for edge, route in made.routes.items()
        if edge not in made.far
        for a, b in pairwise(route)
    ]
    pieces.sort(key=lambda piece: piece[0])
    found = set()
    for i, (_, end, e, a, b) in enumerate(pieces):
        for begin, _, f, c, d in pieces[i + 1 :]:
            if begin > end:
                break
            if not {e[0], e[1]} & {f[0], f[1]} and _turn(a, b, c) * _turn(a, b, d) < 0 and _turn(c, d, a) * _turn(c, d, b) < 0:
                found.add(frozenset((e, f)))
    return len(found)


def _turn(a: Any, b: Any, c: Any) -> float:
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))


# Graphviz dot 2.43 on the same graphs: 0, 4, 252 and 38.
@pytest.mark.parametrize(("shape", "most"), [("mlp", 0), ("transformer", 4), ("rnn", 4), ("scalar", 60)])
def test_few_edges_cross(shape: str, most: int) -> None:
    graph = GRAPHS[shape](100)
    assert crossings(graph, layout(graph)) <= most


SIZES = [300, pytest.param(1000, marks=pytest.mark.ci)]
"""Nodes of the smaller one of two graphs; each line that runs is counted, which takes long."""


def lines_run(graph: Any, aspect: float | None = None) -> int:
    """How many lines of the layout's code run for a graph."""
    count = 0

    def trace(frame: Any, event: str, argument: Any) -> Any:
        nonlocal count
        if "graph/structure/layout" not in frame.f_code.co_filename.replace("\\", "/"):
            return None
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        layout(graph, "LR", aspect)
    finally:
        sys.settrace(before)
    return count


@pytest.mark.thorough
@pytest.mark.parametrize("few", SIZES)
@pytest.mark.parametrize("shape", GRAPHS)
def test_work_grows_as_the_graph_does(shape: str, few: int) -> None:
    small, large = (lines_run(GRAPHS[shape](n)) for n in (few, 4 * few))
    assert large < 5.5 * small


@pytest.mark.parametrize("shape", GRAPHS)
def test_a_small_edit_moves_little(shape: str) -> None:
    graph = GRAPHS[shape](100)
    before = layout(graph).positions
    users = [key for key in graph if graph.in_degree(key)]
    found = []
    for share in (0.2, 0.35, 0.5, 0.65, 0.8):
        edited = graph.copy()
        edited.add_node("new", width=60, height=30)
        edited.add_edge(users[int(len(users) * share)], "new")
        after = layout(edited).positions
        dx, dy = (mean(after[key][axis] - before[key][axis] for key in graph) for axis in (0, 1))
        found.append(mean(abs(after[key][0] - before[key][0] - dx) + abs(after[key][1] - before[key][1] - dy) for key in graph))
    assert median(found) < (15 if shape != "scalar" else 150), "a part of a card; in the most tangled graph, a card"


@given(st.lists(st.integers(0, 30), max_size=40), st.lists(st.integers(0, 30), max_size=40), st.permutations(range(31)))
def test_what_an_exchange_saves_is_the_same_counted_in_pairs_or_looked_up(a: list[int], b: list[int], place: list[int]) -> None:
    pairs = sum((place[i] > place[j]) - (place[i] < place[j]) for i in a for j in b)
    assert _saved(a, b, place) == pairs


def test_many_results_of_the_same_inputs_are_compared_without_all_pairs() -> None:
    """100 stacks of 700 tensors: every two of them have 490,000 pairs of inputs."""

    class Counted(list[int]):
        asked = 0

        def __getitem__(self, key: Any) -> Any:
            Counted.asked += 1
            return super().__getitem__(key)

    _saved(range(700), range(700), Counted(range(700)))
    assert Counted.asked <= 3 * 700
