"""A handful of pictures, each as a list of what is drawn: by the painter of files, and by the page's own in Node.js.

`python -m tests.engine.export.scenes` writes down what the painter of files draws, as `golden/NAME.json`.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import msgspec

from components.menus.gallery import examples
from components.player import feed
from components.player.picture import Wish, drawing
from engine.export import Options
from engine.export.graph_scene import GraphScene
from engine.export.picture import view_with
from engine.export.scene import Box, Curve, Group, Pie, Polygon, Shape, Text
from engine.graph.design.sizes import WEIGHTS
from engine.graph.structure.folding import Mode
from engine.recording import Recording
from engine.recording.events import NodeRan
from engine.sandbox import run
from tests.bundles import ROOT, node
from tests.components.messages import nothing

GOLDEN = Path(__file__).parent / "golden"
PAINTER = ROOT / "components/player/frontend/test/scene.mjs"
ALIGN = {"start": "left", "middle": "center", "end": "right"}

Drawn = list[Any]
"""What is drawn: its kind, its numbers, its colour, its opacity, and what only its kind has."""

LOOP = """\
import torch
from torch import nn
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x = torch.randn(8, 3)
for step in range(12):
    loss = (model(x) ** 2).mean()
    if step == 9:
        loss = loss + torch.log(x.sum() * 0 - 1)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""
TRANSFORMER = """\
import torch
from torch import nn
torch.manual_seed(0)
layer = nn.TransformerEncoderLayer(4, 1, 8, batch_first=True, dropout=0.0)
layer(torch.randn(1, 2, 4)).sum().backward()
"""
CUT = """\
import torch
w = torch.tensor([1.0, 2.0], requires_grad=True)
h = (w * 3).detach()
y = (h * w + w * w).sum()
y.backward()
"""
HOSTILE = """\
import torch
class Names(torch.nn.Module):
    def __init__(self):
        super().__init__()
        for name in NAMES:
            self.register_parameter(name, torch.nn.Parameter(torch.ones(2)))
NAMES = ["<img src=x>", "gewichte_der_ersten_schicht_und_noch_viel_mehr", "\\u202etfel", "名前", "a\\nb\\x00c", "θ² → ∂"]
names = Names()
sum((p * k).sum() for k, p in enumerate(names.parameters())).backward()
"""


class Scene(NamedTuple):
    """A picture to compare; `running` counts the nodes that have run at its step, 0 for the last step."""

    text: str
    options: Options
    running: int = 0


SCENES: dict[str, Scene] = {
    "backward_step": Scene("repeated_backward", Options(), 3),
    "waiting": Scene("tiny_mlp", Options(view="autograd", theme="dark"), 3),
    "training": Scene(LOOP, Options(rolled=True), 68),
    "transformer": Scene(TRANSFORMER, Options(view="grouped", rolled=False)),
    "cut": Scene(CUT, Options(direction="TB"), 1),
    "hostile": Scene(HOSTILE, Options(theme="dark")),
}


@cache
def recorded(text: str) -> Recording:
    """The run of a program or of an example."""
    recording = run(examples()[text].text if text in examples() else text).recording
    assert recording is not None
    return recording


def options_of(name: str) -> tuple[Recording, Options]:
    """A scene's recording, and its options with the step."""
    text, options, running = SCENES[name]
    recording = recorded(text)
    steps = [step for step, event in enumerate(recording.events) if isinstance(event, NodeRan)]
    step = steps[running - 1] if running else len(recording.events) - 1
    return recording, replace(options, step=step)


# --- the two painters ---------------------------------------------------------------------------------------------------------


def of_files(name: str) -> list[Drawn]:
    """What the painter of files draws."""
    recording, options = options_of(name)
    scene = GraphScene(view_with(recording, options), options.step or 0, options.theme)
    shapes = (shape for item in scene.shapes() for shape in (item.shapes if isinstance(item, Group) else (item,)))
    return [drawn for shape in shapes for drawn in _drawn(shape)]


def of_the_page(names: Iterable[str]) -> list[list[Drawn]]:
    """What the page's painter draws of the same."""
    wanted = []
    for name in names:
        recording, options = options_of(name)
        wanted.append({"message": _message(recording, options), "step": options.step, "dark": options.theme == "dark"})
    with TemporaryDirectory() as folder:
        file = Path(folder) / "wanted.json"
        file.write_bytes(msgspec.json.encode(wanted))
        done = subprocess.run([node(), PAINTER, file], capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr)
    painted: list[list[Drawn]] = json.loads(done.stdout)
    return painted


def _message(recording: Recording, o: Options) -> dict[str, Any]:
    view = "autograd" if o.view == "autograd" else "tensors"
    fold: Mode = "auto" if o.view == "grouped" else "none"
    wish = Wish(view, o.direction, "run", fold, o.opened, bool(o.rolled), o.turned)
    rolled = view_with(recording, o).rolled
    window = rolled.window(o.step or 0) if rolled else None
    return feed.message(feed.parts_of(drawing(recording, wish), nothing, window))


def _drawn(shape: Shape) -> Iterator[Drawn]:
    """A shape of a file as what a canvas draws for it."""
    match shape:
        case Box():
            at = [shape.left, shape.top, shape.width, shape.height, shape.radius]
            if shape.fill:
                yield _entry("box", at, shape.fill, shape.opacity)
            if shape.stroke:
                yield _entry("border", at, shape.stroke, shape.opacity, shape.line, *shape.dash)
        case Pie():
            yield _entry("pie", [shape.x, shape.y, shape.radius, shape.share], shape.fill, shape.opacity)
        case Curve():
            points = [shape.pieces[0][0], *(point for piece in shape.pieces for point in piece[1:])]
            at = [x for point in points for x in point]
            yield _entry("curve", at, shape.stroke, shape.opacity, shape.line, *shape.dash)
        case Polygon():
            points = [x for point in shape.points for x in point]
            if shape.fill:
                yield _entry("area", points, shape.fill, shape.opacity)
            if shape.stroke:
                yield _entry("line", points, shape.stroke, shape.opacity, shape.line)
        case Text():
            numbers = [shape.x, shape.y, shape.size, shape.width]
            yield _entry("text", numbers, shape.fill, shape.opacity, WEIGHTS[shape.bold], ALIGN[shape.anchor], shape.text)


def _entry(kind: str, numbers: Iterable[float], colour: str, opacity: float, *rest: Any) -> Drawn:
    told = [_round(x) if isinstance(x, float) else x for x in rest]
    return [kind, [_round(x) for x in numbers], colour, _round(opacity), *told]


def _round(value: float) -> float:
    short = round(value, 2)
    return int(short) if short == int(short) else short


# --- goldens ------------------------------------------------------------------------------------------------------------------


def golden(name: str) -> list[Drawn]:
    """What was written down of a scene."""
    drawn: list[Drawn] = json.loads((GOLDEN / f"{name}.json").read_text(encoding="utf-8"))
    return drawn


def main() -> int:
    """Write all of them down."""
    GOLDEN.mkdir(exist_ok=True)
    for name in SCENES:
        lines = ",\n".join(json.dumps(drawn, ensure_ascii=False) for drawn in of_files(name))
        (GOLDEN / f"{name}.json").write_text(f"[\n{lines}\n]\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
