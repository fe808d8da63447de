"""`torch.utils.checkpoint`: not keeping what a part of the forward pass computed, and computing it again in backward."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any

from ..context import context
from ..ops.creation.generator import fork_rng, get_rng_state, set_rng_state
from ..tensor import Tensor
from .recomputation import (
    CheckpointError,
    GraphExecGroup,
    noop_context_fn,
    run,
    set_checkpoint_debug_enabled,
    set_checkpoint_early_stop,
)

__all__ = [
    "CheckpointError",
    "GraphExecGroup",
    "checkpoint",
    "checkpoint_sequential",
    "noop_context_fn",
    "set_checkpoint_debug_enabled",
    "set_checkpoint_early_stop",
]


def checkpoint(
    function: Callable[..., Any],
    *args: Any,
    use_reentrant: bool | None = None,
    context_fn: Callable[[], tuple[Any, Any]] = noop_context_fn,
    determinism_check: str = "default",
    debug: bool = False,
    early_stop: bool = True,
    **kwargs: Any,
) -> Any:
    """Call `function`, keep its inputs only, and compute it again in the backward pass.

    With `use_reentrant=False` the graph is that of the plain call, whose nodes get what they would have saved when it is
    needed; with `use_reentrant=True` it is one node, which runs a backward pass of its own.

    Args:
        function: what is called.
        args: its arguments; with `use_reentrant=True` gradients reach those that are tensors, not those inside of others.
        use_reentrant: which way; to be given.
        preserve_rng_state: (in `kwargs`) draw the same random numbers again.
        kwargs: the function's keyword arguments, with `use_reentrant=False` only.
        context_fn: gives two contexts, for the forward pass and for computing again; `use_reentrant=False` only.
        determinism_check: "default" compares shapes and dtypes of what is computed again, "none" nothing.
        debug: accepted with `use_reentrant=False`.
        early_stop: stop computing again once everything needed is there.

    Raises:
        ValueError: for arguments that need `use_reentrant=False`.
    """
    if use_reentrant is None:
        use_reentrant = _not_said("torch.utils.checkpoint", "Starting in PyTorch 2.9, calling checkpoint without")
    preserve = kwargs.pop("preserve_rng_state", True)
    if not use_reentrant:
        again = _again(function, kwargs, get_rng_state() if preserve else None)
        return run(function, again, args, kwargs, context_fn, determinism_check, debug, early_stop)
    if kwargs:
        raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
    if context_fn is not noop_context_fn or debug is not False:
        raise ValueError("Passing `context_fn` or `debug` is only supported when use_reentrant=False.")
    if not any(isinstance(x, Tensor) and x.requires_grad for x in args):
        warnings.warn("None of the inputs have requires_grad=True. Gradients will be None", stacklevel=2)
    return _recomputed().apply(function, preserve, *args)


def _again(function: Callable[..., Any], kwargs: dict[str, Any], state: Any) -> Callable[[Any], Callable[..., None]]:
    """What computes a checkpoint again within a context, with the random numbers it drew."""

    def within(recompute: Any) -> Callable[..., None]:
        def compute(*args: Any) -> None:
            with fork_rng(enabled=state is not None):
                if state is not None:
                    set_rng_state(state)
                with recompute:
                    function(*args, **kwargs)

        return compute

    return within


def checkpoint_sequential(functions: Any, segments: int, input: Any, use_reentrant: bool | None = None, **kwargs: Any) -> Any:
    """Apply functions (or the modules of a Sequential) one after the other, in `segments` checkpoints of equal length.

    The last segment is called plainly. Arguments and errors otherwise as for `checkpoint`.
    """
    if use_reentrant is None:
        use_reentrant = _not_said("torch.utils.checkpoint.checkpoint_sequential", "")
    preserve = kwargs.pop("preserve_rng_state", True)
    if kwargs:
        raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
    steps = list(functions.children()) if hasattr(functions, "children") else list(functions)
    length = len(steps) // segments

    def run(chosen: list[Any], x: Any) -> Any:
        for step in chosen:
            x = step(x)
        return x

    last = length * (segments - 1)
    for start in range(0, last, length or 1):
        part = functools.partial(run, steps[start : start + length])
        input = checkpoint(part, input, use_reentrant=use_reentrant, preserve_rng_state=preserve)
    return run(steps[last:], input)


def _not_said(name: str, when: str) -> bool:
    """Warn that `use_reentrant` was left out, and give the default."""
    future = (
        f"{when} use_reentrant will raise an exception."
        if when
        else ("In version 2.9 we will raise an exception if use_reentrant is not passed.")
    )
    warnings.warn(
        f"{name}: the use_reentrant parameter should be passed explicitly. {future} use_reentrant=False is recommended, but if "
        "you need to preserve the current default behavior, you can pass use_reentrant=True. Refer to docs for more details on "
        "the differences between the two variants.",
        stacklevel=3,
    )
    return True


@functools.cache
def _recomputed() -> Any:
    """The Function of a checkpoint; made on first use, for Functions need the whole engine."""
    from ..autograd.function import Function
    from ..autograd.grad_mode import enable_grad, no_grad
    from ..autograd.passes import backward as run_backward

    class CheckpointFunction(Function):
        """Runs a function without recording it, and again with recording in the backward pass."""

        @staticmethod
        def forward(ctx: Any, run: Callable[..., Any], preserve: bool, *args: Any) -> Any:
            ctx.run = run
            ctx.state = get_rng_state() if preserve else None
            ctx.tensor_positions = [i for i, x in enumerate(args) if isinstance(x, Tensor)]
            ctx.others = [None if isinstance(x, Tensor) else x for x in args]
            ctx.save_for_backward(*[args[i] for i in ctx.tensor_positions])
            with no_grad():
                return run(*args)

        @staticmethod
        def backward(ctx: Any, *grads: Any) -> Any:
            if context.restricted:
                raise RuntimeError(
                    "When use_reentrant=True, torch.utils.checkpoint is incompatible with .grad() or passing an `inputs` "
                    "parameter to .backward(). To resolve this error, you can either set use_reentrant=False, or call "
                    ".backward() without passing the `inputs` argument."
                )
            inputs = list(ctx.others)
            for i, saved in zip(ctx.tensor_positions, ctx.saved_tensors, strict=True):
                inputs[i] = saved.detach()
                inputs[i].requires_grad = saved.requires_grad
            with fork_rng(enabled=ctx.state is not None), enable_grad():
                if ctx.state is not None:
                    set_rng_state(ctx.state)
                outputs = ctx.run(*inputs)
            flat = outputs if isinstance(outputs, tuple) else (outputs,)
            pairs = [(o, g) for o, g in zip(flat, grads, strict=True) if isinstance(o, Tensor) and o.requires_grad]
            if not pairs:
                raise RuntimeError("none of output has requires_grad=True, this checkpoint() is not necessary")
            run_backward([o for o, _ in pairs], [g for _, g in pairs])
            return (None, None, *[x.grad if isinstance(x, Tensor) else None for x in inputs])

    return CheckpointFunction
