"""Checkpoints without reentrance: what nodes would save is dropped, and computed again when the backward pass first needs it.

Pack hooks put a `Holder` in place of every tensor saved in the forward pass. The first holder that is unpacked runs the
function again, with hooks that hand what is saved then to the holders in turn, and that stop once the last one has been served.
"""

from __future__ import annotations

import contextlib
import weakref
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

from ..autograd import graph
from ..autograd.grad_mode import enable_grad
from ..autograd.saved_variable import Packed, changed_in_place
from ..context import context, observed
from ..tensor import Tensor

TIP = """
Tip: To see a more detailed error message, either pass `debug=True` to
`torch.utils.checkpoint.checkpoint(...)` or wrap the code block
with `with torch.utils.checkpoint.set_checkpoint_debug_enabled(True):` to
enable checkpoint\N{NON-BREAKING HYPHEN}debug mode globally.

If this error occurs under torch.compile with automatic_dynamic_shapes enabled,
it may be because the recomputation selected a different compiled graph than the
forward pass (e.g., a dynamic graph instead of the original static graph).
To fix this, either:
  - Use torch._dynamo.mark_dynamic() to explicitly mark varying dimensions as
    dynamic upfront, avoiding the static-to-dynamic transition.
  - Call torch._C._dynamo.eval_frame._set_lru_cache(False) to disable LRU cache
    reordering, which can change which graph is checked first between forward
    and recompute.
See https://github.com/pytorch/pytorch/issues/166926 for more details and
workaround examples.
"""


class CheckpointError(RuntimeError):
    """A recomputation that differs from the forward pass."""


class _Stop(Exception):
    """Everything needed has been computed again."""


class Holder:
    """Stands for a tensor that was not kept; per recomputation it gets a key to the tensor's new self."""

    __slots__ = ("__weakref__", "keys")

    def __init__(self) -> None:
        self.keys: dict[int, Key | None] = {}


class Key:
    """Keeps a recomputed tensor alive as long as the holder may still be unpacked."""

    __slots__ = ("__weakref__",)


class GraphExecGroup:
    """Within the block, several backward passes share one recomputation."""

    _current: GraphExecGroup | None = None

    def __enter__(self) -> GraphExecGroup:
        if GraphExecGroup._current is not None:
            raise RuntimeError("GraphExecGroup contexts cannot be nested.")
        GraphExecGroup._current = self
        return self

    def __exit__(self, *_: object) -> None:
        GraphExecGroup._current = None


def described(tensor: Tensor) -> dict[str, Any]:
    """What a recomputed tensor must share with the first one."""
    return {"shape": tensor.shape, "dtype": tensor.dtype, "device": tensor.device}


CHECKS: dict[str, Callable[[Tensor], Any]] = {"default": described, "none": lambda _: None}
"""What is compared, by `determinism_check`."""


class Frame:
    """One checkpoint: how to compute it again, and the holders in the order in which tensors were saved."""

    def __init__(self, again: Callable[..., None], early_stop: bool, describe: Callable[[Tensor], Any]) -> None:
        self.again = again
        self.early_stop = early_stop
        self.describe = describe
        self.inputs: list[Any] = []
        self.holders: list[weakref.ref[Holder]] = []
        self.descriptions: list[Any] = []
        self.tensors: dict[int, weakref.WeakKeyDictionary[Key, Tensor]] = {}
        self.counts: dict[int, int] = {}
        self.done: set[int] = set()
        self.forward_completed = False
        self.any_number = False
        """Whether the number of saved tensors may differ, for the function ran a backward pass of its own."""

    def keep(self, args: tuple[Any, ...]) -> None:
        """Keep the arguments: what hooks are there already see them, as they see everything saved."""
        self.inputs = [Input(a) if isinstance(a, Tensor) else a for a in args]

    def forward(self) -> graph.saved_tensors_hooks:
        """The hooks of the forward pass."""
        return graph.saved_tensors_hooks(self._drop, self._find)

    def _drop(self, tensor: Tensor) -> Holder:
        holder = Holder()
        self.holders.append(weakref.ref(holder))
        self.descriptions.append(self.describe(tensor))
        return holder

    def _find(self, holder: Holder) -> Tensor:
        group = GraphExecGroup._current
        run = id(group) if group is not None else context.task
        if run == -1:
            # Unpacked outside of a backward pass: computed for this once.
            run = -2 - len(self.done)
        if run not in self.done:
            self._recompute(run)
            self.done.add(run)
            self._compare(run)
        key = holder.keys[run]
        if key is None:
            overlapping = (
                "Performing two backward calls that overlap (i.e. require the same saved activation in order to compute "
                "gradients) is not allowed while under the torch.utils.checkpoint.GraphExecGroup context. "
            )
            raise CheckpointError(
                "torch.utils.checkpoint: Unpack is being triggered for a tensor that was already unpacked once. "
                f"{overlapping if group is not None else ''}If you are calling ctx.saved_tensors in backward, make sure to do "
                "so only once. Otherwise please open an issue with details on your use case."
            )
        found = self.tensors[run][key]
        holder.keys[run] = None
        return found

    def _recompute(self, run: int) -> None:
        self.tensors[run] = weakref.WeakKeyDictionary()
        self.counts[run] = 0
        args = [a.open() if isinstance(a, Input) else a for a in self.inputs]
        hooks = graph.saved_tensors_hooks(lambda t: self._serve(run, t), lambda t: t)
        with contextlib.suppress(_Stop), observed(None), hooks, enable_grad():
            self.again(*args)

    def _serve(self, run: int, tensor: Tensor) -> Tensor:
        tensor = tensor.detach() if tensor.requires_grad else tensor
        index = self.counts[run]
        self.counts[run] += 1
        if index >= len(self.holders):
            if not self.forward_completed:
                self.any_number = True
                return tensor
            raise CheckpointError(
                "torch.utils.checkpoint: trying to save more tensors during recomputation than during the original forward "
                f"pass.\n{TIP}"
            )
        holder = self.holders[index]()
        if holder is not None:
            key = holder.keys[run] = Key()
            self.tensors[run][key] = tensor
        if self.early_stop and self.counts[run] == len(self.holders):
            raise _Stop
        return tensor

    def _compare(self, run: int) -> None:
        """Refuse a recomputation that saved something else than the forward pass.

        Raises:
            CheckpointError: for another number of tensors, and others as `determinism_check` says.
        """
        if self.any_number:
            return
        if len(self.holders) != self.counts[run]:
            raise CheckpointError(
                "torch.utils.checkpoint: A different number of tensors was saved during the original forward and "
                f"recomputation.\nNumber of tensors saved during forward: {len(self.holders)}\nNumber of tensors saved during "
                f"recomputation: {self.counts[run]}.\n{TIP}"
            )
        different = ""
        for i, (reference, before) in enumerate(zip(self.holders, self.descriptions, strict=True)):
            holder = reference()
            key = None if holder is None else holder.keys[run]
            if key is None:
                continue
            now = self.describe(self.tensors[run][key])
            if now != before:
                different += f"tensor at position {i}:\nsaved metadata: {before}\nrecomputed metadata: {now}\n"
        if different:
            raise CheckpointError(
                "torch.utils.checkpoint: Recomputed values for the following tensors have different metadata than during the "
                f"forward pass.\n{different}.\n{TIP}"
            )


class Input:
    """An argument that is a tensor, as it was when the checkpoint ran."""

    def __init__(self, tensor: Tensor) -> None:
        self.tensor: Any = graph.packed(tensor)
        self.version = tensor._counter.value if tensor._counter is not None else 0

    def open(self) -> Tensor:
        """The tensor.

        Raises:
            InplaceError: if it was written in place since.
        """
        tensor: Any = self.tensor
        if isinstance(tensor, Packed):
            return tensor.open(None)
        if tensor._counter is not None and tensor._counter.value != self.version:
            raise changed_in_place(tensor._array, tensor._nr, tensor._node, tensor._counter.value, self.version)
        return tensor  # type: ignore[no-any-return]


_settings: dict[str, bool | None] = {"early_stop": None, "debug": None}


@contextlib.contextmanager
def _set(name: str, value: bool | None) -> Iterator[None]:
    before = _settings[name]
    try:
        _settings[name] = value
        yield
    finally:
        _settings[name] = before


def set_checkpoint_early_stop(enable: bool) -> contextlib.AbstractContextManager[None]:
    """Within the block, checkpoints stop computing again as soon as they have what is needed, or do not."""
    return _set("early_stop", enable)


def set_checkpoint_debug_enabled(enabled: bool | None) -> contextlib.AbstractContextManager[None]:
    """Within the block, checkpoints behave as with `debug=enabled`."""
    return _set("debug", enabled)


def noop_context_fn() -> tuple[Any, Any]:
    """No contexts: what `context_fn` is unless given."""
    return contextlib.nullcontext(), contextlib.nullcontext()


def run(
    function: Callable[..., Any],
    again: Callable[[Any], Callable[..., None]],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    context_fn: Callable[[], tuple[Any, Any]],
    determinism_check: str,
    debug: bool,
    early_stop: bool,
) -> Any:
    """Call `function` without keeping what its nodes save.

    `again(context)` gives what computes it again within a context.

    Raises:
        ValueError: for an unknown `determinism_check`, and `debug` beside `context_fn`.
    """
    if (debug if _settings["debug"] is None else _settings["debug"]) and context_fn is not noop_context_fn:
        raise ValueError("debug=True is incompatible with non-default context_fn")
    if determinism_check not in CHECKS:
        raise ValueError(f"determinism_check should be one of {list(CHECKS)}, but got {determinism_check}")
    forward, recompute = context_fn()
    if not context.grad:
        return function(*args, **kwargs)
    stop = early_stop if _settings["early_stop"] is None else _settings["early_stop"]
    frame = Frame(again(recompute), stop, CHECKS[determinism_check])
    frame.keep(args)
    with frame.forward():
        failed = True
        with forward:
            result = function(*args, **kwargs)
            failed = False
    if failed:
        _suppressed()
    frame.forward_completed = True
    return result


def _suppressed() -> NoReturn:
    raise RuntimeError(
        "torch.utils.checkpoint: the forward context provided by context_fn suppressed an exception raised during the "
        "checkpointed forward. This is not supported because checkpoint cannot return a value for a failed forward."
    )
