"""What is kept of PyTorch's tensors: small ones whole, of the others a summary that is worked out where they lie."""

from __future__ import annotations

import math

import torch

from ..recording.store import BINS, CORNER, DTYPES, PICTURE, ArrayStore, StoredArray, Summary

LEVELS = {"statistics": 64, "values": 1024}
"""Elements up to which a tensor is kept whole, by what is asked for."""
_OWN = {getattr(torch, name): name for name in DTYPES if hasattr(torch, name)}
"""PyTorch's dtypes by their names."""
_WIDER = (torch.bfloat16, torch.float16)
_EXACT = (torch.float32, torch.float64)


def dtype_name(dtype: torch.dtype) -> str:
    """The name of a dtype in recordings."""
    return _OWN.get(dtype) or str(dtype).removeprefix("torch.")


def layout_name(tensor: torch.Tensor) -> str:
    """How a tensor lies in memory; "" where it is strided."""
    return "" if tensor.layout is torch.strided else str(tensor.layout).removeprefix("torch.")


def device_name(tensor: torch.Tensor) -> str:
    """Where a tensor lies; "" for the processor."""
    return "" if tensor.device.type == "cpu" else str(tensor.device)


def kept(store: ArrayStore, tensor: torch.Tensor, whole: int) -> int:
    """The id of what is kept of a tensor's values as they are now.

    Args:
        whole: elements up to which it is kept whole.
    """
    name = dtype_name(tensor.dtype)
    if name not in DTYPES:
        name = "float32"
    count = tensor.numel()
    if tensor.device.type == "meta":
        return store.put(StoredArray(name, tuple(tensor.shape), None, _nothing()))
    plain = tensor.detach()
    if plain.layout is not torch.strided:
        plain = plain.to_dense()
    if plain.is_quantized:
        plain = plain.int_repr()
    if count > whole or count * DTYPES[name].itemsize > store.left:
        made = summary(plain) if whole > LEVELS["statistics"] else brief(plain)
        return store.put(StoredArray(name, tuple(tensor.shape), None, made))
    return store.put(StoredArray(name, tuple(tensor.shape), _bytes(plain, name)))


def _bytes(tensor: torch.Tensor, name: str) -> bytes:
    if tensor.is_conj() or tensor.is_neg():
        tensor = tensor.resolve_conj().resolve_neg()
    if tensor.device.type != "cpu":
        tensor = tensor.cpu()
    target = DTYPES[name]
    try:
        array = tensor.numpy()
    except TypeError:  # what NumPy has not is kept as what holds all of its numbers
        array = tensor.float().numpy()
    return array.astype(target, copy=False).tobytes()


def brief(tensor: torch.Tensor) -> Summary:
    """Minimum, maximum, mean, deviation and norm, and how many elements are NaN or infinite: what two passes over it give."""
    return _of(tensor, full=False)


def summary(tensor: torch.Tensor) -> Summary:
    """Statistics over a tensor's finite elements, of complex ones over their magnitudes; see `store.summarize`."""
    return _of(tensor, full=True)


def _of(tensor: torch.Tensor, full: bool) -> Summary:
    plain = tensor.abs() if tensor.is_complex() else tensor
    if plain.dtype not in _EXACT:
        plain = plain.float() if plain.dtype in _WIDER or not plain.is_floating_point() else plain.to(torch.float32)
    flat = plain.reshape(-1)
    count = flat.numel()
    if not count:
        return _nothing()
    # What the difference of the extremes says of all elements is asked first; all go over to this side at once.
    low, high, total, norm = torch.stack([*torch.aminmax(flat), flat.sum(), torch.linalg.vector_norm(flat)]).tolist()
    nan = inf = 0
    finite = flat
    if not (math.isfinite(high - low) and math.isfinite(total) and math.isfinite(norm)):
        nan, inf = (int(each) for each in torch.stack([torch.isnan(flat).sum(), torch.isinf(flat).sum()]).tolist())
        finite = flat[torch.isfinite(flat)].double()
        count = finite.numel()
        if not count:
            return _nothing(nan, inf)
        low, high, total, norm = torch.stack([*torch.aminmax(finite), finite.sum(), torch.linalg.vector_norm(finite)]).tolist()
    mean = total / count
    variance = norm * norm / count - mean * mean
    # Of numbers that are nearly alike the difference is rounding: then it is worked out.
    std = math.sqrt(variance) if variance > 1e-3 * mean * mean else float(finite.double().std(correction=0))
    if not full:
        return Summary(low, high, mean, std, norm, nan, inf, (), (low, high), (), ())
    counts = [int(each) for each in torch.histc(finite, BINS, low, high).tolist()] if low < high else [finite.numel()]
    counts += [0] * (BINS - len(counts))
    matrix = plain.reshape(-1, plain.shape[-1]) if plain.ndim else plain.reshape(1, 1)
    return Summary(low, high, mean, std, norm, nan, inf, tuple(counts), (low, high), _picture(matrix), _corners(matrix))


def _nothing(nan: int = 0, inf: int = 0) -> Summary:
    nothing = math.nan
    return Summary(nothing, nothing, nothing, nothing, nothing, nan, inf, (0,) * BINS, (nothing, nothing), (), ())


def _picture(matrix: torch.Tensor) -> tuple[tuple[float, ...], ...]:
    size = min(PICTURE, matrix.shape[0]), min(PICTURE, matrix.shape[1])
    means = torch.nn.functional.adaptive_avg_pool2d(matrix[None], size)[0]
    return tuple(map(tuple, means.tolist()))


def _corners(matrix: torch.Tensor) -> tuple[tuple[float, ...], ...]:
    most = 2 * CORNER
    rows = matrix if matrix.shape[0] <= most else torch.cat((matrix[:CORNER], matrix[-CORNER:]))
    cut = rows if rows.shape[1] <= most else torch.cat((rows[:, :CORNER], rows[:, -CORNER:]), 1)
    return tuple(map(tuple, cut.tolist()))
