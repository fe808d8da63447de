"""What tests of distributions start from."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

import engine


@pytest.fixture(autouse=True)
def arguments_are_validated(monkeypatch: pytest.MonkeyPatch) -> None:
    """Distributions validate what they are given, which PyTorch's compiler turns off for the whole process."""
    monkeypatch.setattr(engine.distributions.Distribution, "_validate_args", True)
    if find_spec("torch"):
        import torch

        monkeypatch.setattr(torch.distributions.Distribution, "_validate_args", True)
