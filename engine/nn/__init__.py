"""Neural network building blocks: `torch.nn`."""

from __future__ import annotations

from typing import Any

from engine.nn import functional, init, modules, parameter, utils
from engine.nn.module import Module
from engine.nn.modules import PLACES
from engine.nn.parameter import Buffer, Parameter

globals().update(PLACES)

__all__ = ["Buffer", "Module", "Parameter", "functional", "init", "modules", "parameter", "utils", *sorted(PLACES)]


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    from engine.surface import missing

    raise missing("torch.nn", name, __all__)
