"""A cell below `%%gradtape` does what it does without, and is recorded."""

from __future__ import annotations

import re
import sys
import threading
import warnings
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from engine.graph.shown.captions import caption_text, captions
from engine.recording import Recording, replay
from engine.recording.events import Named, OpRan, Raised, Warned
from tests.engine.notebook.conftest import Notebook
from tests.recorded import printed

MODEL = """import torch
torch.manual_seed(0)

model = torch.nn.Linear(3, 1)

def loss_of(x):
    for _ in range(2):
        x = x * 2
    return model(x).sum()
"""
TRAINING = """%%gradtape
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for k in range(3):
    loss = loss_of(torch.ones(2, 3))
    loss.backward()
    optimizer.step()
    print("loss", k)
late = loss * 3
loss.shape
"""


def names(recording: Recording) -> set[str]:
    """The names that a recording tells of."""
    return {event.name for event in recording.events if isinstance(event, Named)}


@pytest.mark.usefixtures("torch")
def test_a_cell_is_recorded_with_its_lines_loops_and_names(notebook: Notebook) -> None:
    notebook.run(MODEL).raise_error()
    recording = notebook.recorded(TRAINING)
    assert recording.engine.startswith("torch ")
    assert recording.names == ("In[2]", "In[1]")
    assert recording.source[0].startswith("# %%gradtape\noptimizer = ")
    assert "def loss_of" in recording.source[1]
    ran = [event for event in recording.events if isinstance(event, OpRan) and event.op == "addmm"]
    assert [recording.site_text(recording.site(event)) for event in ran] == ["In[1], line 9"] * 3
    scopes = [recording.scopes[event.scope] for event in ran]
    assert [scope.loops for scope in scopes] == [((3, 0),), ((3, 1),), ((3, 2),)]
    doubled = [event for event in recording.events if isinstance(event, OpRan) and event.op == "mul" and event.site >= 0]
    assert recording.scopes[doubled[1].scope].loops == ((3, 0), (7, 1))
    assert {"loss", "model.weight", "late"} <= names(recording)
    assert not {"In", "Out", "_"} & names(recording)
    assert printed(recording).startswith("loss 0\nloss 1\nloss 2\n")
    assert [caption_text(each) for each in captions(recording)]


@pytest.mark.usefixtures("torch")
def test_names_output_and_history_are_as_without_the_magic(notebook: Notebook) -> None:
    notebook.run(MODEL).raise_error()
    with_it = notebook.run(TRAINING)
    assert with_it.captured.stdout.startswith("loss 0\nloss 1\nloss 2\n")
    assert with_it.captured.stderr == ""
    assert list(with_it.result) == []
    assert notebook.names["late"].item() == pytest.approx(3 * notebook.names["loss"].item())
    assert notebook.names["k"] == 2
    assert notebook.names["Out"][2] == with_it.result
    assert notebook.names["In"][2].startswith("# %%gradtape\n")
    weight = notebook.names["model"].weight.detach().clone()
    notebook.run(MODEL).raise_error()
    plain = notebook.run(TRAINING.removeprefix("%%gradtape\n"))
    assert plain.captured.stdout.splitlines()[:3] == with_it.captured.stdout.splitlines()[:3]
    assert bool((notebook.names["model"].weight == weight).all())
    assert len(notebook.shown) == 1  # of a cell without the magic there is nothing


@pytest.mark.usefixtures("torch")
@pytest.mark.parametrize(
    "body",
    [
        "import torch\nx = torch.ones(2, requires_grad=True)\nx @ torch.ones(3)",
        "import torch\nimport torch.nn.functional as F\ndef lost():\n"
        "    return F.cross_entropy(torch.ones(2, 3), torch.ones(4))\nlost()",
        "import torch\ntorch.ones(2, requires_grad=True).backward()",
        "import torch\ntry:\n    torch.ones(2) @ torch.ones(3)\n"
        "except RuntimeError as error:\n    raise KeyError('x') from error",
        "1 / 0",
        "x = (",
        "raise SystemExit(3)",
        "return 3",
    ],
)
def test_an_error_is_as_without_the_magic(notebook: Notebook, body: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # IPython's about exit()
        # A line above it, so that lines have the same numbers.
        plain, with_it = notebook.run(f"# plain\n{body}"), notebook.run(f"%%gradtape\n{body}")
    assert type(with_it.error_in_exec) is type(plain.error_in_exec)
    assert type(with_it.error_before_exec) is type(plain.error_before_exec)
    assert with_it.success is False

    def told(result: Any) -> str:
        text = re.sub(r"In ?\[\d+\]", "In[]", result.captured.stdout + result.captured.stderr)
        text = re.sub(r"<ipython-input-[^>]*>", "", text)
        return text.replace("# %%gradtape", "# plain")

    assert told(with_it) == told(plain)
    assert notebook.said == []


@pytest.mark.usefixtures("torch")
def test_the_error_and_warnings_are_in_the_recording(notebook: Notebook) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        notebook.run(
            "%%gradtape\nimport torch, warnings\nx = torch.ones(2)\nwarnings.warn('odd')\ny = x * 2\ny @ torch.ones(3)"
        )
    recording, _, more = notebook.shown[0]
    assert more["ended"]
    assert [(event.category, event.message) for event in recording.events if isinstance(event, Warned)] == [
        ("UserWarning", "odd")
    ]
    raised = recording.events[-1]
    assert isinstance(raised, Raised)
    assert (raised.type, recording.line(raised)) == ("RuntimeError", 6)


@pytest.mark.usefixtures("torch")
def test_nothing_is_left_behind(notebook: Notebook) -> None:
    before = sys.gettrace(), sys.getprofile(), warnings.showwarning
    notebook.run("%%gradtape\nimport torch\ny = torch.ones(2, requires_grad=True) * 2\n1 / 0")
    assert "showtraceback" not in vars(notebook.shell)
    assert (sys.gettrace(), sys.getprofile(), warnings.showwarning) == before
    from torch.utils._python_dispatch import _get_current_dispatch_mode

    assert _get_current_dispatch_mode() is None


@pytest.mark.usefixtures("torch")
def test_options_say_what_is_kept_and_where(notebook: Notebook, tmp_path: Path) -> None:
    cell = "import torch\nx = torch.arange(100.0, requires_grad=True)\ny = (x * 2).sum()\ny.backward()"
    for options, kept in (("", 1), ("--level values", 100), ("--no-values", 0), ("--level facts", 0)):
        recording = notebook.recorded(f"%%gradtape {options}\n{cell}")
        index = replay(recording, len(recording.events) - 1).names["x"]
        assert index >= 0
        whole = [each for each in recording.arrays if each.data is not None]
        assert max((int(each.to_numpy().size) for each in whole), default=0) == kept  # type: ignore[union-attr]
    recording = notebook.recorded(f'%%gradtape --height 900 -o "{tmp_path / "my run.gradtape"}"\n{cell}')
    _, wanted, more = notebook.shown[-1]
    assert wanted.height == 900
    assert more["written"]
    assert len(Recording.load(tmp_path / "my run.gradtape").events) == len(recording.events)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("--levle values", "unrecognized arguments: --levle values"),
        ("--level all", "invalid choice: 'all'"),
        ("--level values --no-values", "not allowed with argument"),
        ("--height 20", "a player is 200 to 4,000 pixels high"),
        ("--height tall", "invalid _height value"),
        ('-o "x', "No closing quotation"),
    ],
)
def test_a_line_that_cannot_be_read_is_a_usage_error(notebook: Notebook, options: str, said: str) -> None:
    result = notebook.run(f"%%gradtape {options}\nran = 1")
    assert type(result.error_in_exec).__name__ == "UsageError"
    assert said.replace("_height", "") in str(result.error_in_exec).replace("_height", "")
    assert "ran" not in notebook.names


def test_only_a_magic_at_the_top_is_one(notebook: Notebook) -> None:
    assert notebook.run("text = '''\n%%gradtape\n'''").success
    assert notebook.names["text"] == "\n%%gradtape\n"
    assert notebook.run("\n\n%%gradtape\nvalue = 3").success
    assert notebook.names["value"] == 3
    assert len(notebook.shown) == 1


@pytest.mark.usefixtures("torch")
def test_another_magic_may_stand_above_it(notebook: Notebook) -> None:
    notebook.run("%%capture kept\n%%gradtape\nimport torch\nx = torch.ones(2) * 2\nprint('here')").raise_error()
    assert notebook.names["kept"].stdout == "here\n"
    assert printed(notebook.shown[0][0]) == "here\n"
    assert "x" in notebook.names


@pytest.mark.usefixtures("torch")
def test_a_cell_that_runs_another_is_recorded_to_its_end(notebook: Notebook) -> None:
    inner = "get_ipython().run_cell('inner = torch.ones(3) * 2')"
    recording = notebook.recorded(f"%%gradtape\nimport torch\n{inner}\nouter = inner * 2")
    assert [event.op for event in recording.events if isinstance(event, OpRan)] == ["ones", "mul", "mul"]
    assert len(notebook.shown) == 1


@pytest.mark.usefixtures("torch")
def test_a_cell_may_wait(notebook: Notebook) -> None:
    recording = notebook.recorded(
        "%%gradtape\nimport asyncio, torch\nx = torch.ones(2, requires_grad=True)\n"
        "for k in range(3):\n    await asyncio.sleep(0)\n    x.sum().backward()\nx.grad"
    )
    assert [event.op for event in recording.events if isinstance(event, OpRan)] == ["ones", "sum", "sum", "sum"]
    assert notebook.names["x"].grad.tolist() == [3.0, 3.0]


@pytest.mark.usefixtures("torch")
def test_what_other_threads_print_is_theirs(notebook: Notebook) -> None:
    recording = notebook.recorded(
        "%%gradtape\nimport threading, torch\nx = torch.ones(2) * 2\n"
        "thread = threading.Thread(target=print, args=('other',))\nthread.start(); thread.join()\nprint('own')"
    )
    assert printed(recording) == "own\n"
    assert threading.active_count() >= 1


def test_a_cell_about_the_engine_is_recorded_on_it(notebook: Notebook) -> None:
    recording = notebook.recorded(
        "%%gradtape\nimport engine as torch\nw = torch.ones(2, requires_grad=True)\n"
        "for k in range(3):\n    loss = (w * k).sum()\n    loss.backward()\nprint(w.grad)\nw.grad"
    )
    assert recording.engine == "numpy"
    assert notebook.shown[-1][2]["on_engine"]
    ran = [event for event in recording.events if isinstance(event, OpRan) and event.op == "mul"]
    assert [recording.scopes[event.scope].loops for event in ran] == [((4, 0),), ((4, 1),), ((4, 2),)]
    assert recording.line(ran[0]) == 5
    assert {"w", "loss"} <= names(recording)
    assert printed(recording).startswith("tensor([3., 3.])\n")
    state = replay(recording, len(recording.events) - 1)
    gradient = recording.array(state.tensor(state.names["w"]).grad)
    assert gradient is not None
    assert gradient.tolist() == [3.0, 3.0]


def test_on_the_engine_no_values_are_left_out(notebook: Notebook) -> None:
    recording = notebook.recorded(
        "%%gradtape --no-values\nimport engine as torch\n"
        "w = torch.full((2,), 7.5, requires_grad=True)\n(w * 3).sum().backward()"
    )
    assert all(each.data is None for each in recording.arrays)
    assert len(recording.arrays) > 2
    reopened = Recording.load(recording.to_bytes())
    assert all(each.data is None for each in reopened.arrays)


@pytest.mark.usefixtures("torch")
def test_a_recorder_that_fails_ends_no_cell(notebook: Notebook, monkeypatch: pytest.MonkeyPatch, torch: ModuleType) -> None:
    from engine.notebook.on_torch import TorchCell

    def fails(*_: Any) -> None:
        raise RuntimeError("no")

    monkeypatch.setattr(TorchCell, "begin", fails)
    notebook.run("%%gradtape\nimport torch\nx = torch.ones(2)").raise_error()
    assert notebook.said == ["The cell was not recorded: RuntimeError: no"]
    monkeypatch.undo()
    assert isinstance(notebook.names["x"], torch.Tensor)


def test_unloaded_it_is_gone(notebook: Notebook) -> None:
    from engine import notebook as room

    room.unload(notebook.shell)
    before = len(notebook.shell.input_transformers_cleanup)
    result = notebook.run("%%gradtape\nx = 1")
    assert type(result.error_in_exec).__name__ == "UsageError"
    room.load(notebook.shell)
    room.load(notebook.shell)
    assert len(notebook.shell.input_transformers_cleanup) == before + 1
