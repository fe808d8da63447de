"""Pictures of sweeps can be read by browsers whatever the numbers are, and names in the panel are texts."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path

import numpy as np
import pytest

from components.panels.sweep.charts import picture
from engine.experiments.sweep.messages import Leaf, Spot
from engine.program import Program
from engine.sweep import Axis, Sweep
from tests.components.visits import visit_file
from tests.engine.recordings import Tape

ODD = (1.0, -1.0, 0.0, 5e-324, 1e308, -1e308, math.nan, math.inf, -math.inf, 3.0)


def swept(*sizes: int) -> Sweep:
    """A sweep whose numbers are those that a program, or who has taken over its process, can make up."""
    axes = tuple(Axis(f"x{k}", Leaf(0, 0, ()), tuple(10.0 * n for n in range(size)), 0.0) for k, size in enumerate(sizes))
    made = Sweep(Program.from_text("x"), axes, 1)
    made.loss[...] = np.resize(ODD, made.loss.shape)
    made.gradients[...] = np.resize(ODD[::-1], made.gradients.shape)
    made._known[:] = True
    made.path = [Spot(number, (odd,) * len(sizes), odd) for number, odd in enumerate(ODD)]
    return made


@pytest.mark.parametrize("sizes", [(10,), (4, 5), (1, 1)])
def test_a_sweep_that_diverges_is_drawn_with_what_is_finite(sizes: tuple[int, ...]) -> None:
    made = swept(*sizes)
    json.dumps(picture(made, "loss", made).to_dict(), allow_nan=False)


def test_gradients_too_small_to_be_divided_are_no_arrows() -> None:
    made = swept(3, 3)
    made.loss[...], made.gradients[...] = 1.0, 5e-324
    made.gradients[1, 1] = 1.0
    json.dumps(picture(made, "loss").to_dict(), allow_nan=False)


def test_the_name_of_a_leaf_is_no_link(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tape = Tape(source="x = 1\ny = 2\n")
    leaf = tape.leaf([1.0], line=1, name="[x](https://example.com)")
    tape.backward(tape.op("mul", [leaf, leaf], leaf.array * leaf.array, lambda g: (g, g), line=2), line=2)
    tape.recording().save(tmp_path / "run.gradtape")
    visit = visit_file(monkeypatch, tmp_path / "run.gradtape").draw(panel_tab="Sweep")
    labels = [each.label for each in visit.app.number_input if str(each.key).startswith("sweep_low")]
    assert labels[0] == r"\[x\]\(https\:\/\/example\.com\) from".replace(r"\/", "/")
    assert not re.search(r"(?<!\\)[\[\]()]", "".join(labels))
