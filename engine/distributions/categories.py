"""Distributions of one of several categories, and of how often each comes up."""

from __future__ import annotations

import math
from typing import Any

from ..dtypes import finfo, int64
from . import constraints
from .binary_counts import Binomial
from .distribution import Distribution
from .odds import EITHER
from .operations import F, Size, T
from .utils import broadcast_all, lazy_property, logits_to_probs, probs_to_logits, shape_of

BY_SHARES = {"probs": constraints.simplex, "logits": constraints.real_vector}


class Categorical(Distribution):
    """One of several categories, by number; `probs` and `logits` need not be normalised."""

    arg_constraints = BY_SHARES
    has_enumerate_support = True
    _expanding = ()
    _kept = ("_num_events",)

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        if (probs is None) == (logits is None):
            raise ValueError(EITHER)
        name, given = ("logits", logits) if probs is None else ("probs", probs)
        if given.dim() < 1:
            raise ValueError(f"`{name}` parameter must be at least one-dimensional.")
        if probs is None:
            self.logits = self._param = logits - logits.logsumexp(dim=-1, keepdim=True)
        else:
            self.probs = self._param = probs / probs.sum(-1, keepdim=True)
        self._num_events = self._param.size()[-1]
        super().__init__(self._param.size()[:-1], validate_args=validate_args)

    def _expand_into(self, new: Any, batch_shape: Size) -> Any:
        for name in ("probs", "logits"):
            if name in self.__dict__:
                new._param = self.__dict__[name].expand(batch_shape + Size((self._num_events,)))
                setattr(new, name, new._param)
        return self._event_shape

    def _new(self, *args: Any, **kwargs: Any) -> Any:
        return self._param.new(*args, **kwargs)

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self) -> Any:
        """The categories' numbers."""
        return constraints.integer_interval(0, self._num_events - 1)

    @lazy_property
    def logits(self) -> Any:
        """The logarithms of the probabilities."""
        return probs_to_logits(self.probs)

    @lazy_property
    def probs(self) -> Any:
        """The probabilities."""
        return logits_to_probs(self.logits)

    @property
    def param_shape(self) -> Any:
        """The shape of what was given."""
        return self._param.size()

    @property
    def mean(self) -> Any:
        """NaN."""
        return T.full(self._extended_shape(), math.nan, dtype=self.probs.dtype)

    @property
    def mode(self) -> Any:
        """The most probable category."""
        return self.probs.argmax(dim=-1)

    @property
    def variance(self) -> Any:
        """NaN."""
        return T.full(self._extended_shape(), math.nan, dtype=self.probs.dtype)

    def sample(self, sample_shape: Any = Size()) -> Any:  # noqa: B008
        """Categories' numbers."""
        sample_shape = shape_of(sample_shape)
        rows = self.probs.reshape(-1, self._num_events)
        return T.multinomial(rows, sample_shape.numel(), True).T.reshape(self._extended_shape(sample_shape))

    def log_prob(self, value: Any) -> Any:
        """The logarithm of the probability."""
        self._check(value)
        value, log_pmf = T.broadcast_tensors(value.long().unsqueeze(-1), self.logits)
        return log_pmf.gather(-1, value[..., :1]).squeeze(-1)

    def entropy(self) -> Any:
        """The entropy, in nats; impossible categories add nothing."""
        logits = T.clamp(self.logits, min=finfo(self.logits.dtype).min)
        return -(logits * self.probs).sum(-1)

    def enumerate_support(self, expand: bool = True) -> Any:
        """All categories."""
        return self._enumerated(T.arange(self._num_events, dtype=int64), expand)


class _OfCategories(Distribution):
    """What is made of a `Categorical`."""

    _expanding = ()
    _categorical: Any

    def _expand_into(self, new: Any, batch_shape: Size) -> Any:
        new._categorical = self._categorical.expand(batch_shape)
        return self._event_shape

    def _new(self, *args: Any, **kwargs: Any) -> Any:
        return self._categorical._new(*args, **kwargs)

    @property
    def probs(self) -> Any:
        """The probabilities."""
        return self._categorical.probs

    @property
    def logits(self) -> Any:
        """The logarithms of the probabilities."""
        return self._categorical.logits

    @property
    def param_shape(self) -> Any:
        """The shape of what was given."""
        return self._categorical.param_shape


class OneHotCategorical(_OfCategories):
    """One of several categories, as a vector of a single one among zeros."""

    arg_constraints = BY_SHARES
    support = constraints.one_hot
    has_enumerate_support = True

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        self._categorical = Categorical(probs, logits)
        shape = self._categorical.param_shape[-1:]
        super().__init__(self._categorical.batch_shape, shape, validate_args=validate_args)

    @property
    def _param(self) -> Any:
        return self._categorical._param

    @property
    def mean(self) -> Any:
        """The probabilities."""
        return self._categorical.probs

    @property
    def mode(self) -> Any:
        """The most probable category."""
        probs = self._categorical.probs
        return F.one_hot(probs.argmax(dim=-1), num_classes=probs.shape[-1]).to(probs)

    @property
    def variance(self) -> Any:
        r"""\(p (1 - p)\)."""
        return self._categorical.probs * (1 - self._categorical.probs)

    def sample(self, sample_shape: Any = Size()) -> Any:  # noqa: B008
        """Vectors of zeros and a one."""
        probs = self._categorical.probs
        indices = self._categorical.sample(Size(sample_shape))
        return F.one_hot(indices, self._categorical._num_events).to(probs)

    def log_prob(self, value: Any) -> Any:
        """The logarithm of the probability."""
        self._check(value)
        return self._categorical.log_prob(value.max(-1)[1])

    def entropy(self) -> Any:
        """The entropy, in nats."""
        return self._categorical.entropy()

    def enumerate_support(self, expand: bool = True) -> Any:
        """All categories."""
        n = self.event_shape[0]
        values = T.eye(n, dtype=self._param.dtype).view((n,) + (1,) * len(self.batch_shape) + (n,))
        return values.expand((n, *self.batch_shape, n)) if expand else values


class OneHotCategoricalStraightThrough(OneHotCategorical):
    """A `OneHotCategorical` whose samples hand their gradients to the probabilities, as if they were these."""

    has_rsample = True

    def rsample(self, sample_shape: Any = Size()) -> Any:  # noqa: B008
        """Samples, with the gradient of the probabilities."""
        samples = self.sample(sample_shape)
        probs = self._categorical.probs
        return samples + (probs - probs.detach())


class Multinomial(_OfCategories):
    """How often each category comes up in `total_count` trials."""

    arg_constraints = BY_SHARES
    _kept = ("total_count",)

    def __init__(self, total_count: int = 1, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        if not isinstance(total_count, int):
            raise NotImplementedError("inhomogeneous total_count is not supported")
        self.total_count = total_count
        self._categorical = Categorical(probs=probs, logits=logits)
        self._binomial = Binomial(total_count=total_count, probs=self.probs)
        shape = self._categorical.param_shape[-1:]
        super().__init__(self._categorical.batch_shape, shape, validate_args=validate_args)

    @property
    def mean(self) -> Any:
        r"""\(n p\)."""
        return self.probs * self.total_count

    @property
    def variance(self) -> Any:
        r"""\(n p (1 - p)\)."""
        return self.total_count * self.probs * (1 - self.probs)

    @constraints.dependent_property(is_discrete=True, event_dim=1)
    def support(self) -> Any:
        """Vectors of counts."""
        return constraints.multinomial(self.total_count)

    def sample(self, sample_shape: Any = Size()) -> Any:  # noqa: B008
        """Counts of so many categories."""
        sample_shape = Size(sample_shape)
        samples = self._categorical.sample(Size((self.total_count,)) + sample_shape)
        samples = samples.permute(*range(1, samples.dim()), 0)
        counts = T.zeros(self._extended_shape(sample_shape), dtype=samples.dtype)
        counts.scatter_add_(-1, samples, T.ones_like(samples))
        return counts.type_as(self.probs)

    def entropy(self) -> Any:
        """The entropy, by those of the trials and of the single counts."""
        n = T.tensor(self.total_count)
        trials = n * self._categorical.entropy() - T.lgamma(n + 1)
        counts = self._binomial.enumerate_support(expand=False)[1:]
        probs = T.exp(self._binomial.log_prob(counts))
        return trials + (probs * T.lgamma(counts + 1)).sum([0, -1])

    def log_prob(self, value: Any) -> Any:
        """The logarithm of the probability."""
        self._check(value)
        logits, value = broadcast_all(self.logits, value)
        logits = logits.clone()
        n_factorial = T.lgamma(value.sum(-1) + 1)
        factorials = T.lgamma(value + 1).sum(-1)
        logits[(value == 0) & (logits == -math.inf)] = 0
        return n_factorial - factorials + (logits * value).sum(-1)
