"""Several processes that train together: which of them this one is, what they do together, and how that is seen.

Collectives of the program go through the dispatcher, but have their result only when they have been waited for, so each is
written when the next event comes (`Collective.ready`). What `DistributedDataParallel` does is C++ that no mode is told of: its
gradients are read again when a pass ends, and what it writes into parameters and buffers is seen by their versions.
"""

from __future__ import annotations

import os
import weakref
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import wraps
from typing import TYPE_CHECKING, Any, NamedTuple

import torch
from torch import distributed
from torch.nn.parallel import DistributedDataParallel

from ..recording.writer import NOWHERE

if TYPE_CHECKING:
    from .recorder import TorchRecorder

Tensor = torch.Tensor
MOST_RANKS = 1_000_000
"""What environment variables say beyond it is not believed."""


def here() -> tuple[int, int]:
    """Which of how many processes this one is, as its group or `torchrun` says: (0, 1) where it is alone."""
    if distributed.is_available() and distributed.is_initialized():
        return distributed.get_rank(), distributed.get_world_size()
    try:
        rank, size = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    except (KeyError, ValueError):
        return 0, 1
    return (rank, size) if 0 <= rank < size <= MOST_RANKS else (0, 1)


# --- collectives ------------------------------------------------------------------------------------------------------------


class Communication(NamedTuple):
    """A collective of the dispatcher's."""

    name: str
    """What `torch.distributed` calls it."""
    writes: tuple[int, ...]
    """Which of its arguments it writes; the others with tensors it reads."""


COMMUNICATIONS = {
    "c10d::_allgather_base_": Communication("all_gather_into_tensor", (0,)),
    "c10d::_reduce_scatter_base_": Communication("reduce_scatter_tensor", (0,)),
    "c10d::allgather_": Communication("all_gather", (0,)),
    "c10d::allgather_into_tensor_coalesced_": Communication("all_gather_into_tensor", (0,)),
    "c10d::allreduce_": Communication("all_reduce", (0,)),
    "c10d::allreduce_coalesced_": Communication("all_reduce", (0,)),
    "c10d::alltoall_": Communication("all_to_all", (0,)),
    "c10d::alltoall_base_": Communication("all_to_all_single", (0,)),
    "c10d::barrier": Communication("barrier", ()),
    "c10d::broadcast_": Communication("broadcast", (0,)),
    "c10d::gather_": Communication("gather", (0,)),
    "c10d::recv_": Communication("recv", (0,)),
    "c10d::recv_any_source_": Communication("recv", (0,)),
    "c10d::reduce_": Communication("reduce", (0,)),
    "c10d::reduce_scatter_": Communication("reduce_scatter", (0,)),
    "c10d::reduce_scatter_tensor_coalesced_": Communication("reduce_scatter_tensor", (0,)),
    "c10d::scatter_": Communication("scatter", (0,)),
    "c10d::send": Communication("send", ()),
}
_AT_ONCE = 64
"""Tensors of a collective that are told."""


def flat(value: Any) -> list[Tensor]:
    """The tensors of an argument, a tensor, a list of them or a list of lists."""
    if isinstance(value, Tensor):
        return [value]
    if isinstance(value, list | tuple):
        return [tensor for each in value for tensor in flat(each)][:_AT_ONCE]
    return []


class Collective:
    """A collective that has begun: what it writes, and whether that has come."""

    __slots__ = ("tensors", "work")

    def __init__(self, tensors: list[Tensor], asynchronous: bool, result: Any) -> None:
        self.tensors = [weakref.ref(each) for each in tensors]
        self.work = _work(result) if asynchronous else None

    def ready(self) -> bool:
        """Whether its result is there. One that the program does not wait for itself was waited for within the call."""
        return self.work is None or bool(self.work.is_completed())

    def written(self) -> list[Tensor]:
        """The tensors that are still there."""
        return [tensor for each in self.tensors if (tensor := each()) is not None]


def _work(result: Any) -> Any:
    """What can be asked whether a collective is done; None where that is not known."""
    boxed = result[-1] if isinstance(result, list | tuple) else result
    try:
        return torch._C._distributed_c10d.Work.unbox(boxed)
    except (AttributeError, TypeError, RuntimeError):
        return None


# --- DistributedDataParallel ------------------------------------------------------------------------------------------------


class Wrapped:
    """The networks that are trained by `DistributedDataParallel`, and the passes in which their gradients are averaged."""

    def __init__(self) -> None:
        self._due: weakref.WeakSet[Any] = weakref.WeakSet()
        """Those that have been called, and whose next pass averages."""

    def called(self, module: Any) -> None:
        """A module is called: by now it is decided whether its gradients will be averaged."""
        if not isinstance(module, DistributedDataParallel):
            return
        if torch.is_grad_enabled() and module.require_backward_grad_sync:
            self._due.add(module)
        else:
            self._due.discard(module)

    def averaged(self, reached: set[int]) -> list[Tensor]:
        """The parameters whose `.grad` a pass that ends has averaged over the ranks.

        Args:
            reached: the `id()` of the parameters that it has reached on this rank.
        """
        found: list[Tensor] = []
        for module in [*self._due]:
            parameters = [p for p in module.parameters() if p.requires_grad]
            if any([id(p) in reached for p in parameters]):
                self._due.discard(module)
                found += [p for p in parameters if p.grad is not None]
        return found


@contextmanager
def wrapping(recorder: TorchRecorder, instead: Callable[[Any, str, Any], Any]) -> Iterator[None]:
    """Pass over what `DistributedDataParallel` does for itself; what it writes is told as a broadcast."""

    def quietly(name: str) -> Any:
        original = vars(DistributedDataParallel)[name]

        @wraps(original)
        def quiet(self: Any, *args: Any, **kwargs: Any) -> Any:
            if recorder.deaf:
                return original(self, *args, **kwargs)
            module = args[0] if name == "__init__" and args else kwargs.get("module", getattr(self, "module", None))
            where, before = NOWHERE, []
            with recorder.noted:
                recorder.settle()
                where = recorder.where()
                before = _versions(module, parameters=name == "__init__")
            recorder.busy += 1
            try:
                result = original(self, *args, **kwargs)
            finally:
                recorder.busy -= 1
            if not recorder.failure:
                with recorder.noted:
                    recorder.broadcast([t for t, version in before if recorder.version(t) != version], where)
            return result

        return instead(DistributedDataParallel, name, quiet)

    with ExitStack() as stack:
        for name in ("__init__", "_pre_forward"):
            if name in vars(DistributedDataParallel):
                stack.enter_context(quietly(name))
        yield


def _versions(module: Any, parameters: bool) -> list[tuple[Tensor, int]]:
    """What may be written of a module, with how often it was."""
    if not isinstance(module, torch.nn.Module):
        return []
    held = [*module.buffers(), *(module.parameters() if parameters else ())]
    return [(t, 0 if t.is_inference() else int(t._version)) for t in held]
