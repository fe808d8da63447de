"""Module: parameters, buffers and child modules in a tree, and a forward; long, as all that subclasses inherit is one class.

Hooks and states are functions of their own (`hooks`, `state`), which the class takes up.
"""

from __future__ import annotations

import warnings
from collections import OrderedDict
from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any, Self

from .. import dtypes
from ..autograd import no_grad
from ..compat.classes import typename
from ..compat.signatures import invalid_combination
from ..context import context, outside
from ..dtypes import dtype as Dtype  # noqa: N812
from ..errors import unsupported
from ..ops.creation.conversions import CONVERSIONS
from ..ops.creation.factories import empty_like
from ..safe_attributes import is_special, meant_for, plain, write
from ..tensor import Tensor
from ..tensor_attributes import as_device, default_device
from ..tensor_attributes import memory_format as Format  # noqa: N812
from . import hooks, state
from .hooks import RemovableHandle
from .parameter import Buffer, Parameter

MEMBERS = ("_parameters", "_buffers", "_modules")
"""Where a module keeps what it registers."""

HOOKS = (
    "_backward_pre_hooks", "_backward_hooks", "_forward_hooks", "_forward_hooks_with_kwargs", "_forward_hooks_always_called",
    "_forward_pre_hooks", "_forward_pre_hooks_with_kwargs", "_state_dict_hooks", "_state_dict_pre_hooks",
    "_load_state_dict_pre_hooks", "_load_state_dict_post_hooks",
)  # fmt: skip
"""The dicts of hooks every module has."""

COMPLEX_MODULES = (
    "Complex modules are a new feature under active development whose design may change, and some modules might not work as "
    "expected when using complex tensors as parameters or buffers. Please file an issue at "
    "https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml if a complex module does not work as expected."
)
ABSENT = {"ipu", "mtia"}
"""Methods of PyTorch's modules that are not here."""


class Module:
    """The base of all neural network modules: subclass it, register members in `__init__`, compute in `forward`.

    Parameters, buffers and modules that are assigned as attributes are registered; `module(...)` calls `forward`.
    """

    __engine__ = True

    training: bool
    _parameters: dict[str, Parameter | None]
    _buffers: dict[str, Tensor | None]
    _modules: dict[str, Module | None]
    _non_persistent_buffers_set: set[str]
    _forward_hooks: hooks.Hooks
    _forward_hooks_with_kwargs: dict[int, bool]
    _forward_hooks_always_called: dict[int, bool]
    _forward_pre_hooks: hooks.Hooks
    _forward_pre_hooks_with_kwargs: dict[int, bool]
    _backward_hooks: hooks.Hooks
    _backward_pre_hooks: hooks.Hooks
    _state_dict_hooks: hooks.Hooks
    _state_dict_pre_hooks: hooks.Hooks
    _load_state_dict_pre_hooks: hooks.Hooks
    _load_state_dict_post_hooks: hooks.Hooks
    _is_full_backward_hook: bool | None

    _version: int = 1
    call_super_init: bool = False
    dump_patches: bool = False

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if not self.call_super_init:
            init = f"{type(self).__name__}.__init__()"
            if kwargs:
                raise TypeError(f"{init} got an unexpected keyword argument '{next(iter(kwargs))}'")
            if args:
                raise TypeError(f"{init} takes 1 positional argument but {len(args) + 1} were given")
        d = self.__dict__
        d.update(training=True, _parameters={}, _buffers={}, _modules={}, _non_persistent_buffers_set=set())
        d.update({name: OrderedDict() for name in HOOKS}, _is_full_backward_hook=None)
        if self.call_super_init:
            super().__init__(*args, **kwargs)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the hooks and `forward`."""
        observer = context.observer
        if observer is None:
            return hooks.call(self, args, kwargs) if RemovableHandle.any else self.forward(*args, **kwargs)
        observer.module_began(self)
        try:
            return hooks.call(self, args, kwargs) if RemovableHandle.any else self.forward(*args, **kwargs)
        finally:
            observer.module_ended()

    def _forward_unimplemented(self, *input: Any) -> Any:
        """Define the computation performed at every call; subclasses do."""
        raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" function')

    forward: Callable[..., Any] = _forward_unimplemented

    register_forward_pre_hook = hooks.register_forward_pre_hook
    register_forward_hook = hooks.register_forward_hook
    register_full_backward_pre_hook = hooks.register_full_backward_pre_hook
    register_full_backward_hook = hooks.register_full_backward_hook
    register_backward_hook = hooks.register_backward_hook

    state_dict = state.state_dict
    load_state_dict = state.load_state_dict
    _save_to_state_dict = state._save_to_state_dict
    _load_from_state_dict = state._load_from_state_dict
    get_extra_state = state.get_extra_state
    set_extra_state = state.set_extra_state
    _register_state_dict_hook = state._register_state_dict_hook
    _register_load_state_dict_pre_hook = state._register_load_state_dict_pre_hook
    register_state_dict_pre_hook = state.register_state_dict_pre_hook
    register_state_dict_post_hook = state.register_state_dict_post_hook
    register_load_state_dict_pre_hook = state.register_load_state_dict_pre_hook
    register_load_state_dict_post_hook = state.register_load_state_dict_post_hook

    def _pickled(self) -> dict[str, Any]:
        """The attributes as PyTorch's module of that class has them, for a checkpoint."""
        return dict(self.__dict__)

    # --- registering -----------------------------------------------------------------------------------------------------

    def _check_name(self, kind: str, name: Any, members: str) -> None:
        """Refuse a name that cannot be an attribute's, or is another attribute's."""
        if members not in self.__dict__:
            raise AttributeError(f"cannot assign {kind} before Module.__init__() call")
        if not isinstance(name, str):
            raise TypeError(f"{kind} name should be a string. Got {typename(name)}")
        if "." in name:
            raise KeyError(f'{kind} name can\'t contain "."' + (f", got: {name}" if kind == "module" else ""))
        if name == "":
            raise KeyError(f'{kind} name can\'t be empty string ""')
        if is_special(name) or (name not in self.__dict__[members] and hasattr(self, name)):
            raise KeyError(f"attribute '{name}' already exists")

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Add a tensor that is part of the module's state but no parameter; in `state_dict` if `persistent`."""
        self._check_name("buffer", name, "_buffers")
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(f"cannot assign '{typename(tensor)}' object to buffer '{name}' (torch Tensor or None required)")
        self._buffers[name] = hooks.registered("buffer", self, name, tensor) if RemovableHandle.any else tensor
        if persistent:
            self._non_persistent_buffers_set.discard(name)
        else:
            self._non_persistent_buffers_set.add(name)

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Add a parameter; None stands for one to come."""
        self._check_name("parameter", name, "_parameters")
        if param is not None and not isinstance(param, Parameter):
            raise TypeError(
                f"cannot assign '{typename(param)}' object to parameter '{name}' (torch.nn.Parameter or None required)"
            )
        if param is not None and param._node is not None:
            raise ValueError(
                f"Cannot assign non-leaf Tensor to parameter '{name}'. Model parameters must be created explicitly. To express "
                f"'{name}' as a function of another Tensor, compute the value in the forward() method."
            )
        self._parameters[name] = hooks.registered("parameter", self, name, param) if RemovableHandle.any else param

    def register_module(self, name: str, module: Module | None) -> None:
        """Add a child module."""
        if module is not None and not isinstance(module, Module):
            raise TypeError(f"{typename(module)} is not a Module subclass")
        self._check_name("module", name, "_modules")
        self._modules[name] = hooks.registered("module", self, name, module) if RemovableHandle.any else module

    def add_module(self, name: str, module: Module | None) -> None:
        """Add a child module."""
        self.register_module(name, module)

    # --- attributes ------------------------------------------------------------------------------------------------------

    def __getattr__(self, name: str) -> Any:
        d = {} if is_special(name) else self.__dict__
        for kind in MEMBERS:
            members = d.get(kind)
            if members is not None and name in members:
                return members[name]
        if name in ABSENT:
            raise unsupported("torch.nn.Module", name, dir(Module))
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __setattr__(self, name: str, value: Any) -> None:
        d = self.__dict__
        if type(name) is not str or (name[:2] == "__" and name != "__class__"):
            plain(name)
        if isinstance(value, Parameter):
            self._make_room(name, "parameters", "_parameters")
            self.register_parameter(name, value)
        elif isinstance(value, Module):
            if name in d.get("_parameters", ()):
                raise _refused(value, "as parameter", name, "torch.nn.Parameter")
            self._make_room(name, "module", "_modules")
            self._modules[name] = hooks.registered("module", self, name, value) if RemovableHandle.any else value
        elif name in d.get("_parameters", ()):
            if value is not None:
                raise _refused(value, "as parameter", name, "torch.nn.Parameter")
            self.register_parameter(name, value)
        elif name in d.get("_modules", ()):
            if value is not None:
                raise _refused(value, "as child module", name, "torch.nn.Module")
            self._modules[name] = value
        elif name in d.get("_buffers", ()) or (isinstance(value, Tensor) and isinstance(value, Buffer)):
            if value is not None and not isinstance(value, Tensor):
                raise _refused(value, "as buffer", name, "torch.nn.Buffer, torch.Tensor")
            persistent = value.persistent if isinstance(value, Buffer) else name not in self._non_persistent_buffers_set
            self.register_buffer(name, value, persistent)
        else:
            object.__setattr__(self, name, value)

    def _make_room(self, name: str, kind: str, members: str) -> None:
        """Forget what else `name` stood for."""
        d = self.__dict__
        if members not in d:
            raise AttributeError(f"cannot assign {kind} before Module.__init__() call")
        d.pop(name, None)
        for other in MEMBERS:
            if other != members:
                d[other].pop(name, None)
        self._non_persistent_buffers_set.discard(name)

    def __delattr__(self, name: str) -> None:
        for kind in MEMBERS:
            if name in self.__dict__[kind]:
                del self.__dict__[kind][name]
                self._non_persistent_buffers_set.discard(name)
                return
        object.__delattr__(self, name)

    def __dir__(self) -> list[str]:
        names = [*dir(type(self)), *self.__dict__, *self._parameters, *self._modules, *self._buffers]
        return sorted(n for n in names if not n[0].isdigit())

    # --- the tree --------------------------------------------------------------------------------------------------------

    def named_modules(
        self, memo: set[Module] | None = None, prefix: str = "", remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Module]]:
        """This module, named `prefix`, and all below it, each once unless duplicates are wanted."""
        memo = set() if memo is None else memo
        if self in memo:
            return
        if remove_duplicate:
            memo.add(self)
        yield prefix, self
        for name, module in self._modules.items():
            if module is not None:
                yield from module.named_modules(memo, f"{prefix}.{name}" if prefix else name, remove_duplicate)

    def modules(self, remove_duplicate: bool = True) -> Iterator[Module]:
        """This module and all below it, as `named_modules` lists them."""
        seen: set[Module] = set()
        stack: list[Module | None] = [self]
        while stack:
            module = stack.pop()
            if module is None or module in seen:
                continue
            if remove_duplicate:
                seen.add(module)
            yield module
            if module._modules:
                stack.extend(reversed(module._modules.values()))

    def named_children(self) -> Iterator[tuple[str, Module]]:
        """The modules directly below, each once, with their names."""
        seen = set()
        for name, module in self._modules.items():
            if module is not None and module not in seen:
                seen.add(module)
                yield name, module

    def children(self) -> Iterator[Module]:
        """The modules directly below, each once."""
        for _, module in self.named_children():
            yield module

    def _named_members(
        self, members: Callable[[Module], Any], prefix: str, recurse: bool, remove_duplicate: bool
    ) -> Iterator[tuple[str, Any]]:
        seen: set[int] = set()
        modules = self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate) if recurse else [(prefix, self)]
        for above, module in modules:
            for name, member in members(module):
                if member is None or id(member) in seen:
                    continue
                if remove_duplicate:
                    seen.add(id(member))
                yield (f"{above}.{name}" if above else name), member

    def named_parameters(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Parameter]]:
        """The parameters of this module, and of those below if `recurse`, with their names."""
        yield from self._named_members(lambda m: m._parameters.items(), prefix, recurse, remove_duplicate)

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """The parameters of this module, and of those below if `recurse`, each once."""
        seen: set[Parameter] = set()
        for module in self.modules() if recurse else (self,):
            for parameter in module._parameters.values():
                if parameter is not None and parameter not in seen:
                    seen.add(parameter)
                    yield parameter

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        """The buffers of this module, and of those below if `recurse`, with their names."""
        yield from self._named_members(lambda m: m._buffers.items(), prefix, recurse, remove_duplicate)

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """The buffers of this module, and of those below if `recurse`, each once."""
        for _, buffer in self.named_buffers(recurse=recurse):
            yield buffer

    def get_submodule(self, target: str) -> Module:
        """The module below at the path `target`, as "encoder.0"; this module for ""."""
        module = self
        for name in target.split(".") if target else ():
            if not hasattr(module, name):
                raise AttributeError(f"{module._get_name()} has no attribute `{name}`")
            module = getattr(module, name)
            if not isinstance(module, Module):
                raise AttributeError(f"`{name}` is not an nn.Module")
        return module

    def set_submodule(self, target: str, module: Module, strict: bool = False) -> None:
        """Put `module` at the path `target`; if `strict`, only where a module is already."""
        if target == "":
            raise ValueError("Cannot set the submodule without a target name!")
        if not isinstance(module, Module):
            raise ValueError(f"`module` is not an nn.Module, found {type(module)}")
        above, _, name = target.rpartition(".")
        parent = self.get_submodule(above)
        if strict and not hasattr(parent, name):
            raise AttributeError(f"{parent._get_name()} has no attribute `{name}`")
        if hasattr(parent, name) and not isinstance(getattr(parent, name), Module):
            raise AttributeError(f"`{name}` is not an nn.Module")
        write(meant_for(parent, Module), name, module)

    def _get_member(self, target: str, members: str, kind: str) -> Any:
        above, _, name = target.rpartition(".")
        module = self.get_submodule(above)
        if not hasattr(module, name):
            raise AttributeError(f"{module._get_name()} has no attribute `{name}`")
        if name not in module.__dict__[members]:
            raise AttributeError(f"`{name}` is not {kind}")
        return module.__dict__[members][name]

    def get_parameter(self, target: str) -> Parameter:
        """The parameter at the path `target`, as "encoder.0.weight"."""
        parameter: Parameter = self._get_member(target, "_parameters", "an nn.Parameter")
        return parameter

    def get_buffer(self, target: str) -> Tensor:
        """The buffer at the path `target`, as "norm.running_mean"."""
        buffer: Tensor = self._get_member(target, "_buffers", "a buffer")
        return buffer

    # --- changing all of it ----------------------------------------------------------------------------------------------

    def apply(self, fn: Callable[[Module], None]) -> Self:
        """Call `fn` on every module below and then on this one, as for initialisation."""
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> Self:
        """Replace the numbers of all parameters, their gradients, and buffers by `fn` of them."""
        if recurse:
            for module in self.children():
                module._apply(fn)
        with no_grad():
            for parameter in self._parameters.values():
                if parameter is not None:
                    parameter.data = fn(parameter.data)
                    if parameter._grad is not None:
                        parameter._grad.data = fn(parameter._grad.data)
            for name, buffer in self._buffers.items():
                if buffer is not None:
                    self._buffers[name] = fn(buffer)
        return self

    def to(self, *args: Any, dtype: Dtype | None = None, device: Any = None, memory_format: Any = None, **named: Any) -> Self:
        """Convert floating point parameters and buffers to a dtype, those of four or five dimensions to a memory format; where
        there are any, devices but the CPU are refused."""
        if memory_format is not None and not isinstance(memory_format, Format):
            raise invalid_combination("to", *args, memory_format=memory_format, signatures=CONVERSIONS, **named)
        for a in args:
            if isinstance(a, Format):
                raise invalid_combination("to", *args, signatures=CONVERSIONS, **named)
            if isinstance(a, (Dtype, Tensor)):
                dtype = a if isinstance(a, Dtype) else a.dtype
            elif not isinstance(a, bool) and a is not None:
                device = a
        if dtype is not None and not (dtype.is_floating_point or dtype.is_complex):
            raise TypeError(f"nn.Module.to only accepts floating point or complex dtypes, but got desired dtype={dtype}")
        if device is not None:
            where = as_device(device)
            self._apply(lambda t: _moved(t, where))
        if dtype is not None:
            self._convert(dtype)
        if memory_format is not None:
            self._apply(lambda t: t.to(memory_format=memory_format) if t.dim() in (4, 5) else t)
        return self

    def cuda(self, device: Any = None) -> Self:
        """Refuse to move parameters and buffers to a GPU, which is not there."""
        return self._apply(lambda t: t.cuda(device))

    def xpu(self, device: Any = None) -> Self:
        """Refuse to move parameters and buffers to a device that is not there."""
        return self._apply(lambda t: t.to("xpu"))

    def share_memory(self) -> Self:
        """Nothing to do: there are no other processes."""
        return self

    def compile(self, *args: Any, **kwargs: Any) -> None:
        """Nothing to do: modules run as they are written."""

    def _convert(self, dtype: Dtype) -> Self:
        if dtype.is_complex:
            warnings.warn(COMPLEX_MODULES, stacklevel=outside())
        return self._apply(lambda t: t.to(dtype) if t.is_floating_point() or t.is_complex() else t)

    def type(self, dst_type: Any) -> Self:
        """Convert all parameters and buffers to `dst_type`."""
        return self._apply(lambda t: t.type(dst_type))

    def float(self) -> Self:
        """Convert floating point parameters and buffers to float32."""
        return self._convert(dtypes.float32)

    def double(self) -> Self:
        """Convert floating point parameters and buffers to float64."""
        return self._convert(dtypes.float64)

    def half(self) -> Self:
        """Convert floating point parameters and buffers to float16."""
        return self._convert(dtypes.float16)

    def bfloat16(self) -> Self:
        """Convert floating point parameters and buffers to bfloat16."""
        return self._convert(dtypes.bfloat16)

    def to_empty(self, *, device: Any, recurse: bool = True) -> Self:
        """Replace all parameters and buffers by new ones without particular numbers."""
        where = default_device() if device is None else as_device(device)
        return self._apply(lambda t: empty_like(t, device=where), recurse=recurse)

    def cpu(self) -> Self:
        """Nothing to do where everything is on the CPU; refused where something is on the meta device."""
        return self._apply(lambda t: t.cpu())

    def train(self, mode: bool = True) -> Self:
        """Set training mode, which dropout and batch normalisation look at, here and below."""
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self) -> Self:
        """Set evaluation mode: `train(False)`."""
        return self.train(False)

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Set whether gradients are computed for the parameters."""
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Set the gradients of all parameters to None, or to zeros."""
        for parameter in self.parameters():
            grad = parameter._grad
            if grad is None:
                continue
            if set_to_none:
                parameter.grad = None
                continue
            if grad.grad_fn is not None:
                grad.detach_()
            else:
                grad.requires_grad_(False)
            grad.zero_()

    # --- text ------------------------------------------------------------------------------------------------------------

    def _get_name(self) -> str:
        return self.__class__.__name__

    def extra_repr(self) -> str:
        """What stands in the parentheses when the module is printed."""
        return ""

    def __repr__(self) -> str:
        extra = self.extra_repr()
        lines = extra.split("\n") if extra else []
        children = [f"({name}): {indented(repr(module))}" for name, module in self._modules.items()]
        if len(lines) == 1 and not children:
            return f"{self._get_name()}({lines[0]})"
        inner = "".join(f"\n  {line}" for line in chain(lines, children))
        return f"{self._get_name()}({inner}\n)" if inner else f"{self._get_name()}()"


def indented(text: str) -> str:
    """`text` with all lines but the first two columns further in."""
    return text.replace("\n", "\n  ")


def _refused(value: Any, how: str, name: str, expected: str) -> TypeError:
    return TypeError(f"cannot assign '{typename(value)}' {how} '{name}' ({expected} or None expected)")


def _moved(tensor: Tensor, where: Any) -> Tensor:
    """A parameter or buffer on another device."""
    if tensor.is_meta and where.type != "meta":
        raise NotImplementedError(
            "Cannot copy out of meta tensor; no data! Please use torch.nn.Module.to_empty() instead of torch.nn.Module.to() "
            "when moving module from meta to a different device."
        )
    moved: Tensor = tensor.to(where)
    return moved
