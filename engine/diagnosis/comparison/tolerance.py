"""How far apart the numbers of two runs may be and still count as the same."""

from __future__ import annotations

import msgspec

from ...precision import tolerances
from ...recording.recording import Recording

RERUN_RTOL = 1e-6
"""Relative to the largest element; below it two arrays of one engine's runs are the same: sums in another order differ in
their last digits."""


class Tolerance(msgspec.Struct, frozen=True):
    """What is allowed: |a - b| at most atol + rtol · |a|, of each element."""

    rtol: float | None = None
    """None for what PyTorch's `assert_close` allows numbers of the dtype, of the less precise one where there are two."""
    atol: float | None = None
    strict: bool = False
    """Whether the runs are those of one engine, so that dtypes, names and printed texts count, too, and numbers are measured by
    the largest one beside them, however small all of them are."""

    def of(self, *dtypes: str) -> tuple[float, float]:
        """The relative and the absolute tolerance for numbers of these dtypes."""
        rtol, atol = tolerances(*dtypes)
        return rtol if self.rtol is None else self.rtol, atol if self.atol is None else self.atol


RERUN = Tolerance(RERUN_RTOL, 0.0, strict=True)
"""For two runs of one engine, where whatever differs does so because the program was changed."""


def usual(before: Recording, after: Recording) -> Tolerance:
    """What is allowed where nobody says it."""
    return RERUN if before.engine == after.engine else Tolerance()
