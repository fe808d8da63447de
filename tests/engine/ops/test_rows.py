"""Numbers that are evenly apart, to the last digit, against PyTorch."""

from __future__ import annotations

import pytest

import engine

torch = pytest.importorskip("torch")

ENDS = [(0, 1), (-1, 1), (-2, 1), (0, 6.2831853), (-5, 5), (0.1, 0.7), (3, -8)]
COUNTS = [0, 1, 2, 3, 7, 8, 10, 16, 33, 50, 100, 1000]


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int64"])
@pytest.mark.parametrize("ends", ENDS)
def test_from_one_end_to_the_other(ends: tuple[float, float], dtype: str) -> None:
    for count in COUNTS:
        found, wanted = (t.linspace(*ends, count, dtype=getattr(t, dtype)).tolist() for t in (engine, torch))
        assert found == wanted, count


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64"])
@pytest.mark.parametrize("ends", ENDS)
def test_powers(ends: tuple[float, float], dtype: str) -> None:
    for count in COUNTS:
        found, wanted = (t.logspace(*ends, count, dtype=getattr(t, dtype)).tolist() for t in (engine, torch))
        assert found == wanted, count
        found, wanted = (t.logspace(*ends, count, base=2, dtype=getattr(t, dtype)).tolist() for t in (engine, torch))
        assert found == wanted, count


@pytest.mark.skipif(torch.backends.cpu.get_cpu_capability() != "AVX2", reason="PyTorch counts with other registers here")
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    "bounds", [(1.0,), (0, 1, 0.1), (-1, 1, 0.01), (0, 6.28, 0.1), (-5, 5, 0.25), (3, -8, -0.3), (0, 100, 0.7), (-9, 9, 0.01)]
)
def test_from_a_start_on(bounds: tuple[float, ...], dtype: str) -> None:
    found, wanted = (t.arange(*bounds, dtype=getattr(t, dtype)).tolist() for t in (engine, torch))
    assert found == wanted
