"""Parameter and Buffer: the tensors a module knows as its own."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..asking import disabled_torch_function
from ..autograd.saved_variable import Counter
from ..compat.classes import known_as
from ..context import context, observed
from ..dtypes import INEXACT
from ..op.declare import CREATED
from ..ops.creation import factories
from ..overriding import Overriding
from ..tensor import Tensor, constant, fill, new


def empty(*size: Any, **options: Any) -> Tensor:
    """Memory for a parameter, as `torch.empty`; unseen by the observer, for whom the parameter is what begins."""
    with observed(None):
        return factories.empty(*size, **options)


class ParameterType(type):
    """Makes `isinstance(x, Parameter)` hold for tensors of the program's own classes that `Parameter(...)` returned."""

    def __instancecheck__(cls, instance: Any) -> bool:
        kind = type(instance)
        if issubclass(kind, cls):
            return True
        return cls is Parameter and isinstance(instance, Tensor) and "_is_param" in instance.__dict__


class Parameter(Tensor, metaclass=ParameterType):
    """A leaf that a module registers when it is assigned as an attribute.

    Args:
        data: a tensor, whose array and version counter the parameter shares; an empty one if left out. If it is of a class of
            the program's own, so is the parameter.
        requires_grad: True also where gradients are not tracked (`torch.no_grad()`).
    """

    __slots__ = ()

    def __new__(cls, data: Tensor | None = None, requires_grad: bool = True) -> Parameter:
        """Share the array of `data`."""
        if data is None:
            data = constant(np.zeros(0, np.float32))
        elif not isinstance(data, Tensor):
            raise AttributeError(f"'{type(data).__name__}' object has no attribute 'detach'")
        if requires_grad and data._array.dtype.kind not in INEXACT:
            raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
        if isinstance(data, Overriding):
            return _of_its_class(data, requires_grad)  # type: ignore[no-any-return]
        parameter = fill(new(cls), data._array)
        if data._counter is None:
            data._counter = Counter()
        parameter._counter = data._counter
        parameter._needs = bool(requires_grad)
        if context.observer is not None:
            context.observer.op(CREATED["Parameter"], (data,) if hasattr(data, "_tape") else (), parameter, None)
        return parameter  # type: ignore[return-value]

    def __init__(self, data: Tensor | None = None, requires_grad: bool = True) -> None:
        pass

    __torch_function__ = classmethod(disabled_torch_function)

    def __deepcopy__(self, memo: dict[int, Any]) -> Parameter:
        """A parameter with a copy of the numbers, and without `.grad`, as in PyTorch."""
        if id(self) not in memo:
            memo[id(self)] = type(self)(constant(self._array.copy()), self._needs)
        copy: Parameter = memo[id(self)]
        return copy

    def __reduce_ex__(self, protocol: Any) -> Any:
        if type(self) is not Parameter:
            return Tensor.__reduce_ex__(self, protocol)
        if self.is_meta or self.is_sparse:
            return Tensor.__reduce_ex__(self, protocol)
        return rebuilt_parameter, (np.array(self._array), self._needs)

    def __repr__(self) -> str:
        text = Tensor.__repr__(self)
        return f"Parameter containing:\n{text if type(self) is Parameter else f'Parameter({text})'}"


def _of_its_class(data: Tensor, requires_grad: bool) -> Any:
    """A parameter of the class of `data`, which is the program's own."""
    made = data.detach().requires_grad_(requires_grad)
    if type(made) is not type(data):
        raise RuntimeError(
            f"Creating a Parameter from an instance of type {type(data).__name__} requires that detach() returns an instance "
            f"of the same type, but return type {type(made).__name__} was found instead. To use the type as a Parameter, "
            "please correct the detach() semantics defined by its __torch_dispatch__() implementation."
        )
    made.__dict__["_is_param"] = True
    return made


def rebuilt_parameter(array: np.ndarray[Any, Any], requires_grad: bool) -> Parameter:
    """A parameter from what a pickle holds of it."""
    return Parameter(constant(array), requires_grad)


class BufferType(type):
    """Makes `isinstance(x, Buffer)` hold for tensors that `Buffer(...)` returned."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, Tensor) and "_is_buffer" in instance.__dict__


class Buffer(Tensor, metaclass=BufferType):
    """A tensor that a module registers as a buffer when it is assigned as an attribute.

    `Buffer(data)` is a plain tensor that shares the array of `data` and is marked; `persistent` says whether it belongs in
    the module's `state_dict`.
    """

    __slots__ = ()

    def __new__(cls, data: Tensor | None = None, *, persistent: bool = True) -> Any:
        """Share the array of `data`."""
        tensor = constant(np.zeros(0, np.float32)) if data is None else data.detach().requires_grad_(data.requires_grad)
        tensor.__dict__.update(persistent=persistent, _is_buffer=True)
        return tensor


# --- without a shape yet ---------------------------------------------------------------------------------------------------

SHAPELESS = (
    "Can't access the shape of an uninitialized parameter or buffer. This error usually happens in `load_state_dict` when "
    "trying to load an uninitialized parameter into an initialized one. Call `forward` to initialize the parameters before "
    "accessing their attributes."
)


class UninitializedTensorMixin:
    """A tensor whose shape is not known yet; it holds a dtype and no numbers."""

    __slots__ = ()

    @property
    def shape(self) -> Any:
        """Refused."""
        raise RuntimeError(SHAPELESS)

    def materialize(self: Any, shape: Any, device: Any = None, dtype: Any = None) -> None:
        """Become a tensor of this shape, without particular numbers."""
        made: Any = empty(shape, device=device, dtype=self.dtype if dtype is None else dtype)
        self.data = made
        self.__class__ = Tensor if self.__class__ is UninitializedBuffer else Parameter

    def _refuse(self) -> Any:
        kind = type(self).__name__
        raise ValueError(
            f"Attempted to use an uninitialized parameter in {kind}. This error happens when you are using a `LazyModule` or "
            f"explicitly manipulating `torch.nn.parameter.{kind}` objects. When using LazyModules Call `forward` with a dummy "
            "batch to initialize the parameters before calling torch functions"
        )

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"

    def __deepcopy__(self: Any, memo: dict[int, Any]) -> Any:
        if id(self) not in memo:
            memo[id(self)] = type(self)(self.requires_grad, None, self.dtype)
        return memo[id(self)]


for _name in (
    "numel", "__len__", "__add__", "__mul__", "__sub__", "__truediv__", "__matmul__", "__getitem__", "__neg__", "view", "sum",
    "mean", "reshape", "detach", "clone", "item", "numpy", "tolist",
):  # fmt: skip
    setattr(UninitializedTensorMixin, _name, lambda self, *args, **kwargs: self._refuse())


class UninitializedParameter(UninitializedTensorMixin, Parameter):
    """A parameter of a lazy module before the module has seen an input."""

    __slots__ = ()

    def __new__(cls, requires_grad: bool = True, device: Any = None, dtype: Any = None) -> UninitializedParameter:
        """Nothing yet, in this dtype."""
        nothing: Any = empty(0, device=device, dtype=dtype)
        return Parameter.__new__(cls, nothing, requires_grad)  # type: ignore[return-value]

    def __init__(self, requires_grad: bool = True, device: Any = None, dtype: Any = None) -> None:
        pass


class UninitializedBuffer(UninitializedTensorMixin, Tensor):
    """A buffer of a lazy module before the module has seen an input."""

    __slots__ = ()

    def __new__(cls, requires_grad: bool = False, device: Any = None, dtype: Any = None, persistent: bool = True) -> Any:
        """Nothing yet, in this dtype."""
        nothing: Any = empty(0, device=device, dtype=dtype)
        made: Any = fill(new(cls), nothing._array)
        made.__dict__.update(persistent=persistent, _is_buffer=True)
        return made

    def __init__(self, requires_grad: bool = False, device: Any = None, dtype: Any = None, persistent: bool = True) -> None:
        pass


known_as("torch.nn.parameter", Buffer, Parameter, UninitializedBuffer, UninitializedParameter, UninitializedTensorMixin)


def is_lazy(parameter: Any) -> bool:
    """Whether a parameter or buffer has no shape yet."""
    return isinstance(parameter, UninitializedTensorMixin)
