"""Figures as pictures: drawn by matplotlib in a process of their own, which holds nothing of the program."""

from __future__ import annotations

import base64
import threading
from importlib.util import find_spec

from ... import limits as table
from ...figures import decoded
from ...sandbox.calls import CallError, bounded, call
from .svg import check

__all__ = ["MISSING", "data_address", "draw", "is_there", "suffix"]

DRAW = bounded("engine.export.figures.drawing:figure", table.DRAWING, table.DRAWING_MEMORY, table.DRAWN.value(), apart=True)
MISSING = "Figures are drawn where matplotlib is installed: pip install 'gradtape[plots]'"
PNG = b"\x89PNG\r\n\x1a\n"


def is_there() -> bool:
    """Whether matplotlib is installed."""
    return find_spec("matplotlib") is not None


def draw(text: str, stop: threading.Event | None = None) -> bytes:
    """The picture of a figure: an SVG of known elements only, or a PNG.

    Raises:
        CallError: when it cannot be drawn; the message says why, in words for the user.
        Stopped: when `stop` was set meanwhile.
    """
    if not is_there():
        raise CallError("refused", MISSING)
    try:
        decoded(text)
    except ValueError as error:
        raise CallError("refused", str(error)) from None
    try:
        made = call(DRAW, text.encode(), stop=stop)
        if not made.startswith(PNG):
            check(made.decode())
    except CallError as error:
        limit = DRAW.over(error, "drawing")
        raise CallError(error.status, limit or str(error)) from None
    except ValueError:
        raise CallError("failed", "what was drawn is no picture") from None
    return made


def suffix(picture: bytes) -> str:
    """The end of a file's name for a picture."""
    return ".png" if picture.startswith(PNG) else ".svg"


def data_address(picture: bytes) -> str:
    """A picture as the address of an image: nothing in it can run there, nor load anything."""
    kind = "png" if picture.startswith(PNG) else "svg+xml"
    return f"data:image/{kind};base64,{base64.b64encode(picture).decode()}"
