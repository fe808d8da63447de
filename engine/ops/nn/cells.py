"""One step of a recurrent network, with the weights as arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...op.declare import FUNCTIONS, function
from ...tensor import Tensor
from ..pointwise.unary import tanh
from ..shape.split import chunk
from .activation import relu, sigmoid


def _parts(input: Any, h: Any, w_ih: Any, w_hh: Any, b_ih: Any, b_hh: Any) -> tuple[Any, Any]:
    """The input's and the state's part of the gates."""
    linear = FUNCTIONS["linear"]
    return linear(input, w_ih, b_ih), linear(h, w_hh, b_hh)


def _rnn_cell(name: str, activation: Callable[..., Any]) -> Any:
    def cell(input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Any = None, b_hh: Any = None) -> Any:
        from_input, from_state = _parts(input, hx, w_ih, w_hh, b_ih, b_hh)
        return activation(from_state + from_input)

    cell.__name__, cell.__doc__ = name, f"The next state of a simple recurrent network, by {activation.__name__}."
    return function(cell)


rnn_tanh_cell, rnn_relu_cell = _rnn_cell("rnn_tanh_cell", tanh), _rnn_cell("rnn_relu_cell", relu)


@function
def lstm_cell(input: Tensor, hx: Any, w_ih: Tensor, w_hh: Tensor, b_ih: Any = None, b_hh: Any = None) -> Any:
    """The next hidden and cell state of a long short-term memory. Hochreiter and Schmidhuber (1997)."""
    h, c = hx
    from_input, from_state = _parts(input, h, w_ih, w_hh, b_ih, b_hh)
    i, f, g, o = chunk(from_state + from_input, 4, 1)
    c = sigmoid(f) * c + sigmoid(i) * tanh(g)
    return sigmoid(o) * tanh(c), c


@function
def gru_cell(input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Any = None, b_hh: Any = None) -> Any:
    """The next state of a gated recurrent unit. Cho et al. (2014)."""
    from_input, from_state = (chunk(x, 3, 1) for x in _parts(input, hx, w_ih, w_hh, b_ih, b_hh))
    reset = sigmoid(from_state[0] + from_input[0])
    keep = sigmoid(from_state[1] + from_input[1])
    new: Any = tanh(from_input[2] + reset * from_state[2])
    return (hx - new) * keep + new
