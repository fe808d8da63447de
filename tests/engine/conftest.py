"""Shared fixtures: PyTorch's databases of samples."""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any

import pytest

from tests.conftest import needed


@pytest.fixture(scope="session")
def database(torch: ModuleType) -> Callable[[str], dict[str, Any]]:
    """The entries of one of the databases by title."""
    needed("expecttest")

    @cache
    def entries(kind: str) -> dict[str, Any]:
        source = import_module(f"tests.engine.coverage.{kind}")
        for user in ("common_utils", "opinfo.core"):
            # Each sample looks through the stack and its sources for a unittest that is not there: most of what it costs.
            import_module(f"torch.testing._internal.{user}").extract_test_fn = lambda: None
        return {source.title(info): info for info in source.entries()}

    return entries


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that are parsed during a test."""
    texts: list[str] = []
    real = ast.parse

    def spy(source: str, *args: object, **kwargs: object) -> ast.AST:
        texts.append(source)
        return real(source, *args, **kwargs)  # type: ignore[call-overload, no-any-return]

    monkeypatch.setattr(ast, "parse", spy)
    return texts
