"""The public face of the backward pass: `backward` and `grad`."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..compat.classes import typename
from ..context import context, observed, outside, warn_once
from ..errors import AutogradError
from ..tensor import Tensor, constant
from .engine import execute
from .gradients import add_to_leaf, copied
from .graph import GradientEdge, edge_of
from .node import AccumulateGrad, Edge, Node
from .primitives import primitives

CYCLE = (
    "Using backward() with create_graph=True will create a reference cycle between the parameter and its gradient which can "
    "cause a memory leak. We recommend using autograd.grad when creating the graph to avoid this. If you have to use this "
    "function, make sure to reset the .grad fields of your parameters to None after use to break the cycle and avoid the leak."
)


def backward(
    tensors: Tensor | Sequence[Tensor],
    grad_tensors: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    grad_variables: Any = None,
    inputs: Any = None,
) -> None:
    """Add the gradients of the sum of `tensors` (weighted with `grad_tensors`) to the leaves' `.grad`.

    Args:
        tensors: the roots.
        grad_tensors: per root the vector of the vector–Jacobian product; None for roots of one element.
        retain_graph: keep the buffers; defaults to `create_graph`.
        create_graph: record the pass itself.
        grad_variables: old name of `grad_tensors`.
        inputs: fill only these tensors' `.grad`.

    Raises:
        RuntimeError: as PyTorch, for a missing `grad_tensors`, a root without graph, buffers freed before, an in-place change.
    """
    if grad_variables is not None:
        warnings.warn("`grad_variables` is deprecated. Use `grad_tensors` instead.", FutureWarning, stacklevel=2)
        if grad_tensors is not None:
            raise RuntimeError(
                "`grad_tensors` and `grad_variables` (deprecated) arguments both passed to `backward()`. Please only use "
                "`grad_tensors`."
            )
        grad_tensors = grad_variables
    if inputs is not None:
        inputs = listed(inputs)
        if not inputs:
            raise RuntimeError("`inputs` argument to `backward()` cannot be empty.")
    keep, create_graph = _flags(retain_graph, create_graph)
    starts = starts_of(listed(tensors), grad_tensors, create_graph)
    if create_graph:
        warn_once(CYCLE, outside())
    if inputs is not None:
        _check_inputs(inputs)
        with observed(None):
            for t in inputs:
                if isinstance(t, Tensor):
                    t.retain_grad()
    edges = None if inputs is None else [edge_of(t) for t in inputs]
    execute(starts, keep, create_graph, edges, inputs, accumulate=True)


def _flags(retain_graph: Any, create_graph: Any) -> tuple[bool, bool]:
    """Whether buffers are kept and whether the pass is recorded: whole numbers say so, too.

    Raises:
        TypeError: for anything else.
    """
    create = create_graph if type(create_graph) is bool else bool(operator.index(create_graph))
    if retain_graph is None or type(retain_graph) is bool:
        return create if retain_graph is None else retain_graph, create
    return bool(operator.index(retain_graph)), create


def vectors(given: Any, roots: int) -> list[Any]:
    """What weights the roots: None for each, a tensor, or a sequence."""
    return [None] * roots if given is None else [given] if isinstance(given, Tensor) else list(given)


def starts_of(roots: list[Any], grad_tensors: Any, create_graph: bool) -> list[tuple[Tensor, Edge, Any]]:
    """The roots of a pass, each with its edge and the gradient it starts from.

    Raises:
        RuntimeError: for gradients that do not fit or are missing, and roots without graph.
    """
    given = vectors(grad_tensors, len(roots))
    if len(roots) == 1 == len(given):
        return [start(roots[0], given[0], create_graph)]
    pairs = list(zip(roots, given))
    for k, (root, gradient) in enumerate(pairs):
        first_gradient(root, gradient, k)
    if len(roots) != len(pairs):
        raise RuntimeError(f"got {len(roots)} tensors and {len(pairs)} gradients")
    return [start(root, gradient, create_graph, k) for k, (root, gradient) in enumerate(pairs)]


def _check_inputs(inputs: list[Any]) -> None:
    for t in inputs:
        if not isinstance(t, (Tensor, GradientEdge)):
            raise RuntimeError(f"all inputs have to be Tensors or GradientEdges, but got {type(t).__name__}")


def start(root: Tensor, gradient: Any, create_graph: bool, number: int = 0) -> tuple[Tensor, Edge, Any]:
    """A root with its edge and the gradient it starts from."""
    if isinstance(root, GradientEdge):
        root = _at_edge(root)
    gradient = first_gradient(root, gradient, number)
    if not root.requires_grad:
        raise AutogradError(f"element {number} of tensors does not require grad and does not have a grad_fn")
    return root, edge_of(root), gradient if create_graph else gradient._array


def first_gradient(root: Any, gradient: Any, number: int) -> Any:
    """The gradient a root starts from: the given one, or ones of the root's shape; None if that is out of the question.

    Raises:
        RuntimeError: for a gradient of another shape, and none for a root of several elements.
        TypeError: for what is no tensor.
    """
    if isinstance(root, GradientEdge):
        root = _at_edge(root)
    if not isinstance(root, Tensor):
        raise AssertionError("Expected output to be a torch.Tensor")
    if gradient is None:
        if not root.requires_grad:
            return None
        if root._array.size != 1:
            raise RuntimeError("grad can be implicitly created only for scalar outputs")
        if root._array.dtype.kind == "c":
            raise RuntimeError(f"grad can be implicitly created only for real scalar outputs but got {root.dtype}")
        return constant(np.ones(root._array.shape, root._array.dtype))
    if not isinstance(gradient, Tensor):
        raise TypeError("gradients can be either Tensors or None, but got " + type(gradient).__name__)
    if gradient._array.shape != root._array.shape:
        raise RuntimeError(
            f"Mismatch in shape: grad_output[{number}] has a shape of {gradient.shape} and output[{number}] has a shape of "
            f"{root.shape}."
        )
    return gradient


def _at_edge(edge: GradientEdge) -> Tensor:
    """A tensor that stands for an edge as a root of a pass."""
    node, number = edge_of(edge)
    assert node is not None
    shape, dtype = node.shape[number] if node.several else (node.shape, node.dtype)
    if isinstance(node, AccumulateGrad):
        return node.variable
    root = constant(np.broadcast_to(np.zeros((), dtype), shape))
    root._node, root._nr, root._needs = node, number, True
    return root


def call_node(node: Node, grads: tuple[Any, ...]) -> Any:
    """A node's rule on gradients of its outputs.

    Raises:
        TypeError: for another number of gradients than the node has outputs, and for what is no tensor.
    """
    outputs = len(node.shape) if node.several else 1
    if len(grads) != outputs:
        raise TypeError(f"expected {outputs} arguments, got {len(grads)} instead")
    for number, gradient in enumerate(grads):
        if gradient is not None and not isinstance(gradient, Tensor):
            raise TypeError(f"expected Variable or None for argument {number} but got {typename(gradient)}")
    if isinstance(node, AccumulateGrad):
        add_to_leaf(node.variable, grads[0]._array)
        return ()
    if context.grad and any(isinstance(g, Tensor) and g.requires_grad for g in grads):
        found = node.apply_tensors(list(grads) if node.several else grads[0])
    else:
        arrays = [None if g is None else g._array for g in grads]
        found = tuple(None if g is None else constant(g) for g in node.apply_arrays(arrays if node.several else arrays[0]))
    return found[0] if len(found) == 1 else found


def listed(given: Any) -> list[Any]:
    """One tensor or edge, or several, as a list."""
    return [given] if isinstance(given, (Tensor, GradientEdge)) else list(given)


def grad(
    outputs: Any,
    inputs: Any,
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> Any:
    """The gradients of the sum of `outputs` with respect to `inputs`, without touching any `.grad`.

    Returns:
        One tensor per input; None for an unused one if `allow_unused`, zeros if `materialize_grads`.

    Raises:
        RuntimeError: as PyTorch, above all for an input that was not used in the graph.
    """
    if materialize_grads and allow_unused is False:
        raise ValueError(
            "Expected allow_unused to be True or not passed when materialize_grads=True, but got: allow_unused=False."
        )
    outs = listed(outputs)
    if type(inputs) is dict:
        values = grad(
            outs, list(inputs.values()), grad_outputs, retain_graph, create_graph, only_inputs, allow_unused,
            is_grads_batched, materialize_grads,
        )  # fmt: skip
        return dict(zip(inputs, values, strict=True))
    ins = listed(inputs)
    if not ins:
        raise RuntimeError("`inputs` argument to `grad()` cannot be empty.")
    if not only_inputs:
        warnings.warn(
            "only_inputs argument is deprecated and is ignored now (defaults to True). To accumulate gradient for other parts "
            "of the graph, please use torch.autograd.backward.",
            FutureWarning,
            stacklevel=2,
        )
    keep, create_graph = _flags(retain_graph, create_graph)
    if is_grads_batched:
        given = vectors(grad_outputs, len(outs))
        return _batched(outs, ins, given, keep, create_graph, allow_unused, materialize_grads)
    starts = starts_of(outs, grad_outputs, create_graph)
    _check_inputs(ins)
    for t in ins:
        if isinstance(t, Tensor) and not t.requires_grad:
            raise RuntimeError("One of the differentiated Tensors does not require grad")
    edges = [edge_of(t) for t in ins]
    found = execute(starts, keep, create_graph, edges, ins, accumulate=False)
    results = []
    for i, (t, edge) in enumerate(zip(ins, edges, strict=True)):
        g = found.get(edge)
        if g is None and not (allow_unused or materialize_grads):
            raise RuntimeError(
                f"The differentiated Tensor at index {i} appears to not have been used in the graph. Set allow_unused=True if "
                "this is the desired behavior."
            )
        if g is None and materialize_grads and isinstance(t, GradientEdge):
            raise RuntimeError("materialize_grads cannot be used when the given input is a GradientEdge")
        if g is None:
            results.append(constant(np.zeros_like(t._array)).requires_grad_(create_graph) if materialize_grads else None)
        else:
            results.append(g if isinstance(g, Tensor) else constant(copied(g)))
    return tuple(results)


def _batched(
    outs: list[Any],
    ins: list[Any],
    given: list[Any],
    keep: bool,
    create_graph: bool,
    allow_unused: bool | None,
    materialize_grads: bool,
) -> tuple[Any, ...]:
    """`grad` for a batch of vectors, one after the other: the gradients are stacked along a first dimension."""
    sizes = set()
    for k, (out, vector) in enumerate(zip(outs, given, strict=True)):
        root = _at_edge(out) if isinstance(out, GradientEdge) else out
        if vector is None:
            start(root, None, create_graph, k)
            raise RuntimeError("grad: every output needs a batch of vectors with is_grads_batched=True")
        vector[0]  # An IndexError for what has no dimension.
        shape, wanted = vector.shape[2:], root.shape
        if tuple(vector.shape[1:]) != tuple(wanted):
            raise RuntimeError(
                "If `is_grads_batched=True`, we interpret the first dimension of each grad_output as the batch dimension. The "
                "sizes of the remaining dimensions are expected to match the shape of corresponding output, but a mismatch was "
                f"detected: grad_output[{k}] has a shape of {shape} and output[{k}] has a shape of {wanted}. If you only want "
                "some tensors in `grad_output` to be considered batched, consider using vmap."
            )
        sizes.add(vector.shape[0])
    if len(sizes) != 1:
        raise ValueError(f"vmap: Expected all tensors to have the same size in the mapped dimension, got sizes {sorted(sizes)}")
    count = sizes.pop()
    rows = [
        grad(
            outs,
            ins,
            [v[i] for v in given],
            keep or i < count - 1,
            create_graph,
            allow_unused=allow_unused,
            materialize_grads=materialize_grads,
        )
        for i in range(count)
    ]
    return tuple(None if column[0] is None else primitives.stack(list(column)) for column in zip(*rows, strict=True))
