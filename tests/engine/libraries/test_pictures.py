"""`PIL.Image` against Pillow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from PIL import Image as theirs  # noqa: N813

from engine.libraries.PIL import Image as ours  # noqa: N813

SHAPES = [(28, 28), (37, 50, 3), (20, 31, 4)]


def both(shape: tuple[int, ...], code: Callable[[Any, Any], Any]) -> tuple[Any, Any]:
    """What a picture and Pillow's with the same pixels give."""
    pixels = np.random.default_rng(len(shape)).integers(0, 256, shape, dtype=np.uint8)
    return code(ours.fromarray(pixels), ours), code(theirs.fromarray(pixels), theirs)


def same(shape: tuple[int, ...], code: Callable[[Any, Any], Any], off: int = 0, part: float = 0.0) -> None:
    """Assert equal pixels, up to `off` in bytes, with another value at most in a part."""
    here, there = (np.asarray(p).astype(int) for p in both(shape, code))
    assert here.shape == there.shape
    assert (np.abs(here - there) > off).mean() <= part


@pytest.mark.parametrize("how", ["NEAREST", "BILINEAR", "BICUBIC", "LANCZOS", "BOX", "HAMMING"])
@pytest.mark.parametrize("size", [(14, 14), (64, 40), (28, 28), (17, 13)])
@pytest.mark.parametrize("shape", SHAPES[:2])
def test_resize(shape: tuple[int, ...], size: tuple[int, int], how: str) -> None:
    same(shape, lambda p, m: p.resize(size, getattr(m.Resampling, how)))


@pytest.mark.parametrize("mode", ["L", "RGB", "RGBA"])
@pytest.mark.parametrize("shape", SHAPES)
def test_convert(shape: tuple[int, ...], mode: str) -> None:
    same(shape, lambda p, m: p.convert(mode))


@pytest.mark.parametrize("shape", SHAPES)
def test_shapes_and_values(shape: tuple[int, ...]) -> None:
    for way in range(5):
        same(shape, lambda p, m, way=way: p.transpose(way))
    same(shape, lambda p, m: p.crop((-3, 2, 25, 40)))
    for code in (
        lambda p: p.size,
        lambda p: p.mode,
        lambda p: p.getpixel((3, 4)),
        lambda p: p.getbands(),
        lambda p: p.getextrema(),
        lambda p: p.tobytes(),
        lambda p: [part.tobytes() for part in p.split()],
        lambda p: p.point(lambda v: v // 2).tobytes(),
        lambda p: p == p.copy(),
    ):
        here, there = both(shape, lambda p, m, code=code: code(p))
        assert here == there


@pytest.mark.parametrize("alpha", [0.3, 0.5, 1.7, -0.2])
def test_blend(alpha: float) -> None:
    same((37, 50, 3), lambda p, m: m.blend(p, p.transpose(1), alpha))


@pytest.mark.parametrize("expand", [False, True])
@pytest.mark.parametrize("angle", [0, 10, 33.3, 90, 180, 270])
def test_rotate(angle: float, expand: bool) -> None:
    """Pillow turns with whole numbers, so a pixel on an edge may come from its neighbour."""
    same((28, 28), lambda p, m: p.rotate(angle, expand=expand, fillcolor=7), part=0.002)
    same((28, 28), lambda p, m: p.rotate(angle, m.Resampling.BILINEAR, expand=expand), off=1, part=0.01)
    same((28, 28), lambda p, m: p.rotate(angle, center=(3, 4), translate=(2, 1)), part=0.002)


@pytest.mark.parametrize("array", [np.zeros((2, 2), complex), np.zeros((2, 2, 5), np.uint8), np.zeros((2, 2), np.int64)])
def test_what_is_no_picture(array: Any) -> None:
    told = []
    for module in (ours, theirs):
        with pytest.raises(TypeError) as error:
            module.fromarray(array)
        told.append(str(error.value))
    assert told[0] == told[1]


def test_new_and_paste() -> None:
    for mode, color in (("RGB", "red"), ("RGB", (1, 2, 3)), ("L", 9), ("RGBA", (1, 2, 3, 4)), ("RGB", 5)):
        made = [np.asarray(m.new(mode, (3, 2), color)) for m in (ours, theirs)]
        np.testing.assert_array_equal(*made)
    pasted = []
    for module in (ours, theirs):
        whole: Any = module.new("RGB", (5, 4), "white")
        whole.paste(module.new("RGB", (2, 3), "blue"), (1, 1))
        whole.thumbnail((3, 3))
        pasted.append(np.asarray(whole))
    np.testing.assert_array_equal(*pasted)


def test_a_picture_prints_as_pillows_does() -> None:
    here, there = (repr(p).partition(" at ")[0] for p in both((2, 3, 3), lambda p, m: p))
    assert here == there


def test_there_are_no_files(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(FileNotFoundError, match=r"No such file or directory: 'cat\.png'"):
        ours.open("cat.png")
    ours.new("L", (1, 1)).save("x.png")
