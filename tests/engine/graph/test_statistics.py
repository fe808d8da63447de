"""Statistics of all arrays at once say what each array's own summary says."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from engine.graph.shown.statistics import moved, statistics
from engine.recording import Recording
from engine.recording.store import store, summarize

RANDOM = np.random.default_rng(0)
ARRAYS = {
    "a number": np.array(3.5, np.float32),
    "another of its size": np.array([-2.0], np.float32),
    "a matrix": RANDOM.normal(size=(5, 7)).astype(np.float32),
    "a matrix of its size": RANDOM.normal(size=(7, 5)).astype(np.float32),
    "one with NaN": np.array([1.0, math.nan, 3.0, 2.0], np.float32),
    "one with infinities": np.array([1.0, math.inf, -math.inf, 2.0], np.float32),
    "one that is NaN throughout": np.full(4, math.nan, np.float32),
    "a sound one of their size": np.array([1.0, 2.0, 3.0, 5.0], np.float32),
    "huge": np.array([1e300, -3e300]),
    "halves": np.array([60000.0, 60000.0], np.float16),
    "complex": np.array([3 + 4j, 1j], np.complex64),
    "truth": np.array([True, False, True]),
    "whole numbers": np.arange(6),
}  # fmt: skip


def recording(*arrays: NDArray[np.generic], cap: int = 1000) -> Recording:
    return Recording(arrays=[store(array, cap) for array in arrays])


@pytest.mark.parametrize("cap", [1000, 0], ids=["whole", "summaries"])
@pytest.mark.parametrize("name", ARRAYS)
def test_each_array_has_its_own_numbers(name: str, cap: int) -> None:
    found = statistics(recording(*ARRAYS.values(), cap=cap))
    at, array = list(ARRAYS).index(name), ARRAYS[name]
    with np.errstate(over="ignore"):
        expected = summarize(array)
    assert (found.nan[at], found.inf[at], found.size[at]) == (expected.nan, expected.inf, array.size)
    numbers = [found.mean[at], found.std[at], found.norm[at], found.low[at], found.high[at]]
    wanted = [expected.mean, expected.std, expected.norm, expected.min, expected.max]
    np.testing.assert_allclose(numbers, wanted, rtol=1e-5, atol=1e-6)


def test_an_empty_array_and_no_array_have_none() -> None:
    found = statistics(recording(np.zeros((0, 3), np.float32)))
    assert found.size.tolist() == [0, -1]
    assert np.isnan(found.mean).all()


def test_how_far_a_parameter_moved() -> None:
    a, b, c, d = (np.array(values, np.float32) for values in ([0, 0], [3, 4], [3, 4], [1, 2, 3]))
    tape = recording(a, b, c, d, np.array([math.nan, 1.0], np.float32))
    pairs = np.array([[0, 1], [1, 2], [1, 1], [2, 3], [-1, 0], [0, 4]])
    np.testing.assert_allclose(moved(tape, pairs[:, 0], pairs[:, 1]), [5, 0, 0, math.nan, math.nan, math.nan])
