"""A training loop of 200 iterations, and an MLP of 10,000 nodes: from Run to the picture with values and the inspector.

First the parts, in this process and as CPU time, which other work on the machine changes little: the run in the sandbox (as
wall time), taking its recording over, columns, index, graph, layout, what the player is sent, findings, the inspector, an
iteration change. Then the whole, in a real browser.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from benchmarks.browser import WHOLE, opened_page
from benchmarks.pictures import PROGRAMS
from benchmarks.serving import served
from benchmarks.sizes import smallest
from components.html.inspector_html import inspector_html
from components.html.run_html import over_run_html
from components.page.selection import telling
from components.player import feed
from components.player.picture import Drawing, Wish, drawing
from components.player.protocol import Holds
from engine.diagnosis import findings
from engine.diagnosis.contributions import edge_lines
from engine.graph.rolled_graph import rolled_graph, worth_rolling
from engine.recording import Recording
from engine.recording.columns import columns_of
from engine.recording.index import index_of
from engine.sandbox import Limits, run

if TYPE_CHECKING:
    from playwright.sync_api import Page

TRAINING = """import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)

class Head(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(n))
        self.out = nn.Linear(n, 1)
    def forward(self, h):
        return self.out(torch.tanh(h * self.scale))

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(8, 32)
        self.bn1 = nn.BatchNorm1d(32)
        self.fc2 = nn.Linear(32, 32)
        self.head = Head(32)
    def forward(self, x):
        x = F.relu(self.bn1(self.fc1(x)))
        return self.head(self.fc2(x))

xs = torch.randn(512, 8)
ys = xs[:, :3].sum(1) + 0.1 * torch.randn(512)
loader = DataLoader(TensorDataset(xs, ys), batch_size=32, shuffle=True)
model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
step = 0
while step < {k}:
    for bx, by in loader:
        loss = F.mse_loss(model(bx), by)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        step += 1
        if step == {k}:
            break
"""
FIRST = "rev => window.__gradtapePlayer && window.__gradtapePlayer.rev() !== rev"
INSPECTOR = ".st-key-inspector"
OTHER_TEXT = "([what, before]) => (document.querySelector(what)?.innerText ?? before) !== before"


def programs(small: bool) -> dict[str, str]:
    """Title → program."""
    text, each = PROGRAMS["MLP"]
    nodes = 100 if small else 10_000
    iterations = 6 if small else 200
    return {
        f"{iterations} iterations": TRAINING.replace("{k}", str(iterations)),
        f"MLP of {nodes:,} nodes": text.replace("{k}", str(round(nodes / each))),
    }


class _Parts:
    """Names and times of what is done one after another."""

    def __init__(self) -> None:
        self.times: dict[str, list[float]] = {}

    def timed(self, name: str, work: Callable[[], Any]) -> Any:
        began = time.process_time()
        made = work()
        self.times.setdefault(name, []).append(time.process_time() - began)
        return made

    def told(self) -> str:
        return ", ".join(f"{name} {statistics.median(each) * 1000:.0f}" for name, each in self.times.items())


def parts(title: str, program: str, rounds: int) -> None:
    """Print what each part takes."""
    run("import torch")
    seconds, taken = [], []
    for _ in range(rounds):
        began, busy = time.perf_counter(), time.process_time()
        result = run(program, Limits(seconds=60))
        seconds.append(time.perf_counter() - began)
        taken.append(time.process_time() - busy)
    assert result.recording is not None
    file, events = result.recording.to_bytes(), len(result.recording.events)
    made = _Parts()
    for _ in range(rounds):
        made.timed("", lambda: None)
        size = _once(Recording.load(file), made)
    made.times.pop("")
    print(f"{title}: {events:,} events; run {statistics.median(seconds):.2f} s; CPU ms:", end=" ")
    print(f"received {statistics.median(taken) * 1000:.0f}, {made.told()}; {size / 1e6:.2f} MB sent")


def _once(recording: Recording, made: _Parts) -> int:
    made.timed("columns", lambda: columns_of(recording))
    made.timed("index", lambda: index_of(recording))
    if made.timed("loops", lambda: worth_rolling(recording)):
        size = _rolled(recording, made)
    else:
        drawn = made.timed("graph and layout", lambda: drawing(recording, Wish(fold="auto")))
        size = made.timed("payload", lambda: _sent(drawn))
    made.timed("findings", lambda: findings(recording))
    key = made.timed("inspector", lambda: _inspected(recording))
    assert key
    return int(size)


def _rolled(recording: Recording, made: _Parts) -> int:
    lines = edge_lines(recording)
    view = made.timed("rolled", lambda: rolled_graph(recording))
    drawn = drawing(recording, Wish(rolled=True))
    made.timed("layout", lambda: drawn.placed)
    size = made.timed("payload", lambda: _sent(drawn))
    holds = Holds(tape=drawn.wish.tape, rev=drawn.rev)
    changes = []
    starts = view.iterations.starts
    for start in starts[:: max(1, len(starts) // 40)].tolist():
        began = time.process_time()
        msgspec.json.encode(feed.message(feed.parts_of(drawn, lines, view.window(start)), holds))
        changes.append(time.process_time() - began)
    made.times.setdefault("iteration change (p95)", []).append(sorted(changes)[int(0.95 * (len(changes) - 1))])
    return int(size)


def _sent(drawn: Drawing) -> int:
    """Bytes of all that a player is sent that has nothing but a sketch of a picture."""
    parts = feed.parts_of(drawn, edge_lines(drawn.recording))
    return len(msgspec.json.encode(feed.message(parts, Holds(sketch=drawn.rev))))


def _inspected(recording: Recording) -> str:
    selected, step = telling(recording), len(recording.events) - 1
    if not worth_rolling(recording):
        return inspector_html(recording, step, selected)
    view = rolled_graph(recording)
    key = view.rolled.key_of.get(selected or "")
    return inspector_html(recording, step, selected, over_run_html(recording, view, key, step) if key else "")


def whole(title: str, program: str, rounds: int) -> None:
    """Print what the whole takes in the page, and an iteration change there."""
    from playwright.sync_api import sync_playwright

    from tests.browser.install import find

    with sync_playwright() as playwright, served() as page:
        chromium = playwright.chromium.launch(executable_path=find(), args=["--no-sandbox", "--disable-gpu"])
        tab = opened_page(chromium, page)
        _runs(tab, title, program, rounds)
        if tab.locator(".player[data-rolled]").count():
            changes(tab, title, 2 if rounds == 1 else 20)
        chromium.close()


def _runs(tab: Page, title: str, program: str, rounds: int) -> None:
    times = []
    for number in range(rounds + 1):
        # Each run has other random numbers, so that what the inspector says can be told from what it said of the one before.
        text = program.replace("manual_seed(0)", f"manual_seed({number})")
        tab.evaluate("t => window.__gradtapeEditor.editor_0.setText(t)", text)
        tab.evaluate("window.__gradtapeEditor.editor_0.focus()")
        before, rev = tab.locator(INSPECTOR).inner_text(), tab.evaluate("window.__gradtapePlayer.rev()")
        moments = [time.perf_counter()]
        tab.keyboard.press("Control+Enter")
        tab.wait_for_function(FIRST, arg=rev, polling=5)
        moments.append(time.perf_counter())
        tab.locator(WHOLE).wait_for()
        moments.append(time.perf_counter())
        tab.wait_for_function(OTHER_TEXT, arg=[INSPECTOR, before], polling=5)
        moments.append(time.perf_counter())
        times.append(tuple(moment - moments[0] for moment in moments[1:]))
        tab.wait_for_timeout(1500)
    first, values, inspector = (statistics.median(each) for each in zip(*times[1:], strict=True))
    print(f"{title}, in the page: Run to the first picture {first:.2f} s", end=", ")
    print(f"with values {values:.2f} s, with the inspector {inspector:.2f} s")


CHANGED = """(root, row) => new Promise((done) => {
    const began = performance.now();
    window.__gradtapePlayer.iteration(row);
    const look = () => {
        if (root.dataset.iteration !== String(row) || root.hasAttribute('data-unknown')) setTimeout(look, 1);
        else requestAnimationFrame(() => setTimeout(() => done(performance.now() - began), 0));
    };
    look();
})"""
"""Goes to an iteration, and gives the milliseconds until the frame is painted with what its cards show."""


def changes(tab: Page, title: str, count: int) -> None:
    """Print how long it takes to go to iterations far from each other, none of which is there yet, and to the next ones."""
    player = tab.locator(".player")
    last = int(player.get_attribute("data-iteration") or 0)
    far, near = [], []
    for number in range(count):
        row = 1 + number * max(last // count, 1) % max(last - 1, 1)
        far.append(player.evaluate(CHANGED, row))
        tab.wait_for_timeout(600)  # until what is fetched ahead has come
        near.append(player.evaluate(CHANGED, row + 1 if row < last else row - 1))
        tab.wait_for_timeout(600)
    for which, times in (("to a far one", far), ("to the next one", near)):
        late = sorted(times)[int(0.95 * (len(times) - 1))]
        print(f"{title}, iteration change {which}: {statistics.median(times):.0f} ms, p95 {late:.0f} ms")


def main(arguments: Sequence[str] | None = None) -> None:
    """Print all figures."""
    small = smallest(__doc__, arguments)
    for title, program in programs(small).items():
        parts(title, program, 1 if small else 7)
    for title, program in programs(small).items():
        whole(title, program, 1 if small else 5)


if __name__ == "__main__":
    main()
