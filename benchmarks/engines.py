"""The engine against hand-written NumPy, PyTorch, HIPS autograd and mygrad."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

import engine
from benchmarks.sizes import smallest
from benchmarks.timing import Contestant, race, table

LENGTH = 10
"""Rounds of four operations in a chain."""
MANY = 400
"""The same in a long one."""


def torch() -> Any | None:
    """PyTorch on one thread, if it is installed."""
    try:
        module = importlib.import_module("torch")
    except ModuleNotFoundError:
        return None
    if module is engine:
        return None
    module.set_num_threads(1)
    return module


def _torch_like(t: Any, shape: tuple[int, ...], rounds: int = LENGTH) -> Contestant:
    x = t.ones(shape, requires_grad=True)
    w, b = t.ones(shape) * 0.5, t.ones(shape) * 0.1

    def run() -> None:
        y = x
        for _ in range(rounds):
            y = y * w
            y = y + b
            y = t.tanh(y)
            y = y * 0.9
        y.sum().backward()
        x.grad = None

    return run


def _numpy(shape: tuple[int, ...]) -> Contestant:
    x = np.ones(shape, np.float32)
    w, b = np.full(shape, 0.5, np.float32), np.full(shape, 0.1, np.float32)

    def run() -> Any:
        y, kept = x, []
        for _ in range(LENGTH):
            z = np.tanh(y * w + b)
            kept.append(z)
            y = z * np.float32(0.9)
        y.sum()
        g = np.ones(shape, np.float32)
        for z in reversed(kept):
            g = g * np.float32(0.9)
            g = g * (1 - z * z)
            g = g * w
        return g

    return run


def _hips(shape: tuple[int, ...]) -> Contestant:
    import autograd.numpy as anp
    from autograd import grad

    x = np.ones(shape, np.float32)
    w, b = np.full(shape, 0.5, np.float32), np.full(shape, 0.1, np.float32)

    def f(y: Any) -> Any:
        for _ in range(LENGTH):
            y = y * w
            y = y + b
            y = anp.tanh(y)
            y = y * 0.9
        return anp.sum(y)

    slope = grad(f)
    return lambda: slope(x)


def _mygrad(shape: tuple[int, ...]) -> Contestant:
    mg: Any = importlib.import_module("mygrad")  # typed in part only
    x = mg.tensor(np.ones(shape, np.float32))
    w, b = np.full(shape, 0.5, np.float32), np.full(shape, 0.1, np.float32)

    def run() -> None:
        y = x
        for _ in range(LENGTH):
            y = y * w
            y = y + b
            y = mg.tanh(y)
            y = y * 0.9
        y.sum().backward()
        x.null_grad()

    return run


def _present(makers: dict[str, Callable[[], Contestant]]) -> dict[str, Contestant]:
    found = {}
    for name, make in makers.items():
        try:
            found[name] = make()
        except ModuleNotFoundError:
            print(f"({name} is not installed and left out)")
    return found


def chains(small: bool = False) -> None:
    """Chains of small and large operations, forward and backward; time per operation."""
    real = torch()
    rows = []
    shapes: list[tuple[int, ...]] = [(), (2, 2)] if small else [(), (2, 2), (64, 64), (512, 512)]
    for shape in shapes:
        makers: dict[str, Callable[[], Contestant]] = {"gradtape": partial(_torch_like, engine, shape)}
        if real is not None:
            makers["PyTorch"] = partial(_torch_like, real, shape)
        makers |= {
            "NumPy by hand": partial(_numpy, shape),
            "autograd": partial(_hips, shape),
            "mygrad": partial(_mygrad, shape),
        }
        times = race(_present(makers), small)
        rows.append(("×".join(map(str, shape)) or "0-d", {k: v / (4 * LENGTH + 1) for k, v in times.items()}))
    table("Chain of operations, forward and backward, per operation", rows, 1e6, "µs")


def _mlp(t: Any, sizes: tuple[int, int, int, int]) -> Contestant:
    batch, n, m, k = sizes
    rng = np.random.default_rng(0)
    x, y = (t.tensor(rng.standard_normal(s).astype(np.float32)) for s in ((batch, n), (batch, k)))
    parameters = [
        t.tensor(rng.standard_normal(s).astype(np.float32) * 0.1, requires_grad=True) for s in ((n, m), (m,), (m, k), (k,))
    ]

    def run() -> None:
        w1, b1, w2, b2 = parameters
        loss = ((t.relu(x @ w1 + b1) @ w2 + b2 - y) ** 2).mean()
        loss.backward()
        with t.no_grad():
            for p in parameters:
                p -= 0.01 * p.grad
                p.grad = None

    return run


def _mlp_numpy(sizes: tuple[int, int, int, int]) -> Contestant:
    batch, n, m, k = sizes
    rng = np.random.default_rng(0)
    x, y = (rng.standard_normal(s).astype(np.float32) for s in ((batch, n), (batch, k)))
    w1, b1, w2, b2 = (rng.standard_normal(s).astype(np.float32) * np.float32(0.1) for s in ((n, m), (m,), (m, k), (k,)))

    def run() -> None:
        h = x @ w1 + b1
        a = np.maximum(h, 0)
        d = a @ w2 + b2 - y
        (d * d).mean()
        g = d * np.float32(2 / d.size)
        gw2, gb2 = a.T @ g, g.sum(0)
        gh = (g @ w2.T) * (h > 0)
        gw1, gb1 = x.T @ gh, gh.sum(0)
        rate = np.float32(0.01)
        for p, gp in ((w1, gw1), (b1, gb1), (w2, gw2), (b2, gb2)):
            p -= rate * gp

    return run


def training_steps(small: bool = False) -> None:
    """One training step of a two-layer network with plain gradient descent."""
    real = torch()
    rows = []
    for sizes in [(64, 64, 128, 10), (128, 784, 256, 10)]:
        contestants = {"gradtape": _mlp(engine, sizes)}
        if real is not None:
            contestants["PyTorch"] = _mlp(real, sizes)
        contestants["NumPy by hand"] = _mlp_numpy(sizes)
        rows.append((f"batch {sizes[0]}, {sizes[1]} → {sizes[2]} → {sizes[3]}", race(contestants, small)))
    table("Training step of a two-layer network", rows, 1e6, "µs")


def recording(small: bool = False) -> None:
    """What it costs to be recorded, in this process, with the events described; what it costs in the sandbox is for
    `recording.py`. The first operations of a recording cost most, so it is told for a short and for a long one."""
    from engine.recording.recorder import record

    print("\nCost of recording\n")
    for shape in [(), (2, 2), (64, 64)]:
        told = []
        for rounds in (LENGTH, MANY):
            plain = _torch_like(engine, shape, rounds)

            def recorded(run: Contestant = plain) -> None:
                with record({__file__: 0}):
                    run()

            times = race({"gradtape": plain, "recorded": recorded}, small)
            told.append(f"{times['recorded'] / times['gradtape']:.2f}× ({4 * rounds + 1} operations)")
            if small:
                break
        print(f"recording {'×'.join(map(str, shape)) or '0-d'}: {', '.join(told)}")


def main(arguments: Sequence[str] | None = None) -> None:
    """Print all tables."""
    small = smallest(__doc__, arguments)
    chains(small)
    training_steps(small)
    recording(small)


if __name__ == "__main__":
    main()
