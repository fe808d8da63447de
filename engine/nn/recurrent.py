"""Recurrent networks: RNN, LSTM and GRU over sequences, and their cells for one step."""

from __future__ import annotations

import math
import warnings
from typing import Any

from ..ops.creation.factories import zeros
from ..ops.shape.joining import cat, stack
from ..ops.shape.permute import _turned
from ..safe_attributes import read, take_over
from ..tensor import Tensor
from . import functional as F  # noqa: N812
from . import init
from .module import Module
from .parameter import Parameter, empty
from .rnn_cells import GATES, STEPS, WEIGHTS, along, along_packed, lstm_layer, whole_layers
from .utils.rnn import PackedSequence


def _uniform(module: Any) -> None:
    bound = 1.0 / math.sqrt(module.hidden_size) if module.hidden_size > 0 else 0
    for weight in module.parameters():
        init.uniform_(weight, -bound, bound)


# --- sequences -------------------------------------------------------------------------------------------------------------


class RNNBase(Module):
    """What RNN, LSTM and GRU have in common: `num_layers` layers, each with one or two directions.

    Input (L, N, input_size), or (N, L, input_size) with `batch_first`, or (L, input_size); output the last layer's states,
    both directions side by side, and the final states (layers * directions, N, hidden_size).
    """

    def __init__(
        self,
        mode: str,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        proj_size: int = 0,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        if isinstance(dropout, bool) or not isinstance(dropout, (int, float)) or not 0 <= dropout <= 1:
            raise ValueError(
                "dropout should be a number in range [0, 1] representing the probability of an element being zeroed"
            )
        if dropout > 0 and num_layers == 1:
            warnings.warn(
                "dropout option adds dropout after all but last recurrent layer, so non-zero dropout expects num_layers "
                f"greater than 1, but got dropout={dropout} and num_layers={num_layers}",
                stacklevel=3,
            )
        _check_sizes(bias, batch_first, input_size, hidden_size, num_layers, proj_size)
        if mode not in STEPS:
            raise ValueError("Unrecognized RNN mode: " + mode)
        self.mode = mode
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.num_layers = num_layers
        self.bias = bias
        self.batch_first = batch_first
        self.dropout = float(dropout)
        self.bidirectional = bidirectional
        self.proj_size = proj_size
        self._all_weights: list[list[str]] = []
        gates, state, directions = GATES[mode] * hidden_size, proj_size or hidden_size, 2 if bidirectional else 1
        for layer in range(num_layers):
            width = input_size if layer == 0 else state * directions
            for direction in range(directions):
                shapes: dict[str, tuple[int, ...]] = {"weight_ih": (gates, width), "weight_hh": (gates, state)}
                if bias:
                    shapes |= {"bias_ih": (gates,), "bias_hh": (gates,)}
                if proj_size > 0:
                    shapes["weight_hr"] = (proj_size, hidden_size)
                suffix = f"_l{layer}{'_reverse' if direction else ''}"
                for name, shape in shapes.items():
                    setattr(self, name + suffix, Parameter(empty(shape, device=device, dtype=dtype)))
                self._all_weights.append([name + suffix for name in shapes])
        self.reset_parameters()

    def reset_parameters(self) -> None:
        r"""Draw all weights from $\pm 1/\sqrt{\text{hidden\_size}}$."""
        _uniform(self)

    def _pickled(self) -> dict[str, Any]:
        """The attributes, and the weights in a row."""
        names = [name for names in self._all_weights for name in names]
        return super()._pickled() | {"_flat_weights_names": names, "_flat_weights": [read(self, n) for n in names]}

    def __setstate__(self, state: dict[str, Any]) -> None:
        take_over(self, {name: value for name, value in state.items() if not name.startswith("_flat_weight")})

    def flatten_parameters(self) -> None:
        """Nothing to do: that is for GPUs."""

    @property
    def all_weights(self) -> list[list[Parameter]]:
        """The weights of each layer and direction."""
        return [[read(self, name) for name in names] for names in self._all_weights]

    def extra_repr(self) -> str:
        """The sizes, and the settings that are not the usual ones."""
        usual = {
            "proj_size": 0, "num_layers": 1, "bias": True, "batch_first": False, "dropout": 0, "bidirectional": False,
        }  # fmt: skip
        settings = [f", {name}={getattr(self, name)}" for name, value in usual.items() if getattr(self, name) != value]
        return f"{self.input_size}, {self.hidden_size}{''.join(settings)}"

    def _weights(self, layer: int, backwards: bool) -> tuple[Any, ...]:
        """The weights of a layer in one direction: of the input and the state, both biases, the projection."""
        suffix = f"_l{layer}{'_reverse' if backwards else ''}"
        return tuple(getattr(self, name + suffix, None) for name in WEIGHTS)

    def _run(self, input: Any, states: tuple[Any, ...], sizes: list[int] | None = None) -> tuple[Any, tuple[Any, ...]]:
        """All layers; `states` hold (layers * directions, N, …); `sizes` are those of the steps of a packed sequence."""
        directions = 2 if self.bidirectional else 1
        whole = self.mode == "LSTM" and sizes is None and whole_layers(input, states) and not self.proj_size
        starts = list(zip(*[[s[k] for k in range(len(s))] if whole else s.unbind(0) for s in states]))
        finals: list[tuple[Any, ...]] = []
        for layer in range(self.num_layers):
            outputs = []
            for direction in range(directions):
                weights, start = self._weights(layer, direction == 1), starts[layer * directions + direction]
                if whole:
                    output, final = lstm_layer(input, start, weights, direction == 1)
                elif sizes is None:
                    output, final = along(self.mode, input, start, weights, direction == 1)
                else:
                    output, final = along_packed(self.mode, input, sizes, start, weights, direction == 1)
                outputs.append(output)
                finals.append(final)
            input = outputs[0] if directions == 1 else cat(outputs, -1)
            if self.dropout and self.training and layer < self.num_layers - 1:
                input = F.dropout(input, self.dropout, True)
        return input, tuple(stack(list(parts), 0) for parts in zip(*finals))

    def _forward_packed(self, input: PackedSequence, states: tuple[Tensor, ...] | None) -> tuple[Any, tuple[Any, ...]]:
        """The same for a packed sequence, whose sequences stand in the order of their lengths."""
        data, batch_sizes, order, back = input
        sizes = [int(n) for n in batch_sizes.tolist()]
        layers, widths = self.num_layers * (2 if self.bidirectional else 1), self._widths()
        if states is None:
            states = tuple(zeros(layers, sizes[0], width, dtype=data.dtype) for width in widths)
        elif order is not None:
            states = tuple(s.index_select(1, order) for s in states)
        if data.dim() != 2:
            raise RuntimeError(f"input must have 2 dimensions, got {data.dim()}")
        self._check_input(data)
        self._check_states(states, layers, sizes[0])
        output, finals = self._run(data, states, sizes)
        if back is not None:
            finals = tuple(s.index_select(1, back) for s in finals)
        return PackedSequence(output, batch_sizes, order, back), finals

    def _widths(self) -> tuple[int, ...]:
        return (self.proj_size or self.hidden_size, self.hidden_size)[: 2 if self.mode == "LSTM" else 1]

    def _check_states(self, states: tuple[Tensor, ...], layers: int, n: int) -> None:
        for i, (state, width) in enumerate(zip(states, self._widths())):
            if tuple(state.shape) != (layers, n, width):
                which = f"[{i}]" if self.mode == "LSTM" else ""
                raise RuntimeError(f"Expected hidden{which} size {(layers, n, width)}, got {list(state.shape)}")

    def _forward(self, input: Tensor, states: tuple[Tensor, ...] | None) -> tuple[Any, tuple[Any, ...]]:
        """Bring input and states to (L, N, …), run, and bring the results back."""
        if isinstance(input, PackedSequence):
            return self._forward_packed(input, states)
        name, batched = type(self).__name__, input.dim() == 3
        if input.dim() not in (2, 3):
            kind = "D tensor instead" if name == "RNN" else "D instead"
            raise ValueError(f"{name}: Expected input to be 2D or 3D, got {input.dim()}{kind}")
        x: Any = input if batched else input.unsqueeze(0 if self.batch_first else 1)
        if states is not None:
            self._check_rank(states, batched)
            states = states if batched else tuple(s.unsqueeze(1) for s in states)
        layers, n = self.num_layers * (2 if self.bidirectional else 1), x.size(0 if self.batch_first else 1)
        if states is None:
            states = tuple(zeros(layers, n, width, dtype=input.dtype) for width in self._widths())
        self._check_input(x)
        self._check_states(states, layers, n)
        output, finals = self._run(x.transpose(0, 1) if self.batch_first else x, states)
        if self.batch_first:
            output = output.transpose(0, 1) if self.mode == "LSTM" else _turned(output, 0, 1)
        if batched:
            return output, finals
        return output.squeeze(0 if self.batch_first else 1), tuple(s.squeeze(1) for s in finals)

    def _check_rank(self, states: tuple[Tensor, ...], batched: bool) -> None:
        kind, rank = ("batched 3-D", 3) if batched else ("unbatched 2-D", 2)
        if all(s.dim() == rank for s in states):
            return
        if self.mode == "LSTM":
            got = ", ".join(f"{s.dim()}-D" for s in states)
            raise RuntimeError(f"For {kind} input, hx and cx should also be {rank}-D but got ({got}) tensors")
        raise RuntimeError(f"For {kind} input, hx should also be {rank}-D but got {states[0].dim()}-D tensor")

    def _check_input(self, input: Tensor) -> None:
        own = self.all_weights[0][0].dtype
        if input.dtype != own:
            raise ValueError(
                f"RNN input dtype ({input.dtype}) does not match weight dtype ({own}). Convert input: input.to({own}), or "
                f"convert model: model.to({input.dtype})"
            )
        if input.size(-1) != self.input_size:
            raise RuntimeError(f"input.size(-1) must be equal to input_size. Expected {self.input_size}, got {input.size(-1)}")


def _check_sizes(bias: Any, batch_first: Any, input_size: Any, hidden_size: Any, num_layers: int, proj_size: int) -> None:
    for name, flag in (("bias", bias), ("batch_first", batch_first)):
        if not isinstance(flag, bool):
            raise TypeError(f"{name} should be of type bool, got: {type(flag).__name__}")
    for name, size in (("input_size", input_size), ("hidden_size", hidden_size)):
        if not isinstance(size, int):
            raise TypeError(f"{name} should be of type int, got: {type(size).__name__}")
        if size <= 0:
            raise ValueError(f"{name} must be greater than zero")
    if num_layers <= 0:
        raise ValueError("num_layers must be greater than zero")
    if proj_size < 0:
        raise ValueError("proj_size should be a positive integer or zero to disable projections")
    if proj_size >= hidden_size:
        raise ValueError("proj_size has to be smaller than hidden_size")


def _no_projection(kwargs: dict[str, Any]) -> None:
    if "proj_size" in kwargs:
        raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")


class RNN(RNNBase):
    r"""$h_t = \tanh(W_{ih} x_t + b_{ih} + W_{hh} h_{t-1} + b_{hh})$, or relu. Elman (1990).

    `RNN(input_size, hidden_size, num_layers=1, nonlinearity="tanh", bias=True, batch_first=False, dropout=0.0,
    bidirectional=False)`.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        _no_projection(kwargs)
        nonlinearity = args[3] if len(args) > 3 else kwargs.pop("nonlinearity", "tanh")
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"Unknown nonlinearity '{nonlinearity}'. Select from 'tanh' or 'relu'.")
        super().__init__(f"RNN_{nonlinearity.upper()}", *args[:3], *args[4:], **kwargs)
        self.nonlinearity = nonlinearity

    def forward(self, input: Tensor, hx: Tensor | None = None) -> tuple[Any, Any]:
        """The output and the final states; `hx` are the first ones, zeros unless given."""
        output, (h,) = self._forward(input, None if hx is None else (hx,))
        return output, h


class GRU(RNNBase):
    r"""$h_t = (1 - z_t) n_t + z_t h_{t-1}$ with an update gate z and a new state n. Cho et al. (2014).

    `GRU(input_size, hidden_size, num_layers=1, bias=True, batch_first=False, dropout=0.0, bidirectional=False)`.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        _no_projection(kwargs)
        super().__init__("GRU", *args, **kwargs)

    def forward(self, input: Tensor, hx: Tensor | None = None) -> tuple[Any, Any]:
        """The output and the final states; `hx` are the first ones, zeros unless given."""
        output, (h,) = self._forward(input, None if hx is None else (hx,))
        return output, h


class LSTM(RNNBase):
    r"""$c_t = f_t c_{t-1} + i_t g_t$, $h_t = o_t \tanh(c_t)$ with gates i, f, g, o. Hochreiter & Schmidhuber (1997).

    `LSTM(input_size, hidden_size, num_layers=1, bias=True, batch_first=False, dropout=0.0, bidirectional=False,
    proj_size=0)`; `proj_size` makes h shorter than c by a linear map. Sak et al. (2014).
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__("LSTM", *args, **kwargs)

    def forward(self, input: Tensor, hx: tuple[Tensor, Tensor] | None = None) -> tuple[Any, tuple[Any, Any]]:
        """The output and the final states (h, c); `hx` are the first ones, zeros unless given."""
        output, (h, c) = self._forward(input, hx)
        return output, (h, c)


# --- cells -----------------------------------------------------------------------------------------------------------------


class RNNCellBase(Module):
    """One step of a recurrent network; input (N, input_size) or (input_size)."""

    _mode = ""

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool, num_chunks: int, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__()
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.bias = bias
        gates = num_chunks * hidden_size
        shapes = {"weight_ih": (gates, input_size), "weight_hh": (gates, hidden_size), "bias_ih": (gates,), "bias_hh": (gates,)}
        for name, shape in shapes.items():
            made = bias or name.startswith("weight")
            self.register_parameter(name, Parameter(empty(shape, device=device, dtype=dtype)) if made else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        r"""Draw all weights from $\pm 1/\sqrt{\text{hidden\_size}}$."""
        _uniform(self)

    def extra_repr(self) -> str:
        """The sizes, and the settings that are not the usual ones."""
        bias = "" if self.bias is True else f", bias={self.bias}"
        other = self.__dict__.get("nonlinearity", "tanh")
        return f"{self.input_size}, {self.hidden_size}{bias}" + ("" if other == "tanh" else f", nonlinearity={other}")

    def _check_sizes(self, input: Tensor, states: tuple[Tensor, ...]) -> None:
        n, width = input.shape
        if width != self.input_size:
            raise RuntimeError(f"input has inconsistent input_size: got {width} expected {self.input_size}")
        for i, state in enumerate(states):
            if state.shape[0] != n:
                raise RuntimeError(f"Input batch size {n} doesn't match hidden{i} batch size {state.shape[0]}")
            if state.shape[1] != self.hidden_size:
                raise RuntimeError(f"hidden{i} has inconsistent hidden_size: got {state.shape[1]}, expected {self.hidden_size}")

    def _step(self, mode: str, input: Tensor, states: tuple[Tensor, ...] | None) -> tuple[Any, ...]:
        name, batched = type(self).__name__, input.dim() == 2
        if input.dim() not in (1, 2):
            raise ValueError(f"{name}: Expected input to be 1D or 2D, got {input.dim()}D instead")
        for i, state in enumerate(states or ()):
            if state.dim() not in (1, 2):
                which = f"hx[{i}]" if mode == "LSTM" else "hidden"
                raise ValueError(f"{name}: Expected {which} to be 1D or 2D, got {state.dim()}D instead")
        x: Any = input if batched else input.unsqueeze(0)
        if states is None:
            start = zeros(x.size(0), self.hidden_size, dtype=input.dtype)
            states = (start, start) if mode == "LSTM" else (start,)
        elif not batched:
            states = tuple(s.unsqueeze(0) for s in states)
        self._check_sizes(x, states)
        gates = F.linear(x, self.weight_ih, self.bias_ih)
        result: tuple[Any, ...] = STEPS[mode](gates, states, self.weight_hh, self.bias_hh, None)
        return result if batched else tuple(s.squeeze(0) for s in result)


class RNNCell(RNNCellBase):
    r"""$h' = \tanh(W_{ih} x + b_{ih} + W_{hh} h + b_{hh})$, or relu."""

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        nonlinearity: str = "tanh",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 1, device, dtype)
        self.nonlinearity = nonlinearity

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Any:
        """The next state; `hx` is zeros unless given."""
        if self.nonlinearity not in ("tanh", "relu"):
            raise RuntimeError(f"Unknown nonlinearity: {self.nonlinearity}")
        return self._step(f"RNN_{self.nonlinearity.upper()}", input, None if hx is None else (hx,))[0]


class LSTMCell(RNNCellBase):
    """One step of an LSTM: from (h, c) to (h', c')."""

    def __init__(self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: Any = None) -> None:
        super().__init__(input_size, hidden_size, bias, 4, device, dtype)

    def forward(self, input: Tensor, hx: tuple[Tensor, Tensor] | None = None) -> Any:
        """The next states (h, c); `hx` are zeros unless given."""
        return self._step("LSTM", input, hx)


class GRUCell(RNNCellBase):
    """One step of a GRU."""

    def __init__(self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: Any = None) -> None:
        super().__init__(input_size, hidden_size, bias, 3, device, dtype)

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Any:
        """The next state; `hx` is zeros unless given."""
        return self._step("GRU", input, None if hx is None else (hx,))[0]
