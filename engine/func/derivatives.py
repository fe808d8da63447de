"""Functions into functions that give derivatives: `grad`, `vjp`, `jvp`, Jacobians and Hessians."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from ..autograd.grad_mode import enable_grad
from ..context import context
from ..ops.shape.joining import stack
from ..tensor import Tensor, constant
from .levels import Level, gradients
from .trees import drawn, filled, leaves, mapped, same_structure

Argnums = int | tuple[int, ...]
JVP = "jvp(f, primals, tangents)"


def grad(func: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False) -> Callable[..., Any]:
    """The function that gives the gradient of `func`, whose result is a tensor without dimensions.

    Args:
        func: the function; its arguments at `argnums` are tensors, or trees of tensors.
        argnums: with respect to which arguments: one number, or a tuple of them for a tuple of gradients.
        has_aux: `func` returns (result, aux), and the new function (gradient, aux).

    Raises:
        RuntimeError: for a result that is not a scalar tensor, and `argnums` that do not fit.
    """

    @functools.wraps(func)
    def gradient(*args: Any, **kwargs: Any) -> Any:
        found, value = grad_and_value(func, argnums, has_aux)(*args, **kwargs)
        return (found, value[1]) if has_aux else found

    return gradient


def grad_and_value(func: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False) -> Callable[..., Any]:
    """As `grad`, but the new function gives (gradient, value), or (gradient, (value, aux))."""

    @functools.wraps(func)
    def both(*args: Any, **kwargs: Any) -> Any:
        level = Level()
        with enable_grad():
            args, inputs = _with_fresh(args, argnums, level)
            output, aux = _auxiliary(func(*args, **kwargs), has_aux, "grad_and_value(f)(*args)")
            _check_scalar(output)
            flat = leaves(inputs)
            found = filled(inputs, gradients([output], flat, None))
            level.close()
            found, output, aux = mapped(level.released, (found, output, aux))
        return found, ((output, aux) if has_aux else output)

    return both


def vjp(func: Callable[..., Any], *primals: Any, has_aux: bool = False) -> Any:
    r"""The value of `func` at `primals`, and the function from $v$ to $v^\top J$.

    Returns:
        (value, vjp_fn), or (value, vjp_fn, aux) if `has_aux`. `vjp_fn` takes vectors in the structure of the value and returns
        a tuple with one product per primal.

    Raises:
        RuntimeError: for a value that is no tensor or not of floating point, and vectors of another structure.
    """
    value, pull, aux = _pulled(func, primals, None, has_aux)

    def vjp_fn(cotangents: Any, retain_graph: bool = True, create_graph: bool | None = None) -> Any:
        return pull(cotangents, create_graph)

    return (value, vjp_fn, aux) if has_aux else (value, vjp_fn)


def _pulled(func: Callable[..., Any], primals: tuple[Any, ...], argnums: Argnums | None, has_aux: bool) -> Any:
    """The value, the function from vectors to products with respect to the primals (or those at `argnums`), and aux."""
    level = Level()
    with enable_grad():
        args, inputs = _with_fresh(primals, argnums, level)
        inside, aux = _auxiliary(func(*args), has_aux, "vjp(f, *primals)")
        flat_out = leaves(inside)
        _check_tensors(flat_out, "vjp(f, *primals)")
        for out in flat_out:
            if not out.is_floating_point():
                raise RuntimeError(
                    "vjp(f, ...): All outputs of f must be floating-point or complex Tensors, got Tensor with dtype "
                    f"{out.dtype}"
                )
        level.close()
        value, aux = mapped(level.released, (inside, aux))
    flat_in = leaves(inputs)
    tracked = any(out.requires_grad and level.lives(out) for out in flat_out)

    def pull(cotangents: Any, create_graph: bool | None = None) -> Any:
        if not same_structure(inside, cotangents):
            raise RuntimeError(
                "Expected pytree structure of cotangents to be the same as pytree structure of outputs to the function. "
                f"cotangents: {drawn(cotangents)}, primal output: {drawn(inside)}"
            )
        later, vectors = Level(), leaves(cotangents)
        keep = context.grad if create_graph is None else create_graph
        # Without anything further out to be differentiated by, there is no need to record the pass.
        found = gradients(flat_out, flat_in, vectors, keep and (tracked or any(v.requires_grad for v in vectors)))
        products: Any = filled(inputs, [later.released(g) for g in found])
        return products

    return value, pull, aux


def jvp(func: Callable[..., Any], primals: Any, tangents: Any, *, strict: bool = False, has_aux: bool = False) -> Any:
    """The value of `func` at `primals`, and the product of its Jacobian and `tangents`.

    Args:
        func: the function.
        primals: a tuple of its arguments.
        tangents: one per primal, of the same structure and shapes.
        strict: refuse a value that does not depend on the primals.
        has_aux: `func` returns (value, aux).

    Returns:
        (value, product), or (value, product, aux).

    Raises:
        RuntimeError: for primals that are no tuple, tangents that do not fit, a value that is no tensor.
    """
    if not isinstance(primals, tuple):
        raise RuntimeError(f"{JVP}: Expected primals to be a tuple. E.g. it should be valid to call f(*primals).")
    if not same_structure(primals, tangents):
        raise RuntimeError(
            f"{JVP}: Expected primals and tangents to have the same python structure. For example, if primals is a tuple of 3 "
            f"tensors, tangents also must be. Got primals with structure {drawn(primals)} and tangents with structure "
            f"{drawn(tangents)}"
        )
    _check_listed(leaves(primals), "primals")
    _check_listed(leaves(tangents), "tangents")
    for p, t in zip(leaves(primals), leaves(tangents), strict=True):
        if p.shape != t.shape:
            raise RuntimeError(f"Expected tangent to have the same shape as primal: {list(p.shape)} and {list(t.shape)}")
    value, push, aux = _pushed(func, primals, None, has_aux, strict)
    product = push(leaves(tangents))
    return (value, product, aux) if has_aux else (value, product)


def _pushed(
    func: Callable[..., Any], primals: tuple[Any, ...], argnums: Argnums | None, has_aux: bool, strict: bool = False
) -> Any:
    """The value, the function from tangents (a flat list) to products J v, and aux.

    A product from the left is linear in its vector, and its derivative by that vector is J: two backward passes.
    """
    level = Level()
    with enable_grad():
        args, inputs = _with_fresh(primals, argnums, level)
        inside, aux = _auxiliary(func(*args), has_aux, JVP)
        flat_out, flat_in = leaves(inside), leaves(inputs)
        _check_tensors(flat_out, JVP)
        if strict and not all(out.requires_grad for out in flat_out):
            raise RuntimeError(
                "jvp(f, primals, tangents, strict=True): The output of f is independent of the inputs. This is not allowed "
                "with strict=True."
            )
        u = [level.leaf(np.zeros_like(out._array)) if out.is_floating_point() else None for out in flat_out]
        used = [(out, vector) for out, vector in zip(flat_out, u, strict=True) if vector is not None]
        left = gradients([out for out, _ in used], flat_in, [vector for _, vector in used])
        level.close()
        value, aux = mapped(level.released, (inside, aux))

    def push(tangents: list[Tensor]) -> Any:
        with enable_grad():
            pairs = [(g, t) for g, t in zip(left, tangents, strict=True) if g.requires_grad]
            found = iter(gradients([g for g, _ in pairs], [vector for _, vector in used], [t for _, t in pairs]))
            products = [
                constant(np.zeros_like(out._array)) if vector is None else level.released(next(found))
                for out, vector in zip(flat_out, u, strict=True)
            ]
        return filled(inside, products)

    return value, push, aux


def linearize(func: Callable[..., Any], *primals: Any) -> tuple[Any, Callable[..., Any]]:
    """The value of `func` at `primals`, and the function from tangents to the product of the Jacobian there and them.

    Raises:
        RuntimeError: for tangents that have not the structure, the shapes or the dtypes of the primals.
    """
    value, push, _ = _pushed(func, primals, None, False)
    held = leaves(primals)

    def jvp_fn(*tangents: Any) -> Any:
        if not same_structure(primals, tangents):
            raise RuntimeError(
                f"Expected the tangents {drawn(tangents)} to have the same structure as the primals {drawn(primals)}"
            )
        for k, (p, t) in enumerate(zip(held, leaves(tangents), strict=True)):
            if p.shape != t.shape:
                raise RuntimeError(f"Mismatch in shape of leaf {k}: expected {p.shape}, got {t.shape}")
            if p.dtype is not t.dtype:
                raise RuntimeError(f"Mismatch in dtype of leaf {k}: expected {p.dtype}, got {t.dtype}")
        return push(leaves(tangents))

    return value, jvp_fn


def jacrev(
    func: Callable[..., Any], argnums: Argnums = 0, *, has_aux: bool = False, chunk_size: int | None = None
) -> Callable[..., Any]:
    """The function that gives the Jacobian of `func`, row by row.

    Args:
        func: the function, from tensors to a tensor or a tree of tensors.
        argnums: with respect to which arguments.
        has_aux: `func` returns (value, aux), and the new function (Jacobian, aux).
        chunk_size: accepted; rows are computed one by one.

    Returns:
        A function whose result has the structure of the value with, in place of each leaf, the structure of the argument (or
        a tuple for several `argnums`): tensors of the leaf's shape followed by the argument's.
    """
    if chunk_size is not None and chunk_size <= 0:
        raise ValueError("jacrev: `chunk_size` should be greater than 0.")

    @functools.wraps(func)
    def jacobian(*args: Any) -> Any:
        value, pull, aux = _pulled(func, args, argnums, has_aux)
        outs, inputs = leaves(value), _chosen(args, argnums)
        per_out = []
        for i, out in enumerate(outs):
            rows = [leaves(pull(filled(value, _units(outs, i, k)))) for k in range(out.numel())]
            columns = zip(*rows, strict=True) if rows else [[]] * len(leaves(inputs))
            blocks = [_block(list(c), out, t) for c, t in zip(columns, leaves(inputs), strict=True)]
            per_out.append(filled(inputs, blocks))
        table = filled(value, per_out)
        return (table, aux) if has_aux else table

    return jacobian


def jacfwd(
    func: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False, *, randomness: str = "error"
) -> Callable[..., Any]:
    """As `jacrev`, column by column: cheaper where there are more outputs than inputs."""

    @functools.wraps(func)
    def jacobian(*args: Any) -> Any:
        inputs = args if argnums is None else _chosen(args, argnums)
        flat = leaves(inputs)
        value, push, aux = _pushed(func, args, argnums, has_aux)
        outs = leaves(value)
        columns: list[list[list[Tensor]]] = [[] for _ in outs]
        for i, t in enumerate(flat):
            found = [leaves(push(_units(flat, i, k))) for k in range(t.numel())]
            for o in range(len(outs)):
                columns[o].append([products[o] for products in found])
        per_out = [
            filled(inputs, [_block(column, out, t, last=True) for column, t in zip(columns[o], flat, strict=True)])
            for o, out in enumerate(outs)
        ]
        table = filled(value, per_out)
        return (table, aux) if has_aux else table

    return jacobian


def hessian(func: Callable[..., Any], argnums: Argnums = 0) -> Callable[..., Any]:
    """The function that gives the second derivatives of `func`: `jacfwd(jacrev(func, argnums), argnums)`."""
    return jacfwd(jacrev(func, argnums), argnums)


def _units(like: list[Tensor], which: int, element: int) -> list[Tensor]:
    """Zeros in the shapes of `like`, with a one at one element of one of them."""
    arrays = [np.zeros_like(t._array, order="C") for t in like]
    arrays[which].reshape(-1)[element] = 1
    return [constant(a) for a in arrays]


def _block(pieces: list[Tensor], out: Tensor, t: Tensor, last: bool = False) -> Any:
    """Rows (or, if `last`, columns) of a Jacobian as one tensor of the output's shape followed by the input's."""
    shape = out._array.shape + t._array.shape
    if not pieces:
        return constant(np.zeros(shape, t._array.dtype))
    return stack(pieces, -1 if last else 0).reshape(shape)


# --- arguments and results -------------------------------------------------------------------------------------------------


def _chosen(args: tuple[Any, ...], argnums: Argnums) -> Any:
    """The argument at `argnums`, or a tuple of those at several."""
    if not isinstance(argnums, int | tuple):
        raise RuntimeError(f"argnums must be int or Tuple[int, ...], got: {type(argnums)}")
    positions = _positions(args, argnums)
    return args[positions[0]] if isinstance(argnums, int) else tuple(args[i] for i in positions)


def _positions(args: tuple[Any, ...], argnums: Argnums) -> list[int]:
    numbers = (argnums,) if isinstance(argnums, int) else argnums
    for i in numbers:
        if not isinstance(i, int):
            raise RuntimeError(f"argnum must be int, got: {type(i)}")
        if not -len(args) <= i < len(args):
            raise RuntimeError(f"Got argnum={i}, but only {len(args)} positional inputs")
    positions = [i % len(args) for i in numbers]
    if not positions:
        raise RuntimeError("argnums must be non-empty")
    if len(set(positions)) != len(positions):
        raise RuntimeError(f"argnums elements must be unique, got {tuple(positions)}")
    return positions


def _with_fresh(args: tuple[Any, ...], argnums: Argnums | None, level: Level) -> tuple[tuple[Any, ...], Any]:
    """The arguments with the level's own tensors at `argnums` (everywhere for None), and those."""
    if argnums is None:
        args = mapped(level.fresh, args)
        return args, args
    _chosen(args, argnums)
    replaced = list(args)
    for i in _positions(args, argnums):
        replaced[i] = mapped(level.fresh, args[i])
    return tuple(replaced), _chosen(tuple(replaced), argnums)


def _auxiliary(output: Any, has_aux: bool, api: str) -> tuple[Any, Any]:
    if not has_aux:
        return output, None
    if not (isinstance(output, tuple) and len(output) == 2):
        raise RuntimeError(f"{api}: output of function f should be a tuple: (output, aux) if has_aux is True")
    return output


def _check_scalar(output: Any) -> None:
    api = "grad_and_value(f)(*args)"
    if not isinstance(output, Tensor):
        raise RuntimeError(f"{api}: Expected f(*args) to return a Tensor, got {type(output)}")
    if output.ndim:
        raise RuntimeError(
            f"{api}: Expected f(*args) to return a scalar Tensor, got tensor with {output.ndim} dims. Maybe you wanted to use "
            "the vjp or jacrev APIs instead?"
        )


def _check_tensors(outputs: list[Any], api: str) -> None:
    if not outputs or (len(outputs) == 1 and outputs[0] is None):
        raise RuntimeError(f"{api}: Expected f to be a function that has non-empty output (got output = {outputs})")
    for out in outputs:
        if not isinstance(out, Tensor):
            raise RuntimeError(f"{api}: expected f(*primals) to return only tensors, got unsupported type {type(out)}")


def _check_listed(items: list[Any], what: str) -> None:
    if not items:
        raise RuntimeError(f"{JVP}: Expected {what} to contain at least one Tensor.")
    for item in items:
        if not isinstance(item, Tensor):
            raise RuntimeError(f"{JVP}: Expected {what} to only contain Tensors, got {type(item)}")
