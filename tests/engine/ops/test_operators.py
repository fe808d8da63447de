"""PyTorch's operator database on the engine: what agrees must go on to agree, and every operation must be met."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine.context import observed
from engine.op.declare import TABLE
from engine.ops import OWN
from tests.engine.autograd import test_higher_orders
from tests.engine.coverage import agreeing
from tests.engine.ops import test_parity
from tests.engine.oracle import Met

AGREEING = agreeing("operators")
"""Entries all of whose samples agree in value, shape, dtype and gradient."""
FEW = 6
"""Samples of an entry that a test runs."""


ELSEWHERE = {
    "test_convolution": {
        "_affine_grid", "_affine_grid_back", "_conv_tbc", "_upsample_bicubic_aa2d", "_upsample_bilinear_aa2d",
        "_upsample_nearest3d", "_upsample_nearest_exact2d",
    },
    "test_higher_orders": {"_svd_all"},
    "numbers": {"_cut"},
    "distributions": {
        "_binomial", "_dirichlet_grad", "_poisson", "_sample_dirichlet", "_standard_gamma", "_standard_gamma_grad",
    },
    "test_losses": {"_celu_result", "_elu_result", "_leaky_relu_result", "_rrelu_result", "_selu_result", "_threshold_written"},
    "test_modules": {
        "_circular_pad3d", "_mkldnn_rnn_layer", "_reflection_pad2d", "_reflection_pad3d", "_replication_pad3d", "_turned",
        "_unsafe_split",
    },
    "test_parametrized": {"_norm_of_all", "_weight_norm_interface"},
    "test_stand_ins": {
        "_coalesced", "_embedding_bag_sparse", "_embedding_sparse", "_sparse_dense", "_sparse_mask", "_sparse_of",
        "_sparse_sparse", "_sparse_sum", "_sparse_values", "_to_dense", "_to_meta", "_to_sparse_dims",
    },
    "test_parity": {"_clamp_max_0", "_clamp_min_0", "_shifted"},
    "test_polar": {"_lyapunov", "_matrix_sqrth", "_polar_factors"},
}  # fmt: skip
"""Operations that only other tests meet, by the tests' file or folder; what its cases name needs no mention."""
NO_SECOND = {
    "nn.functional.ctc_loss": "PyTorch has none",
    "linalg.norm/subgradients_at_zero": "PyTorch's second gradient at zero is NaN",
    "logcumsumexp": "PyTorch's second gradient is NaN where a gradient is zero",
}
"""Entries whose second gradient is not compared, and why."""


def untried() -> set[str]:
    """The differentiable operations that no other test is known to meet; our own are none of PyTorch's."""
    cases = (*test_parity.CASES, *test_higher_orders.CASES, *test_higher_orders.LAST)
    elsewhere = {case[0] for case in cases}.union(*ELSEWHERE.values())
    return {name for name, op in TABLE.items() if op.differentiable and op.forward.__module__ not in OWN} - elsewhere


class Tried:
    """The entries that have run, in any process of this run of the tests, and the operations that they met."""

    def __init__(self, entries: dict[str, Any], folder: Path) -> None:
        self.entries = entries
        self.folder = folder

    def outcome(self, name: str) -> Any:
        """How an entry fares, what it meets noted."""
        from tests.engine.coverage import operators

        met = Met()
        with observed(met):
            entry, real = self.entries[name], operators.torch.float64
            # Some take complex numbers alone.
            dtype = real if real in entry.supported_dtypes("cpu") else operators.torch.complex128
            found = operators.run(entry, dtypes=(dtype,), most=FEW, second=name not in NO_SECOND)
        note = self.folder / f"{AGREEING.index(name)}.{os.getpid()}"
        note.write_text("\n".join((name, *met.names)), "utf-8")
        note.rename(note.with_suffix(".tried"))  # as a whole, for who reads it meanwhile
        return found

    def noted(self) -> tuple[set[str], set[str]]:
        """The entries, and the operations."""
        entries, operations = set(), set()
        for note in self.folder.glob("*.tried"):
            name, *met = note.read_text("utf-8").split("\n")
            entries.add(name)
            operations.update(met)
        return entries, operations


@pytest.fixture(scope="module")
def tried(database: Callable[[str], dict[str, Any]], shared_folder: Path) -> Tried:
    """The database, and what of it has been tried."""
    folder = shared_folder / "operators"
    folder.mkdir(exist_ok=True)
    return Tried(database("operators"), folder)


@pytest.mark.parametrize("name", AGREEING)
def test_an_operator_does_what_pytorch_does(tried: Tried, name: str) -> None:
    found = tried.outcome(name)
    assert found.trouble == []
    assert found.passed


@pytest.mark.last
def test_every_differentiable_operation_is_met(tried: Tried) -> None:
    wanted = untried()
    done, met = tried.noted()
    # What no test of this run has tried yet is tried here as far as it takes, entries named like what is missing first.
    while (missing := wanted - met) and (rest := sorted(set(AGREEING) - done)):
        tried.outcome(next((name for name in rest if any(_stem(op) in name for op in missing)), rest[0]))
        done, met = tried.noted()
    assert missing == set(), "no program here has these operations: CASES of test_parity.py want a line for each"


def _stem(op: str) -> str:
    """What the title of an entry that meets an operation is likely to contain."""
    return op.strip("_").removesuffix("_backward").removesuffix("_back")
