"""Views that mix up dimensions, and those that only look as if they did."""

from __future__ import annotations

from textwrap import dedent

import pytest

from engine.diagnosis.findings import findings
from engine.sandbox import run

PROGRAM = """
    import torch
    from torch import nn

    torch.manual_seed(0)
    layer = nn.Linear({last}, {last})
    x = torch.randn({before})
    y = layer(x)
    z = {view}
    loss = (z * torch.randn(z.shape)).mean()
    loss.backward()
"""


def said(before: tuple[int, ...], view: str) -> tuple[list[str], str]:
    """The rules that speak of a view, and what the first says is the mend."""
    recording = run(dedent(PROGRAM).format(last=before[-1], before=", ".join(map(str, before)), view=view)).recording
    assert recording is not None
    found = [f for f in findings(recording) if f.grave]
    return [f.rule for f in found], found[0].fix if found else ""


@pytest.mark.parametrize(
    ("before", "view", "meant"),
    [
        ((2, 5, 12), "y.view(2, 3, 5, 4)", "y.view(2, 5, 3, 4).transpose(1, 2)"),
        ((2, 3, 5, 4), "y.reshape(2, 5, 12)", "y.transpose(1, 2).reshape(2, 5, 12)"),
        ((2, 36, 8), "y.view(2, 8, 9, 4)", "y.transpose(1, 2).reshape(2, 8, 9, 4)"),
        ((2, 8, 9, 4), "y.view(2, 36, 8)", "y.flatten(2).transpose(1, 2)"),
        ((2, 5, 7), "y.view(2, 7, 5)", "y.transpose(1, 2)"),
    ],
)  # fmt: skip
def test_the_mend_is_what_was_meant(before: tuple[int, ...], view: str, meant: str) -> None:
    rules, fix = said(before, view)
    assert rules == ["view_transposes"]
    assert meant in fix
    assert said(before, meant)[0] == []


@pytest.mark.parametrize(
    ("before", "view"),
    [
        ((2, 5, 12), "y.view(2, 5, 3, 4)"),  # heads, split off where they are
        ((2, 4, 12), "y.view(2, 4, 4, 3)"),  # as many heads as positions: another reading is as good
        ((2, 5, 12), "y.view(10, 12)"),
        ((2, 36, 8), "y.view(2, 6, 6, 8)"),
        ((2, 8, 9, 4), "y.view(2, 8, 36)"),
        ((2, 8, 9, 4), "y.flatten(1)"),
        ((4, 2, 6), "y.view(4, 2, 2, 3)"),  # both directions of a recurrent network
        ((1, 16), "y.view(4, 4)"),
    ],
)  # fmt: skip
def test_what_splits_and_joins_in_place_is_not_blamed(before: tuple[int, ...], view: str) -> None:
    assert said(before, view)[0] == []
