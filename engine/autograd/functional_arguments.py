"""What the functions of `torch.autograd.functional` take and return: inputs, outputs, vectors, and what `strict` refuses."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..errors import AutogradError
from ..tensor import Tensor, constant
from .passes import grad

Tensors = tuple[Tensor, ...]

STRICT = " This is not allowed in strict mode"
OUTPUTS = "outputs of the user-provided function"


# --- what they are made of -------------------------------------------------------------------------------------------------


def _tuple(value: Any, what: str, name: str) -> tuple[bool, Tensors]:
    """Whether `value` is a tuple, and it as one."""
    several = isinstance(value, tuple)
    items: Tensors = value if several else (value,)
    for i, item in enumerate(items):
        if not isinstance(item, Tensor):
            where = f"the value at index {i} has" if several else f"the given {what} has"
            raise TypeError(
                f"The {what} given to {name} must be either a Tensor or a tuple of Tensors but {where} type {type(item)}."
            )
    return several, items


def _plain(items: Sequence[Any], several: bool) -> Any:
    return tuple(items) if several else items[0]


def _fresh(tensors: Tensors, create_graph: bool, needs: bool) -> Tensors:
    """New tensors in place of the given ones: connected to them if `create_graph`, else leaves."""
    return tuple(t.view_as(t) if create_graph and t.requires_grad else t.detach().requires_grad_(needs) for t in tensors)


def _settled(tensors: Tensors, create_graph: bool) -> Tensors:
    return tensors if create_graph else tuple(t.detach() for t in tensors)


def _zeros(like: Tensors) -> Tensors:
    return tuple(constant(np.zeros_like(t._array)).requires_grad_() for t in like)


def _outputs(func: Callable[..., Any], ins: Tensors, name: str, strict: bool) -> tuple[bool, Tensors]:
    several, outs = _tuple(func(*ins), OUTPUTS, name)
    _check_depends(outs, "outputs", strict)
    return several, outs


def _scalar(func: Callable[..., Any], ins: Tensors, name: str, strict: bool) -> tuple[bool, Tensor]:
    several, outs = _outputs(func, ins, name, strict)
    if several:
        raise RuntimeError(f"The function given to {name} should return a single Tensor")
    if outs[0].numel() != 1:
        raise RuntimeError(f"The Tensor returned by the function given to {name} should contain a single element")
    return several, outs[0]


def _vector(v: Any, name: str, like: Tensors, several: bool, create_graph: bool, needed: str) -> Any:
    """`v` as a tuple in the shapes of `like`, or Nones where it may be left out."""
    if v is None:
        if len(like) != 1 or like[0].numel() != 1:
            raise RuntimeError(needed)
        return (None,)
    vector = _fresh(_tuple(v, "v", name)[1], create_graph, False)
    if len(vector) != len(like):
        raise RuntimeError(
            f"v is a tuple of invalid length: should be {len(like)} but got {len(vector)}."
            if several
            else "The given v should contain a single Tensor."
        )
    for i, (a, b) in enumerate(zip(vector, like, strict=True)):
        if a.shape != b.shape:
            entry = f"Entry {i} in " if several else ""
            raise RuntimeError(f"{entry}v has invalid size: should be {b.shape} but got {a.shape}.")
    return vector


def _grad(outs: Any, ins: Tensors, vectors: Any, create_graph: bool, retain_graph: bool | None = None) -> tuple[Any, ...]:
    """`autograd.grad` that passes over outputs without graph, and gives None where there is no dependence."""
    pairs = [(o, v) for o, v in zip(outs, vectors or (None,) * len(outs)) if o is not None and o.requires_grad]
    if not pairs:
        return (None,) * len(ins)
    roots, given = zip(*pairs)
    found: tuple[Any, ...] = grad(roots, ins, given, retain_graph, create_graph, allow_unused=True)
    return found


def _check_depends(tensors: Any, what: str, strict: bool) -> None:
    """In strict mode, refuse tensors (of the given kind) that do not depend on the inputs."""
    if not strict:
        return
    for i, t in enumerate(tensors):
        if t is None:
            raise AutogradError(f"The output of the user-provided function is independent of input {i}.{STRICT}.")
        if not t.requires_grad:
            raise AutogradError(INDEPENDENT[what].format(i=i))


INDEPENDENT = {
    "outputs": "Output {i} of the user-provided function does not require gradients. The outputs must be computed in a "
    "differentiable manner from the input when running in strict mode.",
    "grad_inputs": "The gradient with respect to input {i} is independent of the inputs of the user-provided function. This "
    "is not allowed in strict mode.",
    "jacobian": "While computing the hessian, found that the jacobian of the user-provided function with respect to input "
    "{i} is independent of the input. This is not allowed in strict mode. You should ensure that your function is twice "
    "differentiable and that the jacobian depends on the inputs (this would be violated by a linear function for example).",
    "hessian": "The hessian of the user-provided function with respect to input {i} is independent of the input. This is not "
    "allowed in strict mode. You should ensure that your function is thrice differentiable and that the hessian depends on "
    "the inputs.",
}

UNUSED = {
    "back": "The output of the user-provided function is independent of input {i}.{strict}.",
    "back_trick": "The gradient with respect to the input is independent of entry {i} in the grad_outputs when using the "
    "double backward trick to compute forward mode gradients.{strict}.",
    "double_back": "The jacobian of the user-provided function is independent of input {i}.{strict}.",
    "double_back_trick": "The hessian of the user-provided function is independent of entry {i} in the grad_jacobian.{strict} "
    "as it prevents from using the double backward trick to replace forward mode AD.",
}


def _filled(grads: Sequence[Any], like: Tensors, strict: bool, create_graph: bool, stage: str) -> Tensors:
    """The gradients with zeros in place of None; in strict mode an error instead."""
    filled = []
    for i, (g, t) in enumerate(zip(grads, like, strict=True)):
        if g is None:
            if strict:
                raise AutogradError(UNUSED[stage].format(i=i, strict=STRICT))
            g = constant(np.zeros_like(t._array))
        elif strict and create_graph and not g.requires_grad:
            what = "hessian" if "double" in stage else "jacobian"
            raise AutogradError(
                f"The {what} of the user-provided function is independent of input {i}.{STRICT} when create_graph=True."
            )
        filled.append(g)
    return tuple(filled)
