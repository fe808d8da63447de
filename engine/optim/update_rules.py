"""What the algorithms' constructors and update rules share: checked options, state tensors, fused formulas."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .. import dtypes
from ..arguments import given
from ..ops.near import add_product, plus_product
from ..tensor import Array, Tensor, constant


def one_element(lr: Any) -> None:
    """Raise PyTorch's ValueError for a learning rate that is several numbers."""
    if isinstance(lr, Tensor) and lr.numel() != 1:
        raise ValueError("Tensor lr must be 1-element")


# As PyTorch compares, so that NaN passes or does not, and a TypeError reads, as there.


def zero_or_more(value: Any) -> Any:
    """What most options have to be."""
    return 0.0 <= value  # noqa: SIM300


def above_zero(value: Any) -> Any:
    """What SparseAdam's have to be."""
    return 0.0 < value  # noqa: SIM300


def not_negative(value: Any) -> Any:
    """What SGD's have to be."""
    return not value < 0.0


def check(lr: Any, fits: Callable[[Any], Any] = zero_or_more, **options: Any) -> None:
    """Raise PyTorch's ValueError for an option that does not fit (betas: one outside [0, 1)), in the order given."""
    one_element(lr)
    for name, value in {"lr": lr, **options}.items():
        if name == "betas":
            for i in (0, 1):
                if not 0.0 <= value[i] < 1.0:
                    raise ValueError(f"Invalid beta parameter at index {i}: {value[i]}")
        elif not fits(value):
            words = {"lr": "learning rate", "eps": "epsilon value"}.get(name, f"{name} value")
            raise ValueError(f"Invalid {words}: {value}")


def at_least(least: float, value: Any, name: str) -> None:
    """Raise a ValueError in the words of PyTorch's newer optimizers for an option below `least`."""
    if not least <= value:
        raise ValueError(f"{name} should be >= {least:g} but is: {value}")


def options(variables: dict[str, Any], *first: str) -> dict[str, Any]:
    """The options, from the `locals()` of a constructor that has no other variables but the parameters.

    Those in `first` come first, the rest as in the signature: a printed state dict shows PyTorch's order.
    """
    return {name: value for name, value in given(variables, *first).items() if name != "params"}


def number(option: Any) -> Any:
    """An option as a number; a tensor gives a NumPy scalar of its dtype, so that arithmetic rounds as PyTorch's does."""
    return option._array.reshape(-1)[0] if isinstance(option, Tensor) else option


def by_index(g: Any) -> tuple[Any, Array]:
    """Where a sparse gradient has elements, each place once, and which they are."""
    from ..stand_ins.sparse import coalesced

    indices, values, _ = coalesced(g).parts
    return tuple(indices), values


def zeros(p: Array) -> Tensor:
    """A state tensor of zeros like `p`."""
    return constant(np.zeros_like(p))


def scalar(value: float) -> Tensor:
    """A state tensor without dimensions, float32 unless the default dtype is float64."""
    double = dtypes.get_default_dtype() is dtypes.float64
    return constant(np.array(value, dtype=np.float64 if double else np.float32))


def advance(state: dict[str, Any]) -> float:
    r"""Count a step: $t \leftarrow t + 1$; returns $t$."""
    step = state["step"]._array
    step += 1
    return float(step)


def lerp(x: Array, end: Array, weight: float) -> None:
    r"""$x \leftarrow x + w\,(e - x)$ in place, from the nearer end."""
    if abs(weight) < 0.5:
        add_product(x, end - x, weight)
    else:
        x[...] = plus_product(end, end - x, x.dtype.type(weight) - 1)


def addcmul(x: Array, a: Array, b: Array, value: float) -> None:
    r"""$x \leftarrow x + v\,a\,b$ in place."""
    add_product(x, a * value, b)


def addcdiv(x: Array, a: Array, b: Array, value: float) -> None:
    r"""$x \leftarrow x + v\,a / b$ in place."""
    x += a * value / b
