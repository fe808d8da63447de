"""Whatever the page's process does with a program's text is bounded: how often it is parsed, how much memory it takes, and work
that grows with the text and not with its square."""

from __future__ import annotations

import ast
import sys
import tracemalloc
from collections.abc import Callable, Iterator
from types import FrameType

import pytest

from benchmarks.freeze import CELL_STEPS, TEXT_STEPS, notebook, scenarios
from benchmarks.hostile import MARKS, SHAPES
from engine.diagnosis.program_ast import Covered, Source
from engine.program.controls import MOST_KNOBS, find, knobs, with_value
from engine.program.controls.switches import MAX_MARKS
from engine.program.parsing import BOUNDS, forget
from engine.recording.events import Site

MB = 2**20
SMALL, LARGE = 150, 600
PARSES = {
    "what if": 17, "a knob turned": 35, "the last knob turned": 35,
    "the builder": 1, "a line gone on with": 3, "a line added": 1, "a name changed": 3,
    "a line deleted": 1, "a block put around a line": 2, "diagnosis": 1, "matching with an edited one": 0, "differences": 0,
    "the script": 1, "a link": 0,
}  # fmt: skip
"""How often a step parses at most; knobs are looked for in the texts of two turns."""


@pytest.fixture(autouse=True)
def nothing_kept() -> Iterator[None]:
    forget()
    yield
    forget()


def work(do: Callable[[], object]) -> int:
    """How many calls something makes, of Python's functions and of C's."""
    count = 0

    def event(frame: FrameType, kind: str, argument: object) -> None:
        nonlocal count
        count += kind in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(event)
    try:
        do()
    finally:
        sys.setprofile(before)
    return count


@pytest.mark.parametrize("name", SHAPES)
def test_work_grows_with_the_text_and_not_with_its_square(name: str, parsed: list[str]) -> None:
    small, large = SHAPES[name](SMALL), SHAPES[name](LARGE)
    for step, do in TEXT_STEPS:
        forget()
        little = work(lambda do=do: do(small))  # type: ignore[misc]
        forget()
        parsed.clear()
        much = work(lambda do=do: do(large))  # type: ignore[misc]
        # Four times the text; what is small is ruled by what it costs to begin with.
        assert much < 7 * little + 15_000, step
        assert len(parsed) <= PARSES[step], step
        assert sum(map(len, parsed)) <= 52 * len(large) + 1_000, step


@pytest.mark.parametrize("count", [600, 1_000])
def test_all_marks_are_tried_with_one_parse(count: int, parsed: list[str]) -> None:
    text = "x = torch.tensor(1.)\n" + "y = x * 2  # without .detach() @5\n" * count
    found = [knob for knob in knobs(text) if knob.kind == "toggle"]
    assert len(parsed) == 2, "the text, and the text with all pieces put back"
    assert len(found) == MAX_MARKS
    for knob in (found[0], found[-1]):
        again = with_value(text, knob, True)
        assert again.split("\n")[knob.line - 1] == "y = x.detach() * 2"
        assert again.count("# without") == count - 1


def test_marks_that_do_not_fit_are_told_from_those_that_do(parsed: list[str]) -> None:
    good = "y = x * 2  # without .detach() @5\n"
    for bad in (
        "y = 2 * 2  # without .data @5\n", "global a  # without .data @8\n", "def f(a): 0  # without .detach() @7\n",
        "f(a=1)  # without .data @3\n", "y = x * 2  # without .detach() @3\n", "y = x * 2  # without .foo() @5\n",
        "y = x * 2  # without .detach().data @5\n", "y = x * 2  # without .detach() @500\n",
        "y = x  # without .detach() @" + "9" * 5_000 + "\n",
    ):  # fmt: skip
        parsed.clear()
        text = good * 3 + bad + good * 3
        assert [knob.line for knob in knobs(text) if knob.kind == "toggle"] == [1, 2, 3, 5, 6, 7], bad[:40]
        assert len(parsed) <= 8


def test_marks_that_never_fit_cost_a_bounded_number_of_parses(parsed: list[str]) -> None:
    text = "y = x if x else x  # without .data @8\n" * 900
    assert [knob for knob in knobs(text) if knob.kind == "toggle"] == []
    assert len(parsed) <= 17
    assert sum(map(len, parsed)) < 4 * BOUNDS.characters


def test_so_many_knobs_are_looked_for_and_no_more() -> None:
    text = "x = 1\n" * 5_000
    found = find(text)
    assert len(found.knobs) == MOST_KNOBS
    assert found.more
    assert [knob.line for knob in found.knobs] == list(range(1, MOST_KNOBS + 1)), "the first ones"
    assert not find("x = 1\n" * 10).more


def test_numbers_beyond_all_are_no_knobs() -> None:
    assert knobs("x = -1e400; y = 1e999; z = -" + "9" * 4_000 + "; w = 0x" + "f" * 9_000) == []
    assert [knob.value for knob in knobs("x = -1e299; y = " + "9" * 200)] == [-1e299, int("9" * 200)]


def test_a_grid_is_turned_in_one_pass(parsed: list[str]) -> None:
    text = "x = [" + ", ".join(["1"] * 400) + "]  # without .detach() @1\n"
    (knob,) = (knob for knob in knobs(text) if knob.kind == "matrix")
    parsed.clear()
    made = work(lambda: with_value(text, knob, [2] * 400))
    assert parsed == []
    assert made < 20_000
    assert with_value(text, knob, [2] * 400) == text.replace("1,", "2,").replace("1]", "2]")


def test_lines_end_where_the_parser_ends_them() -> None:
    text = "a = 1\rb = x.detach() * 2\r\nc = 3\n"
    found = [(knob.label, knob.line) for knob in knobs(text)]
    assert found == [("a", 1), (".detach()", 2), ("x.detach() * □ in b", 2), ("c", 3)]
    (toggle,) = (knob for knob in knobs(text) if knob.kind == "toggle")
    less = with_value(text, toggle, False)
    assert less == "a = 1\rb = x * 2  # without .detach() @5\r\nc = 3\n"
    (again,) = (knob for knob in knobs(less) if knob.kind == "toggle")
    assert with_value(less, again, True) == text


@pytest.mark.thorough
def test_the_largest_texts_that_are_read_take_less_than_the_bound(parsed: list[str]) -> None:
    text = SHAPES["one name in one call"](38_000)
    steps = dict(TEXT_STEPS)
    # The other steps parse as often and keep less.
    for step in ("a name changed", "a block put around a line"):
        do = steps[step]
        forget()
        tracemalloc.start()
        try:
            do(text)
            assert tracemalloc.get_traced_memory()[1] < 80 * MB, step
        finally:
            tracemalloc.stop()
    assert parsed, "it is read"


def test_a_notebook_of_500_cells_is_read_as_far_as_one_program(parsed: list[str]) -> None:
    cells = notebook(500)
    for step, do in CELL_STEPS:
        forget()
        parsed.clear()
        tracemalloc.start()
        try:
            do(cells)
            assert tracemalloc.get_traced_memory()[1] < 80 * MB, step
        finally:
            tracemalloc.stop()
        assert sum(map(len, parsed)) <= 4 * BOUNDS.characters, step


def test_there_are_enough_hostile_texts() -> None:
    assert len(SHAPES) >= 60
    assert len(MARKS) >= 15
    assert len({name: shape(2_000) for name, shape in SHAPES.items()}) == len(SHAPES)
    assert {scenario.name for scenario in scenarios()} > SHAPES.keys()


MANY = 800
PARAMETERS = ", ".join(f"p{n}" for n in range(MANY))


@pytest.mark.parametrize(
    "text",
    [
        "x = 1\n" * MANY + "g(" + "x, " * MANY + ")\n",
        f"def f({PARAMETERS}): g({PARAMETERS})\n" + "f(1)\n" * MANY,
        "def f(): return a\n" * MANY + "g(" + "f(), " * MANY + ")\n",
        "class A:\n    def forward(self, a): g(a)\n" + "a = A(1)\n" * MANY + "a(2)\n" * MANY,
        "self.a = 1\n" * MANY + "g(" + "b.a, " * MANY + ")\n",
    ],
    ids=["one name", "parameters", "functions", "methods", "attributes"],
)
def test_what_went_into_a_call_is_looked_for_within_bounds(text: str) -> None:
    source = Source((text,))
    ((_, call),) = source.calls["g"]
    site = Site(0, call.lineno, call.col_offset, call.end_lineno or 0, call.end_col_offset or 0)

    def look() -> list[tuple[int, ast.AST]]:
        return source.expressions_behind(site, lambda name: False)

    assert work(look) < 600_000
    assert work(look) < 400_000
    assert 1 < len(look()) <= 1_300


def test_modes_behind_names_are_looked_up_once() -> None:
    text = "m = f()\n" * 900 + "with " + ", ".join(["m"] * 900) + ":\n    g()\n"
    source = Source((text,))
    ((_, call),) = source.calls["g"]
    site = Site(0, call.lineno, call.col_offset, call.end_lineno or 0, call.end_col_offset or 0)
    assert source.switched_off(site) is None
    assert work(lambda: source.switched_off(site)) < 5_000
    gated = Source(("m = torch.no_grad()\nwith m:\n    g()\n",))
    ((_, call),) = gated.calls["g"]
    assert gated.switched_off(Site(0, 3, 4, 3, 7)) == Site(0, 2, 5, 2, 6)


def test_places_in_any_of_some_expressions_are_found_by_their_outermost() -> None:
    source = Source(("f(a, (b + c))\ng(d)\n", "h(e)\n"))
    calls = {name: found[0] for name, found in source.calls.items()}
    covered = Covered([calls["f"], calls["h"], (0, calls["f"][1].args[1])])
    assert Site(0, 1, 2, 1, 3) in covered
    assert Site(0, 1, 6, 1, 11) in covered
    assert Site(1, 1, 2, 1, 3) in covered
    assert Site(0, 2, 2, 2, 3) not in covered
    assert Site(1, 2, 0, 2, 1) not in covered
    assert Site(0, 1, 0, 2, 4) not in covered
    assert Site(0, 1, 0, 1, 1) not in Covered([])
