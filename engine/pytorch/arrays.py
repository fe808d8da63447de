"""What is kept of PyTorch's tensors: small ones whole, of the others a summary that is worked out where they lie.

Half of what a training makes is another view of memory that has just been looked at: of it nothing is worked out again.
"""

from __future__ import annotations

import math
import weakref
from ctypes import c_char, string_at
from functools import cache, lru_cache
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from ..recording.store import DTYPES, ArrayStore, Summary, outline, untold, zeros
from .afar import EXACT, Elsewhere
from .together import FEW, Together, copied_as

LEVELS = {"facts": -1, "statistics": 64, "values": 1024}
"""Elements up to which a tensor is kept whole, by what is asked for; -1 where nothing is asked of values."""
MOST = 4096
"""Summaries that are remembered, in case a tensor is another view of the same memory."""
_OWN = {getattr(torch, name): name for name in DTYPES if hasattr(torch, name)}
"""PyTorch's dtypes by their names."""
_WIDER = (torch.bfloat16, torch.float16)
_PLAIN = (torch.Tensor, torch.nn.Parameter)
_SMALL = 2**18
"""Elements up to which a sum of squares in the tensor's own precision is near enough."""
_LEAST, _LARGEST = 1e-30, 1e37
"""Between these such a sum has not left the range of float32 on its way."""


def dtype_name(dtype: torch.dtype) -> str:
    """The name of a dtype in recordings."""
    return _OWN.get(dtype) or str(dtype).removeprefix("torch.")


@lru_cache(maxsize=64)
def _name(dtype: torch.dtype) -> str:
    """The name of the dtype that an array is kept in."""
    name = dtype_name(dtype)
    return name if name in DTYPES else "float32"


def shape_of(tensor: torch.Tensor) -> tuple[int, ...]:
    """A tensor's shape; of a nested one how many parts it has, and the sizes that each of them has at most: 0 where that is not
    known."""
    if not is_nested(tensor):
        return tuple(tensor.shape)
    if tensor.layout is not torch.strided:
        starts = vars(tensor).get("_offsets")
        longest = int(starts.diff().max()) if type(starts) is torch.Tensor and starts.is_cpu and len(starts) > 1 else 0
        return tuple(size if type(size) is int else longest for size in tensor.shape)
    parts = [tuple(part.shape) for part in _parts(tensor)]
    return (len(parts), *(max(sizes) for sizes in zip(*parts))) if parts else (0,) * tensor.dim()


def _parts(tensor: torch.Tensor) -> list[torch.Tensor]:
    """The parts of a nested tensor; of a jagged one all of them together, of one that only stands for others none."""
    if tensor.is_meta:
        return []
    if tensor.layout is torch.strided:
        return list(tensor.detach().unbind())
    together = vars(tensor).get("_values")  # to take it apart would call what the program might have called
    return [together.detach()] if type(together) is torch.Tensor and not together.is_meta else []


def is_nested(tensor: torch.Tensor) -> bool:
    """Whether a tensor's parts differ in their shapes, so that it has none that is made of numbers."""
    if tensor.__class__ not in _PLAIN:
        return bool(tensor.is_nested)
    return tensor.layout is torch.strided and tensor.is_nested


def layout_name(tensor: torch.Tensor) -> str:
    """How a tensor lies in memory; "" where it is strided."""
    return "" if tensor.layout is torch.strided else str(tensor.layout).removeprefix("torch.")


def device_name(tensor: torch.Tensor) -> str:
    """Where a tensor lies; "" for the processor."""
    return "" if tensor.device.type == "cpu" else str(tensor.device)


class Keeper:
    """Keeps what is asked for of tensors as they are now.

    Args:
        store: gets it.
        whole: elements up to which a tensor is kept whole; see `LEVELS`.
    """

    def __init__(self, store: ArrayStore, whole: int) -> None:
        self.store, self.whole = store, whole
        self._looked_at: dict[int, tuple[weakref.ref[torch.Tensor], int, int, torch.dtype, Summary]] = {}
        """Address → the tensor that lies there, its version, elements and dtype, and its summary."""
        self._copied: dict[int, tuple[weakref.ref[torch.Tensor], int, int, torch.dtype, list[int]]] = {}
        """The same of small tensors, with the arrays of which their summary is told."""
        self._together: dict[torch.dtype, Together] = {}
        """Copies of these."""
        self._elsewhere: dict[torch.device, Elsewhere] = {}
        """What is under way on other devices."""
        self._untold: dict[tuple[torch.dtype, torch.Size], int] = {}
        """The arrays of which nothing but dtype and shape is kept."""
        self._zeros: dict[tuple[torch.dtype, torch.Size], int] = {}
        """Those of which nothing else is kept, either, but which are known to be zero."""

    def forget(self) -> None:
        """Memory was written, by whatever name."""
        self._looked_at.clear()
        self._copied.clear()
        for each in self._elsewhere.values():
            each.forget()

    def settle(self) -> None:
        """Tell what has been promised: of small tensors, and what is under way on other devices."""
        self._tell_together()
        for each in self._elsewhere.values():
            each.settle()

    def keep(self, tensor: torch.Tensor) -> int:
        """The id of what is kept of a tensor's values."""
        dtype = tensor.dtype
        if is_nested(tensor):
            return self._keep_nested(tensor)
        if self.whole < 0 or tensor.is_meta:
            return self._untold.get((dtype, tensor.shape)) or self._nothing_of(dtype, tensor.shape)
        name = _name(dtype)
        shape = tuple(tensor.shape)
        count = tensor.numel()
        if count and tensor.__class__ not in _PLAIN and _lies_nowhere(tensor):
            return self._untold.get((dtype, tensor.shape)) or self._nothing_of(dtype, tensor.shape)
        if self.is_elsewhere(tensor) and count and tensor.__class__ in _PLAIN and tensor.layout is torch.strided:
            return self._keep_elsewhere(tensor, name, count)
        if count <= self.whole and count * DTYPES[name].itemsize <= self.store.left:
            if (
                tensor.__class__ in _PLAIN
                and _as_they_lie(dtype, tensor.layout)
                and tensor.is_contiguous()
                and not tensor.is_neg()
            ):
                size = count * tensor.element_size()
                return self.store.kept(name, shape, string_at(tensor.data_ptr(), size) if size else b"")
            return self.store.kept(name, shape, _bytes(_strided(tensor), name))
        if copied_as(dtype) is not None and tensor.__class__ in _PLAIN and count and tensor.layout is torch.strided:
            if count <= FEW and _is_a_piece(tensor):
                return self._together_with_others(tensor, name, shape, count)
            if dtype in EXACT:
                return self.store.summed(name, shape, self._summary(tensor, count))
        return self.store.summed(name, shape, brief(_strided(tensor)))

    def _keep_nested(self, tensor: torch.Tensor) -> int:
        """The id of what is kept of a nested tensor: all numbers of its parts are summarised together."""
        shape = shape_of(tensor)
        parts = [] if self.whole < 0 else [part.reshape(-1) for part in _parts(tensor)]
        if not any(part.numel() for part in parts):
            return self._nothing_of(tensor.dtype, torch.Size(shape))
        return self.store.summed(_name(tensor.dtype), shape, brief(torch.cat(parts)))

    def keep_zeros(self, tensor: torch.Tensor) -> int:
        """The id of what is kept of a tensor that has just been filled with zeros, which is known without looking at it."""
        if self.whole >= 0:
            return self.keep(tensor)
        kind = tensor.dtype, torch.Size(shape_of(tensor))
        if kind not in self._zeros:
            self._zeros[kind] = self.store.summed(_name(tensor.dtype), tuple(kind[1]), zeros())
        return self._zeros[kind]

    @staticmethod
    def is_elsewhere(tensor: torch.Tensor) -> bool:
        """Whether its numbers have to be brought over from another device."""
        return not tensor.is_cpu

    def _keep_elsewhere(self, tensor: torch.Tensor, name: str, count: int) -> int:
        plain = _strided(tensor)
        device = plain.device
        elsewhere = self._elsewhere.get(device)
        if elsewhere is None:
            elsewhere = self._elsewhere[device] = Elsewhere(device, self.store, brief, _bytes)
        if count <= self.whole and count * DTYPES[name].itemsize <= self.store.left:
            return elsewhere.whole(plain, name)
        as_it_lies = plain.is_contiguous() or _dense(plain.shape, plain.stride())
        if as_it_lies and not (plain.is_conj() or plain.is_neg()):
            return elsewhere.summed(tensor, plain.as_strided((count,), (1,)), name, True)
        return elsewhere.summed(tensor, plain.resolve_conj().resolve_neg().reshape(-1), name, False)

    def _nothing_of(self, dtype: torch.dtype, shape: torch.Size) -> int:
        made = self._untold[dtype, shape] = self.store.summed(_name(dtype), tuple(shape), untold())
        return made

    def _summary(self, tensor: torch.Tensor, count: int) -> Summary:
        """The summary of a plain tensor, unless it is a view of what has been looked at as it is."""
        if not _is_a_piece(tensor):
            return brief(tensor.detach())
        at, version, dtype = tensor.data_ptr(), tensor._version, tensor.dtype
        found = self._looked_at.get(at)
        if found is not None and found[1] == version and found[2] == count and found[3] is dtype and found[0]() is not None:
            return found[4]
        made = _worked_out(tensor, count, dtype)
        if len(self._looked_at) >= MOST:
            self._looked_at.clear()
        self._looked_at[at] = weakref.ref(tensor), version, count, dtype, made
        return made

    def _together_with_others(self, tensor: torch.Tensor, name: str, shape: tuple[int, ...], count: int) -> int:
        """The id of a small tensor that lies all of a piece in the processor's memory, of which a summary is kept."""
        at, version, dtype = tensor.data_ptr(), tensor._version, tensor.dtype
        id = self.store.promise(name, shape, whole=False)
        found = self._copied.get(at)
        if found is not None and found[1] == version and found[2] == count and found[3] is dtype and found[0]() is not None:
            found[4].append(id)
            return id
        together = self._together.get(dtype)
        if together is None:
            together = self._together[dtype] = Together(dtype, self.store, _outlined)
        if not together.has_room(count):
            self._tell_together()
        arrays = [id]
        together.copy(at, count, arrays)
        self._copied[at] = weakref.ref(tensor), version, count, dtype, arrays
        return id

    def _tell_together(self) -> None:
        self._copied.clear()
        for each in self._together.values():
            each.tell()


def _is_a_piece(tensor: torch.Tensor) -> bool:
    """Whether a plain tensor is all of a piece of memory, of which PyTorch counts how often it was written."""
    if tensor.layout is not torch.strided or tensor.is_inference() or tensor.is_neg():
        return False
    return tensor.is_contiguous() or _dense(tensor.shape, tensor.stride())


@lru_cache(maxsize=4096)
def _dense(shape: tuple[int, ...], stride: tuple[int, ...]) -> bool:
    """Whether such a tensor is all of a piece of memory, in whatever order."""
    expected = 1
    for step, size in sorted(zip(stride, shape, strict=True)):
        if size == 1:
            continue
        if step != expected:
            return False
        expected *= size
    return True


def _strided(tensor: torch.Tensor) -> torch.Tensor:
    plain = tensor.detach()
    if plain.layout is not torch.strided:
        plain = plain.to_dense()
    if plain.is_quantized:
        plain = plain.int_repr()
    return plain


def _bytes(tensor: torch.Tensor, name: str) -> bytes:
    if tensor.is_conj() or tensor.is_neg():
        tensor = tensor.resolve_conj().resolve_neg()
    if tensor.device.type != "cpu":
        tensor = tensor.cpu()
    target = DTYPES[name]
    if _in_numpy(tensor.dtype) != target:  # what NumPy has not is kept as what holds all of its numbers
        copied = tensor.float() if _in_numpy(tensor.dtype) is None else tensor.clone()
        return copied.numpy().astype(target, copy=False).tobytes()
    plain = tensor.contiguous()
    return string_at(plain.data_ptr(), plain.numel() * target.itemsize) if plain.numel() else b""


def _lies_nowhere(tensor: torch.Tensor) -> bool:
    """Whether there is no memory with a tensor's values, as of those that only stand for others."""
    return tensor.is_cpu and tensor.layout is torch.strided and tensor.data_ptr() == 0


@lru_cache(maxsize=256)
def _as_they_lie(dtype: torch.dtype, layout: torch.layout) -> bool:
    """Whether the bytes of such tensors, as they lie in memory, are those that are kept."""
    return layout is torch.strided and not dtype.is_complex and _in_numpy(dtype) == DTYPES[_name(dtype)]


@cache
def _in_numpy(dtype: torch.dtype) -> np.dtype[Any] | None:
    """The same of NumPy, if it has it."""
    try:
        found: np.dtype[Any] = torch.zeros(0, dtype=dtype, device="cpu").numpy().dtype
    except (TypeError, RuntimeError):  # of a quantized one there are no zeros
        return None
    return found


def _worked_out(tensor: torch.Tensor, count: int, dtype: torch.dtype) -> Summary:
    """The summary of what lies all of a piece in the processor's memory.

    A call of PyTorch's costs more than a thousand elements do, and one of NumPy's half of that. It is given the memory: of a
    tensor that `numpy()` has been asked of, PyTorch resizes the storage no more, as FSDP does when a pass ends.
    """
    if count > _SMALL:
        return brief(tensor.detach())
    kind = _in_numpy(dtype)
    assert kind is not None
    array: NDArray[Any] = np.frombuffer(_memory(count * kind.itemsize).from_address(tensor.data_ptr()), kind)
    low, high = float(_least(array)), float(_most(array))
    if low == high == 0 or not _is_finite(count, low, high):
        return _outlined(array, low, high, 0.0, 0.0)
    return _outlined(array, low, high, float(_sum(array)), float(array.dot(array)))


def _is_finite(count: int, low: float, high: float) -> bool:
    """Whether so many elements, their sum and that of their squares are finite without doubt, if these are the least and the
    largest."""
    return count * low * low < _LARGEST and count * high * high < _LARGEST


def _outlined(array: NDArray[Any], low: float, high: float, total: float, squares: float) -> Summary:
    """The summary of elements of which the least and the largest, the sum and that of the squares are known."""
    count = array.size
    if low == high == 0:
        return outline(0.0, 0.0, 0.0, 0.0, 0.0)
    # It is asked more of what is not finite, or whose sum is not.
    if not (_is_finite(count, low, high) and _LEAST < squares < _LARGEST):
        return brief(torch.from_numpy(array.copy()))
    mean = total / count
    variance = squares / count - mean * mean
    if low == high:
        variance = 0.0
    elif variance <= 1e-3 * mean * mean:
        # Of numbers that are nearly alike the difference is rounding. What a rounded mean leaves is taken off, too.
        apart = array - array.dtype.type(mean)
        variance = max(0.0, float(apart.dot(apart)) / count - (float(apart.sum()) / count) ** 2)
    return outline(low, high, mean, math.sqrt(variance), math.sqrt(squares))


_least, _most, _sum = np.minimum.reduce, np.maximum.reduce, np.add.reduce


@lru_cache(maxsize=4096)
def _memory(size: int) -> Any:
    """So many bytes, as a type; to make it takes as long as all that is asked of them."""
    return c_char * size


def brief(tensor: torch.Tensor) -> Summary:
    """Minimum, maximum, mean, deviation and norm of a tensor's finite elements, of complex ones of their magnitudes, and how
    many elements are NaN or infinite."""
    plain = tensor.abs() if tensor.is_complex() else tensor
    if plain.dtype not in EXACT:
        plain = plain.float() if plain.dtype in _WIDER or not plain.is_floating_point() else plain.to(torch.float32)
    flat = plain.reshape(-1)
    count = flat.numel()
    if not count:
        return untold()
    # What the difference of the extremes says of all elements is asked first; all go over to this side at once.
    low, high, total, norm = torch.stack([*torch.aminmax(flat), flat.sum(), torch.linalg.vector_norm(flat)]).tolist()
    if low == high == 0:
        return outline(0.0, 0.0, 0.0, 0.0, 0.0)
    nan = inf = 0
    finite = flat
    if not (math.isfinite(high - low) and math.isfinite(total) and math.isfinite(norm)) or norm < 1e-15:
        nan, inf = (int(each) for each in torch.stack([torch.isnan(flat).sum(), torch.isinf(flat).sum()]).tolist())
        finite = flat[torch.isfinite(flat)].double()
        count = finite.numel()
        if not count:
            return untold(nan, inf)
        low, high, total, norm = torch.stack([*torch.aminmax(finite), finite.sum(), torch.linalg.vector_norm(finite)]).tolist()
    mean = total / count
    variance = norm * norm / count - mean * mean
    # Of numbers that are nearly alike the difference is rounding: then it is worked out.
    std = math.sqrt(variance) if variance > 1e-3 * mean * mean else float(finite.double().std(correction=0))
    return outline(low, high, mean, std, norm, nan, inf)
