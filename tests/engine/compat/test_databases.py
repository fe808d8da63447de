"""PyTorch's databases of modules and optimizers on the engine: what agrees must go on to agree."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.engine.coverage import agreeing

FEW = 12
"""Samples of a module that a test runs, of each dtype."""

Database = Callable[[str], dict[str, Any]]


@pytest.mark.parametrize("name", agreeing("modules"))
def test_a_module_does_what_pytorch_does(database: Database, name: str) -> None:
    info = database("modules")[name]
    from tests.engine.coverage import modules

    found = modules.run(info, most=FEW)
    assert found.trouble == []
    assert found.passed


@pytest.mark.parametrize("name", agreeing("optimizers"))
def test_an_optimizer_does_what_pytorch_does(database: Database, name: str) -> None:
    info = database("optimizers")[name]
    from tests.engine.coverage import optimizers

    found = optimizers.run(info)
    assert found.trouble == []
    assert found.passed
