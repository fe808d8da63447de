"""`torch.cpu`, `torch.mps` and `torch.xpu`: the device that is there, and two that are not."""

from __future__ import annotations

from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any, NoReturn

from .errors import unsupported


def _zero() -> int:
    return 0


def _no() -> bool:
    return False


def _nothing(*_: Any, **__: Any) -> None:
    """Nothing to do."""


class Devices(SimpleNamespace):
    """What a program may ask of one kind of device."""

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(name)
        raise unsupported(f"torch.{self.kind}", name, vars(self))


def _without(*names: str) -> dict[str, Any]:
    def refusing(name: str) -> Any:
        def refuse(*_: Any, **__: Any) -> NoReturn:
            raise RuntimeError(f"Cannot execute {name}() without MPS backend.")

        return refuse

    return {name: refusing(called) for name, called in (n.split("=") for n in names)}


def _no_xpu(*_: Any, **__: Any) -> NoReturn:
    raise AssertionError("Torch not compiled with XPU enabled")


cpu = Devices(
    kind="cpu",
    current_device=lambda: "cpu",
    device_count=lambda: 1,
    is_available=lambda: True,
    is_initialized=lambda: True,
    set_device=_nothing,
    stream=lambda stream: nullcontext(),
    synchronize=_nothing,
)
mps = Devices(
    kind="mps",
    device_count=_zero,
    is_available=_no,
    manual_seed=_nothing,
    seed=_nothing,
    **_without(
        "empty_cache=emptyCache",
        "synchronize=deviceSynchronize",
        "current_allocated_memory=getCurrentAllocatedMemory",
        "driver_allocated_memory=getDriverAllocatedMemory",
    ),
)
xpu = Devices(
    kind="xpu",
    current_device=_no_xpu,
    device_count=_zero,
    empty_cache=_nothing,
    is_available=_no,
    is_initialized=_no,
    manual_seed=_nothing,
    manual_seed_all=_nothing,
    seed=_nothing,
    synchronize=_no_xpu,
)
mtia = Devices(kind="mtia", device_count=_zero, is_available=_no)
