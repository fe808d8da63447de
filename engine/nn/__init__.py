"""Neural network building blocks: `torch.nn`."""

from __future__ import annotations

from typing import Any

from . import functional, init, modules, parallel, parameter, utils
from .module import Module
from .modules import BY_NAME
from .parallel import DataParallel
from .parameter import Buffer, Parameter

globals().update(BY_NAME)

__all__ = [
    "Buffer",
    "DataParallel",
    "Module",
    "Parameter",
    "functional",
    "init",
    "modules",
    "parallel",
    "parameter",
    "utils",
    *sorted(BY_NAME),
]


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    from ..compat.names import missing

    raise missing("torch.nn", name, __all__)
