"""Pictures as PNG, drawn from the SVG by resvg with the fonts that come along: the same pixels on every machine."""

from __future__ import annotations

from engine.export.fonts import BOLD, FAMILY, REGULAR, covers
from engine.export.scene import Group, Picture, Text
from engine.export.svg import svg

SCALE = 2.0
"""Pixels of the image for one of the page, as on a screen of high resolution."""
LARGEST = 16_000
"""Pixels along one side."""
MOST = 36_000_000
"""Pixels in all, which take 144 MB while they are drawn."""


def png(picture: Picture, scale: float = SCALE) -> bytes:
    """The picture as an image; one that would be too large is drawn smaller."""
    import resvg_py

    scale = min(scale, LARGEST / max(picture.width, picture.height), (MOST / (picture.width * picture.height)) ** 0.5)
    made = resvg_py.svg_to_bytes(
        svg_string=svg(picture),
        width=max(1, round(picture.width * scale)),
        # Reading a machine's own fonts takes a while, so only text that needs them does it (Chinese names, say).
        skip_system_fonts=_covered(picture),
        font_files=[str(REGULAR), str(BOLD)],
        sans_serif_family=FAMILY,
    )
    return bytes(made)


def _covered(picture: Picture) -> bool:
    shapes = (shape for item in picture.items for shape in (item.shapes if isinstance(item, Group) else (item,)))
    return all(covers(shape.text, shape.bold) for shape in shapes if isinstance(shape, Text))
