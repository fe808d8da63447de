"""Shared fixtures: PyTorch as the oracle, where it is installed."""

from __future__ import annotations

import importlib.util
import os
from types import ModuleType

import pytest


@pytest.fixture(scope="session")
def torch() -> ModuleType:
    """PyTorch; tests that need it are skipped where it is absent, unless CI says that it must be there."""
    if importlib.util.find_spec("torch") is None:
        if os.environ.get("GRADTAPE_NEEDS_TORCH"):
            pytest.fail("PyTorch is not installed, but GRADTAPE_NEEDS_TORCH is set")
        pytest.skip("PyTorch is not installed")
    import torch

    return torch
