r"""`torch.autograd.forward_ad`: dual tensors, which carry a tangent along, so that Jacobian–vector products come forwards.

There is no second table of rules. A backward rule gives $J^\top v$ and is linear in $v$, so its own derivative in $v$, applied
to a tangent $t$, is $J t$: every operation that a dual tensor meets is run once more on stand-ins, its rule is asked for the
product with a vector of ones, and that product is differentiated by the vector. Outside of a level nothing of this is asked.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, NamedTuple

import numpy as np

from ..context import context, grad_mode, observed
from ..dtypes import INEXACT
from ..tensor import Tensor, constant
from .passes import grad

__all__ = ["UnpackedDualTensor", "dual_level", "enter_dual_level", "exit_dual_level", "make_dual", "unpack_dual"]

TANGENT = "_tangent"
"""Where a dual tensor keeps its tangent: a pair of the number of the level's use, and the tangent."""


class UnpackedDualTensor(NamedTuple):
    """A dual tensor's value and its tangent, None where it has none."""

    primal: Tensor
    tangent: Tensor | None


class _Level:
    """Which use of the level is the current one; there is one level at a time."""

    current = -1
    used = 0


def enter_dual_level() -> int:
    """Begin a level: from now on tensors may carry tangents. Returns its number.

    Raises:
        RuntimeError: where there is a level already.
    """
    if _Level.current >= 0:
        raise RuntimeError("Nested forward mode AD is not supported at the moment")
    _Level.current, _Level.used = 0, _Level.used + 1
    context.dual = push
    return 0


def exit_dual_level(*, level: int | None = None) -> None:
    """End the level; the tangents made in it are gone.

    Raises:
        RuntimeError: for a level that is not the last one, and where there is none.
    """
    level = _Level.current if level is None else level
    if level != _Level.current:
        raise RuntimeError(
            "Trying to exit a forward AD level that was not the last one that was created. This is not supported."
        )
    if level < 0:
        raise RuntimeError("Dual level must be a positive number.")
    _Level.current = -1
    context.dual = None


class dual_level:  # noqa: N801
    """The block in which dual tensors are made and computed with."""

    def __enter__(self) -> int:
        return enter_dual_level()

    def __exit__(self, *_: object) -> None:
        exit_dual_level()

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def within(*args: Any, **kwargs: Any) -> Any:
            with dual_level():
                return function(*args, **kwargs)

        return within


def make_dual(tensor: Tensor, tangent: Tensor, *, level: int | None = None) -> Tensor:
    """The tensor as a new one, sharing memory, that carries a tangent.

    Raises:
        RuntimeError: outside of a level, for a tangent of another shape, and a tensor that has one already.
        ValueError: for what is neither floating point nor complex.
    """
    level = _Level.current if level is None else level
    if level < 0:
        raise RuntimeError(
            "Trying to create a dual Tensor for forward AD but no level exists, make sure to enter_dual_level() first."
        )
    for what, t in (("primal", tensor), ("tangent", tangent)):
        if t._array.dtype.kind not in INEXACT:
            raise ValueError(f"Expected {what} to be floating point or complex, but got: {t.dtype}")
    if tangent_of(tensor) is not None:
        raise RuntimeError(
            f"Making a dual Tensor based on a Tensor that already has a forward gradient at the same level {level} is not "
            "supported."
        )
    check_shape(tensor, tangent)
    dual = _same(tensor)
    give(dual, tangent)
    return dual


def check_shape(tensor: Tensor, tangent: Tensor) -> None:
    """Refuse a tangent that has not the shape of its tensor."""
    if tensor._array.shape != tangent._array.shape:
        raise RuntimeError(
            "Trying to set a forward gradient that has a different size than that of the original Tensor, this is not "
            f"supported. Tensor is of size {list(tensor._array.shape)} while the given forward gradient is of size "
            f"{list(tangent._array.shape)}."
        )


def unpack_dual(tensor: Tensor, *, level: int | None = None) -> UnpackedDualTensor:
    """The tensor's value and its tangent."""
    level = _Level.current if level is None else level
    if level < 0:
        return UnpackedDualTensor(tensor, None)
    tangent = tangent_of(tensor)
    return UnpackedDualTensor(tensor if tangent is None else _same(tensor), tangent)


def _same(tensor: Tensor) -> Tensor:
    """The tensor as a new one in the same memory, in its graph, without a tangent."""
    before, context.dual = context.dual, None
    try:
        seen: Any = tensor
        made: Tensor = seen.view_as(tensor)
        give(made, None)
        return made
    finally:
        context.dual = before


def give(tensor: Tensor, tangent: Tensor | None) -> None:
    """Let a tensor carry a tangent; None for none, whatever that of the tensor is of which it is a view.

    Raises:
        TypeError: for a tangent that is no tensor.
    """
    if tangent is not None and not isinstance(tangent, Tensor):
        raise TypeError(f"a tangent must be a Tensor, not {type(tangent).__name__}")
    tensor.__dict__[TANGENT] = (_Level.used, tangent)


def tangent_of(tensor: Tensor) -> Tensor | None:
    """The tangent that a tensor carries at the current level: its own, or of a view the part of its base's."""
    if _Level.current < 0:
        return None
    if not isinstance(tensor, Tensor):
        raise TypeError(f"what carries a tangent is a Tensor, not {type(tensor).__name__}")
    kept = tensor.__dict__.get(TANGENT)
    if kept is not None and kept[0] == _Level.used:
        tangent: Tensor | None = kept[1]
        return tangent
    view = tensor._view
    if view is None:
        return None
    whole = tangent_of(view.base)
    return None if whole is None else constant(view.replay(whole._array))


def written(tensor: Tensor, result: Tensor) -> None:
    """A tensor was written in place by `result`: it takes over its tangent; so does, of a view, the part of the base."""
    new = tangent_of(result)
    view = tensor._view
    if view is None:
        if new is not None:
            give(tensor, new)
        elif tangent_of(tensor) is not None:
            give(tensor, constant(np.zeros_like(tensor._array)))
        return
    whole = tangent_of(view.base)
    if whole is None and new is None:
        return
    array = np.zeros_like(view.base._array) if whole is None else np.array(whole._array)
    view.replay(array)[...] = 0 if new is None else new._array
    tensor.__dict__.pop(TANGENT, None)
    give(view.base, constant(array))


def push(op: Any, arguments: tuple[Any, ...], result: Any) -> None:
    """An operation has run: give its results their tangents, if an argument carries one."""
    moving = [a for name, a in _listed(op, arguments) if op.rules.get(name) is not None and tangent_of(a) is not None]
    if "detaches" in op.traits:
        give(result, None)
    if not moving:
        return
    results = list(result) if isinstance(result, tuple | list) else [result]
    if "draws" in op.traits:
        tangents: list[Any] = [constant(np.zeros_like(r._array)) for r in results]
    else:
        with grad_mode(True), observed(None):
            context.dual = None
            try:
                tangents = _pushed(op, arguments, moving)
            finally:
                context.dual = push
    # The stand-ins' own graph leads nowhere; that of the arguments and of their tangents goes on through the new ones.
    tracked = context.grad and any(
        a.requires_grad or ((t := tangent_of(a)) is not None and t.requires_grad) for _, a in _listed(op, arguments)
    )
    for r, t in zip(results, tangents, strict=True):
        if t is not None:
            give(r, t if tracked else constant(t._array))


def _listed(op: Any, arguments: tuple[Any, ...]) -> list[tuple[str, Tensor]]:
    """The tensors among the arguments, with the names of the parameters that they are given for."""
    found = []
    for p, value in zip(op.parameters, arguments, strict=True):
        for v in value if isinstance(value, list | tuple) else (value,):
            if isinstance(v, Tensor):
                found.append((p.name, v))
    return found


def _pushed(op: Any, arguments: tuple[Any, ...], moving: list[Tensor]) -> list[Any]:
    """The products of an operation's Jacobian and the tangents of what it is given, one per result."""
    stand_ins: dict[int, Tensor] = {}
    for tensor in moving:
        if id(tensor) not in stand_ins:
            stand_ins[id(tensor)] = _same(tensor) if tensor.requires_grad else constant(tensor._array).requires_grad_()

    def replaced(value: Any) -> Any:
        if isinstance(value, list | tuple) and any(isinstance(v, Tensor) for v in value):
            return type(value)(replaced(v) for v in value)
        return stand_ins.get(id(value), value)

    named = {p.name: replaced(value) for p, value in zip(op.parameters, arguments, strict=True) if p.kind is p.KEYWORD_ONLY}
    placed = [replaced(value) for p, value in zip(op.parameters, arguments, strict=True) if p.kind is not p.KEYWORD_ONLY]
    out = op.call(*placed, **named)
    outs = list(out) if isinstance(out, tuple | list) else [out]
    depends = [k for k, o in enumerate(outs) if o.requires_grad]
    tangents: list[Any] = [constant(np.zeros_like(o._array)) if o._array.dtype.kind in INEXACT else None for o in outs]
    if not depends:
        return tangents
    # Any vector will do, but a rule that works in logarithms has no slope at zero.
    vectors = [constant(np.ones_like(outs[k]._array)).requires_grad_() for k in depends]
    products = grad([outs[k] for k in depends], list(stand_ins.values()), vectors, create_graph=True, allow_unused=True)
    pairs = [
        (g, tangent_at(tensor))
        for g, tensor in zip(products, _unique(moving), strict=True)
        if g is not None and g.requires_grad
    ]
    if not pairs:
        return tangents
    found = grad([g for g, _ in pairs], vectors, [t for _, t in pairs], create_graph=True, allow_unused=True, retain_graph=True)
    for k, t in zip(depends, found, strict=True):
        if t is not None:
            tangents[k] = t
    return tangents


def _unique(tensors: list[Tensor]) -> list[Tensor]:
    return list({id(t): t for t in tensors}.values())


def tangent_at(tensor: Tensor) -> Tensor:
    """The tangent of a tensor that has one, in its dtype."""
    tangent = tangent_of(tensor)
    assert tangent is not None
    moved: Any = tangent
    return tangent if tangent.dtype is tensor.dtype else moved.to(tensor.dtype)
