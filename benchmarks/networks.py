"""Whole layers and networks of `torch.nn`, forward and backward, against PyTorch on one thread."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import engine
from benchmarks.engines import torch
from benchmarks.sizes import smallest
from benchmarks.timing import Contestant, race, table


def _convolution(t: Any) -> Contestant:
    layer, x = t.nn.Conv2d(16, 16, 3, padding=1), t.randn(8, 16, 32, 32, requires_grad=True)

    def run() -> None:
        layer(x).sum().backward()
        x.grad = None

    return run


def _transformer(t: Any) -> Contestant:
    layer = t.nn.TransformerEncoderLayer(128, 4, 512, dropout=0.0, batch_first=True)
    model, x = t.nn.TransformerEncoder(layer, 12), t.randn(1, 64, 128)

    def run() -> None:
        model(x).sum().backward()
        model.zero_grad()

    return run


def _training(t: Any) -> Contestant:
    model = t.nn.Sequential(t.nn.Linear(64, 128), t.nn.ReLU(), t.nn.Linear(128, 10))
    optimizer, loss = t.optim.SGD(model.parameters(), lr=0.01), t.nn.CrossEntropyLoss()
    x, y = t.randn(64, 64), t.randint(10, (64,))

    def run() -> None:
        optimizer.zero_grad()
        loss(model(x), y).backward()
        optimizer.step()

    return run


def _recurrent(t: Any) -> Contestant:
    model, x = t.nn.LSTM(16, 32, batch_first=True), t.randn(8, 20, 16)

    def run() -> None:
        model(x)[0].sum().backward()
        model.zero_grad()

    return run


CASES = {
    "conv2d, 8×16×32×32, 3×3 kernels": _convolution,
    "transformer, 12 layers, 4 heads, width 128, 64 tokens": _transformer,
    "training step of nn modules, 64 → 128 → 10, batch 64, SGD": _training,
    "LSTM, 16 → 32, 20 steps, batch 8": _recurrent,
}


def networks(small: bool = False) -> None:
    """Layers and networks; time of one pass forward and backward."""
    real = torch()
    rows = []
    for title, make in CASES.items():
        contestants = {"gradtape": make(engine)}
        if real is not None:
            contestants["PyTorch"] = make(real)
        rows.append((title, race(contestants, small)))
    table("Layers and networks, forward and backward", rows, 1e3, "ms")


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table."""
    networks(smallest(__doc__, arguments))


if __name__ == "__main__":
    main()
