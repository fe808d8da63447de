"""What is counted before a text is parsed: never too little nesting; comments and quotes as Python's own tokenizer has them."""

from __future__ import annotations

import ast
import io
import tokenize
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.program.parsing import BOUNDS
from engine.program.scan import NESTED, Bounds, scan
from tests.thorough import some

ROOT = Path(__file__).resolve().parents[3]
OURS = sorted(path for folder in ("engine", "components", "assets/examples") for path in (ROOT / folder).rglob("*.py"))
NO_END = Bounds(10**9, 10**9, 10**9, 10**9)
SIGNS = [
    "a", "1", "1.5", "0xe", ".5e3", "(", ")", "[", "]", "{", "}", ",", ":", ";", "\n", "\n ", "\n\t", "=", "==", "+", "-",
    "**", ".", "'x'", '"', "'", "'''", "f'", "f'{a}'", 'f"{a!r:>{b}}"', "rb'\\'", "\\", "\\\n", "#", "# c\n", " ",
    "lambda x, y: ", "lambda: ", "if ", " if ", " else ", "elif ", "for ", " in ", "not ", " and ", "await ", "yield ", "@",
    "*", ":=", "def f():", "class A:", "match a:", "case a:", "if a:\n ", "elif a:\n ", "\r", "\r\n", "\f", "\0", "é", "{{",
    "}}", "!",
]  # fmt: skip


def starts_of(text: str) -> list[int]:
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    return starts


def tokens(text: str) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Comments and texts in quotes, as `tokenize` tells them."""
    starts = starts_of(text)
    comments, strings, begun = [], [], []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        start, end = (starts[line - 1] + column for line, column in (token.start, token.end))
        kind = tokenize.tok_name[token.type]
        if kind == "COMMENT":
            comments.append((start, end))
        elif kind == "STRING" and not begun:
            strings.append((start, end))
        elif kind in ("FSTRING_START", "TSTRING_START"):
            begun.append(start)
        elif kind in ("FSTRING_END", "TSTRING_END"):
            began = begun.pop()
            if not begun:
                strings.append((began, end))
    return comments, strings


def height(tree: ast.AST) -> int:
    """How many nodes stand in one another."""
    most, waiting = 0, [(tree, 1)]
    while waiting:
        node, depth = waiting.pop()
        most = max(most, depth)
        waiting += [(child, depth + 1) for child in ast.iter_child_nodes(node)]
    return most


@pytest.mark.thorough
def test_comments_and_quotes_are_those_of_the_tokenizer() -> None:
    assert len(OURS) > 300
    for path in some(OURS):
        text = path.read_text(encoding="utf-8")
        found = scan(text, NO_END)
        assert not found.problem, path
        assert (found.comments, found.strings) == tokens(text), path


def test_no_program_of_ours_is_near_the_bounds() -> None:
    for path in some(OURS):
        found = scan(path.read_text(encoding="utf-8"), BOUNDS)
        assert not found.problem, path
        assert found.depth < BOUNDS.depth / 2, path
        assert found.signs < BOUNDS.signs / 2, path


@pytest.mark.parametrize("nested", [False, True])
def test_values_of_f_strings_are_looked_into(nested: bool) -> None:
    for text in (
        "f'{a}'", "f'{a!r:>{b}}'", "f'{{}}'", "f'{a:{{}}}'", "f'a\\'{b}'", "rf'\\{a}'", "f'\\{a}'", "f'\\N{DIGIT ONE}{a}'",
        "f'''{\na\n}'''", "f'{a[\"b\"]:x}'", "f'{(lambda x: x)(1)}'", "f'{a:%H:%M}'", "f'{a != b}'", "f'{a=}'",
        "f'' f'{a}' 'b'",        "f'{f\"{a}\"}'", "F'{a}' fR'{b}' Rf'\\{c}'",
    ):  # fmt: skip
        found = scan(text, NO_END, nested)
        assert not found.problem, text
        assert found.strings[0][0] == 0, text
        assert found.strings[-1][1] == len(text), text
    # Its own quotes inside a value are for newer Pythons.
    own = "f'{a['b']}' # c"
    assert (scan(own, NO_END, nested).problem == "") is nested
    assert scan("f'{a:{b:{c}}}'", NO_END, nested).depth > scan("f'{a}'", NO_END, nested).depth
    for text in ("f'{a", "f'}'", "f'{a:'", "f'a\n'", "f'{a'", "f'''{a}"):
        assert scan(text, NO_END, nested).problem, text


@pytest.mark.parametrize(
    ("problem", "text"),
    [
        ("characters", "#" * (BOUNDS.characters + 1)),
        ("signs", "a\n" * BOUNDS.signs),
        ("depth", "(" * 300),
        ("depth", "x = " + "-" * 300 + "1"),
        ("depth", "x = a" + ".a" * 300),
        ("depth", "x = a" + "()" * 300),
        ("depth", "x = a" + "[0]" * 300),
        ("depth", "lambda a, b: " * 300 + "1"),
        ("depth", "1if 1else " * 300 + "1"),
        ("depth", "0xe+" * 300 + "1"),
        ("depth", "1." + ".a" * 300),
        ("depth", "if a: 0\n" + "elif a: 0\n" * 300),
        ("depth", "".join(" " * i + "if a:\n" for i in range(300))),
        ("depth", "".join("\t" * i + "if a:\n" for i in range(300))),
        ("depth", "f'" + "{a:" * 300 + "'"),
        ("depth", "x = \\\n" + "+\\\n" * 300 + "1"),
        ("fields", "f'" + "{a}" * 1_001 + "'"),
        ("quotes", "x = 'a\ny = 1"),
        ("quotes", "x = '''a\ny = 1"),
        ("quotes", "'" * 7),
    ],
)
def test_what_is_over_a_bound_is_told_before_it_is_parsed(problem: str, text: str) -> None:
    found = scan(text, BOUNDS)
    assert found.problem == problem
    assert found.signs <= BOUNDS.signs + 1
    assert found.depth <= BOUNDS.depth + 2


def test_statements_begin_anew() -> None:
    assert scan("x = a + b\n" * 300, BOUNDS).depth < 10
    assert scan("x = a + b; " * 300, BOUNDS).depth < 10
    assert scan("f(" + "a + b, " * 300 + ")", BOUNDS).depth < 10
    assert scan("if a: 0\nelif b: 0\n" * 300, BOUNDS).depth < 10
    assert scan("if a:\n if b:\n  0\n" * 300, BOUNDS).depth < 10


@given(st.lists(st.sampled_from(SIGNS), max_size=40), st.integers(1, 12))
def test_the_count_of_nesting_is_never_too_small(pieces: list[str], times: int) -> None:
    text = "".join(pieces) * times
    try:
        tree = ast.parse(text, "<program text>")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    found = scan(text, NO_END)
    assert not found.problem
    # A link in the text is at most so many nodes: a keyword of a call, a slice of a subscript, a clause of a comprehension.
    assert height(tree) <= 3 * found.depth + 8
    assert sum(1 for _ in ast.walk(tree)) <= 6 * found.signs + 8
    if NESTED or "f" not in text.lower():
        assert len(found.comments) == len(tokens(text.replace("\r\n", "\n").replace("\r", "\n"))[0])


@given(st.text(alphabet="af'\"{}\\#:!=\n\r ()", max_size=60))
def test_quotes_of_all_kinds_are_closed_where_python_closes_them(text: str) -> None:
    try:
        ast.parse(text, "<program text>")
    except (SyntaxError, ValueError):
        return
    assert not scan(text, NO_END).problem
