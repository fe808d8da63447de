"""PyTorch's operator database on the engine: what agrees must go on to agree, and every operation must be met."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from engine.context import observed
from engine.op import TABLE
from tests.engine.test_parity import CASES

AGREEING = Path(__file__).with_name("coverage").joinpath("agreeing.txt").read_text(encoding="utf-8").split("\n")[:-1]
"""Entries all of whose samples agree in value, shape, dtype and gradient; `make coverage` writes the file."""
FEW = 6
"""Samples of an entry that a test runs."""


ELSEWHERE: set[str] = set()
"""Operations that only other tests meet."""
NO_SECOND = {
    "nn.functional.ctc_loss": "PyTorch has none",
    "linalg.norm/subgradients_at_zero": "PyTorch's second gradient at zero is NaN",
    "logcumsumexp": "PyTorch's second gradient is NaN where a gradient is zero",
}
"""Entries whose second gradient is not compared, and why."""


class Met:
    """An observer that keeps the names of the operations it is told of."""

    def __init__(self) -> None:
        self.names: set[str] = set()
        self.entries: set[str] = set()

    def op(self, op: Any, arguments: Any, result: Any, node: Any) -> None:
        """An operation ran."""
        self.names.add(op.forward.__name__)

    wrote = op

    def __getattr__(self, name: str) -> Any:
        return lambda *args, **kwargs: None


met = Met()


@pytest.fixture(scope="module")
def entries(torch: ModuleType) -> dict[str, Any]:
    """The database by title."""
    from tests.engine.coverage import operators

    return {operators.title(info): info for autograd in (True, False) for info in operators.entries(autograd)}


def outcome(entries: dict[str, Any], name: str) -> Any:
    """How an entry fares, the operations it meets noted."""
    from tests.engine.coverage import operators

    met.entries.add(name)
    with observed(met):
        return operators.run(entries[name], dtypes=(operators.torch.float64,), most=FEW, second=name not in NO_SECOND)


@pytest.mark.parametrize("name", AGREEING)
def test_an_operator_does_what_pytorch_does(entries: dict[str, Any], name: str) -> None:
    found = outcome(entries, name)
    assert found.trouble == []
    assert found.passed


def test_every_differentiable_operation_is_met(entries: dict[str, Any]) -> None:
    for name in set(AGREEING) - met.entries:
        outcome(entries, name)
    elsewhere = {case[0] for case in CASES} | ELSEWHERE
    assert {name for name, op in TABLE.items() if op.differentiable} - met.names - elsewhere == set()
