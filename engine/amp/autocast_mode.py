"""`torch.autocast`: within its block products are computed in a smaller dtype, and what needs precision in float32."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import wraps
from typing import Any

from .. import dtypes
from ..compat.classes import known_as
from ..context import context, outside
from ..dtypes import dtype as Dtype  # noqa: N812
from ..tensor_attributes import device

AVAILABLE = ("cpu", "cuda", "xpu", "mtia", "maia", "mps", "hpu", "xla", "privateuseone")
"""Kinds of devices that PyTorch knows an autocast for."""
FAST: dict[str, Dtype] = {"cuda": dtypes.float16, "mps": dtypes.float16}
"""The smaller dtype by kind of device, where it is not bfloat16."""


class autocast:  # noqa: N801
    """Within this block, or the function it decorates, matrix products and convolutions are computed in a smaller dtype."""

    # Names that a class of the engine has are the engine's alone: a program's subclass neither reads nor sets them.
    _before: list[Any] = []
    _enabled = _keeps = False

    def __init__(
        self, device_type: str, dtype: Dtype | None = None, enabled: bool = True, cache_enabled: bool | None = None
    ) -> None:
        if not isinstance(device_type, str):
            raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
        device(device_type)
        if device_type not in AVAILABLE:
            raise RuntimeError(f"User specified an unsupported autocast device_type '{device_type}'")
        self.device = device_type
        self.fast_dtype = get_autocast_dtype(device_type) if dtype is None else dtype
        self._keeps = cache_enabled is None or cache_enabled
        self._enabled = self._may_be_enabled() if enabled else False
        self._before = []

    def _may_be_enabled(self) -> bool:
        """Whether what it is asked for can be had; a warning says where not."""
        if self.device == "cuda":
            warnings.warn("CUDA is not available or torch_xla is imported. Disabling autocast.", stacklevel=outside())
            return False
        if self.fast_dtype not in (dtypes.float16, dtypes.bfloat16):
            name = self.device.upper()
            warnings.warn(
                f"In {name} autocast, but the target dtype is not supported. Disabling autocast.\n"
                f"{name} Autocast only supports dtypes of torch.bfloat16, torch.float16 currently.",
                stacklevel=outside(),
            )
            return False
        return True

    def __enter__(self) -> autocast:
        self._before.append((_enabled.get(self.device, False), get_autocast_dtype(self.device), context.casts))
        # What leaves were cast to is kept until the outermost block ends.
        casts = (context.casts if context.casts is not None else {}) if self._keeps else None
        _set(self.device, self._enabled, self.fast_dtype, casts)
        return self

    def __exit__(self, *_: object) -> None:
        _set(self.device, *self._before.pop())

    def __call__(self, func: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(func)
        def within(*args: Any, **kwargs: Any) -> Any:
            with self:
                return func(*args, **kwargs)

        return within


known_as("torch.amp.autocast_mode", autocast)

_enabled: dict[str, bool] = {}


def _set(kind: str, enabled: bool, fast: Dtype, casts: Any) -> None:
    _enabled[kind], FAST[kind], context.casts = enabled, fast, casts
    if kind == "cpu":
        context.fast = fast if enabled else None


def is_autocast_available(device_type: str) -> bool:
    """Whether PyTorch has an autocast for a kind of device."""
    device(device_type)
    return device_type in AVAILABLE


def is_autocast_enabled(device_type: str = "cuda") -> bool:
    """Whether products are computed in a smaller dtype here."""
    return _enabled.get(device_type, False)


def is_autocast_cpu_enabled() -> bool:
    """Whether products are computed in a smaller dtype here; deprecated."""
    warnings.warn(
        "torch.is_autocast_cpu_enabled() is deprecated. Please use torch.is_autocast_enabled('cpu') instead.",
        DeprecationWarning,
        stacklevel=outside(),
    )
    return is_autocast_enabled("cpu")


def get_autocast_dtype(device_type: str) -> Dtype:
    """The smaller dtype."""
    return FAST.get(device_type, dtypes.bfloat16)


def custom_fwd(
    fwd: Callable[..., Any] | None = None, *, device_type: str = "cuda", cast_inputs: Dtype | None = None
) -> Callable[..., Any]:
    """For the `forward` of a function of one's own: it runs as it is, since there is no device with an autocast of its own."""
    return fwd if fwd is not None else (lambda function: function)


def custom_bwd(bwd: Callable[..., Any] | None = None, *, device_type: str = "cuda") -> Callable[..., Any]:
    """For the `backward` of a function of one's own: it runs as it is."""
    return bwd if bwd is not None else (lambda function: function)
