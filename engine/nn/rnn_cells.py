"""What recurrent networks do at each step, and along a sequence."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..ops.creation.factories import zeros
from ..ops.nn.activation import relu, sigmoid
from ..ops.nn.recurrent import _mkldnn_rnn_layer, _unsafe_split, lstm_step
from ..ops.pointwise.unary import tanh
from ..ops.shape.joining import cat, stack
from . import functional as F  # noqa: N812

WEIGHTS = ("weight_ih", "weight_hh", "bias_ih", "bias_hh", "weight_hr")
"""The weights of a layer, in the order in which functions here take them."""

State = tuple[Any, ...]

# --- one step --------------------------------------------------------------------------------------------------------------
# A step takes the input's part of the gates, the state, and the state's weights; it returns the next state.


def _rnn_step(activation: Any) -> Any:
    def step(gates: Any, state: State, w_hh: Any, b_hh: Any, w_hr: Any) -> State:
        return (activation(F.linear(state[0], w_hh, b_hh) + gates),)

    return step


def _lstm_step(gates: Any, state: State, w_hh: Any, b_hh: Any, w_hr: Any) -> State:
    h, c = lstm_step(gates, state[0], state[1], w_hh, b_hh)
    return (h if w_hr is None else F.linear(h, w_hr)), c


def _gru_step(gates: Any, state: State, w_hh: Any, b_hh: Any, w_hr: Any) -> State:
    h = state[0]
    width = h.shape[1]
    r_in, z_in, n_in = _unsafe_split(gates, width, 1)
    r, z, n = _unsafe_split(F.linear(h, w_hh, b_hh), width, 1)
    reset = sigmoid(r + r_in)
    keep = sigmoid(z + z_in)
    new = tanh(n_in + reset * n)
    return ((h - new) * keep + new,)


STEPS = {"RNN_TANH": _rnn_step(tanh), "RNN_RELU": _rnn_step(relu), "LSTM": _lstm_step, "GRU": _gru_step}
GATES = {"RNN_TANH": 1, "RNN_RELU": 1, "LSTM": 4, "GRU": 3}


# --- one layer in one direction ----------------------------------------------------------------------------------------------
# The states of all steps, in the order of the input, and the last one.


def along(mode: str, input: Any, state: State, weights: State, backwards: bool) -> tuple[Any, State]:
    """Along a sequence (L, N, …)."""
    w_ih, w_hh, b_ih, b_hh, w_hr = weights
    step = STEPS[mode]
    rows = F.linear(input, w_ih, b_ih).unbind(0)
    outputs = []
    for gates in reversed(rows) if backwards else rows:
        state = step(gates, state, w_hh, b_hh, w_hr)
        outputs.append(state[0])
    return stack(outputs[::-1] if backwards else outputs, 0), state


def along_packed(mode: str, input: Any, sizes: list[int], state: State, weights: State, backwards: bool) -> tuple[Any, State]:
    """Along a packed sequence: of the state, only the rows of the sequences that are still, or already, going on."""
    w_ih, w_hh, b_ih, b_hh, w_hr = weights
    step = STEPS[mode]
    rows = F.linear(input, w_ih, b_ih)
    ends = np.cumsum(sizes).tolist()
    spans = [(end - size, end, size) for end, size in zip(ends, sizes)]
    outputs = []
    if backwards:
        first, n = state, sizes[-1]
        state = tuple(s[:n] for s in first)
        for start, end, size in reversed(spans):
            if size > n:
                state = tuple(cat([s, f[n:size]], 0) for s, f in zip(state, first))
                n = size
            state = step(rows[start:end], state, w_hh, b_hh, w_hr)
            outputs.append(state[0])
        return cat(outputs[::-1], 0), state
    done, n = [], sizes[0]
    for start, end, size in spans:
        if size < n:
            done.append(tuple(s[size:] for s in state))
            state = tuple(s[:size] for s in state)
            n = size
        state = step(rows[start:end], state, w_hh, b_hh, w_hr)
        outputs.append(state[0])
    done.append(state)
    return cat(outputs, 0), tuple(cat(list(parts), 0) if len(parts) > 1 else parts[0] for parts in zip(*done[::-1]))


def whole_layers(input: Any, states: State) -> bool:
    """Whether an LSTM's layers run as one operation each: as in PyTorch, for float32."""
    return input._array.size > 0 and all(x._array.dtype == np.float32 for x in (input, *states))


def lstm_layer(input: Any, state: State, weights: State, backwards: bool) -> tuple[Any, State]:
    """Along a sequence (L, N, …), as one operation."""
    w_ih, w_hh, b_ih, b_hh, _ = weights
    if b_ih is None:
        b_ih = b_hh = zeros(w_ih.shape[0], dtype=w_ih.dtype)
    output, h, c, _ = _mkldnn_rnn_layer(input.contiguous(), w_ih, w_hh, b_ih, b_hh, *state, backwards)
    return output, (h, c)
