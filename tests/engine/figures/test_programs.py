"""Programs that draw: they get what matplotlib gives, and what they draw is drawn, call by call."""

from __future__ import annotations

import contextlib
import io
import warnings
from pathlib import Path
from typing import Any

import pytest

from engine.export.figures import PNG, draw
from engine.export.figures.drawing import Replay
from engine.figures import decoded, methods
from engine.program import Program
from engine.sandbox import RunResult, run
from tests.corpus import Case, corpus

matplotlib: Any = pytest.importorskip("matplotlib")

CASES = list(corpus(Path(__file__).parent / "corpus" / "plots.py").cases.values())


def with_matplotlib(program: str) -> str:
    """What a program prints with the real one."""
    matplotlib.use("agg")
    import matplotlib.pyplot as plt

    plt.close("all")
    plt.rcdefaults()
    out = io.StringIO()
    with contextlib.redirect_stdout(out), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(compile(program, "<program text>", "exec"), {"__name__": "__main__"})
    plt.close("all")
    return out.getvalue()


def refused(result: RunResult) -> list[str]:
    """The calls of a run's figures that matplotlib does not take."""
    from matplotlib.figure import Figure

    found = []
    for shown in result.figures:
        replay = Replay(Figure())
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for call in decoded(shown.figure).calls:
                replay.call(call)
        found += replay.refused
    return found


@pytest.mark.thorough
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_program_gets_what_matplotlib_gives(case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = run(case.program)
    assert result.status == "ok", result.error
    assert result.output == with_matplotlib(case.program)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_every_call_is_taken_by_matplotlib(case: Case) -> None:
    result = run(case.program)
    assert result.figures or "plt.clf()" in case.program
    assert refused(result) == []


@pytest.mark.thorough
@pytest.mark.parametrize("case", CASES[::3], ids=lambda case: case.name)
def test_what_is_drawn_is_a_picture(case: Case) -> None:
    for shown in run(case.program).figures:
        picture = draw(shown.figure)
        assert picture.startswith((b"<svg ", PNG))


def test_the_methods_are_those_of_matplotlib() -> None:
    from matplotlib import axes, figure
    from mpl_toolkits.mplot3d import Axes3D

    named = {"axes": (axes.Axes, Axes3D), "figure": (figure.Figure,)}
    # Of polar axes, and of a time when there was another method for it.
    other = {"set_rlabel_position", "set_rmax", "set_theta_direction", "set_theta_zero_location", "set_url", "plot3D"}
    for kind, classes in named.items():
        unknown = [name for name in methods.KINDS[kind] if not any(hasattr(cls, name) for cls in classes)]
        assert set(unknown) <= other | {"set_tight_layout", "set_constrained_layout", "scatter3D", "contour3D"}


def test_an_image_has_the_colormap_that_was_set_for_all() -> None:
    result = run(CASES[-1].program)
    told = [(figure.name, calls_named(figure, "imshow", "matshow")) for figure in (decoded(s.figure) for s in result.figures)]
    assert told == [("digit.png", ["gray"]), ("", ["gray", "magma"]), ("", ["viridis", "bone"])]


def calls_named(figure: Any, *names: str) -> list[Any]:
    """The colormaps that calls of these names are given."""
    return [call.kwargs.get("cmap") for call in figure.calls if call.method in names]


def test_figures_stand_between_what_is_printed() -> None:
    result = run(
        "import matplotlib.pyplot as plt\nprint('before')\nplt.plot([1, 2])\nplt.title('first')\nplt.show()\nprint('between')\n"
        "plt.figure()\nplt.ylabel('second')\nplt.savefig('out/loss.png')\nplt.show()\nprint('after')\nplt.plot([3])\nplt.xlabel('third')\n"
    )
    told = [(shown.after, decoded(shown.figure)) for shown in result.figures]
    assert result.output == "before\nbetween\nafter\n"
    assert [(after, figure.title, figure.name) for after, figure in told] == [
        (7, "first", ""), (15, "second", "loss.png"), (21, "third", ""),
    ]  # fmt: skip


def test_in_a_notebook_a_figure_stands_in_its_cell() -> None:
    cells = ["import matplotlib.pyplot as plt", "plt.plot([1])\nplt.title('one')", "print(1)", "plt.plot([2]);"]
    result = run(Program.from_cells(tuple(cells), "notebook"))
    assert [shown.cell for shown in result.figures] == [1, 3]


def test_a_figure_is_a_fact_of_the_recording(tmp_path: Path) -> None:
    from engine.graph.shown.captions import caption_at, caption_text
    from engine.recording import Recording
    from engine.recording.events import Drew

    made = run(
        "import torch\nimport matplotlib.pyplot as plt\nplt.plot(torch.ones(2))\nplt.title('Loss')\nplt.show()\n"
    ).recording
    assert made is not None
    made.save(tmp_path / "run.gradtape")
    recording = Recording.load(tmp_path / "run.gradtape")
    (step,) = [step for step, event in enumerate(recording.events) if isinstance(event, Drew)]
    assert caption_text(caption_at(recording, step)) == "line 5 · shows figure 1: Loss"


def test_seaborn_draws_by_way_of_matplotlib() -> None:
    result = run(
        "import numpy as np\nimport seaborn as sns\nimport matplotlib.pyplot as plt\nsns.set_theme(style='whitegrid')\n"
        "ax = sns.heatmap(np.arange(6).reshape(2, 3), annot=True, fmt='d', cmap='Blues', xticklabels=['a', 'b', 'c'])\n"
        "ax.set_title('Confusion')\nplt.figure()\nsns.histplot(np.arange(20.0), bins=5)\n"
        "sns.lineplot(x=[1, 1, 2], y=[1, 3, 5], label='mean')\nsns.scatterplot(x=[1, 2], y=[2, 3], hue=['u', 'v'])\n"
        "sns.barplot(x=['a', 'b'], y=[1, 2])\nsns.kdeplot(np.arange(9.0), fill=True)\nsns.despine()\nplt.show()\n"
        "print(len(sns.color_palette()), len(sns.color_palette('husl', 3)), sns.color_palette('deep', 2).as_hex())\n"
    )
    assert result.status == "ok", result.error
    assert result.output == "10 3 ['#4c72b0', '#dd8452']\n"
    assert refused(result) == []
    assert "Confusion" in decoded(result.figures[0].figure).title


def test_seaborns_irises_are_here_as_a_table_and_are_drawn_in_pairs() -> None:
    result = run(
        "import seaborn as sns, torch\nimport matplotlib.pyplot as plt\niris = sns.load_dataset('iris')\n"
        "data = torch.tensor(iris[iris.columns[0:4]].values).float()\nlabels = torch.zeros(len(data), dtype=torch.long)\n"
        "labels[iris.species == 'versicolor'] = 1\nprint(iris.shape, *iris.columns, labels.sum())\nprint(data.mean(0))\n"
        "grid = sns.pairplot(iris, hue='species')\nprint(grid.axes.shape)\nplt.show()\nsns.load_dataset('tips')\n"
    )
    assert result.error is not None
    assert (result.error.type, result.error.line) == ("OSError", 12)
    assert result.output.splitlines() == [
        "(150, 5) sepal_length sepal_width petal_length petal_width species tensor(50)",
        "tensor([5.8433, 3.0573, 3.7580, 1.1993])",
        "(4, 4)",
    ]
    assert refused(result) == []


def test_what_is_not_drawn_is_said_once() -> None:
    result = run("import matplotlib.pyplot as plt\nfor k in range(3):\n    plt.gca().set_sketch_params(1)\n")
    assert result.output == "Note: Axes.set_sketch_params() is taken and not drawn here.\n"


def test_an_animation_is_gone_through_once() -> None:
    result = run(
        "import matplotlib.pyplot as plt\nfrom matplotlib.animation import FuncAnimation\nfig, ax = plt.subplots()\n"
        "line, = ax.plot([0], [0])\ndef step(k):\n    line.set_data([0, k], [0, k])\n    return line,\n"
        "FuncAnimation(fig, step, frames=4).save('moving.gif')\nprint(line.get_color())\n"
    )
    assert result.status == "ok"
    assert [call.args[0] for call in decoded(result.figures[0].figure).calls[-4:]] == [[0, 0], [0, 1], [0, 2], [0, 3]]


def test_scalars_of_a_summary_writer_are_drawn_as_curves() -> None:
    result = run(
        "import torch\nfrom torch.utils.tensorboard import SummaryWriter\nwith SummaryWriter('runs/one') as writer:\n"
        "    w = torch.tensor(1.0, requires_grad=True)\n"
        "    for step in range(5):\n        writer.add_scalar('Loss/train', w / (step + 1), step)\n"
        "        writer.add_scalars('accuracy', {'train': 0.1 * step, 'test': 0.05 * step}, step)\n"
        "    writer.add_histogram('w', torch.ones(3), 0)\n    writer.add_graph(None)\n    writer.add_text('note', 'done')\n"
        "    writer.add_image('picture', torch.rand(3, 8, 8))\n    writer.flush()\nprint(writer.log_dir)\n"
    )
    assert result.status == "ok", result.error
    assert result.output == (
        "Note: SummaryWriter.add_histogram() is taken and not drawn here.\n"
        "Note: SummaryWriter.add_graph() is taken and not drawn here.\nnote: done\nruns/one\n"
    )
    assert [decoded(shown.figure).title for shown in result.figures] == ["picture", "Loss/train · accuracy"]
    assert refused(result) == []


def test_ipython_shows_values_and_figures() -> None:
    result = run(
        "from IPython.display import HTML, clear_output, display\nimport matplotlib.pyplot as plt\nfig = plt.figure()\n"
        "plt.plot([1])\ndisplay(fig)\nclear_output(wait=True)\ndisplay(3, 'x', HTML('<b>bold</b>'))\n"
    )
    assert result.output == "3\n'x'\n<b>bold</b>\n"
    assert [shown.after for shown in result.figures] == [0]


def test_a_summary_writer_goes_on_in_the_next_cell() -> None:
    first = "from torch.utils.tensorboard import SummaryWriter\nwriter = SummaryWriter()\nwriter.add_scalar('loss', 1.0)"
    result = run(Program.from_cells((first, "print(1)", "writer.add_scalar('loss', 2.0)"), "notebook"))
    assert [shown.cell for shown in result.figures] == [0, 2]
