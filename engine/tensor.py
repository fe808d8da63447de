"""The tensor: an array, its node in the autograd graph, and its version; long, since what users see of it is one class."""

from __future__ import annotations

import warnings
import weakref
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from . import dtypes
from .autograd.handle import Handle
from .autograd.node import AccumulateGrad, Node
from .autograd.primitives import primitives
from .autograd.saved_variable import Counter, Inference, Uncounted
from .autograd.view_chain import View
from .context import context, outside, warn_once
from .dtypes import OF_NUMPY, dtype
from .errors import unsupported
from .itself import OURS
from .memory_layout import dimension_order, duplicated, stands_in, strides_of
from .op.declare import CREATED
from .printing import format_tensor
from .stand_ins import StandIn, array_of
from .tensor_attributes import Size, device, layout, sparse_coo, strided
from .tensor_attributes import memory_format as Format  # noqa: N812

Array = np.ndarray[Any, Any]

NON_LEAF_GRAD = (
    "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad attribute won't be populated "
    "during autograd.backward(). If you indeed want the .grad field to be populated for a non-leaf Tensor, use "
    ".retain_grad() on the non-leaf Tensor. If you access the non-leaf Tensor by mistake, make sure you access the leaf "
    "Tensor instead. See github.com/pytorch/pytorch/pull/30531 for more information."
)


_WITHOUT_NAME = ("torch", "torch.nn.parameter")
"""Where the classes stand that tensors print as "tensor"."""
NO_DEEP_COPY = (
    "The default implementation of __deepcopy__() for non-wrapper subclasses only works for subclass types that implement "
    "new_empty() and for which that function returns another instance of the same subclass. You should either properly "
    "implement new_empty() for your subclass or override __deepcopy__() if it is intended behavior for new_empty() to return "
    "an instance of a different type."
)
NO_STORAGE = "Cannot access data pointer of Tensor that doesn't have storage"
NO_NBYTES = (
    "nbytes is not defined for sparse tensors.  If you want the size of the constituent tensors, add the nbytes of the indices "
    "and values.  If you want the size of the  equivalent dense tensor, multiply numel() by element_size()"
)


class Meta:
    """What few tensors have: their AccumulateGrad (weakly: it holds the tensor), leaf hooks, and a name."""

    __slots__ = ("accumulator", "name")

    def __init__(self) -> None:
        self.accumulator: Callable[[], AccumulateGrad | None] | None = None
        self.name: str | None = None


def given_as(given: tuple[Any, ...], size: Any = None, data: Any = None, other: Any = None, **unknown: Any) -> tuple[Any, ...]:
    """What a type of tensors is called with: numbers, or one thing, by whichever name it was given."""
    named = [thing for thing in (data, other) if thing is not None] + ([] if size is None else [Size(size)])
    if len(named) + bool(given) > 1 or unknown:
        from .compat.signatures import invalid_combination

        raise invalid_combination("new", *given, *named, **unknown)
    return (*named,) or given


class Tensor:
    """A multi-dimensional array that may take part in automatic differentiation.

    `torch.Tensor(data)` makes a tensor of the default dtype; `torch.Tensor(2, 3)` an uninitialised one (zeros here).
    Methods that are operations are attached by `engine.ops`.
    """

    __slots__ = (
        "__dict__",
        "__weakref__",
        "_array",
        "_counter",
        "_grad",
        "_meta",
        "_needs",
        "_node",
        "_nr",
        "_tape",
        "_view",
    )

    _array: Array
    _needs: bool
    _node: Node | None
    _nr: int
    _grad: Tensor | None
    _counter: Counter | None
    _view: View | None
    _meta: Meta | None
    _tape: int
    """The id a recorder gave the tensor; unset where there is no recorder."""

    _conjugated: ClassVar[None] = None
    _func_spent: ClassVar[None] = None
    _keep_accumulator: ClassVar[None] = None
    _tangent: ClassVar[None] = None
    # What the engine keeps among a tensor's attributes. The class has these names as well, so that no program sets them.

    __array_priority__: ClassVar[int] = 1000

    def __new__(
        cls, *given: Any, size: Any = None, data: Any = None, other: Any = None, dtype: dtype | None = None, device: Any = None
    ) -> Any:
        """A tensor of the default dtype, or of `dtype`."""
        values = given_as(given, size, data, other)
        target = (dtype or dtypes.get_default_dtype())._numpy
        copied = len(values) == 1 and isinstance(values[0], Tensor)
        array = values[0]._array if copied else primitives.legacy_array(values)
        self = fill(new(cls), np.array(array, dtype=target))
        if context.observer is not None:
            context.observer.op(CREATED["Tensor"], values, self, None)
        return self

    def __init__(self, *given: Any, **settings: Any) -> None:
        if given and type(self).__init__ is not Tensor.__init__:
            raise TypeError("object.__init__() takes exactly one argument (the instance to initialize)")

    def __init_subclass__(cls, **settings: Any) -> None:
        super().__init_subclass__(**settings)
        if not cls.__module__.startswith(OURS):
            from .overriding import inherited

            inherited(cls)

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Sequence[Any] = (), kwargs: dict[str, Any] | None = None) -> Any:
        """The result of a function of PyTorch's that a tensor of the class was given to, as tensors of the class."""
        from .asking import torch_function

        return torch_function(cls, func, types, args, kwargs)

    @staticmethod
    def _make_subclass(cls: Any, data: Tensor, require_grad: bool = False) -> Any:
        """A leaf of a class of the program's that shares the memory of `data`.

        Raises:
            TypeError: if `cls` is no class of tensors.
        """
        made = fill(new(_class_of_tensors(cls)), data._array)
        made._counter = counter_of(data)
        made._needs = bool(require_grad)
        if context.observer is not None:
            context.observer.op(CREATED["Tensor"], (data,), made, None)
        return made

    def as_subclass(self, cls: Any) -> Any:
        """A view of everything, as a tensor of a class of the program's.

        Raises:
            TypeError: if `cls` is no class of tensors.
        """
        made = primitives.alias(self)
        made.__class__ = _class_of_tensors(cls)
        return made

    # --- what it is -----------------------------------------------------------------------------------------------------

    @property
    def shape(self) -> Size:
        """The lengths of the dimensions."""
        return Size(self._array.shape)

    @property
    def dtype(self) -> dtype:
        """The data type of the elements."""
        return OF_NUMPY[self._array.dtype]

    @property
    def device(self) -> device:
        """`device(type='cpu')`, unless the tensor has no elements."""
        return device("meta" if self._array.__class__ is not np.ndarray and self.is_meta else "cpu")

    @property
    def ndim(self) -> int:
        """How many dimensions."""
        return self._array.ndim

    @property
    def itemsize(self) -> int:
        """Bytes of one element."""
        return self._array.itemsize

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        if self.is_sparse:
            raise RuntimeError(NO_NBYTES)
        return self._array.nbytes

    @property
    def layout(self) -> layout:
        """Strided, or sparse."""
        return sparse_coo if self._array.__class__ is not np.ndarray and self.is_sparse else strided

    is_cuda = is_quantized = is_mkldnn = is_nested = is_mps = is_xpu = is_sparse_csr = False

    @property
    def is_meta(self) -> bool:
        """Whether the tensor has a shape and a dtype only."""
        return isinstance(self._array, StandIn) and self._array.kind == "Meta"

    @property
    def is_sparse(self) -> bool:
        """Whether the tensor holds indices and values only."""
        return isinstance(self._array, StandIn) and self._array.kind == "SparseCPU"

    @property
    def is_cpu(self) -> bool:
        """Whether the tensor has its elements."""
        return not self.is_meta

    @property
    def names(self) -> tuple[None, ...]:
        """Named dimensions are not supported: all None."""
        return (None,) * self._array.ndim

    def dim(self) -> int:
        """How many dimensions."""
        return self._array.ndim

    def size(self, dim: int | None = None) -> Any:
        """The shape, or the length of one dimension."""
        if dim is None:
            return self.shape
        n = self._array.ndim
        if not -n <= dim < n:
            raise IndexError(
                f"Dimension out of range (expected to be in range of [{-n}, {n - 1}], but got {dim})"
                if n
                else f"Dimension specified as {dim} but tensor has no dimensions"
            )
        return self._array.shape[dim]

    def numel(self) -> int:
        """How many elements."""
        return self._array.size

    nelement = numel

    def element_size(self) -> int:
        """Bytes of one element."""
        return self._array.itemsize

    def stride(self, dim: int | None = None) -> Any:
        """Steps in memory, in elements, along the dimensions."""
        strides = self._array.steps() if isinstance(self._array, StandIn) else strides_of(self._array)
        if dim is None:
            return strides
        self.size(dim)  # which refuses a dimension that there is not
        return strides[dim]

    def dim_order(self, *, ambiguity_check: Any = False) -> tuple[int, ...]:
        """The dimensions from the outermost in memory to the innermost; with `ambiguity_check`, only if there is one order."""
        formats = ambiguity_check if isinstance(ambiguity_check, list) else []
        if not isinstance(ambiguity_check, bool | list) or not all([isinstance(f, Format) for f in formats]):
            raise TypeError("The ambiguity_check argument must be a bool or a list of memory formats.")
        return dimension_order(self._array, ambiguity_check)

    def storage_offset(self) -> int:
        """Where in its base's memory the tensor starts, in elements."""
        if self._view is None:
            return 0
        start = self._view.base._array.__array_interface__["data"][0]
        return int((self._array.__array_interface__["data"][0] - start) // self._array.itemsize)

    def data_ptr(self) -> int:
        """The address of the first element."""
        if self.is_sparse:
            raise RuntimeError(NO_STORAGE)
        return 0 if self.is_meta else int(self._array.__array_interface__["data"][0])

    def is_contiguous(self, *, memory_format: Any = None) -> bool:
        """Whether the elements stand in memory in row-major order, or in a memory format, without gaps."""
        if memory_format is not None and not isinstance(memory_format, Format):
            kind = type(memory_format).__name__
            raise TypeError(f"is_contiguous(): argument 'memory_format' must be torch.memory_format, not {kind}")
        return self.is_meta or (stands_in(self._array, memory_format) and not self.is_sparse)

    def is_floating_point(self) -> bool:
        """Whether the elements are floating point numbers."""
        return bool(self._array.dtype.kind in dtypes.FLOATING)

    def is_complex(self) -> bool:
        """Whether the elements are complex numbers."""
        return bool(self._array.dtype.kind == "c")

    def is_signed(self) -> bool:
        """Whether the dtype has negative values."""
        return self.dtype.is_signed

    def get_device(self) -> int:
        """-1: the CPU."""
        return -1

    # --- where it stands in the graph ----------------------------------------------------------------------------------------

    @property
    def requires_grad(self) -> bool:
        """Whether gradients are computed for this tensor."""
        return self._needs if self._view is None else self._needs or self._view.base.requires_grad

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        if not isinstance(value, bool):
            raise RuntimeError("requires_grad must be a bool")
        if self._node is not None:
            if value:
                return
            raise RuntimeError(
                "you can only change requires_grad flags of leaf variables. If you want to use a computed variable in a "
                "subgraph that doesn't require differentiation use var_no_grad = var.detach()."
            )
        if value and self._array.dtype.kind not in dtypes.INEXACT:
            raise RuntimeError("only Tensors of floating point and complex dtype can require gradients")
        if value and self._counter.__class__ is Inference and not context.inference:
            raise RuntimeError("Setting requires_grad=True on inference tensor outside InferenceMode is not allowed.")
        self._needs = value
        if context.observer is not None:
            context.observer.flag_set(self, "requires_grad", value)

    @requires_grad.deleter
    def requires_grad(self) -> None:
        raise RuntimeError("requires_grad must be a bool")

    def requires_grad_(self, requires_grad: bool = True) -> Tensor:
        """Set `requires_grad` in place and return the tensor."""
        if requires_grad.__class__ is not bool:
            kind = type(requires_grad).__name__
            raise TypeError(f"requires_grad_(): argument 'requires_grad' (position 1) must be bool, not {kind}")
        if requires_grad and self._array.dtype.kind not in dtypes.INEXACT and self._node is None:
            raise RuntimeError("only Tensors of floating point dtype can require gradients")
        self.requires_grad = requires_grad
        return self

    @property
    def is_leaf(self) -> bool:
        """Whether no operation that is tracked made the tensor."""
        return self.grad_fn is None

    @property
    def grad_fn(self) -> Node | None:
        """The node of the operation that made the tensor, None for a leaf."""
        view = self._view
        if view is not None and self._counter is not None and view.version != self._counter.value:
            from .autograd.views import regenerate

            regenerate(self, view)
        return self._node

    @property
    def output_nr(self) -> int:
        """Which output of `grad_fn` the tensor is."""
        return self._nr

    @property
    def grad(self) -> Tensor | None:
        """The gradient accumulated by backward passes, None before the first."""
        if self._grad is None and self._node is not None and self._needs and not self.retains_grad:
            warnings.warn(NON_LEAF_GRAD, UserWarning, stacklevel=2)
        return self._grad

    @grad.setter
    def grad(self, value: Tensor | None) -> None:
        if value is not None:
            if not isinstance(value, Tensor):
                kind = type(value).__name__
                kind = f"numpy.{kind}" if type(value).__module__ == "numpy" else kind
                raise TypeError(f"assigned grad expected to be a Tensor or None but got grad of type {kind}")
            if value is self:
                raise RuntimeError("can't assign Variable as its own grad")
            if value._array.dtype != self._array.dtype:
                raise RuntimeError(
                    f"attempting to assign a gradient with dtype '{dtypes.CPP_NAMES[value.dtype]}' to a tensor with grad_dtype "
                    f"'{dtypes.SCALAR_NAMES[self.dtype]}'. The gradient must match the tensor's grad_dtype (defaults to the "
                    "tensor's dtype). You can set the tensor's grad_dtype attribute with a specific dtype, or None to allow "
                    "any dtype. Set grad_dtype with caution. Diverging the dtypes of a tensor and its gradient may break "
                    "downstream systems that assume they match."
                )
            if value._array.shape != self._array.shape:
                raise RuntimeError(
                    f"attempting to assign a gradient of size '{list(value._array.shape)}' to a tensor of size "
                    f"'{list(self._array.shape)}'. Please ensure that the gradient and the tensor are the same size"
                )
        self._grad = value
        if context.observer is not None:
            context.observer.grad_set(self, "None" if value is None else "assign")

    @grad.deleter
    def grad(self) -> None:
        self.grad = None

    @property
    def _grad_fn(self) -> Node | None:
        return self.grad_fn

    @_grad_fn.setter
    def _grad_fn(self, value: None) -> None:
        if value is not None:
            raise RuntimeError("_grad_fn can be only set to None")
        self.detach_()

    @_grad_fn.deleter
    def _grad_fn(self) -> None:
        raise RuntimeError("Deletion of _grad_fn not allowed. Detach tensor instead!")

    @property
    def _backward_hooks(self) -> dict[int, Any] | None:
        node = self._node if self._node is not None else self.__dict__.get("_keep_accumulator")
        if node is None or node._extra is None or not node._extra.hooked:
            return None
        return OrderedDict((k, hook) for k, (number, hook) in node._extra.tensor.items() if number == self._nr)

    @_backward_hooks.setter
    def _backward_hooks(self, value: None) -> None:
        pass

    @_backward_hooks.deleter
    def _backward_hooks(self) -> None:
        raise RuntimeError("Deletion of _backwards_hooks not allowed!")

    @property
    def retains_grad(self) -> bool:
        """Whether this non-leaf keeps its gradient (`retain_grad()` was called)."""
        node = self._node
        return node is not None and node._extra is not None and self._nr in node._extra.retained

    @property
    def _version(self) -> int:
        if self._counter.__class__ is Inference:
            raise RuntimeError("Inference tensors do not track version counter.")
        return 0 if self._counter is None else self._counter.value

    def is_inference(self) -> bool:
        """Whether the tensor was made in inference mode."""
        return self._counter.__class__ is Inference

    @property
    def _base(self) -> Tensor | None:
        return None if self._view is None else self._view.base

    def _is_view(self) -> bool:
        return self._view is not None

    @property
    def data(self) -> Tensor:
        """The same memory as a tensor that autograd does not know; its writes are not counted."""
        result = constant(self._array)
        result._counter = Uncounted(counter_of(self))
        if context.observer is not None:
            context.observer.op(CREATED["data"], (self,), result, None)
        return result

    @data.deleter
    def data(self) -> None:
        raise RuntimeError("Deleting tensor data is not allowed. Delete tensor instead!")

    @data.setter
    def data(self, value: Tensor) -> None:
        if not isinstance(value, Tensor):
            raise TypeError(f"Variable data has to be a tensor, but got {type(value).__name__}")
        self._array = value._array
        if context.observer is not None:
            context.observer.wrote(CREATED["data"], (self, value), self, None)

    def retain_grad(self) -> None:
        """Keep the gradient of this non-leaf in `.grad` during backward."""
        if not self.requires_grad:
            raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")
        node = self.grad_fn
        if node is None:
            return
        node._more().retained[self._nr] = weakref.ref(self)
        if context.observer is not None:
            context.observer.flag_set(self, "retains_grad", True)

    def register_hook(self, hook: Callable[[Tensor], Tensor | None]) -> Handle:
        """Call `hook(grad)` whenever the gradient of this tensor is computed; it may return another gradient."""
        if not self.requires_grad:
            raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
        node = self.grad_fn
        if node is None:
            node = accumulator(self)
            # The hook lives with the tensor, so the tensor must keep the node; a cycle PyTorch has as well.
            self.__dict__["_keep_accumulator"] = node
        extra = node._more()
        extra.hooked = True
        return Handle(extra.tensor, (self._nr, hook))

    def register_post_accumulate_grad_hook(self, hook: Callable[[Tensor], None]) -> Handle:
        """Call `hook(tensor)` after a backward pass added to this leaf's `.grad`."""
        if not self.requires_grad:
            raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
        if self.grad_fn is not None:
            raise RuntimeError("post accumulate grad hooks cannot be registered on non-leaf tensors")
        node = accumulator(self)
        self.__dict__["_keep_accumulator"] = node
        if node.post_accumulate is None:
            node.post_accumulate = {}
        return Handle(node.post_accumulate, hook)

    def backward(
        self,
        gradient: Tensor | None = None,
        retain_graph: bool | None = None,
        create_graph: bool = False,
        inputs: Any = None,
    ) -> None:
        """Compute the gradients of the leaves this tensor depends on and add them to their `.grad`.

        Args:
            gradient: the vector of the vector–Jacobian product, of this tensor's shape; may be left out for one element.
            retain_graph: keep the graph's buffers for another pass; defaults to `create_graph`.
            create_graph: record the pass itself, for higher derivatives.
            inputs: only these tensors' `.grad` is filled.

        Raises:
            RuntimeError: for no `gradient` on several elements, a tensor without graph, a graph freed before.
        """
        passes.backward(self, gradient, retain_graph, create_graph, inputs=inputs)

    # --- to Python and NumPy -----------------------------------------------------------------------------------------------

    def item(self) -> Any:
        """The only element as a Python number."""
        if self._array.size != 1:
            raise RuntimeError(f"a Tensor with {self._array.size} elements cannot be converted to Scalar")
        if context.special and context.observer is not None:
            context.observer.read(self, "item")
        return self._array.item()

    def tolist(self) -> Any:
        """The elements as nested lists."""
        if context.special and context.observer is not None:
            context.observer.read(self, "tolist")
        return self._array.tolist()

    def numpy(self, *, force: bool = False) -> Array:
        """The array, sharing memory."""
        if self.requires_grad and context.grad and not force:
            raise RuntimeError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")
        if context.special and context.observer is not None:
            context.observer.read(self, "numpy")
        if isinstance(self._array, StandIn):
            raise TypeError(
                "can't convert meta device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host memory first."
                if self.is_meta
                else "can't convert Sparse layout tensor to numpy. Use Tensor.to_dense() first."
            )
        if self._array.dtype.kind == "V":
            raise TypeError("Got unsupported ScalarType BFloat16")
        if self.is_conj() and not force:
            raise RuntimeError(
                "Can't call numpy() on Tensor that has conjugate bit set. Use tensor.resolve_conj().numpy() instead."
            )
        # A view: giving the array another shape does not give it to the tensor.
        return self._array.view()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        array = self.numpy()
        return array if dtype is None else array.astype(dtype)

    def __repr__(self) -> str:
        written: Any = format_tensor
        if isinstance(self._array, StandIn):
            from .stand_ins.printing import format_stand_in as written
        text: str = written(
            self._array,
            dtype_name=self.dtype.name,
            default_dtype_name=dtypes.get_default_dtype().name,
            requires_grad=self.requires_grad,
            grad_fn_name=self._grad_fn_name(),
            tangent=self._tangent_text(),
            tensor_class=None if type(self).__module__ in _WITHOUT_NAME else type(self).__name__,
        )
        return f"Parameter({text})" if "_is_param" in self.__dict__ else text

    def _tangent_text(self) -> str | None:
        if context.dual is None:
            return None
        from .autograd.forward_ad import tangent_of

        tangent = tangent_of(self)
        return None if tangent is None else f"{tangent}"

    def _grad_fn_name(self) -> str | None:
        try:
            node = self.grad_fn
        except RuntimeError:
            return "Invalid"
        return None if node is None else type(node).__name__

    def __format__(self, spec: str) -> str:
        if self._array.ndim == 0 and type(self) is Tensor and not self.is_meta:
            return format(self._array.item(), spec)
        return object.__format__(self, spec)

    def __bool__(self) -> bool:
        if self._array.size != 1:
            if self._array.size == 0:
                raise RuntimeError("Boolean value of Tensor with no values is ambiguous")
            raise RuntimeError("Boolean value of Tensor with more than one value is ambiguous")
        return bool(self._array.item())

    def _scalar(self, how: str) -> Any:
        if self._array.size != 1:
            raise ValueError("only one element tensors can be converted to Python scalars")
        if self._needs and context.grad:
            warn_once(
                "Converting a tensor with requires_grad=True to a scalar may lead to unexpected behavior.\n"
                "Consider using tensor.detach() first.",
                outside(),
            )
        if context.special and context.observer is not None:
            context.observer.read(self, how)
        return self._array.item()

    def _real_scalar(self, how: str, kind: str) -> Any:
        value = self._scalar(how)
        if isinstance(value, complex):
            if value.imag:
                raise RuntimeError(f"value cannot be converted to type {kind} without overflow")
            value = value.real
        return value

    def __float__(self) -> float:
        return float(self._real_scalar("float", "double"))

    def __int__(self) -> int:
        return int(self._real_scalar("int", "int64_t"))

    def __complex__(self) -> complex:
        return complex(self._scalar("complex"))

    def __index__(self) -> int:
        if self._array.dtype.kind in dtypes.INEXACT or self._array.size != 1:
            raise TypeError("only integer tensors of a single element can be converted to an index")
        return int(self._array.item())

    def __len__(self) -> int:
        if self._array.ndim == 0:
            raise TypeError("len() of a 0-d tensor")
        return len(self._array)

    def __iter__(self) -> Iterator[Tensor]:
        if self._array.ndim == 0:
            raise TypeError("iteration over a 0-d tensor")
        return iter(self.unbind(0))

    def __contains__(self, element: Any) -> bool:
        value = element._array if isinstance(element, Tensor) else element
        if not isinstance(value, (np.ndarray, int, float)):
            raise RuntimeError(f"Tensor.__contains__ only supports Tensor or scalar, but you passed in a {type(element)}.")
        return bool((self._array == value).any())

    def __hash__(self) -> int:
        return id(self)

    def __deepcopy__(self, memo: dict[int, Any]) -> Tensor:
        if self._node is not None:
            raise RuntimeError(
                "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the moment.  "
                "If you were attempting to deepcopy a module, this may be because of a torch.nn.utils.weight_norm usage, "
                "see https://github.com/pytorch/pytorch/pull/103001"
            )
        kind = type(self)
        if kind.__module__ not in _WITHOUT_NAME:
            from .asking import DisableTorchFunctionSubclass

            with DisableTorchFunctionSubclass():
                if type(self.new_empty(())) is not kind:
                    raise RuntimeError(NO_DEEP_COPY)
        copy = constant(duplicated(self._array))
        copy.__class__ = kind
        if self.__dict__ and (attributes := self._attributes()):
            copy.__dict__.update(context.deepcopy(attributes))
        copy._needs = self._needs
        if self._grad is not None:
            copy._grad = self._grad.__deepcopy__(memo)
        memo[id(self)] = copy
        return copy

    def _attributes(self) -> dict[str, Any]:
        """What the program has set on the tensor; what the engine keeps there has names that the class has, too."""
        return {name: value for name, value in self.__dict__.items() if not hasattr(Tensor, name)}

    def __reduce_ex__(self, protocol: Any) -> Any:
        if isinstance(self._array, StandIn):
            raise self._array.refused("set_.source_Storage")
        own = type(self) is not Tensor and "__reduce_ex__" not in type(self).__dict__
        array = np.ascontiguousarray(self._array) if own else np.array(self._array)
        made = rebuilt, (type(self) if own else None, array, self.requires_grad)
        attributes = self._attributes() if self.__dict__ else None
        return (*made, attributes) if attributes else made

    if TYPE_CHECKING:  # the methods that `ops.attach` gives it

        def __getattr__(self, name: str) -> Any: ...


class Absent:
    """A method of PyTorch's that there is not: reading it says so. (A `__getattr__` would slow down all other attributes.)"""

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, tensor: Tensor | None, kind: type[Tensor]) -> Any:
        if tensor is None:
            raise AttributeError(f"type object '{kind.__name__}' has no attribute '{self.name}'")
        raise unsupported("Tensor", self.name, public_names())


def public_names() -> list[str]:
    """The public names that tensors have here."""
    return [name for name in dir(Tensor) if not name.startswith("_") and hasattr(Tensor, name)]


new = object.__new__


def fill(tensor: Tensor, array: Array) -> Tensor:
    """Make `tensor` a leaf that needs no gradient and holds `array`."""
    tensor._array = array
    tensor._needs = False
    tensor._node = None
    tensor._nr = 0
    tensor._grad = None
    tensor._counter = None
    tensor._view = None
    tensor._meta = None
    return tensor


def _class_of_tensors(given: Any) -> type[Tensor]:
    """A class of tensors that a program names, or PyTorch's words of what is none."""
    if not isinstance(given, type):
        raise TypeError(f"cls must be a type (got {type(given).__name__})")
    if not issubclass(given, Tensor):
        raise TypeError(
            "Creating a Tensor subclass from a class that does not inherit from Tensor is not possible. Make sure your class "
            "inherits from Tensor."
        )
    if given.__module__.startswith(OURS):
        raise TypeError(f"a tensor cannot be made one of {given.__name__}'s here")
    return given


def constant(array: Any) -> Tensor:
    """A tensor around `array` (not copied) that needs no gradient, unseen by the observer."""
    return fill(new(Tensor), array if array.__class__ is np.ndarray else array_of(array))


def rebuilt(kind: type[Tensor] | None, array: Array, requires_grad: bool) -> Tensor:
    """A leaf from what a pickle holds of a tensor."""
    tensor = fill(new(kind or Tensor), array)
    tensor._needs = requires_grad
    return tensor


def inference(tensors: Sequence[Tensor]) -> None:
    """Mark new tensors as made in inference mode."""
    for t in tensors:
        if t._counter is None:
            t._counter = Inference()


def accumulator(leaf: Tensor) -> AccumulateGrad:
    """The AccumulateGrad node of a leaf: one and the same as long as a graph holds it."""
    meta = leaf._meta
    if meta is None:
        meta = leaf._meta = Meta()
    node = meta.accumulator() if meta.accumulator is not None else None
    if node is None:
        node = AccumulateGrad(leaf)
        meta.accumulator = weakref.ref(node)
    return node


def gradient_edge(tensor: Tensor) -> tuple[Node | None, int]:
    """Where the gradient of `tensor` goes."""
    node = tensor._node if tensor._view is None else tensor.grad_fn
    if node is not None:
        return node, tensor._nr
    return (accumulator(tensor), 0) if tensor._needs else (None, 0)


def share(source: Tensor, view: Tensor, step: Callable[[Array], Array]) -> None:
    """Make `view`, whose array is a view of `source`'s, share its version counter and remember how it came about."""
    view._counter = counter_of(source)
    view._view = View(source, step, view._counter)


def counter_of(tensor: Tensor) -> Counter:
    """The version counter of a tensor's memory, made on first use."""
    counter = tensor._counter
    if counter is None:
        counter = tensor._counter = Counter()
    return counter


# What a program sees when it prints a type.
Tensor.__module__ = "torch"


def _refuse(name: str) -> Callable[..., None]:
    def refuse(self: Tensor, *value: Any) -> None:
        raise AttributeError(f"attribute '{name}' of 'torch._C.TensorBase' objects is not writable")

    return refuse


for _name in (
    "_base", "_version", "device", "dtype", "grad_fn", "is_leaf", "itemsize", "layout", "nbytes", "ndim", "output_nr",
    "retains_grad", "shape",
):  # fmt: skip
    setattr(Tensor, _name, getattr(Tensor, _name).setter(_refuse(_name)).deleter(_refuse(_name)))


from .autograd import passes  # noqa: E402  (it needs tensors)
