"""A sampler for one of several processes: each takes its share of the indices."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from ...ops.creation.generator import Generator
from ...ops.creation.random import randperm
from .sampler import Sampler


class DistributedSampler(Sampler[int]):
    """Every `num_replicas`-th index from `rank` on, in an order that `seed` and `set_epoch` decide; shared out evenly.

    Raises:
        ValueError: for a rank outside of 0 … num_replicas - 1.
        RuntimeError: without number and rank, as there is no group of processes.
    """

    def __init__(
        self,
        dataset: Any,
        num_replicas: int | None = None,
        rank: int | None = None,
        shuffle: bool = True,
        seed: int = 0,
        drop_last: bool = False,
    ) -> None:
        if num_replicas is None or rank is None:
            raise ValueError("Default process group has not been initialized, please make sure to call init_process_group.")
        if rank >= num_replicas or rank < 0:
            raise ValueError(f"Invalid rank {rank}, rank should be in the interval [0, {num_replicas - 1}]")
        self.dataset, self.num_replicas, self.rank, self.epoch, self.drop_last = dataset, num_replicas, rank, 0, drop_last
        n = len(dataset)
        if drop_last and n % num_replicas != 0:
            self.num_samples = math.ceil((n - num_replicas) / num_replicas)
        else:
            self.num_samples = math.ceil(n / num_replicas)
        self.total_size = self.num_samples * num_replicas
        self.shuffle, self.seed = shuffle, seed

    def __iter__(self) -> Iterator[int]:
        n = len(self.dataset)
        indices = list(range(n))
        if self.shuffle:
            indices = randperm(n, generator=Generator().manual_seed(self.seed + self.epoch)).tolist()
        if self.drop_last:
            indices = indices[: self.total_size]
        else:
            missing = self.total_size - len(indices)
            indices += (indices * math.ceil(missing / max(len(indices), 1)))[:missing]
        return iter(indices[self.rank : self.total_size : self.num_replicas])

    def __len__(self) -> int:
        return self.num_samples

    def set_epoch(self, epoch: int) -> None:
        """Say which epoch begins: each has an order of its own."""
        self.epoch = epoch
