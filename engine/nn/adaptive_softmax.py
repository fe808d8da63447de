"""Efficient softmax over many classes: frequent ones directly, rare ones by cluster. Grave et al. (2017)."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from . import functional as F  # noqa: N812
from .containers import ModuleList, Sequential
from .linear import Linear
from .module import Module

_ASMoutput = namedtuple("_ASMoutput", ("output", "loss"))


class AdaptiveLogSoftmaxWithLoss(Module):
    """Log-probabilities of the target classes and their mean negative; `cutoffs` divide the classes into clusters.

    The first cluster is part of the head; the projection of each further one is `div_value` times smaller.
    """

    def __init__(
        self,
        in_features: int,
        n_classes: int,
        cutoffs: Sequence[int],
        div_value: float = 4.0,
        head_bias: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        cutoffs = list(cutoffs)
        if len(cutoffs) == 0:
            raise ValueError("cutoffs should be a sequence of length larger than 0")
        increasing = cutoffs == sorted(set(cutoffs)) and all(int(c) == c for c in cutoffs)
        if not increasing or min(cutoffs) <= 0 or max(cutoffs) > n_classes - 1:
            raise ValueError(
                "cutoffs should be a sequence of unique, positive integers sorted in an increasing order, where each value is "
                "between 1 and n_classes-1"
            )
        self.in_features = in_features
        self.n_classes = n_classes
        self.cutoffs = [*cutoffs, n_classes]
        self.div_value = div_value
        self.head_bias = head_bias
        self.shortlist_size = self.cutoffs[0]
        self.n_clusters = len(self.cutoffs) - 1
        self.head_size = self.shortlist_size + self.n_clusters
        self.head = Linear(in_features, self.head_size, head_bias, device, dtype)
        self.tail: Any = ModuleList()
        for i in range(self.n_clusters):
            inner, outer = int(in_features // div_value ** (i + 1)), self.cutoffs[i + 1] - self.cutoffs[i]
            layers = (Linear(in_features, inner, False, device, dtype), Linear(inner, outer, False, device, dtype))
            self.tail.append(Sequential(*layers))

    def reset_parameters(self) -> None:
        """Draw all weights anew."""
        self.head.reset_parameters()
        for projection in self.tail:
            for layer in projection:
                layer.reset_parameters()

    def forward(self, input_: Any, target_: Any) -> _ASMoutput:
        """The log-probability of each target, and the loss."""
        dims = target_.dim()
        if dims == 1:
            if input_.size(0) != target_.size(0):
                raise RuntimeError("Input and target should have the same size in the batch dimension.")
            if input_.dim() != 2:
                raise RuntimeError(f"1D target tensor expects 2D input tensors, but found inputs with size {input_.size()}")
        elif dims == 0:
            if input_.dim() != 1:
                raise RuntimeError(f"0D target tensor expects 1D input tensors, but found inputs with size {input_.size()}")
        else:
            raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
        input, target = (input_, target_) if dims else (input_.unsqueeze(0), target_.unsqueeze(0))
        n, used = target.size(0), 0
        output, columns = input.new_zeros(n), target.new_empty(n)
        edges = [0, *self.cutoffs]
        for i, (low, high) in enumerate(pairwise(edges)):
            mask = (target >= low) & (target < high)
            rows = mask.nonzero().squeeze(1)
            if rows.numel() == 0:
                continue
            if i == 0:
                columns.index_copy_(0, rows, target[mask])
            else:
                logs = F.log_softmax(self.tail[i - 1](input.index_select(0, rows)), dim=1)
                columns.index_fill_(0, rows, self.shortlist_size + i - 1)
                output.index_copy_(0, rows, logs.gather(1, (target[mask] - low).unsqueeze(1)).squeeze(1))
            used += rows.numel()
        if used != n:
            raise RuntimeError(
                f"Target values should be in [0, {self.n_classes - 1}], but values in range [{target.min().item()}, "
                f"{target.max().item()}] were found. "
            )
        output += F.log_softmax(self.head(input), dim=1).gather(1, columns.unsqueeze(1)).squeeze()
        loss = (-output).mean()
        return _ASMoutput(output if dims else output.squeeze(0), loss)

    def _get_full_log_prob(self, input: Any, head_output: Any) -> Any:
        out = input.new_empty((head_output.size(0), self.n_classes))
        head = F.log_softmax(head_output, dim=1)
        out[:, : self.shortlist_size] = head[:, : self.shortlist_size]
        for i, (start, stop) in enumerate(zip(self.cutoffs, self.cutoffs[1:])):
            logs = F.log_softmax(self.tail[i](input), dim=1)
            out[:, start:stop] = logs + head[:, self.shortlist_size + i].unsqueeze(1)
        return out

    def log_prob(self, input: Any) -> Any:
        """The log-probabilities of all classes, (N, n_classes)."""
        return self._get_full_log_prob(input, self.head(input))

    def predict(self, input: Any) -> Any:
        """The most probable class of each input; the clusters are computed only where one of them is the likeliest."""
        head_output = self.head(input)
        output = head_output.argmax(dim=1)
        rare = output >= self.shortlist_size
        if not rare.any():
            return output
        if rare.all():
            return self._get_full_log_prob(input, head_output).argmax(dim=1)
        output[rare] = self._get_full_log_prob(input[rare], head_output[rare]).argmax(dim=1)
        return output


class CrossMapLRN2d(Module):
    r"""Each element divided by $(k + \alpha/n \sum x^2)^\beta$, the sum over `size` neighbouring channels; for images."""

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1) -> None:
        super().__init__()
        self.size = size
        self.alpha = alpha
        self.beta = beta
        self.k = k

    def forward(self, input: Any) -> Any:
        """The normalised input (N, C, H, W)."""
        if input.dim() != 4:
            raise ValueError(f"CrossMapLRN2d: Expected input to be 4D, got {input.dim()}D instead.")
        # As in PyTorch: as many channels on both sides, also where `size` is even.
        side = (self.size - 1) // 2
        squares = F.pad((input * input).unsqueeze(1), (0, 0, 0, 0, side, side))
        means = F.avg_pool3d(squares, (2 * side + 1, 1, 1), stride=1).squeeze(1)
        return input * (means * (self.alpha * (2 * side + 1) / self.size) + self.k) ** -self.beta

    def extra_repr(self) -> str:
        """The settings."""
        return f"{self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"
