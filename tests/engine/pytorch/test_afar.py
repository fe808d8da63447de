"""What lies on another device is worked out there and read later; here, the processor stands for such a device."""

from __future__ import annotations

import weakref
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from engine.recording.store import ArrayStore
from tests.engine.pytorch.conftest import Taped

TRAINING = """
import torch
from torch import nn
torch.manual_seed(0)
torch.use_deterministic_algorithms(True)  # memory that nobody has written is filled
net = nn.Sequential(nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.ReLU(inplace=True), nn.Flatten(), nn.Linear(144, 8))
optimizer = torch.optim.AdamW(net.parameters(), lr=0.01)
for k in range(4):
    x = torch.randn(16, 1, 8, 8)
    if k == 2:
        x[3, 0, 0, :2] = torch.nan
        x[4, 0, 0, 0] = torch.inf
    optimizer.zero_grad()
    loss = (net(x).bfloat16() ** 2).mean()
    loss.backward()
    optimizer.step()
    angles = torch.polar(torch.ones(100), torch.randn(100)).conj() * 2
    chosen = (torch.arange(1000) % 7 == 3).nonzero()[::2]
    with torch.inference_mode():
        net(torch.ones(3, 1, 8, 8)).mul_(2).mean().item()
torch.use_deterministic_algorithms(False)
"""


@pytest.fixture
def elsewhere(monkeypatch: pytest.MonkeyPatch, torch: ModuleType) -> None:
    """All tensors lie elsewhere."""
    from engine.pytorch.arrays import Keeper

    monkeypatch.setattr(Keeper, "is_elsewhere", staticmethod(lambda tensor: True))


@pytest.fixture
def store() -> ArrayStore:
    return ArrayStore()


@pytest.fixture
def keeper(store: ArrayStore, elsewhere: None) -> Any:
    from engine.pytorch.arrays import Keeper

    made = Keeper(store, 64)
    store.before_taken = made.settle
    return made


def seen(event: Any) -> Any:
    """What an event tells, without the numbers that PyTorch goes on counting."""
    kind = type(event).__name__
    if kind == "OpRan":
        return event.op, event.outputs, event.written
    return kind if kind == "BackwardBegan" else event


@pytest.mark.parametrize("level", ["facts", "statistics", "values"])
def test_a_training_elsewhere_has_the_recording_that_it_has_here(
    taped: Taped, torch: ModuleType, monkeypatch: pytest.MonkeyPatch, level: str
) -> None:
    from engine.pytorch.arrays import Keeper

    here = taped(TRAINING, level)
    monkeypatch.setattr(Keeper, "is_elsewhere", staticmethod(lambda tensor: True))
    there = taped(TRAINING, level)
    assert [seen(event) for event in there.events] == [seen(event) for event in here.events]
    assert len(there.arrays) == len(here.arrays)
    for ours, theirs in zip(there.arrays, here.arrays, strict=True):
        assert (ours.dtype, ours.shape, ours.data) == (theirs.dtype, theirs.shape, theirs.data)
        assert (ours.summary is None) == (theirs.summary is None)
        if ours.summary is not None and theirs.summary is not None:
            assert (ours.summary.nan, ours.summary.inf) == (theirs.summary.nan, theirs.summary.inf)
            for name in ("min", "max", "mean", "std", "norm"):
                near = pytest.approx(getattr(theirs.summary, name), rel=1e-3, abs=1e-6, nan_ok=True)
                assert getattr(ours.summary, name) == near, name


def test_nothing_is_asked_before_it_is_handed_over(
    keeper: Any, store: ArrayStore, torch: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    for name in ("tolist", "item", "cpu", "numpy"):
        plain = getattr(torch.Tensor, name)

        def asks(*given: Any, name: str = name, plain: Any = plain) -> Any:
            asked.append(name)
            return plain(*given)

        monkeypatch.setattr(torch.Tensor, name, asks)
    for k in range(100):
        keeper.keep(torch.full((100, 3), float(k)).normal_())
        keeper.keep(torch.tensor(float(k)))
    assert asked == []
    store.take()
    assert 0 < len(asked) <= 3


def test_it_is_kept_as_it_was_whatever_is_written_meanwhile(keeper: Any, store: ArrayStore, torch: ModuleType) -> None:
    small, large, broken = torch.zeros(3), torch.arange(1000.0), torch.full((300,), torch.nan)
    for tensor in (small, large, broken):
        keeper.keep(tensor)
        tensor.fill_(7)
        keeper.keep(tensor)
    store.before_taken()
    arrays = store.arrays
    assert [np.asarray(each.to_numpy()).tolist() for each in arrays[:2]] == [[0.0] * 3, [7.0] * 3]
    told = [each.summary for each in arrays[2:]]
    assert [(each.min, each.max, each.nan) for each in told if each is not None][:2] == [(0.0, 999.0, 0), (7.0, 7.0, 0)]
    assert [each.nan for each in told if each is not None][2:] == [300, 0]


def test_of_a_large_tensor_that_is_gone_it_is_known_how_much_of_it_was_no_number(
    keeper: Any, store: ArrayStore, torch: ModuleType
) -> None:
    from engine.pytorch.afar import COPIED

    there = torch.ones(COPIED + 1)
    there[0] = torch.nan
    gone = torch.ones(COPIED + 1)
    gone[:3] = torch.nan
    gone[3:5] = -torch.inf
    keeper.keep(there)
    keeper.keep(gone)
    del gone
    store.before_taken()
    whole, counted = (each.summary for each in store.arrays)
    assert whole is not None and counted is not None  # noqa: PT018
    assert (whole.nan, whole.inf, whole.max) == (1, 0, 1.0)
    assert (counted.nan, counted.inf) == (3, 2)
    assert np.isnan(counted.max)


def test_no_tensor_is_kept_alive(keeper: Any, torch: ModuleType) -> None:
    for size in (3, 300, 10**6):
        tensor = torch.ones(size)
        keeper.keep(tensor)
        seen = weakref.ref(tensor)
        del tensor
        assert seen() is None


def test_copies_take_no_more_than_their_room(keeper: Any, store: ArrayStore, torch: ModuleType) -> None:
    keeper.keep(torch.ones(100))
    (elsewhere,) = keeper._elsewhere.values()
    elsewhere._left = 1000
    for _ in range(3):
        keeper.keep(torch.full((200,), torch.nan))
    assert [each.copy is not None for each in elsewhere._due] == [True, True, False, False]
    store.before_taken()
    assert elsewhere._left == elsewhere.room
    assert [each.summary.nan for each in store.arrays if each.summary is not None] == [0, 200, 200, 200]


def test_a_device_that_answers_no_more_leaves_a_recording(
    keeper: Any, store: ArrayStore, torch: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any) -> Any:
        raise RuntimeError("device-side assert triggered")

    keeper.keep(torch.ones(3))
    keeper.keep(torch.ones(100))
    with monkeypatch.context() as patched:
        patched.setattr(torch, "cat", broken)
        kinds, arrays, data = store.take()
    told = [kinds[kind] for kind in np.frombuffer(arrays, "<i4")]
    assert [(each.shape, each.summary is None) for each in told] == [((3,), False), ((100,), False)]
    assert data == b""
    keeper.keep(torch.ones(2))
    store.before_taken()
    assert [each.data for each in store.arrays] == [np.ones(2, np.float32).tobytes()]


def test_what_is_told_too_late_changes_nothing(store: ArrayStore) -> None:
    late = store.promise("float32", (2,), whole=True)
    store.take()
    soon = store.promise("float32", (2,), whole=True)
    store.fulfil(late, bytes(8))
    store.fulfil(soon, bytes(8))
    assert [each.data for each in store.arrays] == [bytes(8)]


def test_a_recording_of_which_a_part_was_never_told_opens(
    taped: Taped, torch: ModuleType, elsewhere: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    from engine.pytorch.afar import Elsewhere

    plain, count = Elsewhere._tell, iter(range(10**6))

    def tell(self: Elsewhere, *given: Any) -> None:
        if next(count) == 20:
            raise RuntimeError("device-side assert triggered")
        plain(self, *given)

    monkeypatch.setattr(Elsewhere, "_tell", tell)
    recording = taped(TRAINING, "statistics")
    summaries = [each.summary for each in recording.arrays if each.summary is not None]
    assert sum(not np.isnan(each.max) for each in summaries) >= 19
    assert np.isnan(summaries[-1].max)
    assert len(recording.events) > 100
