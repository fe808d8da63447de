"""`torch.utils.data`: datasets, samplers, and the loader that makes batches of them."""

from __future__ import annotations

from typing import Any

from ...compat.classes import known_as
from .collate import default_collate, default_convert
from .dataloader import DataLoader, get_worker_info
from .dataset import (
    ChainDataset,
    ConcatDataset,
    Dataset,
    IterableDataset,
    StackDataset,
    Subset,
    TensorDataset,
    random_split,
)
from .distributed import DistributedSampler
from .sampler import (
    BatchSampler,
    RandomSampler,
    Sampler,
    SequentialSampler,
    SubsetRandomSampler,
    WeightedRandomSampler,
)

__all__ = [
    "BatchSampler", "ChainDataset", "ConcatDataset", "DataLoader", "Dataset", "DistributedSampler", "IterableDataset",
    "RandomSampler", "Sampler",
    "SequentialSampler", "StackDataset", "Subset", "SubsetRandomSampler", "TensorDataset", "WeightedRandomSampler",
    "default_collate", "default_convert", "get_worker_info", "random_split",
]  # fmt: skip

known_as("torch.utils.data.dataloader", DataLoader)
known_as("torch.utils.data.distributed", DistributedSampler)
known_as("torch.utils.data.dataset", ChainDataset, ConcatDataset, Dataset, IterableDataset, StackDataset, Subset, TensorDataset)
known_as(
    "torch.utils.data.sampler",
    BatchSampler, RandomSampler, Sampler, SequentialSampler, SubsetRandomSampler, WeightedRandomSampler,
)  # fmt: skip


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(f"module 'torch.utils.data' has no attribute '{name}'")
    from ...compat.names import missing

    raise missing("torch.utils.data", name, __all__)
