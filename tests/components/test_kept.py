"""What is kept with a session is found by its parts as long as it lives."""

from __future__ import annotations

import gc
from types import SimpleNamespace

from components.server.kept import Kept


def session() -> SimpleNamespace:
    return SimpleNamespace(state=SimpleNamespace(), queue=SimpleNamespace())


def test_it_is_made_once_and_found_by_each_part() -> None:
    kept: Kept[list[int]] = Kept("ours")
    one, other = session(), session()
    found = kept.of(one, list, one.state, one.queue)
    assert kept.of(one, list, one.state, one.queue) is found
    assert kept.by(one.state) is kept.by(one.queue) is found
    assert kept.by(other.state) is None
    assert kept.of(other, list, other.state) is not found
    assert kept.by(other.queue) is None


def test_it_goes_with_the_session() -> None:
    kept: Kept[list[int]] = Kept("ours")
    one = session()
    state = one.state
    kept.of(one, list, state)
    del one
    gc.collect()
    assert kept.by(state) is None
