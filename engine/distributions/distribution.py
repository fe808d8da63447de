"""`torch.distributions.Distribution`: what all have: shapes, checks of parameters and samples, expanding, their text."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from ..autograd.grad_mode import no_grad
from ..compat.classes import KNOWN, known_as
from ..safe_attributes import meant_for, plain, read
from .constraints import Constraint, is_dependent
from .operations import Size, T, Tensor
from .utils import broadcast_all, lazy_property, shape_of

__all__ = ["Distribution"]


class Distribution:
    """The base of all distributions."""

    has_rsample: Any = False
    has_enumerate_support: Any = False
    _validate_args = __debug__
    _expanding: ClassVar[Any] = None
    """Parameters of the batch's shape, and distributions of that batch, which `expand` expands; None: `expand` is not there."""
    _kept: ClassVar[Any] = ()
    """Attributes that an expanded distribution has as they are."""
    _batch_shape: Any
    _event_shape: Any

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Parameters, which are set by name."""

    @staticmethod
    def set_default_validate_args(value: bool) -> None:
        """Set whether parameters and samples are checked where a distribution does not say so itself."""
        if value not in [True, False]:
            raise ValueError
        Distribution._validate_args = value

    def __init__(self, batch_shape: Any = Size(), event_shape: Any = Size(), validate_args: bool | None = None) -> None:  # noqa: B008
        self._batch_shape = batch_shape
        self._event_shape = event_shape
        if validate_args is not None:
            self._validate_args = validate_args
        if self._validate_args:
            self._validate_parameters()

    def _validate_parameters(self) -> None:
        try:
            constraints = self.arg_constraints
        except NotImplementedError:
            warnings.warn(
                f"{type(self)} does not define `arg_constraints`. Please set `arg_constraints = {{}}` or initialize the "
                "distribution with `validate_args=False` to turn off validation.",
                stacklevel=3,
            )
            return
        for name, constraint in constraints.items():
            if is_dependent(constraint):
                continue
            if plain(name)[:1] == "_":
                raise AttributeError(f"'{name}' is no parameter of a distribution")
            if name not in self.__dict__ and isinstance(getattr(type(self), name), lazy_property):
                continue  # it is made of one that is checked
            value = read(self, name)
            if not constraint.check(value)._array.all():
                raise ValueError(
                    f"Expected parameter {name} ({type(value).__name__} of shape {tuple(value.shape)}) of distribution "
                    f"{self!r} to satisfy the constraint {constraint!r}, but found invalid values:\n{value}"
                )

    def _broadcast(self, **parameters: Any) -> Size:
        """Set parameters as tensors of one shape, which is the batch's."""
        values = broadcast_all(*parameters.values())
        for name, value in zip(parameters, values):
            setattr(self, name, value)
        shape: Size = values[0].size()
        return shape

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        """The same distribution, with its batch expanded to `batch_shape`; nothing is copied or checked."""
        if self._expanding is None:
            raise NotImplementedError
        family = next(kind for kind in type(self).__mro__ if KNOWN.get(f"{kind.__module__}.{kind.__qualname__}") is kind)
        new = meant_for(self._get_checked_instance(family, _instance), Distribution)
        batch_shape = Size(batch_shape)
        for name in self._kept:
            setattr(new, name, getattr(self, name))
        for name in self._expanding:
            if name in self.__dict__:
                setattr(new, name, self.__dict__[name].expand(batch_shape))
        event_shape = self._expand_into(new, batch_shape)
        Distribution.__init__(new, batch_shape, event_shape, validate_args=False)
        new._validate_args = self._validate_args
        return new

    def _expand_into(self, new: Any, batch_shape: Size) -> Any:
        """Give the expanded distribution what is not of the batch's shape; returns the shape of its events."""
        return self._event_shape

    @property
    def batch_shape(self) -> Any:
        """The shape of the distributions that this one is."""
        return self._batch_shape

    @property
    def event_shape(self) -> Any:
        """The shape of one sample of one of them."""
        return self._event_shape

    @property
    def arg_constraints(self) -> Mapping[str, Constraint]:
        """By parameter the set in which it lies."""
        raise NotImplementedError

    @property
    def support(self) -> Any:
        """The set in which samples lie."""
        raise NotImplementedError

    @property
    def mean(self) -> Any:
        """The mean."""
        raise NotImplementedError

    @property
    def mode(self) -> Any:
        """The most probable value."""
        raise NotImplementedError(f"{type(self)} does not implement mode")

    @property
    def variance(self) -> Any:
        """The variance."""
        raise NotImplementedError

    @property
    def stddev(self) -> Any:
        """The standard deviation."""
        return self.variance.sqrt()

    def sample(self, sample_shape: Any = Size()) -> Any:  # noqa: B008
        """Samples of the given shape, without gradients."""
        with no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape: Any = Size()) -> Any:  # noqa: B008
        """Samples of the given shape, through which gradients pass to the parameters."""
        raise NotImplementedError

    def sample_n(self, n: int) -> Any:
        """`n` samples, as PyTorch was once asked for them."""
        warnings.warn("`sample_n(n)` will be deprecated. Use `sample((n,))` instead.", FutureWarning, stacklevel=2)
        return self.sample(Size((n,)))

    def log_prob(self, value: Any) -> Any:
        """The logarithm of the density or probability at a value."""
        raise NotImplementedError

    def cdf(self, value: Any) -> Any:
        """The probability of at most the value."""
        raise NotImplementedError

    def icdf(self, value: Any) -> Any:
        """The value of which `cdf` is the given one."""
        raise NotImplementedError

    def enumerate_support(self, expand: bool = True) -> Any:
        """All values of a discrete distribution, along the first dimension."""
        raise NotImplementedError

    def entropy(self) -> Any:
        """The entropy, in nats."""
        raise NotImplementedError

    def perplexity(self) -> Any:
        """The exponential of the entropy."""
        return T.exp(self.entropy())

    def _extended_shape(self, sample_shape: Any = Size()) -> Size:  # noqa: B008
        """The shape of samples."""
        return Size(shape_of(sample_shape) + self._batch_shape + self._event_shape)

    def _enumerated(self, values: Any, expand: bool) -> Any:
        """Values along the first dimension, and the batch's dimensions beside it."""
        values = values.view((-1,) + (1,) * len(self._batch_shape))
        return values.expand((-1, *self._batch_shape)) if expand else values

    def _check(self, value: Any) -> None:
        """Validate a sample, unless that is switched off."""
        if self._validate_args:
            self._validate_sample(value)

    def _validate_sample(self, value: Any) -> None:
        """Refuse what cannot be a sample.

        Raises:
            ValueError: for what is no tensor, has another shape, or lies outside of the support.
        """
        if not isinstance(value, Tensor):
            raise ValueError("The value argument to log_prob must be a Tensor")
        shape: Any = value.size()
        if shape[len(shape) - len(self._event_shape) :] != self._event_shape:
            raise ValueError(f"The right-most size of value must match event_shape: {shape} vs {self._event_shape}.")
        expected = self._batch_shape + self._event_shape
        if any(1 != i != j != 1 for i, j in zip(reversed(shape), reversed(expected))):
            raise ValueError(f"Value is not broadcastable with batch_shape+event_shape: {shape} vs {expected}.")
        try:
            support = self.support
        except NotImplementedError:
            warnings.warn(
                f"{type(self)} does not define `support` to enable sample validation. Please initialize the distribution with "
                "`validate_args=False` to turn off validation.",
                stacklevel=2,
            )
            return
        if support is None:
            raise AssertionError("support is unexpectedly None")
        if not support.check(value)._array.all():
            raise ValueError(
                f"Expected value argument ({type(value).__name__} of shape {tuple(shape)}) to be within the support "
                f"({support!r}) of the distribution {self!r}, but found invalid values:\n{value}"
            )

    def _get_checked_instance(self, cls: type, _instance: Any = None) -> Any:
        if _instance is not None:
            return _instance
        kind: Any = type(self)
        if kind.__init__ != cls.__init__:  # type: ignore[misc]
            raise NotImplementedError(
                f"Subclass {kind.__name__} of {cls.__name__} that defines a custom __init__ method must also define a custom "
                ".expand() method."
            )
        return kind.__new__(kind)

    def __repr__(self) -> str:
        shown = {name: self.__dict__[name] for name in self.arg_constraints if name in self.__dict__}
        texts = [f"{name}: {value if value.numel() == 1 else value.size()}" for name, value in shown.items()]
        return f"{type(self).__name__}({', '.join(texts)})"


known_as("torch.distributions.distribution", Distribution)
