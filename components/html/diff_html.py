"""How a program's text was changed: the lines that differ, with what differs in them."""

from __future__ import annotations

from components.html.markup import muted, tag, text
from engine.diagnosis.comparison.line_diff import Spans, changed, parts

_MAX_LINES = 40
_MAX_LINE = 400
"""Characters of one of them."""
_WIDE = 160
"""Characters of a line that is shown from its beginning; of a longer one, what was changed is near it."""
_BEFORE = 20
"""Characters ahead of the first change that are kept then."""
_MAX_MARKS = 50


def line_html(sign: str, code: str, html: str, cls: str) -> str:
    """A line of a difference: the column of its sign, and `html`, which shows its code.

    A line that is wider than its place is wrapped: it goes on a little further in than it began, and only signs stand in their
    column.
    """
    style = f"--gt-sign:{len(sign)}ch;--gt-hang:{_indented(code) + 2}ch"
    rest = html.lstrip(" ")
    ahead = tag("span", text(sign), cls="gt-muted") + " " * (len(html) - len(rest))
    # The spaces stand outside of what is wrapped: else a first word that is too long would begin on a line of its own.
    return tag("div", ahead, tag("span", rest), cls=cls, style=style)


def _indented(code: str) -> int:
    """Spaces a line begins with, as far as they are shown."""
    return min(len(code) - len(code.lstrip(" ")), _MAX_LINE)


def diff_html(before: tuple[str, ...], after: tuple[str, ...]) -> str:
    """The lines that differ, with their numbers; in a line that became another one, what differs is marked and in sight."""
    lines: list[str] = []
    count = 0
    for cell in range(max(len(before), len(after))):
        old = before[cell].split("\n") if cell < len(before) else []
        new = after[cell].split("\n") if cell < len(after) else []
        for kind, a, b, c, d in parts(old, new):
            if kind == "equal":
                continue
            count += b - a + d - c
            if len(lines) < _MAX_LINES:
                pairs = [_pair(x, y) for x, y in zip(old[a:b][:_MAX_LINES], new[c:d][:_MAX_LINES])]
                gone, come = ([pair[side] for pair in pairs] for side in (0, 1))
                lines += _lines("−", "gt-gone", a, old[a:b], gone) + _lines("+", "gt-new", c, new[c:d], come)
            del lines[_MAX_LINES:]
    rest = [muted(f"{count - _MAX_LINES:,} more lines")] if count > _MAX_LINES else []
    return tag("div", *lines, *rest, cls="gt-diff") if lines else muted("The programs' texts are the same.")


def _pair(old: str, new: str) -> tuple[Spans, Spans]:
    """What differs in two versions of a line; nothing is marked where hardly anything is the same."""
    spans = changed(old, new)
    alike = len(old) + len(new) - sum(end - start for side in spans for start, end in side)
    return spans if 2 * alike >= len(old) + len(new) else ([], [])


def _lines(sign: str, cls: str, first: int, codes: list[str], marks: list[Spans]) -> list[str]:
    """Lines of one version from number `first`, counted from 0."""
    marked = [*marks, *([[]] * (len(codes) - len(marks)))]
    return [
        line_html(f"{number + 1:>3} {sign} ", code, _code(code, spans), cls)
        for number, (code, spans) in enumerate(zip(codes[:_MAX_LINES], marked), first)
    ]


def _code(code: str, spans: Spans) -> str:
    if not spans:
        return text(code, _MAX_LINE)
    spans = spans[:_MAX_MARKS]
    start = spans[0][0] - _BEFORE if len(code) > _WIDE and spans[0][0] > 2 * _BEFORE + _indented(code) else 0
    shown, at = [" " * _indented(code), "…"] if start else [], start
    for begin, end in spans:
        shown += [text(code[at:begin], _MAX_LINE), tag("mark", text(code[begin:end], _MAX_LINE))]
        at = end
    return "".join([*shown, text(code[at:], _MAX_LINE)])
