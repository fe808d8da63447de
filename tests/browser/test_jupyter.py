"""`%%gradtape` in a real Jupyter, in a real browser: the frame below a cell shows the graph, also in the saved file."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook
from playwright.sync_api import Browser, Frame, Page, expect

from benchmarks.serving import ROOT, free_port
from tests.browser.conftest import FAILED, KEEPING, PATIENCE, SCREENSHOTS

pytestmark = [
    pytest.mark.browser,
    pytest.mark.ci,
    pytest.mark.skipif(find_spec("jupyterlab") is None or find_spec("ipykernel") is None, reason="Jupyter is not installed"),
]

CELLS = (
    "%load_ext gradtape",
    "import torch\ntorch.manual_seed(0)\nmodel = torch.nn.Linear(3, 1)\n\ndef loss_of(x):\n    return (model(x) ** 2).mean()",
    """%%gradtape --height 720
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for k in range(4):
    loss = loss_of(torch.ones(2, 3))
    loss.backward()
    optimizer.step()
print("the last loss", round(loss.item(), 6))
model.weight.grad.shape""",
    "loss.item() > 0, k",
    "%%gradtape\nnothing = model(torch.ones(2, 4))",
)
AROUND = "() => { try { return String(parent.document.title); } catch (error) { return error.name; } }"
TOKEN = "only-for-this-test"


@dataclass
class Jupyter:
    """A server with a notebook."""

    address: str
    notebook: Path

    def outputs(self, cell: int) -> list[Any]:
        """The outputs of a cell, as they are in the file; [] as well while that is being written."""
        try:
            found: list[Any] = nbformat.read(self.notebook, 4).cells[cell].outputs
        except nbformat.reader.NotJSONError:
            return []
        return found


@pytest.fixture
def jupyter(torch: Any, tmp_path: Path) -> Iterator[Jupyter]:
    """JupyterLab, with a notebook of which nothing has run."""
    folder = tmp_path / "work"
    folder.mkdir()
    book = new_notebook(cells=[new_code_cell(text) for text in CELLS])
    book.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    notebook = folder / "training.ipynb"
    nbformat.write(book, notebook)
    port = free_port()
    own = {name: str(tmp_path / name.lower()) for name in (
        "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "JUPYTERLAB_SETTINGS_DIR", "JUPYTERLAB_WORKSPACES_DIR",
        "IPYTHONDIR",
    )}  # fmt: skip
    with (tmp_path / "log").open("wb") as log:
        server = subprocess.Popen(
            [
                sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--ServerApp.ip=127.0.0.1",
                f"--ServerApp.port={port}", f"--IdentityProvider.token={TOKEN}", f"--ServerApp.root_dir={folder}",
                "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate", "--LabApp.news_url=None",
            ],
            env={**os.environ, **own, "PYTHONPATH": str(ROOT), "PYDEVD_DISABLE_FILE_VALIDATION": "1"}, cwd=folder,
            stdout=log, stderr=subprocess.STDOUT,
        )  # fmt: skip
        try:
            _until_it_answers(f"http://127.0.0.1:{port}/api/status?token={TOKEN}", server, tmp_path / "log")
            yield Jupyter(f"http://127.0.0.1:{port}", notebook)
        finally:
            server.terminate()
            server.wait(60)


def _until_it_answers(address: str, server: subprocess.Popen[bytes], log: Path) -> None:
    until = time.monotonic() + PATIENCE / 1000
    while time.monotonic() < until:
        assert server.poll() is None, log.read_text()
        try:
            with urllib.request.urlopen(address, timeout=5) as answer:
                json.load(answer)
                return
        except OSError:
            time.sleep(0.2)
    raise AssertionError(log.read_text())


@pytest.fixture
def tab(chromium: Browser, request: pytest.FixtureRequest) -> Iterator[Page]:
    """A tab, of which a picture is kept when the test fails."""
    context = chromium.new_context(viewport={"width": 1300, "height": 1000})
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    yield page
    if KEEPING or request.node.stash.get(FAILED, False):
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=SCREENSHOTS / f"{request.node.name}.png")
    context.close()


def player(page: Page) -> Frame:
    """The frame of the only player on a page, once it has painted the graph."""
    held = page.locator("iframe[srcdoc]").first
    held.scroll_into_view_if_needed()
    held.content_frame.locator(".player").wait_for(state="visible")
    handle = held.element_handle()
    assert handle is not None
    frame = handle.content_frame()
    assert frame is not None
    until = time.monotonic() + PATIENCE / 1000
    while not frame.evaluate("Boolean(window.__gradtapePlayer?.find('loss').length)"):
        assert time.monotonic() < until, "no graph"
        page.wait_for_timeout(100)
    return frame


def test_a_cell_shows_findings_and_the_player_and_so_does_the_saved_file(jupyter: Jupyter, tab: Page, tmp_path: Path) -> None:
    tab.goto(f"{jupyter.address}/lab/tree/training.ipynb?token={TOKEN}")
    tab.locator(".jp-Notebook .jp-CodeCell").nth(len(CELLS) - 1).wait_for(state="attached")
    tab.locator(".jp-Notebook-ExecutionIndicator[data-status=idle]").first.wait_for(state="attached")
    tab.get_by_role("menuitem", name="Run", exact=True).click()
    tab.locator("[data-command='runmenu:run-all']").click()

    cell = tab.locator(".jp-CodeCell").nth(2)
    output = cell.locator(".jp-Cell-outputArea")
    expect(output).to_contain_text("Gradients add up over iterations")
    expect(output).to_contain_text("This output holds the program's text and the values of its tensors")
    expect(output).to_contain_text("the last loss")
    expect(output).to_contain_text("torch.Size([1, 3])")
    frame = player(tab)
    # It plays: with its own script, which reaches nothing around it.
    assert frame.evaluate("window.origin") == "null"
    assert frame.evaluate(AROUND) == "SecurityError"
    assert "the last loss" in frame.locator("#output").inner_text()
    last = frame.evaluate("window.__gradtapePlayer.step")
    frame.locator(".player").press("ArrowLeft")
    assert frame.evaluate("window.__gradtapePlayer.step") < last
    assert frame.locator("#source").inner_text().startswith("# %%gradtape --height 720")

    # What comes after has the cell's names, and an error is shown as ever.
    expect(tab.locator(".jp-CodeCell").nth(3).locator(".jp-Cell-outputArea")).to_contain_text("(True, 3)")
    failed = tab.locator(".jp-CodeCell").nth(4).locator(".jp-Cell-outputArea")
    expect(failed).to_contain_text("mat1 and mat2 shapes cannot be multiplied")
    expect(failed).not_to_contain_text("watch.py")
    expect(failed.locator("iframe")).to_have_count(1)

    tab.locator(".jp-NotebookPanel-toolbar [data-command='docmanager:save']").click()
    until = time.monotonic() + PATIENCE / 1000
    while not jupyter.outputs(4):
        assert time.monotonic() < until, "never saved"
        tab.wait_for_timeout(100)
    kinds = [each.output_type for each in jupyter.outputs(2)]
    assert kinds == ["stream", "execute_result", "display_data"]
    assert [each.output_type for each in jupyter.outputs(4)] == ["error", "display_data"]
    assert jupyter.outputs(4)[0].ename == "RuntimeError"
    shown = jupyter.outputs(2)[-1].data
    assert 'sandbox="allow-scripts"' in shown["text/html"]
    assert shown["text/plain"].startswith("error: Gradients add up over iterations")
    assert jupyter.notebook.stat().st_size < 2_000_000

    # The file in the notebook's page again, and as a page of its own.
    tab.reload()
    tab.locator("iframe[srcdoc]").first.wait_for(state="attached")
    assert player(tab).evaluate("window.__gradtapePlayer.step") == last
    converted = tmp_path / "converted.html"
    subprocess.run(
        [sys.executable, "-m", "nbconvert", "--to", "html", "--output", str(converted), str(jupyter.notebook)], check=True
    )
    tab.goto(converted.as_uri())
    assert player(tab).evaluate("window.__gradtapePlayer.step") == last
