"""Random tensors, drawn from a generator. The numbers are PyTorch's: see `engine.rng`."""

from __future__ import annotations

import math
from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from ... import dtypes
from ...context import context
from ...dtypes import dtype as Dtype
from ...memory_layout import empty, innermost_first, placed, run_through, strides_of
from ...op.declare import function, op
from ...op.layouts import strides_in
from ...rng import Stream
from ...tensor import Tensor, constant
from ..pointwise.unary import zeros_like_grad
from ..shape.broadcasting import sum_to
from ..shape.dimensions import sizes
from .factories import creation, positive
from .generator import Generator, source


def _floating(name: str, d: Dtype | None) -> Any:
    if d is not None and not (d.is_floating_point or d.is_complex):
        raise NotImplementedError(f"\"{name}\" not implemented for '{dtypes.SCALAR_NAMES[d]}'")
    return (d or dtypes.get_default_dtype())._numpy


# --- made from nothing -----------------------------------------------------------------------------------------------------


def _uniform(
    shape: tuple[int, ...], generator: Generator | None, d: Dtype | None, strides: tuple[int, ...] | None = None
) -> Tensor:
    target = _floating("uniform_kernel_cpu", d)
    drawn = _drawn_as(target, lambda n, real: source(generator).between(0.0, 1.0, n, real), shape)
    return constant(_standing(drawn, strides))


def _normal(
    shape: tuple[int, ...], generator: Generator | None, d: Dtype | None, strides: tuple[int, ...] | None = None
) -> Tensor:
    target = _floating("normal_kernel_cpu", d)
    if strides is not None:
        return constant(_standing(_drawn_normal(source(generator), empty(shape, strides, target)).astype(target), strides))
    # Of complex numbers, both parts together have variance 1.
    std = math.sqrt(0.5) if target.kind == "c" else 1.0
    return constant(_drawn_as(target, lambda n, real: source(generator).normal(0.0, std, n, real), shape))


def _strides(input: Tensor, memory_format: Any) -> tuple[int, ...] | None:
    """The strides of a tensor that is made like another one; None where all stands row by row."""
    if memory_format is None and context.layouts is None:
        return None
    return strides_in(input._array, memory_format)


def _standing(drawn: Any, strides: tuple[int, ...] | None) -> Any:
    """Numbers as they are drawn, put where the strides say: the first stands first in memory."""
    return drawn if strides is None else placed(run_through(drawn, strides), strides)


def _drawn_as(target: Any, draw: Callable[[int, Any], Any], shape: tuple[int, ...]) -> Any:
    """Numbers of a generator as an array of a dtype: complex ones are two each."""
    if target.kind == "c":
        return draw(2 * prod(shape), dtypes.real_of(target)).view(target).reshape(shape)
    return draw(prod(shape), target).reshape(shape)


def _shape(size: tuple[Any, ...], named: Any) -> tuple[int, ...]:
    return positive(sizes(size) if named is None else sizes((named,)))


@creation(traits="sized draws")
def rand(*size: Any, generator: Generator | None = None, dtype: Dtype | None = None, **named: Any) -> Tensor:
    """Uniform random numbers from [0, 1)."""
    return _uniform(_shape(size, named.get("size")), generator, dtype)


@creation(traits="sized draws")
def randn(*size: Any, generator: Generator | None = None, dtype: Dtype | None = None, **named: Any) -> Tensor:
    """Normal random numbers of mean 0 and variance 1."""
    return _normal(_shape(size, named.get("size")), generator, dtype)


def _integers(bounds: list[Any], shape: tuple[int, ...], generator: Generator | None) -> Any:
    low, high = (0, bounds[0]) if len(bounds) == 1 else bounds[:2]
    low, high = int(low), int(high)
    if low >= high:
        raise RuntimeError(f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}")
    return source(generator).integers(low, high, prod(shape)).reshape(shape)


@creation(traits="sized draws")
def randint(
    *bounds: Any,
    low: int | None = None,
    high: int | None = None,
    size: Any = None,
    generator: Generator | None = None,
    dtype: Dtype | None = None,
) -> Tensor:
    """Random integers: `randint(high, size)` from 0, or `randint(low, high, size)`, `high` excluded."""
    values = [b for b in (low,) if b is not None] + list(bounds)
    shape = size if size is not None else values.pop()
    values += [b for b in (high,) if b is not None]
    return constant(_integers(values, sizes((shape,)), generator).astype((dtype or dtypes.int64)._numpy))


@creation(traits="sized draws")
def randperm(n: int, *, generator: Generator | None = None, dtype: Dtype | None = None) -> Tensor:
    """The numbers from 0 to n - 1 in random order."""
    if n < 0:
        raise RuntimeError(f"n must be non-negative, got {n}")
    return constant(source(generator).permutation(n).astype((dtype or dtypes.int64)._numpy))


@creation(traits="draws")
def rand_like(input: Tensor, *, dtype: Dtype | None = None, memory_format: Any = None, layout: Any = None) -> Tensor:
    """Uniform random numbers in the shape and dtype of `input`."""
    return _uniform(input._array.shape, None, dtype or input.dtype, _strides(input, memory_format))


@creation(traits="draws")
def randn_like(input: Tensor, *, dtype: Dtype | None = None, memory_format: Any = None, layout: Any = None) -> Tensor:
    """Normal random numbers in the shape and dtype of `input`."""
    return _normal(input._array.shape, None, dtype or input.dtype, _strides(input, memory_format))


@creation(traits="draws")
def randint_like(
    input: Tensor,
    *bounds: Any,
    low: int | None = None,
    high: int | None = None,
    dtype: Dtype | None = None,
    memory_format: Any = None,
    layout: Any = None,
) -> Tensor:
    """Random integers in the shape and dtype of `input`."""
    values = [b for b in (low,) if b is not None] + list(bounds) + [b for b in (high,) if b is not None]
    drawn = _integers(values, input._array.shape, None).astype((dtype or input.dtype)._numpy)
    return constant(_standing(drawn, _strides(input, memory_format)))


# --- made from parameters --------------------------------------------------------------------------------------------------


@function(traits="draws")
def normal(
    mean: Any = 0.0,
    std: Any = 1.0,
    size: Any = None,
    *,
    generator: Generator | None = None,
    dtype: Dtype | None = None,
    requires_grad: bool = False,
    device: Any = None,
    layout: Any = None,
    pin_memory: bool = False,
) -> Tensor:
    """Normal random numbers of the given means and standard deviations."""
    if size is not None:
        return _normal_numbers(mean, std, sizes((size,)), generator=generator, dtype=dtype, requires_grad=requires_grad)
    tensors = [x for x in (mean, std) if isinstance(x, Tensor)]
    if not isinstance(std, Tensor) and std < 0:
        raise RuntimeError(f"normal expects std >= 0.0, but found std {std}")
    if isinstance(std, Tensor) and (std._array < 0).any():
        raise RuntimeError("normal expects all elements of std >= 0.0")
    if not tensors:
        raise TypeError("normal() received an invalid combination of arguments: a size is needed with numbers")
    shape = np.broadcast_shapes(*[t._array.shape for t in tensors])
    d = tensors[0]._array.dtype
    sample = source(generator).normal(0.0, 1.0, prod(shape), d).reshape(shape)
    if len(tensors) == 2:
        return _normal_of_both(mean, std, sample)
    return _normal_of_mean(mean, std, sample) if isinstance(mean, Tensor) else _normal_of_std(mean, std, sample)


# The drawn numbers do not depend on the parameters: PyTorch's derivatives are zero.


@op(r"\mathcal{{N}}({mean}, {std}^2)", mean=lambda grad: zeros_like_grad(grad), node="NormalBackward1", name="normal")
def _normal_of_mean(mean, std, sample):
    """Normal random numbers of given means."""
    return (sample * std + mean).astype(mean.dtype)


@op(r"\mathcal{{N}}({mean}, {std}^2)", std=lambda grad: zeros_like_grad(grad), node="NormalBackward2", name="normal")
def _normal_of_std(mean, std, sample):
    """Normal random numbers of given deviations."""
    return (sample * std + mean).astype(std.dtype)


@op(
    r"\mathcal{{N}}({mean}, {std}^2)",
    mean=lambda grad, mean_sym_sizes: sum_to(zeros_like_grad(grad), mean_sym_sizes),
    std=lambda grad, std_sym_sizes: sum_to(zeros_like_grad(grad), std_sym_sizes),
    broadcast=(),
    node="NormalBackward3",
    name="normal",
    real_only=RuntimeError("normal expects standard deviation to be non-complex"),
)
def _normal_of_both(mean, std, sample):
    """Normal random numbers of given means and deviations."""
    return (sample * std + mean).astype(mean.dtype)


@creation(traits="draws")
def _normal_numbers(
    mean: float, std: float, shape: tuple[int, ...], *, generator: Generator | None = None, dtype: Dtype | None = None
) -> Tensor:
    """Normal random numbers of one mean and deviation."""
    if std < 0:
        raise RuntimeError(f"normal expects std >= 0.0, but found std {std}")
    target = _floating("normal_kernel_cpu", dtype)
    return constant(source(generator).normal(float(mean), float(std), prod(shape), target).reshape(shape))


@op(
    r"\mathrm{{Bernoulli}}({self})",
    traits="draws",
    self=lambda grad: zeros_like_grad(grad),
    node="BernoulliBackward0",
    name="bernoulli",
    real_only="bernoulli_tensor_cpu_self_",
)
def _bernoulli(self, generator):
    """1 with the probability each element gives, else 0."""
    if self.dtype.kind not in dtypes.INEXACT:
        raise RuntimeError("Expected p_in >= 0 && p_in <= 1 to be true, but got false.")
    if self.size and not ((self >= 0) & (self <= 1)).all():
        raise RuntimeError(
            "Expected p_in >= 0 && p_in <= 1 to be true, but got false.  (Could this error message be improved?  If so, please "
            "report an enhancement request to PyTorch.)"
        )
    return (source(generator).uniform(self.size, self.dtype).reshape(self.shape) < self).astype(self.dtype)


@function(traits="draws")
def bernoulli(input: Tensor, p: Any = None, *, generator: Generator | None = None) -> Tensor:
    """1 with the probability each element gives (or `p`), else 0."""
    if p is None:
        return _bernoulli(input, generator)
    return constant(_drawn_bernoulli(source(generator), input._array, p).astype(input._array.dtype))


MOST_CATEGORIES = 1 << 24


@function(traits="draws")
def multinomial(input: Tensor, num_samples: int, replacement: bool = False, *, generator: Generator | None = None) -> Tensor:
    """Indices drawn with the weights in the rows of `input`, (…, n) to (…, num_samples)."""
    a = input._array
    if a.ndim not in (1, 2):
        raise RuntimeError("prob_dist must be 1 or 2 dim")
    if a.dtype.kind not in dtypes.INEXACT:
        raise RuntimeError(
            f"multinomial only supports floating-point dtypes for input, got: {dtypes.SCALAR_NAMES[input.dtype]}"
        )
    if num_samples <= 0:
        raise RuntimeError("cannot sample n_sample <= 0 samples")
    if not replacement and num_samples > a.shape[-1]:
        raise RuntimeError("cannot sample n_sample > prob_dist.size(-1) samples without replacement")
    if a.shape[-1] > MOST_CATEGORIES:
        raise RuntimeError("number of categories cannot exceed 2^24")
    if not (np.isfinite(a).all() and (a >= 0).all()):
        if not replacement or num_samples == 1:
            raise RuntimeError("probability tensor contains either `inf`, `nan` or element < 0")
        what = "= infinity or NaN" if (a >= 0).all() else "< 0"
        raise RuntimeError(f"invalid multinomial distribution (encountering probability entry {what})")
    if (a.sum(-1) == 0).any():
        raise RuntimeError("invalid multinomial distribution (sum of probabilities <= 0)")
    stream = source(generator)
    if not replacement or num_samples == 1:
        keys = a / stream.exponential(1.0, a.size).reshape(a.shape).astype(a.dtype)
        return constant(np.argsort(-keys, axis=-1, kind="stable")[..., :num_samples])
    rows = a.reshape(-1, a.shape[-1])
    picks = np.empty((len(rows), num_samples), np.int64)
    for r, row in enumerate(rows):
        bounds = np.cumsum(row, dtype=row.dtype)
        bounds /= bounds[-1]
        bounds[-1] = 1
        picks[r] = np.searchsorted(bounds, stream.uniform(num_samples, np.float64), side="left")
    return constant(picks.reshape((*a.shape[:-1], num_samples)))


def _raw(x: Any) -> Any:
    return x._array if isinstance(x, Tensor) else x


# --- drawn in place --------------------------------------------------------------------------------------------------------


def _drawn_bernoulli(s: Stream, a: Any, p: Any = 0.5) -> Any:
    if not isinstance(p, Tensor):
        if not 0 <= p <= 1:
            raise RuntimeError(f"bernoulli_ expects p to be in [0, 1], but got p={p}")
        return (s.uniform(a.size, np.float64) < p).reshape(a.shape)
    order = innermost_first(a.shape, [strides_of(a)])[::-1]
    likely = np.broadcast_to(p._array, a.shape).transpose(order).reshape(a.shape)
    return s.uniform(a.size, p._array.dtype).reshape(a.shape) < likely


def _drawn_uniform(s: Stream, a: Any, low: float = 0.0, high: float = 1.0, **named: float) -> Any:
    low, high = named.get("from", named.get("a", low)), named.get("to", named.get("b", high))
    if low > high:
        raise RuntimeError(f"uniform_ expects to return a [from, to) range, but found from={low} > to={high}")
    return _drawn_as(a.dtype, lambda n, real: s.between(float(low), float(high), n, real), a.shape)


def _drawn_normal(s: Stream, a: Any, mean: float = 0.0, std: float = 1.0) -> Any:
    if std < 0:
        raise RuntimeError(f"normal expects std >= 0.0, but found std {std}")
    if a.size >= 16 and not a.flags.c_contiguous:
        return np.array([s.one_normal() * std + mean for _ in range(a.size)]).reshape(a.shape)
    if a.dtype.kind == "c":
        return _drawn_as(a.dtype, lambda n, real: s.normal(float(mean), float(std) * math.sqrt(0.5), n, real), a.shape)
    return s.normal(float(mean), float(std), a.size, a.dtype).reshape(a.shape)


def _drawn_integers(s: Stream, a: Any, low: int | None = None, high: int | None = None, **named: int) -> Any:
    low = named.get("from", low)
    high = named.get("to", high)
    if low is None and high is None:
        top = {"f4": 1 << 24, "f8": 1 << 53, "f2": 1 << 11}.get(a.dtype.str[1:])
        span = top + 1 if top is not None else (2 if a.dtype.kind == "b" else int(np.iinfo(a.dtype).max) + 1)
        words = s.bits64(a.size) if a.dtype.itemsize == 8 else s.bits32(a.size)
        return (words % np.uint64(span)).reshape(a.shape)
    low, high = (0, low) if high is None else (low or 0, high)
    assert low is not None
    assert high is not None
    if low >= high:
        raise RuntimeError(f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}")
    return s.integers(int(low), int(high), a.size).reshape(a.shape)


def _drawn_exponential(s: Stream, a: Any, lambd: float = 1.0) -> Any:
    if lambd <= 0:
        raise RuntimeError(f"exponential_ expects lambda > 0.0, but found lambda={lambd:g}")
    return s.exponential(lambd, a.size).reshape(a.shape)


def _drawn_cauchy(s: Stream, a: Any, median: float = 0.0, sigma: float = 1.0) -> Any:
    if sigma <= 0:
        raise RuntimeError(f"cauchy_ expects sigma > 0.0, but found sigma={sigma:g}")
    return s.cauchy(median, sigma, a.size).reshape(a.shape)


def _drawn_geometric(s: Stream, a: Any, p: float) -> Any:
    if not 0 < p < 1:
        raise RuntimeError(f"geometric_ expects p to be in (0, 1), but got p={p:g}")
    return s.geometric(p, a.size).reshape(a.shape)


def _drawn_log_normal(s: Stream, a: Any, mean: float = 1.0, std: float = 2.0) -> Any:
    if std <= 0:
        raise RuntimeError(f"log_normal_ expects std > 0.0, but found std={std:g}")
    return np.exp([s.one_normal() * std + mean for _ in range(a.size)]).reshape(a.shape)


DRAWN: dict[str, tuple[str, Callable[..., Any]]] = {
    "uniform_": ("uniform random numbers from [from, to)", _drawn_uniform),
    "normal_": ("normal random numbers", _drawn_normal),
    "bernoulli_": ("1 (of probability p) or 0", _drawn_bernoulli),
    "random_": ("random integers", _drawn_integers),
    "exponential_": ("exponential random numbers", _drawn_exponential),
    "cauchy_": ("Cauchy random numbers", _drawn_cauchy),
    "geometric_": ("geometric random numbers", _drawn_geometric),
    "log_normal_": ("log-normal random numbers", _drawn_log_normal),
}
"""Methods that fill a tensor: what with, and how."""
