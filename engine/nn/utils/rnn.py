"""Sequences of different lengths: `torch.nn.utils.rnn`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from engine.ops.creation import full
from engine.ops.shape import cat, stack
from engine.tensor import Tensor

__all__ = ["pad_sequence", "unpad_sequence"]


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
    longest = max(s.size(0) for s in sequences)
    padded = []
    for s in sequences:
        missing = longest - s.size(0)
        if missing:
            filling = full((missing, *s.shape[1:]), padding_value, dtype=s.dtype)
            s = cat([s, filling] if padding_side == "right" else [filling, s])
        padded.append(s)
    return stack(padded, 0 if batch_first else 1)


def unpad_sequence(padded_sequences: Any, lengths: Any, batch_first: bool = False) -> list[Any]:
    """The sequences of these lengths that `pad_sequence` put together."""
    several = padded_sequences if batch_first else padded_sequences.transpose(0, 1)
    return [sequence[: int(n)] for sequence, n in zip(several.unbind(0), lengths)]


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    from engine.surface import missing

    raise missing("torch.nn.utils.rnn", name, __all__)
