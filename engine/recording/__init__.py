"""Recordings: the log of a run, its arrays, saving and loading, and the state at any step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .events import NOTHING as NOTHING
from .index import LedgerRow as LedgerRow
from .index import index_of as index_of
from .recording import OpInfo as OpInfo
from .recording import Recording as Recording
from .replay import BackwardState as BackwardState
from .replay import State as State
from .replay import TensorState as TensorState
from .replay import replay as replay
from .store import ArrayStore as ArrayStore
from .store import RecordingError as RecordingError
from .store import StoredArray as StoredArray
from .store import Summary as Summary
from .store import store as store

if TYPE_CHECKING:
    from .session import record as record


def __getattr__(name: str) -> Any:
    """`record` needs the engine, which opening a recording does not."""
    if name == "record":
        from .session import record

        return record
    raise AttributeError(name)
