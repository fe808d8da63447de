"""Arrays go in whole or as a summary, and only sound ones come out."""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from msgspec.structs import replace

from engine.recording import ArrayStore, RecordingError, StoredArray, store
from engine.recording.store import DTYPES, PICTURE, Remembered, summarize


@given(st.data(), st.sampled_from(sorted(DTYPES)))
def test_a_stored_array_comes_back_bit_for_bit(data: st.DataObject, dtype: str) -> None:
    array = data.draw(arrays(DTYPES[dtype], array_shapes(min_dims=0, min_side=0, max_side=4)))
    stored = store(array)
    stored.check()
    back = stored.to_numpy()
    assert back is not None
    assert (back.dtype, back.shape) == (array.dtype, array.shape)
    assert back.tobytes() == array.tobytes()


def test_views_and_foreign_byte_orders_are_stored_in_c_order() -> None:
    array = np.arange(6, dtype=">f8").reshape(2, 3).T
    back = store(array).to_numpy()
    np.testing.assert_array_equal(back, array)
    assert back is not None
    assert back.dtype == np.dtype("<f8")


def test_what_is_read_cannot_be_written() -> None:
    back = store(np.ones(3)).to_numpy()
    assert back is not None
    with pytest.raises(ValueError, match="read-only"):
        back[0] = 2


def test_objects_are_never_stored() -> None:
    with pytest.raises(TypeError, match="dtype object"):
        store(np.array([object()]))


@pytest.mark.parametrize(
    "stored",
    [
        StoredArray("object", (1,), b"\0" * 8),
        StoredArray("float32", (2,), b"\0" * 4),
        StoredArray("float32", (1,), b"\0" * 5),
        StoredArray("float32", (-1,), b""),
        StoredArray("float32", (0, 2**62, 2**62), b""),
        StoredArray("float32", (1,) * 65, b"\0" * 4),
        StoredArray("bool", (2,), b"\1\2"),
        StoredArray("float32", (1,)),
        StoredArray("float32", (1,), b"\0" * 4, summarize(np.ones(1))),
    ],
    ids=["dtype", "short", "long", "negative", "overflow", "dimensions", "bool", "nothing", "both"],
)
def test_an_unsound_array_is_refused(stored: StoredArray) -> None:
    with pytest.raises(RecordingError):
        stored.check()


def test_above_the_cap_a_summary_is_kept() -> None:
    array = np.arange(70_000, dtype=np.float32).reshape(700, 100)
    stored = store(array)
    stored.check()
    summary = stored.summary
    assert stored.to_numpy() is None
    assert summary is not None
    assert (summary.min, summary.max) == (0, 69_999)
    assert summary.mean == pytest.approx(array.mean(dtype=np.float64))
    assert summary.std == pytest.approx(array.std(dtype=np.float64))
    assert summary.norm == pytest.approx(np.linalg.norm(array.astype(np.float64)))
    assert sum(summary.histogram) == 70_000
    assert np.shape(summary.picture) == (PICTURE, PICTURE)
    assert np.shape(summary.corners) == (6, 6)
    assert summary.corners[0][:3] == (0, 1, 2)
    assert summary.corners[-1][-1] == 69_999
    assert np.mean(summary.picture) == pytest.approx(array.mean(), rel=0.02)


def test_a_summary_counts_what_is_not_a_number() -> None:
    summary = summarize(np.array([1.0, math.nan, math.inf, -math.inf, 3.0]))
    assert (summary.nan, summary.inf, summary.min, summary.max, summary.mean) == (1, 2, 1, 3, 2)


@pytest.mark.filterwarnings("error")
@given(arrays(np.float64, array_shapes(min_dims=0, max_dims=3, max_side=40, min_side=0)))
def test_any_array_can_be_summarized(array: Any) -> None:
    stored = StoredArray("float64", array.shape, None, summarize(array))
    stored.check()
    assert stored.summary is not None
    assert sum(stored.summary.histogram) == np.isfinite(array).sum()


def test_statistics_are_those_of_the_numbers_whatever_their_order_and_size() -> None:
    generator = np.random.default_rng(0)
    for numbers in (
        generator.normal(size=(300, 251)),
        generator.normal(size=70_001).astype(np.float32),
        generator.normal(size=(300, 251)).T,
        generator.normal(size=(300, 251))[:, ::2],
        1e8 + np.arange(70_001) % 3 * 2.0**-26,  # neighbours among float64: the deviation is that of their last digit
        generator.integers(-9, 9, (70, 1_001)),
        generator.normal(size=(30, 21)) * 1e-310,
        generator.normal(size=(30, 21)) * 1e307,
        np.full((300, 251), 0.1),
    ):
        summary = summarize(numbers)
        far = float(np.abs(numbers).max())
        exact = numbers.astype(np.longdouble) / far
        assert summary.mean == pytest.approx(float(exact.mean()) * far, rel=1e-12, abs=1e-14 * far)
        assert summary.std == pytest.approx(float(exact.std()) * far, rel=1e-9)
        assert summary.norm == pytest.approx(float(np.sqrt((exact**2).sum())) * far, rel=1e-12)
        width = (summary.max - summary.min) / far
        place = np.zeros(numbers.size) if not width else (exact - exact.min()).ravel() / width * 32
        some = np.abs(place - np.round(place)) > 1e-6  # which of two bins a number between them is in is a matter of rounding
        counts = np.bincount(np.minimum(place, 31).astype(int), minlength=32)
        assert np.abs(counts - summary.histogram).sum() <= 2 * (~some).sum()
        assert np.allclose(summarize(np.array(numbers)).picture, summary.picture, rtol=1e-12, atol=1e-14 * far)
        assert np.array_equal(summarize(np.array(numbers)).corners, summary.corners)


def test_the_same_numbers_are_summarized_once_and_others_never_taken_for_them() -> None:
    arrays = ArrayStore()
    numbers = np.random.default_rng(0).normal(size=(300, 251))
    first, again, turned = arrays.keep(numbers), arrays.keep(numbers.copy()), arrays.keep(numbers.T)
    numbers[7, 7] += 1.0
    changed, flat = arrays.keep(numbers), arrays.keep(numbers.reshape(251, 300))
    kept = [stored.summary for stored in arrays.arrays]
    one = kept[first]
    assert one is not None
    assert kept[again] is one
    assert kept[changed] == summarize(numbers) != one
    picture, corners = (tuple(zip(*table, strict=True)) for table in (one.picture, one.corners))
    assert kept[turned] == replace(one, picture=picture, corners=corners)
    assert kept[flat] == summarize(numbers.reshape(251, 300))


def test_what_is_remembered_of_summaries_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules[Remembered.__module__], "REMEMBERED", 2**20)
    remembered = Remembered()
    for k in range(100):
        remembered.summary(np.full(70_000, k, np.float32))
        assert sum(known[0].nbytes for known in remembered._known.values()) <= 2**20
    assert remembered.summary(np.zeros(2**20)).max == 0
    assert len(remembered._known) < 4


def test_a_spent_budget_leaves_summaries_of_all_but_tiny_arrays() -> None:
    arrays = ArrayStore(budget=1000)
    big, late, tiny = arrays.add(np.ones(100)), arrays.add(np.ones(100)), arrays.add(np.ones(1))
    assert arrays.arrays[big].summary is None
    assert arrays.arrays[late].summary is not None
    assert arrays.arrays[tiny].summary is None
