"""What a worker process of a loader has of its own: a number, random numbers, and a copy of an iterable dataset."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ...context import context
from ...ops.creation.generator import default_generator
from .dataset import IterableDataset


class WorkerInfo:
    """What `get_worker_info` says within a worker: its number `id` of `num_workers`, its seed and its dataset."""

    def __init__(self, id: int, num_workers: int, seed: int, dataset: Any) -> None:
        self.id, self.num_workers, self.seed, self.dataset = id, num_workers, seed, dataset

    def __repr__(self) -> str:
        named = ("num_workers", "id", "seed", "dataset")
        return f"WorkerInfo({', '.join(f'{name}={getattr(self, name)}' for name in named)})"


_at_work: list[WorkerInfo] = []


def get_worker_info() -> WorkerInfo | None:
    """Of the worker that is making a batch; None elsewhere."""
    return _at_work[-1] if _at_work else None


class Worker:
    """One worker: it has its turn within `at_work`, where random numbers are its own."""

    def __init__(self, id: int, workers: int, base_seed: int, dataset: Any, started: Callable[[int], Any] | None) -> None:
        # Each process has a copy. Of a dataset that is indexed it would take as much memory again, and nobody who does not
        # change it sees the difference.
        copied = context.deepcopy(dataset) if isinstance(dataset, IterableDataset) else dataset
        self.info = WorkerInfo(id, workers, base_seed + id, copied)
        self.samples: Iterator[Any] | None = None
        self.ended = False
        self._states = _states()
        with self.at_work():
            default_generator.manual_seed(self.info.seed)
            random.seed(self.info.seed)
            if started is not None:
                started(id)
        self.begin()

    def begin(self) -> None:
        """Go through the dataset from its beginning."""
        self.ended = False
        if isinstance(self.info.dataset, IterableDataset):
            with self.at_work():
                self.samples = iter(self.info.dataset)

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """The block within which this worker makes a batch."""
        before = _states()
        _go_on(self._states)
        _at_work.append(self.info)
        try:
            yield
        finally:
            _at_work.pop()
            self._states = _states()
            _go_on(before)


def _states() -> tuple[Any, ...]:
    return default_generator._stream.state(), random.getstate()


def _go_on(states: tuple[Any, ...]) -> None:
    state, python = states
    default_generator._stream.restore(state)
    random.setstate(python)
