"""Sequences of different lengths: `torch.nn.utils.rnn`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ... import dtypes
from ...compat.classes import known_as
from ...ops.creation.factories import full
from ...ops.nn.recurrent import _packed
from ...tensor import Tensor, constant

__all__ = [
    "PackedSequence", "invert_permutation", "pack_padded_sequence", "pack_sequence", "pad_packed_sequence", "pad_sequence",
    "unpack_sequence", "unpad_sequence",
]  # fmt: skip


class PackedSequence(NamedTuple):
    """Sequences of different lengths, step by step: `data` holds the rows of all steps, `batch_sizes` how many each has.

    The longest sequence comes first; the indices say where each came from, and where each went.
    """

    data: Any
    batch_sizes: Any = None
    sorted_indices: Any = None
    unsorted_indices: Any = None

    def to(self, *args: Any, **kwargs: Any) -> PackedSequence:
        """With the data converted, as `Tensor.to`."""
        data = self.data.to(*args, **kwargs)
        return self if data is self.data else self._replace(data=data)

    def cpu(self) -> PackedSequence:
        """Nothing to do: everything is on the CPU."""
        return self

    def double(self) -> PackedSequence:
        """With the data as float64."""
        return self.to(dtypes.float64)

    def float(self) -> PackedSequence:
        """With the data as float32."""
        return self.to(dtypes.float32)

    def half(self) -> PackedSequence:
        """With the data as float16."""
        return self.to(dtypes.float16)

    @property
    def is_cuda(self) -> bool:
        """False."""
        return False

    def is_pinned(self) -> bool:
        """False."""
        return False


def invert_permutation(permutation: Any) -> Any:
    """Where each index stands in the permutation."""
    if permutation is None:
        return None
    return constant(np.argsort(permutation._array, kind="stable").astype(permutation._array.dtype))


def pack_padded_sequence(input: Any, lengths: Any, batch_first: bool = False, enforce_sorted: bool = True) -> PackedSequence:
    """Padded sequences (longest, N, *), or (N, longest, *), of these lengths as a packed one.

    Raises:
        RuntimeError: for lengths that do not decrease when `enforce_sorted`, or are not above zero, or are too many.
    """
    counts = np.asarray(lengths._array if isinstance(lengths, Tensor) else lengths, np.int64)
    order = None
    if not enforce_sorted:
        ranks = np.argsort(-counts, kind="stable")
        counts, order = counts[ranks], constant(ranks)
        input = input.index_select(0 if batch_first else 1, order)
    if counts.size == 0 or input.numel() == 0:
        raise RuntimeError("Cannot pack empty tensors.")
    if counts.size != input.size(0 if batch_first else 1):
        raise RuntimeError(
            f"Expected `len(lengths)` to be equal to batch_size, but got {counts.size} (batch_size="
            f"{input.size(0 if batch_first else 1)})"
        )
    if (counts[1:] > counts[:-1]).any():
        raise RuntimeError(
            "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You can pass "
            "`enforce_sorted=False` to pack_padded_sequence and/or pack_sequence to sidestep this requirement if you do not "
            "need ONNX exportability."
        )
    if counts[-1] <= 0:
        raise RuntimeError("Length of all samples has to be greater than 0, but found an element in 'lengths' that is <= 0")
    data, batch_sizes = _packed(input, tuple(counts.tolist()), batch_first)
    return PackedSequence(data, batch_sizes, order, invert_permutation(order))


def pad_packed_sequence(
    sequence: PackedSequence, batch_first: bool = False, padding_value: float = 0.0, total_length: int | None = None
) -> tuple[Any, Any]:
    """The padded sequences and their lengths."""
    data, batch_sizes, _, back = sequence
    sizes = batch_sizes.tolist()
    longest = len(sizes)
    if total_length is not None:
        if total_length < longest:
            raise ValueError(
                "Expected total_length to be at least the length of the longest sequence in input, but got total_length="
                f"{total_length} and max sequence length being {longest}"
            )
        longest = total_length
    n = sizes[0]
    padded: Any = full((longest, n, *data.shape[1:]), padding_value, dtype=data.dtype)
    start = first = 0
    for t in range(1, len(sizes) + 1):
        size = sizes[first]
        if t == len(sizes) or sizes[t] != size:
            # As many steps as go on in the same number of sequences.
            count = (t - first) * size
            piece = data[start : start + count].view(t - first, size, *data.shape[1:])
            padded[first:t, :size].copy_(piece)
            start, first = start + count, t
    if batch_first:
        padded = padded.transpose(0, 1)
    lengths = constant(np.sum(np.asarray(sizes)[:, None] > np.arange(n), 0, dtype=np.int64))
    if back is None:
        return padded, lengths
    return padded.index_select(0 if batch_first else 1, back), lengths.index_select(0, back)


def pack_sequence(sequences: Sequence[Any], enforce_sorted: bool = True) -> PackedSequence:
    """Sequences (length, *) as a packed one."""
    return pack_padded_sequence(pad_sequence(sequences), [s.size(0) for s in sequences], enforce_sorted=enforce_sorted)


def unpack_sequence(packed_sequences: PackedSequence) -> list[Any]:
    """The sequences that `pack_sequence` put together."""
    return unpad_sequence(*pad_packed_sequence(packed_sequences, batch_first=True), batch_first=True)


def pad_sequence(
    sequences: Sequence[Any], batch_first: bool = False, padding_value: float = 0.0, padding_side: str = "right"
) -> Any:
    """Sequences (length, *) as one tensor (longest, N, *), or (N, longest, *), padded with `padding_value`."""
    if isinstance(sequences, Tensor):
        sequences = sequences.unbind(0)
    elif not isinstance(sequences, Iterable):
        raise RuntimeError(f"pad_sequence: Expected iterable for input sequences, but got arg of type: {type(sequences)}")
    if padding_side not in ("left", "right"):
        raise RuntimeError(f"Expected padding_side to be one of left or right, but got {padding_side}.")
    sequences = list(sequences)
    if not sequences:
        raise RuntimeError("received an empty list of sequences")
    for k, s in enumerate(sequences):
        if not isinstance(s, Tensor):
            raise TypeError(f"expected Tensor as element {k} in argument 0, but got {type(s).__name__}")
    longest = max(s.size(0) for s in sequences)
    sizes = (len(sequences), longest) if batch_first else (longest, len(sequences))
    padded = full((*sizes, *sequences[0].shape[1:]), padding_value, dtype=sequences[0].dtype)
    for k, s in enumerate(sequences):
        start = longest - s.size(0) if padding_side == "left" else 0
        place = padded.select(0, k) if batch_first else padded.select(1, k)
        place.narrow(0, start, s.size(0)).copy_(s)
    return padded


def unpad_sequence(padded_sequences: Any, lengths: Any, batch_first: bool = False) -> list[Any]:
    """The sequences of these lengths that `pad_sequence` put together; without `batch_first` what is given is transposed."""
    if not batch_first:
        padded_sequences.transpose_(0, 1)
    places = constant(np.arange(padded_sequences.shape[1]))
    return [sequence[places < length] for sequence, length in zip(padded_sequences, lengths, strict=True)]


known_as("torch.nn.utils.rnn", PackedSequence)


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    from ...compat.names import missing

    raise missing("torch.nn.utils.rnn", name, __all__)
