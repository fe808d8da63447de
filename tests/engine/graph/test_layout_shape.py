"""The layout in a canvas's shape: rows, packed parts, frames, returns and what stands aside, without anything in the way."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, pairwise
from typing import Any

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.graphs import GRAPHS
from engine.graph.structure.layout import Layout, layout
from tests.engine.graph.test_layout import SIZES, Box, boxes, lines_run
from tests.thorough import examples

PAGE = 1.3
CELL = 250
FRAMES: tuple[tuple[str, ...], ...] = (
    (),
    ("epochs",),
    ("epochs", "batches"),
    ("epochs", "test"),
    ("epochs", "batches", "time"),
    ("plot",),
)


def crosses(a: Any, b: Any, box: Box) -> bool:
    """Whether a line passes through the inside of a box."""
    low, high = 0.0, 1.0
    for axis in (0, 1):
        begin, way = a[axis], b[axis] - a[axis]
        near, far = box[axis] + 0.5, box[axis + 2] - 0.5
        if abs(way) < 1e-9:
            if not near < begin < far:
                return False
            continue
        first, last = sorted(((near - begin) / way, (far - begin) / way))
        low, high = max(low, first), min(high, last)
    return low < high


def cells(a: Any, b: Any) -> Iterator[tuple[int, int]]:
    for i in range(int(min(a[0], b[0]) // CELL), int(max(a[0], b[0]) // CELL) + 1):
        for j in range(int(min(a[1], b[1]) // CELL), int(max(a[1], b[1]) // CELL) + 1):
            yield i, j


def check(graph: Any, made: Layout) -> None:
    """No two cards overlap, no route crosses a card, frames hold their nodes and no others, and all of it is in the picture."""
    found = boxes(graph, made)
    there: dict[tuple[int, int], list[Any]] = {}
    for key, box in found.items():
        assert min(box[0], box[1], made.width - box[2], made.height - box[3]) >= -1e-6, f"{key} is outside"
        for cell in cells(box[:2], box[2:]):
            there.setdefault(cell, []).append(key)
    for near in there.values():
        for a, b in combinations(near, 2):
            p, q = found[a], found[b]
            apart = p[2] <= q[0] + 1e-6 or q[2] <= p[0] + 1e-6 or p[3] <= q[1] + 1e-6 or q[3] <= p[1] + 1e-6
            assert apart, f"{a} and {b} overlap"
    assert made.routes.keys() == set(graph.edges(keys=True))
    for edge, route in made.routes.items():
        for x, y in route:
            assert -1e-6 <= x <= made.width + 1e-6, f"{edge} leaves the picture"
            assert -1e-6 <= y <= made.height + 1e-6, f"{edge} leaves the picture"
        for a, b in pairwise(route):
            for key in {key for cell in cells(a, b) for key in there.get(cell, ())}:
                assert not crosses(a, b, found[key]), f"{edge} crosses {key}"
        for end, key in ((route[0], edge[0]), (route[-1], edge[1])):
            left, top, right, bottom = found[key]
            assert left - 1e-6 <= end[0] <= right + 1e-6, f"{edge} does not touch {key}"
            assert top - 1e-6 <= end[1] <= bottom + 1e-6, f"{edge} does not touch {key}"
    for name, (left, top, width, height) in made.frames.items():
        for key, (x0, y0, x1, y1) in found.items():
            if name in graph.nodes[key].get("frames", ()):
                room = min(x0 - left, y0 - top - 20, left + width - x1, top + height - y1)
                assert room >= 8, f"{key} is not in {name}"
            else:
                out = x1 <= left or left + width <= x0 or y1 <= top or top + height <= y0
                assert out, f"{key} is in {name}"


def chain(n: int, **attributes: Any) -> Any:
    graph: Any = nx.MultiDiGraph()
    graph.add_nodes_from(range(n), width=150, height=80, **attributes)
    graph.add_edges_from(pairwise(range(n)))
    return graph


def beside_each_other(graphs: list[Any]) -> Any:
    whole: Any = nx.MultiDiGraph()
    for number, graph in enumerate(graphs):
        whole.add_nodes_from(((number, key), a) for key, a in graph.nodes(data=True))
        whole.add_edges_from(((number, u), (number, v)) for u, v in graph.edges())
    return whole


@st.composite
def programs(draw: Any) -> Any:
    """Graphs as rolled programs have them: loops in loops, what is carried, and what stands aside."""
    n = draw(st.integers(1, 26))
    framed, some_aside = draw(st.booleans()), draw(st.booleans())
    graph: Any = nx.MultiDiGraph()
    for i in range(n):
        frames = draw(st.sampled_from(FRAMES)) if framed else ()
        side = some_aside and draw(st.integers(0, 6)) == 0
        graph.add_node(i, width=draw(st.integers(40, 200)), height=draw(st.integers(24, 90)), frames=frames, side=side)
    for _ in range(draw(st.integers(0, 40))):
        u, v = draw(st.integers(0, n - 1)), draw(st.integers(0, n - 1))
        if u < v and draw(st.integers(0, 4)):
            graph.add_edge(u, v)
        elif draw(st.booleans()):
            graph.add_edge(u, v, carried=True)
        elif u != v:
            graph.add_edge(u, v, write=True)
    return graph


@settings(deadline=None, max_examples=examples(120))
@given(programs(), st.sampled_from(["LR", "TB"]), st.sampled_from([None, 0.6, PAGE, 3.0]))
def test_any_program_is_laid_out_with_nothing_in_the_way(graph: Any, direction: Any, aspect: float | None) -> None:
    made = layout(graph, direction, aspect)
    check(graph, made)
    assert layout(graph, direction, aspect) == made


@pytest.mark.parametrize("shape", GRAPHS)
@pytest.mark.parametrize("size", [100, 1000])
@pytest.mark.parametrize("aspect", [None, PAGE])
def test_no_route_crosses_a_card_in_graphs_of_real_models(shape: str, size: int, aspect: float | None) -> None:
    graph = GRAPHS[shape](size)
    check(graph, layout(graph, "LR", aspect))


@pytest.mark.parametrize("direction", ["LR", "TB"])
@pytest.mark.parametrize("aspect", [0.7, PAGE, 2.0])
@pytest.mark.parametrize("n", [40, 500, 3000])
def test_a_chain_fills_the_canvas(n: int, aspect: float, direction: Any) -> None:
    made = layout(chain(n), direction, aspect)
    assert aspect / 1.6 < made.width / made.height < aspect * 1.6


def test_a_chain_reads_like_furrows() -> None:
    graph = chain(40)
    made = layout(graph, "LR", PAGE)
    rows: dict[float, list[int]] = {}
    for key, (_, y) in made.positions.items():
        rows.setdefault(y, []).append(key)
    assert list(rows) == sorted(rows)
    assert (
        sorted(key for row in rows.values() for key in row) == list(range(40)) == [key for row in rows.values() for key in row]
    )
    for number, row in enumerate(rows.values()):
        xs = [made.positions[key][0] for key in row]
        assert xs == sorted(xs, reverse=number % 2 == 1)
    for one, other in pairwise(rows.values()):
        (x0, y0), (x1, y1) = made.routes[one[-1], other[0], 0]
        assert x0 == x1, "straight down"
        assert (y0, y1) == (made.positions[one[-1]][1] + 40, made.positions[other[0]][1] - 40)


def test_thirty_small_graphs_fill_the_canvas() -> None:
    graph = beside_each_other([chain(3 + number % 3) for number in range(30)])
    tall, made = layout(graph), layout(graph, "LR", PAGE)
    assert tall.height > 3 * tall.width
    assert PAGE / 1.6 < made.width / made.height < PAGE * 1.6
    check(graph, made)
    starts = [made.positions[number, 0] for number in range(30)]
    assert starts == sorted(starts, key=lambda at: (at[1], at[0])), "in their order, row by row"


@pytest.mark.parametrize("direction", ["LR", "TB"])
@pytest.mark.parametrize("graph", [GRAPHS["mlp"](6), chain(4)], ids=["mlp", "chain"])
def test_what_has_few_ranks_stays_as_it_is(graph: Any, direction: Any) -> None:
    assert layout(graph, direction, PAGE) == layout(graph, direction)


def test_few_ranks_that_could_not_be_read_in_one_row_are_cut() -> None:
    graph = chain(5)
    made = layout(graph, "LR", PAGE)
    assert {y for _, y in made.positions.values()} == {40.0, 154.0}, "two rows, not five"
    check(graph, made)


def fan(leaves: int, out: bool = True) -> Any:
    """Many leaves of one operation, and what is made of that; or one with many results."""
    graph = chain(3)
    for k in range(leaves):
        graph.add_node(f"leaf {k}", width=110 + k % 40, height=90)
        graph.add_edge(*((f"leaf {k}", 0) if out else (2, f"leaf {k}")))
    return graph


@pytest.mark.parametrize("out", [True, False])
@pytest.mark.parametrize("leaves", [20, 200])
def test_many_leaves_of_one_operation_stand_in_a_grid(leaves: int, out: bool) -> None:
    graph = fan(leaves, out)
    made = layout(graph, "LR", PAGE)
    check(graph, made)
    assert PAGE / 1.8 < made.width / made.height < PAGE * 1.8, "not a thread"
    rows: dict[float, list[int]] = {}
    for k in range(leaves):
        rows.setdefault(made.positions[f"leaf {k}"][1], []).append(k)
    assert [k for _, row in sorted(rows.items()) for k in row] == list(range(leaves)), "read as text is"
    ends = {made.routes[edge][-1 if out else 0] for edge in made.routes if f"{edge}".count("leaf")}
    assert len(ends) == 1, "all by one line"


def test_few_leaves_of_one_operation_stand_in_their_rank() -> None:
    made = layout(fan(5), "LR", PAGE)
    assert len({round(made.positions[f"leaf {k}"][0]) for k in range(5)}) == 1


def residual(blocks: int, weight: bool) -> Any:
    """Blocks with a way around each, and, if wanted, a weight that is used at the beginning and at the end."""
    graph: Any = nx.MultiDiGraph()
    last: Any = "x"
    graph.add_nodes_from(["x", "loss"], width=150, height=80)
    for k in range(blocks):
        parts = [(k, part) for part in ("norm", "attention", "sum")]
        for key, height in zip(parts, (134, 186, 82)):
            graph.add_node(key, width=200, height=height)
        graph.add_edges_from([*pairwise([last, *parts]), (last, parts[-1])])
        last = parts[-1]
    graph.add_edge(last, "loss")
    if weight:
        graph.add_node("weight", width=200, height=100)
        graph.add_edges_from([("weight", "x"), ("weight", "loss")])
    return graph


def test_an_edge_that_passes_rows_keeps_close_to_them() -> None:
    alone, made = layout(residual(12, False), "LR", PAGE), layout(residual(12, True), "LR", PAGE)
    check(residual(12, True), made)
    assert made.height < 1.2 * alone.height


def test_rows_are_cut_where_few_edges_cross() -> None:
    """Blocks with four ways through them, joined by one edge each."""
    graph: Any = nx.MultiDiGraph()
    last = None
    for block in range(12):
        begin, end = f"{block} begin", f"{block} end"
        ways = [[f"{block} {way} {k}" for k in range(3)] for way in range(4)]
        graph.add_nodes_from([begin, *(key for way in ways for key in way), end], width=150, height=60)
        for way in ways:
            graph.add_edges_from(pairwise([begin, *way, end]))
        if last is not None:
            graph.add_edge(last, begin)
        last = end
    made = layout(graph, "LR", PAGE)
    check(graph, made)
    assert PAGE / 1.6 < made.width / made.height < PAGE * 1.6
    down = [edge for edge, route in made.routes.items() if any(abs(a[0] - b[0]) < 0.5 for a, b in pairwise(route))]
    assert len(down) >= 2
    assert all("end" in u and "begin" in v for u, v, _ in down)


def test_a_small_edit_at_the_end_leaves_the_rows_before_it() -> None:
    before, after = layout(chain(60), "LR", PAGE), layout(chain(61), "LR", PAGE)
    assert all(after.positions[key] == at for key, at in before.positions.items())


def loop() -> Any:
    """A training loop: its model in a frame, the optimizer aside, inputs and a parameter outside."""
    graph = chain(8, frames=("loop",))
    graph.add_nodes_from(["x", "weight", "test"], width=110, height=50)
    graph.add_node("optimizer", width=300, height=50, frames=("loop",), side=True)
    graph.add_edges_from([("x", 0), ("weight", 4), (7, "optimizer"), (7, "test")])
    graph.add_edge("optimizer", "weight", carried=True)
    graph.add_edge(5, 0, carried=True)
    graph.add_edge(6, 1, carried=True)
    return graph


@pytest.mark.parametrize("direction", ["LR", "TB"])
@pytest.mark.parametrize("aspect", [None, PAGE])
def test_a_loop_has_its_frame(aspect: float | None, direction: Any) -> None:
    graph = loop()
    made = layout(graph, direction, aspect)
    check(graph, made)
    left, top, width, height = made.frames["loop"]
    for key in ("x", "weight"):
        assert made.positions[key][0] < left or made.positions[key][1] < top, "before the loop"
    assert made.positions["test"][0] > left + width or made.positions["test"][1] > top + height, "after it"
    across, along = (1, 0) if direction == "LR" else (0, 1)
    model, aside = [made.positions[key] for key in range(8)], made.positions["optimizer"]
    assert aside[across] >= max(at[across] for at in model) - 40, "in the last row, or below it"
    beside = [at[along] < aside[along] for at in model if abs(at[across] - aside[across]) < 40]
    assert len(set(beside)) < 2, "at its end"


def test_carried_edges_leave_on_the_right_and_come_back_on_the_left() -> None:
    graph = loop()
    made = layout(graph)
    found = boxes(graph, made)
    assert made.carried == {("optimizer", "weight", 0), (5, 0, 0), (6, 1, 0)}
    for edge in made.carried:
        route = made.routes[edge]
        assert route[0][0] == found[edge[0]][2]
        assert route[-1][0] == found[edge[1]][0]
        assert all(a[0] == b[0] or a[1] == b[1] for a, b in pairwise(route)), "along lanes"
    assert made.positions[0][0] < made.positions[7][0], "and do not shape the ranks"
    without = loop()
    without.remove_edges_from(list(made.carried))
    apart = layout(without).positions
    assert [apart[k + 1][0] - apart[k][0] for k in range(7)] == [
        made.positions[k + 1][0] - made.positions[k][0] for k in range(7)
    ]


def test_what_returns_to_one_thing_shares_a_lane() -> None:
    graph = chain(10)
    for key in range(3, 10):
        graph.add_edge(key, 0, carried=True)
    made = layout(graph)
    lanes = {max(y for _, y in made.routes[edge]) for edge in made.carried}
    assert len(lanes) == 1


def test_a_hundred_returns_do_not_take_a_hundred_lanes() -> None:
    graph = chain(200)
    for key in range(100):
        graph.add_edge(100 + key, key, carried=True)
    made = layout(graph)
    check(graph, made)
    assert made.height < 80 + 2 * 16 + 16 * 10


def test_a_frame_in_a_circle_does_not_break_the_layout() -> None:
    graph: Any = nx.MultiDiGraph()
    graph.add_node("a", width=100, height=40, frames=("f",))
    graph.add_node("b", width=100, height=40)
    graph.add_node("c", width=100, height=40, frames=("f",))
    graph.add_edges_from([("a", "b"), ("b", "c")])
    check(graph, layout(graph, "LR", PAGE))


@pytest.mark.parametrize("aspect", [0.0, -1.0, float("nan"), float("inf")])
def test_a_canvas_without_a_shape_is_refused(aspect: float) -> None:
    with pytest.raises(ValueError, match="times as wide as high"):
        layout(chain(2), "LR", aspect)


def framed(n: int) -> Any:
    """Loops in loops, with returns."""
    graph: Any = nx.MultiDiGraph()
    for key in range(n):
        outer = key // 40
        frames = (f"{outer}",) if key % 40 < 10 else (f"{outer}", f"{outer} {key % 40 // 10}")
        graph.add_node(key, width=150, height=80, frames=frames, side=key % 10 == 9)
        if key:
            graph.add_edge(key - 1, key)
        if key % 10 == 8:
            graph.add_edge(key, key - 8, carried=True)
    return graph


MADE = {**GRAPHS, "chain": chain, "notebook": lambda n: beside_each_other([chain(5)] * (n // 5)), "loops": framed}


@pytest.mark.thorough
@pytest.mark.parametrize("few", SIZES)
@pytest.mark.parametrize("shape", MADE)
def test_work_in_rows_grows_as_the_graph_does(shape: str, few: int) -> None:
    small, large = (lines_run(MADE[shape](n), PAGE) for n in (few, 4 * few))
    assert large < 5.5 * small
