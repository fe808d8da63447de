"""Modules whose parameters are not drawn."""

from __future__ import annotations

import inspect
from typing import Any

from ..module import Module


def skip_init(module_cls: type[Module], *args: Any, **kwargs: Any) -> Module:
    """A module of the class whose parameters and buffers are of no account (zeros here), and no random number is drawn for it.

    The class must take a `device`, and do nothing with its parameters but draw them. RuntimeError for any other.
    """
    if not issubclass(module_cls, Module):
        raise RuntimeError(f"Expected a Module; got {module_cls}")
    if "device" not in inspect.signature(module_cls).parameters:
        raise RuntimeError("Module must support a 'device' arg to skip initialization")
    device = kwargs.pop("device", "cpu")
    return module_cls(*args, **kwargs, device="meta").to_empty(device=device)
