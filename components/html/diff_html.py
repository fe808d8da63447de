"""How a program's text was changed: the lines that differ, with what differs in them."""

from __future__ import annotations

from components.html.markup import muted, tag, text
from engine.diagnosis.comparison.line_diff import Spans, changed, parts

_MAX_LINES = 40
_MAX_LINE = 400
"""Characters of one of them."""
WIDE = 56
"""Characters of a line that are seen at once; of a longer one, what was changed stands in the middle."""
_BEFORE = 20
"""Characters ahead of the first change that are kept then."""
_MAX_MARKS = 50


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
        tag("div", tag("span", text(f"{number + 1:>3} {sign} "), cls="gt-muted"), _code(code, spans), cls=cls)
        for number, (code, spans) in enumerate(zip(codes[:_MAX_LINES], marked), first)
    ]


def _code(code: str, spans: Spans) -> str:
    if not spans:
        return text(code, _MAX_LINE)
    spans = spans[:_MAX_MARKS]
    start = spans[0][0] - _BEFORE if len(code) > WIDE and spans[0][0] > 2 * _BEFORE else 0
    shown, at = ["…"] if start else [], start
    for begin, end in spans:
        shown += [text(code[at:begin], _MAX_LINE), tag("mark", text(code[begin:end], _MAX_LINE))]
        at = end
    return "".join([*shown, text(code[at:], _MAX_LINE)])
