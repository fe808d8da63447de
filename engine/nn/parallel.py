"""`torch.nn.parallel`: modules that share work among devices, of which there is none but the processor."""

from __future__ import annotations

from typing import Any

from ..compat.classes import known_as
from ..distributed import NO_GROUP
from .module import Module

__all__ = ["DataParallel", "DistributedDataParallel"]


class DataParallel(Module):
    """Calls its module, as PyTorch's does where no other device is there; state dicts have names that begin with "module."."""

    def __init__(self, module: Module, device_ids: Any = None, output_device: Any = None, dim: int = 0) -> None:
        super().__init__()
        self.module = module
        self.device_ids: list[int] = []

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """What the module gives."""
        return self.module(*inputs, **kwargs)


class DistributedDataParallel(Module):
    """Needs a group of processes, which there is not.

    Raises:
        ValueError: always, in PyTorch's words.
    """

    def __init__(self, module: Module, *_: Any, **__: Any) -> None:
        raise ValueError(NO_GROUP)


known_as("torch.nn.parallel.data_parallel", DataParallel)
known_as("torch.nn.parallel.distributed", DistributedDataParallel)


def __getattr__(name: str) -> Any:
    from ..compat.names import missing

    raise missing("torch.nn.parallel", name, __all__)
