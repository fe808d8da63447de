"""What tells the recorder of what PyTorch does, and is gone without a trace afterwards.

The dispatcher's mode sees each operation that autograd has a node for; the mode above it sees what the dispatcher does not
(`.grad =`, `.data`, `requires_grad_`, hooks, numbers that are read). Modules and optimizers have global hooks. Backward passes
and custom Functions have one entrance each, which is wrapped as long as a recording runs.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from threading import get_ident
from typing import Any

import torch
from torch.autograd import graph as autograd_graph
from torch.nn.modules.module import register_module_forward_hook, register_module_forward_pre_hook
from torch.optim.optimizer import register_optimizer_step_post_hook, register_optimizer_step_pre_hook
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

from ..recording.writer import NOWHERE
from .recorder import TorchRecorder, _version

Tensor = torch.Tensor
_functorch = torch._C._functorch

READS = {
    Tensor.item: "item", Tensor.tolist: "tolist", Tensor.numpy: "numpy", Tensor.__float__: "float", Tensor.__int__: "int",
    Tensor.__bool__: "bool", Tensor.__array__: "numpy", Tensor.__index__: "int",
}  # fmt: skip
"""How a tensor's values become Python's or NumPy's."""
_ATTRIBUTES = (
    "device", "dtype", "grad", "grad_fn", "is_cuda", "is_leaf", "is_nested", "is_quantized", "is_sparse", "layout", "ndim",
    "requires_grad", "shape",
)  # fmt: skip
_ASKED = frozenset(
    [getattr(Tensor, name).__get__ for name in _ATTRIBUTES]
    + [
        Tensor.size, Tensor.dim, Tensor.numel, Tensor.__len__, Tensor.stride, Tensor.is_floating_point, Tensor.is_complex,
        Tensor.__hash__, Tensor.is_contiguous, Tensor.data_ptr, Tensor.storage_offset, Tensor.element_size, Tensor.get_device,
    ]
)  # fmt: skip
"""Questions that change nothing."""
_SHOWN = (Tensor.__repr__, Tensor.__format__)
_GRAD, _NEEDS = (vars(torch._C.TensorBase)[name].__set__ for name in ("grad", "requires_grad"))


class _Operations(TorchDispatchMode):
    """Tells of operations."""

    def __init__(self, recorder: TorchRecorder) -> None:
        super().__init__()
        self.recorder = recorder

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        recorder = self.recorder
        kwargs = kwargs or {}
        result = func(*args, **kwargs)
        if recorder.busy or recorder.stepping or _functorch.peek_interpreter_stack() is not None:
            return result
        with recorder.noting():
            recorder.ran(func, args, kwargs, result)
        return result


class _Calls(TorchFunctionMode):
    """Tells of what the program calls that is no operation, and by which name it calls operations."""

    def __init__(self, recorder: TorchRecorder) -> None:
        super().__init__()
        self.recorder = recorder

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        recorder = self.recorder
        kwargs = kwargs or {}
        if recorder.busy or recorder.stepping or func in _ASKED:
            return func(*args, **kwargs)
        if func in _SHOWN:
            with recorder.aside():
                return func(*args, **kwargs)
        if func is Tensor.register_hook and len(args) == 2:
            args = args[0], _told(recorder, args[0], args[1])
        if func in (_NEEDS, _GRAD, Tensor.requires_grad_):
            with recorder.noting():
                recorder.identify(args[0])
        before, recorder.calling = recorder.calling, func
        try:
            result = func(*args, **kwargs)
        finally:
            recorder.calling = before
        if not recorder.failure:
            with recorder.noting():
                self._after(func, args)
        return result

    def _after(self, func: Any, args: tuple[Any, ...]) -> None:
        recorder = self.recorder
        recorder.settle()
        if func == _GRAD:
            recorder.grad_set(args[0], "None" if args[1] is None else "assign")
        elif func in (_NEEDS, Tensor.requires_grad_):
            recorder.flag_set(args[0], "requires_grad", args[0].requires_grad)
        elif func is Tensor.retain_grad:
            recorder.flag_set(args[0], "retains_grad", True)
            if args[0].grad_fn is not None:
                _retaining(recorder, args[0])
        elif func in READS and isinstance(args[0], Tensor):
            recorder.read(args[0], READS[func])


def _told(recorder: TorchRecorder, tensor: Tensor, hook: Callable[[Tensor], Any]) -> Callable[[Tensor], Any]:
    """A tensor's hook that tells when it has replaced a gradient."""
    where, held = NOWHERE, weakref.ref(tensor)
    with recorder.noting():
        where = recorder.where()

    def told(gradient: Tensor) -> Any:
        recorder.in_hook += 1
        try:
            result = hook(gradient)
        finally:
            recorder.in_hook -= 1
        seen = held()
        if result is not None and seen is not None and recorder.watching and not recorder.busy:
            with recorder.noting():
                recorder.hooked(seen, gradient, result, where)
        return result

    return told


def _retaining(recorder: TorchRecorder, tensor: Tensor) -> None:
    held = weakref.ref(tensor)

    def told(gradient: Tensor) -> None:
        seen = held()
        if seen is not None and recorder.watching and not recorder.busy:
            with recorder.noting():
                recorder.retained(seen, gradient)

    tensor.register_hook(told)


@contextmanager
def watching(recorder: TorchRecorder) -> Iterator[None]:
    """Tell a recorder of everything that PyTorch does in this thread."""
    recorder.watching = True
    with ExitStack() as stack:
        stack.callback(_end, recorder)
        for handle in (
            *_modules(recorder),
            *_optimizers(recorder),
        ):
            stack.callback(handle.remove)
        stack.enter_context(_passes(recorder))
        stack.enter_context(_functions(recorder))
        stack.enter_context(_parameters(recorder))
        stack.enter_context(_Operations(recorder))
        stack.enter_context(_Calls(recorder))
        yield


def _end(recorder: TorchRecorder) -> None:
    if not recorder.failure:
        with recorder.noting():
            recorder.settle()
    recorder.watching = False


def _modules(recorder: TorchRecorder) -> Iterator[Any]:
    def before(module: Any, _: Any) -> None:
        if not recorder.deaf:
            with recorder.noting():
                recorder.module_began(module)

    def after(*_: Any) -> None:
        if not recorder.deaf:
            with recorder.noting():
                recorder.module_ended()

    yield register_module_forward_pre_hook(before)
    yield register_module_forward_hook(after, always_call=True)


def _optimizers(recorder: TorchRecorder) -> Iterator[Any]:
    steps: list[tuple[dict[int, int], Any]] = []

    def before(optimizer: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if recorder.deaf:
            return None
        with recorder.noting():
            recorder.settle()
            versions = {id(p): _version(p) for group in optimizer.param_groups for p in group["params"]}
            steps.append((versions, recorder.where()))
        recorder.stepping = True
        # A closure is the program's, though the optimizer calls it.
        given = [_seen(recorder, each) for each in args[1:]]
        return (args[0], *given), {name: _seen(recorder, each) for name, each in kwargs.items()}

    def after(optimizer: Any, *_: Any) -> None:
        if get_ident() != recorder.thread:
            return
        recorder.stepping = False
        if steps and not recorder.failure:
            with recorder.noting():
                recorder.updated(optimizer, *steps.pop())

    yield register_optimizer_step_pre_hook(before)
    yield register_optimizer_step_post_hook(after)


def _seen(recorder: TorchRecorder, closure: Any) -> Any:
    """A function that an optimizer is given, of which everything is recorded."""
    if not callable(closure):
        return closure

    def seen(*args: Any, **kwargs: Any) -> Any:
        before, recorder.stepping = recorder.stepping, False
        try:
            return closure(*args, **kwargs)
        finally:
            recorder.stepping = before

    return seen


@contextmanager
def _passes(recorder: TorchRecorder) -> Iterator[None]:
    """`backward` and `grad` both go through one function."""
    original = autograd_graph._engine_run_backward

    def run(t_outputs: Any, *args: Any, **kwargs: Any) -> Any:
        if recorder.deaf:
            return original(t_outputs, *args, **kwargs)
        grads, retain, create, inputs = args[:4]
        via = "backward" if kwargs.get("accumulate_grad", False) else "grad"
        creating = recorder.creating
        handles: list[Any] = []
        with recorder.noting():
            roots = [t for t in t_outputs if isinstance(t, Tensor)]
            handles = recorder.began(roots, grads, bool(retain), bool(create), inputs, via)
        error: BaseException | None = None
        try:
            return original(t_outputs, *args, **kwargs)
        except BaseException as raised:
            error = raised
            raise
        finally:
            for handle in handles:
                handle.remove()
            if not recorder.failure:
                with recorder.noting():
                    recorder.ended(bool(retain), error, creating)

    with _instead(autograd_graph, "_engine_run_backward", run), _instead(torch.autograd, "_engine_run_backward", run):
        yield


@contextmanager
def _functions(recorder: TorchRecorder) -> Iterator[None]:
    """A custom Function is one operation, whatever it computes."""
    original = vars(torch.autograd.Function)["apply"]

    def apply(cls: Any, *args: Any, **kwargs: Any) -> Any:
        call = original.__get__(None, cls)
        if recorder.deaf or recorder.unseen:
            return call(*args, **kwargs)
        where = NOWHERE
        with recorder.noting():
            recorder.settle()
            where = recorder.where()
        recorder.unseen += 1
        try:
            result = call(*args, **kwargs)
        finally:
            recorder.unseen -= 1
        if where is not NOWHERE and not recorder.failure:
            with recorder.noting():
                recorder.custom(cls, args, result, where)
        return result

    with _instead(torch.autograd.Function, "apply", classmethod(apply)):
        yield


@contextmanager
def _parameters(recorder: TorchRecorder) -> Iterator[None]:
    """Parameters are made without an operation."""
    original = torch.nn.Parameter.__new__

    def new(cls: Any, data: Any = None, requires_grad: bool = True) -> Any:
        if recorder.deaf:
            return original(cls, data, requires_grad)
        with recorder.aside():
            made = original(cls, data, requires_grad)
        if isinstance(made, Tensor) and not isinstance(made, torch.nn.UninitializedParameter):
            with recorder.noting():
                recorder.made(made)
        return made

    with _instead(torch.nn.Parameter, "__new__", staticmethod(new)):
        yield


@contextmanager
def _instead(owner: Any, name: str, replacement: Any) -> Iterator[None]:
    before = vars(owner)[name]
    setattr(owner, name, replacement)
    try:
        yield
    finally:
        setattr(owner, name, before)
