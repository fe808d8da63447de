"""What was measured, by name, and as a table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..safe_attributes import plain, read
from .watching import Span


class FunctionEventAvg:
    """All runs of one operation."""

    def __init__(self, key: str, spans: list[Span]) -> None:
        self.key = key
        self.count = len(spans)
        self.cpu_time_total = sum(span.total for span in spans)
        self.self_cpu_time_total = sum(span.own for span in spans)
        self.device_time_total = self.self_device_time_total = self.cuda_time_total = self.self_cuda_time_total = 0.0
        self.cpu_memory_usage = self.self_cpu_memory_usage = 0
        self.input_shapes = [list(shape) for shape in spans[0].inputs]

    @property
    def cpu_time(self) -> float:
        """How long one run took, in microseconds."""
        return self.cpu_time_total / self.count

    device_time = cuda_time = 0.0

    def __repr__(self) -> str:
        return (
            f"<FunctionEventAvg key={self.key} self_cpu_time={shown(self.self_cpu_time_total)} "
            f"cpu_time={shown(self.cpu_time)} count={self.count}>"
        )


def shown(microseconds: float) -> str:
    """A time as PyTorch writes it: "1.234ms"."""
    if microseconds >= 1e6:
        return f"{microseconds / 1e6:.3f}s"
    if microseconds >= 1e3:
        return f"{microseconds / 1e3:.3f}ms"
    return f"{microseconds:.3f}us"


class EventList(list[Any]):
    """What was measured: one entry for each name, or for each run."""

    own_time = 0.0
    """How long everything took."""

    @property
    def self_cpu_time_total(self) -> float:
        """How long everything took, in microseconds."""
        return self.own_time

    def total_average(self) -> FunctionEventAvg:
        """Everything as one entry."""
        return FunctionEventAvg("Total", [Span("", 0.0, e.cpu_time_total, e.self_cpu_time_total) for e in self])

    def table(
        self,
        sort_by: str | None = None,
        row_limit: int = 100,
        max_src_column_width: int = 75,
        max_name_column_width: int = 55,
        max_shapes_column_width: int = 80,
        header: str | None = None,
        top_level_events_only: bool = False,
        time_unit: str | None = None,
    ) -> str:
        """A table, a row to each name."""
        rows = list(self)
        if sort_by is not None:
            by = plain(sort_by).replace("cuda", "device")
            # The list is the program's, who may have put anything there.
            rows.sort(key=lambda e: read(e, by), reverse=True)
        titles = ["Name", "Self CPU %", "Self CPU", "CPU total %", "CPU total", "CPU time avg", "# of Calls"]
        cells = [
            [
                e.key if len(e.key) <= max_name_column_width else f"{e.key[: max_name_column_width - 3]}...",
                self._share(e.self_cpu_time_total),
                shown(e.self_cpu_time_total),
                self._share(e.cpu_time_total),
                shown(e.cpu_time_total),
                shown(e.cpu_time),
                str(e.count),
            ]
            for e in (rows if row_limit < 0 else rows[:row_limit])
        ]
        name_width = max([len(row[0]) for row in cells], default=4) + 4
        widths = [max(name_width, 4), *[max(12, len(title)) for title in titles[1:]]]
        line = "  ".join("-" * width for width in widths)
        text = [line, _row(titles, widths), line, *[_row(row, widths) for row in cells], line]
        if header is not None:
            text = ["=" * len(line), header, *text]
        return "\n".join([*text, f"Self CPU time total: {shown(self.own_time)}", ""])

    def _share(self, microseconds: float) -> str:
        return f"{100 * microseconds / self.own_time:.2f}%" if self.own_time else "NaN"

    def __str__(self) -> str:
        return self.table()


def _row(cells: list[str], widths: list[int]) -> str:
    return "  ".join(cell.rjust(width) for cell, width in zip(cells, widths, strict=True))


def averages(spans: list[Span], by: Callable[[Span], Any]) -> EventList:
    """What was measured, together where `by` says the same."""
    groups: dict[Any, list[Span]] = {}
    for span in spans:
        groups.setdefault(by(span), []).append(span)
    found = EventList(FunctionEventAvg(group[0].name, group) for group in groups.values())
    found.own_time = sum(span.own for span in spans)
    return found
