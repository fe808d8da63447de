"""What PyTorch has: names of its tensors' methods, so that a missing one can be told from a mistake in spelling."""

from __future__ import annotations

from pathlib import Path

TENSOR_METHODS = frozenset(Path(__file__).with_name("tensor_methods.txt").read_text(encoding="utf-8").split())
"""Public attributes of `torch.Tensor` in PyTorch 2.13."""
