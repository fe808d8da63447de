"""`einops`: dimensions by name, for tensors and arrays."""

from __future__ import annotations

import string
from typing import Any

import numpy as np

from ...itself import engine as torch
from ...tensor import Tensor
from .packing import pack, unpack
from .parsing import ELLIPSIS, AnonymousAxis, EinopsError, Expression
from .recipes import apply, recipe

__all__ = ["EinopsError", "asnumpy", "einsum", "pack", "parse_shape", "rearrange", "reduce", "repeat", "unpack"]
__version__ = "0.8.2"


def reduce(tensor: Any, pattern: str, reduction: Any, **axes_lengths: int) -> Any:
    """Rearrange, and reduce over the axes that are missing on the right; a list of tensors is stacked first.

    Raises:
        EinopsError: if pattern, shape and lengths do not fit.
    """
    given, shape = tensor, ()
    try:
        if isinstance(tensor, list):
            if not tensor:
                raise TypeError("Rearrange/Reduce/Repeat can't be applied to an empty list")
            tensor = torch.stack(tensor) if isinstance(_checked(tensor[0]), Tensor) else np.stack(tensor)
        shape = tuple(_checked(tensor).shape)
        read = recipe(pattern, reduction, tuple(axes_lengths), len(shape))
        return apply(read, tensor, reduction, axes_lengths)
    except EinopsError as error:
        message = f' Error while processing {reduction}-reduction pattern "{pattern}".'
        told = tensor.shape if isinstance(tensor, Tensor) else shape
        message += "\n Input is list. " if isinstance(given, list) and not shape else f"\n Input tensor shape: {told}. "
        raise EinopsError(f"{message}Additional info: {axes_lengths}.\n {error}") from None


def rearrange(tensor: Any, pattern: str, **axes_lengths: int) -> Any:
    """Reshape and permute by name: `rearrange(x, "b c (h w) -> b h w c", h=8)`."""
    return reduce(tensor, pattern, "rearrange", **axes_lengths)


def repeat(tensor: Any, pattern: str, **axes_lengths: int) -> Any:
    """Repeat along new axes: `repeat(x, "h w -> h w c", c=3)`."""
    return reduce(tensor, pattern, "repeat", **axes_lengths)


def parse_shape(x: Any, pattern: str) -> dict[str, int]:
    """The lengths of a tensor's dimensions by name; `_` passes one over.

    Raises:
        RuntimeError: if the shape is another.
    """
    read, shape = Expression(pattern, allow_underscore=True), _checked(x).shape
    groups = read.composition
    if any(group != ELLIPSIS and len(group) > 1 for group in groups):
        raise RuntimeError(f"Can't parse shape with composite axes: {pattern} {shape}")
    if read.has_ellipsis:
        if len(shape) < len(groups) - 1:
            raise RuntimeError(f"Can't parse shape with this number of dimensions: {pattern} {shape}")
        at = groups.index(ELLIPSIS)
        groups = groups[:at] + [["_"]] * (len(shape) - len(groups) + 1) + groups[at + 1 :]
    elif len(shape) != len(groups):
        raise RuntimeError(f"Can't parse shape with different number of dimensions: {pattern} {shape}")
    found: dict[str, int] = {}
    for group, length in zip(groups, shape, strict=True):
        if not group:
            if length != 1:
                raise RuntimeError(f"Length of axis is not 1: {pattern} {shape}")
        elif isinstance(group[0], AnonymousAxis):
            if group[0].value != length:
                raise RuntimeError(f"Length of anonymous axis does not match: {pattern} {shape}")
        elif group[0] != "_":
            found[group[0]] = length
    return found


def asnumpy(tensor: Any) -> Any:
    """A tensor as an array."""
    return tensor.detach().cpu().numpy() if isinstance(tensor, Tensor) else _checked(tensor)


def einsum(*tensors_and_pattern: Any) -> Any:
    """The sum of products that a pattern tells, with named axes: `einsum(x, w, "b i, o i -> b o")`.

    Raises:
        ValueError: if no pattern comes last.
    """
    if len(tensors_and_pattern) <= 1:
        raise ValueError("`einops.einsum` takes at minimum two arguments: the tensors (at least one), followed by the pattern.")
    *tensors, pattern = tensors_and_pattern
    if not isinstance(pattern, str):
        raise ValueError("The last argument passed to `einops.einsum` must be a string, representing the einsum pattern.")
    compact = _compact(pattern)
    return torch.einsum(compact, *tensors) if isinstance(_checked(tensors[0]), Tensor) else np.einsum(compact, *tensors)


def _compact(pattern: str) -> str:
    """The pattern with a letter for each name."""
    if "->" not in pattern:
        raise ValueError("Einsum pattern must contain '->'.")
    left_text, right_text = pattern.split("->")
    lefts = [Expression(text, allow_underscore=True, allow_duplicates=True) for text in left_text.split(",")]
    letters: dict[str, str] = {}
    for left in lefts:
        for group in left.composition:
            if group != ELLIPSIS and _named(group) not in letters:
                if len(letters) == len(string.ascii_letters):
                    raise RuntimeError("Too many axes in einsum.")
                letters[group[0]] = string.ascii_letters[len(letters)]

    def shortened(read: Expression) -> str:
        return "".join("..." if group == ELLIPSIS else letters[group[0]] for group in read.composition)

    right = Expression(right_text, allow_underscore=True)
    for group in right.composition:
        if group != ELLIPSIS and _named(group) not in letters:
            raise EinopsError(f"Unknown axis {group[0]} on right side of einsum {pattern}.")
    return f"{','.join(map(shortened, lefts))}->{shortened(right)}"


def _named(group: list[Any]) -> str:
    """The only axis of a dimension.

    Raises:
        NotImplementedError: if it has none, several, or one without a name.
    """
    if not group:
        raise NotImplementedError("Singleton () axes are not yet supported in einsum.")
    if len(group) > 1:
        raise NotImplementedError("Shape rearrangement is not yet supported in einsum.")
    if isinstance(group[0], AnonymousAxis):
        raise NotImplementedError("Anonymous axes are not yet supported in einsum.")
    return str(group[0])


def _checked(tensor: Any) -> Any:
    """A tensor or array.

    Raises:
        RuntimeError: if it is none.
    """
    if not isinstance(tensor, Tensor | np.ndarray):
        raise RuntimeError(f"Tensor type unknown to einops {type(tensor)}")
    return tensor
