"""`torch.autograd.functional`: Jacobians, Hessians, and their products with vectors, of functions of tensors.

Every function takes `func`, from tensors to a tensor or a tuple of tensors, and `inputs`, a tensor or a tuple of them. The
inputs that `func` sees are new tensors, so that what it captures does not count as an input. With `create_graph` the results
can be differentiated with respect to `inputs`. Without `strict` a derivative that does not exist because there is no
dependence is zero; with it that is a RuntimeError.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..context import context
from ..errors import AutogradError
from ..tensor import Tensor, constant
from .functional_arguments import (
    STRICT,
    Tensors,
    _check_depends,
    _filled,
    _fresh,
    _grad,
    _outputs,
    _plain,
    _scalar,
    _settled,
    _tuple,
    _vector,
    _zeros,
)
from .grad_mode import enable_grad, set_grad_enabled
from .primitives import primitives

__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]

NEEDS_V_INPUT = (
    "The vector v can only be None if the input to the user-provided function is a single Tensor with a single element."
)
NEEDS_V_OUTPUT = "The vector v can only be None if the user-provided function returns a single Tensor with a single element."


def vjp(
    func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    r"""The product $v^\top J$ of a vector and the Jacobian of `func`.

    Args:
        func: the function.
        inputs: where.
        v: of the outputs' shapes; may be left out for an output of one element.
        create_graph: make the results differentiable.
        strict: refuse outputs that do not depend on an input.

    Returns:
        The outputs, and the product in the inputs' shapes.

    Raises:
        RuntimeError: for a missing or misshapen `v`, and in strict mode for independence.
    """
    with enable_grad():
        several_in, ins = _tuple(inputs, "inputs", "vjp")
        ins = _fresh(ins, create_graph, True)
        several_out, outs = _outputs(func, ins, "vjp", strict)
        vector = _vector(v, "vjp", outs, several_out, create_graph, NEEDS_V_OUTPUT)
    with set_grad_enabled(create_graph or context.grad):
        product = _filled(_grad(outs, ins, vector, create_graph), ins, strict, create_graph, "back")
    return _plain(_settled(outs, create_graph), several_out), _plain(_settled(product, create_graph), several_in)


def jvp(
    func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    r"""The product $J v$ of the Jacobian of `func` and a vector, by two backward passes.

    The product with a vector $u$ from the left is linear in $u$, and its derivative with respect to $u$ is $J$.

    Args:
        func: the function.
        inputs: where.
        v: of the inputs' shapes; may be left out for an input of one element.
        create_graph: make the results differentiable.
        strict: refuse outputs that do not depend on an input.

    Returns:
        The outputs, and the product in the outputs' shapes.

    Raises:
        RuntimeError: for a missing or misshapen `v`, and in strict mode for independence.
    """
    with enable_grad():
        several_in, ins = _tuple(inputs, "inputs", "jvp")
        ins = _fresh(ins, create_graph, True)
        vector = _vector(v, "jvp", ins, several_in, create_graph, NEEDS_V_INPUT)
        several_out, outs = _outputs(func, ins, "jvp", strict)
        u = _zeros(outs)
        left = _grad(outs, ins, u, True)
        _check_depends(left, "grad_inputs", strict)
    with set_grad_enabled(create_graph or context.grad):
        product = _filled(_grad(left, u, vector, create_graph), outs, strict, create_graph, "back_trick")
    return _plain(_settled(outs, create_graph), several_out), _plain(_settled(product, create_graph), several_out)


def jacobian(
    func: Callable[..., Any],
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    strategy: str = "reverse-mode",
) -> Any:
    """All first derivatives of `func`.

    Args:
        func: the function.
        inputs: where.
        create_graph: make the result differentiable.
        strict: refuse outputs that do not depend on an input.
        vectorize: accepted; the rows are computed one by one in any case.
        strategy: "reverse-mode" goes row by row; "forward-mode" (with `vectorize` only) column by column.

    Returns:
        For output i and input j a tensor of the output's shape followed by the input's: `result[i][j]`, without the index of
        what is a single tensor.

    Raises:
        RuntimeError: in strict mode for independence.
    """
    if strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError(
            'Expected strategy to be either "forward-mode" or "reverse-mode". Hint: If your function has more outputs than '
            'inputs, "forward-mode" tends to be more performant. Otherwise, prefer to use "reverse-mode".'
        )
    forward = strategy == "forward-mode"
    if forward:
        _check_forward(create_graph, strict, vectorize)
    with enable_grad():
        several_in, ins = _tuple(inputs, "inputs", "jacobian")
        ins = _fresh(ins, create_graph, True)
        several_out, outs = _outputs(func, ins, "jacobian", strict)
        if vectorize and strict:
            raise RuntimeError(
                "torch.autograd.functional.jacobian: `strict=True` and `vectorized=True` are not supported together. Please "
                "either set `strict=False` or `vectorize=False`."
            )
        if forward:
            columns = _columns(outs, ins)
            # As in PyTorch, what this mode leaves nested are lists.
            unnested = columns if several_in else tuple(row[0] for row in columns)
            return unnested if several_out else unnested[0]
        rows = _rows(outs, ins, create_graph, strict)
        matrix = tuple(_plain(_settled(row, create_graph), several_in) for row in rows)
        return _plain(matrix, several_out)


def _check_forward(create_graph: bool, strict: bool, vectorize: bool) -> None:
    if create_graph:
        raise NotImplementedError(
            'torch.autograd.functional.jacobian: `create_graph=True` and `strategy="forward-mode"` are not supported together '
            '(yet). Please either set `create_graph=False` or `strategy="reverse-mode"`.'
        )
    if strict:
        raise AutogradError(
            'torch.autograd.functional.jacobian: `strict=True` and `strategy="forward-mode"` are not supported together (yet). '
            'Please either set `strict=False` or `strategy="reverse-mode"`.'
        )
    if not vectorize:
        raise NotImplementedError(
            "Computing Jacobian using forward-AD or forward-over-reverse Hessian isonly implemented for `vectorize=True`."
        )


def _rows(outs: Tensors, ins: Tensors, create_graph: bool, strict: bool) -> list[Tensors]:
    """Per output its derivatives by each input, one backward pass per element of the output."""
    table = []
    for i, out in enumerate(outs):
        flat: Any = out
        flat = flat.reshape(-1)
        rows: list[list[Tensor]] = [[] for _ in ins]
        for j in range(out.numel()):
            found = _grad((flat[j],), ins, (None,), create_graph, retain_graph=True)
            for k, (row, g, t) in enumerate(zip(rows, found, ins, strict=True)):
                if g is None and strict:
                    raise AutogradError(f"Output {i} of the user-provided function is independent of input {k}.{STRICT}.")
                if g is not None and strict and create_graph and not g.requires_grad:
                    raise AutogradError(
                        f"The jacobian of the user-provided function is independent of input {i}.{STRICT} when "
                        "create_graph=True."
                    )
                row.append(constant(np.zeros_like(t._array)) if g is None else g)
        shapes = [out._array.shape + t._array.shape for t in ins]
        table.append(
            tuple(
                primitives.stack(row, 0).view(shape) if row else constant(np.zeros(shape, t._array.dtype))
                for row, shape, t in zip(rows, shapes, ins, strict=True)
            )
        )
    return table


def _columns(outs: Tensors, ins: Tensors) -> list[list[Tensor]]:
    """The same table of derivatives, one product J v per element of the input, in the outputs' dtypes."""
    u = _zeros(outs)
    left = _grad(outs, ins, u, True)
    table: list[list[Tensor]] = [[] for _ in outs]
    for j, t in enumerate(ins):
        columns = [np.zeros((o.numel(), t.numel()), o._array.dtype) for o in outs]
        for k in range(t.numel()):
            unit = np.zeros_like(t._array)
            unit.reshape(-1)[k] = 1
            found = _grad((left[j],), u, (constant(unit),), False, retain_graph=True)
            for column, g in zip(columns, found, strict=True):
                if g is not None:
                    column[:, k] = g._array.reshape(-1)
        for row, column, o in zip(table, columns, outs, strict=True):
            row.append(constant(column.reshape(o._array.shape + t._array.shape)))
    return table


def hessian(
    func: Callable[..., Any],
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    outer_jacobian_strategy: str = "reverse-mode",
) -> Any:
    """All second derivatives of a function with one number as result.

    Args:
        func: the function.
        inputs: where.
        create_graph: make the result differentiable.
        strict: refuse a result or a first derivative that does not depend on an input.
        vectorize: accepted; see `jacobian`.
        outer_jacobian_strategy: "reverse-mode", or (with `vectorize` only) "forward-mode".

    Returns:
        `result[i][j]`, of input i's shape followed by input j's; one tensor where the input is one.

    Raises:
        RuntimeError: if `func` does not return a single element, and in strict mode for independence.
    """
    several_in, ins = _tuple(inputs, "inputs", "hessian")
    if outer_jacobian_strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError('Expected strategy to be either "forward-mode" or "reverse-mode".')

    def single(*args: Tensor) -> Any:
        return _scalar(func, args, "hessian", strict)[1].squeeze()

    def gradient(*args: Tensor) -> Any:
        first = jacobian(single, args, create_graph=True)
        _check_depends(first, "jacobian", strict)
        return first

    second = jacobian(gradient, ins, create_graph, strict, vectorize, outer_jacobian_strategy)
    return second if several_in else second[0][0]


def vhp(
    func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    r"""The product $v^\top H$ of a vector and the Hessian of a function with one number as result.

    Arguments and errors as for `vjp`, with `v` of the inputs' shapes; so is the product.
    """
    with enable_grad():
        several_in, ins = _tuple(inputs, "inputs", "vhp")
        ins = _fresh(ins, create_graph, True)
        vector = _vector(v, "vhp", ins, several_in, create_graph, NEEDS_V_INPUT)
        several_out, out = _scalar(func, ins, "vhp", strict)
        first = _grad((out,), ins, (None,), True)
        _check_depends(first, "jacobian", strict)
    with set_grad_enabled(create_graph or context.grad):
        product = _filled(_grad(first, ins, vector, create_graph), ins, strict, create_graph, "double_back")
    return _plain(_settled((out,), create_graph), several_out), _plain(_settled(product, create_graph), several_in)


def hvp(
    func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """The product $H v$ of the Hessian of a function with one number as result and a vector, as `vhp` but slower."""
    with enable_grad():
        several_in, ins = _tuple(inputs, "inputs", "hvp")
        ins = _fresh(ins, create_graph, True)
        vector = _vector(v, "hvp", ins, several_in, create_graph, NEEDS_V_INPUT)
        several_out, out = _scalar(func, ins, "hvp", strict)
        first = _grad((out,), ins, (None,), True)
        _check_depends(first, "jacobian", strict)
        u = _zeros(ins)
        left = _grad(first, ins, u, True)
        _check_depends(first, "hessian", strict)
    with set_grad_enabled(create_graph or context.grad):
        product = _filled(_grad(left, u, vector, create_graph), ins, strict, create_graph, "double_back_trick")
    return _plain(_settled((out,), create_graph), several_out), _plain(_settled(product, create_graph), several_in)
