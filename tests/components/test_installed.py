"""Installed into somebody's project: one name, and neither side takes what the other calls `engine`, `app` or `components`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import urllib.request
import zipfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy
import pytest
from websockets.sync.client import connect

from benchmarks.serving import free_port
from components.server.probe import probe
from tests.components.test_serving import a_visit

pytestmark = pytest.mark.ci

ROOT = Path(__file__).resolve().parents[2]
SOON = 120.0
THEIRS = ("app", "assets", "components", "engine", "tests")
PROGRAM = """\
import torch
x = torch.ones(2, requires_grad=True)
(3 * x).sum().backward()
print(x.grad, type(torch.optim.SGD([x], lr=1)))
"""
PRINTED = "tensor([3., 3.]) <class 'torch.optim.sgd.SGD'>\n"
SCRIPT = """\
import sys
from pathlib import Path

import app, assets, components, engine, tests

import gradtape
torch = gradtape.engine
from gradtape.engine.export import Options
from gradtape.engine.export.isolated import make_file
from gradtape.engine.recording import Recording, record
from gradtape.engine.sandbox import run

assert {module.OWNER for module in (app, assets, components, engine, tests)} == {"the neighbour"}
with record() as tape:
    x = torch.ones(2, requires_grad=True)
    (2 * x).sum().backward()
assert x.grad.tolist() == [2, 2] and tape.recording.events
ran = run(Path("prog.py").read_text())
assert make_file("svg", ran.recording, Options()).startswith(b"<svg"), "in a process of its own"
torch.nn, torch.optim.swa_utils, torch.utils.data, torch.func, torch.autograd.gradcheck
torch.save({"x": x}, "tensors")
assert torch.load("tensors")["x"].tolist() == [1, 1]
ours = tuple(str(Path(gradtape.__file__).with_name(name)) for name in ("app.py", "components", "engine"))
loaded = {name for name, module in sys.modules.items() if (getattr(module, "__file__", None) or "").startswith(ours)}
assert loaded and all(name.startswith("gradtape.engine") for name in loaded)
print(ran.output, end="")
"""


@dataclass(frozen=True)
class Project:
    """Somebody's project, and an environment into which Gradtape's wheel is installed."""

    folder: Path
    wheel: Path
    python: str
    """The environment's interpreter."""

    def start(self, *words: str, log: Path | None = None, **environment: str) -> subprocess.Popen[str]:
        """Start `python` with arguments in the project, which is on Python's path as well."""
        out = subprocess.PIPE if log is None else log.open("w")
        try:
            return subprocess.Popen(
                [self.python, *words],
                cwd=self.folder,
                env={**os.environ, "PYTHONPATH": str(self.folder), **environment},
                stdout=out,
                stderr=subprocess.PIPE if log is None else subprocess.STDOUT,
                text=True,
            )
        finally:
            if log is not None and not isinstance(out, int):
                out.close()

    def do(self, *words: str, **environment: str) -> str:
        """What `python` prints with these arguments."""
        process = self.start(*words, **environment)
        out, err = process.communicate(timeout=SOON)
        assert process.returncode == 0, err
        return out

    @property
    def command(self) -> str:
        """The file of the `gradtape` command."""
        return str(Path(self.python).with_name("gradtape.exe" if os.name == "nt" else "gradtape"))


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A wheel of this checkout, installed beside its dependencies, and a project that has names of its own."""
    folder = tmp_path_factory.mktemp("project")
    for name in THEIRS:
        path = folder / (f"{name}.py" if name in ("app", "engine") else f"{name}/__init__.py")
        path.parent.mkdir(exist_ok=True)
        path.write_text('OWNER = "the neighbour"\n')
    (folder / "prog.py").write_text(PROGRAM)
    (folder / "script.py").write_text(SCRIPT)
    place = tmp_path_factory.mktemp("installed")
    done([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(place)])
    (wheel,) = place.glob("*.whl")
    done([sys.executable, "-m", "venv", "--without-pip", str(place / "venv")])
    python = str(place / ("venv/Scripts/python.exe" if os.name == "nt" else "venv/bin/python"))
    # What Gradtape needs is taken from here: no test goes to the network.
    site = done([python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]).strip()
    Path(site, "needed.pth").write_text(str(Path(numpy.__file__).parents[1]))
    pip = [sys.executable, "-m", "pip", "--python", python, "install", "--no-index", "--no-deps", "--no-compile"]
    done([*pip, str(wheel)])
    return Project(folder, wheel, python)


def done(command: list[str]) -> str:
    """What a command prints, which is done in this checkout."""
    made = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=SOON, check=False)
    assert made.returncode == 0, made.stderr
    return made.stdout


def until(condition: Callable[[], bool], process: subprocess.Popen[str], log: Path) -> None:
    """Wait until something holds."""
    end = time.monotonic() + SOON
    while not condition():
        assert process.poll() is None, log.read_text()
        assert time.monotonic() < end, log.read_text()
        time.sleep(0.05)


def test_the_wheel_has_one_name(project: Project) -> None:
    with zipfile.ZipFile(project.wheel) as wheel:
        names = wheel.namelist()
    assert {name.partition("/")[0] for name in names if ".dist-info/" not in name} == {"gradtape"}
    for name in ("__init__", "__main__", "app", "engine/__init__", "components/commands"):
        assert f"gradtape/{name}.py" in names
    assert "gradtape/.streamlit/config.toml" in names, "the page's settings"
    assert {name.partition(".dist-info/")[2] for name in names} >= {"licenses/LICENSE", "licenses/THIRD_PARTY.md"}
    assert not [name for name in names if "/frontend/" in name or "/node_modules/" in name or "/tests/" in name]


def test_a_program_of_the_projects_has_both(project: Project) -> None:
    assert project.do("script.py") == PRINTED
    assert (
        project.do("-c", "import gradtape, engine; print(engine.OWNER, gradtape.engine.ones(1))")
        == "the neighbour tensor([1.])\n"
    )


def test_a_program_of_the_projects_goes_on_with_pyvis(project: Project) -> None:
    script = """
import gradtape, components, engine
from gradtape.engine.sandbox import run
net = gradtape.network(run(open("prog.py").read()).recording)
net.show_buttons()
net.write_html("graph.html")
print(components.OWNER, engine.OWNER, [node["gradtape"] for node in net.nodes])
"""
    assert project.do("-c", script) == "the neighbour the neighbour ['x', '× 3', 'sum']\n"
    assert "MulBackward0" in (project.folder / "graph.html").read_text()


def test_a_notebook_of_the_projects_shows_the_player(project: Project) -> None:
    script = """
import components, engine
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from traitlets.config import Config

config = Config()
config.HistoryManager.enabled = False
shell = InteractiveShell.instance(config=config)
shell.run_cell("%load_ext gradtape").raise_error()
with capture_output() as captured:
    shell.run_cell(
        "%%gradtape\\nimport gradtape.engine as torch\\ntorch.ones(2, requires_grad=True).sum().backward()"
    ).raise_error()
(shown,) = captured.outputs
framed = '<iframe sandbox="allow-scripts"' in shown.data["text/html"]
print(components.OWNER, engine.OWNER, framed, shown.data["text/plain"][:13])
"""
    said = project.do("-c", script, IPYTHONDIR=str(project.folder / "ipython"))
    assert said == "the neighbour the neighbour True Nothing looks\n"


def test_the_commands_work_in_the_project(project: Project) -> None:
    assert project.do(project.command, "run", "prog.py", "-o", "tape.gradtape") == PRINTED
    assert "Nothing looks wrong" in project.do(project.command, "explain", "tape.gradtape")
    assert project.do("-m", "gradtape", "html", "tape.gradtape", "-o", "-").startswith("<!doctype html>")


@pytest.fixture
def page(project: Project, tmp_path: Path) -> Iterator[tuple[int, subprocess.Popen[str]]]:
    """The page that the command serves in the project: its port and the process that was started."""
    port, log = free_port(), tmp_path / "log"
    served = project.start(project.command, f"--server.port={port}", "--server.address=127.0.0.1", log=log)
    try:
        until(lambda: probe(port=port)[0], served, log)
        yield port, served
    finally:
        served.terminate()
        assert served.wait(SOON) is not None


@pytest.mark.skipif(os.name != "posix", reason="elsewhere the page is a child of the command")
def test_the_page_is_served_in_the_project(project: Project, page: tuple[int, subprocess.Popen[str]]) -> None:
    port, served = page
    drawn = b""
    with connect(f"ws://127.0.0.1:{port}/_stcore/stream", subprotocols=["streamlit"], max_size=None) as visitor:  # type: ignore[list-item]
        visitor.send(a_visit())
        end = time.monotonic() + SOON
        while b"x1.grad" not in drawn or b"gradtape.player" not in drawn:
            assert time.monotonic() < end
            drawn += visitor.recv(SOON)  # type: ignore[operator]
    assert b"could not be drawn" not in drawn
    (bundle,) = (ROOT / "components/player/build").glob("player-*.js")
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/bidi-components/gradtape.player/{bundle.name}") as answer:
        assert answer.read() == bundle.read_bytes()
    line = Path(f"/proc/{served.pid}/cmdline")
    assert not line.exists() or "components.commands" in line.read_text(), "it is the process that was started"


def test_a_run_goes_to_a_worker_in_the_project(project: Project, tmp_path: Path) -> None:
    file, running = tmp_path / "scheduler.json", []

    def start(program: str, *arguments: str) -> Path:
        log = tmp_path / f"{program}.log"
        words = ["-m", f"distributed.cli.dask_{program}", *arguments, "--host", "127.0.0.1", "--no-dashboard"]
        running.append(project.start(*words, log=log))
        return log

    def address() -> str:
        with suppress(OSError, ValueError):
            return str(json.loads(file.read_text())["address"])
        return ""

    try:
        log = start("scheduler", "--port", "0", "--scheduler-file", str(file))
        until(lambda: bool(address()), running[0], log)
        log = start("worker", address(), "--no-nanny", "--nthreads", "2", "--local-directory", str(tmp_path))
        until(lambda: "Registered to" in log.read_text(), running[1], log)
        there = {"GRADTAPE_SCHEDULER": address()}
        assert project.do(project.command, "run", "prog.py", "-o", "tape.gradtape", **there) == PRINTED
        replay = project.do(project.command, "html", "prog.py", "-o", "-", **there)
        assert replay.startswith("<!doctype html>"), "a process of the page's kind knows the worker's function by another name"
    finally:
        for process in reversed(running):
            process.kill()
            process.wait()
