"""Shared fixtures: PyTorch as the oracle, where it is installed."""

from __future__ import annotations

import importlib.util
import os
from types import ModuleType

import pytest
from hypothesis import settings

settings.register_profile("steady", deadline=None, derandomize=True)
settings.load_profile("steady")
"""No test depends on how fast the machine is, or on what is drawn."""


def needed(package: str) -> None:
    """Skip the tests where a package is absent, unless CI says that it must be there."""
    if importlib.util.find_spec(package) is None:
        if os.environ.get("GRADTAPE_NEEDS_TORCH"):
            pytest.fail(f"{package} is not installed, but GRADTAPE_NEEDS_TORCH is set")
        pytest.skip(f"{package} is not installed")


@pytest.fixture(scope="session")
def torch() -> ModuleType:
    """PyTorch."""
    needed("torch")
    import torch

    return torch
