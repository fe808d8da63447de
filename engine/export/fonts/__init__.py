"""The typeface of pictures, in two weights, and how wide text is in it: never measured with what a machine happens to have.

It is the page's own. The page's painter has the same widths (`frontend/src/letters.js`).
"""

from __future__ import annotations

import struct
from functools import cache, lru_cache
from pathlib import Path

FAMILY = "Source Sans 3"
FOLDER = Path(__file__).parent
REGULAR = FOLDER / "SourceSans3-Regular.ttf"
BOLD = FOLDER / "SourceSans3-Semibold.ttf"

MISSING = 1.0
"""Width, in the font's size, of a character that the font does not have; few are wider (CJK and emoji are square)."""


def width(text: str, size: float, bold: bool = False) -> float:
    """How wide a line of text is, in the unit of `size`."""
    return _ems(text, bold) * size


def covers(text: str, bold: bool = False) -> bool:
    """Whether the font has all characters of a text."""
    known = advances(bold)
    return all(character in known for character in text)


@lru_cache(20_000)
def _ems(text: str, bold: bool) -> float:
    known = advances(bold)
    return sum([known.get(character, MISSING) for character in text])


@cache
def advances(bold: bool) -> dict[str, float]:
    """Width of every character the font has, in parts of the font's size: the tables `cmap` and `hmtx` of the file."""
    data = (BOLD if bold else REGULAR).read_bytes()
    found = tables(data)
    (unit,) = struct.unpack_from(">H", data, found[b"head"] + 18)
    (measured,) = struct.unpack_from(">H", data, found[b"hhea"] + 34)
    widths = [struct.unpack_from(">H", data, found[b"hmtx"] + 4 * glyph)[0] / unit for glyph in range(measured)]
    return {chr(code): widths[min(glyph, measured - 1)] for code, glyph in glyphs(data, found[b"cmap"]).items()}


def tables(data: bytes) -> dict[bytes, int]:
    """Where the tables of a font's file begin."""
    (count,) = struct.unpack_from(">H", data, 4)
    found = {}
    for row in range(count):
        name, _, offset, _ = struct.unpack_from(">4sIII", data, 12 + 16 * row)
        found[name] = offset
    return found


def glyphs(data: bytes, cmap: int) -> dict[int, int]:
    """Code point → glyph, from the format 4 subtable, which both files have."""
    (count,) = struct.unpack_from(">H", data, cmap + 2)
    offsets = [struct.unpack_from(">I", data, cmap + 8 + 8 * row)[0] for row in range(count)]
    start = next(cmap + o for o in offsets if struct.unpack_from(">H", data, cmap + o)[0] == 4)
    segments = struct.unpack_from(">H", data, start + 6)[0] // 2
    ends, firsts, deltas, ranges = (
        struct.unpack_from(f">{segments}H", data, start + 14 + 2 * segments * k + (2 if k else 0)) for k in range(4)
    )
    found = {}
    for segment in range(segments):
        at = start + 16 + 2 * segments * 3 + 2 * segment + ranges[segment]
        for code in range(firsts[segment], ends[segment] + 1):
            glyph = code
            if ranges[segment]:
                (glyph,) = struct.unpack_from(">H", data, at + 2 * (code - firsts[segment]))
            glyph = (glyph + deltas[segment]) & 0xFFFF if glyph else 0
            if glyph:
                found[code] = glyph
    return found
