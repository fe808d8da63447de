"""Truth values and whole numbers where PyTorch refuses them, wraps them around or rounds them: values, dtypes and words."""

from __future__ import annotations

import random
import warnings
from typing import Any

import pytest

import engine

torch = pytest.importorskip("torch")

TERMS = """
b - 1 / b - 1.0 / 1 - b / b - b / b - True / True - b / b - u / u - b / x - True / x - b / True - x / i - True / b[0] - 1
x.sub(True) / x.sub_(b) / b.sub_(1) / torch.rsub(b, 1) / torch.rsub(b, b) / torch.sub(b, x, alpha=True) / x - 1 / u - 5
torch.add(b, 1, alpha=True) / torch.add(b, b, alpha=2) / torch.add(b, b, alpha=2.5) / torch.add(i, 1, alpha=2.5)
torch.add(x, 1, alpha=True) / torch.add(u, 1, alpha=300) / torch.rsub(i, i, alpha=2.5) / i.add_(1, alpha=2.5)
b.add_(b, alpha=2) / b.add_(1, alpha=1) / u.add(1, alpha=-1) / torch.add(i, i, alpha=2) / torch.add(x, i, alpha=2.5)
b.median() / b.median(0) / b.nanmedian() / b.kthvalue(1) / b.topk(2) / b.mode() / torch.lerp(i, i, 0.5) / torch.lerp(i, i, i)
torch.arange(0, 2, dtype=torch.bool) / torch.clamp(u, -3, 300) / u.clamp(min=-1) / i8.clamp(-200, 5) / i8.clamp_min(-200)
torch.full((2,), 300, dtype=torch.uint8) / torch.full((2,), -1, dtype=torch.uint8) / torch.full((2,), 200, dtype=torch.int8)
torch.full((2,), 2**40, dtype=torch.int32) / torch.full((2,), 300.7, dtype=torch.uint8) / torch.full_like(u, 300)
torch.tensor(300, dtype=torch.uint8) / torch.tensor([1, -300], dtype=torch.int8) / torch.tensor([-1], dtype=torch.uint8)
u.fill_(300) / u.fill_(-1) / u.fill_(300.5) / u.masked_fill(b, 300) / u.masked_fill(b, -1)
torch.where(b, u, -1) / torch.where(b, u, 2.5) / torch.where(b, u, 300) / torch.where(b, -256, u) / torch.where(b, i8, -129)
torch.where(b, i8, 127) / torch.where(b, i, 2**63) / torch.where(b, x, 1e60) / torch.where(b, 1e60, x) / torch.where(b, u, True)
torch.where(b, x, float('inf')) / torch.where(b, x.double(), 1e60) / torch.where(b, x.half(), 1e9) / u.where(b, 300)
torch.bitwise_and(2, i) / torch.bitwise_or(2, u) / torch.bitwise_xor(300, u) / torch.bitwise_and(True, b)
torch.bitwise_left_shift(2, i8) / torch.bitwise_right_shift(64, u) / torch.bitwise_and(2.5, i) / b << b / b >> 1 / 2 >> b
torch.xlogy(2, x) / torch.xlogy(2.5, i) / torch.xlogy(2, 3) / torch.special.xlogy(True, x) / torch.special.xlog1py(2, x)
torch.special.xlog1py(2, i) / torch.special.zeta(2, x + 1) / torch.special.zeta(2.5, i.abs()) / torch.special.zeta(2, 3)
torch.remainder(torch.tensor([-3.0, -2, -1, 1, 2, 3, -0.0]), 2) / torch.remainder(x, -1.5) / x % x[1:2] / -x % 1 / 2 % (x + 1)
2 ** i / (-2) ** i / (-1) ** i / 0 ** i / 1 ** i / i ** -i / i ** i.abs() / i ** -1 / torch.pow(2, i8) / 2.0 ** i / u ** u
"""
TERMS_LISTED = [term.strip() for line in TERMS.strip().splitlines() for term in line.split(" / ")]


def told(t: Any, term: str) -> str:
    """What a term gives: its value and dtype, or its error."""
    names = {
        "torch": t,
        "b": t.tensor([True, False, True]),
        "u": t.tensor([1, 2, 250], dtype=t.uint8),
        "i": t.tensor([3, -7, 5]),
        "i8": t.tensor([3, -7, 100], dtype=t.int8),
        "x": t.arange(3.0),
    }
    try:
        result = eval(term, names)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return f"{result!r} {getattr(result, 'dtype', '')}"


@pytest.mark.parametrize("term", TERMS_LISTED)
def test_a_term_gives_what_pytorch_gives(term: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert told(engine, term) == told(torch, term)


@pytest.mark.parametrize("mode", ["bilinear", "bicubic"])
@pytest.mark.parametrize("how", [{}, {"antialias": True}, {"align_corners": True}], ids=["plain", "antialias", "corners"])
def test_images_of_bytes_are_resized_to_the_byte(mode: str, how: dict[str, bool]) -> None:
    chance = random.Random(0)
    for _ in range(12):
        channels, height, width = chance.choice([1, 3, 5]), chance.randint(2, 14), chance.randint(2, 14)
        values = [chance.randrange(256) for _ in range(channels * height * width)]
        size: Any = {"scale_factor": 2} if chance.random() < 0.3 else {"size": (chance.randint(2, 25), chance.randint(2, 25))}
        made = []
        for t in (engine, torch):
            image = t.tensor(values, dtype=t.uint8).view(1, channels, height, width)
            made.append(t.nn.functional.interpolate(image, mode=mode, **size, **how).tolist())
        assert made[0] == made[1]
