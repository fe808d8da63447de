"""A layer of a recurrent network as one operation, and pieces of gates and packed sequences."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...op.declare import op
from ...tensor import Tensor
from ..indexing.slicing import unbind
from ..linalg.matmul import linear
from ..pointwise.unary import tanh
from ..shape.joining import _cat, _stack, stack
from ..shape.split import joined
from .activation import sigmoid

# --- pieces of gates ---------------------------------------------------------------------------------------------------------


@op(
    r"\mathrm{{split}}({self})",
    self=lambda grads, dim: joined(grads, dim),
    outputs=("*",),
    node="UnsafeSplitBackward0",
    name="unsafe_split",
)
def _unsafe_split(self, split_size, dim):
    """Pieces along `dim`, each an output of its own instead of a view."""
    before = (slice(None),) * dim
    return [self[(*before, slice(s, s + split_size))] for s in range(0, self.shape[dim], split_size)]


# --- one layer of an LSTM ----------------------------------------------------------------------------------------------------
# The workspace holds, for each step: the gates i, f, g, o after their activation; the cell states, with the first; their tanh.


def carved(work, dtype, steps, n, width):
    """The workspace's parts: gates (L, N, 4, H), cell states (L + 1, N, H), their tanh (L, N, H)."""
    flat = work.view(dtype)
    gates, cells = steps * n * 4 * width, (steps + 1) * n * width
    return (
        flat[:gates].reshape(steps, n, 4, width),
        flat[gates : gates + cells].reshape(steps + 1, n, width),
        flat[gates + cells :].reshape(steps, n, width),
    )


@op(
    r"\mathrm{{lstm}}({input})",
    input=lambda grads, input: grads[0],
    weight0=lambda grads, input: grads[0],
    weight1=lambda grads, input: grads[0],
    weight2=lambda grads, input: grads[0],
    weight3=lambda grads, input: grads[0],
    hx_=lambda grads, input: grads[0],
    cx_=lambda grads, input: grads[0],
    joint_vjp=lambda grads, input, weight0, weight1, weight2, weight3, hx_, cx_, reverse, result0, result3, needs: layer_slopes(
        grads, input, weight0, weight1, weight2, weight3, hx_, cx_, reverse, result0, result3, needs
    ),
    outputs=("result0", "result1", "result2", "result3"),
    broadcast=(),
    node="MkldnnRnnLayerBackward0",
    name="mkldnn_rnn_layer",
)
def _mkldnn_rnn_layer(input, weight0, weight1, weight2, weight3, hx_, cx_, reverse):
    """One layer of an LSTM in one direction: the states of all steps, the last state and cell state, and a workspace."""
    steps, n, _ = input.shape
    width, dtype = weight1.shape[1], input.dtype
    work = np.empty((steps * n * 6 + n) * width * dtype.itemsize, np.uint8)
    gates, cells, curves = carved(work, dtype, steps, n, width)
    output = np.empty((steps, n, width), dtype)
    # sigmoid(x) is (tanh(x / 2) + 1) / 2, so one call serves all gates.
    factor = np.repeat(np.array([0.5, 0.5, 1, 0.5], dtype), width)
    shift = 1 - factor
    rows = input.reshape(steps * n, -1)
    all_gates = gates.reshape(steps, n, 4 * width)
    np.matmul(rows, (weight0.T * factor), out=all_gates.reshape(steps * n, -1))
    all_gates += (weight2 + weight3) * factor
    across = np.ascontiguousarray(weight1.T * factor)
    cells[0] = cx_
    h = hx_
    part, product = np.empty((n, 4 * width), dtype), np.empty((n, width), dtype)
    for k in range(steps):
        t = steps - 1 - k if reverse else k
        gate = all_gates[t]
        np.matmul(h, across, out=part)
        gate += part
        np.tanh(gate, out=gate)
        gate *= factor
        gate += shift
        four = gates[t]
        c = cells[k + 1]
        np.multiply(four[:, 1], cells[k], out=c)
        np.multiply(four[:, 0], four[:, 2], out=product)
        c += product
        np.tanh(c, out=curves[k])
        h = output[t]
        np.multiply(four[:, 3], curves[k], out=h)
    return output, h.copy() if steps else hx_.copy(), cells[steps].copy(), work


def layer_slopes(grads, input, weight0, weight1, weight2, weight3, hx_, cx_, reverse, result0, result3, needs):
    """The gradients of an LSTM layer's inputs."""
    if isinstance(input, Tensor):
        return retraced(grads, (input, weight0, weight1, weight2, weight3, hx_, cx_), reverse, needs)
    return slopes_on_arrays(grads, input, weight0, weight1, hx_, reverse, result0, result3, needs)


def slopes_on_arrays(grads, input, weight0, weight1, hx_, reverse, result0, result3, needs):
    """Backwards through the steps: the slopes of the gates before their activation, and from these all others."""
    steps, n, _ = input.shape
    width, dtype = weight1.shape[1], input.dtype
    gates, cells, curves = carved(result3, dtype, steps, n, width)
    order = slice(None, None, -1) if reverse else slice(None)
    gates = gates[order]
    i, f, g, o = (gates[:, :, k] for k in range(4))
    through = o * (1 - curves * curves)
    local = 1 - gates
    local *= gates
    local[:, :, 2] = 1 - g * g
    local[:, :, 0] *= g
    local[:, :, 1] *= cells[:-1]
    local[:, :, 2] *= i
    local[:, :, 3] *= curves
    upstream = grads[0][order]
    dh, dc = np.array(grads[1], dtype), np.array(grads[2], dtype)
    for k in range(steps - 1, -1, -1):
        dh += upstream[k]
        dc += dh * through[k]
        four = local[k]
        four[:, :3] *= dc[:, None]
        four[:, 3] *= dh
        dc *= f[k]
        np.matmul(four.reshape(n, -1), weight1, out=dh)
    flat = local.reshape(steps * n, 4 * width)
    ordered = input[order].reshape(steps * n, -1)
    d_input = None
    if needs[0]:
        d_input = np.empty(input.shape, dtype)
        d_input[order] = (flat @ weight0).reshape(input.shape)
    before = np.concatenate([hx_[None], result0[order][:-1]]).reshape(steps * n, width)
    bias = flat.sum(0) if needs[3] or needs[4] else None
    return (
        d_input,
        flat.T @ ordered if needs[1] else None,
        flat.T @ before if needs[2] else None,
        bias if needs[3] else None,
        bias.copy() if needs[4] else None,
        dh if needs[5] else None,
        dc if needs[6] else None,
    )


def retraced(grads, inputs, reverse, needs):
    """The same with a graph of their own: the layer's steps once more, and their gradients."""
    from ...autograd import enable_grad, grad

    input, weight0, weight1, weight2, weight3, h, c = inputs
    with enable_grad():
        outputs = []
        rows = unbind(linear(input, weight0, weight2), 0)
        for gates in reversed(rows) if reverse else rows:
            h, c = lstm_step(gates, h, c, weight1, weight3)
            outputs.append(h)
        results = [stack(outputs[::-1] if reverse else outputs, 0), h, c]
        wanted = [x for x, need in zip(inputs, needs) if need]
        found = iter(grad(results, wanted, list(grads[:3]), create_graph=True, allow_unused=True))
    return tuple(next(found) if need else None for need in needs)


def lstm_step(gates: Any, h: Any, c: Any, w_hh: Any, b_hh: Any) -> tuple[Any, Any]:
    """One step of an LSTM from the input's part of the gates: the next state and cell state."""
    i, f, g, o = _unsafe_split(linear(h, w_hh, b_hh) + gates, c.shape[1], 1)
    c = sigmoid(f) * c + sigmoid(i) * tanh(g)
    return sigmoid(o) * tanh(c), c


# --- packed sequences --------------------------------------------------------------------------------------------------------


@op(
    r"\mathrm{{pack}}({input})",
    input=lambda grad, input_sym_sizes, lengths, batch_first: unpacked(grad, input_sym_sizes, lengths, batch_first),
    outputs=("data", "batch_sizes"),
    node="PackPaddedSequenceBackward0",
    name="_pack_padded_sequence",
)
def _packed(input, lengths, batch_first):
    """The steps of padded sequences one after the other, each with the sequences that are still going on."""
    steps = input.swapaxes(0, 1) if batch_first else input
    sizes = [sum(n > t for n in lengths) for t in range(lengths[0])]
    data = np.concatenate([steps[t, :size] for t, size in enumerate(sizes)])
    return data, np.asarray(sizes, np.int64)


def unpacked(grad, sizes, lengths, batch_first):
    """The gradient of a packed sequence's steps, padded with zeros."""
    time = range(sizes[1] if batch_first else sizes[0])
    counts = [sum(n > t for n in lengths) for t in time]
    pieces, start, n = [], 0, len(lengths)
    for count in counts:
        piece = grad[start : start + count]
        rest = (n - count, *grad.shape[1:])
        pieces.append(piece if count == n else _cat([piece, empty_like_rows(grad, rest)], 0))
        start += count
    return _stack(pieces, 1 if batch_first else 0)


def empty_like_rows(grad, shape):
    """Zeros of `grad`'s kind in another shape."""
    if isinstance(grad, Tensor):
        return grad.new_zeros(shape)
    return np.zeros(shape, grad.dtype)
