"""Recordings of PyTorch and of our engine, at every level, against each other."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.diagnosis import compare
from engine.diagnosis.comparison.tolerance import Tolerance
from engine.sandbox import run
from tests.engine.pytorch.conftest import Taped

LAYERS = """\
import torch
from torch import nn
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(8, 32), nn.LayerNorm(32, eps=1e-5), nn.GELU(), nn.Linear(32, 1))
opt = torch.optim.AdamW(net.parameters(), lr=1e-2)
x = torch.randn(64, 8)
for step in range(4):
    opt.zero_grad()
    loss = net(x).pow(2).mean()
    loss.backward()
    opt.step()
    print(step, loss.item())
"""
EXACT = Tolerance(0.0, 0.0)


def test_our_engine_and_pytorch_do_the_same(taped: Taped) -> None:
    here, there = run(LAYERS).recording, taped(LAYERS)
    assert here is not None
    for before, after in ((here, there), (there, here)):
        found = compare(before, after)
        assert found.first is None
        assert found.only == ()
        assert found.matched > 150
        assert "was made by Gradtape's engine" in found.sides[0] or "by Gradtape's engine" in found.sides[0]
        assert "PyTorch (torch 2." in found.sides[0]
    assert compare(here, there, EXACT).first is not None, "sums in another order"


def test_they_differ_where_the_programs_do(taped: Taped) -> None:
    here, there = run(LAYERS).recording, taped(LAYERS.replace("eps=1e-5", "eps=1e-2"))
    assert here is not None
    first = compare(here, there).first
    assert first is not None
    assert (first.line, first.iteration, first.operation) == (9, "iteration 0", "layer_norm in net.1")
    assert [(each.name, each.same) for each in first.inputs][-1] == ("eps", False)
    assert all(each.same for each in first.inputs[:-1])


@pytest.mark.parametrize("level", ["facts", "statistics", "values"])
@pytest.mark.parametrize("other", ["facts", "statistics", "values"])
def test_what_both_levels_have_is_compared(level: str, other: str, tmp_path: Path) -> None:
    from engine.pytorch.running import run_script

    script = tmp_path / "train.py"
    made = []
    for each, text in ((level, LAYERS), (other, LAYERS), (other, LAYERS.replace("eps=1e-5", "eps=1e-2"))):
        script.write_text(text)
        made.append(run_script(script, (), each)[0])
    found = compare(made[0], made[1], EXACT)
    whole, told, unknown = found.compared
    assert found.first is None
    assert (unknown > 0, whole > 0) == ("facts" in (level, other), "facts" not in (level, other))
    assert (told > unknown) == ("facts" not in (level, other))  # of facts alone, what was set to zero is known to be
    assert (compare(made[0], made[2], Tolerance()).first is not None) == ("facts" not in (level, other))
