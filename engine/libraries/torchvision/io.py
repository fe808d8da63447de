"""`torchvision.io`: picture files, which are not read or written here."""

from __future__ import annotations

from enum import Enum
from typing import Any, NoReturn

from .. import tell

__all__ = [
    "ImageReadMode", "decode_image", "decode_jpeg", "decode_png", "read_file", "read_image", "read_video", "write_jpeg",
    "write_png",
]  # fmt: skip


class ImageReadMode(Enum):
    """What a picture is made of when it is read."""

    UNCHANGED = 0
    GRAY = 1
    GRAY_ALPHA = 2
    RGB = 3
    RGB_ALPHA = 4


def read_image(path: Any, *_: Any, **__: Any) -> NoReturn:
    """There are no picture files.

    Raises:
        RuntimeError: always, in torchvision's words for a file that is not there.
    """
    tell("torchvision.io: picture files cannot be read here; make a picture of numbers, as torch.rand(3, 32, 32).")
    raise RuntimeError(f"[Errno 2] No such file or directory: '{path}'")


decode_image = decode_jpeg = decode_png = read_file = read_video = read_image


def write_png(*_: Any, **__: Any) -> None:
    """Nothing is written."""
    tell("torchvision.io: pictures are not saved here.")


write_jpeg = write_png
