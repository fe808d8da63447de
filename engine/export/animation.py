"""A short run, or a backward pass of a longer one, as a GIF: its picture step by step, put together by Pillow."""

from __future__ import annotations

import io
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import astuple, replace
from typing import Any

import numpy as np
from PIL import Image

from ..graph.design import Theme, palette
from ..progress import Tell, part, told, untold
from ..recording.index import index_of
from ..recording.recording import Recording
from .picture import Options, picture, step_of
from .png import SCALE, png
from .scene import Picture

FRAMES = 60
"""Pictures at most: some half a minute, which is as long as anybody watches."""
CARDS = 60_000
"""Cards that are drawn at most, all pictures together: where there are thousands, fewer steps are shown."""
FEWEST = 12
"""Steps that are shown of any pass that has so many."""
PIXELS, MOST_PIXELS = 1_000_000, 3_000_000
"""Pixels of one picture: about those of the page, and more where it could not be read with so few."""
LASTS = (250, 800)
"""Milliseconds that a picture lasts, at least and at most …"""
WHOLE = 20_000
"""… so that all last about as many."""
RESTS = 2_500
"""Milliseconds that the last one lasts, before it begins anew."""
COLOURS = 256


def gif(recording: Recording, options: Options, tell: Tell = untold, *, most: int = FRAMES, pixels: int = PIXELS) -> bytes:
    """The animation: every step of a run that has few, of another the backward pass on show, or the last one.

    Args:
        most: steps that are shown at most.
        pixels: of a picture, if it can be read with so few.

    Raises:
        IndexError: for a step that the recording does not have.
    """
    first = picture(recording, options, part(tell, 0, 0.05))
    steps = shown(recording, step_of(recording, options), min(most, max(FEWEST, CARDS // max(1, len(first.items)))))
    scale = scale_of(first, pixels)

    def drawn(step: int) -> Image.Image:
        made = picture(recording, replace(options, step=step))
        image = Image.open(io.BytesIO(png(made, scale, fonts=options.fonts))).convert("RGBA")
        return Image.alpha_composite(Image.new("RGBA", image.size, made.background), image).convert("RGB")

    some = {step: drawn(step) for step in (steps[0], steps[len(steps) // 2], steps[-1])}
    colours = Palette(options.theme, list(some.values()))
    frames = [colours.apply(some.get(step) or drawn(step)) for step in told(steps, part(tell, 0.1, 0.9))]
    return _written(_alike(frames))


def scale_of(picture: Picture, pixels: int = PIXELS) -> float:
    """Pixels of the animation for one of the picture."""
    area = picture.width * picture.height
    return min(SCALE, max(math.sqrt(pixels / area), min(1.0, math.sqrt(MOST_PIXELS / area))))


def shown(recording: Recording, step: int, most: int) -> Sequence[int]:
    """The steps of an animation of at most so many; `step` is the one on show."""
    steps = _around(recording, step)
    if len(steps) <= most:
        return steps
    return [steps[round(number * (len(steps) - 1) / max(1, most - 1))] for number in range(most)]


def _around(recording: Recording, step: int) -> Sequence[int]:
    """The whole run if it is short, else the pass that a step is in, else the last one, from just before it."""
    count = len(recording.events)
    if count <= FRAMES:
        return range(count) if count else [step]
    passes = list(index_of(recording).passes.values())
    if not passes:
        return range(count)
    shown = next((one for one in reversed(passes) if one.began <= step <= one.ended), passes[-1])
    return range(max(0, shown.began - 1), min(shown.ended, count - 1) + 1)


class Palette:
    """A theme's colours and the commonest of some frames, as they are, for all frames: with a palette for each, what stays as
    it is would flicker. (Pillow's own `quantize` takes a colour's neighbour where it has the colour.)"""

    def __init__(self, theme: Theme, frames: Sequence[Image.Image]) -> None:
        found: Counter[Any] = Counter()
        for frame in frames:
            found.update({colour: times for times, colour in frame.getcolors(frame.width * frame.height) or ()})
        own = {int(value[1:], 16) for value in astuple(palette(theme)) if isinstance(value, str)}
        common = [red << 16 | green << 8 | blue for (red, green, blue), _ in found.most_common(COLOURS)]
        packed = sorted([*dict.fromkeys([*own, *common])][:COLOURS])
        self.packed = np.array(packed, np.int32)

    def apply(self, frame: Image.Image) -> Image.Image:
        """A frame in these colours, each pixel in the nearest."""
        red, green, blue = np.moveaxis(np.asarray(frame).astype(np.int32), -1, 0)
        packed = red << 16 | green << 8 | blue
        taken = np.searchsorted(self.packed, packed).clip(max=len(self.packed) - 1)
        other = self.packed[taken] != packed
        colours, which = np.unique(packed[other], return_inverse=True)
        away = _channels(colours)[:, None] - _channels(self.packed)
        taken[other] = (away * away).sum(axis=-1).argmin(axis=1)[which]
        made = Image.fromarray(taken.astype(np.uint8), "P")
        made.putpalette(_channels(self.packed).astype(np.uint8).tobytes())
        return made


def _channels(packed: np.ndarray) -> np.ndarray:
    """Red, green and blue of colours."""
    return np.stack((packed >> 16, packed >> 8 & 255, packed & 255), axis=-1)


def _alike(frames: Sequence[Image.Image]) -> list[Image.Image]:
    """The frames in one size: what a legend has not yet is empty."""
    across, down = max(frame.width for frame in frames), max(frame.height for frame in frames)
    made = []
    for frame in frames:
        if frame.size != (across, down):
            larger = Image.new("P", (across, down), frame.getpixel((0, 0)))
            larger.putpalette(frame.getpalette() or [])
            larger.paste(frame, (0, 0))
            frame = larger
        made.append(frame)
    return made


def _written(frames: Sequence[Image.Image]) -> bytes:
    each = int(min(LASTS[1], max(LASTS[0], WHOLE / len(frames))))
    data = io.BytesIO()
    frames[0].save(
        data, "GIF", save_all=True, append_images=frames[1:], loop=0, duration=[each] * (len(frames) - 1) + [RESTS], disposal=1,
        optimize=False,
    )  # fmt: skip
    return data.getvalue()
