"""`torch.cuda` of a build without CUDA: not available, quiet where programs only prepare for it, and refusing, in PyTorch's
words, where they use it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any, NoReturn

NOT_COMPILED = "Torch not compiled with CUDA enabled"


def not_loaded(what: str) -> RuntimeError:
    """What PyTorch's C++ says where it finds no CUDA."""
    return RuntimeError(
        f"Cannot {what} without ATen_cuda library. PyTorch splits its backend into two shared libraries: a CPU library and a "
        "CUDA library; this error has occurred because you are trying to use some CUDA functionality, but the CUDA library has "
        "not been loaded by the dynamic linker for some reason.  The CUDA library MUST be loaded, EVEN IF you don't directly "
        "use any symbols from the CUDA library! One common culprit is a lack of -Wl,--no-as-needed in your link arguments; "
        "many dynamic linkers will delete dynamic library dependencies if you don't depend on any of their symbols.  You can "
        "check if this has occurred by using ldd on your binary to see if there is a dependency on *_cuda.so library."
    )


def is_available() -> bool:
    """Always False: Gradtape computes on the CPU."""
    return False


def _never(name: str, doc: str, value: Any) -> Callable[..., Any]:
    def answer(*_: Any, **__: Any) -> Any:
        return value() if callable(value) else value

    answer.__name__, answer.__qualname__, answer.__doc__ = name, name, doc
    return answer


def _refusing(name: str) -> Callable[..., NoReturn]:
    def refuse(*_: Any, **__: Any) -> NoReturn:
        raise AssertionError(NOT_COMPILED)

    refuse.__name__, refuse.__qualname__ = name, name
    refuse.__doc__ = "Refuse, as there is no device.\n\nRaises:\n    AssertionError: always."
    return refuse


_ANSWERS: dict[str, tuple[str, Any]] = {
    "device_count": ("Always 0.", 0),
    "is_bf16_supported": ("Always False.", False),
    "is_tf32_supported": ("Always False.", False),
    "is_initialized": ("Always False.", False),
    "get_arch_list": ("No architectures.", list),
    "get_rng_state_all": ("No states.", list),
    "memory_stats": ("No statistics.", OrderedDict),
    "host_memory_stats": ("No statistics.", OrderedDict),
}
_NOTHING = ("manual_seed", "manual_seed_all", "seed", "seed_all", "empty_cache", "set_rng_state", "set_stream")
_MEMORY = (
    "memory_allocated", "max_memory_allocated", "memory_reserved", "max_memory_reserved", "memory_cached", "max_memory_cached",
)  # fmt: skip
_ANSWERS |= dict.fromkeys(_NOTHING, ("Nothing to do.", None))
_ANSWERS |= dict.fromkeys(_MEMORY, ("Always 0: there is no such memory.", 0))
_REFUSED = (
    "can_device_access_peer", "current_blas_handle", "current_device", "current_stream", "default_stream",
    "get_device_capability", "get_device_name", "get_device_properties", "get_rng_state", "get_sync_debug_mode", "init",
    "initial_seed", "ipc_collect", "mem_get_info", "set_per_process_memory_fraction", "set_sync_debug_mode", "synchronize",
)  # fmt: skip
for _name, (_doc, _value) in _ANSWERS.items():
    globals()[_name] = _never(_name, _doc, _value)
for _name in _REFUSED:
    globals()[_name] = _refusing(_name)


def _without(name: str) -> Callable[..., NoReturn]:
    """A function that asks something of C++ which is not there without CUDA, and says so as Python does."""

    def refuse(*_: Any, **__: Any) -> NoReturn:
        raise AttributeError(f"module 'torch._C' has no attribute '_cuda_{name}'")

    refuse.__name__ = refuse.__qualname__ = name
    refuse.__doc__ = "Refuse, as there is no such memory.\n\nRaises:\n    AttributeError: always."
    return refuse


reset_peak_memory_stats = reset_max_memory_allocated = reset_max_memory_cached = _without("resetPeakMemoryStats")
reset_accumulated_memory_stats = _without("resetAccumulatedMemoryStats")
memory_snapshot = _without("memorySnapshot")


def memory_summary(device: Any = None, abbreviated: bool = False) -> NoReturn:
    """Refuse, as PyTorch does: its table begins with a number that is not there."""
    raise KeyError("allocated_bytes.all.current")


def set_device(device: Any) -> None:
    """Refuse any device; a negative number stands for none."""
    if not isinstance(device, int) or device >= 0:
        _without("setDevice")()


def is_current_stream_capturing() -> NoReturn:
    """Refuse, as there is no stream."""
    raise RuntimeError("Tried to instantiate dummy base class _cuda_isCurrentStreamCapturing")


class device:  # noqa: N801
    """A block on one device; there is none to enter."""

    def __init__(self, device: Any) -> None:
        self.idx = device if isinstance(device, int) else -1

    def __enter__(self) -> None:
        raise RuntimeError("PyTorch was compiled without CUDA support")

    def __exit__(self, *_: object) -> None:
        pass


class Stream:
    """A queue of work on a device; there is none."""

    def __init__(self, *_: Any, **__: Any) -> None:
        raise RuntimeError("torch.cuda.Stream requires CUDA support")


class Event:
    """A mark in a queue; there is none."""

    def __init__(self, *_: Any, **__: Any) -> None:
        raise RuntimeError("Tried to instantiate dummy base class Event")


class CUDAGraph:
    """Work that was recorded on a device; there is none."""

    def __init__(self, *_: Any, **__: Any) -> None:
        raise RuntimeError("Tried to instantiate dummy base class CUDAGraph")


def stream(stream: Any) -> AbstractContextManager[None]:
    """A block whose work goes to a stream: without one it goes where it always goes."""
    return nullcontext()


class OutOfMemoryError(RuntimeError):
    """What PyTorch raises when a device has no memory left; programs catch it."""


class AcceleratorError(RuntimeError):
    """What PyTorch raises when a device fails."""


for _kind, _module in (
    (device, "torch.cuda"), (Stream, "torch.cuda.streams"), (Event, "torch.cuda.streams"), (CUDAGraph, "torch.cuda.graphs"),
    (OutOfMemoryError, "torch"), (AcceleratorError, "torch"),
):  # fmt: skip
    _kind.__module__ = _module

has_half, has_magma = True, False
default_generators: tuple[Any, ...] = ()

__all__ = sorted([
    "CUDAGraph", "Event", "OutOfMemoryError", "Stream", "amp", "default_generators", "device", "has_half", "has_magma",
    "is_available", "is_current_stream_capturing", "memory_snapshot", "memory_summary", "reset_accumulated_memory_stats",
    "reset_max_memory_allocated", "reset_max_memory_cached", "reset_peak_memory_stats", "set_device", "stream",
    *_ANSWERS, *_REFUSED,
])  # fmt: skip


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    if name == "amp":
        from .amp import cuda

        return cuda
    if name.endswith("Tensor"):
        from .ops.creation.tensor_types import CUDA

        if name in CUDA:
            return CUDA[name]
    from .compat.names import missing

    raise missing("torch.cuda", name, __all__)
