"""From a program to its picture on the screen, against the tools that draw PyTorch graphs, on programs that run on both.

Every peer runs in a process of its own and is given up after 40 seconds; where it has failed, larger graphs are not tried. Its
clock runs from the program's start, imports aside, until the finished file is painted by the browser that paints Gradtape's
page: torchviz, torchview and torchlens with Graphviz dot to SVG, plain pyvis to HTML, which is laid out in the browser. Not all
draw as many nodes: torchview puts a module into one, and how many an SVG has stands behind its time.
Gradtape's runs from Ctrl+Enter in the open page until the picture is painted; the program runs in the sandbox meanwhile, and is
recorded. A large picture is painted before what its cards show; the time until that is there too stands in parentheses.
"""

from __future__ import annotations

import importlib.util
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from benchmarks.serving import served
from benchmarks.sizes import smallest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

SIZES = (10, 100, 1_000, 10_000)
PATIENCE = 40
"""Seconds after which a peer is given up."""

_MLP = """
import torch
from torch import nn
torch.manual_seed(0)
class Net(nn.Module):
    def __init__(self, depth):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(4, 4) for _ in range(depth)])
    def forward(self, x):
        for layer in self.layers:
            x = torch.tanh(layer(x))
        return x
model, x = Net({k}), torch.randn(2, 4)
loss = model(x).pow(2).mean()
loss.backward()
"""
_TRANSFORMER = """
import torch
from torch import nn
torch.manual_seed(0)
class Block(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.q, self.k, self.v, self.out = (nn.Linear(d, d) for _ in range(4))
        self.up, self.down = nn.Linear(d, 2 * d), nn.Linear(2 * d, d)
    def attend(self, x):
        scores = self.q(x) @ self.k(x).transpose(-1, -2) / 2
        return self.out(scores.softmax(-1) @ self.v(x))
    def forward(self, x):
        x = x + self.attend(self.norm1(x))
        return x + self.down(torch.relu(self.up(self.norm2(x))))
class Model(nn.Module):
    def __init__(self, depth, d=4):
        super().__init__()
        self.blocks = nn.ModuleList([Block(d) for _ in range(depth)])
    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return x
model, x = Model({k}), torch.randn(3, 4)
loss = model(x).pow(2).mean()
loss.backward()
"""
_RNN = """
import torch
from torch import nn
torch.manual_seed(0)
class Unrolled(nn.Module):
    def __init__(self):
        super().__init__()
        self.w, self.u = nn.Parameter(torch.randn(3, 3)), nn.Parameter(torch.randn(3, 3))
        self.b = nn.Parameter(torch.zeros(3))
    def forward(self, x):
        h, loss = torch.zeros(1, 3), 0
        for t in range({k}):
            h = torch.tanh(h @ self.w + x @ self.u + self.b)
            loss = loss + h.sum()
        return loss
model, x = Unrolled(), torch.randn(1, 3)
loss = model(x)
loss.backward()
"""
PROGRAMS = {"MLP": (_MLP, 5.0), "transformer": (_TRANSFORMER, 38.0), "RNN": (_RNN, 7.0)}
"""Program, and how many nodes Gradtape draws for each layer, block or step."""

PEERS = {
    "torchviz + dot": ("torchviz", "torchviz.make_dot(loss, dict(model.named_parameters())).render('picture', format='svg')"),
    "torchview + dot": (
        "torchview",
        "torchview.draw_graph(model, input_data=x, device='cpu').visual_graph.render('picture', format='svg')",
    ),
    "torchlens + dot": (
        "torchlens.visualization",
        "from torchlens.options import VisualizationOptions\n"
        "torchlens.visualization.show_model_graph(model, x, visualization=VisualizationOptions(\n"
        "    file_format='svg', container_path='picture', save_only=True))",
    ),
    "plain pyvis": (
        "pyvis.network",
        "net = pyvis.network.Network(directed=True, cdn_resources='in_line'); seen = {loss.grad_fn: 0}; todo = [loss.grad_fn]\n"
        "net.add_node(0)\n"
        "while todo:\n"
        "    node = todo.pop()\n"
        "    for following, _ in node.next_functions:\n"
        "        if following is None: continue\n"
        "        if following not in seen:\n"
        "            seen[following] = len(seen); todo.append(following)\n"
        "            net.add_node(seen[following], label=following.name())\n"
        "        net.add_edge(seen[node], seen[following])\n"
        "open('picture.html', 'w', encoding='utf-8').write(net.generate_html())",
    ),
}
"""What to import, and how the picture is made."""

_HARNESS = """
import os, sys, time, warnings
warnings.simplefilter("ignore")
import torch
import {module}
program, draw = sys.stdin.read().split("\\0")
began = time.perf_counter()
exec(program)
exec(draw)
print("seconds", time.perf_counter() - began)
"""
_PAINTED = {
    ".svg": "() => document.documentElement.getBBox",
    ".html": "() => window.network?.renderer.allowRedraw && window.network.physics.ready",
}
"""What holds in the browser when a file of this kind is painted. pyvis paints nothing before its layout is there."""


def pictures(small: bool = False) -> None:
    """Seconds for every program and size; how a peer fails where it does."""
    sizes, runs = (SIZES[:1], 1) if small else (SIZES, 5)
    programs = {"MLP": PROGRAMS["MLP"]} if small else PROGRAMS
    from playwright.sync_api import sync_playwright

    from tests.browser.install import find

    names = ["Gradtape", *PEERS]
    print("|program, nodes|" + "|".join(names) + "|")
    print("|---|" + "---|" * len(names))
    with sync_playwright() as playwright, TemporaryDirectory() as scratch:
        chromium = playwright.chromium.launch(executable_path=find(), args=["--no-sandbox", "--disable-gpu"])
        for title, (text, each) in programs.items():
            ended: set[str] = set()
            for size in sizes:
                program = text.replace("{k}", str(max(1, round(size / each))))
                cells = [_own(chromium, program, runs)]
                for k, (name, (module, draw)) in enumerate(PEERS.items()):
                    folder = Path(scratch, f"{title} {size} {k}")  # its own: who is given up may still be writing
                    folder.mkdir()
                    cell = "—" if name in ended else _peer(chromium, module, draw, program, folder)
                    if not cell[0].isdigit():
                        ended.add(name)
                    cells.append(cell)
                print(f"|{title}, {size:,}|" + "|".join(cells) + "|", flush=True)


def _own(chromium: Browser, program: str, runs: int) -> str:
    """The median of some runs, each with a leaf of another name at its end, so that its picture can be told from the last."""
    from benchmarks.browser import opened_page, run_in_page

    with served() as page:
        tab = opened_page(chromium, page)
        times = []
        for i in range(runs):
            tab.wait_for_timeout(1500)  # until all that comes after the last picture has come
            times.append(run_in_page(tab, f"{program}end{i} = loss * 1\n", f"end{i}"))
        tab.context.close()
    painted, told = (statistics.median(each) for each in zip(*times, strict=True))
    return f"{painted:.2f}" + (f" ({told:.2f})" if told > 1.1 * painted else "")


def _peer(chromium: Browser, module: str, draw: str, program: str, folder: Path) -> str:
    if any(importlib.util.find_spec(name) is None for name in ("torch", module.partition(".")[0])):
        return "not installed"
    if shutil.which("dot") is None and module != "pyvis.network":
        return "no dot"
    command = [sys.executable, "-c", _HARNESS.replace("{module}", module)]
    try:
        done = subprocess.run(command, input=f"{program}\0{draw}", capture_output=True, text=True, timeout=PATIENCE, cwd=folder)
    except subprocess.TimeoutExpired:
        return f"not in {PATIENCE} s"
    if done.returncode:
        return (done.stderr.strip().splitlines() or ["ended without a word"])[-1][:60].replace("|", "/")
    (file,) = (each for each in folder.iterdir() if each.suffix in _PAINTED)
    tab = chromium.new_page(bypass_csp=True)  # to wait for what a page evaluates
    painted = _painted(tab, file)
    tab.close()
    made = float(done.stdout.split("seconds")[-1])
    if painted is None:
        return f"made in {made:.1f}, not painted in {PATIENCE} s"
    nodes = file.read_text(encoding="utf-8").count('class="node"') if file.suffix == ".svg" else 0
    return f"{made + painted:.2f}" + (f" ({nodes:,} nodes)" if nodes else "")


def _painted(tab: Page, file: Path) -> float | None:
    """Seconds that a browser takes to paint a file; None where it does not."""
    from playwright.sync_api import Error

    began = time.perf_counter()
    with suppress(Error):
        tab.goto(file.as_uri(), timeout=PATIENCE * 1000)
        tab.wait_for_function(_PAINTED[file.suffix], timeout=PATIENCE * 1000, polling=5)
        tab.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        return time.perf_counter() - began
    return None


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table."""
    pictures(smallest(__doc__, arguments))


if __name__ == "__main__":
    main()
