"""What programs give to calls, as plain data; nothing of the program's is called but the iteration of what it gives."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from itertools import islice
from typing import Any

import numpy as np

from ....figures.data import DEEP, TEXT, array_value, number_value
from ....itself import OURS
from ....tensor import Tensor

MOST = 2_000_000
"""Items of a list, or of what a generator gives."""
NUMBERS = frozenset((bool, int, float))
SEQUENCES: tuple[type, ...] = (
    list,
    tuple,
    range,
    set,
    frozenset,
    map,
    zip,
    filter,
    Iterator,
    type({}.keys()),
    type({}.values()),
    type({}.items()),
)


class UnplainError(TypeError):
    """A value that cannot be drawn."""


def is_a(value: Any, *kinds: type) -> bool:
    """Whether something is of a type; an object of the program's is not asked for its `__class__`."""
    return issubclass(type(value), kinds)


def is_array(value: Any) -> bool:
    """Whether something is an array or a tensor."""
    return is_a(value, np.ndarray, Tensor)


def table_in(value: Any) -> Any:
    """The array of the cells of a table of pandas', or of a column or an index; None for anything else."""
    # The stand-in is loaded only for programs that use it.
    values = sys.modules.get(f"{OURS}libraries.pandas.values")
    if values is None:
        return None
    if is_a(value, values.Held):
        return values.Held._column.__get__(value)
    frame = sys.modules[f"{OURS}libraries.pandas.frame"].DataFrame
    return frame._cells(value) if is_a(value, frame) else None


def array_in(value: Any) -> Any:
    """The array of numbers that an array or a tensor is.

    Raises:
        RuntimeError: for a tensor that requires grad, in PyTorch's words.
    """
    found = Tensor.numpy(value) if is_a(value, Tensor) else value
    if not is_a(found, np.ndarray):
        raise UnplainError("a tensor without an array cannot be drawn")
    if type(found) is not np.ndarray:
        found = np.ndarray.view(found, np.ndarray)
    if found.dtype.kind == "O":
        return numbers(np.ndarray.tolist(found))
    if found.dtype.kind == "c":
        found = found.real
    if found.dtype.kind not in "biufUM":
        raise UnplainError(f"values of type {found.dtype} cannot be drawn")
    return found


def numbers(value: Any) -> Any:
    """Numbers of any kind (a number, an array, a tensor, lists of those) as an array of numbers or strings.

    Raises:
        UnplainError: for anything else.
        RuntimeError: for a tensor that requires grad, in PyTorch's words.
    """
    if is_array(value):
        return array_in(value)
    table = table_in(value)
    if table is not None:
        return array_in(table)
    # The stand-in for PIL is loaded only for programs that use it.
    pictures = sys.modules.get(f"{OURS}libraries.PIL.Image")
    if pictures is not None and is_a(value, pictures.Image):
        return array_in(object.__getattribute__(value, "_pixels"))
    if value is None:
        return np.array(np.nan)
    if is_a(value, np.generic):
        return array_in(np.asarray(value))
    if type(value) in NUMBERS:
        return np.array(float(value) if abs(value) > 2**62 else value)
    if is_a(value, str):
        return np.array(str.__str__(value)[:TEXT])
    return _stacked(items(value), 0)


def _stacked(parts: list[Any], depth: int) -> Any:
    if depth > DEEP:
        raise UnplainError("lists too deep to be drawn")
    if parts and NUMBERS.issuperset(map(type, parts)):
        # Numbers of Python's own, in a list that nobody else has.
        found = np.array(parts)
        return (
            found
            if found.dtype.kind in "biuf"
            else np.array([float(part) if abs(part) < 2**1000 else np.inf for part in parts])
        )
    made = []
    for part in parts:
        made.append(
            _stacked(items(part), depth + 1)
            if not is_array(part) and not is_a(part, str, np.generic) and part is not None and type(part) not in NUMBERS
            else numbers(part)
        )
    if any(one.dtype.kind == "U" for one in made):
        made = [one.astype(f"U{TEXT}") for one in made]
    if len({one.shape for one in made}) > 1:
        raise ValueError("setting an array element with a sequence. The requested array has an inhomogeneous shape")
    return np.array(made) if made else np.zeros(0)


def items(value: Any) -> list[Any]:
    """The items of a list or of what can be gone through once, in a list of our own.

    Raises:
        UnplainError: for anything that is no list.
    """
    if is_a(value, list):
        return list.__getitem__(value, slice(MOST))
    if is_a(value, tuple):
        return [*tuple.__getitem__(value, slice(MOST))]
    if is_array(value):
        found = array_in(value)
        return list(found) if found.ndim else [found]
    if is_a(value, dict):
        return [*islice(dict.keys(value), MOST)]
    table = table_in(value)
    if table is not None:
        return [*table[:MOST].tolist()]
    if issubclass(type(value), SEQUENCES):
        return [*islice(value, MOST)]
    raise UnplainError(f"'{type(value).__name__}' cannot be drawn")


def plain(value: Any, reference: Any, depth: int = 0) -> Any:
    """A value as plain data; `reference` says of an object of ours what stands for it, or None.

    Raises:
        UnplainError: for a value that cannot be drawn.
        RuntimeError: for a tensor that requires grad, in PyTorch's words.
    """
    if value is None or type(value) is bool:
        return value
    if depth > DEEP:
        raise UnplainError("lists too deep to be drawn")
    if type(value) is int:
        return value if abs(value) < 2**53 else number_value(float(value) if abs(value) < 2**1000 else math.inf)
    if type(value) is float:
        return number_value(value)
    if is_a(value, str):
        return said(value)
    if is_a(value, np.generic):
        return plain(value.item(), reference, depth + 1) if value.dtype.kind in "biufU" else plain(str(value), reference)
    table = table_in(value)
    if table is not None:
        value = table
    if is_a(value, np.ndarray) and value.dtype.kind == "O":
        return [plain(one, reference, depth + 1) for one in np.ndarray.tolist(np.ndarray.reshape(value, -1))[:MOST]]
    if is_array(value):
        found = array_in(value)
        if found.dtype.kind in "UM":
            return [said(str(one)) for one in found.reshape(-1)[:MOST].tolist()]
        return array_value(found) if found.ndim else plain(found.item(), reference, depth + 1)
    known = reference(value)
    if known is not None:
        return known
    if is_a(value, dict):
        return {"d": {said(name): plain(one, reference, depth + 1) for name, one in dict.items(value) if is_a(name, str)}}
    found = items(value)
    if found and all(type(one) in NUMBERS for one in found) and len(found) > 8:
        return array_value(np.array([float(one) for one in found]))
    return [plain(one, reference, depth + 1) for one in found]


def said(text: Any) -> str:
    """A text as it can be sent: not too long, and without halves of characters."""
    return str.__str__(text)[:TEXT].encode("utf-8", "replace").decode("utf-8")


def fewer(points: int, most: int) -> slice:
    """Every how many points are kept, where there are more than can be told apart."""
    return slice(None, None, max(1, -(-points // most)))


def to_show(image: Any) -> Any:
    """An image as it is kept: colours as bytes, and not larger than can be seen."""
    rows, columns = (max(1, -(-size // 512)) for size in image.shape[:2])
    image = image[::rows, ::columns]
    if image.ndim == 3 and image.dtype.kind == "f":
        return np.rint(np.clip(np.nan_to_num(image), 0, 1) * 255).astype(np.uint8)
    return image.astype(np.uint8 if image.ndim == 3 else np.float32)
