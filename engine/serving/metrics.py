"""What the operator sees: one line of JSON for each run and one for each busy minute, without a word of anybody's program."""

from __future__ import annotations

import json
import logging
import statistics
import threading
import time
from collections import Counter, deque
from collections.abc import Callable
from functools import cache
from typing import Any, Protocol

RUNS = logging.getLogger("gradtape.runs")
MINUTE = 60.0
KEPT = 10_000
"""Runs whose latency counts for the percentiles of a minute."""
COUNTED = ("ok", "error", "timeout", "memory", "policy", "too_large", "crashed", "stopped", "cancelled", "busy", "failed")
"""How a run may end; anything else counts as "failed"."""


class Finished(Protocol):
    """What is looked at of a ticket that has finished."""

    session: str
    waited: float
    cancelled: bool
    value: Any
    failure: BaseException | None

    @property
    def seconds(self) -> float:
        """How long it ran."""


class Metrics:
    """Counts runs, and writes a summary when a minute has passed since the last one and something happens."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._since = clock()
        self._counts: Counter[str] = Counter()
        self._refused = 0
        self._latencies: deque[float] = deque(maxlen=KEPT)

    def finished(self, ticket: Finished, queue: int) -> None:
        """A run has ended."""
        status = status_of(ticket)
        recording = getattr(ticket.value, "recording", None)
        seconds, waited = round(ticket.seconds, 4), round(ticket.waited, 4)
        events = len(recording.events) if recording is not None else 0
        log(
            {"kind": "run", "session": ticket.session, "status": status, "seconds": seconds, "waited": waited, "events": events}
        )
        with self._lock:
            self._counts[status] += 1
            if status != "cancelled":
                self._latencies.append(ticket.seconds + ticket.waited)
        self._tell(queue)

    def refused(self, queue: int) -> None:
        """A run was turned away."""
        with self._lock:
            self._refused += 1
        self._tell(queue)

    def _tell(self, queue: int) -> None:
        """Write the summary if it is time."""
        with self._lock:
            passed = self._clock() - self._since
            if passed < MINUTE:
                return
            line = self.summary(passed, queue)
            self._since += passed
            self._counts.clear()
            self._latencies.clear()
            self._refused = 0
        log(line)

    def summary(self, seconds: float, queue: int) -> dict[str, object]:
        """What has happened since the last summary."""
        times = list(self._latencies)
        cuts = statistics.quantiles(times, n=20, method="inclusive") if len(times) > 1 else [*times, 0.0][:1] * 19
        return {
            "kind": "minute",
            "over": round(seconds, 1),
            "runs": self._counts.total(),
            "refused": self._refused,
            "timeouts": self._counts["timeout"],
            "crashed": self._counts["crashed"] + self._counts["failed"],
            "cancelled": self._counts["cancelled"],
            "queue": queue,
            "p50": round(cuts[9], 4),
            "p95": round(cuts[18], 4),
        }


def status_of(ticket: Finished) -> str:
    """How a run ended, in one of our own words."""
    if ticket.cancelled:
        return "cancelled"
    if ticket.failure is not None:
        return "busy" if type(ticket.failure).__name__ == "Busy" else "failed"
    status = getattr(ticket.value, "status", "ok")
    return status if status in COUNTED else "failed"


def log(line: dict[str, object]) -> None:
    """Write a line, if the operator wants to see it."""
    RUNS.info(json.dumps(line))


def to_stderr() -> None:
    """Have the lines written to stderr, as they are, once."""
    if not RUNS.handlers:
        handler = logging.StreamHandler()
        handler.setFormatter(logging.Formatter("%(message)s"))
        RUNS.addHandler(handler)
        RUNS.setLevel(logging.INFO)
        RUNS.propagate = False


@cache
def metrics() -> Metrics:
    """This process's."""
    return Metrics()
