"""What the editor offers while typing: the engine's names with their first line of documentation."""

from __future__ import annotations

import inspect
from functools import cache
from typing import Any

import msgspec

import engine
from components.editor import Completion
from engine.nn import functional
from engine.tensor import public_names


@cache
def completions() -> msgspec.Raw:
    """Names after `torch.`, after `F.`, and after any tensor, as the JSON that every run of the page sends."""
    torch = [_completion(name, getattr(engine, name), "torch") for name in engine.__all__]
    layers = [_completion(name, getattr(functional, name), "F") for name in functional.__all__]
    methods = [_completion(name, getattr(engine.Tensor, name), "") for name in public_names()]
    return msgspec.Raw(msgspec.json.encode([*torch, *layers, *methods]))


def _completion(name: str, value: Any, owner: str) -> Completion:
    documented = callable(value) or isinstance(value, property)
    first = (inspect.getdoc(value) or "").split("\n")[0] if documented else ""
    return Completion(label=name, owner=owner, detail=first[:80])
