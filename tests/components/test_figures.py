"""A run's figures in the console: images, where they were shown, with words for those who do not see them."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest

from components.page import figures
from components.page.console import with_figures
from components.page.state import Page
from engine.program import Program
from engine.sandbox import run
from tests.components.visits import visit_file

PROGRAM = (
    "import torch\nimport matplotlib.pyplot as plt\nprint('before')\nplt.plot(torch.arange(3.))\n"
    "plt.title('<b>Loss</b> \"of\" a run')\nplt.show()\nprint('after')\n"
)


def test_a_figure_is_an_image_between_what_is_printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib")
    (tmp_path / "prog.py").write_text(PROGRAM)
    visit = visit_file(monkeypatch, tmp_path / "prog.py")
    for _ in range(100):
        visit.draw()
        if any(isinstance(made, bytes) for made in visit.page.figures.values()):
            break
        time.sleep(0.1)
    shown = "".join(each.proto.body for each in visit.block("console") if each.type == "html")
    found = re.search(
        r'before.*<img src="data:image/svg\+xml;base64,[\w+/=]+" alt="([^"]*)" width="640" height="480">.*after', shown, re.S
    )
    assert found is not None
    assert found[1] == "Plot, figure 1: &lt;b&gt;Loss&lt;/b&gt; &quot;of&quot; a run"


def test_what_is_not_drawn_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    result = run(PROGRAM)
    (shown,) = result.figures
    p = Page(Program.from_text(PROGRAM))
    p.result = result
    assert figures.figure_html(p, "nonsense") == '<div class="gt-muted">A figure that cannot be read.</div>'
    p.figures = {shown.figure: "It could not be drawn: it took more than 8 seconds."}
    ((after, html),) = figures.between(p, result)
    assert after == len("before\n")
    assert (
        "[figure 1: &lt;b&gt;Loss&lt;/b&gt; &quot;of&quot; a run] It could not be drawn: it took more than 8 seconds." in html
    )
    monkeypatch.setattr(figures, "is_there", lambda: False)
    p.figures = {}
    assert "pip install" in figures.figure_html(p, shown.figure)


def test_more_than_can_be_sent_is_told() -> None:
    result = run(PROGRAM)
    p = Page(Program.from_text(PROGRAM))
    p.figures = {result.figures[0].figure: b"<svg " + bytes(figures.ROOM)}
    assert "--save-figures" in figures.between(p, result)[0][1]


def test_figures_of_a_cell_stand_in_it() -> None:
    result = run(PROGRAM)
    assert figures.between(Page(Program.from_text(PROGRAM)), result, cell=1) == []
    assert len(figures.between(Page(Program.from_text(PROGRAM)), result, cell=0)) == 1


def test_a_long_output_around_figures_is_cut_at_each_place() -> None:
    lines = "line\n" * 3000
    html = with_figures(lines + "middle\n" + lines, [(len(lines), "<figure>")], 40_000, 1_000)
    assert html.count("are not shown here") == 2
    assert html.index("line") < html.index("<figure>") < html.index("middle")
