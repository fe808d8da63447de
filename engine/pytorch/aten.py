"""What PyTorch's dispatcher calls an operation, and what users call it."""

from __future__ import annotations

from functools import cache

from ..op.declare import TABLE, Op
from ..op.symbolic import rule_texts
from ..recording.op_info import OpInfo, RecordedRule

CALLED = {
    "_batch_norm_with_update": "batch_norm",
    "_fused_rms_norm": "rms_norm",
    "_log_softmax": "log_softmax",
    "_native_batch_norm_legit": "batch_norm",
    "_scaled_dot_product_efficient_attention": "scaled_dot_product_attention",
    "_scaled_dot_product_flash_attention": "scaled_dot_product_attention",
    "_scaled_dot_product_flash_attention_for_cpu": "scaled_dot_product_attention",
    "_softmax": "softmax",
    "_thnn_fused_gru_cell": "gru_cell",
    "_thnn_fused_lstm_cell": "lstm_cell",
    "_to_copy": "to",
    "_unsafe_view": "view",
    "cudnn_batch_norm": "batch_norm",
    "cudnn_convolution": "convolution",
    "lift_fresh": "tensor",
    "native_batch_norm": "batch_norm",
    "native_dropout": "dropout",
    "native_group_norm": "group_norm",
    "native_layer_norm": "layer_norm",
    "nll_loss2d_forward": "nll_loss2d",
    "nll_loss_forward": "nll_loss",
}
"""The names of operations that the dispatcher has under others."""
ASKED = frozenset({"detach", "lift_fresh", "ones_like"})
"""What PyTorch runs of its own accord, too: whether it is told depends on what the program has called."""
FIRST = frozenset(
    (
        "_embedding_bag", "_weight_norm_interface", "batch_norm", "dropout", "group_norm", "layer_norm",
        "multilabel_margin_loss_forward", "nll_loss", "nll_loss2d", "rms_norm", "scaled_dot_product_attention",
    )
)  # fmt: skip
"""Operations whose first output is what users get; the others are what the backward pass needs."""
CUTS = {"data": "data", "detach": "detach", "detach_": "detach", "tensor": "copy"}
"""How operations cut the graph whatever the mode is."""
QUIET = frozenset(("_local_scalar_dense", "detach", "empty", "equal", "is_same_size", "lift_fresh"))
"""What PyTorch does for itself."""


def called(aten: str) -> str:
    """What users call an operation of the dispatcher, in place or not."""
    name = aten[:-1] if aten.endswith("_") and not aten.endswith("__") else aten
    return CALLED.get(name, name)


@cache
def _declared() -> dict[str, Op]:
    found: dict[str, Op] = {}
    for op in TABLE.values():
        found.setdefault(op.name, op)
    return found


def info(name: str) -> OpInfo:
    """What is known of an operation, from the engine's declaration where there is one."""
    op = _declared().get(name)
    if op is None:
        return OpInfo(name, "", name, traits=())
    return OpInfo(name, op.symbol, op.template, op.doc, traits=tuple(sorted(op.traits)))


def rule(name: str) -> OpInfo | None:
    """The texts of its rules; None where it is not declared."""
    op = _declared().get(name)
    if op is None:
        return None
    texts = tuple([RecordedRule(t.input, t.template, t.elementwise, t.call, t.when) for t in rule_texts(op)])
    return OpInfo(f"d {op.forward.__name__}", "", op.template, op.doc, texts, op.outputs, ())
