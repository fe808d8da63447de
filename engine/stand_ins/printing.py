"""Tensors without an array of all their elements as text, exactly as PyTorch prints them."""

from __future__ import annotations

from typing import Any

from ..printing import body, joined
from .sparse import Sparse, parts_of


def format_stand_in(
    array: Any,
    *,
    dtype_name: str,
    default_dtype_name: str = "float32",
    requires_grad: bool = False,
    grad_fn_name: str | None = None,
    tangent: str | None = None,
    tensor_class: str | None = None,
) -> str:
    """What `repr(tensor)` gives."""
    head = f"{tensor_class or 'tensor'}("
    is_sparse = isinstance(array, Sparse)
    suffixes = [] if is_sparse else ["device='meta'"]
    shape = f"({', '.join(map(str, array.shape))}{',' if array.ndim == 1 else ''})"
    suffixes.append(f"size={shape}")
    text = "..."
    if is_sparse:
        parts = parts_of(array)
        suffixes.append(f"nnz={parts.indices.shape[1]}")
        text = ",\n       ".join(
            f"{name}=tensor({_part(array, f'{name}=tensor(')})"
            for name, array in (("indices", parts.indices), ("values", parts.values))
        )
    complex_name = "complex128" if default_dtype_name == "float64" else "complex64"
    if dtype_name != default_dtype_name and not (is_sparse and dtype_name in ("int64", "bool", complex_name)):
        suffixes.append(f"dtype=torch.{dtype_name}")
    if is_sparse:
        suffixes.append("layout=torch.sparse_coo")
    if grad_fn_name is not None:
        suffixes.append(f"grad_fn=<{grad_fn_name}>")
    elif requires_grad:
        suffixes.append("requires_grad=True")
    return head + text + joined(text, head, suffixes, len(head), is_sparse)


def _part(array: Any, name: str) -> str:
    """Indices or values within the text."""
    if not array.size:
        return f"[], size=({', '.join(map(str, array.shape))}{',' if array.ndim == 1 else ''})"
    return body(array, 7 + len(name))
