"""Arrays in columns are the arrays, and their statistics are those of each."""

from __future__ import annotations

import math

import numpy as np
import pytest

from engine.recording import Recording, RecordingError, StoredArray, store
from engine.recording.arrays import arrays_from
from engine.recording.store import DTYPES, summarize

VALUES = np.random.default_rng(0).normal(size=(3, 5))
ARRAYS = [
    store(np.float32(2.5)),
    store(VALUES.astype(np.float32)),
    store(VALUES),
    store(np.array([np.nan, np.inf, -np.inf, 1.0, -3.0])),
    store(np.array([np.nan, np.inf])),
    store(np.array([1e200, -1e200])),
    store(np.array([3 + 4j, 0])),
    store(np.arange(6).reshape(2, 3)),
    store(np.array([True, False, True])),
    store(np.zeros((0, 4), np.float32)),
    store(VALUES, cap=4),
    store(np.full(70_000, 3.0, np.float32)),
    store(VALUES.astype(np.float32) * 2),
]


def test_arrays_come_back() -> None:
    kept = arrays_from(ARRAYS)
    kept.check()
    assert list(kept) == ARRAYS
    assert kept == ARRAYS
    assert [kept[k] for k in range(-len(kept), len(kept))] == ARRAYS * 2
    assert kept[2:5] == ARRAYS[2:5]
    assert kept[::-2] == ARRAYS[::-2]
    with pytest.raises(IndexError):
        kept[len(kept)]


def test_those_that_hold_the_same_bytes_are_kept_once() -> None:
    same = [store(np.ones(100, np.float32)), store(np.ones((10, 10), np.float32)), store(np.ones(100, np.float32))]
    kept = arrays_from(same)
    assert len(kept.data) == 400
    assert Recording.load(Recording(arrays=same).to_bytes()).arrays == same


def test_statistics_are_those_of_each_array() -> None:
    found = arrays_from(ARRAYS).statistics
    for id, stored in enumerate(ARRAYS):
        array = stored.to_numpy()
        one = summarize(array) if array is not None else stored.summary
        assert one is not None
        for name in ("min", "max", "mean", "std", "norm"):
            expected, given = getattr(one, name), getattr(found, name)[id]
            assert (math.isnan(expected) and math.isnan(given)) or given == pytest.approx(expected), (id, name)
        assert (found.nan[id], found.inf[id], found.size[id]) == (one.nan, one.inf, math.prod(stored.shape))
        assert found.whole[id] == (stored.data is not None)


ODD = [  # bytes of other dtypes between them, starts that are no multiple of a number's width, no number wholly finite
    *ARRAYS,
    store(np.array([True])),
    store(np.array([1.0, np.nan, 2.0], np.float32)),
    store(np.full(3, -1)),
    store(np.array([np.inf], np.float16)),
    store(np.array([np.nan + 1j, complex(np.inf, 0), 1e308 + 1e308j])),
    store(np.zeros(4)),
    store(np.zeros((2, 2), np.int32)),
    store(np.zeros(100), cap=4),
]


def test_faults_are_counted_without_the_other_statistics() -> None:
    arrays = arrays_from(ODD)
    nan, inf = arrays.faults
    assert "statistics" not in arrays.__dict__
    for id, stored in enumerate(ODD):
        array = stored.to_numpy()
        one = summarize(array) if array is not None else stored.summary
        assert one is not None
        assert (nan[id], inf[id]) == (one.nan, one.inf), id


def test_what_is_asked_of_some_arrays_is_worked_out_for_them_alone() -> None:
    arrays = arrays_from(ODD)
    asked = [*reversed(range(len(ODD))), 3, 3]
    largest, zero = arrays.largest(asked).tolist(), arrays.zero(asked).tolist()
    assert "statistics" not in arrays.__dict__
    for id, most, nothing in zip(asked, largest, zero, strict=True):
        array = ODD[id].to_numpy()
        if array is None:
            summary = ODD[id].summary
            assert summary is not None
            assert most == max(abs(summary.min), abs(summary.max))
            assert nothing == (summary.norm == 0)
            continue
        sizes = np.abs(array.astype(np.float64) if array.dtype.kind == "b" else array).ravel()
        finite = sizes[np.isfinite(sizes)]
        assert most == pytest.approx(finite.max()) if len(finite) else math.isnan(most), id
        assert nothing == (not array.any()), id
    assert arrays.largest([]).tolist() == arrays.zero([]).tolist() == []


@pytest.mark.parametrize("dtype", sorted(DTYPES))
def test_every_dtype_survives_a_file(dtype: str) -> None:
    array = StoredArray(dtype, (2,), np.array([1, 0]).astype(DTYPES[dtype]).tobytes())
    assert Recording.load(Recording(arrays=[array]).to_bytes()).arrays == [array]


def test_numpys_own_names_win() -> None:
    assert [store(np.zeros(1, code)).dtype for code in ("<f4", "<f2", "<c8", "i1", "u1")] == [
        "float32", "float16", "complex64", "int8", "uint8",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "forged",
    [
        StoredArray("object", (1,), bytes(8)),
        StoredArray("float32", (2,), bytes(4)),
        StoredArray("float32", (-1,), b""),
        StoredArray("float32", (0, 2**62, 2**62), b""),
        StoredArray("float32", (1,) * 65, bytes(4)),
        StoredArray("bool", (2,), b"\1\2"),
        StoredArray("float32", (1,)),
        StoredArray("float32", (1,), bytes(4), summarize(np.ones(1))),
    ],
)
def test_arrays_that_are_none_are_refused(forged: StoredArray) -> None:
    with pytest.raises(RecordingError):
        arrays_from([store(np.ones(300)), forged]).check()


def test_statistics_alone_can_be_kept() -> None:
    from msgspec.structs import replace

    thin = StoredArray("float32", (5,), None, replace(summarize(np.ones(5)), histogram=(), picture=(), corners=()))
    assert Recording.load(Recording(arrays=[thin]).to_bytes()).arrays == [thin]
