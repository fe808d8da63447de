"""Attention over several heads. Vaswani et al. (2017), Attention is all you need."""

from __future__ import annotations

import math
import warnings
from typing import Any

from ..ops.creation.factories import zeros, zeros_like
from ..ops.linalg.matmul import bmm
from ..ops.shape.joining import cat
from ..ops.shape.split import split
from ..tensor import Tensor
from . import functional as F  # noqa: N812
from . import init
from .linear import Linear
from .module import Module
from .parameter import Parameter, empty


class NonDynamicallyQuantizableLinear(Linear):
    """Linear, under the name PyTorch prints for the output projection of attention."""


class MultiheadAttention(Module):
    r"""$\operatorname{softmax}(Q K^\top / \sqrt{d}) V$ for each head, on projections of query, key and value.

    Shapes: query (L, N, embed_dim), key (S, N, kdim), value (S, N, vdim); with `batch_first` N comes first; without batch
    (L, embed_dim) and so on. The output is of the query's shape, the weights are (N, L, S), or (N, heads, L, S) if they are
    not averaged.
    """

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        bias: bool = True,
        add_bias_kv: bool = False,
        add_zero_attn: bool = False,
        kdim: int | None = None,
        vdim: int | None = None,
        batch_first: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        if embed_dim <= 0 or num_heads <= 0:
            raise ValueError(
                f"embed_dim and num_heads must be greater than 0, got embed_dim={embed_dim} and num_heads={num_heads} instead"
            )
        super().__init__()
        self.embed_dim = embed_dim
        self.kdim = embed_dim if kdim is None else kdim
        self.vdim = embed_dim if vdim is None else vdim
        self._qkv_same_embed_dim = self.kdim == embed_dim and self.vdim == embed_dim
        self.num_heads = num_heads
        self.dropout = dropout
        self.batch_first = batch_first
        self.head_dim = embed_dim // num_heads
        if self.head_dim * num_heads != embed_dim:
            raise AssertionError("embed_dim must be divisible by num_heads")
        factory = {"device": device, "dtype": dtype}
        apart = {"q_proj_weight": embed_dim, "k_proj_weight": self.kdim, "v_proj_weight": self.vdim}
        if self._qkv_same_embed_dim:
            self.in_proj_weight = Parameter(empty((3 * embed_dim, embed_dim), **factory))
            for name in apart:
                self.register_parameter(name, None)
        else:
            for name, width in apart.items():
                self.register_parameter(name, Parameter(empty((embed_dim, width), **factory)))
            self.register_parameter("in_proj_weight", None)
        self.register_parameter("in_proj_bias", Parameter(empty(3 * embed_dim, **factory)) if bias else None)
        self.out_proj = NonDynamicallyQuantizableLinear(embed_dim, embed_dim, bias=bias, **factory)
        self.bias_k = Parameter(empty((1, 1, embed_dim), **factory)) if add_bias_kv else None
        self.bias_v = Parameter(empty((1, 1, embed_dim), **factory)) if add_bias_kv else None
        self.add_zero_attn = add_zero_attn
        self._reset_parameters()

    def _reset_parameters(self) -> None:
        for name in ("in_proj_weight", "q_proj_weight", "k_proj_weight", "v_proj_weight"):
            if getattr(self, name) is not None:
                init.xavier_uniform_(getattr(self, name))
        if self.in_proj_bias is not None:
            init.constant_(self.in_proj_bias, 0.0)
            init.constant_(self.out_proj.bias, 0.0)
        for bias in (self.bias_k, self.bias_v):
            if bias is not None:
                init.xavier_normal_(bias)

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Tensor | None = None,
        need_weights: bool = True,
        attn_mask: Tensor | None = None,
        average_attn_weights: bool = True,
        is_causal: bool = False,
    ) -> tuple[Any, Any]:
        """The attended values, and the weights if `need_weights`.

        Args:
            key_padding_mask: (N, S) or (S); True, or minus infinity, where a key is to be left out.
            attn_mask: (L, S) or (N * heads, L, S); True, or minus infinity, where a query may not look.
            is_causal: says that `attn_mask` is the causal one.
        """
        batched = query.dim() == 3
        if self.batch_first and batched:
            query, key, value = _each_once(lambda t: t.transpose(1, 0), query, key, value)
        output, weights = self._attend(
            query, key, value, key_padding_mask, attn_mask, need_weights, average_attn_weights, is_causal
        )
        return (output.transpose(1, 0) if self.batch_first and batched else output), weights

    def _project(self, query: Any, key: Any, value: Any) -> Any:
        """Query, key and value by their weights, with as few products as they allow."""
        bias, e = self.in_proj_bias, self.embed_dim
        if not self._qkv_same_embed_dim:
            biases = (None, None, None) if bias is None else bias.chunk(3)
            weights = (self.q_proj_weight, self.k_proj_weight, self.v_proj_weight)
            return [F.linear(x, w, b) for x, w, b in zip((query, key, value), weights, biases)]
        weight = self.in_proj_weight
        if query is key and key is value:
            return F.linear(query, weight, bias).chunk(3, -1)
        if key is value:
            w_q, w_kv = split(weight, [e, 2 * e])
            b_q, b_kv = (None, None) if bias is None else split(bias, [e, 2 * e])
            return [F.linear(query, w_q, b_q), *F.linear(key, w_kv, b_kv).chunk(2, -1)]
        biases = (None, None, None) if bias is None else bias.chunk(3)
        return [F.linear(x, w, b) for x, w, b in zip((query, key, value), weight.chunk(3), biases)]

    def _attend(
        self,
        query: Any,
        key: Any,
        value: Any,
        padding: Any,
        mask: Any,
        need_weights: bool,
        average: bool,
        is_causal: bool,
    ) -> tuple[Any, Any]:
        """Attention of (L, N, E) tensors, or (L, E) ones."""
        batched = check_shapes(query, key, value, padding, mask, self.num_heads)
        padding = as_numbers(padding, "key_padding_mask", query.dtype, mask, "attn_mask")
        mask = as_numbers(mask, "attn_mask", query.dtype)
        if not batched:
            query, key, value = _each_once(lambda t: t.unsqueeze(1), query, key, value)
            padding = None if padding is None else padding.unsqueeze(0)
        if is_causal and mask is None:
            raise RuntimeError(
                "Need attn_mask if specifying the is_causal hint. You may use the Transformer module method "
                "`generate_square_subsequent_mask` to create this mask."
            )
        by_hint = is_causal and padding is None and not need_weights
        mask = None if by_hint else mask
        self._check_widths(query, key, value)
        length, n, e = query.shape
        q, k, v = self._project(query, key, value)
        mask = None if mask is None else _three_dimensional(mask, n * self.num_heads, length, k.shape[0])
        more = 0
        if self.bias_k is not None and self.bias_v is not None:
            k, v, more = cat([k, self.bias_k.repeat(1, n, 1)]), cat([v, self.bias_v.repeat(1, n, 1)]), 1
        q, k, v = (x.reshape(x.shape[0], n * self.num_heads, self.head_dim).transpose(0, 1) for x in (q, k, v))
        if self.add_zero_attn:
            zero = zeros((n * self.num_heads, 1, self.head_dim), dtype=k.dtype)
            k, v, more = cat([k, zero], 1), cat([v, zero], 1), more + 1
        if more:
            mask, padding = (None if x is None else F.pad(x, (0, more)) for x in (mask, padding))
        source = k.shape[1]
        if padding is not None:
            padding = padding.reshape(n, 1, 1, source).expand(-1, self.num_heads, -1, -1)
            padding = padding.reshape(n * self.num_heads, 1, source)
            mask = padding if mask is None else mask + padding
        p = self.dropout if self.training else 0.0
        if need_weights:
            scores = bmm(q * math.sqrt(1.0 / float(q.shape[-1])), k.transpose(-2, -1))
            weights = F.softmax(scores if mask is None else mask + scores, dim=-1)
            weights = F.dropout(weights, p=p) if p > 0.0 else weights
            attended = bmm(weights, v).transpose(0, 1).reshape(length * n, e)
            weights = weights.reshape(n, self.num_heads, length, source)
            weights = weights.mean(dim=1) if average else weights
        else:
            if mask is not None:
                mask = mask.unsqueeze(0) if mask.shape[0] == 1 else mask.reshape(n, self.num_heads, -1, source)
            q, k, v = (x.reshape(n, self.num_heads, -1, self.head_dim) for x in (q, k, v))
            attended = F.scaled_dot_product_attention(q, k, v, mask, p, by_hint)
            attended, weights = attended.permute(2, 0, 1, 3).reshape(n * length, e), None
        output = F.linear(attended, self.out_proj.weight, self.out_proj.bias).reshape(length, n, e)
        if batched:
            return output, weights
        return output.squeeze(1), None if weights is None else weights.squeeze(0)

    def _check_widths(self, query: Tensor, key: Tensor, value: Tensor) -> None:
        if query.shape[-1] != self.embed_dim:
            raise AssertionError(f"was expecting embedding dimension of {self.embed_dim}, but got {query.shape[-1]}")
        if self._qkv_same_embed_dim and key.shape != value.shape:
            raise AssertionError(f"key shape {key.shape} does not match value shape {value.shape}")
        if key.shape[:2] != value.shape[:2]:
            raise AssertionError(f"key's sequence and batch dims {key.shape[:2]} do not match value's {value.shape[:2]}")


def _each_once(f: Any, *tensors: Any) -> list[Any]:
    """`f` of the tensors; the same tensor stays the same, which decides how the projections are computed."""
    results = {id(t): f(t) for t in {id(t): t for t in tensors}.values()}
    return [results[id(t)] for t in tensors]


# --- masks and shapes ------------------------------------------------------------------------------------------------------


def as_numbers(mask: Any, name: str, dtype: Any, other: Any = None, other_name: str = "") -> Any:
    """A mask of True and False as minus infinity and 0, to be added to the scores."""
    if mask is None:
        return None
    if not mask.is_floating_point() and mask.dtype.name != "bool":
        raise AssertionError(f"only bool and floating types of {name} are supported")
    if other is not None and mask.dtype is not other.dtype:
        warnings.warn(
            f"Support for mismatched {name} and {other_name} is deprecated. Use same type for both instead.", stacklevel=3
        )
    if mask.is_floating_point():
        return mask
    return zeros_like(mask, dtype=dtype).masked_fill_(mask, -math.inf)


def _three_dimensional(mask: Any, heads: int, length: int, source: int) -> Any:
    rank = mask.dim()
    expected = {2: (length, source), 3: (heads, length, source)}.get(rank)
    if expected is None:
        raise RuntimeError(f"attn_mask's dimension {rank} is not supported")
    if tuple(mask.shape) != expected:
        raise RuntimeError(f"The shape of the {rank}D attn_mask is {mask.shape}, but should be {expected}.")
    return mask.unsqueeze(0) if rank == 2 else mask


def check_shapes(query: Tensor, key: Tensor, value: Tensor, padding: Any, mask: Any, heads: int) -> bool:
    """Whether the tensors have a batch dimension.

    Raises:
        AssertionError: for tensors or masks whose dimensions do not fit each other.
    """
    rank = query.dim()
    if rank not in (2, 3):
        raise AssertionError(f"query should be unbatched 2D or batched 3D tensor but received {rank}-D query tensor")
    kind = "batched (3-D)" if rank == 3 else "unbatched (2-D)"
    if key.dim() != rank or value.dim() != rank:
        raise AssertionError(
            f"For {kind} `query`, expected `key` and `value` to be {rank}-D but found {key.dim()}-D and {value.dim()}-D "
            "tensors respectively"
        )
    if padding is not None and padding.dim() != rank - 1:
        raise AssertionError(
            f"For {kind} `query`, expected `key_padding_mask` to be `None` or {rank - 1}-D but found {padding.dim()}-D tensor "
            "instead"
        )
    if mask is not None and mask.dim() not in (2, 3):
        raise AssertionError(
            f"For {kind} `query`, expected `attn_mask` to be `None`, 2-D or 3-D but found {mask.dim()}-D tensor instead"
        )
    if rank == 2 and mask is not None and mask.dim() == 3:
        expected = (heads, query.shape[0], key.shape[0])
        if tuple(mask.shape) != expected:
            raise AssertionError(f"Expected `attn_mask` shape to be {expected} but got {mask.shape}")
    return rank == 3
