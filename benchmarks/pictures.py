"""From a program to its picture, against the tools that draw PyTorch graphs, on programs that run on both unchanged.

Every peer runs in a process of its own and is given up after 40 seconds; where it has failed, larger graphs are not tried. Its
clock runs from the program's start to the finished picture, imports aside: torchviz, torchview and torchlens with Graphviz dot
to SVG, plain pyvis to HTML (whose layout then runs in the browser). Gradtape's runs from the call of the sandbox to the bytes
that the page paints; painting is measured in `browser`.
"""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
import time

import msgspec

from components.graph_view.payload import payload
from engine.sandbox import Limits, run

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
    "torchviz + dot": ("torchviz", "torchviz.make_dot(loss, dict(model.named_parameters())).pipe('svg')"),
    "torchview + dot": ("torchview", "torchview.draw_graph(model, input_data=x, device='cpu').visual_graph.pipe('svg')"),
    "torchlens + dot": ("torchlens.visualization", "torchlens.visualization.show_model_graph(model, x)"),
    "plain pyvis": (
        "pyvis.network",
        "net = pyvis.network.Network(directed=True); seen = {loss.grad_fn: 0}; todo = [loss.grad_fn]; net.add_node(0)\n"
        "while todo:\n"
        "    node = todo.pop()\n"
        "    for following, _ in node.next_functions:\n"
        "        if following is None: continue\n"
        "        if following not in seen:\n"
        "            seen[following] = len(seen); todo.append(following)\n"
        "            net.add_node(seen[following], label=following.name())\n"
        "        net.add_edge(seen[node], seen[following])\n"
        "net.generate_html()",
    ),
}
"""What to import, and how the picture is drawn."""

_HARNESS = """
import os, sys, tempfile, time, warnings
warnings.simplefilter("ignore")
import torch
import {module}
program, draw = sys.stdin.read().split("\\0")
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)  # where torchlens leaves its picture
    began = time.perf_counter()
    exec(program)
    exec(draw)
    print("seconds", time.perf_counter() - began)
"""


def pictures(sizes: tuple[int, ...] = SIZES) -> None:
    """Seconds for every program and size; how a peer fails where it does."""
    run("pass")
    names = ["Gradtape", *PEERS]
    print("|program, nodes|" + "|".join(names) + "|")
    print("|---|" + "---|" * len(names))
    for title, (text, each) in PROGRAMS.items():
        ended: set[str] = set()
        for size in sizes:
            program = text.replace("{k}", str(max(1, round(size / each))))
            cells = [_own(program)]
            for name, (module, draw) in PEERS.items():
                cell = "—" if name in ended else _peer(module, draw, program)
                if not cell.replace(".", "").isdigit():
                    ended.add(name)
                cells.append(cell)
            print(f"|{title}, {size:,}|" + "|".join(cells) + "|", flush=True)


def _own(program: str) -> str:
    began = time.perf_counter()
    result = run(program, Limits(seconds=PATIENCE))
    assert result.recording is not None, result.error
    data = msgspec.json.encode(payload(result.recording, fold="auto", opened=None, complete=False))
    return f"{time.perf_counter() - began:.2f} ({len(data) / 1e6:.1f} MB)"


def _peer(module: str, draw: str, program: str) -> str:
    if any(importlib.util.find_spec(name) is None for name in ("torch", module.partition(".")[0])):
        return "not installed"
    if shutil.which("dot") is None and module != "pyvis.network":
        return "no dot"
    command = [sys.executable, "-c", _HARNESS.replace("{module}", module)]
    try:
        done = subprocess.run(command, input=f"{program}\0{draw}", capture_output=True, text=True, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        return f"not in {PATIENCE} s"
    if done.returncode:
        return (done.stderr.strip().splitlines() or ["ended without a word"])[-1][:60].replace("|", "/")
    return f"{float(done.stdout.split('seconds')[-1]):.2f}"
