"""Parameters that are functions of others: `torch.nn.utils.parametrize`.

A parametrized module has a class of its own, in which the parameter's name is a property that computes it.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from ...autograd import no_grad
from ...compat.classes import known_as
from ...safe_attributes import delete, plain, read, write
from ...tensor import Tensor
from ..containers import ModuleList
from ..keyed_containers import ModuleDict
from ..module import Module
from ..parameter import Parameter

__all__ = [
    "ParametrizationList",
    "cached",
    "is_parametrized",
    "register_parametrization",
    "remove_parametrizations",
    "transfer_parametrizations_and_params",
    "type_before_parametrizations",
]

M = TypeVar("M", bound=Module)

_before: WeakKeyDictionary[type, type] = WeakKeyDictionary()
"""The class that a parametrized module had, by the one it has."""
_properties: WeakKeyDictionary[type, set[str]] = WeakKeyDictionary()
"""The names that are properties of such a class."""


class _Cache:
    """What parametrized tensors are while somebody wants them computed once only."""

    def __init__(self) -> None:
        self.wanted = 0
        self.tensors: dict[tuple[int, str], Tensor] = {}


_cache = _Cache()


@contextmanager
def cached() -> Iterator[None]:
    """Within it each parametrized tensor is computed once, when it is first asked for."""
    _cache.wanted += 1
    try:
        yield
    finally:
        _cache.wanted -= 1
        if not _cache.wanted:
            _cache.tensors = {}


def _register(module: Module, name: str, tensor: Tensor) -> None:
    if isinstance(tensor, Parameter):
        module.register_parameter(name, tensor)
    else:
        module.register_buffer(name, tensor)


def _set(tensor: Tensor, source: Tensor) -> None:
    """Let a tensor have the memory of another one."""
    tensor.data = source.detach()


class ParametrizationList(ModuleList):
    """The parametrizations of one tensor, in the order in which they are applied, and the tensors that they are applied to.

    What they are applied to is `original`, or `original0`, `original1`, … where the first one's `right_inverse` returns
    several tensors.

    Args:
        modules: the parametrizations.
        original: the tensor as it is.
        unsafe: whether dtype and shape may change.
    """

    original: Any

    def __init__(self, modules: Sequence[Module], original: Any, unsafe: bool = False) -> None:
        if len(modules) == 0:
            raise ValueError("ParametrizationList requires one or more modules.")
        super().__init__(modules)
        self.unsafe = unsafe
        shape, dtype = original.shape, original.dtype
        with no_grad():
            new = original
            for module in reversed(list(self)):
                if hasattr(module, "right_inverse"):
                    with suppress(NotImplementedError):
                        new = module.right_inverse(new)
        if not isinstance(new, (Tensor, Sequence)):
            raise ValueError(
                f"'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). Got {type(new).__name__}"
            )
        self.is_tensor = isinstance(new, Tensor)
        self.ntensors = 1 if isinstance(new, Tensor) else len(new)
        if isinstance(new, Tensor):
            if dtype != new.dtype:
                raise ValueError(
                    "When `right_inverse` outputs one tensor, it may not change the dtype.\n"
                    f"original.dtype: {dtype}\nright_inverse(original).dtype: {new.dtype}"
                )
            if new is not original:
                _set(original, new)
            _register(self, "original", original)
        else:
            self._register_several(new, original)
        if not unsafe:
            self._check(shape, dtype)

    def _register_several(self, new: Sequence[Any], original: Any) -> None:
        for i, part in enumerate(new):
            if not isinstance(part, Tensor):
                raise ValueError(
                    "'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). Got element "
                    f"{i} of the sequence with type {type(part).__name__}."
                )
            if isinstance(original, Parameter):
                part = Parameter(part, original.requires_grad)
            part.requires_grad_(original.requires_grad)
            _register(self, f"original{i}", part)

    def _check(self, shape: Any, dtype: Any) -> None:
        """Refuse parametrizations that change what the tensor is."""
        result = self()
        if not isinstance(result, Tensor):
            raise ValueError(f"A parametrization must return a tensor. Got {type(result).__name__}.")
        for what, before, after in (("dtype", dtype, result.dtype), ("shape", shape, result.shape)):
            if before != after:
                raise ValueError(
                    f"Registering a parametrization may not change the {what} of the tensor, unless `unsafe` flag is enabled.\n"
                    f"unparametrized {what}: {before}\nparametrized {what}: {after}"
                )

    def right_inverse(self, value: Any) -> None:
        """Set the originals to what `value` comes from: the `right_inverse` of each parametrization, the last one's first."""
        with no_grad():
            for module in reversed(list(self)):
                if not hasattr(module, "right_inverse"):
                    raise RuntimeError(f"parametrization {type(module).__name__} does not implement right_inverse.")
                value = module.right_inverse(value)
            if self.is_tensor:
                if not isinstance(value, Tensor):
                    raise ValueError(f"`right_inverse` should return a tensor. Got {type(value).__name__}")
                if value.dtype != self.original.dtype:
                    raise ValueError(
                        f"The tensor returned by `right_inverse` has dtype {value.dtype} while `original` has dtype "
                        f"{self.original.dtype}"
                    )
                _set(self.original, value)
                return
            if not isinstance(value, Sequence):
                raise ValueError(f"'right_inverse' must return a sequence of tensors. Got {type(value).__name__}.")
            if len(value) != self.ntensors:
                raise ValueError(
                    f"'right_inverse' must return a sequence of tensors of length {self.ntensors}. Got a sequence of length "
                    f"{len(value)}."
                )
            for i, part in enumerate(value):
                original = getattr(self, f"original{i}")
                if not isinstance(part, Tensor):
                    raise ValueError(
                        f"'right_inverse' must return a sequence of tensors or reference-type opaques. Got element {i} of type "
                        f"{type(part).__name__}."
                    )
                if original.dtype != part.dtype:
                    raise ValueError(
                        f"Tensor {i} returned by `right_inverse` has dtype {part.dtype} while `original{i}` has dtype "
                        f"{original.dtype}"
                    )
                _set(original, part)

    def forward(self) -> Any:
        """The parametrized tensor."""
        first, *others = self
        originals = [self.original] if self.is_tensor else [getattr(self, f"original{i}") for i in range(self.ntensors)]
        x = first(*originals)
        for module in others:
            x = module(x)
        return x


known_as("torch.nn.utils.parametrize", ParametrizationList)


# --- the class of a parametrized module --------------------------------------------------------------------------------------


def _not_pickled(self: Any) -> Any:
    raise RuntimeError(
        "Serialization of parametrized modules is only supported through state_dict(). See:\n"
        "https://pytorch.org/tutorials/beginner/saving_loading_models.html"
        "#saving-loading-a-general-checkpoint-for-inference-and-or-resuming-training"
    )


def _copied(self: Any, memo: dict[int, Any]) -> Any:
    if id(self) not in memo:
        replica = memo[id(self)] = object.__new__(type(self))
        replica.__dict__.update(copy.deepcopy(self.__dict__, memo))
    return memo[id(self)]


def _inject_class(module: Module) -> None:
    """Give a module a class of its own, which can have properties."""
    before = type(module)
    members: dict[str, Any] = {"__module__": "torch.nn.utils.parametrize", "__getstate__": _not_pickled}
    if not hasattr(before, "__deepcopy__"):
        members["__deepcopy__"] = _copied
    own: Any = type(f"Parametrized{before.__name__}", (before,), members)
    _before[own], _properties[own] = before, set()
    module.__class__ = own


def is_made_here(kind: type) -> bool:
    """Whether a class is one that a module got with its first parametrization."""
    return kind in _before


def _inject_property(module: Module, name: str) -> None:
    """Let the attribute `name` be computed."""
    if hasattr(module, name):
        raise AssertionError(f"Module already has an attribute named '{name}'")
    key = id(module), name

    def get(self: Any) -> Any:
        parametrization = self.parametrizations[name]
        if not _cache.wanted:
            return parametrization()
        if key not in _cache.tensors:
            _cache.tensors[key] = parametrization()
        return _cache.tensors[key]

    def assign(self: Any, value: Any) -> None:
        self.parametrizations[name].right_inverse(value)

    setattr(type(module), name, property(get, assign))
    _properties[type(module)].add(name)


# --- what programs call ------------------------------------------------------------------------------------------------------


def register_parametrization(module: M, tensor_name: str, parametrization: Any, *, unsafe: bool = False) -> M:
    """Let a parameter or buffer of a module be `parametrization` of a tensor that is trained in its stead.

    Args:
        module: whose tensor it is.
        tensor_name: the tensor's name; one that is parametrized already gets one parametrization more.
        parametrization: a module; its `right_inverse`, if it has one, says which tensor gives the value that there is, and
            what an assignment to the parametrized tensor does.
        unsafe: whether the parametrization may change dtype and shape; nothing is checked then.

    Raises:
        ValueError: if there is no such tensor, or if dtype or shape change.
    """
    parametrization.train(module.training)
    plain(tensor_name)
    if is_parametrized(module, tensor_name):
        if not unsafe:
            _check_further(module, tensor_name, parametrization)
        parametrizations = module.parametrizations[tensor_name]
        parametrizations.append(parametrization)
        parametrizations.unsafe |= unsafe
    elif isinstance(module, Module) and (tensor_name in module._buffers or tensor_name in module._parameters):
        original = read(module, tensor_name)
        parametrizations = ParametrizationList([parametrization], original, unsafe=unsafe)
        delete(module, tensor_name)
        if not is_parametrized(module):
            _inject_class(module)
            module.parametrizations = ModuleDict()
        _inject_property(module, tensor_name)
        module.parametrizations[tensor_name] = parametrizations
    else:
        raise ValueError(
            f"Module '{module}' does not have a parameter, a buffer, or a parametrized element with name '{tensor_name}'"
        )
    return module


def _check_further(module: Module, name: str, parametrization: Any) -> None:
    """Refuse one parametrization more if it changes what the tensor is."""
    before = read(module, name)
    after = parametrization(before)
    if not isinstance(after, Tensor):
        raise ValueError(f"A parametrization must return a tensor. Got {type(after).__name__}.")
    for what in ("dtype", "shape"):
        if getattr(after, what) != getattr(before, what):
            raise ValueError(
                f"Registering a parametrization may not change the {what} of the tensor, unless the `unsafe` flag is enabled.\n"
                f"module.{name}.{what}: {getattr(before, what)}\n"
                f"parametrization(module.{name}).{what}: {getattr(after, what)}"
            )
    if not hasattr(parametrization, "right_inverse"):
        return
    try:
        inverse = parametrization.right_inverse(after)
    except NotImplementedError:
        return
    if not isinstance(inverse, Tensor):
        raise ValueError(f"parametrization.right_inverse must return a tensor. Got: {type(inverse).__name__}")
    for what in ("dtype", "shape"):
        if getattr(inverse, what) != getattr(before, what):
            raise ValueError(
                f"The tensor returned by parametrization.right_inverse must have the same {what} as module.{name}, unless the "
                f"`unsafe` flag is enabled.\nmodule.{name}.{what}: {getattr(before, what)}\n"
                f"returned {what}: {getattr(inverse, what)}"
            )


def is_parametrized(module: Module, tensor_name: str | None = None) -> bool:
    """Whether a module has a parametrization, of the tensor of that name or of any."""
    parametrizations = getattr(module, "parametrizations", None)
    if not isinstance(parametrizations, ModuleDict) or type(module) not in _before:
        return False
    if tensor_name is None:
        return len(parametrizations) > 0
    # The dict is a module of the program's reach: what it says of other names is not asked.
    return tensor_name in parametrizations and type(tensor_name) is str and tensor_name in _properties[type(module)]


def remove_parametrizations(module: M, tensor_name: str, leave_parametrized: bool = True) -> M:
    """Make a parametrized tensor a plain one: with its value, or with that of its `original`.

    Raises:
        ValueError: if it is not parametrized, or if there are several originals of which none can be left.
    """
    if not is_parametrized(module, tensor_name):
        raise ValueError(f"Module {module} does not have a parametrization on {tensor_name}")
    parametrizations = module.parametrizations[tensor_name]
    if parametrizations.is_tensor:
        original = parametrizations.original
        if leave_parametrized:
            with no_grad():
                _set(original, read(module, tensor_name))
    elif leave_parametrized:
        value = read(module, tensor_name)
        original = Parameter(value) if value.requires_grad else value
    else:
        raise ValueError(
            "Cannot leave unparametrized (`leave_parametrized=False`) a tensor that is parametrized in terms of a sequence of "
            "tensors."
        )
    delattr(type(module), tensor_name)
    _properties[type(module)].discard(tensor_name)
    del module.parametrizations[tensor_name]
    _register(module, tensor_name, original)
    if not is_parametrized(module):
        del module.parametrizations
        module.__class__ = _before[type(module)]
    return module


def type_before_parametrizations(module: Module) -> type:
    """The class of a module, or the one it had before it was parametrized."""
    return _before[type(module)] if is_parametrized(module) else type(module)


def transfer_parametrizations_and_params(from_module: Module, to_module: M, tensor_name: str | None = None) -> M:
    """Let another module have the parametrizations of one, of one tensor or of all, and what they are applied to."""
    if not is_parametrized(from_module):
        return to_module
    for name in list(from_module.parametrizations) if tensor_name is None else [tensor_name]:
        if not hasattr(to_module, plain(name)):
            write(to_module, name, Parameter(read(from_module, name)))
        given = from_module.parametrizations[name]
        for parametrization in given:
            register_parametrization(to_module, name, parametrization)
        taken = to_module.parametrizations[name]
        for original in ["original"] if given.is_tensor else [f"original{i}" for i in range(given.ntensors)]:
            setattr(taken, original, getattr(given, original))
    return to_module
