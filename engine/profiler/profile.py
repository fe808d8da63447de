"""The block that measures, and the schedule by which it does so in some steps of a loop only."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from enum import Enum
from typing import Any

from ..compat.classes import known_as
from ..errors import Unsupported
from .averages import EventList, averages
from .watching import Span, Watching, begin, end


class ProfilerActivity(Enum):
    """What is measured: the CPU, whatever is asked for."""

    CPU = 0
    CUDA = 2
    XPU = 1


class ProfilerAction(Enum):
    """What a profiler does in a step."""

    NONE = 0
    WARMUP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3


def supported_activities() -> set[ProfilerActivity]:
    """The CPU."""
    return {ProfilerActivity.CPU}


def schedule(
    *, wait: int, warmup: int, active: int, repeat: int = 0, skip_first: int = 0, skip_first_wait: int = 0
) -> Callable[[int], ProfilerAction]:
    """What to do in which step: wait, warm up, measure, and so on `repeat` times, for ever if it is 0."""

    def action(step: int) -> ProfilerAction:
        if step < skip_first:
            return ProfilerAction.NONE
        step -= skip_first
        if skip_first_wait:
            step += wait
        cycle = wait + warmup + active
        if repeat > 0 and step / cycle >= repeat:
            return ProfilerAction.NONE
        at = step % cycle
        if at < wait:
            return ProfilerAction.NONE
        if at < wait + warmup:
            return ProfilerAction.WARMUP
        return ProfilerAction.RECORD if at < cycle - 1 else ProfilerAction.RECORD_AND_SAVE

    if wait < 0 or warmup < 0 or active <= 0 or repeat < 0 or skip_first < 0:
        raise AssertionError("Invalid profiler schedule arguments")
    return action


def tensorboard_trace_handler(dir_name: str, worker_name: str | None = None, use_gzip: bool = False) -> Callable[[Any], None]:
    """Does nothing with what was measured: there are no files here."""
    return lambda prof: None


class profile:  # noqa: N801
    """Measures the operations within its block."""

    _spans: list[Span] = []
    _watching: Watching | None = None

    def __init__(
        self,
        enabled: bool = True,
        *,
        activities: Iterable[ProfilerActivity] | None = None,
        schedule: Callable[[int], ProfilerAction] | None = None,
        on_trace_ready: Callable[[profile], Any] | None = None,
        record_shapes: bool = False,
        **options: Any,
    ) -> None:
        self.enabled = enabled
        self.schedule = schedule
        self.on_trace_ready = on_trace_ready
        self.step_num = 0
        self._spans = []
        self._watching = None

    def _action(self) -> ProfilerAction:
        return ProfilerAction.RECORD if self.schedule is None else self.schedule(self.step_num)

    def start(self) -> None:
        """Begin, as entering the block does."""
        if self.enabled and self._action() in (ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE):
            self._spans = []
            self._watching = begin()

    def stop(self) -> None:
        """End, as leaving the block does."""
        measured = self._pause()
        if measured and self.on_trace_ready is not None:
            self.on_trace_ready(self)

    def _pause(self) -> bool:
        watching, self._watching = self._watching, None
        if watching is None:
            return False
        end(watching)
        self._spans += watching.spans
        return True

    def step(self) -> None:
        """The next step of the loop begins."""
        before = self._action()
        self.step_num += 1
        after = self._action()
        if self.schedule is None:
            return
        recording = (ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE)
        if before is ProfilerAction.RECORD_AND_SAVE:
            self.stop()
        elif before is ProfilerAction.RECORD and after not in recording:
            self._pause()
        if self._watching is None and after in recording:
            self.start()

    def __enter__(self) -> profile:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _measured(self) -> list[Span]:
        return self._spans + (self._watching.spans if self._watching is not None else [])

    def key_averages(self, group_by_input_shape: bool = False, group_by_stack_n: int = 0) -> EventList:
        """What was measured, by name."""
        return averages(self._measured(), lambda span: (span.name, span.inputs if group_by_input_shape else ()))

    def events(self) -> EventList:
        """What was measured, run by run."""
        return averages(self._measured(), id)

    function_events = property(events)

    def table(self, *args: Any, **named: Any) -> str:
        """What was measured as a table, run by run."""
        return self.events().table(*args, **named)

    def total_average(self) -> Any:
        """Everything as one entry."""
        return self.key_averages().total_average()

    @property
    def self_cpu_time_total(self) -> float:
        """How long everything took, in microseconds."""
        return self.key_averages().self_cpu_time_total

    def export_chrome_trace(self, path: str) -> None:
        """Refuse: there are no files here.

        Raises:
            NotImplementedError: always.
        """
        raise Unsupported("profile.export_chrome_trace is not supported by Gradtape. Print key_averages().table().")

    export_stacks = export_memory_timeline = export_chrome_trace

    def add_metadata(self, key: str, value: str) -> None:
        """Nothing to add it to."""

    def add_metadata_json(self, key: str, value: str) -> None:
        """Nothing to add it to; it is read all the same."""
        json.loads(value)

    def __str__(self) -> str:
        return str(self.events())


known_as("torch.profiler.profiler", profile)
ProfilerAction.__module__, ProfilerActivity.__module__ = "torch.profiler.profiler", "torch._C._profiler"
