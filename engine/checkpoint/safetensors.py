"""Safetensors: a header in JSON that says what stands where, and the numbers behind it; nothing in it can be run."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from .. import limits
from ..tensor import Tensor, constant
from .tensors import described, dtype_named, lacking

DTYPES = {
    "F64": "float64", "F32": "float32", "F16": "float16", "BF16": "bfloat16", "I64": "int64", "I32": "int32", "I16": "int16",
    "I8": "int8", "U8": "uint8", "BOOL": "bool", "U16": "uint16", "U32": "uint32", "U64": "uint64", "C64": "complex64",
    "F8_E4M3": "float8_e4m3fn", "F8_E5M2": "float8_e5m2",
}  # fmt: skip
"""How the format names dtypes."""
NAMES = {name: kind for kind, name in DTYPES.items()}
ALIGNMENT = 8


class SafetensorError(Exception):
    """A file that is no safetensors file, or things that cannot be in one."""


# As the package names it.
SafetensorError.__module__ = "safetensors_rust"


# --- writing ----------------------------------------------------------------------------------------------------------------


def written(tensors: Mapping[str, Any], metadata: Any = None) -> bytes:
    """A file with these tensors.

    Raises:
        ValueError: for what is no dict of tensors, gaps in memory, or memory that several share.
    """
    if not isinstance(tensors, dict):
        raise ValueError(f"Expected a dict of [str, torch.Tensor] but received {type(tensors)}")
    # What a subclass has to say of its items could be another thing each time.
    tensors = dict(dict.items(tensors))
    for name, tensor in tensors.items():
        if not isinstance(tensor, Tensor):
            raise ValueError(f"Key `{name}` is invalid, expected torch.Tensor but received {type(tensor)}")
    _check_shared(tensors)
    for name, tensor in tensors.items():
        if not tensor.is_contiguous():
            raise ValueError(
                f"You are trying to save a non contiguous tensor: `{name}` which is not allowed. It either means you are "
                "trying to save tensors which are reference of each other in which case it's recommended to save only the full "
                "tensors, and reslice at load time, or simply call `.contiguous()` on your tensor to pack it before saving."
            )
    return packed({name: tensor._array for name, tensor in tensors.items()}, metadata)


def packed(arrays: Mapping[str, Any], metadata: Any = None) -> bytes:
    """A file with these arrays: the widest dtypes first, by name among each other."""
    head: dict[str, Any] = {}
    if metadata is not None:
        if type(metadata) is not dict or not all(type(part) is str for pair in metadata.items() for part in pair):
            raise TypeError("argument 'metadata': 'dict' object of texts expected")
        head["__metadata__"] = metadata
    if not all(type(name) is str for name in arrays):
        raise TypeError("the names of tensors are texts")
    order = sorted(arrays, key=lambda name: (-_rank(arrays[name].dtype), name))
    data = bytearray()
    kinds = {name: _kind(arrays[name].dtype) for name in order}
    for name in order:
        array = np.ascontiguousarray(arrays[name])
        begin = len(data)
        data += array.tobytes()
        head[name] = {"dtype": kinds[name], "shape": list(arrays[name].shape), "data_offsets": [begin, len(data)]}
    text = json.dumps(head, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-len(text) % ALIGNMENT)
    return len(text).to_bytes(8, "little") + text + bytes(data)


def _kind(dtype: Any) -> str:
    name = dtype.name
    if name not in NAMES:
        raise SafetensorError(f"dtype {name} is not covered")
    return NAMES[name]


RANKS = (
    "bool", "uint8", "int8", "int16", "uint16", "float16", "bfloat16", "int32", "uint32", "float32", "float64", "int64",
    "uint64",
)  # fmt: skip
"""The order of dtypes in a file, from its end on."""


def _rank(dtype: Any) -> int:
    return RANKS.index(dtype.name) if dtype.name in RANKS else -1


def _check_shared(tensors: Mapping[str, Tensor]) -> None:
    """Refuse tensors that share memory."""
    by_memory: dict[int, set[str]] = {}
    for name, tensor in tensors.items():
        if tensor.numel():
            by_memory.setdefault(described(tensor)[0].address, set()).add(name)
    shared = [names for names in by_memory.values() if len(names) > 1]
    if shared:
        raise RuntimeError(
            f"\n            Some tensors share memory, this will lead to duplicate memory on disk and potential differences "
            f"when loading them again: {shared}.\n            A potential way to correctly save your model is to use "
            "`save_model`.\n            More information at https://huggingface.co/docs/safetensors/torch_shared_tensors\n"
            "            "
        )


# --- reading ----------------------------------------------------------------------------------------------------------------


def arrays(data: bytes) -> tuple[dict[str, Any], dict[str, str]]:
    """The arrays in a file, and what else it says of itself.

    Raises:
        SafetensorError: for what is none, in the words of the format's own reader.
    """
    if len(data) > limits.CHECKPOINT.value():
        raise SafetensorError(limits.CHECKPOINT.past())
    if len(data) < 8:
        raise _bad("header too small")
    size = int.from_bytes(data[:8], "little")
    if size > limits.SAFETENSORS_HEADER.value():
        raise _bad("header too large")
    if 8 + size > len(data):
        raise _bad("invalid header length")
    head = _header(data[8 : 8 + size])
    metadata = head.pop("__metadata__", None) or {}
    if type(metadata) is not dict or not all(type(value) is str for value in metadata.values()):
        raise _bad("invalid JSON in header")
    body = memoryview(data)[8 + size :]
    entries = [_entry(name, entry) for name, entry in head.items()]
    end = 0
    for name, _, _, begin, stop in sorted(entries, key=lambda e: e[3:]):
        if begin != end:
            raise SafetensorError(f"Error while deserializing: invalid offset for tensor `{name}`")
        end = stop
    if end != len(body):
        raise _bad("incomplete metadata, file not fully covered")
    found: dict[str, Any] = {}
    for name, kind, shape, begin, stop in entries:
        dtype = dtype_named(DTYPES[kind])
        if dtype is None:
            raise lacking(DTYPES[kind])
        if dtype.itemsize * math.prod(shape) != stop - begin:
            raise _bad("invalid shape, data type, or offset for tensor")
        part = bytearray(body[begin:stop])
        found[name] = np.frombuffer(part, dtype._numpy).reshape(shape) if part else np.zeros(shape, dtype._numpy)
    return found, metadata


def loaded(data: bytes) -> dict[str, Tensor]:
    """The tensors in a file."""
    return {name: constant(array) for name, array in arrays(data)[0].items()}


def _header(text: bytes) -> dict[str, Any]:
    if not text.startswith(b"{"):
        raise _bad("invalid start character in header: must be `{`")
    try:
        found = json.loads(text.decode("utf-8"), object_pairs_hook=_once)
    except UnicodeDecodeError:
        raise _bad("invalid UTF-8 in header") from None
    except (ValueError, RecursionError):
        raise _bad("invalid JSON in header") from None
    if type(found) is not dict:
        raise _bad("invalid JSON in header")
    return found


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A dict, whose keys must not be there twice: two readers could see two different files."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key is there twice")
    return found


def _entry(name: str, entry: Any) -> tuple[str, str, list[int], int, int]:
    if type(entry) is not dict or set(entry) != {"dtype", "shape", "data_offsets"}:
        raise _bad("invalid JSON in header")
    kind, shape, offsets = entry["dtype"], entry["shape"], entry["data_offsets"]
    if type(kind) is not str or kind not in DTYPES:
        raise _bad("invalid JSON in header: unknown dtype")
    if type(shape) is not list or len(shape) > 64 or not all(type(n) is int and 0 <= n < 2**48 for n in shape):
        raise _bad("invalid JSON in header: shape")
    if type(offsets) is not list or len(offsets) != 2 or not all(type(n) is int and n >= 0 for n in offsets):
        raise _bad("invalid JSON in header: data_offsets")
    begin, stop = offsets
    if begin > stop:
        raise SafetensorError(f"Error while deserializing: invalid offset for tensor `{name}`")
    if 0 not in shape and math.prod(shape) > 2**62:
        raise _bad("overflow computing buffer size from shape and/or element type")
    return name, kind, shape, begin, stop


def _bad(why: str) -> SafetensorError:
    return SafetensorError(f"Error while deserializing header: {why}")
