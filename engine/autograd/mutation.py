"""`allow_mutation_on_saved_tensors`: what nodes saved is copied before it is written in place."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from weakref import WeakKeyDictionary, WeakValueDictionary

from ..context import context, grad_mode, observed
from ..tensor import Tensor
from .graph import saved_tensors_hooks

OUTSIDE = (
    "Trying to backward outside of the 'allow_mutation_on_saved_tensors' contextin which the graph was originally recorded."
)


class Saved:
    """Stands for a saved tensor, in its original form or copied."""

    __slots__ = ("__weakref__",)


class Mutations:
    """The tensors saved within an `allow_mutation_on_saved_tensors` block."""

    def __init__(self) -> None:
        self.cloned: WeakKeyDictionary[Saved, Tensor] = WeakKeyDictionary()
        self.original: WeakKeyDictionary[Saved, Tensor] = WeakKeyDictionary()
        self.tid_to_weakhandle: WeakValueDictionary[Any, Saved] = WeakValueDictionary()
        """By tensor and version what stands for it."""
        self.sid_to_tid: dict[int, set[Any]] = defaultdict(set)
        """By piece of memory the tensors that were saved of it."""

    def clear(self) -> None:
        """Forget everything."""
        self.cloned.clear()
        self.original.clear()
        self.tid_to_weakhandle.clear()
        self.sid_to_tid.clear()

    def pack(self, tensor: Tensor) -> Saved:
        """What stands for a tensor that a node saves."""
        counter = tensor._counter
        tensor_id = id(tensor), tensor.data_ptr(), 0 if counter is None else counter.value
        self.sid_to_tid[_memory(tensor)].add(tensor_id)
        saved = self.tid_to_weakhandle.get(tensor_id)
        if saved is None:
            saved = self.tid_to_weakhandle[tensor_id] = Saved()
            self.original[saved] = tensor
        return saved

    def unpack(self, saved: Saved) -> Tensor:
        """The tensor as it was saved."""
        if context.writing is None:
            raise AssertionError(OUTSIDE)
        found = self.cloned.get(saved)
        if found is None:
            found = self.original.get(saved)
        if found is None:
            raise AssertionError(OUTSIDE)
        return found

    def writing(self, tensor: Tensor) -> None:
        """Copy what was saved of the memory that is about to be written."""
        for tensor_id in self.sid_to_tid.get(_memory(tensor), ()):
            saved = self.tid_to_weakhandle.get(tensor_id)
            if saved is None or saved in self.cloned:
                continue
            with observed(None), grad_mode(False):
                self.cloned[saved] = self.original.pop(saved).clone()


def _memory(tensor: Tensor) -> int:
    array = tensor._array
    while array.base is not None and hasattr(array.base, "dtype"):
        array = array.base
    return id(array)


@contextmanager
def allow_mutation_on_saved_tensors() -> Iterator[Mutations]:
    """Within the block tensors that nodes saved may be written in place: they are copied before.

    Raises:
        RuntimeError: if nested.
    """
    if context.writing is not None:
        raise RuntimeError("allow_mutation_on_saved_tensors contexts cannot be nested")
    mutations = Mutations()
    with saved_tensors_hooks(mutations.pack, mutations.unpack):
        context.writing = mutations.writing
        try:
            yield mutations
        finally:
            context.writing = None
            mutations.clear()
