"""Attention over several heads, made of operations: what `torch.nn.MultiheadAttention` computes with its weights."""

from __future__ import annotations

import math
import warnings
from typing import Any

from ...context import beyond
from ...op.declare import function
from ...tensor import Tensor
from ..convolution.padding import pad
from ..creation.factories import zeros, zeros_like
from ..linalg.matmul import bmm, linear
from ..shape.joining import cat
from ..shape.split import split
from .attention import scaled_dot_product_attention
from .dropout import functional_dropout
from .softmax import functional_softmax


@function
def multi_head_attention_forward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    embed_dim_to_check: int,
    num_heads: int,
    in_proj_weight: Tensor | None,
    in_proj_bias: Tensor | None,
    bias_k: Tensor | None,
    bias_v: Tensor | None,
    add_zero_attn: bool,
    dropout_p: float,
    out_proj_weight: Tensor,
    out_proj_bias: Tensor | None,
    training: bool = True,
    key_padding_mask: Tensor | None = None,
    need_weights: bool = True,
    attn_mask: Tensor | None = None,
    use_separate_proj_weight: bool = False,
    q_proj_weight: Tensor | None = None,
    k_proj_weight: Tensor | None = None,
    v_proj_weight: Tensor | None = None,
    static_k: Tensor | None = None,
    static_v: Tensor | None = None,
    average_attn_weights: bool = True,
    is_causal: bool = False,
) -> tuple[Any, Any]:
    """Attention over several heads, (L, N, E), with all weights as arguments: what `MultiheadAttention` computes."""
    if static_k is not None or static_v is not None:
        raise NotImplementedError("static_k and static_v are not supported by Gradtape.")
    padding, mask, heads, head_dim = key_padding_mask, attn_mask, num_heads, embed_dim_to_check // num_heads
    batched = check_shapes(query, key, value, padding, mask, heads)
    padding = as_numbers(padding, "key_padding_mask", query.dtype, mask, "attn_mask")
    mask = as_numbers(mask, "attn_mask", query.dtype)
    if not batched:
        query, key, value = each_once(lambda t: t.unsqueeze(1), query, key, value)
        padding = None if padding is None else padding.unsqueeze(0)
    if is_causal and mask is None:
        raise RuntimeError(
            "Need attn_mask if specifying the is_causal hint. You may use the Transformer module method "
            "`generate_square_subsequent_mask` to create this mask."
        )
    by_hint = is_causal and padding is None and not need_weights
    mask = None if by_hint else mask
    _check_widths(query, key, value, embed_dim_to_check, use_separate_proj_weight)
    length, n, e = query.shape
    if use_separate_proj_weight:
        biases = (None, None, None) if in_proj_bias is None else in_proj_bias.chunk(3)
        given = zip((query, key, value), (q_proj_weight, k_proj_weight, v_proj_weight), biases, strict=True)
        q, k, v = (linear(x, w, b) for x, w, b in given)
    else:
        q, k, v = _projected(query, key, value, in_proj_weight, in_proj_bias)
    mask = None if mask is None else _three_dimensional(mask, n * heads, length, k.shape[0])
    more = 0
    if bias_k is not None and bias_v is not None:
        k, v, more = cat([k, bias_k.repeat(1, n, 1)]), cat([v, bias_v.repeat(1, n, 1)]), 1
    q, k, v = (x.reshape(x.shape[0], n * heads, head_dim).transpose(0, 1) for x in (q, k, v))
    if add_zero_attn:
        zero = zeros((n * heads, 1, head_dim), dtype=k.dtype)
        k, v, more = cat([k, zero], 1), cat([v, zero], 1), more + 1
    if more:
        mask, padding = (None if x is None else pad(x, (0, more)) for x in (mask, padding))
    source = k.shape[1]
    if padding is not None:
        padding = padding.reshape(n, 1, 1, source).expand(-1, heads, -1, -1)
        padding = padding.reshape(n * heads, 1, source)
        mask = padding if mask is None else mask + padding
    p = dropout_p if training else 0.0
    if need_weights:
        scores = bmm(q * math.sqrt(1.0 / float(q.shape[-1])), k.transpose(-2, -1))
        weights = functional_softmax(scores if mask is None else mask + scores, dim=-1)
        weights = functional_dropout(weights, p=p) if p > 0.0 else weights
        attended = bmm(weights, v).transpose(0, 1).reshape(length * n, e)
        weights = weights.reshape(n, heads, length, source)
        weights = weights.mean(dim=1) if average_attn_weights else weights
    else:
        if mask is not None:
            mask = mask.unsqueeze(0) if mask.shape[0] == 1 else mask.reshape(n, heads, -1, source)
        q, k, v = (x.reshape(n, heads, -1, head_dim) for x in (q, k, v))
        attended = scaled_dot_product_attention(q, k, v, mask, p, by_hint)
        attended, weights = attended.permute(2, 0, 1, 3).reshape(n * length, e), None
    output = linear(attended, out_proj_weight, out_proj_bias).reshape(length, n, e)
    if batched:
        return output, weights
    return output.squeeze(1), None if weights is None else weights.squeeze(0)


def _projected(query, key, value, weight, bias):
    """Query, key and value by the weights that stand one below the other, with as few products as they allow."""
    e = query.shape[-1]
    if query is key and key is value:
        return linear(query, weight, bias).chunk(3, -1)
    if key is value:
        w_q, w_kv = split(weight, [e, 2 * e])
        b_q, b_kv = (None, None) if bias is None else split(bias, [e, 2 * e])
        return [linear(query, w_q, b_q), *linear(key, w_kv, b_kv).chunk(2, -1)]
    biases = (None, None, None) if bias is None else bias.chunk(3)
    return [linear(x, w, b) for x, w, b in zip((query, key, value), weight.chunk(3), biases)]


def _check_widths(query, key, value, embed_dim, separate):
    if query.shape[-1] != embed_dim:
        raise AssertionError(f"was expecting embedding dimension of {embed_dim}, but got {query.shape[-1]}")
    if not separate and key.shape != value.shape:
        raise AssertionError(f"key shape {key.shape} does not match value shape {value.shape}")
    if key.shape[:2] != value.shape[:2]:
        raise AssertionError(f"key's sequence and batch dims {key.shape[:2]} do not match value's {value.shape[:2]}")


def each_once(f: Any, *tensors: Any) -> list[Any]:
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
            f"Support for mismatched {name} and {other_name} is deprecated. Use same type for both instead.",
            stacklevel=beyond(3),
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
