"""Which shapes and dtypes an operation takes, and the shape of its result; what does not fit is explained in a sentence."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import TypeAlias

from .operands import Operand

Shape: TypeAlias = tuple[int, ...]


class MisfitError(ValueError):
    """Why an operation does not fit its operands."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What an operation takes beside tensors."""

    number: float = 2.0
    dim: int | None = None
    """None for all dimensions."""
    keepdim: bool = False
    shape: Shape = ()
    index: int = 0
    no_grad: bool = False
    """Whether a writing operation stands inside `torch.no_grad()`."""


Rule: TypeAlias = Callable[[Sequence[Operand], Settings], Shape]


def listed(shape: Shape) -> str:
    """A shape as PyTorch prints it."""
    return f"[{', '.join(map(str, shape))}]"


def broadcast(first: Shape, second: Shape, what: str = "broadcasting") -> Shape:
    """The common shape of two."""
    length = max(len(first), len(second))
    a, b = (1,) * (length - len(first)) + first, (1,) * (length - len(second)) + second
    for dim, (x, y) in enumerate(zip(a, b, strict=True)):
        if x != y and 1 not in (x, y):
            raise MisfitError(f"{what}: sizes {x} and {y} in dimension {dim} differ, and neither is 1")
    return tuple(y if x == 1 else x for x, y in zip(a, b, strict=True))


def elementwise(operands: Sequence[Operand], settings: Settings) -> Shape:
    """One tensor, or two that are broadcast."""
    shape = operands[0].shape
    for other in operands[1:]:
        shape = broadcast(shape, other.shape)
    return shape


def subtraction(operands: Sequence[Operand], settings: Settings) -> Shape:
    """As elementwise, but truth values cannot be subtracted or negated."""
    for operand in operands:
        if operand.dtype == "bool":
            raise MisfitError(f"{operand.code} holds truth values, which cannot be subtracted")
    return elementwise(operands, settings)


def power(operands: Sequence[Operand], settings: Settings) -> Shape:
    """A power with the number as exponent."""
    whole = settings.number == int(settings.number)
    if not operands[0].floating and settings.number < 0 and whole:
        raise MisfitError("integers have no negative integer powers")
    return operands[0].shape


def floating(rule: Rule) -> Rule:
    """The rule for tensors of floating point numbers only."""

    def checked(operands: Sequence[Operand], settings: Settings) -> Shape:
        for operand in operands:
            if not operand.floating:
                raise MisfitError(f"needs floating point numbers, and {operand.code} is {operand.dtype}")
        return rule(operands, settings)

    return checked


def matmul(operands: Sequence[Operand], settings: Settings) -> Shape:
    """The matrix product, of vectors and batches too."""
    a, b = operands[0].shape, operands[1].shape
    for operand in operands:
        if not operand.shape:
            raise MisfitError(f"matmul: {operand.code} is a single number and has no dimension")
    if operands[0].dtype != operands[1].dtype:
        raise MisfitError(f"matmul: {operands[0].dtype} and {operands[1].dtype} differ")
    inner = b[-2] if len(b) > 1 else b[0]
    if a[-1] != inner:
        raise MisfitError(f"matmul: inner sizes {a[-1]} and {inner} differ")
    batch = broadcast(a[:-2], b[:-2], "matmul, batches")
    return batch + a[-2:-1] + (b[-1:] if len(b) > 1 else ())


def dot(operands: Sequence[Operand], settings: Settings) -> Shape:
    """Two vectors of one size."""
    vectors(operands, "dot")
    if operands[0].dtype != operands[1].dtype:
        raise MisfitError(f"dot: {operands[0].dtype} and {operands[1].dtype} differ")
    if operands[0].shape != operands[1].shape:
        raise MisfitError(f"dot: sizes {operands[0].shape[0]} and {operands[1].shape[0]} differ")
    return ()


def outer(operands: Sequence[Operand], settings: Settings) -> Shape:
    """Two vectors of any sizes."""
    vectors(operands, "outer")
    return operands[0].shape + operands[1].shape


def vectors(operands: Sequence[Operand], what: str) -> None:
    """All operands are vectors."""
    for operand in operands:
        if len(operand.shape) != 1:
            raise MisfitError(f"{what}: needs vectors, and {operand.code} is {listed(operand.shape)}")


def transpose(operands: Sequence[Operand], settings: Settings) -> Shape:
    """A matrix turned."""
    shape = operands[0].shape
    if len(shape) != 2:
        raise MisfitError(f"transpose: needs a matrix, and {operands[0].code} is {listed(shape)}")
    return shape[::-1]


def dimension(operand: Operand, settings: Settings) -> int:
    """The chosen dimension."""
    dim = settings.dim
    if dim is None:
        raise MisfitError("needs a dimension: choose one")
    # PyTorch lets a single number have a dimension 0.
    if dim >= max(1, len(operand.shape)):
        raise MisfitError(f"{operand.code} is {listed(operand.shape)} and has no dimension {dim}")
    return dim


def reduced(operands: Sequence[Operand], settings: Settings) -> Shape:
    """All dimensions, or one, taken together."""
    shape = operands[0].shape
    if settings.dim is None:
        return ()
    dim = dimension(operands[0], settings)
    if not shape:
        return ()
    return shape[:dim] + ((1,) if settings.keepdim else ()) + shape[dim + 1 :]


def along(operands: Sequence[Operand], settings: Settings) -> Shape:
    """Something along one dimension that keeps the shape."""
    dimension(operands[0], settings)
    return operands[0].shape


def spread(operands: Sequence[Operand], settings: Settings) -> Shape:
    """A reduction that needs at least two elements to say anything."""
    shape = operands[0].shape
    count = math.prod(shape) if settings.dim is None or not shape else shape[dimension(operands[0], settings)]
    if count < 2:
        raise MisfitError("needs at least two elements: of one it is nan")
    return reduced(operands, settings)


def reshape(operands: Sequence[Operand], settings: Settings) -> Shape:
    """The same elements in another shape."""
    have, want = math.prod(operands[0].shape), math.prod(settings.shape)
    if have != want:
        raise MisfitError(f"reshape: {listed(settings.shape)} has {want} elements, {operands[0].code} has {have}")
    return settings.shape


def shapes_of(count: int) -> list[Shape]:
    """The shapes of up to three dimensions that `count` elements fill, the plain ones first."""
    if count > _MOST_SHAPED:
        return [(count,)]
    small = [size for size in range(1, math.isqrt(count) + 1) if count % size == 0]
    divisors = sorted({*small, *(count // size for size in small)})
    two = ((size, count // size) for size in divisors)
    inner = divisors[1:-1]
    three = ((a, b, count // (a * b)) for a in inner for b in inner if count % (a * b) == 0 and a * b < count)
    return list(islice(chain([(count,)], two, three), 40))


_MOST_SHAPED = 10**9
"""Elements beyond which no divisors are looked for."""


def flattened(operands: Sequence[Operand], settings: Settings) -> Shape:
    """One dimension."""
    return (math.prod(operands[0].shape),)


def unsqueezed(operands: Sequence[Operand], settings: Settings) -> Shape:
    """A dimension of size 1 more, before the chosen one."""
    dim = settings.dim or 0
    shape = operands[0].shape
    if dim > len(shape):
        raise MisfitError(f"{operands[0].code} is {listed(shape)}: a dimension can be put at 0 to {len(shape)}")
    return (*shape[:dim], 1, *shape[dim:])


def squeezed(operands: Sequence[Operand], settings: Settings) -> Shape:
    """Without dimensions of size 1."""
    if 1 not in operands[0].shape:
        raise MisfitError(f"squeeze: {operands[0].code} is {listed(operands[0].shape)} and has no dimension of size 1")
    return tuple(size for size in operands[0].shape if size != 1)


def picked(operands: Sequence[Operand], settings: Settings) -> Shape:
    """One entry along the chosen dimension (the first, if none is)."""
    operand, dim = operands[0], settings.dim or 0
    if not operand.shape:
        raise MisfitError(f"{operand.code} is a single number and has no entries to pick from")
    if dim >= len(operand.shape):
        raise MisfitError(f"{operand.code} is {listed(operand.shape)} and has no dimension {dim}")
    if settings.index >= operand.shape[dim]:
        raise MisfitError(f"index {settings.index} is out of range: dimension {dim} has size {operand.shape[dim]}")
    return operand.shape[:dim] + operand.shape[dim + 1 :]


def stacked(operands: Sequence[Operand], settings: Settings) -> Shape:
    """Tensors of one shape, one after another in a new dimension."""
    shapes = list(dict.fromkeys(operand.shape for operand in operands))
    if len(shapes) > 1:
        raise MisfitError(f"stack: shapes {listed(shapes[0])} and {listed(shapes[1])} differ")
    dim = settings.dim or 0
    if dim > len(shapes[0]):
        raise MisfitError(f"stack: dimension {dim} is out of range")
    return (*shapes[0][:dim], len(operands), *shapes[0][dim:])


def joined(operands: Sequence[Operand], settings: Settings) -> Shape:
    """Tensors that differ in one dimension only, put together along it."""
    first, dim = operands[0].shape, settings.dim or 0
    for operand in operands:
        shape = operand.shape
        if not shape:
            raise MisfitError(f"cat: {operand.code} is a single number and has no dimension")
        if dim >= len(shape) or len(shape) != len(first):
            raise MisfitError(f"cat: {listed(first)} and {listed(shape)} have no common dimension {dim}")
        for axis, (x, y) in enumerate(zip(first, shape, strict=True)):
            if axis != dim and x != y:
                raise MisfitError(f"cat: sizes {x} and {y} in dimension {axis} differ")
    return (*first[:dim], sum(operand.shape[dim] for operand in operands), *first[dim + 1 :])


def alike(operands: Sequence[Operand], settings: Settings) -> Shape:
    """A loss between two tensors of one shape."""
    a, b = operands
    if a.shape != b.shape:
        raise MisfitError(f"needs equal shapes: {a.code} is {listed(a.shape)}, {b.code} is {listed(b.shape)}")
    return ()


def by_broadcast(operands: Sequence[Operand], settings: Settings) -> Shape:
    """A loss between two tensors that are broadcast, which is seldom meant."""
    broadcast(operands[0].shape, operands[1].shape)
    return ()


def classes(operands: Sequence[Operand], settings: Settings) -> Shape:
    """Scores (N, C) or (C) against class numbers (N) or ()."""
    scores, target = operands
    if not scores.floating:
        raise MisfitError(f"cross entropy: scores are floating point numbers, and {scores.code} is {scores.dtype}")
    if len(scores.shape) not in (1, 2):
        raise MisfitError(
            f"cross entropy: scores are [classes] or [rows, classes], and {scores.code} is {listed(scores.shape)}"
        )
    if target.dtype != "int64":
        if target.dtype == scores.dtype and target.shape == scores.shape:
            return ()
        wanted = f"class numbers (int64), or probabilities of shape {listed(scores.shape)}"
        raise MisfitError(f"cross entropy: {target.code} must hold {wanted}")
    if target.shape != scores.shape[:-1]:
        raise MisfitError(f"cross entropy: {listed(scores.shape)} needs class numbers of shape {listed(scores.shape[:-1])}")
    return ()


def written(operands: Sequence[Operand], settings: Settings) -> Shape:
    """An operation that writes into its first operand."""
    target = operands[0]
    if target.leaf and target.requires_grad and not settings.no_grad:
        raise MisfitError(f"{target.code} is a leaf that requires grad: it may be written only inside torch.no_grad()")
    if target.view_of_leaf and not settings.no_grad:
        raise MisfitError(f"{target.code} is a view of {target.view_of_leaf}, a leaf that requires grad")
    for other in operands[1:]:
        shape = broadcast(target.shape, other.shape, "in place")
        if shape != target.shape:
            raise MisfitError(f"in place: {target.code} is {listed(target.shape)} and cannot grow to {listed(shape)}")
        if other.floating and not target.floating:
            raise MisfitError(f"in place: {other.dtype} does not fit into {target.dtype}")
    return target.shape


def written_by_number(operands: Sequence[Operand], settings: Settings) -> Shape:
    """As written, with the number."""
    target = operands[0]
    if not target.floating and (settings.number != int(settings.number) or target.dtype == "bool"):
        raise MisfitError(f"in place: the number does not fit into {target.dtype}")
    return written(operands, settings)
