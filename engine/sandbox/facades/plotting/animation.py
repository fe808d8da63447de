"""`matplotlib.animation`: an animation is gone through once and its last picture is drawn."""

from __future__ import annotations

from itertools import islice
from typing import Any

from .canvas import notes

FRAMES = 200
"""Frames of an animation that are gone through."""


class FuncAnimation:
    """Calls a function for each frame, when the animation is saved or shown as HTML."""

    __slots__ = ("_fargs", "_figure", "_frames", "_func", "_init")

    def __init__(self, fig: Any, func: Any, frames: Any = None, init_func: Any = None, fargs: Any = None, **_: Any) -> None:
        self._figure, self._func, self._init, self._fargs = fig, func, init_func, fargs or ()
        self._frames = 100 if frames is None else frames

    def _go(self) -> None:
        notes.tell("Note: animations do not move here; their last picture is drawn.")
        if self._init is not None:
            self._init()
        frames: Any = self._frames
        if type(frames) is int:
            frames = range(frames)
        elif callable(frames):
            frames = frames()
        for frame in islice(frames, FRAMES):
            self._func(frame, *self._fargs)

    def save(self, *_: Any, **__: Any) -> None:
        """Go through it."""
        self._go()

    def to_jshtml(self, *_: Any, **__: Any) -> str:
        """Go through it."""
        self._go()
        return ""

    to_html5_video = to_jshtml


class ArtistAnimation:
    """An animation of what has been drawn already."""

    __slots__ = ()

    def __init__(self, *_: Any, **__: Any) -> None:
        notes.tell("Note: animations do not move here; their last picture is drawn.")

    def save(self, *_: Any, **__: Any) -> None:
        """Nothing moves."""

    def to_jshtml(self, *_: Any, **__: Any) -> str:
        """Nothing moves."""
        return ""


def writer(*_: Any, **__: Any) -> None:
    """`PillowWriter(fps)`, which has nothing to write."""


def names() -> dict[str, Any]:
    """What `matplotlib.animation` has."""
    return {"FuncAnimation": FuncAnimation, "ArtistAnimation": ArtistAnimation, "PillowWriter": writer, "FFMpegWriter": writer}
