"""Transformers: encoder and decoder layers, their stacks, and both together. Vaswani et al. (2017)."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from ..context import context
from ..ops.creation.factories import full
from ..ops.nn.multi_head import as_numbers
from ..tensor import Tensor, constant
from . import functional as F  # noqa: N812
from . import init
from .activation import GELU, ReLU
from .containers import ModuleList
from .dropout import Dropout
from .linear import Linear
from .module import Module
from .multihead import MultiheadAttention
from .normalization import LayerNorm

Activation = str | Callable[[Any], Any]


def _causal(size: int, device: Any = None, dtype: Any = None) -> Tensor:
    """Minus infinity above the diagonal, 0 elsewhere: (size, size)."""
    whole = full((size, size), -math.inf, dtype=dtype, device=device)
    return whole if whole.is_meta else constant(np.triu(whole._array, 1))


def _is_causal(mask: Any, is_causal: bool | None, size: int) -> bool:
    """What was said, or whether the mask is the causal one."""
    if is_causal is not None or mask is None:
        return is_causal is True
    causal = _causal(size, dtype=mask.dtype)
    return mask.shape == causal.shape and bool(np.array_equal(mask._array, causal._array))


def _length(x: Tensor, batch_first: bool) -> int:
    return x.shape[1 if x.dim() == 3 and batch_first else 0]  # type: ignore[no-any-return]


def _activation(given: Activation) -> Callable[[Any], Any]:
    if given == "relu":
        return F.relu  # type: ignore[no-any-return]
    if given == "gelu":
        return F.gelu  # type: ignore[no-any-return]
    if isinstance(given, str):
        raise RuntimeError(f"activation should be relu/gelu, not {given}")
    return given


class _Layer(Module):
    """What encoder and decoder layers have in common: `attentions`, then two linear maps, each added to its input."""

    _attentions: tuple[str, ...] = ()

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Activation = F.relu,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        factory = {"device": device, "dtype": dtype}
        for name in self._attentions:
            attention = MultiheadAttention(d_model, nhead, dropout=dropout, bias=bias, batch_first=batch_first, **factory)
            setattr(self, name, attention)
        self.linear1 = Linear(d_model, dim_feedforward, bias=bias, **factory)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias=bias, **factory)
        self.norm_first = norm_first
        count = len(self._attentions) + 1
        for i in range(count):
            setattr(self, f"norm{i + 1}", LayerNorm(d_model, eps=layer_norm_eps, bias=bias, **factory))
        for i in range(count):
            setattr(self, f"dropout{i + 1}", Dropout(dropout))
        self.activation = _activation(activation)

    def _add(self, x: Any, block: Callable[[Any], Any], norm: Module) -> Any:
        """`x` plus the block of it, normalised before or after."""
        return x + block(norm(x)) if self.norm_first else norm(x + block(x))

    def _sa_block(self, x: Any, attn_mask: Any, key_padding_mask: Any, is_causal: bool = False) -> Any:
        masks = {"attn_mask": attn_mask, "key_padding_mask": key_padding_mask, "is_causal": is_causal}
        return self.dropout1(self.self_attn(x, x, x, need_weights=False, **masks)[0])

    def _ff_block(self, x: Any) -> Any:
        x = self.linear2(self.dropout(self.activation(self.linear1(x))))
        return getattr(self, f"dropout{len(self._attentions) + 1}")(x)


class TransformerEncoderLayer(_Layer):
    """Attention of the input to itself, then two linear maps; `activation` is "relu", "gelu" or a function."""

    _attentions = ("self_attn",)

    def _pickled(self) -> dict[str, Any]:
        """The attributes, and one that follows from them."""
        return super()._pickled() | {"activation_relu_or_gelu": self.activation_relu_or_gelu}

    @property
    def activation_relu_or_gelu(self) -> int:
        """1 for relu, 2 for gelu, 0 for another."""
        kinds = ((F.relu, ReLU), (F.gelu, GELU))
        matches = [self.activation is f or isinstance(self.activation, kind) for f, kind in kinds]
        return matches.index(True) + 1 if any(matches) else 0

    def forward(self, src: Tensor, src_mask: Any = None, src_key_padding_mask: Any = None, is_causal: bool = False) -> Any:
        """The encoded input, of its shape (L, N, d_model), or (N, L, d_model) with `batch_first`."""
        padding = as_numbers(src_key_padding_mask, "src_key_padding_mask", src.dtype, src_mask, "src_mask")
        mask = as_numbers(src_mask, "src_mask", src.dtype)
        x = self._add(src, lambda y: self._sa_block(y, mask, padding, is_causal), self.norm1)
        return self._add(x, self._ff_block, self.norm2)


class TransformerDecoderLayer(_Layer):
    """Attention of the target to itself, then to the memory, then two linear maps."""

    _attentions = ("self_attn", "multihead_attn")

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Any = None,
        memory_mask: Any = None,
        tgt_key_padding_mask: Any = None,
        memory_key_padding_mask: Any = None,
        tgt_is_causal: bool = False,
        memory_is_causal: bool = False,
    ) -> Any:
        """The decoded target, of its shape; `memory` is what the encoder returned."""
        masks = {"attn_mask": memory_mask, "key_padding_mask": memory_key_padding_mask, "is_causal": memory_is_causal}

        def attend(y: Any) -> Any:
            return self.dropout2(self.multihead_attn(y, memory, memory, need_weights=False, **masks)[0])

        x = self._add(tgt, lambda y: self._sa_block(y, tgt_mask, tgt_key_padding_mask, tgt_is_causal), self.norm1)
        return self._add(self._add(x, attend, self.norm2), self._ff_block, self.norm3)


def _copies(layer: Module, n: int) -> ModuleList:
    return ModuleList([context.deepcopy(layer) for _ in range(n)])


def _obstacle(layer: Any) -> str | None:
    """Why PyTorch could not use nested tensors, as it warns; they are not used here at all."""
    if not isinstance(layer, TransformerEncoderLayer):
        return "encoder_layer was not TransformerEncoderLayer"
    attention = layer.self_attn
    reasons = {
        "encoder_layer.norm_first was True": layer.norm_first,
        "encoder_layer.self_attn.batch_first was not True(use batch_first for better inference performance)": (
            not attention.batch_first
        ),
        "encoder_layer.self_attn._qkv_same_embed_dim was not True": not attention._qkv_same_embed_dim,
        "encoder_layer.self_attn was passed bias=False": attention.in_proj_bias is None,
        "encoder_layer.activation_relu_or_gelu was not True": not layer.activation_relu_or_gelu,
        "encoder_layer.norm1.eps was not equal to encoder_layer.norm2.eps": layer.norm1.eps != layer.norm2.eps,
        "encoder_layer.self_attn.num_heads is odd": attention.num_heads % 2 == 1,
    }
    return next((words for words, holds in reasons.items() if holds), None)


class TransformerEncoder(Module):
    """`num_layers` copies of an encoder layer, one after the other, and a `norm` at the end."""

    def __init__(
        self,
        encoder_layer: Module,
        num_layers: int,
        norm: Module | None = None,
        enable_nested_tensor: bool = True,
        mask_check: bool = True,
    ) -> None:
        super().__init__()
        self.layers = _copies(encoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm
        self.enable_nested_tensor = enable_nested_tensor
        obstacle = _obstacle(encoder_layer)
        self.use_nested_tensor = enable_nested_tensor and obstacle is None
        self.mask_check = mask_check
        if enable_nested_tensor and obstacle is not None:
            warnings.warn(f"enable_nested_tensor is True, but self.use_nested_tensor is False because {obstacle}", stacklevel=2)

    def forward(self, src: Tensor, mask: Any = None, src_key_padding_mask: Any = None, is_causal: bool | None = None) -> Any:
        """The encoded input, of its shape."""
        padding = as_numbers(src_key_padding_mask, "src_key_padding_mask", src.dtype, mask, "mask")
        mask = as_numbers(mask, "mask", src.dtype)
        causal = _is_causal(mask, is_causal, _length(src, self.layers[0].self_attn.batch_first))
        output = src
        for layer in self.layers:
            output = layer(output, src_mask=mask, is_causal=causal, src_key_padding_mask=padding)
        return output if self.norm is None else self.norm(output)


class TransformerDecoder(Module):
    """`num_layers` copies of a decoder layer, one after the other, and a `norm` at the end."""

    def __init__(self, decoder_layer: Module, num_layers: int, norm: Module | None = None) -> None:
        super().__init__()
        self.layers = _copies(decoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Any = None,
        memory_mask: Any = None,
        tgt_key_padding_mask: Any = None,
        memory_key_padding_mask: Any = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Any:
        """The decoded target, of its shape."""
        causal = _is_causal(tgt_mask, tgt_is_causal, _length(tgt, self.layers[0].self_attn.batch_first))
        output = tgt
        for layer in self.layers:
            output = layer(
                output,
                memory,
                tgt_mask=tgt_mask,
                memory_mask=memory_mask,
                tgt_key_padding_mask=tgt_key_padding_mask,
                memory_key_padding_mask=memory_key_padding_mask,
                tgt_is_causal=causal,
                memory_is_causal=memory_is_causal,
            )
        return output if self.norm is None else self.norm(output)


class Transformer(Module):
    """An encoder for the source and a decoder for the target, of `d_model` features."""

    def __init__(
        self,
        d_model: int = 512,
        nhead: int = 8,
        num_encoder_layers: int = 6,
        num_decoder_layers: int = 6,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Activation = F.relu,
        custom_encoder: Module | None = None,
        custom_decoder: Module | None = None,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        factory = {"device": device, "dtype": dtype}
        settings = (d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, bias)

        def norm() -> Module:
            return LayerNorm(d_model, eps=layer_norm_eps, bias=bias, **factory)

        if custom_encoder is None:
            layer: Module = TransformerEncoderLayer(*settings, **factory)
            custom_encoder = TransformerEncoder(layer, num_encoder_layers, norm())
        self.encoder = custom_encoder
        if custom_decoder is None:
            layer = TransformerDecoderLayer(*settings, **factory)
            custom_decoder = TransformerDecoder(layer, num_decoder_layers, norm())
        self.decoder = custom_decoder
        self._reset_parameters()
        self.d_model = d_model
        self.nhead = nhead
        self.batch_first = batch_first

    def _reset_parameters(self) -> None:
        for p in self.parameters():
            if p.dim() > 1:
                init.xavier_uniform_(p)

    @staticmethod
    def generate_square_subsequent_mask(sz: int, device: Any = None, dtype: Any = None) -> Tensor:
        """The causal mask: minus infinity where a query would look ahead, 0 elsewhere; (sz, sz)."""
        return _causal(sz, device, dtype)

    def forward(
        self,
        src: Tensor,
        tgt: Tensor,
        src_mask: Any = None,
        tgt_mask: Any = None,
        memory_mask: Any = None,
        src_key_padding_mask: Any = None,
        tgt_key_padding_mask: Any = None,
        memory_key_padding_mask: Any = None,
        src_is_causal: bool | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Any:
        """The decoded target: (T, N, d_model), or (N, T, d_model) with `batch_first`."""
        n = 0 if self.batch_first else 1
        if src.dim() == 3 and src.size(n) != tgt.size(n):
            raise RuntimeError("the batch number of src and tgt must be equal")
        if src.size(-1) != self.d_model or tgt.size(-1) != self.d_model:
            raise RuntimeError("the feature number of src and tgt must be equal to d_model")
        memory = self.encoder(src, mask=src_mask, src_key_padding_mask=src_key_padding_mask, is_causal=src_is_causal)
        return self.decoder(
            tgt,
            memory,
            tgt_mask=tgt_mask,
            memory_mask=memory_mask,
            tgt_key_padding_mask=tgt_key_padding_mask,
            memory_key_padding_mask=memory_key_padding_mask,
            tgt_is_causal=tgt_is_causal,
            memory_is_causal=memory_is_causal,
        )
