"""The ledger and the curves of a training run."""

from __future__ import annotations

import numpy as np

from engine.diagnosis.ledger import ledgers, loss_curve, norm_curves
from engine.recording import Recording
from engine.recording.index import index_of
from tests.recorded import recorded


def named(recording: Recording, name: str) -> int:
    return next(t for t, h in index_of(recording).tensors.items() if h.first_name == name)


MIXED = """
import torch
w = torch.tensor([1.0, 2.0], requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)
(w * 3).sum().backward()
(w * 3).sum().backward()
optimizer.step()
optimizer.zero_grad()
(w * w).sum().backward()
w.grad = torch.ones(2)
w.grad.zero_()
with torch.no_grad():
    w += 1
"""


def test_every_change_of_a_gradient_is_a_row_with_its_line() -> None:
    recording = recorded(MIXED)
    entries = ledgers(recording)[named(recording, "w")]
    assert [(e.kind, e.line) for e in entries] == [
        ("backward", 5),
        ("backward", 6),
        ("optimizer", 7),
        ("cleared", 8),
        ("backward", 9),
        ("assigned", 10),
        ("cleared", 11),
        ("updated", 13),
    ]


def test_the_running_total_is_the_sum_of_what_was_added_since_it_was_cleared() -> None:
    recording = recorded(MIXED)
    total: object = 0.0
    for e in ledgers(recording)[named(recording, "w")]:
        if e.kind == "backward":
            total = total + recording.array(e.increment)  # type: ignore[operator]
            np.testing.assert_allclose(total, recording.array(e.total))
        elif e.kind in ("cleared", "assigned"):
            total = 0.0


LOOP = """
import torch
torch.manual_seed(0)
x, y = torch.randn(16, 3), torch.randn(16, 1)
model = torch.nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(5):
    loss = ((model(x) - y) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""


def test_a_training_loop_has_a_loss_curve_that_falls() -> None:
    points = loss_curve(recorded(LOOP))
    assert [(p.series, p.x, p.line) for p in points] == [("loss", k, 10) for k in range(1, 6)]
    assert points[-1].y < points[0].y


def test_a_training_loop_has_a_curve_of_norms_per_parameter() -> None:
    recording = recorded(LOOP)
    points = norm_curves(recording)
    assert {p.series for p in points} == {"model.weight", "model.bias"}
    entries = ledgers(recording)[named(recording, "model.weight")]
    first = next(e for e in entries if e.kind == "backward")
    gradient = recording.array(first.total)
    assert gradient is not None
    assert abs(next(p.y for p in points if p.series == "model.weight") - np.linalg.norm(gradient)) < 1e-6


def test_a_tensor_that_is_made_anew_in_each_iteration_has_one_curve() -> None:
    recording = recorded(
        "import torch\nw = torch.tensor(2.0, requires_grad=True)\nfor _ in range(4):\n    (w * w).backward()\n"
        "    w = (w - 0.1 * w.grad).detach().requires_grad_()\n"
    )
    assert [p.x for p in norm_curves(recording) if p.series == "w"] == [1, 2, 3, 4]


def test_a_run_without_backward_has_no_ledger() -> None:
    recording = recorded("import torch\nx = torch.ones(2)\n")
    assert (ledgers(recording), loss_curve(recording), norm_curves(recording)) == ({}, [], [])
