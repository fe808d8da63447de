"""Wrong inputs of PyTorch's operator database: what raises PyTorch's exception in PyTorch's words must go on to do so."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

AGREEING = Path(__file__).with_name("coverage").joinpath("agreeing_errors.txt").read_text(encoding="utf-8").split("\n")[:-1]
"""Entries all of whose wrong inputs agree; `python -m tests.engine.coverage errors` writes the file."""


@pytest.fixture(scope="module")
def entries(torch: ModuleType) -> dict[str, Any]:
    """The entries with wrong inputs, by title."""
    from tests.engine.coverage import errors

    return {errors.title(info): info for info in errors.entries()}


@pytest.mark.parametrize("name", AGREEING)
def test_a_wrong_input_raises_what_pytorch_raises(entries: dict[str, Any], name: str) -> None:
    from tests.engine.coverage import errors

    found = errors.run(entries[name])
    assert found.trouble == []
    assert found.passed


def test_arguments_that_fit_no_overload_are_named(torch: ModuleType) -> None:
    import engine

    for name in ("eq", "clamp_max", "pow", "bitwise_and", "fmod", "copysign"):
        with pytest.raises(TypeError) as theirs:
            getattr(torch, name)("a", "b")
        with pytest.raises(TypeError) as ours:
            getattr(engine, name)("a", "b")
        assert str(ours.value).split("\n")[0] == str(theirs.value).split("\n")[0]
        signatures = [line for line in str(theirs.value).split("\n") if line.startswith(" * ")]
        assert [line for line in str(ours.value).split("\n") if line.startswith(" * ")] == signatures
