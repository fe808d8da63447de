"""Lines in common: what `difflib` says where it can, and an answer in time where it cannot."""

from __future__ import annotations

from difflib import SequenceMatcher

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.diagnosis.comparison import line_diff
from engine.diagnosis.comparison.alignment import match_lines
from engine.diagnosis.comparison.line_diff import MAX_TOKENS, MAX_WORK, Part, changed, parts

LINES = st.lists(st.sampled_from(["a", "b", "c", ""]), max_size=14)


def rebuilt(old: list[str], new: list[str], found: list[Part]) -> list[str]:
    """The new text from the old one and what differs; every line of both is in exactly one part."""
    assert [part[1:5:2] for part in found[:1]] in ([], [(0, 0)])
    at = (0, 0)
    lines: list[str] = []
    for kind, a, b, c, d in found:
        assert (a, c) == at
        at = (b, d)
        assert (kind == "equal") == (old[a:b] == new[c:d])
        assert (a < b, c < d) == (kind != "insert", kind != "delete")
        lines += old[a:b] if kind == "equal" else new[c:d]
    assert at == (len(old), len(new))
    return lines


@pytest.mark.thorough
@given(LINES, LINES)
def test_one_text_becomes_the_other(old: list[str], new: list[str]) -> None:
    assert rebuilt(old, new, parts(old, new)) == new


@given(LINES, LINES)
def test_and_does_so_with_no_work_left_for_difflib(old: list[str], new: list[str]) -> None:
    before = line_diff.MAX_WORK
    line_diff.MAX_WORK = 0
    try:
        assert rebuilt(old, new, parts(old, new)) == new
    finally:
        line_diff.MAX_WORK = before


def test_small_changes_are_those_of_difflib() -> None:
    old = [f"line {n}" for n in range(50)]
    for new in (
        [*old[:10], "x", *old[10:]], old[:10] + old[11:], [*old[:10], "x", *old[11:]], [*old[20:], *old[:20]], [], old,
        [*old[:5], "x", *old[6:30], "y", "z", *old[30:]],
    ):  # fmt: skip
        assert [tuple(part) for part in parts(old, new)] == SequenceMatcher(None, old, new, autojunk=False).get_opcodes()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (["x"] * 60_000, ["y", *["x"] * 60_000, "z"]),
        (["a", *["x"] * 30_000], [*["x"] * 30_000, "b"]),
        ([f"{n}" for n in range(20_000)], [f"{n}" for n in range(20_000)][::-1]),
        ([f"{n}" if n % 2 else "x" for n in range(20_000)], [f"{n}" if n % 2 else "y" for n in range(20_000)]),
        (["a", "b"] * 9_000, ["b", "a", "a"] * 6_000),
    ],
)
def test_what_would_hold_difflib_for_minutes_takes_a_bounded_number_of_comparisons(
    old: list[str], new: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    given_to_it: list[int] = []

    class Spy(SequenceMatcher):  # type: ignore[type-arg]
        def __init__(self, junk: None, a: list[str], b: list[str], autojunk: bool) -> None:
            at: dict[str, int] = {}
            for line in b:
                at[line] = at.get(line, 0) + 1
            given_to_it.append(sum(at.get(line, 0) for line in a) * min(len(a), len(b)))
            super().__init__(junk, a, b, autojunk)

    monkeypatch.setattr(line_diff, "SequenceMatcher", Spy)
    assert rebuilt(old, new, parts(old, new)) == new
    assert sum(given_to_it) <= MAX_WORK


def test_lines_of_a_program_are_still_matched_where_it_is_long() -> None:
    old = "".join(f"v{n} = f({n})\n" for n in range(5_000))
    new = old.replace("v2500 = f(2500)\n", "v2500 = f(25)\nw = 1\n").replace("v10 = f(10)\n", "")
    found = match_lines((old,), (new,))
    assert found[0, 1] == (0, 1)
    assert (0, 11) not in found
    assert found[0, 12] == (0, 11)
    assert found[0, 2501] == (0, 2500), "a changed line is the same one"
    assert found[0, 5000] == (0, 5000)


def test_lines_without_number_and_end_are_not_matched_letter_by_letter() -> None:
    long = "a" * 400_000
    assert match_lines((long + "\n" + "b" * 50_000,), ("c" + long + "\n" + "d" * 50_000,)) is not None
    assert match_lines(("\n" * 200_000,), ("\n" * 200_000,)) == {}


@pytest.mark.parametrize(
    ("old", "new", "gone", "come"),
    [
        (
            "opt = Adam(model.parameters(), lr=0.01)",
            "opt = SGD(model.parameters(), lr=1e-3)",
            ["Adam", "0.01"],
            ["SGD", "1e-3"],
        ),
        ("z = y1 * y2", "z = y1 * y1", ["y2"], ["y1"]),
        ("x", "x + 1", [], [" + 1"]),
        ("f(a, b, c)", "f(c)", ["a, b, "], []),
        ("same", "same", [], []),
        ("", "new", [], ["new"]),
    ],
)
def test_what_was_changed_in_a_line(old: str, new: str, gone: list[str], come: list[str]) -> None:
    before, after = changed(old, new)
    assert [old[start:end] for start, end in before] == gone
    assert [new[start:end] for start, end in after] == come


def test_a_line_with_too_many_tokens_is_one_change_between_its_ends() -> None:
    old, new = (f"a = [{', '.join(f'{sign}{k}' for k in range(MAX_TOKENS))}] + b" for sign in ("x", "y"))
    (gone,), (come,) = changed(old, new)
    assert old[slice(*gone)].startswith("x0, x1")
    assert new[slice(*come)].endswith(f"y{MAX_TOKENS - 1}")
