r"""LaTeX templates: `\frac{{ {self} }}{{ {other} }}`, with names in single braces and LaTeX's own braces doubled.

A value that takes the place of a name gets parentheses where its neighbours would tear it apart: `(-2)^2`, `3 \cdot (a + b)`.
Templates of recordings come from strangers' files, so they are read by a pattern of their own, never by `str.format`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

SUM, NEGATIVE, PRODUCT, POWER, ATOM = range(5)
"""How tightly an expression holds together."""

PART = re.compile(r"\{\{|\}\}|\{(\w+)\}")
MAX_NAME = 24

_BINARY = frozenset(("cdot", "odot", "bmod", "star", "times", "le", "ge", "ne", "land", "lor"))
_OPENING, _CLOSING = "{([|,&=<>", "})]|,&=<>"


class Text(NamedTuple):
    """LaTeX and how tightly it holds together."""

    latex: str
    level: int = ATOM


def fill(template: str, value: Callable[[str], Text | None]) -> str:
    """The template with each name replaced by what `value` gives for it; a name it gives nothing for stands for itself."""
    pieces, named = _pieces(template)
    out: list[str] = []
    for i, piece in enumerate(pieces):
        if i not in named:
            out.append(piece)
            continue
        found = value(named[i])
        latex, level = (roman(named[i]), ATOM) if found is None else found
        before, after = "".join(out).rstrip(), "".join(pieces[i + 1 :]).lstrip()
        if level < _needed(before, after) or (latex[:1].isdigit() and before[-1:] in (*"0123456789", ")", "}") and before):
            latex = rf"\left({latex}\right)"
        out.append(latex)
    return "".join(out)


def _pieces(template: str) -> tuple[list[str], dict[int, str]]:
    """The template cut into literal pieces and names; of the latter the name by its position."""
    pieces: list[str] = []
    named: dict[int, str] = {}
    at = 0
    for match in PART.finditer(template):
        pieces.append(template[at : match.start()])
        if match[1] is None:
            pieces.append(match[0][0])
        else:
            named[len(pieces)] = match[1]
            pieces.append(f"[{match[1]}]")  # some atom, for those who look at their neighbours
        at = match.end()
    pieces.append(template[at:])
    return pieces, named


def _needed(before: str, after: str) -> int:
    """How tightly a value between these two must hold together."""
    if after[:1] in ("^", "_"):
        return ATOM
    word = re.search(r"\\([A-Za-z]+)$", before)
    if word is not None:
        return PRODUCT if word[1] in _BINARY else SUM if word[1] in ("left", "right") else ATOM
    if before and before[-1] not in _OPENING:
        return PRODUCT
    free = not after or after[0] in _CLOSING or after[0] in "+-" or after.startswith(r"\right") or after[0] == "["
    return SUM if free and not after.startswith("[") else NEGATIVE


def level_of(latex: str) -> int:
    """How tightly LaTeX holds together, as far as it can be seen."""
    skeleton = _skeleton(latex.strip())
    if re.search(r"\S\s*[+-]|[<>=]", skeleton):
        return SUM
    if skeleton.startswith("-"):
        return NEGATIVE
    if re.search(r"\\(cdot|odot|bmod|star|sum|prod|max|min|det)|\s|/", skeleton):
        return PRODUCT
    return POWER if "^" in skeleton else ATOM


def _skeleton(latex: str) -> str:
    """What stands outside all brackets."""
    out: list[str] = []
    depth = 0
    inside = False
    for c in latex.replace(r"\left", "").replace(r"\right", ""):
        if c in "{([" or (c == "|" and not inside):
            depth += 1
            inside = inside or c == "|"
        elif c in "})]" or c == "|":
            depth -= 1
            inside = inside and c != "|"
        elif depth == 0:
            out.append(c)
    return "".join(out)


def balanced(latex: str) -> bool:
    r"""Whether every brace is closed, and every `\left` has its `\right`."""
    depth = 0
    for c in re.sub(r"\\[{}\\]", "", latex):
        depth += (c == "{") - (c == "}")
        if depth < 0:
            return False
    begun = re.findall(r"\\(begin|end)\{(\w+)\}", latex)
    return (
        depth == 0
        and len(re.findall(r"\\left(?![a-z])", latex)) == len(re.findall(r"\\right(?![a-z])", latex))
        and sorted(n for w, n in begun if w == "begin") == sorted(n for w, n in begun if w == "end")
    )


_ESCAPES: Mapping[str, str] = {c: "\\" + c for c in "_{}#$%&"} | {" ": r"\ "}
_PLAIN = frozenset(".,:;'()[]+-*/=<>!?|@")


def escaped(text: str) -> str:
    """Any text for use inside LaTeX mathematics; what LaTeX might take for a command becomes a question mark."""
    line = text if len(text) <= MAX_NAME else text[: MAX_NAME - 1] + "…"
    line = line.replace("…", "...")
    return "".join(_ESCAPES.get(c) or (c if c in _PLAIN or (c.isascii() and c.isalnum()) else _letter(c)) for c in line)


def _letter(c: str) -> str:
    return rf"\text{{{c}}}" if c.isalpha() else "?"


def roman(text: str) -> str:
    """A word in upright letters."""
    return rf"\mathrm{{{escaped(text)}}}"


def variable(name: str) -> str:
    """A program's name as a variable."""
    return name if len(name) == 1 and name.isascii() and name.isalpha() else rf"\mathit{{{escaped(name)}}}"


def bar(variable_: str) -> str:
    """The gradient of a variable: a bar above it."""
    return rf"\bar{{{variable_}}}" if len(variable_) == 1 else rf"\overline{{{variable_}}}"


def number(value: float | int | bool | complex) -> Text:
    """A number to seven significant digits, as many as a float32 has."""
    if isinstance(value, bool):
        return Text(rf"\mathrm{{{value}}}")
    if isinstance(value, complex):
        return Text(f"{value.real:.7g}{value.imag:+.7g}i", SUM)
    if isinstance(value, int):
        return Text(str(value), NEGATIVE if value < 0 else ATOM)
    if value != value or value in (float("inf"), float("-inf")):
        return Text(r"\mathrm{NaN}") if value != value else Text(r"\infty") if value > 0 else Text(r"-\infty", NEGATIVE)
    shown = f"{value:.7g}"
    if "e" in shown:
        digits, exponent = shown.split("e")
        return Text(rf"{digits} \cdot 10^{{{int(exponent)}}}", NEGATIVE if value < 0 else PRODUCT)
    return Text("0" if shown == "-0" else shown, NEGATIVE if value < 0 else ATOM)
