"""A recording that is not on show any more is let go of."""

from __future__ import annotations

import gc
import weakref
from pathlib import Path

import pytest

from tests.components.visits import visit_file

PROGRAM = """import torch
w = torch.ones(3, requires_grad=True)
for k in range(4):
    loss = (w * k).exp().sum()
    loss.backward()
print({})
"""


@pytest.mark.thorough
@pytest.mark.parametrize("view", ["tensors", "autograd"])
def test_the_run_before_is_freed_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, view: str) -> None:
    (tmp_path / "program.py").write_text(PROGRAM.format(0))
    visit = visit_file(monkeypatch, tmp_path / "program.py")
    visit.draw(view=view)
    for panel in ("Ledger", "Findings", "Tensors"):
        visit.draw(panel_tab=panel)
    before = visit.page.recording
    assert before is not None
    left = weakref.ref(before)
    index = weakref.ref(before.derived["index"])
    del before
    gc.collect()
    gc.disable()
    try:
        visit.page.edited[0] = PROGRAM.format(1)
        visit.press("run")
        assert visit.page.result is not None
        assert visit.page.result.output == "1\n"
        assert left() is None
        assert index() is None
    finally:
        gc.enable()
