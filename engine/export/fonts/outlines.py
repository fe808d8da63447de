"""The shapes of the fonts' letters, so that text can be drawn where no font can be opened.

What draws images opens font files by their paths each time that it draws, and a process that works on what a stranger sent
can open no file. Lines of outlines are drawn several times as fast as lines of text besides.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from functools import cache

from . import BOLD, REGULAR, advances, glyphs, tables

Point = tuple[int, int]
Contour = list[tuple[int, int, bool]]
"""Points in the font's unit, y upwards, and whether each is on the curve."""

ON, X_SHORT, Y_SHORT, REPEATED, X_SAME, Y_SAME = 1, 2, 4, 8, 16, 32
"""Flags of a point in the table `glyf`."""
WORDS, OFFSETS, SCALE, MORE, SCALES, MATRIX = 1, 2, 8, 32, 64, 128
"""Flags of a part of a glyph that is made of others."""
MISSING = "m60 0h880v700h-880zm50 50v600h780v-600z"
"""A box instead of a letter that the font does not have."""


@cache
def path(text: str, bold: bool) -> str:
    """A line of text as the `d` of an SVG path, from (0, 0) on, in thousandths of the font's size, y upwards."""
    parts, x = [], 0.0
    known = advances(bold)
    for character in text:
        if character != " ":
            drawn = _letter(character, bold)
            if drawn:
                parts.append(f"M{x:.0f} 0{drawn}")
        x += 1000 * known.get(character, 1.0)
    return "".join(parts)


def prepare() -> None:
    """Read the fonts."""
    for bold in (False, True):
        _font(bold)


class _Font:
    """The tables `glyf` and `loca` of a file."""

    def __init__(self, bold: bool) -> None:
        self.data = (BOLD if bold else REGULAR).read_bytes()
        found = tables(self.data)
        self.glyphs = glyphs(self.data, found[b"cmap"])
        self.start = found[b"glyf"]
        (self.unit,) = struct.unpack_from(">H", self.data, found[b"head"] + 18)
        (long,) = struct.unpack_from(">h", self.data, found[b"head"] + 50)
        (count,) = struct.unpack_from(">H", self.data, found[b"maxp"] + 4)
        offsets = struct.unpack_from(f">{count + 1}{'I' if long else 'H'}", self.data, found[b"loca"])
        self.offsets = offsets if long else tuple(2 * offset for offset in offsets)

    def contours(self, glyph: int) -> list[Contour]:
        """The closed lines that a glyph consists of."""
        at = self.start + self.offsets[glyph]
        if self.offsets[glyph] == self.offsets[glyph + 1]:
            return []
        (count,) = struct.unpack_from(">h", self.data, at)
        return self._simple(at + 10, count) if count >= 0 else list(self._composed(at + 10))

    def _simple(self, at: int, count: int) -> list[Contour]:
        data = self.data
        ends = struct.unpack_from(f">{count}H", data, at)
        (instructions,) = struct.unpack_from(">H", data, at + 2 * count)
        at += 2 * count + 2 + instructions
        flags: list[int] = []
        while len(flags) <= ends[-1]:
            flag = data[at]
            at += 1
            flags.append(flag)
            if flag & REPEATED:
                flags += [flag] * data[at]
                at += 1
        across, at = self._along(flags, at, X_SHORT, X_SAME)
        upwards, at = self._along(flags, at, Y_SHORT, Y_SAME)
        points = [(x, y, bool(flag & ON)) for x, y, flag in zip(across, upwards, flags, strict=True)]
        starts = (0, *(end + 1 for end in ends[:-1]))
        return [points[start : end + 1] for start, end in zip(starts, ends, strict=True)]

    def _along(self, flags: list[int], at: int, short: int, same: int) -> tuple[list[int], int]:
        found, value = [], 0
        for flag in flags:
            if flag & short:
                value += self.data[at] if flag & same else -self.data[at]
                at += 1
            elif not flag & same:
                value += struct.unpack_from(">h", self.data, at)[0]
                at += 2
            found.append(value)
        return found, at

    def _composed(self, at: int) -> Iterator[Contour]:
        """The contours of a letter with an accent, say: those of other glyphs, moved and scaled."""
        flags = MORE
        while flags & MORE:
            flags, glyph = struct.unpack_from(">HH", self.data, at)
            right, up = struct.unpack_from(">hh" if flags & WORDS else ">bb", self.data, at + 4)
            at += 8 if flags & WORDS else 6
            a, b, c, d = 1.0, 0.0, 0.0, 1.0
            if flags & SCALE:
                a = d = self._fractions(at, 1)[0]
                at += 2
            elif flags & SCALES:
                a, d = self._fractions(at, 2)
                at += 4
            elif flags & MATRIX:
                a, b, c, d = self._fractions(at, 4)
                at += 8
            if not flags & OFFSETS:
                right = up = 0
            for contour in self.contours(glyph):
                yield [(round(a * x + c * y + right), round(b * x + d * y + up), on) for x, y, on in contour]

    def _fractions(self, at: int, count: int) -> list[float]:
        return [value / 2**14 for value in struct.unpack_from(f">{count}h", self.data, at)]


@cache
def _font(bold: bool) -> _Font:
    return _Font(bold)


@cache
def _letter(character: str, bold: bool) -> str:
    """One letter as relative steps from its origin on the baseline."""
    font = _font(bold)
    glyph = font.glyphs.get(ord(character))
    if glyph is None:
        return MISSING
    parts: list[str] = []
    at: Point = (0, 0)
    for contour in font.contours(glyph):
        scaled = [(round(1000 * x / font.unit), round(1000 * y / font.unit), on) for x, y, on in contour]
        at = _closed(scaled, at, parts)
    return "".join(parts)


def _closed(contour: Contour, at: Point, parts: list[str]) -> Point:
    """Append one closed line, whose start is told from the start of the one before; returns its start."""
    if len(contour) < 2:
        return at
    first = next((k for k, point in enumerate(contour) if point[2]), None)
    if first is None:  # all are handles: begin half-way between two
        (x0, y0, _), (x1, y1, _) = contour[-1], contour[0]
        contour = [((x0 + x1) // 2, (y0 + y1) // 2, True), *contour]
        first = 0
    points = [*contour[first:], *contour[: first + 1]]
    x, y, _ = points[0]
    start = (x, y)
    parts.append(f"m{x - at[0]} {y - at[1]}")
    handle: Point | None = None
    for px, py, on in points[1:]:
        if on and handle is None:
            parts.append(f"l{px - x} {py - y}")
            x, y = px, py
        elif handle is None:
            handle = (px, py)
        else:
            # Between two handles in a row lies a point on the curve that is not written down.
            ex, ey = (px, py) if on else ((handle[0] + px) // 2, (handle[1] + py) // 2)
            parts.append(f"q{handle[0] - x} {handle[1] - y} {ex - x} {ey - y}")
            x, y = ex, ey
            handle = None if on else (px, py)
    parts.append("z")
    return start
