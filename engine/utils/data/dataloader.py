"""The loader: a dataset and a sampler make batches, in this process, which does what workers would do, one after the other."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator
from typing import Any

from ...context import outside, warn_once
from ...ops.creation.generator import Generator
from .collate import default_collate, default_convert
from .dataset import IterableDataset
from .sampler import BatchSampler, RandomSampler, Sampler, SequentialSampler, draw_seed
from .workers import Worker, get_worker_info

IN_ONE_PROCESS = (
    "DataLoader: Gradtape runs in one process, so what num_workers workers would do is done one after the other; batches are "
    "the same."
)
FIXED = ("batch_size", "batch_sampler", "sampler", "drop_last", "dataset", "persistent_workers")
"""What may not be assigned once a loader is made."""


class Endless(Sampler[None]):
    """None again and again: the sampler of an iterable dataset, which has an order of its own."""

    def __iter__(self) -> Iterator[None]:
        while True:
            yield None


class DataLoader:
    """Batches of a dataset.

    Args:
        dataset: samples by index, or an IterableDataset.
        batch_size: how many samples a batch has; None gives single samples.
        shuffle: take the samples in a new random order at each iteration.
        sampler: gives the indices; instead of `shuffle`.
        batch_sampler: gives lists of indices; instead of `batch_size`, `shuffle`, `sampler` and `drop_last`.
        num_workers: as many workers take turns making batches, in this process: each with random numbers of its own and, of an
            iterable dataset, a copy of its own, as PyTorch's processes have.
        collate_fn: makes a batch from a list of samples (`default_collate` unless given), or, where `batch_size` is None,
            converts one sample.
        drop_last: leave out a last batch that is shorter.
        generator: the source of random numbers, the default one for None.
        pin_memory: without effect; warns, as PyTorch without an accelerator does.
        worker_init_fn: is called for each worker with its number.
        timeout, multiprocessing_context, prefetch_factor, persistent_workers, pin_memory_device, in_order: of worker processes;
            without effect.

    Raises:
        ValueError: as PyTorch, for options that exclude each other or do not fit the dataset.
    """

    _ready = False

    def __init__(
        self,
        dataset: Any,
        batch_size: int | None = 1,
        shuffle: bool | None = None,
        sampler: Any = None,
        batch_sampler: Any = None,
        num_workers: int = 0,
        collate_fn: Callable[[Any], Any] | None = None,
        pin_memory: bool = False,
        drop_last: bool = False,
        timeout: float = 0,
        worker_init_fn: Callable[[int], None] | None = None,
        multiprocessing_context: Any = None,
        generator: Generator | None = None,
        *,
        prefetch_factor: int | None = None,
        persistent_workers: bool = False,
        pin_memory_device: str = "",
        in_order: bool = True,
    ) -> None:
        _check_workers(num_workers, timeout, prefetch_factor, persistent_workers, multiprocessing_context)
        if isinstance(dataset, IterableDataset):
            _check_iterable(shuffle, sampler, batch_sampler)
        shuffle = bool(shuffle)
        if sampler is not None and shuffle:
            raise ValueError("sampler option is mutually exclusive with shuffle")
        if batch_sampler is not None:
            if batch_size != 1 or shuffle or sampler is not None or drop_last:
                raise ValueError("batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and drop_last")
            batch_size = None
        elif batch_size is None and drop_last:
            raise ValueError("batch_size=None option disables auto-batching and is mutually exclusive with drop_last")
        if sampler is None:
            sampler = _default_sampler(dataset, shuffle, generator)
        if batch_size is not None:
            batch_sampler = BatchSampler(sampler, batch_size, drop_last)
        self.dataset = dataset
        self.batch_size = batch_size
        self.drop_last = drop_last
        self.sampler = sampler
        self.batch_sampler = batch_sampler
        self.generator = generator
        self.collate_fn = collate_fn or (default_convert if batch_sampler is None else default_collate)
        self.num_workers = num_workers
        self.pin_memory = pin_memory
        self.pin_memory_device = pin_memory_device
        self.timeout = timeout
        self.worker_init_fn = worker_init_fn
        self.multiprocessing_context = multiprocessing_context
        self.prefetch_factor = prefetch_factor
        self.persistent_workers = persistent_workers
        self.in_order = in_order
        self._promised: int | None = None
        """What `len` said of an iterable dataset."""
        self._kept: WorkersBatches | None = None
        """The workers, if they are to go on in the next iteration."""
        self._ready = True

    def __setattr__(self, name: str, value: Any) -> None:
        if self._ready and name in FIXED:
            raise ValueError(f"{name} attribute should not be set after {type(self).__name__} is initialized")
        super().__setattr__(name, value)

    @property
    def _index_sampler(self) -> Any:
        return self.sampler if self.batch_sampler is None else self.batch_sampler

    def __iter__(self) -> Batches:
        if self.num_workers == 0:
            return Batches(self)
        if not self.persistent_workers:
            return WorkersBatches(self)
        if self._kept is None:
            self._kept = WorkersBatches(self)
        else:
            self._kept.begin()
        return self._kept

    def __len__(self) -> int:
        if not isinstance(self.dataset, IterableDataset):
            return len(self._index_sampler)
        length = self._promised = len(self.dataset)  # type: ignore[arg-type]
        if self.batch_size is None:
            return length
        return length // self.batch_size if self.drop_last else math.ceil(length / self.batch_size)


def _check_workers(workers: int, timeout: float, prefetch: int | None, persistent: bool, processes: Any) -> None:
    if workers < 0:
        raise ValueError("num_workers option should be non-negative; use num_workers=0 to disable multiprocessing.")
    if timeout < 0:
        raise ValueError("timeout option should be non-negative")
    if workers > 0:
        warn_once(IN_ONE_PROCESS, outside())
        return
    if prefetch is not None:
        raise ValueError(
            "prefetch_factor option could only be specified in multiprocessing.let num_workers > 0 to enable "
            "multiprocessing, otherwise set prefetch_factor to None."
        )
    if persistent:
        raise ValueError("persistent_workers option needs num_workers > 0")
    if processes is not None:
        raise ValueError(
            "multiprocessing_context can only be used with multi-process loading (num_workers > 0), but got "
            f"num_workers={workers}"
        )


def _check_iterable(shuffle: Any, sampler: Any, batch_sampler: Any) -> None:
    given = {"shuffle": shuffle or None, "sampler": sampler, "batch_sampler": batch_sampler}
    for name, value in given.items():
        if value is not None:
            raise ValueError(f"DataLoader with IterableDataset: expected unspecified {name} option, but got {name}={value}")


def _default_sampler(dataset: Any, shuffle: bool, generator: Generator | None) -> Sampler[Any]:
    if isinstance(dataset, IterableDataset):
        return Endless()
    return RandomSampler(dataset, generator=generator) if shuffle else SequentialSampler(dataset)


class Batches:
    """One iteration over a loader."""

    def __init__(self, loader: DataLoader) -> None:
        if loader.timeout != 0 and loader.num_workers == 0:
            raise AssertionError("_SingleProcessDataLoaderIter requires timeout == 0")
        if loader.pin_memory:
            warnings.warn(
                "'pin_memory' argument is set as true but no accelerator is found, then device pinned memory won't be used.",
                stacklevel=outside(),
            )
        self._loader = loader
        self._indices = iter(loader._index_sampler)
        # The seed that worker processes would get: drawn without workers, too, and before the sampler draws its own.
        self._base_seed = draw_seed(loader.generator)
        self._promised = loader._promised
        self._yielded = 0
        self._samples = self._of_the_dataset()
        self._ended = False

    def _of_the_dataset(self) -> Iterator[Any] | None:
        """The samples of an iterable dataset; None for one that is indexed."""
        dataset = self._loader.dataset
        return iter(dataset) if isinstance(dataset, IterableDataset) else None

    def __iter__(self) -> Batches:
        return self

    def __len__(self) -> int:
        return len(self._loader._index_sampler)

    def __next__(self) -> Any:
        data = self._made()
        self._yielded += 1
        if isinstance(self._loader.dataset, IterableDataset) and self._promised is not None and self._yielded > self._promised:
            warnings.warn(
                f"Length of IterableDataset {self._loader.dataset} was reported to be {self._promised}"
                f"(when accessing len(dataloader)), but {self._yielded} samples have been fetched. ",
                stacklevel=2,
            )
        return data

    def _made(self) -> Any:
        """The next batch."""
        index = next(self._indices)
        return self._loader.collate_fn(self._chosen(index) if self._samples is None else self._following(index))

    def _chosen(self, index: Any) -> Any:
        dataset = self._loader.dataset
        if self._loader.batch_sampler is None:
            return dataset[index]
        if getattr(dataset, "__getitems__", None):
            return dataset.__getitems__(index)
        return [dataset[i] for i in index]

    def _following(self, index: Any) -> Any:
        assert self._samples is not None
        if self._ended:
            raise StopIteration
        if self._loader.batch_sampler is None:
            return next(self._samples)
        data = []
        for _ in index:
            try:
                data.append(next(self._samples))
            except StopIteration:
                self._ended = True
                break
        if not data or (self._loader.drop_last and len(data) < len(index)):
            raise StopIteration
        return data


class WorkersBatches(Batches):
    """One iteration over a loader whose batches workers make in turn."""

    def __init__(self, loader: DataLoader) -> None:
        super().__init__(loader)
        self._workers = [
            Worker(k, loader.num_workers, self._base_seed, loader.dataset, loader.worker_init_fn)
            for k in range(loader.num_workers)
        ]
        self._active = list(self._workers)
        self._turn = 0

    def _of_the_dataset(self) -> None:
        return None

    def begin(self) -> None:
        """Iterate once more with the same workers."""
        self._indices = iter(self._loader._index_sampler)
        self._base_seed = draw_seed(self._loader.generator)
        self._yielded = self._turn = 0
        self._active = list(self._workers)
        for worker in self._workers:
            worker.begin()

    def _made(self) -> Any:
        index = next(self._indices)
        while self._active:
            worker = self._active[self._turn % len(self._active)]
            try:
                with worker.at_work():
                    self._samples, self._ended = worker.samples, worker.ended
                    try:
                        chosen = self._chosen(index) if worker.samples is None else self._following(index)
                        made = self._loader.collate_fn(chosen)
                    finally:
                        worker.ended = self._ended
            except StopIteration:
                self._turn %= len(self._active)
                self._active.remove(worker)
                continue
            self._turn = (self._turn + 1) % len(self._active)
            return made
        raise StopIteration


for _kind, _name in ((Batches, "_SingleProcessDataLoaderIter"), (WorkersBatches, "_MultiProcessingDataLoaderIter")):
    # Errors and programs show them.
    _kind.__module__, _kind.__name__, _kind.__qualname__ = "torch.utils.data.dataloader", _name, _name

__all__ = ["DataLoader", "default_collate", "default_convert", "get_worker_info"]
