"""Lazy modules: what the size of the first input decides is made at the first call."""

from __future__ import annotations

from itertools import chain
from typing import Any, ClassVar

from .. import dtypes
from ..arguments import given
from ..autograd import no_grad
from ..ops.creation.factories import tensor
from ..safe_attributes import read
from ..tensor import Tensor
from .convolution import Conv1d, Conv2d, Conv3d, ConvTranspose1d, ConvTranspose2d, ConvTranspose3d, Size
from .linear import Linear
from .module import Module
from .normalization import BatchNorm1d, BatchNorm2d, BatchNorm3d, InstanceNorm1d, InstanceNorm2d, InstanceNorm3d
from .parameter import UninitializedBuffer, UninitializedParameter, is_lazy


class LazyModuleMixin:
    """A module with uninitialized parameters, which a first call or `load_state_dict` makes; it then becomes `cls_to_become`.

    A subclass defines `initialize_parameters(self, input)`.
    """

    cls_to_become: ClassVar[type | None] = None

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._load_hook = self._register_load_state_dict_pre_hook(self._lazy_load_hook)
        self._initialize_hook = self.register_forward_pre_hook(self._infer_parameters, with_kwargs=True)

    def _lazy_load_hook(self: Any, state_dict: dict[str, Any], prefix: str, *_: Any) -> None:
        """Make what the state has numbers for."""
        for name, member in chain(self._parameters.items(), self._buffers.items()):
            value = state_dict.get(prefix + name)
            if value is not None and is_lazy(member) and not is_lazy(value):
                with no_grad():
                    member.materialize(value.shape)

    def initialize_parameters(self, *args: Any, **kwargs: Any) -> None:
        """Make all parameters for the input of the first call."""
        raise NotImplementedError(f"initialize_parameters is not implemented for {self.__class__.__name__}")

    def has_uninitialized_params(self: Any) -> bool:
        """Whether a parameter or buffer has no shape yet."""
        return any(is_lazy(member) for member in chain(self._parameters.values(), self._buffers.values()))

    def _infer_parameters(self: Any, module: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None = None) -> None:
        module.initialize_parameters(*args, **kwargs or {})
        if module.has_uninitialized_params():
            raise RuntimeError(f"module {self._get_name()} has not been fully initialized")
        module._initialize_hook.remove()
        module._load_hook.remove()
        del module._initialize_hook, module._load_hook
        become = module.cls_to_become
        if become is not None:
            if not issubclass(become, Module):
                raise TypeError(f"cls_to_become must be a Module, but it is {become}")
            # An object of a program's that becomes something else could have what is private there.
            if become not in type(module).__mro__:
                raise TypeError(f"cls_to_become must be a class that {type(module).__name__} inherits from, but it is {become}")
            module.__class__ = become


class _Lazy(LazyModuleMixin):
    """What lazy modules of this file have in common: `_inputs` is the attribute that the first input decides."""

    _inputs = ""

    def reset_parameters(self: Any) -> None:
        """Draw the parameters anew, once they are there."""
        if not self.has_uninitialized_params() and read(self, self._inputs) != 0:
            super().reset_parameters()  # type: ignore[misc]

    def _without_shape(self: Any, bias: bool, **factory: Any) -> None:
        """Weight and bias whose shape is not known yet."""
        self.weight: Any = UninitializedParameter(**factory)
        if bias:
            self.bias: Any = UninitializedParameter(**factory)


class LazyLinear(_Lazy, Linear):
    """`Linear` whose `in_features` is the last size of the first input."""

    cls_to_become = Linear
    _inputs = "in_features"

    def __init__(self, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None) -> None:
        super().__init__(0, 0, False)
        self.out_features = out_features
        self._without_shape(bias, device=device, dtype=dtype)

    def initialize_parameters(self, input: Tensor) -> None:
        """Take the last size of the input."""
        if self.has_uninitialized_params():
            with no_grad():
                self.in_features = input.shape[-1]
                self.weight.materialize((self.out_features, self.in_features))
                if self.bias is not None:
                    self.bias.materialize((self.out_features,))
                self.reset_parameters()
        if self.in_features == 0:
            if input.shape[-1] != self.weight.shape[-1]:
                raise AssertionError(
                    f"The in_features inferred from input: {input.shape[-1]} is not equal to in_features from self.weight: "
                    f"{self.weight.shape[-1]}"
                )
            self.in_features = input.shape[-1]


# --- convolutions ----------------------------------------------------------------------------------------------------------


class _LazyConvXdMixin(_Lazy):
    """A convolution whose `in_channels` is that of the first input."""

    _inputs = "in_channels"

    def _set_up_lazily(self: Any, out_channels: int, bias: bool, **settings: Any) -> None:
        super().__init__(0, 0, bias=False, **settings)
        self.out_channels = out_channels
        self._without_shape(bias, device=settings["device"], dtype=settings["dtype"])

    def initialize_parameters(self: Any, input: Tensor, *args: Any, **kwargs: Any) -> None:
        """Take the channels of the input."""
        if not self.has_uninitialized_params():
            return
        self.in_channels = self._channels_of(input)
        if self.in_channels % self.groups != 0:
            raise ValueError("in_channels must be divisible by groups")
        sizes = (self.in_channels, self.out_channels) if self.transposed else (self.out_channels, self.in_channels)
        self.weight.materialize((sizes[0], sizes[1] // self.groups, *self.kernel_size))
        if self.bias is not None:
            self.bias.materialize((self.out_channels,))
        self.reset_parameters()

    def _channels_of(self: Any, input: Tensor) -> int:
        n = self._dims
        if input.dim() not in (n + 1, n + 2):
            raise RuntimeError(
                f"Expected {n + 1}D (unbatched) or {n + 2}D (batched) input to {type(self).__name__}, but got input of size: "
                f"{input.shape}"
            )
        return int(input.shape[1] if input.dim() == n + 2 else input.shape[0])


class _LazyPlainConv(_LazyConvXdMixin):
    """A convolution, as PyTorch calls it."""

    def __init__(
        self,
        out_channels: int,
        kernel_size: Size,
        stride: Size = 1,
        padding: Size | str = 0,
        dilation: Size = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        self._set_up_lazily(**given(locals()))


class LazyConv1d(_LazyPlainConv, Conv1d):
    """`Conv1d` whose `in_channels` is that of the first input."""

    cls_to_become = Conv1d


class LazyConv2d(_LazyPlainConv, Conv2d):
    """`Conv2d` whose `in_channels` is that of the first input."""

    cls_to_become = Conv2d


class LazyConv3d(_LazyPlainConv, Conv3d):
    """`Conv3d` whose `in_channels` is that of the first input."""

    cls_to_become = Conv3d


class _LazyConvTranspose(_LazyConvXdMixin):
    """A transposed convolution, as PyTorch calls it."""

    def __init__(
        self,
        out_channels: int,
        kernel_size: Size,
        stride: Size = 1,
        padding: Size = 0,
        output_padding: Size = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Size = 1,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        self._set_up_lazily(**given(locals()))


class LazyConvTranspose1d(_LazyConvTranspose, ConvTranspose1d):
    """`ConvTranspose1d` whose `in_channels` is that of the first input."""

    cls_to_become = ConvTranspose1d


class LazyConvTranspose2d(_LazyConvTranspose, ConvTranspose2d):
    """`ConvTranspose2d` whose `in_channels` is that of the first input."""

    cls_to_become = ConvTranspose2d


class LazyConvTranspose3d(_LazyConvTranspose, ConvTranspose3d):
    """`ConvTranspose3d` whose `in_channels` is that of the first input."""

    cls_to_become = ConvTranspose3d


# --- normalisation ---------------------------------------------------------------------------------------------------------


class _LazyNormBase(_Lazy):
    """A normalisation whose `num_features` is the number of channels of the first input."""

    _inputs = "num_features"

    def __init__(
        self: Any,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(0, eps, momentum, False, False, device, dtype)  # affine and running statistics follow
        self.affine = affine
        self.track_running_stats = track_running_stats
        if affine:
            self._without_shape(bias, device=device, dtype=dtype)
        if track_running_stats:
            self.running_mean = UninitializedBuffer(device=device, dtype=dtype)
            self.running_var = UninitializedBuffer(device=device, dtype=dtype)
            self.num_batches_tracked = tensor(0, dtype=dtypes.int64, device=device)

    def initialize_parameters(self: Any, input: Tensor) -> None:
        """Take the channels of the input."""
        if not self.has_uninitialized_params():
            return
        self.num_features = input.shape[1]
        members = [self.weight, self.bias] if self.affine else []
        members += [self.running_mean, self.running_var] if self.track_running_stats else []
        for member in members:
            if member is not None:
                member.materialize((self.num_features,))
        self.reset_parameters()


class LazyBatchNorm1d(_LazyNormBase, BatchNorm1d):
    """`BatchNorm1d` whose `num_features` is that of the first input."""

    cls_to_become = BatchNorm1d


class LazyBatchNorm2d(_LazyNormBase, BatchNorm2d):
    """`BatchNorm2d` whose `num_features` is that of the first input."""

    cls_to_become = BatchNorm2d


class LazyBatchNorm3d(_LazyNormBase, BatchNorm3d):
    """`BatchNorm3d` whose `num_features` is that of the first input."""

    cls_to_become = BatchNorm3d


class LazyInstanceNorm1d(_LazyNormBase, InstanceNorm1d):
    """`InstanceNorm1d` whose `num_features` is that of the first input."""

    cls_to_become = InstanceNorm1d


class LazyInstanceNorm2d(_LazyNormBase, InstanceNorm2d):
    """`InstanceNorm2d` whose `num_features` is that of the first input."""

    cls_to_become = InstanceNorm2d


class LazyInstanceNorm3d(_LazyNormBase, InstanceNorm3d):
    """`InstanceNorm3d` whose `num_features` is that of the first input."""

    cls_to_become = InstanceNorm3d
