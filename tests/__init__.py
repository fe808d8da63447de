"""Tests. PyTorch is the oracle: the engine follows the release that is installed, unless GRADTAPE_TORCH names another one."""

from __future__ import annotations

import importlib.metadata
import os
from contextlib import suppress

from engine.compat.version import DEFAULT, RELEASES, VARIABLE, follow, release_of

ORACLE: str | None = None
"""The release that the installed PyTorch is of; None where there is none, or none that can be followed."""
with suppress(importlib.metadata.PackageNotFoundError):
    ORACLE = release_of(importlib.metadata.version("torch"))
if VARIABLE not in os.environ and ORACLE not in (None, DEFAULT):
    os.environ[VARIABLE] = ORACLE  # for the processes that are started, too
    follow(ORACLE)

__all__ = ["ORACLE", "RELEASES"]
