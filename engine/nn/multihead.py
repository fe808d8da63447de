"""Attention over several heads. Vaswani et al. (2017), Attention is all you need."""

from __future__ import annotations

from typing import Any

from ..ops.nn.multi_head import each_once, multi_head_attention_forward
from ..tensor import Tensor
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
            query, key, value = each_once(lambda t: t.transpose(1, 0), query, key, value)
        output, weights = multi_head_attention_forward(
            query,
            key,
            value,
            self.embed_dim,
            self.num_heads,
            self.in_proj_weight,
            self.in_proj_bias,
            self.bias_k,
            self.bias_v,
            self.add_zero_attn,
            self.dropout,
            self.out_proj.weight,
            self.out_proj.bias,
            self.training,
            key_padding_mask,
            need_weights,
            attn_mask,
            use_separate_proj_weight=not self._qkv_same_embed_dim,
            q_proj_weight=self.q_proj_weight,
            k_proj_weight=self.k_proj_weight,
            v_proj_weight=self.v_proj_weight,
            average_attn_weights=average_attn_weights,
            is_causal=is_causal,
        )
        return (output.transpose(1, 0) if self.batch_first and batched else output), weights
