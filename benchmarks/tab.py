"""What one tab holds after many runs: memory of its script, elements and listeners, after garbage collection.

The programs are of three kinds, in turn, each with numbers of its own, so that no run has been there before: one whose graph is
small, one that trains and is rolled, and one that fails. Between runs the tape is played back, and the panels take turns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchmarks.browser import opened_page
from benchmarks.serving import memory, served
from benchmarks.sizes import options

if TYPE_CHECKING:
    from playwright.sync_api import CDPSession, Page

RUNS, WARM, LOOKS = 500, 20, 5
"""How many, after how many it is looked at first, and how often from then on."""
SMALL = "import torch\nx = torch.tensor([{k}.0, 2.0], requires_grad=True)\ny = (x * x).sum()\ny.backward()\nprint(x.grad)\n"
TRAINING = """import torch
from torch import nn
torch.manual_seed({k})
model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
opt = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(16, 4), torch.randn(16, 1)
for step in range(6):
    opt.zero_grad()
    loss = ((model(x) - y) ** 2).mean()
    loss.backward()
    opt.step()
"""
FAILING = "import torch\nw = torch.ones(3, requires_grad=True)\nz = w * {k}\nz.backward()\n"
KINDS = (SMALL, TRAINING, FAILING)
PANELS = ("Inspector", "Findings", "Ledger", "Tensors")


@dataclass(frozen=True)
class Held:
    """What a tab holds."""

    megabytes: float
    nodes: int
    listeners: int

    def __str__(self) -> str:
        return f"{self.megabytes:.1f} MB of script, {self.nodes:,} nodes, {self.listeners:,} listeners"


def main(arguments: Sequence[str] | None = None) -> None:
    """Print all figures."""
    parser = options(__doc__)
    parser.add_argument("--runs", type=int, default=RUNS, help="in the tab, one after the other (%(default)s)")
    args = parser.parse_args(arguments)
    if args.runs < 2 * WARM:
        parser.error(f"--runs is at least {2 * WARM}")
    from playwright.sync_api import sync_playwright

    from tests.browser.install import find

    runs, warm, looks = (6, 3, 1) if args.smallest else (args.runs, WARM, LOOKS)
    with sync_playwright() as playwright, served() as page:
        chromium = playwright.chromium.launch(executable_path=find(), args=["--no-sandbox", "--disable-gpu"])
        tab = opened_page(chromium, page)
        session = tab.context.new_cdp_session(tab)
        session.send("Performance.enable")
        first = last = None
        for number in range(1, runs + 1):
            _run(tab, number)
            if number >= warm and (number - warm) % ((runs - warm) // looks) == 0:
                last = _held(session)
                first = first or last
                print(f"after {number} runs in one tab: {last}; page's process {memory(page.pid):.0f} MB", flush=True)
        assert first is not None
        assert last is not None
        more = 1000 * (last.megabytes - first.megabytes) / (runs - warm)
        print(f"from {warm} to {runs} runs: {first.megabytes:.1f} -> {last.megabytes:.1f} MB of script, {more:.1f} KB a run")
        chromium.close()


def _run(tab: Page, number: int) -> None:
    """Run another program, and look at it."""
    before = tab.evaluate("window.__gradtapePlayer.run()")
    text = KINDS[number % len(KINDS)].format(k=number)
    tab.evaluate("text => window.__gradtapeEditor.editor_0.setText(text)", text)
    tab.evaluate("window.__gradtapeEditor.editor_0.focus()")
    tab.keyboard.press("Control+Enter")
    tab.wait_for_function("before => ![before, '', undefined].includes(window.__gradtapePlayer?.run())", arg=before, polling=20)
    _settled(tab)
    tab.locator(".st-key-panel_tab").get_by_role("radio", name=PANELS[number // len(KINDS) % len(PANELS)]).click()
    _settled(tab)
    tab.locator(".gt-brand").click()
    for key in ("Home", "ArrowRight", "End"):
        tab.keyboard.press(key)
    _settled(tab)


def _settled(tab: Page) -> None:
    tab.wait_for_function("!document.querySelector('[data-test-script-state=\"running\"]')", polling=20)


def _held(session: CDPSession) -> Held:
    """What is held once all garbage is gone; what a finalizer lets go of is gone after the next time."""
    for _ in range(3):
        session.send("HeapProfiler.collectGarbage")
    found = {each["name"]: each["value"] for each in session.send("Performance.getMetrics")["metrics"]}
    return Held(found["JSHeapUsedSize"] / 1e6, int(found["Nodes"]), int(found["JSEventListeners"]))


if __name__ == "__main__":
    main()
