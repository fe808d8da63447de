"""The public face of the backward pass: `backward` and `grad`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from engine.autograd.carry import copied, run
from engine.autograd.graph import GradientEdge, edge_of
from engine.autograd.node import AccumulateGrad, Edge
from engine.context import context
from engine.errors import AutogradError
from engine.tensor import Tensor, constant

NO_GRAPH = "element 0 of tensors does not require grad and does not have a grad_fn"


def backward(
    tensors: Tensor | Sequence[Tensor],
    grad_tensors: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Any = None,
) -> None:
    """Add the gradients of the sum of `tensors` (weighted with `grad_tensors`) to the leaves' `.grad`.

    Args:
        tensors: the roots.
        grad_tensors: per root the vector of the vector–Jacobian product; None for roots of one element.
        retain_graph: keep the buffers; defaults to `create_graph`.
        create_graph: record the pass itself.
        inputs: fill only these tensors' `.grad`.

    Raises:
        RuntimeError: as PyTorch, for a missing `grad_tensors`, a root without graph, buffers freed before, an in-place change.
    """
    roots = listed(tensors)
    given = [grad_tensors] if isinstance(grad_tensors, Tensor) or grad_tensors is None else list(grad_tensors)
    if len(given) == 1 and given[0] is None:
        given = [None] * len(roots)
    if inputs is not None:
        inputs = listed(inputs)
        if not inputs:
            raise RuntimeError("`inputs` argument to `backward()` cannot be empty.")
        for t in inputs:
            if isinstance(t, Tensor) and not t.requires_grad:
                raise RuntimeError("One of the differentiated Tensors does not require grad")
    starts = [start(r, g, create_graph) for r, g in zip(roots, given, strict=True)]
    edges = None if inputs is None else [edge_of(t) for t in inputs]
    keep = create_graph if retain_graph is None else retain_graph
    found = run(starts, keep, create_graph, edges, inputs, accumulate=True)
    for tensor, edge in zip(inputs or (), edges or (), strict=True):
        if isinstance(tensor, Tensor) and tensor._node is not None and edge in found:
            _add_to(tensor, found[edge], create_graph)


def _add_to(tensor: Tensor, gradient: Any, create_graph: bool) -> None:
    """Add a gradient to a non-leaf's `.grad` (one that was asked for by `inputs`)."""
    from engine.ops.arithmetic import add

    have = tensor._grad
    if have is None:
        tensor._grad = gradient if create_graph else constant(copied(gradient))
    else:
        tensor._grad = add(have, gradient if create_graph else constant(gradient))
    if context.observer is not None:
        context.observer.accumulated(tensor, gradient, tensor._node)


def start(root: Tensor, gradient: Any, create_graph: bool) -> tuple[Tensor, Edge, Any]:
    """A root with its edge and the gradient it starts from."""
    if isinstance(root, GradientEdge):
        root = _at_edge(root)
    if gradient is None:
        if root.requires_grad and root._array.size != 1:
            raise RuntimeError("grad can be implicitly created only for scalar outputs")
        if not root.requires_grad:
            raise AutogradError(NO_GRAPH)
        gradient = constant(np.ones(root._array.shape, root._array.dtype))
    elif not isinstance(gradient, Tensor):
        raise TypeError("gradients can be either Tensors or None, but got " + type(gradient).__name__)
    elif gradient._array.shape != root._array.shape:
        raise RuntimeError(
            f"Mismatch in shape: grad_output[0] has a shape of {gradient.shape} and output[0] has a shape of {root.shape}."
        )
    if not root.requires_grad:
        raise AutogradError(NO_GRAPH)
    return root, edge_of(root), gradient if create_graph else gradient._array


def _at_edge(edge: GradientEdge) -> Tensor:
    """A tensor that stands for an edge as a root of a pass."""
    node, number = edge.node, edge.output_nr
    shape, dtype = node.shape[number] if node.several else (node.shape, node.dtype)
    if isinstance(node, AccumulateGrad):
        return node.variable
    root = constant(np.broadcast_to(np.zeros((), dtype), shape))
    root._node, root._nr, root._needs = node, number, True
    return root


def listed(given: Any) -> list[Any]:
    """One tensor or edge, or several, as a list."""
    return [given] if isinstance(given, Tensor | GradientEdge) else list(given)


def grad(
    outputs: Any,
    inputs: Any,
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> tuple[Any, ...]:
    """The gradients of the sum of `outputs` with respect to `inputs`, without touching any `.grad`.

    Returns:
        One tensor per input; None for an unused one if `allow_unused`, zeros if `materialize_grads`.

    Raises:
        RuntimeError: as PyTorch, above all for an input that was not used in the graph.
    """
    if is_grads_batched:
        raise NotImplementedError("autograd.grad: is_grads_batched is not supported by Gradtape; loop over the vectors")
    outs, ins = listed(outputs), listed(inputs)
    given = [grad_outputs] if isinstance(grad_outputs, Tensor) or grad_outputs is None else list(grad_outputs)
    if len(given) == 1 and given[0] is None:
        given = [None] * len(outs)
    if materialize_grads and allow_unused is False:
        raise ValueError(
            "Expected allow_unused to be True or not passed when materialize_grads=True, but got: allow_unused=False."
        )
    starts = [start(o, g, create_graph) for o, g in zip(outs, given, strict=True)]
    for t in ins:
        if isinstance(t, Tensor) and not t.requires_grad:
            raise RuntimeError("One of the differentiated Tensors does not require grad")
    edges = [edge_of(t) for t in ins]
    keep = create_graph if retain_graph is None else retain_graph
    found = run(starts, keep, create_graph, edges, ins, accumulate=False)
    results = []
    for i, (t, edge) in enumerate(zip(ins, edges, strict=True)):
        g = found.get(edge)
        if g is None and not (allow_unused or materialize_grads):
            raise RuntimeError(
                f"The differentiated Tensor at index {i} appears to not have been used in the graph. Set allow_unused=True if "
                "this is the desired behavior."
            )
        if g is None:
            results.append(constant(np.zeros_like(t._array)) if materialize_grads else None)
        else:
            results.append(g if isinstance(g, Tensor) else constant(copied(g)))
    return tuple(results)
