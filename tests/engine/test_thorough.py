"""How much of the suite `make test` has."""

from __future__ import annotations

import pytest

from tests.thorough import MANY, PART, mark_many


@pytest.mark.parametrize(("cases", "left"), [(MANY, MANY), (MANY + PART, MANY // PART + 1), (10 * MANY, 10 * MANY // PART)])
def test_of_a_test_with_very_many_cases_one_in_so_many_is_left(request: pytest.FixtureRequest, cases: int, left: int) -> None:
    items = [
        pytest.Function.from_parent(request.node.parent, name=f"test_of_many[{at}]", callobj=lambda: None)
        for at in range(cases)
    ]
    mark_many(items)
    assert sum(item.get_closest_marker("thorough") is None for item in items) == left
