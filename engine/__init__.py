"""Gradtape's engine: NumPy arrays with PyTorch's autograd semantics. Use it as `import gradtape.engine as torch`."""

from __future__ import annotations

import math as _math
from typing import Any as _Any

import numpy as _numpy

from . import autograd
from . import dtypes as _dtypes
from . import version as _version
from . import wiring as _wiring  # noqa: F401  (the rooms are put together)
from .autograd import (
    enable_grad,
    inference_mode,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
    set_grad_enabled,
)
from .backends import get_float32_matmul_precision, set_float32_matmul_precision
from .compat.names import keep_module_to_release as _keep_module_to_release
from .compat.version import when_followed as _when_followed
from .context import is_warn_always_enabled, set_warn_always
from .cuda import NOT_COMPILED, AcceleratorError, OutOfMemoryError
from .dtypes import (
    bfloat16,
    complex64,
    complex128,
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
from .ops.creation.tensor_types import LEGACY as _LEGACY
from .ops.creation.tensor_types import set_default_tensor_type
from .ops.memory.storages import Storage as _Storage
from .printing import set_printoptions
from .tensor import Tensor
from .tensor_attributes import (
    Size,
    channels_last,
    channels_last_3d,
    contiguous_format,
    default_device,
    device,
    layout,
    memory_format,
    preserve_format,
    set_default_device,
    sparse_coo,
    strided,
)
from .tensor_attributes import as_device as _as_device

# NumPy warns of 1/0 and log(0), PyTorch does not.
_numpy.seterr(all="ignore")

cdouble, cfloat = complex128, complex64
double, half, long, short = float64, float16, int64, int16
__version__ = _version.TORCH_VERSION
inf, nan, pi, e = _math.inf, _math.nan, _math.pi, _math.e

_FUNCTIONS = _namespace("torch")
globals().update(_FUNCTIONS)
# Last, because they hide Python's own names in this module.
globals().update(float=float32, int=int32, bool=_dtypes.bool8)

globals().update(_LEGACY)
newaxis = None
has_cuda = has_cudnn = has_mps = False
has_lapack = has_mkl = has_mkldnn = has_openmp = True
_MODULES = (
    "_dynamo", "accelerator", "amp", "backends", "compiler", "cuda", "distributed", "distributions", "fft", "func",
    "functional", "jit", "linalg", "masked", "nn", "optim",
    "overrides", "profiler", "random", "signal", "sparse", "special", "testing", "torch_version", "types", "utils", "version",
)  # fmt: skip
_AMP = ("GradScaler", "autocast", "get_autocast_dtype", "is_autocast_cpu_enabled", "is_autocast_enabled")
_DEVICES = ("cpu", "mps", "mtia", "xpu")

__all__ = [
    "AcceleratorError", "Generator", "OutOfMemoryError", "Size", "Tensor", "are_deterministic_algorithms_enabled",
    "autograd", "compile", "compiled_with_cxx11_abi", "get_deterministic_debug_mode", "get_device_module",
    "get_float32_matmul_precision", "get_num_interop_threads", "is_deterministic_algorithms_warn_only_enabled", "is_storage",
    "layout", "memory_format", "set_default_device", "set_default_tensor_type", "set_float32_matmul_precision",
    "set_flush_denormal", "set_num_interop_threads", "sparse_coo", "strided", "typename", *_AMP, "channels_last",
    "bfloat16", "cdouble", "cfloat", "channels_last_3d", "complex128", "complex64", "contiguous_format", "default_generator",
    "device", "double", "dtype", "e", "enable_grad", "finfo", "float16", "float32", "float64", "fork_rng", "get_default_device",
    "get_default_dtype", "get_num_threads", "get_rng_state", "half", "iinfo", "inf", "inference_mode", "initial_seed", "int16",
    "int32", "int64", "int8", "is_grad_enabled", "is_inference_mode_enabled", "is_tensor", "is_warn_always_enabled", "load",
    "long", "manual_seed", "nan", "save", "set_warn_always",
    "newaxis", "nn", "no_grad", "numel", "pi", "preserve_format", "promote_types", "result_type", "seed", "set_default_dtype",
    "set_grad_enabled", "set_num_threads", "set_printoptions", "set_rng_state", "short", "uint8",
    "use_deterministic_algorithms", "cond", "vmap", *_LEGACY, *sorted(_FUNCTIONS),
]  # fmt: skip


_keep_module_to_release("torch", globals())


def _say_version() -> None:
    global __version__
    __version__ = _version.TORCH_VERSION


_when_followed(_say_version)


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


_deterministic = [False, False]


def use_deterministic_algorithms(mode: _Any, *, warn_only: _Any = False) -> None:
    """Nothing happens: everything here is deterministic."""
    _deterministic[:] = [mode, mode and warn_only]


def are_deterministic_algorithms_enabled() -> _Any:
    """What `use_deterministic_algorithms` was told."""
    return _deterministic[0]


def is_deterministic_algorithms_warn_only_enabled() -> _Any:
    """What `use_deterministic_algorithms` was told for `warn_only`."""
    return _deterministic[1]


def get_deterministic_debug_mode() -> _Any:
    """What `use_deterministic_algorithms` was told, as a number: 0 for no, 1 for warnings, 2 for errors."""
    return _deterministic[0] * (2 - _deterministic[1])


def get_num_interop_threads() -> _Any:
    """Always 1."""
    return 1


def set_num_interop_threads(threads: _Any) -> None:
    """Nothing happens: one operation runs at a time."""


def set_flush_denormal(mode: _Any) -> _Any:
    """False: small numbers are kept."""
    return False


def is_storage(obj: _Any) -> _Any:
    """Whether `obj` is a tensor's memory."""
    return isinstance(obj, _Storage)


def compiled_with_cxx11_abi() -> _Any:
    """Always True."""
    return True


def get_device_module(device: _Any = None) -> _Any:
    """The module about a kind of devices."""
    return __getattr__(_as_device(device).type)


def get_default_device() -> device:
    """Where tensors are made of which nothing else is said: the CPU, unless `set_default_device` said otherwise."""
    where = default_device()
    if where.type == "cuda" and where.index is None:
        raise AssertionError(NOT_COMPILED)
    return where


def typename(obj: _Any) -> _Any:
    """The full name of a thing or of its type: "torch.FloatTensor", "list"."""
    from .compat.classes import typename

    return typename(obj)


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
    if name in _DEVICES:
        from . import other_devices

        return getattr(other_devices, name)
    if name in _AMP:
        from .amp import autocast_mode, grad_scaler

        return getattr(grad_scaler if name == "GradScaler" else autocast_mode, name)
    if name in ("compile", "cond"):
        from . import compiler

        return getattr(compiler, name)
    if name == "vmap":
        from .func import vmap

        return vmap
    if name in _MODULES:
        import importlib

        return importlib.import_module(f".{name}", __name__)
    if name.startswith("_"):
        from .ops.internal_names import PRIVATE

        if name in PRIVATE:
            return PRIVATE[name]
    from .compat.names import missing

    raise missing("torch", name, __all__)
