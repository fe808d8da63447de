"""Which step each part of an output was printed at."""

from __future__ import annotations

import re

from components.page.console import LINES, MOST, cell_html, console_html, output_html
from components.page.output_steps import UNKNOWN, output_steps
from engine.program import Program
from engine.recording.events import CellEnded, Drew, Printed
from engine.sandbox import RunResult, run

PART = re.compile(r'<span[^>]*?(?: data-gt-from="(\d+)")?>([^<]*)</span>')


def parts(html: str) -> list[tuple[int, str]]:
    return [(int(step), text) for step, text in PART.findall(html) if step]


def printed(result: RunResult) -> list[tuple[int, str]]:
    assert result.recording is not None
    return [(step, event.text) for step, event in enumerate(result.recording.events) if isinstance(event, Printed)]


def test_each_part_of_a_line_has_the_step_that_printed_it() -> None:
    result = run("import torch\nprint('a')\nx = torch.ones(1)\nprint('<b>', end=' ', flush=True)\nx = x + 1\nprint('c\\nd')\n")
    expected = [(step, line) for step, text in printed(result) for line in text.split("\n") if line]
    shown = [(step, text.replace("&lt;", "<").replace("&gt;", ">")) for step, text in parts(console_html(result))]
    assert shown == expected
    assert len({step for step, _ in shown}) >= 2


def test_both_ends_of_a_long_output_have_their_steps() -> None:
    result = run("import torch\nx = torch.ones(1)\nfor i in range(3000):\n    print(i)\n")
    assert result.recording is not None
    at = {text.strip(): step for step, text in printed(result)}
    shown = parts(output_html(result.output, MOST, LINES, output_steps(result.recording)))
    assert {text for _, text in shown} >= {"0", "1", "2998", "2999"}
    assert all(at[text] == step for step, text in shown)


def test_a_figure_and_the_value_of_a_cell_have_theirs() -> None:
    text = "import torch\nimport matplotlib.pyplot as plt\nprint('x')\nplt.plot([1, 2])\nplt.show()\n"
    cells = Program((text, "print('y')\ntorch.ones(2)"), notebook=True)
    result = run(cells)
    assert result.recording is not None
    events = result.recording.events
    (drew,) = [step for step, event in enumerate(events) if isinstance(event, Drew)]
    (ended,) = [step for step, event in enumerate(events) if isinstance(event, CellEnded) and event.cell == 1]
    assert f'<div data-gt-from="{drew}"><figure></div>' in cell_html(result, 0, [(2, "<figure>")])
    assert f'<pre data-gt-from="{ended}">' in cell_html(result, 1)
    steps = {text.strip(): step for step, text in printed(result)}
    assert parts(cell_html(result, 1)) == [(steps["y"], "y")]
    assert f'<div data-gt-from="{drew}"><figure></div>' in console_html(result, [(2, "<figure>")])


def test_what_nobody_knows_the_step_of_has_none() -> None:
    assert output_steps(None) is UNKNOWN
    assert "data-gt-from" not in console_html(RunResult("ok", "text\n", None, [], None, 0.1))
