"""The extension in a process of somebody's, where much is not installed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import gradtape
from tests.conftest import needed

ROOT = Path(__file__).resolve().parents[3]
ABSENT = """
import os, sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in os.environ["ABSENT"].split():
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Absent())
"""
"""What Python imports first: some packages cannot be found."""
SHELL = """
import json, os, sys
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from traitlets.config import Config

config = Config()
config.HistoryManager.enabled = False
shell = InteractiveShell.instance(config=config)
OURS = ("components", "engine", "streamlit", "torch", "networkx", "pyvis", "scipy", "gradtape.components")
shell.run_cell("%load_ext gradtape").raise_error()
loaded = [name for name in OURS if name in sys.modules]
with capture_output() as captured:
    result = shell.run_cell(sys.stdin.read())
shell.run_cell("%unload_ext gradtape").raise_error()
json.dump({
    "loaded": loaded,
    "after": [name for name in OURS if name in sys.modules],
    "error": repr(result.error_in_exec or result.error_before_exec),
    "stdout": captured.stdout,
    "html": "".join(each.data["text/html"] for each in captured.outputs),
    "names": {name: str(value) for name, value in shell.user_ns.items() if name in ("w", "total", "torch")},
}, sys.stdout)
"""


def ran(folder: Path, cell: str, *absent: str) -> dict[str, Any]:
    """What comes of a cell where some packages are absent."""
    needed("IPython")
    (folder / "sitecustomize.py").write_text(ABSENT)
    done = subprocess.run(
        [sys.executable, "-c", SHELL],
        input=cell, capture_output=True, text=True, cwd=folder, timeout=300,
        env={
            **os.environ, "PYTHONPATH": os.pathsep.join((str(folder), str(ROOT))), "ABSENT": " ".join(absent),
            "IPYTHONDIR": str(folder / "ipython"),
        },
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    told: dict[str, Any] = json.loads(done.stdout)
    return told


@pytest.mark.usefixtures("torch")
def test_beside_pytorch_it_needs_numpy_and_msgspec_and_says_what_the_player_needs(tmp_path: Path) -> None:
    told = ran(
        tmp_path,
        "%%gradtape -o run.gradtape\nimport torch\n"
        "w = torch.ones(2, requires_grad=True)\n(w * w).sum().backward()\nprint(w.grad)",
        "streamlit", "pyvis", "scipy", "pandas", "reportlab", "resvg_py", "ml_dtypes",
    )  # fmt: skip
    assert told["error"] == "None"
    assert told["loaded"] == []
    assert set(told["after"]) <= {"torch", "networkx"}  # the one imports the other
    assert told["stdout"] == "tensor([2., 2.])\n"
    assert told["html"].startswith('<div class="gradtape"><p>Nothing looks wrong')
    assert "The recording is in run.gradtape" in told["html"]
    assert "<p>The player needs pyvis, which is not installed here: pip install pyvis" in told["html"]
    assert (tmp_path / "run.gradtape").stat().st_size > 1_000


@pytest.mark.thorough
def test_without_pytorch_the_cell_runs_on_the_engine(tmp_path: Path) -> None:
    told = ran(
        tmp_path,
        """%%gradtape
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

w = torch.ones(2, requires_grad=True)
total = 0
for x, in DataLoader(TensorDataset(torch.arange(6.0).reshape(3, 2))):
    loss = F.relu(w * x).sum()
    loss.backward()
    total += loss.item()
print(nn.Linear(2, 1).weight.shape)
""",
        "torch",
    )
    assert told["error"] == "None"
    assert told["stdout"] == "torch.Size([1, 2])\n"
    assert told["loaded"] == told["after"] == []
    assert told["names"]["total"] == "15.0"
    assert told["names"]["w"] == "tensor([1., 1.], requires_grad=True)"
    assert "gradtape" in told["names"]["torch"]
    assert "The cell ran on Gradtape&#x27;s engine." in told["html"]
    assert '<iframe sandbox="allow-scripts"' in told["html"]


def test_ipython_finds_what_it_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    called: list[tuple[str, object]] = []

    def room(name: str) -> SimpleNamespace:
        assert name == "gradtape.engine.notebook"
        return SimpleNamespace(load=lambda shell: called.append(("load", shell)), unload=lambda s: called.append(("unload", s)))

    monkeypatch.setattr(gradtape, "import_module", room)
    gradtape.load_ipython_extension("shell")
    gradtape.unload_ipython_extension("shell")
    assert called == [("load", "shell"), ("unload", "shell")]
