"""What runs came to: their losses over the iterations, and where those ended."""

from __future__ import annotations

import pytest

from engine.diagnosis.comparison.courses import courses
from engine.recording.events import Printed
from tests.recorded import recorded

TRAINED = """import torch
torch.manual_seed(0)
w = torch.randn(3, requires_grad=True)
for i in range({steps}):
    {name} = ((w - 1) ** 2).sum()
    {name}.backward()
    with torch.no_grad():
        w -= {rate} * w.grad
        w.grad = None
    if i == 0 or i == {steps} - 1:
        print({name}.item())
"""


def trained(steps: int = 8, rate: float = 0.1, name: str = "loss") -> str:
    return TRAINED.format(steps=steps, rate=rate, name=name)


def test_the_loss_of_both_runs_over_their_iterations() -> None:
    slow, fast = recorded(trained()), recorded(trained(rate=0.3))
    (course,) = courses((slow, fast))
    assert (course.name, course.unit) == ("loss", "iteration")
    for run, values in zip((slow, fast), course.values):
        first, last = (float(event.text) for event in run.events if isinstance(event, Printed))
        assert len(values) == 8
        assert values[0] == pytest.approx(first, rel=1e-5)
        assert values[-1] == pytest.approx(last, rel=1e-5)
    assert course.told == f"final loss {course.ends[0]:.4g} → {course.ends[1]:.4g}"


def test_runs_of_other_lengths_say_so() -> None:
    (course,) = courses((recorded(trained(steps=5)), recorded(trained(steps=9)), recorded(trained(steps=9))))
    assert course.told.endswith(", after 5 → 9 → 9 iterations")
    assert len(course.told.split(" → ")) == 5


def test_a_loss_that_is_not_finite_at_the_end_is_told() -> None:
    (course,) = courses((recorded(trained()), recorded(trained(steps=60, rate=1e8))))
    assert course.told.startswith("final loss ")
    assert "→ nan, after 8 → 60 iterations" in course.told or "→ inf, after 8 → 60 iterations" in course.told
    assert course.values[1][-1] is None


def test_a_loss_of_another_name_is_the_same_loss() -> None:
    (course,) = courses((recorded(trained()), recorded(trained(name="error"))))
    assert course.name == "loss and error"
    assert course.values[0] == course.values[1]


def test_two_losses_are_told_apart() -> None:
    both = trained().replace("    with", "    error = (w ** 4).sum()\n    error.backward()\n    with")
    assert [course.name for course in courses((recorded(both), recorded(both.replace("0.1", "0.2"))))] == ["loss", "error"]


def test_a_single_pass_has_an_end_and_no_course() -> None:
    one = "import torch\nx = torch.ones(2, requires_grad=True)\ny = (x * 2).sum()\ny.backward()\n"
    (course,) = courses((recorded(one), recorded(one.replace("2).", "3)."))))
    assert course.told == "y 4 → 6"


def test_runs_without_a_loss_have_no_course() -> None:
    nothing = recorded("import torch\nx = torch.ones(2)\n")
    assert courses((nothing, nothing)) == []
    assert courses((nothing, recorded(trained()))) == []
