"""What stands behind the cards: the frames of loops with their tabs, and what backward passes recorded of themselves.

As the page's painter draws them (`frontend/src/paint-frame.js`, `regions.js`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ..graph.design import Palette
from ..graph.design.sizes import FONTS, FRAME, REGION, VEIL
from .curves import Rectangle, shortened_end
from .scene import Box, Cubic, Curve, Shape, clean, line
from .shortening import fit_end, text_width


@dataclass(frozen=True, slots=True)
class Frame:
    """A loop's frame, with what may stand on its tab after the title, from all of it to the least."""

    box: Rectangle
    title: str
    rest: Sequence[str]
    iterations: int


def frames(frames: Iterable[Frame], colours: Palette) -> Iterator[Shape]:
    """Behind the cards of a loop: a sheet of paper, on another where there are several iterations."""
    for frame in frames:
        b = frame.box
        wide, high = b.right - b.left, b.bottom - b.top
        if frame.iterations > 1:
            off = FRAME.paper
            yield Box(b.left + off, b.top + off, wide, high, FRAME.radius, colours.stage, colours.paper_line, FRAME.line)
        yield Box(b.left, b.top, wide, high, FRAME.radius, colours.frame, colours.frame_line, FRAME.line)


def tabs(frames: Iterable[Frame], colours: Palette) -> Iterator[Shape]:
    """On the frames: dark tabs that say which iteration it is; edges that come from above pass behind them."""
    bold, plain = FONTS["tab"], FONTS["tab_rest"]
    for frame in frames:
        x, y = frame.box.left + FRAME.radius, frame.box.top + FRAME.sunk - FRAME.tab
        room = frame.box.right - FRAME.radius - x - 2 * FRAME.tab_padding
        if room < FRAME.tab_least:
            continue
        title = fit_end(bold, clean(frame.title), room)
        used = text_width(bold, title)
        rest = next((text for text in frame.rest if text_width(plain, text) <= room - used - FRAME.tab_gap), "")
        more = FRAME.tab_gap + text_width(plain, rest) if rest else 0.0
        yield Box(x, y, used + more + 2 * FRAME.tab_padding, FRAME.tab, FRAME.tab / 2, colours.tab)
        yield from line(bold, title, x + FRAME.tab_padding, y + FRAME.tab_base, colours.on_tab)
        yield from line(plain, rest, x + FRAME.tab_padding + used + FRAME.tab_gap, y + FRAME.tab_base, colours.on_tab_mute)


def region(
    boxes: Sequence[Rectangle], edges: Iterable[tuple[Cubic, ...]], label: str, cards: Sequence[Rectangle], colours: Palette
) -> Iterator[Shape]:
    """Behind some cards: a border and a fill, each drawn once around everything, melt into one shape. The label covers none of
    all `cards` if there is a place where it does not."""
    for grown, colour in ((REGION.line, colours.region_line), (0.0, colours.region)):
        margin = REGION.margin + grown
        for b in boxes:
            wide, high = b.right - b.left + 2 * margin, b.bottom - b.top + 2 * margin
            yield Box(b.left - margin, b.top - margin, wide, high, REGION.radius + grown, fill=colour)
        if len(boxes) <= REGION.most:
            for pieces in edges:
                yield Curve(shortened_end(pieces), colour, 2 * (REGION.band + grown))
    font = FONTS["small"]
    wide = text_width(font, label) + 2 * VEIL.aside
    x, y = _label_at(boxes, wide, cards)
    yield Box(x - VEIL.aside, y - VEIL.up, wide, VEIL.height, fill=colours.stage, opacity=VEIL.opacity)
    yield from line(font, label, x, y, colours.orange_text)


def _label_at(boxes: Sequence[Rectangle], wide: float, cards: Sequence[Rectangle]) -> tuple[float, float]:
    """Over the first of the boxes, from the upper left on, over which a label covers no card."""
    ordered = boxes[:1] if len(boxes) > REGION.most else sorted(boxes, key=lambda box: box.left + box.top)
    spots = [(b.left - REGION.margin + REGION.label_right, b.top - REGION.margin - REGION.label_up) for b in ordered]

    def free(x: float, y: float) -> bool:
        left, top = x - VEIL.aside, y - VEIL.up
        right, bottom = left + wide, top + VEIL.height
        return not any(c.left < right and left < c.right and c.top < bottom and top < c.bottom for c in cards)

    return next((spot for spot in spots if free(*spot)), spots[0])
