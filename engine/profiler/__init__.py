"""`torch.profiler`: how often each operation ran and how long it took, measured simply."""

from __future__ import annotations

from typing import Any

from .averages import EventList, FunctionEventAvg
from .profile import ProfilerAction, ProfilerActivity, profile, schedule, supported_activities, tensorboard_trace_handler
from .watching import record_function

__all__ = [
    "EventList", "FunctionEventAvg", "ProfilerAction", "ProfilerActivity", "profile", "record_function", "schedule",
    "supported_activities", "tensorboard_trace_handler",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    from ..compat.names import missing

    raise missing("torch.profiler", name, __all__)
