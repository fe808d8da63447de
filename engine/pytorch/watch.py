"""What tells the recorder of what PyTorch does, and is gone without a trace afterwards.

The dispatcher's mode sees each operation that autograd has a node for; the mode above it sees what the dispatcher does not
(`.grad =`, `.data`, `requires_grad_`, hooks, numbers that are read). Modules and optimizers have global hooks. Backward passes
and custom Functions have one entrance each, which is wrapped as long as a recording runs.
"""

from __future__ import annotations

import gc
import os
import sys
import weakref
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import wraps
from sys import gettrace, settrace
from threading import get_ident
from types import BuiltinFunctionType, FunctionType, MethodDescriptorType, MethodWrapperType, WrapperDescriptorType
from typing import Any

import torch
from torch.autograd import graph as autograd_graph
from torch.autograd.profiler import record_function
from torch.nn.modules.module import register_module_forward_hook, register_module_forward_pre_hook
from torch.optim.optimizer import Optimizer, register_optimizer_step_post_hook, register_optimizer_step_pre_hook
from torch.overrides import TorchFunctionMode
from torch.utils import _python_dispatch
from torch.utils._python_dispatch import TorchDispatchMode

from ..recording.writer import NOWHERE, Where
from . import telling
from .ranks import wrapping
from .recorder import FOR_EVER, TorchRecorder, _version, transforming
from .threads import changing, recorded_thread

Tensor = torch.Tensor

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
ROOM = 50_000
"""Objects that may come about in a backward pass before the garbage collector looks for circles. It would else take the hooks
of nodes for the program's, and for a few thousand of those it goes through everything that PyTorch has."""
_GRAD, _NEEDS = (vars(torch._C.TensorBase)[name].__set__ for name in ("grad", "requires_grad"))
_OTHER = {
    **dict.fromkeys(READS, "read"), **dict.fromkeys(_ASKED, "asked"), Tensor.__repr__: "shown", Tensor.__format__: "shown",
    Tensor.register_hook: "hook", Tensor.retain_grad: "retain", _GRAD: "grad", _NEEDS: "needs", Tensor.requires_grad_: "needs",
}  # fmt: skip
"""What is called that is no operation, or more than one."""


class _Operations(TorchDispatchMode):
    """Tells of operations."""

    def __init__(self, recorder: TorchRecorder) -> None:
        super().__init__()
        self.recorder = recorder

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        # Else every operation goes through two more functions, and the first one imports the compiler.
        return False

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        recorder = self.recorder
        result = func(*args, **kwargs) if kwargs else func(*args)
        if not (recorder.busy or recorder.stepping or recorder.unseen) and transforming() is None:
            with recorder.noted:
                recorder.ran(func, args, kwargs, result)
        return result


class _Calls(TorchFunctionMode):
    """Tells of what the program calls that is no operation, and by which name it calls operations."""

    def __init__(self, recorder: TorchRecorder, modes: Modes) -> None:
        super().__init__()
        self.recorder, self.modes = recorder, modes

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        recorder = self.recorder
        trace = recorder.codes.trace
        if trace is not None:
            # Python goes through code of which a trace function is told several times as slowly, line by line.
            if gettrace() is trace and not types and _is_pytorchs(func, args, kwargs):
                settrace(None)
            else:
                trace = None
        try:
            other = None if recorder.busy or recorder.stepping else _OTHER.get(func, "operation")
            if other is None or other == "asked":
                return func(*args, **kwargs) if kwargs else func(*args)
            if other == "operation":
                before, recorder.calling = recorder.calling, func
                recorder.at = None
                try:
                    result = func(*args, **kwargs) if kwargs else func(*args)
                finally:
                    recorder.calling = before
                    recorder.at = None
                if recorder.waiting and not recorder.failure:
                    with recorder.noted:
                        recorder.settle()
                return result
            return self._other(other, func, args, kwargs or {})
        finally:
            if trace is not None:
                settrace(trace)

    def _other(self, other: str, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        recorder = self.recorder
        if other == "shown":
            with recorder.aside():
                return func(*args, **kwargs)
        if transforming() is not None:
            return func(*args, **kwargs)
        if other == "hook" and len(args) == 2:
            args = args[0], _told(recorder, self.modes, args[0], args[1])
        if other in ("needs", "grad") and recorder.known(args[0]) < 0:
            with recorder.noted:
                # A `.grad` that nobody has looked at is known by its owner; `zero_grad(set_to_none=False)` sets its flag.
                if other == "grad" or recorder.owner_of(args[0]) < 0:
                    recorder.identify(args[0])
        before, recorder.calling = recorder.calling, func
        recorder.at = None
        try:
            result = func(*args, **kwargs)
        finally:
            recorder.calling = before
            recorder.at = None
        if not recorder.failure:
            with recorder.noted:
                self._after(other, func, args)
        return result

    def _after(self, other: str, func: Any, args: tuple[Any, ...]) -> None:
        recorder = self.recorder
        recorder.settle()
        if other == "grad":
            recorder.grad_set(args[0], "None" if args[1] is None else "assign")
        elif other == "needs" and recorder.known(args[0]) >= 0:
            recorder.flag_set(args[0], "requires_grad", args[0].requires_grad)
        elif other == "retain":
            recorder.flag_set(args[0], "retains_grad", True)
            if args[0].grad_fn is not None:
                _retaining(recorder, args[0])
        elif other == "read" and isinstance(args[0], Tensor):
            recorder.read(args[0], READS[func])


def _is_pytorchs(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None) -> bool:
    """Whether what is called runs none of the program's code, but in a backward pass; an operation of the program's own may,
    and what is given a function."""
    kind = type(func)
    if kind not in _COMPILED and not (kind is FunctionType and str(func.__module__).startswith("torch.")):
        return False
    return not any(map(callable, args)) and not (kwargs and any(map(callable, kwargs.values())))


_COMPILED = frozenset((BuiltinFunctionType, MethodDescriptorType, MethodWrapperType, WrapperDescriptorType))


class Modes:
    """The two modes, which are taken off the stacks while what runs there is not the tape's: to pass an operation over takes
    them as long as PyTorch takes for it."""

    def __init__(self, recorder: TorchRecorder) -> None:
        self.operations, self.calls = _Operations(recorder), _Calls(recorder, self)
        self.left = False
        """Whether the mode of operations was taken off."""

    @contextmanager
    def on(self) -> Iterator[None]:
        """Have both on the stacks, which are the thread's: where another one ends the recording, they stay there, silent."""
        thread = get_ident()
        with ExitStack() as stack:
            stack.enter_context(self.operations)
            stack.enter_context(self.calls)
            try:
                yield
            finally:
                if get_ident() != thread:
                    stack.pop_all()

    def leave(self, calls: bool = True) -> tuple[bool, bool]:
        """Take them off where they are the innermost, the mode of operations alone if that is all; returns which were."""
        operations = _python_dispatch._get_current_dispatch_mode() is self.operations
        if operations:
            _python_dispatch._pop_mode()
            self.left = True
        functions = calls and _innermost_function_mode() is self.calls
        if functions:
            torch._C._pop_torch_function_stack()
        return operations, functions

    def come(self, left: tuple[bool, bool]) -> None:
        """Put back which have left."""
        if left[0]:
            _python_dispatch._push_mode(self.operations)
            self.left = False
        if left[1]:
            torch._C._push_on_torch_function_stack(self.calls)

    @contextmanager
    def only_calls(self) -> Iterator[None]:
        """A block of which no operation is told."""
        left = self.leave(calls=False)
        try:
            yield
        finally:
            self.come(left)

    @contextmanager
    def again(self) -> Iterator[None]:
        """A block within such a one of which operations are told."""
        left = self.left
        self.come((left, False))
        try:
            yield
        finally:
            if left:
                self.leave(calls=False)


def _innermost_function_mode() -> Any:
    count = torch._C._len_torch_function_stack()
    return torch._C._get_function_stack_at(count - 1) if count else None


def _told(recorder: TorchRecorder, modes: Modes, tensor: Tensor, hook: Callable[[Tensor], Any]) -> Callable[[Tensor], Any]:
    """A tensor's hook that tells when it has replaced a gradient."""
    where, held = NOWHERE, weakref.ref(tensor)
    with recorder.noted:
        where = recorder.where()

    def told(gradient: Tensor) -> Any:
        if not recorder.here:
            return hook(gradient)
        recorder.in_hook += 1
        try:
            with modes.again():
                result = hook(gradient)
        finally:
            recorder.in_hook -= 1
        seen = held()
        if result is not None and seen is not None and recorder.watching and not recorder.busy:
            with recorder.noted:
                recorder.hooked(seen, gradient, result, where)
        return result

    return told


def _retaining(recorder: TorchRecorder, tensor: Tensor) -> None:
    held = weakref.ref(tensor)

    def told(gradient: Tensor) -> None:
        seen = held()
        if seen is not None and recorder.watching and not recorder.busy and recorder.here:
            with recorder.noted:
                recorder.retained(seen, gradient)

    tensor.register_hook(told)


@contextmanager
def watching(recorder: TorchRecorder) -> Iterator[None]:
    """Tell a recorder of everything that PyTorch does in this thread."""
    recorder.watching = True
    _watched.add(recorder)
    modes = Modes(recorder)
    with ExitStack() as stack:
        stack.enter_context(recorded_thread(recorder.thread))
        stack.callback(_end, recorder)
        for handle in _modules(recorder):
            stack.callback(handle.remove)
        stack.enter_context(_optimizers(recorder, modes))
        stack.enter_context(_clearing(recorder, modes))
        stack.enter_context(_passes(recorder, modes))
        stack.enter_context(_functions(recorder))
        stack.enter_context(_parameters(recorder))
        stack.enter_context(_uncompiled())
        stack.enter_context(wrapping(recorder, _instead))
        stack.enter_context(modes.on())
        yield


def _end(recorder: TorchRecorder) -> None:
    if not recorder.failure:
        with recorder.noted:
            recorder.settle()
    recorder.watching = False
    if get_ident() != recorder.thread:
        recorder.busy += FOR_EVER  # its modes stay in that thread


def _forked() -> None:
    """What a process that is forked from a recorded one does is not recorded."""
    for recorder in _watched:
        recorder.busy += FOR_EVER


_watched: weakref.WeakSet[TorchRecorder] = weakref.WeakSet()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)


def _modules(recorder: TorchRecorder) -> Iterator[Any]:
    followed: list[bool] = []

    def before(module: Any, _: Any) -> None:
        if not recorder.deaf:
            with recorder.noted:
                recorder.module_began(module)
                recorder.wrapped.called(module)
            # A module of PyTorch's calls the program's code by way of the program's modules only.
            followed.append(recorder.follow(not type(module).__module__.startswith("torch.")))

    def after(*_: Any) -> None:
        if not recorder.deaf:
            with recorder.noted:
                recorder.module_ended()
            if followed:
                recorder.follow(followed.pop())

    yield register_module_forward_pre_hook(before)
    yield register_module_forward_hook(after, always_call=True)


@contextmanager
def _uncompiled() -> Iterator[None]:
    """What the program gives to `torch.compile` runs as it is written: operations that are told of are not compiled, and the
    compiler would take what tells of them for the program's."""
    original, said = torch.compile, False

    @wraps(original)
    def compile(*args: Any, **kwargs: Any) -> Any:
        nonlocal said
        if not said:
            said = True
            telling.told("torch.compile: what it is given runs uncompiled while it is recorded; last digits may be other ones.")
        made = original(*args, **kwargs)
        _as_written()  # only now is the compiler there
        return made

    with changing:
        _eager.append(None)
    _as_written()
    modules = torch.nn.modules.module
    hooked = getattr(modules, "_has_any_global_hook", None)
    try:
        with ExitStack() as stack:
            stack.enter_context(_instead(torch, "compile", compile))
            if hooked is not None:  # what is compiled warns of hooks like ours
                stack.enter_context(_instead(modules, "_has_any_global_hook", _has_hooks_of_others))
            yield
    finally:
        with changing:
            before = next(filter(None, _eager), None)
            _eager.pop()
            if _eager:
                _eager[0] = before
            elif before is not None:
                before.__exit__(None, None, None)


def _has_hooks_of_others() -> bool:
    """Whether there are hooks of all modules that are not a recorder's."""
    tables = [table for name, table in vars(torch.nn.modules.module).items() if name.startswith("_global_")]
    hooks = [hook for table in tables if isinstance(table, dict) for hook in table.values()]
    return any(callable(hook) and getattr(hook, "__module__", "") != __name__ for hook in hooks)


def _as_written() -> None:
    """Have what the program has compiled run as it is written, from now on until no recording runs."""
    with changing:
        if any(_eager) or "torch._dynamo" not in sys.modules or not hasattr(torch.compiler, "set_stance"):
            return
        with suppress(RuntimeError):  # where it cannot be had, as within what is compiled
            _eager[0] = torch.compiler.set_stance("force_eager")


_eager: list[Any] = []
"""For each recording that runs one entry; the first of them has what undoes that nothing is compiled, once that is so."""


class _Step:
    """A step of an optimizer that is under way."""

    __slots__ = ("followed", "left", "optimizer", "stepping", "versions", "where")

    def __init__(self, optimizer: Any, versions: dict[int, int], where: Where, stepping: bool) -> None:
        self.optimizer, self.versions, self.where = optimizer, versions, where
        self.stepping = stepping
        """Whether it is a part of another one."""
        self.left = (False, False)
        """Which modes were taken off for it."""
        self.followed = False
        """Whether the program's lines were followed."""


@contextmanager
def _optimizers(recorder: TorchRecorder, modes: Modes) -> Iterator[None]:
    steps: list[_Step] = []

    def before(optimizer: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if recorder.deaf:
            if get_ident() != recorder.thread:
                recorder.foreign("An optimizer's step")
            return None
        versions: dict[int, int] = {}
        where = NOWHERE
        with recorder.noted:
            recorder.settle()
            versions = {id(p): _version(p) for group in optimizer.param_groups for p in group["params"]}
            where = recorder.where()
        step = _Step(optimizer, versions, where, recorder.stepping)
        steps.append(step)
        recorder.stepping = True
        step.left = modes.leave()
        # It is followed where it is the program's own.
        step.followed = recorder.follow(not type(optimizer).__module__.startswith("torch."))

        def given(closure: Any) -> Any:
            return _seen(recorder, modes, step, closure) if callable(closure) else closure

        # A closure is the program's, though the optimizer calls it.
        return (args[0], *map(given, args[1:])), {name: given(each) for name, each in kwargs.items()}

    def over(finished: bool) -> None:
        step = steps.pop()
        modes.come(step.left)
        recorder.follow(step.followed)
        recorder.stepping = step.stepping
        if not recorder.failure:
            with recorder.noted:
                recorder.updated(step.optimizer, step.versions, step.where, finished)

    def after(optimizer: Any, *_: Any) -> None:
        if get_ident() == recorder.thread and steps and steps[-1].optimizer is optimizer:
            over(finished=True)

    enter, leave = record_function.__enter__, record_function.__exit__

    def entered(self: Any) -> Any:
        if recorder.deaf:
            return enter(self)
        with recorder.aside():
            return enter(self)

    def left(self: Any, kind: Any, error: Any, trace: Any) -> Any:
        if recorder.deaf:
            result = leave(self, kind, error, trace)
        else:
            with recorder.aside():
                result = leave(self, kind, error, trace)
        # Hooks are not called after a step that raises; but its name is given to the profiler, and taken back.
        if kind is not None and steps and get_ident() == recorder.thread and self.name == _step_name(steps[-1].optimizer):
            over(finished=False)
        return result

    with ExitStack() as stack:
        stack.callback(register_optimizer_step_pre_hook(before).remove)
        stack.callback(register_optimizer_step_post_hook(after).remove)
        stack.enter_context(_instead(record_function, "__enter__", entered))
        stack.enter_context(_instead(record_function, "__exit__", left))
        yield


@contextmanager
def _clearing(recorder: TorchRecorder, modes: Modes) -> Iterator[None]:
    """An optimizer takes the gradients away from all of its parameters at once."""
    original = vars(Optimizer)["zero_grad"]

    def zero_grad(self: Any, set_to_none: bool = True) -> None:
        if not set_to_none or recorder.deaf or recorder.stepping:
            original(self, set_to_none)
            return
        left = modes.leave()
        if not all(left):  # there are other modes, which are told of each
            modes.come(left)
            original(self, set_to_none)
            return
        had: list[Tensor] = []
        with recorder.noted:
            recorder.settle()
            had = [p for group in self.param_groups for p in group["params"] if p.grad is not None]
        followed = recorder.follow(False)
        try:
            original(self, set_to_none)
        finally:
            recorder.follow(followed)
            modes.come(left)
            if not recorder.failure:
                with recorder.noted:
                    recorder.cleared(had)

    with _instead(Optimizer, "zero_grad", wraps(original)(zero_grad)):
        yield


def _step_name(optimizer: Any) -> str:
    return f"Optimizer.step#{type(optimizer).__name__}.step"


def _seen(recorder: TorchRecorder, modes: Modes, step: _Step, closure: Callable[..., Any]) -> Callable[..., Any]:
    """A function that an optimizer is given, of which everything is recorded."""

    def seen(*args: Any, **kwargs: Any) -> Any:
        before, recorder.stepping = recorder.stepping, step.stepping
        modes.come(step.left)
        followed = recorder.follow(step.followed)
        try:
            return closure(*args, **kwargs)
        finally:
            recorder.follow(followed)
            step.left = modes.leave()
            recorder.stepping = before

    return seen


@contextmanager
def _passes(recorder: TorchRecorder, modes: Modes) -> Iterator[None]:
    """`backward` and `grad` both go through one function; what rules compute is told of where it is itself differentiated."""
    original = autograd_graph._engine_run_backward

    def run(t_outputs: Any, *args: Any, **kwargs: Any) -> Any:
        thread = get_ident()
        if thread != recorder.thread and not recorder.lent:
            recorder.foreign("A backward pass")
            with recorder.others.passing():
                return original(t_outputs, *args, **kwargs)
        if recorder.busy or not recorder.watching or transforming() is not None:
            return original(t_outputs, *args, **kwargs)
        if not all([t.requires_grad for t in t_outputs if isinstance(t, Tensor)]):
            return original(t_outputs, *args, **kwargs)  # which says that there is nothing to go back through
        grads, retain, create, inputs = args[:4]
        via = "backward" if kwargs.get("accumulate_grad", False) else "grad"
        creating = recorder.creating
        handles: list[Any] = []
        before, recorder.thread = recorder.thread, thread
        _make_room()
        with recorder.noted:
            roots = [t for t in t_outputs if isinstance(t, Tensor)]
            handles = recorder.began(roots, grads, bool(retain), bool(create), inputs, via)
        error: BaseException | None = None
        followed = recorder.follow(True)  # hooks and custom Functions are the program's
        try:
            with modes.again() if create else modes.only_calls():
                return original(t_outputs, *args, **kwargs)
        except BaseException as raised:
            error = raised
            raise
        finally:
            recorder.follow(followed)
            with recorder.aside():
                for handle in handles:
                    handle.remove()
            _leave_room()
            if not recorder.failure:
                with recorder.noted:
                    recorder.ended(bool(retain), error, creating)
            recorder.thread = before

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
        with recorder.noted:
            recorder.settle()
            where = recorder.where()
        recorder.unseen += 1
        try:
            result = call(*args, **kwargs)
        finally:
            recorder.unseen -= 1
        if where is not NOWHERE and not recorder.failure:
            with recorder.noted:
                recorder.custom(cls, args, result, where)
        return result

    with _instead(torch.autograd.Function, "apply", classmethod(apply)):
        yield


_PLAIN = (Tensor, torch.nn.Parameter)


@contextmanager
def _parameters(recorder: TorchRecorder) -> Iterator[None]:
    """Parameters are made without an operation."""
    original = torch.nn.Parameter.__new__

    def new(cls: Any, data: Any = None, requires_grad: bool = True) -> Any:
        if recorder.deaf:
            return original(cls, data, requires_grad)
        if data is None or type(data) in _PLAIN:
            with recorder.aside():
                made = original(cls, data, requires_grad)
        else:  # a subclass does it by a dispatch of its own, as DTensor does
            recorder.busy += 1
            try:
                made = original(cls, data, requires_grad)
            finally:
                recorder.busy -= 1
        if isinstance(made, Tensor) and not isinstance(made, torch.nn.UninitializedParameter):
            with recorder.noted:
                recorder.made(made)
        return made

    with _instead(torch.nn.Parameter, "__new__", staticmethod(new)):
        yield


@contextmanager
def _instead(owner: Any, name: str, replacement: Any) -> Iterator[None]:
    with changing:
        there = _replaced.setdefault((owner, name), [vars(owner)[name]])
        there.append(replacement)
        setattr(owner, name, replacement)
    try:
        yield
    finally:
        with changing:
            there.remove(replacement)
            # What another recording has put in its place since calls it, and it passes everything on.
            if vars(owner)[name] is replacement or len(there) == 1:
                setattr(owner, name, there[-1])
            if len(there) == 1:
                del _replaced[owner, name]


def _make_room() -> None:
    """Have the garbage collector look for circles less often, until as many have called `_leave_room`."""
    with changing:
        thresholds = gc.get_threshold()
        if not _thresholds and 0 < thresholds[0] < ROOM:
            gc.set_threshold(ROOM, *thresholds[1:])
        _thresholds.append(thresholds)


def _leave_room() -> None:
    with changing:
        first = _thresholds[0]
        _thresholds.pop()
        if not _thresholds:
            gc.set_threshold(*first)


_thresholds: list[tuple[int, int, int]] = []
"""What was set when each of the passes under way began, of whichever thread."""
_replaced: dict[tuple[Any, str], list[Any]] = {}
"""What stood where recordings listen, and what each of them has put there: they need not end in the order in which they began,
where threads record."""
