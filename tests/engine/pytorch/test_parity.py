"""Both recorders write the same events of the same programs; `parity` says what differs."""

from __future__ import annotations

import pytest

from tests.corpus import corpora
from tests.engine.pytorch.parity import CORPORA, Compared, compare, programs, spread

PARTS = 4
COUNT = 80
"""Programs that are tried here; `make parity` tries 200."""


@pytest.mark.ci
@pytest.mark.parametrize("part", range(PARTS))
def test_both_recorders_agree_on_programs_that_people_ask_about(part: int) -> None:
    total, answered, others = Compared(), 0, []
    for case in spread(programs(), COUNT)[part::PARTS]:
        found = compare(case)
        if found is None:
            others.append(f"{case}: no recording")
            continue
        answered += 1
        total.there += found.there
        total.here += found.here
        total.aligned += found.aligned
        total.equal += found.equal
        if not found.findings:
            others.append(str(case))
    assert answered >= COUNT // PARTS - 1
    assert total.aligned >= 0.93 * max(total.there, total.here)
    assert total.equal >= 0.85 * total.aligned
    assert len(others) <= 3, "\n".join(others)


def test_a_training_agrees() -> None:
    (case,) = (each for each in corpora(CORPORA / "sound") if each.name == "clipping once per accumulated batch")
    found = compare(case)
    assert found is not None
    assert found.findings
    assert found.aligned >= 0.9 * found.there
    assert found.differences
