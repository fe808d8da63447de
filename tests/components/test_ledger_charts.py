"""Charts of a run that diverges hold finite numbers only: a browser can read nothing else, and an axis has ends."""

from __future__ import annotations

import json
import math

from components.panels.ledger.charts import _rows, drawn_curves
from engine.diagnosis.ledger import Point, ledgers
from engine.sandbox import run

ODD = (1.5, math.inf, math.nan, -math.inf, 3.0)
DIVERGES = """import torch
x = torch.tensor(2.0, requires_grad=True)
for factor in (1.0, 1e38, float("inf")):
    (x * factor * 10).backward()
"""


def test_a_loss_that_diverges_is_drawn_where_it_is_finite() -> None:
    points = [Point(series="loss", x=k, y=y, step=k) for k, y in enumerate(ODD)]
    chart = drawn_curves(points, 3, "value")
    told = json.dumps(chart.to_dict(), allow_nan=False)
    assert '"value": 1.5' in told
    assert '"value": 3.0' in told
    assert drawn_curves(points[1:4], 3, "value") is None


def test_a_gradient_that_diverges_is_drawn_where_it_is_finite() -> None:
    recording = run(DIVERGES).recording
    assert recording is not None
    (entries,) = ledgers(recording).values()
    rows, scalar = _rows(recording, entries)
    assert scalar
    assert [(row["adds"], row["total"]) for row in rows] == [(10.0, 10.0), (None, None), (None, None)]
