"""`torch.sparse`: what there is for sparse tensors."""

from __future__ import annotations

from typing import Any

from .ops.sparse.products import sparse_addmm as addmm
from .ops.sparse.products import sparse_mm as mm
from .ops.sparse.products import sparse_sum as sum
from .ops.sparse.types import SPARSE

__all__ = ["addmm", "mm", "sum"]

for _function in (addmm, mm, sum):
    _function.__name__ = _function.__qualname__ = _function.__name__.removeprefix("sparse_")


def __getattr__(name: str) -> Any:
    if name in SPARSE:
        return SPARSE[name]
    if name.startswith("__"):
        raise AttributeError(name)
    from .compat.names import missing

    raise missing("torch.sparse", name, __all__)
