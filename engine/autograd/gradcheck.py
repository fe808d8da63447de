r"""Checking derivatives against differences: `gradcheck` and `gradgradcheck`.

The central difference $(f(x + \varepsilon e_k) - f(x - \varepsilon e_k)) / 2\varepsilon$ is compared with row k of what
backward passes give. In double precision and with $\varepsilon = 10^{-6}$ it is off by about $10^{-10}$.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from contextlib import suppress
from itertools import product
from typing import Any

import numpy as np

from ..context import observed
from ..dtypes import INEXACT
from ..tensor import Tensor, constant
from .error_nodes import undefined
from .forward_ad import dual_level, make_dual, unpack_dual
from .functional import jacobian
from .passes import grad
from .primitives import primitives

__all__ = ["GradcheckError", "gradcheck", "gradgradcheck"]

Tensors = tuple[Any, ...]
Table = list[list[Any]]
"""Per output and input a Jacobian as an array, (elements of the input, elements of the output)."""

ZERO_EXPECTED = (
    'Expected all input grads to be undefined or zero when all output grads are undefined or zero. Please look at "Notes about '
    'undefined output gradients" in "tools/autograd/derivatives.yaml"'
)


class GradcheckError(RuntimeError):
    """A derivative that is not what differences say."""


def gradcheck(
    func: Callable[..., Any],
    inputs: Any,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_batched_forward_grad: bool = False,
    check_forward_ad: bool = False,
    check_backward_ad: bool = True,
    fast_mode: bool = False,
    masked: bool | None = None,
) -> bool:
    """Whether the first derivatives of `func` agree with central differences.

    Args:
        func: from tensors to a tensor or a tuple of tensors.
        inputs: a tensor or a tuple; those that require grad are checked and should be float64.
        eps: the step of the differences.
        atol: absolute tolerance.
        rtol: relative tolerance.
        raise_exception: raise GradcheckError rather than return False.
        nondet_tol: by how much two backward passes may differ.
        check_undefined_grad: check that outputs without gradient are handled.
        check_grad_dtypes: check that gradients have their inputs' dtypes.
        check_forward_ad: check products J v as well.
        check_backward_ad: check backward passes.
        fast_mode: accepted; all elements are compared in any case.
        check_batched_grad, check_batched_forward_grad, masked: accepted; without effect here, where batches of gradients are
            loops and all tensors are dense.

    Raises:
        GradcheckError: for a derivative that disagrees.
        ValueError: if no input requires grad.
    """
    if not (check_forward_ad or check_backward_ad):
        raise AssertionError("Expected at least one of check_forward_ad or check_backward_ad to be True")
    if check_batched_grad and not check_backward_ad:
        raise AssertionError("Setting check_batched_grad=True requires check_backward_ad to be True")
    if check_batched_forward_grad and not check_forward_ad:
        raise AssertionError("Setting check_batched_forward_grad=True requires check_forward_ad to be True")
    given = _tuple(inputs)
    _check_inputs(given)
    try:
        # A check runs the function hundreds of times; that is nothing to record.
        with observed(None):
            _check_first(func, given, eps, atol, rtol, nondet_tol, check_grad_dtypes, check_forward_ad, check_backward_ad)
            if check_undefined_grad and check_backward_ad:
                _check_undefined(func, given)
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def gradgradcheck(
    func: Callable[..., Any],
    inputs: Any,
    grad_outputs: Any = None,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    gen_non_contig_grad_outputs: bool = False,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_fwd_over_rev: bool = False,
    check_rev_over_rev: bool = True,
    fast_mode: bool = False,
    masked: bool = False,
) -> bool:
    """Whether the second derivatives of `func` agree with central differences of its first ones.

    Args:
        func: as for `gradcheck`.
        inputs: as for `gradcheck`.
        grad_outputs: one per output that requires grad: the vectors of the first pass; random unless given.
        gen_non_contig_grad_outputs: accepted.

    The other arguments and the errors are those of `gradcheck`.
    """
    if not (check_fwd_over_rev or check_rev_over_rev):
        raise AssertionError("Expected at least one of check_fwd_over_rev or check_rev_over_rev to be True")
    if check_undefined_grad and not check_rev_over_rev:
        raise AssertionError("Setting check_undefined_grad=True requires check_rev_over_rev to be True")
    if check_batched_grad and not check_rev_over_rev:
        raise AssertionError("Setting check_batched_grad=True requires check_rev_over_rev to be True")
    given = _tuple(inputs)
    vectors = _random_like(_differentiable(func(*given))) if grad_outputs is None else _tuple(grad_outputs)
    needs = [isinstance(x, Tensor) and x.requires_grad for x in (*given, *vectors)]

    def first(*args: Any) -> Any:
        # Inputs may come without their requires_grad, where a check passes detached ones.
        args = tuple(x.requires_grad_() if need else x for x, need in zip(args, needs, strict=True))
        at, weights = args[: len(given)], args[len(given) :]
        wanted = [x for x, need in zip(at, needs) if need]
        found = grad(_differentiable(func(*at)), wanted, weights, create_graph=True, allow_unused=True)
        return tuple(g for g in found if g is not None)

    return gradcheck(
        first,
        given + vectors,
        eps=eps,
        atol=atol,
        rtol=rtol,
        raise_exception=raise_exception,
        nondet_tol=nondet_tol,
        check_undefined_grad=check_undefined_grad,
        check_grad_dtypes=check_grad_dtypes,
        check_batched_grad=check_batched_grad,
        check_forward_ad=check_fwd_over_rev,
        check_backward_ad=check_rev_over_rev,
        fast_mode=fast_mode,
        masked=masked,
    )


def _random_like(outputs: Tensors) -> Tensors:
    return tuple(primitives.empty(o.shape, dtype=o.dtype).uniform_(-1, 1).requires_grad_() for o in outputs)


# --- the checks ------------------------------------------------------------------------------------------------------------


def _check_inputs(inputs: Tensors) -> None:
    needing = [(i, t) for i, t in enumerate(inputs) if isinstance(t, Tensor) and t.requires_grad]
    for i, t in needing:
        if t._array.dtype not in (np.float64, np.complex128):
            warnings.warn(
                f"Input #{i} requires gradient and is not a double precision floating point or complex. This check will "
                "likely fail if all the inputs are not of double precision floating point or complex. ",
                stacklevel=3,
            )
        if any(stride == 0 and length > 1 for stride, length in zip(t._array.strides, t._array.shape)):
            raise RuntimeError(
                f"The {i}th input has a dimension with stride 0. gradcheck only supports inputs that are non-overlapping to "
                "be able to compute the numerical gradients correctly. You should call .contiguous on the input before "
                "passing it to gradcheck."
            )
    if not needing:
        raise ValueError(
            "gradcheck expects at least one input tensor to require gradient, but none of them have requires_grad=True."
        )


def _check_first(
    func: Callable[..., Any],
    inputs: Tensors,
    eps: float,
    atol: float,
    rtol: float,
    nondet_tol: float,
    check_dtypes: bool,
    forward: bool,
    backward: bool,
) -> None:
    everything = _tuple(func(*inputs))
    outputs = _differentiable(everything)
    wanted = [x for x in inputs if isinstance(x, Tensor) and x.requires_grad]
    numerical = _numerical(func, inputs, wanted, everything, eps)
    if not outputs:
        if any(block.any() for row in numerical for block in row):
            raise GradcheckError("Numerical gradient for function expected to be zero")
        return
    numerical = [row for row, out in zip(numerical, everything, strict=True) if out.requires_grad]
    if backward:
        analytical = [_analytical(out, wanted, nondet_tol, check_dtypes) for out in outputs]
        _compare(analytical, numerical, atol, rtol, "")
        _check_multiplied(outputs, wanted)
    if forward:
        _compare(_forward(func, inputs), numerical, atol, rtol, "computed with forward mode ")


def _compare(analytical: Table, numerical: Table, atol: float, rtol: float, mode: str) -> None:
    for i, (row, expected) in enumerate(zip(analytical, numerical, strict=True)):
        for j, (a, n) in enumerate(zip(row, expected, strict=True)):
            if not np.allclose(a, n, rtol, atol):
                raise GradcheckError(
                    f"Jacobian {mode}mismatch for output {i} with respect to input {j},\n"
                    f"numerical:{constant(n)}\nanalytical:{constant(a)}\n"
                )


def _numerical(func: Callable[..., Any], inputs: Tensors, wanted: list[Tensor], outputs: Tensors, eps: float) -> Table:
    """The Jacobians by central differences."""
    table: Table = [[] for _ in outputs]
    for x in wanted:
        directions = (1, 1j) if x._array.dtype.kind == "c" else (1,)
        rows = _reals(x._array).size
        blocks = [np.zeros((rows, _reals(out._array).size), _reals(out._array).dtype) for out in outputs]
        for k, (index, direction) in enumerate(product(np.ndindex(*x.shape), directions)):
            before = x._array[index].copy()
            # Written past autograd, as if to `x.data`: no version counts it.
            ends = []
            try:
                for step in (-eps, eps):
                    x._array[index] = before + x._array.dtype.type(step * direction)
                    ends.append([out._array.copy() for out in _tuple(func(*inputs))])
            finally:
                x._array[index] = before
            for block, a, b in zip(blocks, *ends, strict=True):
                _check_alike(a, b, index, eps)
                block[k] = _reals((b - a) / (2 * eps)) if a.dtype.kind in INEXACT else 0
        for row, block in zip(table, blocks, strict=True):
            row.append(block)
    return table


def _reals(array: Any) -> Any:
    """The elements in a row; of complex ones, both parts of each: a function of them is one of real numbers."""
    flat = np.ascontiguousarray(array).reshape(-1)
    return flat.view(flat.real.dtype) if flat.dtype.kind == "c" else flat


def _check_alike(a: Any, b: Any, index: Any, eps: float) -> None:
    where = f"when inputs are perturbed on index {index} by {eps}, but got:"
    if a.shape != b.shape:
        shapes = f"{constant(a).shape} and {constant(b).shape}"
        raise AssertionError(f"Expected `func` to return outputs with the same shape {where} shapes {shapes}.")
    if a.dtype != b.dtype:
        dtypes = f"{constant(a).dtype} and {constant(b).dtype}"
        raise AssertionError(f"Expected `func` to return outputs with the same dtype {where} dtypes {dtypes}.")


def _analytical(out: Tensor, wanted: list[Tensor], nondet_tol: float, check_dtypes: bool) -> list[Any]:
    """The Jacobians of one output by backward passes, each run twice."""
    first, types_ok, sizes_ok = _by_rows(out, wanted)
    again, _, _ = _by_rows(out, wanted)
    if not types_ok and check_dtypes:
        raise GradcheckError("Gradient has dtype mismatch")
    if not sizes_ok:
        raise GradcheckError("Analytical gradient has incorrect size")
    if any(a.size and np.abs(a - b).max() > nondet_tol for a, b in zip(first, again, strict=True)):
        raise GradcheckError(
            "Backward is not reentrant, i.e., running backward with same input and grad_output multiple times gives different "
            "values, although analytical gradient matches numerical gradient.The tolerance for nondeterminism was "
            f"{nondet_tol}."
        )
    return first


def _by_rows(out: Tensor, wanted: list[Tensor]) -> tuple[list[Any], bool, bool]:
    columns = _reals(out._array).size
    blocks = [np.zeros((_reals(x._array).size, columns), _reals(x._array).dtype) for x in wanted]
    types_ok = sizes_ok = True
    for j in range(columns):
        unit = np.zeros(out.shape, out._array.dtype)
        _reals(unit)[j] = 1
        found = grad(out, wanted, constant(unit), retain_graph=True, allow_unused=True)
        for block, g, x in zip(blocks, found, wanted, strict=True):
            if g is None:
                continue
            sizes_ok = sizes_ok and g.shape == x.shape
            types_ok = types_ok and g.dtype == x.dtype
            block[:, j] = _reals(g._array)
    return blocks, types_ok, sizes_ok


def _forward(func: Callable[..., Any], inputs: Tensors) -> Table:
    """The Jacobians by products J v: of tensors that carry tangents, or where an operation has no rule for those, or numbers
    are complex, by differentiating the gradients by what they are multiplied with."""
    numbers = [i for i, x in enumerate(inputs) if isinstance(x, Tensor) and x.requires_grad]
    with suppress(NotImplementedError):
        if not any(isinstance(x, Tensor) and x.is_complex() for x in inputs):
            return _by_tangents(func, inputs, numbers)

    def of_wanted(*wanted: Tensor) -> Tensors:
        args = list(inputs)
        for i, x in zip(numbers, wanted, strict=True):
            args[i] = x
        return _differentiable(func(*args))

    table = jacobian(of_wanted, tuple(inputs[i] for i in numbers), vectorize=True, strategy="forward-mode")
    return [[block._array.reshape(-1, inputs[i].numel()).T for block, i in zip(row, numbers, strict=True)] for row in table]


def _by_tangents(func: Callable[..., Any], inputs: Tensors, numbers: list[int]) -> Table:
    """The Jacobians column by column, each from a tangent that is one in a single place.

    Raises:
        NotImplementedError: for complex outputs, and where there are no columns.
    """
    table: Table = []
    for column, i in enumerate(numbers):
        count = inputs[i].numel()
        for k in range(count):
            tangent = np.zeros(count, inputs[i]._array.dtype)
            tangent[k] = 1
            with dual_level():
                args: list[Any] = list(inputs)
                args[i] = make_dual(inputs[i], constant(tangent.reshape(inputs[i]._array.shape)))
                outputs = _differentiable(func(*args))
                found = [unpack_dual(out).tangent for out in outputs]
            for row, (out, moved) in enumerate(zip(outputs, found, strict=True)):
                if len(table) <= row:
                    table.append([np.zeros((inputs[j].numel(), out.numel()), out._array.dtype) for j in numbers])
                if moved is not None:
                    table[row][column][k] = moved._array.reshape(-1)
    if not table or any(blocks[0].dtype.kind == "c" for blocks in table):
        raise NotImplementedError
    return table


def _check_multiplied(outputs: Tensors, wanted: list[Tensor]) -> None:
    """A gradient of zero must give zeros."""
    for g, x in zip(_of_zero(outputs, wanted), wanted, strict=True):
        if g is None:
            continue
        if g._array.any():
            raise GradcheckError("backward not multiplied by grad_output")
        if g.dtype != x.dtype:
            raise GradcheckError("grad is incorrect type")
        if g.shape != x.shape:
            raise GradcheckError("grad is incorrect size")


def _check_undefined(func: Callable[..., Any], inputs: Tensors) -> None:
    """Nothing for one output or all, and zero for the others, must give zeros or nothing."""
    wanted = [x for x in inputs if isinstance(x, Tensor) and x.requires_grad]
    cut = tuple(undefined(o) for o in _differentiable(func(*inputs)))
    checked = [cut]
    for i in range(len(cut) if len(cut) > 1 else 0):
        checked.append(tuple(undefined(o) if k == i else o for k, o in enumerate(_differentiable(func(*inputs)))))
    for outputs in checked:
        try:
            found = _of_zero(outputs, wanted)
        except RuntimeError as error:
            raise GradcheckError(
                'Expected backward function to handle undefined output grads. Please look at "Notes about undefined output '
                'gradients" in "tools/autograd/derivatives.yaml"'
            ) from error
        if any(g is not None and g._array.any() for g in found):
            raise GradcheckError(ZERO_EXPECTED)


def _of_zero(outputs: Tensors, wanted: list[Tensor]) -> Tensors:
    zeros = [constant(np.zeros(o.shape, o._array.dtype)) for o in outputs]
    found: Tensors = grad(outputs, wanted, zeros, retain_graph=True, allow_unused=True)
    return found


def _tuple(x: Any) -> Tensors:
    return tuple(x) if isinstance(x, tuple | list) else (x,)


def _differentiable(x: Any) -> Tensors:
    return tuple(o for o in _tuple(x) if o.requires_grad)
