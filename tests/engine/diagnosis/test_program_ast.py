"""Program text is parsed in one place, once for all who ask, and never beyond the bounds."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.hostile import SHAPES
from engine.program import parsing
from engine.program.parsing import BOUNDS, KEPT, Lines, ProgramAst, UnreadError, alike, forget, fresh, parses, read, read_cells

ROOT = Path(__file__).resolve().parents[3]
PAGE = ("components", "engine")
ALLOWED = {
    # The one reader; the engine's own files; what runs inside the sandbox's processes.
    "engine/program/parsing.py", "engine/op/inline.py", "engine/op/backward_codegen.py", "engine/op/code_cache.py",
    "engine/tables.py", "components/server/serving.py", "engine/ops/calling.py",
    # The user's own scripts and files, which run on PyTorch outside of the page.
    "engine/pytorch/loops.py", "engine/pytorch/running.py",
    # What the recorder writes of its own forms, in the process of the program that it records.
    "engine/recording/shortcuts.py",
    # Statements to be timed that a program gives as text, without a sandbox; with one, it puts its own reader there.
    "engine/slots.py",
    # Values of arguments, of less than 200 characters.
    "engine/diagnosis/rule_text.py",
}  # fmt: skip
MB = 2**20


@pytest.fixture(autouse=True)
def nothing_kept() -> Iterator[None]:
    forget()
    yield
    forget()


def reason(text: str) -> UnreadError:
    with pytest.raises(UnreadError) as caught:
        read(text)
    return caught.value


def test_nothing_else_in_the_pages_process_parses_or_compiles() -> None:
    parsers = r"ast\.parse\(|literal_eval\(|\btokenize\.|import tokenize"
    calls = re.compile(parsers + r"|(?<![\w.])(?<!def )(compile|eval|exec)\(")
    found = set()
    for folder in PAGE:
        for path in (ROOT / folder).rglob("*.py"):
            name = path.relative_to(ROOT).as_posix()
            if not name.startswith(("engine/experiments/", "engine/sandbox/")) and calls.search(
                path.read_text(encoding="utf-8")
            ):
                found.add(name)
    assert found <= ALLOWED, "program text goes through engine/program/parsing.py"


def test_a_text_is_parsed_once(parsed: list[str]) -> None:
    assert read("x = 1\n") is read("x = 1\n")
    assert parsed == ["x = 1\n"]
    assert fresh("x = 1\n") is not read("x = 1\n").tree, "who changes a tree gets one of their own"
    for _ in range(3):
        assert reason("x = (\n").problem == "syntax"
    assert parsed.count("x = (\n") == 1, "what is no Python is not tried again either"


def test_nothing_over_a_bound_is_parsed(parsed: list[str]) -> None:
    for text in ("x" * (BOUNDS.characters + 1), "a\n" * BOUNDS.signs, "(" * 300 + ")" * 300, "f'" + "{a}" * 1_001 + "'", "'"):
        with pytest.raises(UnreadError):
            read(text)
        assert not parses(text)
        with pytest.raises(UnreadError):
            fresh(text)
    assert parsed == []


def test_reasons_are_sentences() -> None:
    said = {
        "x" * (BOUNDS.characters + 1): "The program is longer than What if reads (100,000 characters).",
        "a\n" * BOUNDS.signs: "The program has more words and signs than What if reads (40,000).",
        "\n\n" + "(" * 300: "The program is nested more deeply than What if reads (200 levels; line 3).",
        "\nf'" + "{a}" * 1_001 + "'": "The program has an f-string with more values than What if reads (1,000; line 2).",
        "x = 1\ny = (": "The program is not Python yet: see line 2.",
        "x = 1\ny = 'a": "The program is not Python yet: see line 2.",
        "x = \0": "The program is not Python yet.",
    }
    for text, sentence in said.items():
        error = reason(text)
        assert error.sentence("What if reads").startswith(sentence.rstrip(".")), text[:20]
        assert error.over is ("Python" not in sentence)


@pytest.mark.thorough
@pytest.mark.parametrize(
    "name", ["names", "one name", "list", "arguments", "f-strings", "other letters", "statements in one line"]
)
def test_the_largest_texts_that_are_read_stay_below_the_memory(name: str) -> None:
    size = 100_000
    while True:
        text = SHAPES[name](size)
        try:
            read(text)
            break
        except UnreadError as error:
            assert error.over
            size = size * 9 // 10
    assert read(text).signs > BOUNDS.signs / 2
    forget()
    tracemalloc.start()
    try:
        found = read(text)
        assert found.parents
        assert found.lines.lines
        assert found.comments is not None
        assert tracemalloc.get_traced_memory()[1] < 60 * MB
    finally:
        tracemalloc.stop()


@pytest.mark.thorough
def test_what_is_kept_is_bounded() -> None:
    tracemalloc.start()
    try:
        for number in range(12):
            read(f"y = {number}\n" + "x = 1\n" * 3_000)
        assert tracemalloc.get_traced_memory()[0] < 1.5 * KEPT
    finally:
        tracemalloc.stop()
    assert 0 < len(parsing._kept) < 12
    last = "y = 11\n" + "x = 1\n" * 3_000
    assert last in parsing._kept, "the one that was read last is kept"
    for number in range(100):
        with pytest.raises(UnreadError):
            read("(" * 50_000 + str(number))
    assert parsing._weight <= KEPT


def test_the_cells_of_a_notebook_are_bounded_together(parsed: list[str]) -> None:
    found = read_cells([f"x{n} = 1\n" * 200 for n in range(500)])
    read_so_far = [one for one in found if isinstance(one, ProgramAst)]
    assert len(found) == 500
    assert 10 < len(read_so_far) < 100
    assert sum(one.signs for one in read_so_far) <= BOUNDS.signs
    assert sum(map(len, parsed)) <= BOUNDS.characters
    assert [isinstance(one, ProgramAst) for one in read_cells(["x = 1", "x = (", "y = 2"])] == [True, False, True]


def test_trees_are_compared_without_their_places() -> None:
    same = [("x = (1)", "x=1"), ("f'{a}'", 'f"{a}"'), ("if a: b", "if a:\n    b"), ("x = 0x" + "f" * 5_000,) * 2]
    other = [
        ("x = 1", "x = 1.0"),
        ("x = 0.0", "x = -0.0"),
        ("x = 1", "x = True"),
        ("a + b", "a - b"),
        ("f(a)", "f(a, b)"),
        ("a", "b"),
    ]
    for one, two in same:
        assert alike(fresh(one), fresh(two)), one[:30]
    for one, two in other:
        assert not alike(fresh(one), fresh(two)), one
    assert alike(fresh("x = 1e400 * 0"), fresh("x = 1e400 * 0"))


@given(st.text(alphabet="ab \t=1\n\r\f'éℌ😀#", max_size=60))
def test_places_are_those_of_the_parser(text: str) -> None:
    try:
        tree = fresh(text)
    except UnreadError:
        return
    lines = Lines(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            # An identifier is normalised in the tree.
            assert len(lines.of(node)) == len(node.id)
        elif isinstance(node, ast.Constant) and isinstance(node.value, int):
            assert lines.of(node) == str(node.value)


def test_a_place_that_is_not_there_is_the_nearest_one() -> None:
    lines = Lines("é = 1\nx")
    wanted = {(1, 0): 0, (1, 2): 1, (1, 3): 2, (1, 99): 6, (2, 0): 6, (2, 99): 7, (99, 0): 6, (0, 0): 0}
    assert {at: lines.offset(*at) for at in wanted} == wanted


def test_a_long_line_of_other_letters_is_looked_through_once() -> None:
    text = "é = [" + "é, " * 9_000 + "]"
    program = read(text)
    tracemalloc.start()
    try:
        spans = [program.lines.span(node) for node in ast.walk(program.tree) if isinstance(node, ast.Name)]
        # Every look would take a copy of the line otherwise: what was allocated in all is what counts.
        assert tracemalloc.get_traced_memory()[1] < 8 * MB
    finally:
        tracemalloc.stop()
    assert sorted(spans)[1:3] == [(5, 6), (8, 9)]
    assert len(program.lines._widths) == 1


def test_warnings_of_a_strangers_text_do_not_reach_the_log() -> None:
    code = "from engine.program.parsing import read\nread('x = \"\\\\d\"; y = 1if x is 1else 2')"
    done = subprocess.run([sys.executable, "-W", "default", "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stderr == ""
