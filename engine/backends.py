"""`torch.backends`: the switches that programs set; none has an effect, and no accelerator is available."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn


class _Backend:
    """One backend's switches, and what it says when it is asked."""

    def __init__(self, here: bool = False, **switches: object) -> None:
        self._here = here
        self.__dict__.update(switches)

    def is_available(self) -> bool:
        """Whether it is part of PyTorch's builds for the CPU."""
        return self._here

    is_built = is_available

    def version(self) -> None:
        """None: there is no library."""

    def is_acceptable(self, tensor: Any) -> bool:
        """Always False."""
        return False

    def flags(self, **switches: object) -> _Flags:
        """The switches within a block."""
        return _Flags(self, switches)

    def __getattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"module 'torch.backends' has no attribute '{name}'")


class _Flags:
    """A block within which a backend has other switches. No generator's: these show their function, which takes anything."""

    def __init__(self, backend: _Backend, switches: dict[str, object]) -> None:
        self._backend, self._switches = backend, switches

    def __enter__(self) -> None:
        self._before = {name: getattr(self._backend, name) for name in self._switches}
        self._backend.__dict__.update(self._switches)

    def __exit__(self, *_: object) -> None:
        self._backend.__dict__.update(self._before)


_Backend.__module__ = "torch.backends"


def _attention() -> dict[str, Callable[..., Any]]:
    """The switches of attention's kernels, of which there is one here: each is kept and has no effect."""
    on = {"flash": True, "math": True, "mem_efficient": True, "cudnn": True}
    made: dict[str, Callable[..., Any]] = {}
    for kernel in on:

        def enable(enabled: bool, kernel: str = kernel) -> None:
            on[kernel] = bool(enabled)

        def enabled(kernel: str = kernel) -> bool:
            return on[kernel]

        made[f"enable_{kernel}_sdp"], made[f"{kernel}_sdp_enabled"] = enable, enabled
    return made


cudnn = _Backend(
    deterministic=False, benchmark=False, enabled=True, allow_tf32=True, benchmark_limit=None, fp32_precision="none"
)
cuda = _Backend(
    matmul=_Backend(
        allow_tf32=False,
        allow_fp16_reduced_precision_reduction=True,
        allow_bf16_reduced_precision_reduction=True,
        fp32_precision="none",
    ),
    **_attention(),  # type: ignore[arg-type]
)
mps = _Backend()
mkl = _Backend(True)
mkldnn = _Backend(True, enabled=True, deterministic=False, allow_tf32=True)
openmp = _Backend(True)
opt_einsum = _Backend(enabled=False, strategy=None)
cpu = _Backend(True, get_cpu_capability=lambda: "DEFAULT")

_precision = ["highest"]


def set_float32_matmul_precision(precision: str) -> None:
    """Nothing happens: products are computed in full precision."""
    if precision in ("highest", "high", "medium"):
        _precision[0] = precision


def get_float32_matmul_precision() -> str:
    """What was set last; "highest" at first."""
    return _precision[0]
