"""Sums of products by Einstein's notation."""

from __future__ import annotations

import string
from math import prod
from typing import Any

from ...op.declare import function
from ...tensor import Tensor
from ..reduction.sums import sum as total
from ..shape.diagonals import diagonal
from ..shape.permute import permute
from ..shape.reshaping import reshape, unsqueeze
from .matmul import bmm


@function(traits="product")
def einsum(*args: Any) -> Tensor:
    """Sums of products by Einstein's notation: `einsum("ij,jk->ik", a, b)`, or operands each followed by their indices."""
    equation, operands = _equation(args)
    equation = equation.replace(" ", "")
    left, arrow, right = equation.partition("->")
    terms = left.split(",")
    if len(terms) != len(operands):
        more = "more" if len(terms) < len(operands) else "fewer"
        raise RuntimeError(f"einsum(): {more} operands were provided than specified in the equation")
    dots = 0
    for term, x in zip(terms, operands, strict=True):
        named = len(term.replace("...", ""))
        if "..." in term:
            dots = max(dots, x._array.ndim - named)
        elif named != x._array.ndim:
            raise RuntimeError(
                "einsum(): the number of subscripts in the equation "
                f"({named}) {'does not match' if named < x._array.ndim else 'is more than'} the number of dimensions "
                f"({x._array.ndim}) for operand {operands.index(x)}"
                + (" and no ellipsis was given" if named < x._array.ndim else "")
            )
    covered = [chr(1 + i) for i in range(dots)]
    labels = []
    for term, x in zip(terms, operands, strict=True):
        k = x._array.ndim - len(term.replace("...", ""))
        labels.append(list(term.replace("...", "".join(covered[dots - k :]) if k else "")))
    counts: dict[str, int] = {}
    for letters in labels:
        for c in letters:
            counts[c] = counts.get(c, 0) + 1
    if arrow:
        out = list(right.replace("...", "".join(covered)))
    else:
        out = covered + sorted(c for c, n in counts.items() if n == 1 and c not in covered)
    for i, c in enumerate(out):
        if c in out[:i]:
            raise RuntimeError(f"einsum(): output subscript {c} appears more than once in the output")
        if c not in counts and c not in covered:
            raise RuntimeError(f"einsum(): output subscript {c} does not appear in the equation for any input operand")
    return _contract(operands, labels, out)


def _equation(args: tuple[Any, ...]) -> tuple[str, list[Tensor]]:
    if isinstance(args[0], str):
        rest = args[1:]
        operands = list(rest[0]) if len(rest) == 1 and isinstance(rest[0], tuple | list) else list(rest)
        return args[0], operands
    letters = string.ascii_letters

    def subscript(indices: Any) -> str:
        return "".join("..." if i is Ellipsis else letters[i] for i in indices)

    operands, terms = list(args[: len(args) // 2 * 2 : 2]), [subscript(i) for i in args[1::2]]
    return ",".join(terms) + ("->" + subscript(args[-1]) if len(args) % 2 else ""), operands


def _contract(operands: list[Tensor], labels: list[list[str]], out: list[str]) -> Tensor:
    order = out + sorted({c for letters in labels for c in letters} - set(out))
    lengths: dict[str, int] = {}
    spread_out = []
    for i, (x, letters) in enumerate(zip(operands, labels, strict=True)):
        while len(set(letters)) < len(letters):
            c = next(c for c in letters if letters.count(c) > 1)
            first = letters.index(c)
            second = letters.index(c, first + 1)
            if x._array.shape[first] != x._array.shape[second]:
                raise RuntimeError(
                    f"einsum(): subscript {c} is repeated for operand {i} but the sizes don't match, "
                    f"{x._array.shape[second]} != {x._array.shape[first]}"
                )
            x = diagonal(x, 0, first, second)
            letters = [*(letter for k, letter in enumerate(letters) if k not in (first, second)), c]
        for c, n in zip(letters, x._array.shape, strict=True):
            if lengths.get(c, 1) not in (1, n) and n != 1:
                raise RuntimeError(
                    "einsum(): operands do not broadcast with remapped shapes [original->remapped]: "
                    + " ".join(f"{list(o._array.shape)}->{list(o._array.shape)}" for o in operands)
                )
            lengths[c] = max(lengths.get(c, 1), n)
        x = permute(x, *sorted(range(len(letters)), key=lambda k: order.index(letters[k]))) if letters else x
        for k, c in enumerate(order):
            if c not in letters:
                x = unsqueeze(x, k)
        spread_out.append(x)
    result = spread_out[0]
    summed = list(range(len(out), len(order)))
    for k, x in enumerate(spread_out[1:], 1):
        later = spread_out[k + 1 :]
        now = [d for d in summed if all(y._array.shape[d] == 1 for y in later)]
        result = _product_summed(result, x, now)
    if len(spread_out) == 1 and summed:
        return total(result, summed)
    return reshape(result, result._array.shape[: len(out)]) if summed else result


def _product_summed(a: Tensor, b: Tensor, dims: list[int]) -> Tensor:
    """The sum over `dims` (kept with length one) of the product of two tensors that broadcast, as one batched product."""
    for d in list(dims):
        # What only one of them has can be summed beforehand.
        if a._array.shape[d] == 1 or b._array.shape[d] == 1:
            if a._array.shape[d] != 1:
                a = total(a, d, True)
            elif b._array.shape[d] != 1:
                b = total(b, d, True)
            dims = [x for x in dims if x != d]
    if not dims:
        return a * b
    n = a._array.ndim
    both, left, right = [], [], []
    for d in range(n):
        if d in dims:
            continue
        if a._array.shape[d] == b._array.shape[d]:
            both.append(d)
        elif b._array.shape[d] == 1:
            left.append(d)
        else:
            right.append(d)

    def sizes(x: Tensor, ds: list[int]) -> list[int]:
        return [x._array.shape[d] for d in ds]

    first = permute(a, *both, *left, *dims, *right)
    second = permute(b, *both, *dims, *right, *left)
    batch, rows, columns, shared = prod(sizes(a, both)), prod(sizes(a, left)), prod(sizes(b, right)), prod(sizes(a, dims))
    out = bmm(reshape(first, (batch, rows, shared)), reshape(second, (batch, shared, columns)))
    shape = [*sizes(a, both), *sizes(a, left), *sizes(b, right), *[1] * len(dims)]
    now = [*both, *left, *right, *dims]
    return permute(reshape(out, tuple(shape)), *[now.index(d) for d in range(n)])
