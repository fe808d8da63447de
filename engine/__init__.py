"""Gradtape's engine: NumPy arrays with PyTorch's autograd semantics. Use it as `import gradtape.engine as torch`."""

from __future__ import annotations

import math as _math
from typing import Any as _Any

import numpy as _numpy

from . import autograd
from . import dtypes as _dtypes
from . import wiring as _wiring  # noqa: F401  (the rooms are put together)
from .autograd import (
    enable_grad,
    inference_mode,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
    set_grad_enabled,
)
from .context import is_warn_always_enabled, set_warn_always
from .dtypes import (
    dtype,
    finfo,
    float16,
    float32,
    float64,
    get_default_dtype,
    iinfo,
    int8,
    int16,
    int32,
    int64,
    promote_types,
    set_default_dtype,
    uint8,
)
from .ops import namespace as _namespace
from .ops.creation.generator import (
    Generator,
    default_generator,
    fork_rng,
    get_rng_state,
    initial_seed,
    manual_seed,
    seed,
    set_rng_state,
)
from .ops.memory.introspection import LEGACY as _LEGACY
from .printing import set_printoptions
from .tensor import Tensor
from .tensor_attributes import Size, device

# NumPy warns of 1/0 and log(0), PyTorch does not.
_numpy.seterr(all="ignore")

double, half, long, short = float64, float16, int64, int16
inf, nan, pi, e = _math.inf, _math.nan, _math.pi, _math.e
strided = "torch.strided"
__version__ = "2.13.0+gradtape"

_FUNCTIONS = _namespace("torch")
globals().update(_FUNCTIONS)
# Last, because they hide Python's own names in this module.
globals().update(float=float32, int=int32, bool=_dtypes.bool8)

globals().update(_LEGACY)
newaxis = None
contiguous_format, preserve_format, channels_last, channels_last_3d = (
    "torch.contiguous_format", "torch.preserve_format", "torch.channels_last", "torch.channels_last_3d",
)  # fmt: skip
_MODULES = ("backends", "cuda", "distributions", "func", "linalg", "masked", "nn", "optim", "signal", "special", "utils")

__all__ = [
    "Generator", "Size", "Tensor", "autograd", "channels_last", "channels_last_3d", "contiguous_format", "default_generator",
    "device", "double", "dtype", "e", "enable_grad", "finfo", "float16", "float32", "float64", "fork_rng", "get_default_device",
    "get_default_dtype", "get_num_threads", "get_rng_state", "half", "iinfo", "inf", "inference_mode", "initial_seed", "int16",
    "int32", "int64", "int8", "is_grad_enabled", "is_inference_mode_enabled", "is_tensor", "is_warn_always_enabled", "load",
    "long", "manual_seed", "nan", "save", "set_warn_always",
    "newaxis", "nn", "no_grad", "numel", "pi", "preserve_format", "promote_types", "result_type", "seed", "set_default_dtype",
    "set_grad_enabled", "set_num_threads", "set_printoptions", "set_rng_state", "short", "uint8",
    "use_deterministic_algorithms", *_LEGACY, *sorted(_FUNCTIONS),
]  # fmt: skip


def is_tensor(obj: _Any) -> _Any:
    """Whether `obj` is a tensor."""
    return isinstance(obj, Tensor)


def numel(input: Tensor) -> _Any:
    """How many elements."""
    return input.numel()


def get_num_threads() -> _Any:
    """Always 1."""
    return 1


def set_num_threads(threads: _Any) -> None:
    """Nothing happens: operations use as many threads as NumPy does."""


def use_deterministic_algorithms(mode: _Any, *, warn_only: _Any = False) -> None:
    """Nothing happens: everything here is deterministic."""


def get_default_device() -> device:
    """Always the CPU."""
    return device("cpu")


def result_type(a: _Any, b: _Any) -> dtype:
    """The dtype an operation on `a` and `b` would give."""
    operands = tuple(x._array if isinstance(x, Tensor) else x for x in (a, b))
    return _dtypes.OF_NUMPY[_dtypes.result_dtype(operands)]


def supported() -> list[str]:
    """Names of everything that `torch` has here."""
    return sorted(__all__)


def __getattr__(name: str) -> _Any:
    if name.startswith("__"):
        raise AttributeError(f"module 'torch' has no attribute '{name}'")
    if name in ("is_anomaly_enabled", "is_anomaly_check_nan_enabled"):
        return getattr(autograd, name)
    if name == "_C":
        from .compat import torch_c

        return torch_c
    if name in ("load", "save"):
        from .utils import serialization

        return getattr(serialization, name)
    if name in _MODULES:
        import importlib

        return importlib.import_module(f".{name}", __name__)
    from .compat.names import missing

    raise missing("torch", name, __all__)
