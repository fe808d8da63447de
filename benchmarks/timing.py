"""Fair timing on a noisy machine: the contestants take turns, and the median of their rounds counts."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable

Contestant = Callable[[], object]


ROUNDS = 11
SECONDS = 0.05
"""How long each contestant runs in a round, about."""


def race(contestants: dict[str, Contestant], smallest: bool = False) -> dict[str, float]:
    """Median seconds of one call of each contestant; at the `smallest` size there is one call, and none to warm up."""
    calls = dict.fromkeys(contestants, 1)
    for name, run in () if smallest else contestants.items():
        run()
        began = time.perf_counter()
        run()
        calls[name] = max(1, int(SECONDS / max(time.perf_counter() - began, 1e-7)))
    times: dict[str, list[float]] = {name: [] for name in contestants}
    for _ in range(1 if smallest else ROUNDS):
        for name, run in contestants.items():
            gc.collect()
            began = time.perf_counter()
            for _ in range(calls[name]):
                run()
            times[name].append((time.perf_counter() - began) / calls[name])
    return {name: statistics.median(t) for name, t in times.items()}


def table(title: str, rows: list[tuple[str, dict[str, float]]], scale: float, unit: str, base: str = "gradtape") -> None:
    """Print each contestant's time and, in brackets, how many times `base` takes of it."""
    names = list(dict.fromkeys(name for _, row in rows for name in row))
    print(f"\n{title} ({unit}; in brackets {base}'s time as a part of theirs)\n")
    print("| |" + "|".join(names) + "|")
    print("|---|" + "---|" * len(names))
    for label, row in rows:
        cells = []
        for name in names:
            if name not in row:
                cells.append("—")
                continue
            ratio = "" if name == base else f" ({row[base] / row[name]:.2f}×)"
            cells.append(f"{row[name] * scale:.2f}{ratio}")
        print(f"|{label}|" + "|".join(cells) + "|")
