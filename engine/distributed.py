"""`torch.distributed` of a program that is one process: there is no group; what needs one says so in PyTorch's words."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Any, NoReturn

from .errors import Unsupported

__all__ = [
    "ReduceOp", "all_gather", "all_reduce", "barrier", "broadcast", "destroy_process_group", "gather", "get_backend",
    "get_rank", "get_world_size", "init_process_group", "is_available", "is_initialized", "is_torchelastic_launched",
    "new_group", "recv", "reduce", "reduce_scatter", "scatter", "send",
]  # fmt: skip
NO_GROUP = "Default process group has not been initialized, please make sure to call init_process_group."
ONE_PROCESS = (
    "init_process_group() is not supported by Gradtape: a program is one process on one machine. Leave out what shares the "
    "work; the mathematics is the same."
)


class ReduceOp(Enum):
    """How what several processes have becomes one."""

    SUM, AVG, PRODUCT, MIN, MAX, BAND, BOR, BXOR, PREMUL_SUM = range(9)


def is_available() -> bool:
    """Always True, as in PyTorch's builds for the CPU: programs may ask for the rest."""
    return True


def is_initialized() -> bool:
    """Always False: there is no group."""
    return False


is_torchelastic_launched = is_initialized


def init_process_group(*_: Any, **__: Any) -> NoReturn:
    """Refused: there is one process.

    Raises:
        Unsupported: always.
    """
    raise Unsupported(ONE_PROCESS)


def destroy_process_group(group: Any = None) -> NoReturn:
    """There is none to end.

    Raises:
        AssertionError: always, as in PyTorch where no group was made.
    """
    raise AssertionError("Process group cannot be None")


def _needs_group(name: str) -> Callable[..., NoReturn]:
    def call(*_: Any, **__: Any) -> NoReturn:
        raise ValueError(NO_GROUP)

    call.__name__ = call.__qualname__ = name
    return call


all_gather, all_reduce, barrier, broadcast = map(_needs_group, ("all_gather", "all_reduce", "barrier", "broadcast"))
gather, get_backend, get_rank, get_world_size = map(_needs_group, ("gather", "get_backend", "get_rank", "get_world_size"))
new_group, recv, reduce, reduce_scatter = map(_needs_group, ("new_group", "recv", "reduce", "reduce_scatter"))
scatter, send = map(_needs_group, ("scatter", "send"))


def __getattr__(name: str) -> Any:
    from .compat.names import missing

    raise missing("torch.distributed", name, __all__)
