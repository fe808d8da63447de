"""Distributions made of others: batches taken as events, transformed samples, mixtures."""

from __future__ import annotations

from typing import Any, ClassVar

from ..autograd.grad_mode import no_grad
from . import constraints
from .categories import Categorical
from .distribution import Distribution
from .operations import Size, T
from .transform import ComposeTransform, Transform
from .utils import _sum_rightmost


class Independent(Distribution):
    """The last dimensions of a distribution's batch as dimensions of its events: their probabilities are multiplied."""

    arg_constraints: Any = {}
    _expanding = ()
    _kept = ("reinterpreted_batch_ndims",)

    def __init__(self, base_distribution: Any, reinterpreted_batch_ndims: int, validate_args: bool | None = None) -> None:
        batch = base_distribution.batch_shape
        if reinterpreted_batch_ndims > len(batch):
            raise ValueError(
                "Expected reinterpreted_batch_ndims <= len(base_distribution.batch_shape), actual "
                f"{reinterpreted_batch_ndims} vs {len(batch)}"
            )
        shape = batch + base_distribution.event_shape
        cut = len(batch) - reinterpreted_batch_ndims
        self.base_dist = base_distribution
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims
        super().__init__(shape[:cut], shape[cut:], validate_args=validate_args)

    def _expand_into(self, new: Any, batch_shape: Size) -> Any:
        new.base_dist = self.base_dist.expand(batch_shape + self.event_shape[: self.reinterpreted_batch_ndims])
        return self._event_shape

    @property
    def has_rsample(self) -> Any:
        """As the distribution."""
        return self.base_dist.has_rsample

    @property
    def has_enumerate_support(self) -> Any:
        """Only where no dimension is taken."""
        return False if self.reinterpreted_batch_ndims > 0 else self.base_dist.has_enumerate_support

    @constraints.dependent_property
    def support(self) -> Any:
        """The distribution's, for more dimensions."""
        result = self.base_dist.support
        return constraints.independent(result, self.reinterpreted_batch_ndims) if self.reinterpreted_batch_ndims else result

    @property
    def mean(self) -> Any:
        """The distribution's."""
        return self.base_dist.mean

    @property
    def mode(self) -> Any:
        """The distribution's."""
        return self.base_dist.mode

    @property
    def variance(self) -> Any:
        """The distribution's."""
        return self.base_dist.variance

    def sample(self, sample_shape: Any = Size()) -> Any:  # noqa: B008
        """The distribution's."""
        return self.base_dist.sample(sample_shape)

    def rsample(self, sample_shape: Any = Size()) -> Any:  # noqa: B008
        """The distribution's."""
        return self.base_dist.rsample(sample_shape)

    def log_prob(self, value: Any) -> Any:
        """The sum over the dimensions."""
        return _sum_rightmost(self.base_dist.log_prob(value), self.reinterpreted_batch_ndims)

    def entropy(self) -> Any:
        """The sum over the dimensions."""
        return _sum_rightmost(self.base_dist.entropy(), self.reinterpreted_batch_ndims)

    def enumerate_support(self, expand: bool = True) -> Any:
        """The distribution's, where no dimension is taken."""
        if self.reinterpreted_batch_ndims > 0:
            raise NotImplementedError("Enumeration over cartesian product is not implemented")
        return self.base_dist.enumerate_support(expand=expand)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.base_dist}, {self.reinterpreted_batch_ndims})"


class TransformedDistribution(Distribution):
    """What becomes of a distribution's samples by transforms, one after the other."""

    arg_constraints: Any = {}
    _expanding: ClassVar[Any] = ()
    _kept = ("transforms",)
    transforms: list[Any]
    base_dist: Any

    def __init__(self, base_distribution: Any, transforms: Any, validate_args: bool | None = None) -> None:
        if isinstance(transforms, Transform):
            transforms = [transforms]
        elif not isinstance(transforms, list):
            raise ValueError(f"transforms must be a Transform or list, but was {transforms}")
        elif not all(isinstance(t, Transform) for t in transforms):
            raise ValueError("transforms must be a Transform or a list of Transforms")
        self.transforms = transforms
        whole = ComposeTransform(transforms)
        before, after = whole.domain.event_dim, whole.codomain.event_dim
        base_event_dim = len(base_distribution.event_shape)
        shape = base_distribution.batch_shape + base_distribution.event_shape
        if len(shape) < before:
            raise ValueError(f"base_distribution needs to have shape with size at least {before}, but got {shape}.")
        forward_shape = whole.forward_shape(shape)
        expanded = whole.inverse_shape(forward_shape)
        if shape != expanded:
            base_distribution = base_distribution.expand(expanded[: len(expanded) - base_event_dim])
        if before > base_event_dim:
            base_distribution = Independent(base_distribution, before - base_event_dim)
        self.base_dist = base_distribution
        event_dim = max(after, base_event_dim + after - before)
        if len(forward_shape) < event_dim:
            raise AssertionError(f"forward_shape length {len(forward_shape)} must be >= event_dim {event_dim}")
        cut = len(forward_shape) - event_dim
        super().__init__(forward_shape[:cut], forward_shape[cut:], validate_args=validate_args)

    def _expand_into(self, new: Any, batch_shape: Size) -> Any:
        shape = batch_shape + self.event_shape
        for t in reversed(self.transforms):
            shape = t.inverse_shape(shape)
        new.base_dist = self.base_dist.expand(shape[: len(shape) - len(self.base_dist.event_shape)])
        return self._event_shape

    @constraints.dependent_property(is_discrete=False)
    def support(self) -> Any:
        """What the last transform maps to."""
        if not self.transforms:
            return self.base_dist.support
        support = self.transforms[-1].codomain
        more = len(self.event_shape) - support.event_dim
        return constraints.independent(support, more) if more > 0 else support

    @property
    def has_rsample(self) -> Any:
        """As the distribution that is transformed."""
        return self.base_dist.has_rsample

    def _transformed(self, x: Any) -> Any:
        for transform in self.transforms:
            x = transform(x)
        return x

    def sample(self, sample_shape: Any = Size()) -> Any:  # noqa: B008
        """Samples without gradients, transformed."""
        with no_grad():
            return self._transformed(self.base_dist.sample(sample_shape))

    def rsample(self, sample_shape: Any = Size()) -> Any:  # noqa: B008
        """Samples, transformed."""
        return self._transformed(self.base_dist.rsample(sample_shape))

    def log_prob(self, value: Any) -> Any:
        """That of the inverse, less the logarithms of how the transforms change volumes."""
        self._check(value)
        event_dim = len(self.event_shape)
        log_prob: Any = 0.0
        y = value
        for transform in reversed(self.transforms):
            x = transform.inv(y)
            event_dim += transform.domain.event_dim - transform.codomain.event_dim
            volume = transform.log_abs_det_jacobian(x, y)
            log_prob = log_prob - _sum_rightmost(volume, event_dim - transform.domain.event_dim)
            y = x
        return log_prob + _sum_rightmost(self.base_dist.log_prob(y), event_dim - len(self.base_dist.event_shape))

    def _turned(self, value: Any) -> Any:
        """A probability, or the rest to one where the transforms reverse the order."""
        sign: Any = 1
        for transform in self.transforms:
            sign = sign * transform.sign
        return value if isinstance(sign, int) and sign == 1 else sign * (value - 0.5) + 0.5

    def cdf(self, value: Any) -> Any:
        """That of the inverse."""
        for transform in reversed(self.transforms):
            value = transform.inv(value)
        if self._validate_args:
            self.base_dist._validate_sample(value)
        return self._turned(self.base_dist.cdf(value))

    def icdf(self, value: Any) -> Any:
        """That of the distribution, transformed."""
        return self._transformed(self.base_dist.icdf(self._turned(value)))


class MixtureSameFamily(Distribution):
    """One of several distributions of one family, by the weights of a `Categorical`."""

    arg_constraints: Any = {}
    has_rsample = False
    _expanding = ()
    _kept = ("_num_component", "_event_ndims")

    def __init__(self, mixture_distribution: Any, component_distribution: Any, validate_args: bool | None = None) -> None:
        self._mixture_distribution = mixture_distribution
        self._component_distribution = component_distribution
        if not isinstance(mixture_distribution, Categorical):
            raise ValueError(" The Mixture distribution needs to be an  instance of torch.distributions.Categorical")
        if not isinstance(component_distribution, Distribution):
            raise ValueError("The Component distribution needs to be an instance of torch.distributions.Distribution")
        weights, batch = mixture_distribution.batch_shape, component_distribution.batch_shape[:-1]
        if any(1 != i != j != 1 for i, j in zip(reversed(weights), reversed(batch))):
            raise ValueError(
                f"`mixture_distribution.batch_shape` ({weights}) is not compatible with "
                f"`component_distribution.batch_shape`({batch})"
            )
        number, components = mixture_distribution.logits.shape[-1], component_distribution.batch_shape[-1]
        if number != components:
            raise ValueError(
                f"`mixture_distribution component` ({number}) does not equal `component_distribution.batch_shape[-1]` "
                f"({components})"
            )
        self._num_component = number
        event_shape = component_distribution.event_shape
        self._event_ndims = len(event_shape)
        super().__init__(batch_shape=batch, event_shape=event_shape, validate_args=validate_args)

    def _expand_into(self, new: Any, batch_shape: Size) -> Any:
        new._component_distribution = self._component_distribution.expand(batch_shape + (self._num_component,))
        new._mixture_distribution = self._mixture_distribution.expand(batch_shape)
        event_shape = new._component_distribution.event_shape
        return event_shape

    @constraints.dependent_property
    def support(self) -> Any:
        """That of the components."""
        return constraints.MixtureSameFamilyConstraint(self._component_distribution.support)

    @property
    def mixture_distribution(self) -> Any:
        """The weights."""
        return self._mixture_distribution

    @property
    def component_distribution(self) -> Any:
        """The components, along the last dimension of the batch."""
        return self._component_distribution

    @property
    def mean(self) -> Any:
        """The weighted mean of the means."""
        probs = self._pad_mixture_dimensions(self.mixture_distribution.probs)
        return T.sum(probs * self.component_distribution.mean, dim=-1 - self._event_ndims)

    @property
    def variance(self) -> Any:
        """The mean of the variances and the variance of the means."""
        probs, dim = self._pad_mixture_dimensions(self.mixture_distribution.probs), -1 - self._event_ndims
        within = T.sum(probs * self.component_distribution.variance, dim=dim)
        between = T.sum(probs * (self.component_distribution.mean - self._pad(self.mean)).pow(2.0), dim=dim)
        return within + between

    def cdf(self, x: Any) -> Any:
        """The weighted mean of the components'."""
        cdf = self.component_distribution.cdf(self._pad(x))
        return T.sum(cdf * self.mixture_distribution.probs, dim=-1)

    def log_prob(self, x: Any) -> Any:
        """The logarithm of the weighted mean of the densities."""
        self._check(x)
        log_prob = self.component_distribution.log_prob(self._pad(x))
        weights = T.log_softmax(self.mixture_distribution.logits, dim=-1)
        return T.logsumexp(log_prob + weights, dim=-1)

    def sample(self, sample_shape: Any = Size()) -> Any:  # noqa: B008
        """Of samples of all components the one that the weights chose."""
        with no_grad():
            event_shape = self.event_shape
            dim = len(sample_shape) + len(self.batch_shape)
            chosen = self.mixture_distribution.sample(sample_shape)
            samples = self.component_distribution.sample(sample_shape)
            ones = Size([1] * len(chosen.shape))
            index = chosen.reshape(chosen.shape + Size([1] * (len(event_shape) + 1)))
            index = index.repeat(ones + Size([1]) + event_shape)
            return T.gather(samples, dim, index).squeeze(dim)

    def _pad(self, x: Any) -> Any:
        return x.unsqueeze(-1 - self._event_ndims)

    def _pad_mixture_dimensions(self, x: Any) -> Any:
        weights = len(self.mixture_distribution.batch_shape)
        more = 0 if weights == 1 else len(self.batch_shape) - weights
        shape = x.shape
        return x.reshape(shape[:-1] + Size(more * [1]) + shape[-1:] + Size(self._event_ndims * [1]))

    def __repr__(self) -> str:
        return f"MixtureSameFamily(\n  {self.mixture_distribution},\n  {self.component_distribution})"
