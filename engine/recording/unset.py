"""Memory that a tensor has reserved and that nobody has written yet: its numbers are those of whoever had it before."""

from __future__ import annotations

import numpy as np

from .columns import Flags, columns_of
from .events import NOTHING
from .operations import having
from .recording import Recording


def unset(recording: Recording) -> Flags:
    """For each row of tensors in the columns whether what it was made with is memory that was not written yet: that of an
    operation that says so, and of parameters that were made of nothing and are written before anything is computed with
    them."""
    return recording.once("unset", lambda: _unset(recording))


def arrays_of(recording: Recording) -> frozenset[int]:
    """The ids of the arrays that are such memory."""
    return frozenset(columns_of(recording).tensors.array[unset(recording)].tolist())


def _unset(recording: Recording) -> Flags:
    columns = columns_of(recording)
    tensors, operations = columns.tensors, columns.operations
    if not len(tensors.id):
        return np.zeros(0, np.bool_)
    op = np.searchsorted(operations.step, tensors.step)
    names = having(recording, "uninitialized")
    unset = np.array([name in names for name in columns.op_names] or [False])
    found: Flags = unset[operations.op[op]]
    fed = np.zeros(len(operations.step), np.bool_)
    fed[np.searchsorted(operations.step, columns.inputs.step)] = True
    bare = (tensors.is_parameter == 1) & ~fed[op]
    never = columns.tape.size
    written, used = np.full(len(tensors.id), never), np.full(len(tensors.id), never)
    np.minimum.at(written, columns.row_of[columns.writes.tensor], columns.writes.step)
    graph = columns.made_node[np.searchsorted(operations.step, columns.inputs.step)] != NOTHING
    np.minimum.at(used, columns.row_of[columns.inputs.tensor[graph]], columns.inputs.step[graph])
    found |= bare & (written < used)
    return found
