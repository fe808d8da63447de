"""Running a function many times, and how long it took. Statements as text would have to be compiled, which is refused where
strangers' programs run; so there a function is given instead."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterable
from typing import Any

from ...compat.classes import known_as
from ...slots import slots

timer: Callable[[], float] = time.perf_counter


class Measurement:
    """How long a statement took: each time in seconds for `number_per_run` runs."""

    def __init__(self, number_per_run: int, raw_times: list[float], stmt: str, label: str | None, sub_label: str | None,
                 description: str | None) -> None:  # fmt: skip
        self.number_per_run = number_per_run
        self.raw_times = raw_times
        self.stmt, self.label, self.sub_label, self.description = stmt, label, sub_label, description

    @property
    def times(self) -> list[float]:
        """How long one run took, each time."""
        return [t / self.number_per_run for t in self.raw_times]

    @property
    def mean(self) -> float:
        """The mean of the times."""
        return statistics.fmean(self.times)

    @property
    def median(self) -> float:
        """The median of the times."""
        return statistics.median(self.times)

    @property
    def iqr(self) -> float:
        """How far the middle half of the times is spread."""
        if len(self.times) < 2:
            return 0.0
        low, _, high = statistics.quantiles(self.times, n=4, method="inclusive")
        return high - low

    @property
    def title(self) -> str:
        """What was measured."""
        return ": ".join(filter(None, (self.label or self.stmt, self.sub_label)))

    def __repr__(self) -> str:
        unit, factor = next(((u, f) for u, f in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)) if self.median >= f), ("ns", 1e-9))
        several = len(self.times) > 1
        lines = [f"<torch.utils.benchmark.utils.common.Measurement object at {hex(id(self))}>", self.title]
        lines += [self.description] if self.description else []
        lines.append(f"  {'Median: ' if several else ''}{self.median / factor:.2f} {unit}")
        if several:
            lines.append(f"  IQR:    {self.iqr / factor:.2f} {unit}")
        count = len(self.times)
        runs = f"{self.number_per_run} run{'s' if self.number_per_run > 1 else ''} per measurement, " if several else ""
        noun = f"{count} measurement{'s' if count > 1 else ''}" if several else (f"1 measurement, {self.number_per_run} runs ")
        lines.append(f"  {runs}{noun}, 1 thread")
        return "\n".join(lines)


known_as("torch.utils.benchmark.utils.common", Measurement)


class Timer:
    """Runs a statement, as text with its names in `globals`, or a function."""

    def __init__(
        self,
        stmt: Any = "pass",
        setup: Any = "pass",
        global_setup: str = "",
        timer: Callable[[], float] = timer,
        globals: dict[str, Any] | None = None,
        label: str | None = None,
        sub_label: str | None = None,
        description: str | None = None,
        env: str | None = None,
        num_threads: int = 1,
        language: Any = "py",
    ) -> None:
        self._timer = timer
        self._said = stmt if isinstance(stmt, str) else getattr(stmt, "__name__", "stmt"), label, sub_label, description
        names = dict(globals or {})
        self._run = stmt if callable(stmt) else slots.statement(setup if isinstance(setup, str) else "pass", stmt, names)
        if callable(setup):
            setup()

    def _measured(self, number: int, times: list[float]) -> Measurement:
        return Measurement(number, times, *self._said)

    def _once(self, number: int) -> float:
        began = self._timer()
        for _ in range(number):
            self._run()
        return self._timer() - began

    def timeit(self, number: int = 1_000_000) -> Measurement:
        """How long so many runs take."""
        self._once(max(number // 100, 2))
        return self._measured(number, [self._once(number)])

    def blocked_autorange(self, callback: Any = None, min_run_time: float = 0.2) -> Measurement:
        """How long runs take, in blocks, for as long as is said."""
        number, took = 1, self._once(1)
        while took < min_run_time / 1000 and number < 10_000_000:
            number *= 10
            took = self._once(number)
        times, total = [], 0.0
        while total < min_run_time:
            times.append(self._once(number))
            total += times[-1]
        return self._measured(number, times)

    def adaptive_autorange(
        self, threshold: float = 0.1, *, min_run_time: float = 0.01, max_run_time: float = 10.0, callback: Any = None
    ) -> Measurement:
        """How long runs take, in blocks, for as long as is said."""
        return self.blocked_autorange(callback, min_run_time)


class Compare:
    """Several measurements as a table."""

    def __init__(self, results: Iterable[Measurement]) -> None:
        self._results = list(results)

    def print(self) -> None:
        """Print the table: a row to each, with the median in microseconds."""
        print(str(self))

    def __str__(self) -> str:
        rows = [f"{m.title}  {m.description or ''}".rstrip() for m in self._results]
        width = max(map(len, rows), default=0)
        times = [f"{row.ljust(width)}  |  {m.median * 1e6:.1f}" for row, m in zip(rows, self._results, strict=True)]
        return "\n".join([*times, "", "Times are in microseconds (us)."])
