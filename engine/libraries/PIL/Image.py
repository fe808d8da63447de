"""`PIL.Image`: a picture with a mode and pixels, made of an array; there are no files to open."""

from __future__ import annotations

import math
from enum import IntEnum
from typing import Any, NoReturn

import numpy as np

from .. import tell
from .resampling import Resampling, moved, resized

__all__ = [
    "BICUBIC",
    "BILINEAR",
    "BOX",
    "FLIP_LEFT_RIGHT",
    "FLIP_TOP_BOTTOM",
    "HAMMING",
    "LANCZOS",
    "NEAREST",
    "ROTATE_90",
    "ROTATE_180",
    "ROTATE_270",
    "Image",
    "Resampling",
    "Transpose",
    "blend",
    "fromarray",
    "merge",
    "new",
    "open",
]  # fmt: skip

BANDS = {"1": 1, "L": 1, "I": 1, "F": 1, "LA": 2, "RGB": 3, "HSV": 3, "RGBA": 4}
"""Modes, and how many values a pixel has."""
DTYPES: dict[str, Any] = {"1": np.bool_, "I": np.int32, "F": np.float32}
"""Modes whose values are no bytes."""
MODES = {((), "|b1"): "1", ((), "|u1"): "L", ((), "<i4"): "I", ((), "<f4"): "F", ((), "<f8"): "F",
         ((2,), "|u1"): "LA", ((3,), "|u1"): "RGB",
         ((4,), "|u1"): "RGBA"}  # fmt: skip
"""What an array's pixels are, and the mode of its picture."""
NAMED = {"black": (0, 0, 0), "white": (255, 255, 255), "red": (255, 0, 0), "green": (0, 128, 0), "blue": (0, 0, 255),
         "gray": (128, 128, 128), "yellow": (255, 255, 0)}  # fmt: skip
"""Colours by name."""
GREY = (19595, 38470, 7471)
"""How much red, green and blue count in grey, of 65536."""


class Transpose(IntEnum):
    """Ways to turn a picture over."""

    FLIP_LEFT_RIGHT = 0
    FLIP_TOP_BOTTOM = 1
    ROTATE_90 = 2
    ROTATE_180 = 3
    ROTATE_270 = 4


NEAREST, LANCZOS, BILINEAR, BICUBIC, BOX, HAMMING = map(Resampling, range(6))
FLIP_LEFT_RIGHT, FLIP_TOP_BOTTOM, ROTATE_90, ROTATE_180, ROTATE_270 = Transpose


class Image:
    """A picture: `mode`, and `size` as (width, height)."""

    __module__ = "PIL.Image"
    format: str | None = None

    def __init__(self, pixels: Any, mode: str) -> None:
        self._pixels: np.ndarray[Any, Any] = pixels
        self.mode = mode
        self.info: dict[str, Any] = {}

    @property
    def size(self) -> tuple[int, int]:
        """Width and height."""
        return self.width, self.height

    @property
    def width(self) -> int:
        """How many pixels stand beside each other."""
        return int(self._pixels.shape[1])

    @property
    def height(self) -> int:
        """How many pixels stand above each other."""
        return int(self._pixels.shape[0])

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.array(self._pixels, dtype=dtype)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Image) and self.mode == other.mode and np.array_equal(self._pixels, other._pixels)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<PIL.Image.Image image mode={self.mode} size={self.width}x{self.height} at 0x{id(self):X}>"

    def __enter__(self) -> Image:
        return self

    def __exit__(self, *_: Any) -> None:
        return None

    def copy(self) -> Image:
        """Another picture with the same pixels."""
        return Image(self._pixels.copy(), self.mode)

    def load(self) -> None:
        """It is in memory already."""

    close = load

    def show(self, *_: Any, **__: Any) -> None:
        """There is no window to show it in."""
        tell("PIL: a picture is shown nowhere here; print its array to see its values.")

    def save(self, *_: Any, **__: Any) -> None:
        """Nothing is written."""
        tell("PIL: pictures are not saved here.")

    # --- values -------------------------------------------------------------------------------------------------------------

    def getbands(self) -> tuple[str, ...]:
        """The letters of the mode."""
        return tuple(self.mode)

    def getpixel(self, xy: tuple[int, int]) -> Any:
        """The value or values at (x, y).

        Raises:
            IndexError: outside of the picture.
        """
        x, y = xy
        if not (-self.width <= x < self.width and -self.height <= y < self.height):
            raise IndexError("image index out of range")
        found = self._pixels[y, x].tolist()
        return tuple(found) if isinstance(found, list) else int(found) * 255 if self.mode == "1" else found

    def putpixel(self, xy: tuple[int, int], value: Any) -> None:
        """Set the value or values at (x, y)."""
        self._pixels[xy[1], xy[0]] = value

    def getdata(self) -> list[Any]:
        """All pixels, row by row."""
        flat = self._pixels.reshape(self.width * self.height, -1).tolist()
        return [tuple(pixel) if len(pixel) > 1 else pixel[0] for pixel in flat]

    def getextrema(self) -> Any:
        """The smallest and the largest value, of each band."""
        bands = np.atleast_3d(self._pixels)
        found = [(bands[..., k].min().item(), bands[..., k].max().item()) for k in range(bands.shape[2])]
        return found[0] if len(found) == 1 else tuple(found)

    def tobytes(self) -> bytes:
        """The pixels' bytes."""
        return self._pixels.tobytes()

    def split(self) -> tuple[Image, ...]:
        """A grey picture for each band."""
        bands = np.atleast_3d(self._pixels)
        return tuple(Image(np.ascontiguousarray(bands[..., k]), "L") for k in range(bands.shape[2]))

    def convert(self, mode: str | None = None, *_: Any, **__: Any) -> Image:
        """The same picture in another mode.

        Raises:
            ValueError: for a mode that is not here.
        """
        mode = mode or self.mode
        if mode not in BANDS or mode == "HSV" or self.mode == "HSV":
            raise ValueError(f"conversion from {self.mode} to {mode} not supported")
        if mode == self.mode:
            return self.copy()
        pixels = self._pixels.astype(np.uint8) * 255 if self.mode == "1" else self._pixels
        alpha = None
        if self.mode in ("RGBA", "LA"):
            pixels, alpha = pixels[..., :-1], pixels[..., -1:]
            pixels = pixels[..., 0] if self.mode == "LA" else pixels
        if pixels.dtype != np.uint8 and mode not in ("I", "F"):
            pixels = np.clip(np.trunc(pixels) if mode == "L" else pixels, 0, 255).astype(np.uint8)
        if mode in ("RGB", "RGBA"):
            pixels = pixels if pixels.ndim == 3 else np.repeat(pixels[..., None], 3, 2)
        elif pixels.ndim == 3:
            pixels = ((pixels.astype(np.int64) * GREY).sum(2) + 0x8000 >> 16).astype(np.uint8)
        if mode in ("RGBA", "LA"):
            full = np.full((*pixels.shape[:2], 1), 255, np.uint8) if alpha is None else alpha
            pixels = np.concatenate([pixels if pixels.ndim == 3 else pixels[..., None], full], 2)
        if mode == "1":
            pixels = pixels >= 128
        return Image(np.ascontiguousarray(pixels.astype(DTYPES.get(mode, np.uint8))), mode)

    def point(self, lut: Any, mode: str | None = None) -> Image:
        """Each value replaced, by a function or a table of 256."""
        table = np.array([lut(i) for i in range(256)] if callable(lut) else lut, np.float64)
        made = np.clip(table, 0, 255).astype(np.uint8)[self._pixels.astype(np.uint8)]
        return Image(made if mode != "1" else made != 0, mode or self.mode)

    # --- shapes -------------------------------------------------------------------------------------------------------------

    def resize(self, size: Any, resample: int | None = None, *_: Any, **__: Any) -> Image:
        """The picture in another size (width, height).

        Raises:
            ValueError: for a size without pixels, or a filter that is none.
        """
        width, height = map(int, size)
        if width <= 0 or height <= 0:
            raise ValueError("height and width must be > 0")
        how = (Resampling.NEAREST if self.mode == "1" else Resampling.BICUBIC) if resample is None else resample
        if how not in list(Resampling):
            raise ValueError(f"Unknown resampling filter ({how}). Use Image.Resampling.NEAREST (0) to LANCZOS (1).")
        if self.mode == "1":
            how = Resampling.NEAREST
        return Image(resized(self._pixels, width, height, how), self.mode)

    def thumbnail(self, size: Any, resample: int = Resampling.BICUBIC, *_: Any) -> None:
        """Make this picture no larger than a size, in its proportions."""
        scale = min(size[0] / self.width, size[1] / self.height, 1.0)
        if scale < 1:
            wanted = max(round(self.width * scale), 1), max(round(self.height * scale), 1)
            self._pixels = self.resize(wanted, resample)._pixels

    def crop(self, box: Any = None) -> Image:
        """The part (left, upper, right, lower); what lies outside of the picture is black.

        Raises:
            ValueError: if it is turned around.
        """
        left, upper, right, lower = (0, 0, *self.size) if box is None else (round(edge) for edge in box)
        if right < left:
            raise ValueError("Coordinate 'right' is less than 'left'")
        if lower < upper:
            raise ValueError("Coordinate 'lower' is less than 'upper'")
        made = np.zeros((lower - upper, right - left, *self._pixels.shape[2:]), self._pixels.dtype)
        rows = slice(max(upper, 0), max(min(lower, self.height), 0))
        columns = slice(max(left, 0), max(min(right, self.width), 0))
        inner = self._pixels[rows, columns]
        made[rows.start - upper :, columns.start - left :][: inner.shape[0], : inner.shape[1]] = inner
        return Image(made, self.mode)

    def paste(self, im: Any, box: Any = None) -> None:
        """Put another picture, or a colour, into this one."""
        left, upper = (0, 0) if box is None else box[:2]
        part = im.convert(self.mode)._pixels if isinstance(im, Image) else im
        size = part.shape[1::-1] if isinstance(im, Image) else (box[2] - left, box[3] - upper)
        self._pixels[upper : upper + size[1], left : left + size[0]] = part

    def transpose(self, method: int) -> Image:
        """Turned over: FLIP_LEFT_RIGHT, FLIP_TOP_BOTTOM, ROTATE_90, ROTATE_180 or ROTATE_270."""
        match method:
            case Transpose.FLIP_LEFT_RIGHT:
                made = self._pixels[:, ::-1]
            case Transpose.FLIP_TOP_BOTTOM:
                made = self._pixels[::-1]
            case _:
                made = np.rot90(self._pixels, int(method) - 1)
        return Image(np.ascontiguousarray(made), self.mode)

    def rotate(self, angle: float, resample: int = Resampling.NEAREST, expand: bool = False, center: Any = None,
               translate: Any = None, fillcolor: Any = None) -> Image:  # fmt: skip
        """Turned counterclockwise by degrees about the centre."""
        angle %= 360.0
        if not (center or translate):
            quarters: dict[float, Any] = {0: None, 180: ROTATE_180}
            if expand or self.width == self.height:
                quarters |= {90: ROTATE_90, 270: ROTATE_270}
            if angle in quarters:
                method = quarters[angle]
                return self.copy() if method is None else self.transpose(method)
        turn = -math.radians(angle)
        a, b = round(math.cos(turn), 15), round(math.sin(turn), 15)
        x, y = (self.width / 2, self.height / 2) if center is None else center
        shift = (0, 0) if translate is None else translate
        c, f = (
            a * (-x - shift[0]) + b * (-y - shift[1]) + x,
            -b * (-x - shift[0]) + a * (-y - shift[1]) + y,
        )
        width, height = self.size
        if expand:
            corners = [(0, 0), (width, 0), (width, height), (0, height)]
            across = [a * px + b * py + c for px, py in corners]
            down = [-b * px + a * py + f for px, py in corners]
            wide, high = (math.ceil(max(v)) - math.floor(min(v)) for v in (across, down))
            c += a * -(wide - width) / 2 + b * -(high - height) / 2
            f += -b * -(wide - width) / 2 + a * -(high - height) / 2
            width, height = wide, high
        return Image(moved(self._pixels, (a, b, c, -b, a, f), width, height, resample, fillcolor), self.mode)


# --- making one -------------------------------------------------------------------------------------------------------------


def fromarray(obj: Any, mode: str | None = None) -> Image:
    """A picture of an array (H, W) or (H, W, bands).

    Raises:
        TypeError: if its dtype or shape is that of no picture.
    """
    if not isinstance(obj, np.ndarray):
        raise AttributeError(f"'{type(obj).__name__}' object has no attribute '__array_interface__'")
    found = MODES.get((obj.shape[2:], obj.dtype.str))
    if found is None or obj.ndim < 2:
        raise TypeError(f"Cannot handle this data type: {(1, 1, *obj.shape[2:])}, {obj.dtype.str}")
    if mode is not None and BANDS.get(mode) != BANDS[found]:
        raise ValueError(f"unrecognized image mode for this array: {mode!r}")
    return Image(obj.astype(DTYPES.get(mode or found, np.uint8), copy=True), mode or found)


def new(mode: str, size: tuple[int, int], color: Any = 0) -> Image:
    """A picture of one colour.

    Raises:
        ValueError: for a mode or a colour that is not here.
    """
    if mode not in BANDS:
        raise ValueError(f"unrecognized image mode: {mode!r}")
    if isinstance(color, str):
        if color not in NAMED:
            raise ValueError(f"unknown color specifier: {color!r}")
        color = (*NAMED[color], 255)[: BANDS[mode]] if BANDS[mode] > 2 else NAMED[color][0]
    shape = (size[1], size[0]) if BANDS[mode] == 1 else (size[1], size[0], BANDS[mode])
    made = np.zeros(shape, DTYPES.get(mode, np.uint8))
    if color is not None:
        made[:] = color if BANDS[mode] == 1 or not isinstance(color, int) else (color, *[0] * (BANDS[mode] - 1))
    return Image(made, mode)


def merge(mode: str, bands: Any) -> Image:
    """One picture of a grey one for each band."""
    return Image(np.stack([band._pixels for band in bands], 2), mode)


def blend(im1: Image, im2: Image, alpha: float) -> Image:
    """`im1 * (1 - alpha) + im2 * alpha`."""
    return Image(mixed(im1._pixels, im2._pixels, alpha), im1.mode)


def mixed(one: Any, other: Any, alpha: float) -> Any:
    """What `blend` makes of pixels: whole numbers, cut off."""
    made = one.astype(np.float32) + np.float32(alpha) * (other.astype(np.float32) - one.astype(np.float32))
    return np.clip(made, 0, 255).astype(np.uint8)


def open(fp: Any, mode: str = "r", formats: Any = None) -> NoReturn:
    """There are no picture files.

    Raises:
        FileNotFoundError: always.
    """
    tell("PIL: picture files cannot be opened here; make a picture of an array with Image.fromarray.")
    raise FileNotFoundError(f"[Errno 2] No such file or directory: {fp!r}")
