"""A parameter over the run: how it is spread, and its small charts beside those of the others."""

from __future__ import annotations

import re

import numpy as np

from components.html.multiples_html import SHOWN, multiples_html
from components.html.run_html import over_run_html, ridges_html
from components.html.spread_html import Spread, spreads_html
from engine.graph.rolled_graph import RolledGraph, rolled_graph
from tests.recorded import recorded

TRAINED = """\
import torch
from torch import nn
model = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
for step in range(9):
    loss = (model(torch.ones(4, 2)) ** 2).mean()
    if step == 4:
        loss = loss * torch.log(torch.tensor(-1.0))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""
LARGE = """\
import torch
w = torch.randn(300, 300, requires_grad=True)
for step in range(4):
    w.grad = None
    (w * w).sum().backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
"""


def key_of(view: RolledGraph, title: str) -> str:
    return next(key for key, a in view.graph.nodes(data=True) if a["title"] == title)


def test_every_parameter_has_labelled_charts_with_what_is_nan_marked() -> None:
    view = rolled_graph(recorded(TRAINED))
    html = multiples_html(view, int(view.iterations.ends[3]))
    names = re.findall(r'data-gt-select="[^"]+" title="([^"]+)"', html)
    assert names == ["model.0.weight", "model.0.bias", "model.2.weight", "model.2.bias"]
    assert html.count('class="gt-plot"') == 3 * len(names)
    assert html.count(f'data-gt-step="{int(view.iterations.starts[4])}">NaN since iteration 4</button>') == len(names)
    # Iterations 4 to 8 of nine are red, and the rule stands in the middle of the fourth.
    assert html.count("left: 44.4%; width: 55.6%") == 3 * len(names)
    assert html.count("left: 38.9%") == 3 * len(names)
    assert [key_of(view, name) for name in names] == re.findall(r'data-gt-key="([^"]+)"', html)


def test_many_parameters_are_cut_short_and_a_run_without_any_has_no_charts() -> None:
    many = f"import torch\nws = [torch.ones(2, requires_grad=True) for _ in range({SHOWN + 5})]\n"
    many += "for step in range(3):\n    sum((w * w).sum() for w in ws).backward()\n"
    html = multiples_html(rolled_graph(recorded(many)), None)
    assert html.count('class="gt-multiple"') == SHOWN
    assert "and 5 more" in html
    assert multiples_html(rolled_graph(recorded("import torch\nfor k in range(5):\n    x = torch.ones(2) * k\n")), None) == ""


def test_gradient_value_and_update_are_spread_over_the_iterations() -> None:
    tape = recorded(TRAINED)
    view = rolled_graph(tape)
    html = ridges_html(tape, view, key_of(view, "model.0.weight"))
    assert [html.count(f'class="gt-hill {tone}"') for tone in ("grad", "value", "step")] == [9, 9, 9]
    assert html.count('class="gt-ridge bad"') == 5
    assert "Distributions of gradient, value, update in 9 of 9 iterations" in html
    assert "gt-hill step" not in ridges_html(
        tape, view, next(key for key, a in view.graph.nodes(data=True) if a["op"] == "tanh")
    )


def test_an_array_that_only_left_its_statistics_is_spread_as_its_histogram_says() -> None:
    tape = recorded(LARGE)
    view = rolled_graph(tape)
    one = view.series[key_of(view, "w")]
    assert tape.array(int(one.arrays[0])) is None, "it is too large to be kept whole"
    html = spreads_html(tape, [Spread("value", "value", one.arrays)], [0, 3], view.iterations.ends, [False, False], 3)
    hills = [[int(y) for y in re.findall(r"% (\d+)%", style)][1:-3] for style in re.findall(r"polygon\(([^)]*)\)", html)]
    peaks = [int(np.argmin(hill)) for hill in hills]
    assert all(12 <= peak <= 24 for peak in peaks), "a normal distribution has its peak in the middle"
    wide = [sum(y < 90 for y in hill) for hill in hills]
    assert wide[1] < wide[0], "what decays grows narrower"


def test_a_chart_says_nan_where_the_iteration_on_show_has_one() -> None:
    view = rolled_graph(recorded(TRAINED))
    html = multiples_html(view, int(view.iterations.ends[6]))
    assert "over 9 iterations: now NaN" in html
    assert "now –" not in multiples_html(view, int(view.iterations.ends[3]))


STEPPED = """\
import torch
w = torch.tensor([1.0], requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1)
for k in range(4):
    opt.zero_grad()
    (w * 2).sum().backward()
    opt.step()
opt.step()
"""


def test_an_optimizers_step_has_its_rate_and_how_far_it_moves_and_one_behind_the_loop_has_none() -> None:
    recording = recorded(STEPPED)
    view = rolled_graph(recording)
    within, behind = (key for key in view.keys if view.graph.nodes[key]["kind"] == "step")
    shown = over_run_html(recording, view, within, len(recording.events) - 1)
    assert re.findall(r"<th[^>]*>([^<]+)</th>", shown)[:3] == ["iteration", "lr", "moved"]
    assert over_run_html(recording, view, behind, len(recording.events) - 1) == ""
    assert ridges_html(recording, view, within) == ridges_html(recording, view, behind) == ""
