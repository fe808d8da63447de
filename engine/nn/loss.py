"""Losses: how far an output is from a target; and distances."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

from ..tensor import Tensor
from . import functional as F  # noqa: N812
from .functional_module import Wrapped
from .linear import Linear
from .module import Module


class PairwiseDistance(Module):
    r"""$\lVert x_1 - x_2 + \epsilon \rVert_p$ along the last dimension."""

    def __init__(self, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> None:
        super().__init__()
        self.norm = p
        self.eps = eps
        self.keepdim = keepdim

    def forward(self, x1: Tensor, x2: Tensor) -> Any:
        """The distances of the vectors."""
        return F.pairwise_distance(x1, x2, self.norm, self.eps, self.keepdim)


class CosineSimilarity(Module):
    r"""$x_1 \cdot x_2 / \max(\lVert x_1 \rVert \lVert x_2 \rVert, \epsilon)$ along `dim`."""

    def __init__(self, dim: int = 1, eps: float = 1e-8) -> None:
        super().__init__()
        self.dim = dim
        self.eps = eps

    def forward(self, x1: Tensor, x2: Tensor) -> Any:
        """The similarities of the vectors."""
        return F.cosine_similarity(x1, x2, self.dim, self.eps)


# --- losses ----------------------------------------------------------------------------------------------------------------


def _reduction(size_average: bool | None, reduce: bool | None, reduction: str) -> str:
    """What the two old arguments mean, with PyTorch's warning, or `reduction`."""
    if size_average is None and reduce is None:
        return reduction
    averaged, reduced = (True if given is None else given for given in (size_average, reduce))
    meant = "mean" if averaged and reduced else "sum" if reduced else "none"
    warnings.warn(f"size_average and reduce args will be deprecated, please use reduction='{meant}' instead.", stacklevel=4)
    return meant


class _Loss(Wrapped):
    """A loss; `reduction` is "mean", "sum", or "none" for one number an element or sample. Weights are buffers."""

    reduction: str

    def __init__(self, size_average: Any = None, reduce: Any = None, reduction: str = "mean") -> None:
        self._set_up(size_average, reduce, reduction)

    def _set_up(self, size_average: Any = None, reduce: Any = None, reduction: str = "mean", **settings: Any) -> None:
        super()._set_up(reduction=_reduction(size_average, reduce, reduction), **settings)
        for name in settings.keys() & {"weight", "pos_weight"}:
            delattr(self, name)
            self.register_buffer(name, settings[name])

    def forward(self, input: Tensor, target: Tensor) -> Any:  # type: ignore[override]
        """The loss of `input`, which is to be `target`."""
        return self._call(input, target)


class _WeightedLoss(_Loss):
    """A loss with weights, one a class or element."""

    def __init__(
        self, weight: Tensor | None = None, size_average: Any = None, reduce: Any = None, reduction: str = "mean"
    ) -> None:
        self._set_up(size_average, reduce, reduction, weight=weight)


class L1Loss(_Loss, calls="l1_loss"):
    r"""$|x - y|$."""


class MSELoss(_Loss, calls="mse_loss"):
    r"""$(x - y)^2$."""

    def forward(self, input: Tensor, target: Tensor) -> Any:  # type: ignore[override]
        """The squared error."""
        return F.mse_loss(input, target, reduction=self.reduction)


class NLLLoss(_WeightedLoss, calls="nll_loss"):
    r"""$-w_y x_y$ of log-probabilities (N, C, …) and classes (N, …)."""

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: Any = None,
        ignore_index: int = -100,
        reduce: Any = None,
        reduction: str = "mean",
    ) -> None:
        self._set_up(size_average, reduce, reduction, weight=weight, ignore_index=ignore_index)


class CrossEntropyLoss(_WeightedLoss, calls="cross_entropy"):
    r"""$-\log \operatorname{softmax}(x)_y$ of scores (N, C, …) and classes (N, …), or probabilities (N, C, …)."""

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: Any = None,
        ignore_index: int = -100,
        reduce: Any = None,
        reduction: str = "mean",
        label_smoothing: float = 0.0,
    ) -> None:
        settings = {"weight": weight, "ignore_index": ignore_index, "label_smoothing": label_smoothing}
        self._set_up(size_average, reduce, reduction, **settings)


class LinearCrossEntropyLoss(_WeightedLoss, calls="linear_cross_entropy"):
    """The cross-entropy of a linear layer's outputs; the layer, from `in_features` to `num_classes`, is part of the loss.

    `out_features` are further dimensions of the outputs.
    """

    def __init__(
        self,
        in_features: int,
        num_classes: int,
        *,
        out_features: tuple[int, ...] = (),
        bias: bool = False,
        device: Any = None,
        dtype: Any = None,
        reduction: str = "mean",
        weight: Tensor | None = None,
        ignore_index: int | None = None,
        label_smoothing: float = 0.0,
        options: Any = None,
    ) -> None:
        if weight is not None and weight.shape != (num_classes,):
            raise RuntimeError(f"expected weight shape to be {(num_classes,)}, got {tuple(weight.shape)}")
        if label_smoothing < 0 or label_smoothing > 1.0:
            raise RuntimeError(f"expected label_smoothing to be in range [0, 1], got {label_smoothing}")
        self._set_up(reduction=reduction, weight=weight)
        self.num_classes = num_classes
        self.out_features = out_features
        self.ignore_index = ignore_index
        self.label_smoothing = label_smoothing
        self.linear = Linear(in_features, math.prod(out_features, start=num_classes), bias, device, dtype)
        self.options = options

    def forward(self, input: Tensor, target: Tensor) -> Any:  # type: ignore[override]
        """The loss of the layer's outputs for `input`."""
        outputs = (self.num_classes, *self.out_features)
        return F.linear_cross_entropy(
            input,
            self.linear.weight.reshape((*outputs, self.linear.in_features)),
            target,
            linear_bias=None if self.linear.bias is None else self.linear.bias.reshape(outputs),
            weight=self.weight,
            reduction=self.reduction,
            ignore_index=self.ignore_index,
            label_smoothing=self.label_smoothing,
            options=self.options,
        )

    def extra_repr(self) -> str:
        """The settings."""
        return (
            f"in_features={self.linear.in_features}, num_classes={self.num_classes}, out_features={self.out_features}, "
            f"bias={self.linear.bias is not None}, reduction={self.reduction}, ignore_index={self.ignore_index}, "
            f"label_smoothing={self.label_smoothing}, options={self.options}"
        )


class PoissonNLLLoss(_Loss, calls="poisson_nll_loss"):
    r"""$e^x - y x$ if `log_input`, else $x - y \log(x + \epsilon)$; `full` adds Stirling's term."""

    def __init__(
        self,
        log_input: bool = True,
        full: bool = False,
        size_average: Any = None,
        eps: float = 1e-8,
        reduce: Any = None,
        reduction: str = "mean",
    ) -> None:
        self._set_up(size_average, reduce, reduction, log_input=log_input, full=full, eps=eps)

    def forward(self, log_input: Tensor, target: Tensor) -> Any:  # type: ignore[override]
        """The loss of the rates, or their logarithms."""
        return self._call(log_input, target)


class GaussianNLLLoss(_Loss, calls="gaussian_nll_loss"):
    r"""$\tfrac12 (\log v + (x - y)^2 / v)$, called with input, target and variance. Nix & Weigend (1994)."""

    def __init__(self, *, full: bool = False, eps: float = 1e-6, reduction: str = "mean") -> None:
        self._set_up(reduction=reduction, full=full, eps=eps)

    def forward(self, input: Tensor, target: Tensor, var: Tensor | float) -> Any:  # type: ignore[override]
        """The loss of the expectations `input` with the variances `var`."""
        return self._call(input, target, var)


class KLDivLoss(_Loss, calls="kl_div"):
    r"""$y (\log y - x)$, the input being log-probabilities, and the target too if `log_target`."""

    def __init__(self, size_average: Any = None, reduce: Any = None, reduction: str = "mean", log_target: bool = False) -> None:
        self._set_up(size_average, reduce, reduction, log_target=log_target)


class BCELoss(_WeightedLoss, calls="binary_cross_entropy"):
    r"""$-(y \log x + (1 - y) \log(1 - x))$ of probabilities."""


class BCEWithLogitsLoss(_WeightedLoss, calls="binary_cross_entropy_with_logits"):
    r"""BCELoss of $\sigma(x)$; `pos_weight` scales the positive part."""

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: Any = None,
        reduce: Any = None,
        reduction: str = "mean",
        pos_weight: Tensor | None = None,
    ) -> None:
        self._set_up(size_average, reduce, reduction, weight=weight, pos_weight=pos_weight)


class SmoothL1Loss(_Loss, calls="smooth_l1_loss"):
    r"""$\tfrac12 d^2 / \beta$ where $d = |x - y|$ is below $\beta$, $d - \beta/2$ above. Girshick (2015), Fast R-CNN."""

    def __init__(self, size_average: Any = None, reduce: Any = None, reduction: str = "mean", beta: float = 1.0) -> None:
        self._set_up(size_average, reduce, reduction, beta=beta)


class HuberLoss(_Loss, calls="huber_loss"):
    r"""$\tfrac12 d^2$ where $d = |x - y|$ is below $\delta$, $\delta (d - \delta/2)$ above. Huber (1964)."""

    def __init__(self, reduction: str = "mean", delta: float = 1.0) -> None:
        if not isinstance(delta, (float, int)):
            raise TypeError(f"delta must be a float or int, got: {type(delta)}")
        self._set_up(reduction=reduction, delta=delta)


class SoftMarginLoss(_Loss, calls="soft_margin_loss"):
    r"""$\log(1 + e^{-y x})$ of targets 1 and -1."""


class MultiLabelMarginLoss(_Loss, calls="multilabel_margin_loss"):
    r"""$\sum_{ij} \max(0, 1 - (x_{y_j} - x_i)) / C$; the classes of a sample end with -1."""


class MultiLabelSoftMarginLoss(_WeightedLoss, calls="multilabel_soft_margin_loss"):
    r"""The mean over classes of BCELoss of $\sigma(x)$."""


class _MarginLoss(_Loss):
    """A loss with a margin, which is 0 unless said otherwise."""

    def __init__(self, margin: float = 0.0, size_average: Any = None, reduce: Any = None, reduction: str = "mean") -> None:
        self._set_up(size_average, reduce, reduction, margin=margin)


class CosineEmbeddingLoss(_MarginLoss, calls="cosine_embedding_loss"):
    r"""$1 - \cos(x_1, x_2)$ for targets 1, $\max(0, \cos(x_1, x_2) - \text{margin})$ for targets -1."""

    def forward(self, input1: Tensor, input2: Tensor, target: Tensor) -> Any:  # type: ignore[override]
        """The loss of the pairs."""
        return self._call(input1, input2, target)


class MarginRankingLoss(_MarginLoss, calls="margin_ranking_loss"):
    r"""$\max(0, -y (x_1 - x_2) + \text{margin})$ of targets 1 and -1."""

    def forward(self, input1: Tensor, input2: Tensor, target: Tensor) -> Any:  # type: ignore[override]
        """The loss of the pairs."""
        return self._call(input1, input2, target)


class HingeEmbeddingLoss(_MarginLoss, calls="hinge_embedding_loss"):
    r"""$x$ for targets 1, $\max(0, \text{margin} - x)$ for targets -1."""

    def __init__(self, margin: float = 1.0, size_average: Any = None, reduce: Any = None, reduction: str = "mean") -> None:
        self._set_up(size_average, reduce, reduction, margin=margin)


class MultiMarginLoss(_WeightedLoss, calls="multi_margin_loss"):
    r"""$\sum_{i \ne y} \max(0, \text{margin} - x_y + x_i)^p / C$, p being 1 or 2."""

    def __init__(
        self,
        p: int = 1,
        margin: float = 1.0,
        weight: Tensor | None = None,
        size_average: Any = None,
        reduce: Any = None,
        reduction: str = "mean",
    ) -> None:
        self._set_up(size_average, reduce, reduction, p=p, margin=margin, weight=weight)
        if p not in (1, 2):
            raise ValueError("only p == 1 and p == 2 supported")
        if weight is not None and weight.dim() != 1:
            raise ValueError(f"MultiMarginLoss: expected weight to be None or 1D tensor, got {weight.dim()}D instead")


def _positive_margin(owner: str, margin: float) -> None:
    if margin <= 0:
        raise ValueError(f"{owner}: expected margin to be greater than 0, got {margin} instead")


class TripletMarginLoss(_Loss, calls="triplet_margin_loss"):
    r"""$\max(0, d(a, p) - d(a, n) + \text{margin})$ of anchor, positive and negative. Balntas et al. (2016)."""

    def __init__(
        self,
        margin: float = 1.0,
        p: float = 2.0,
        eps: float = 1e-6,
        swap: bool = False,
        size_average: Any = None,
        reduce: Any = None,
        reduction: str = "mean",
    ) -> None:
        self._set_up(size_average, reduce, reduction, margin=margin, p=p, eps=eps, swap=swap)
        _positive_margin("TripletMarginLoss", margin)

    def forward(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Any:  # type: ignore[override]
        """The loss of the triplets."""
        return self._call(anchor, positive, negative)


class TripletMarginWithDistanceLoss(_Loss, calls="triplet_margin_with_distance_loss"):
    """TripletMarginLoss with a distance of one's own; PairwiseDistance unless given."""

    def __init__(
        self,
        *,
        distance_function: Callable[[Tensor, Tensor], Tensor] | None = None,
        margin: float = 1.0,
        swap: bool = False,
        reduction: str = "mean",
    ) -> None:
        distance = PairwiseDistance() if distance_function is None else distance_function
        self._set_up(reduction=reduction, distance_function=distance, margin=margin, swap=swap)
        _positive_margin("TripletMarginWithDistanceLoss", margin)

    def forward(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Any:  # type: ignore[override]
        """The loss of the triplets."""
        return self._call(anchor, positive, negative)


class CTCLoss(_Loss, calls="ctc_loss"):
    """Minus the log-probability of all alignments of a target to log-probabilities (T, N, C). Graves et al. (2006)."""

    def __init__(self, blank: int = 0, reduction: str = "mean", zero_infinity: bool = False) -> None:
        self._set_up(reduction=reduction, blank=blank, zero_infinity=zero_infinity)

    def forward(self, log_probs: Tensor, targets: Tensor, input_lengths: Any, target_lengths: Any) -> Any:  # type: ignore[override]
        """The loss of the sequences."""
        return self._call(log_probs, targets, input_lengths, target_lengths)
