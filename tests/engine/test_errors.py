"""Wrong inputs of PyTorch's operator database: what raises PyTorch's exception in PyTorch's words must go on to do so."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from types import ModuleType
from typing import Any

import pytest

import engine
from tests.engine.coverage import agreeing


@pytest.mark.parametrize("name", agreeing("errors"))
def test_a_wrong_input_raises_what_pytorch_raises(database: Callable[[str], dict[str, Any]], name: str) -> None:
    info = database("errors")[name]
    from tests.engine.coverage import errors

    found = errors.run(info)
    assert found.trouble == []
    assert found.passed


def test_arguments_that_fit_no_overload_are_named(torch: ModuleType) -> None:
    for name in ("eq", "clamp_max", "pow", "bitwise_and", "fmod", "copysign"):
        with pytest.raises(TypeError) as theirs:
            getattr(torch, name)("a", "b")
        with pytest.raises(TypeError) as ours:
            getattr(engine, name)("a", "b")
        assert str(ours.value).split("\n")[0] == str(theirs.value).split("\n")[0]
        signatures = [line for line in str(theirs.value).split("\n") if line.startswith(" * ")]
        assert [line for line in str(ours.value).split("\n") if line.startswith(" * ")] == signatures


@pytest.mark.parametrize("name", ["sum", "nn.functional.relu", "Tensor.sum", "einsum", "zeros"])
def test_python_names_a_function_as_pytorch_has_it(name: str) -> None:
    function: Any = attrgetter(name)(engine)
    nothing: Any = None
    with pytest.raises(TypeError, match=rf"^torch\.{name}\(\) argument after \*\* must be a mapping"):
        function(engine.ones(2), **nothing)
