"""Recordings: the log of a run, its arrays, saving and loading, and the state at any step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from engine.recording.events import NOTHING as NOTHING
from engine.recording.index import LedgerRow as LedgerRow
from engine.recording.index import index_of as index_of
from engine.recording.recording import OpInfo as OpInfo
from engine.recording.recording import Recording as Recording
from engine.recording.replay import BackwardState as BackwardState
from engine.recording.replay import State as State
from engine.recording.replay import TensorState as TensorState
from engine.recording.replay import replay as replay
from engine.recording.store import ArrayStore as ArrayStore
from engine.recording.store import RecordingError as RecordingError
from engine.recording.store import StoredArray as StoredArray
from engine.recording.store import Summary as Summary
from engine.recording.store import store as store

if TYPE_CHECKING:
    from engine.recording.live import record as record


def __getattr__(name: str) -> Any:
    """`record` needs the engine, which opening a recording does not."""
    if name == "record":
        from engine.recording.live import record

        return record
    raise AttributeError(name)
