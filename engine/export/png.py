"""Pictures as PNG, drawn from the SVG by resvg with the letters that come along: the same pixels on every machine."""

from __future__ import annotations

from unicodedata import bidirectional

from ..limits import PIXELS, SIDE
from .fonts import BOLD, FAMILY, REGULAR, covers
from .scene import Group, Picture, Text
from .svg import barred, outlined, svg, written

SCALE = 2.0
"""Pixels of the image for one of the page, as on a screen of high resolution."""
LARGEST, MOST = SIDE.value(), PIXELS.value()
"""Pixels along one side, and in all."""
COARSE = 0.25
"""The scale below which nothing can be read: text becomes bars, and edges are drawn without smoothing. (10,000 edges across a
picture of 83,000 pixels took 24 seconds with it, and one without.)"""


def png(picture: Picture, scale: float = SCALE, *, fonts: bool = True) -> bytes:
    """The picture as an image; one that would be too large is drawn smaller.

    Letters that the fonts that come along do not have (Chinese names, say) are looked for among the machine's, unless `fonts`
    says that no file can be opened: then each is a box, and words that run from right to left are drawn the other way.
    """
    import resvg_py

    scale = min(scale, LARGEST / max(picture.width, picture.height), (MOST / (picture.width * picture.height)) ** 0.5)
    coarse = scale < COARSE
    # Reading a machine's own fonts takes a while, so only text that needs them does it.
    foreign = fonts and not coarse and not _covered(picture)
    made = resvg_py.svg_to_bytes(
        svg_string=svg(picture, barred if coarse else _either if foreign else outlined),
        background=picture.background or None,  # of the last column and row it may cover but a part
        width=max(1, round(picture.width * scale)),
        skip_system_fonts=not foreign,
        font_files=[str(REGULAR), str(BOLD)] if foreign else None,
        sans_serif_family=FAMILY,
        shape_rendering="optimize_speed" if coarse else "geometric_precision",
    )
    return bytes(made)


def _either(line: Text) -> str:
    return outlined(line) if _plain(line) else written(line)


def _covered(picture: Picture) -> bool:
    shapes = (shape for item in picture.items for shape in (item.shapes if isinstance(item, Group) else (item,)))
    return all(_plain(shape) for shape in shapes if isinstance(shape, Text))


def _plain(line: Text) -> bool:
    """Whether a line is letters of our fonts one after another, from left to right."""
    return covers(line.text, line.bold) and not any(bidirectional(character) in ("R", "AL") for character in line.text)
