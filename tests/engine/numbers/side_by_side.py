"""Expressions on the engine and on PyTorch, from the same seed: what they print, warn of, or raise."""

from __future__ import annotations

import warnings
from types import ModuleType
from typing import Any

import pytest

import engine

torch = pytest.importorskip("torch")


def said(t: ModuleType, expression: str, values: dict[str, Any]) -> str:
    """The repr of an expression's value, or its error; `values` are expressions for names in it."""
    t.manual_seed(0)
    names: dict[str, Any] = {"torch": t, "F": t.nn.functional}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, text in values.items():
            names[name] = eval(text, names)
        try:
            return repr(eval(expression, names))
        except Exception as error:
            return f"{type(error).__name__}: {error}"


def compare(expression: str, **values: str) -> None:
    """Assert that both say the same."""
    assert said(engine, expression, values) == said(torch, expression, values)
