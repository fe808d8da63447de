"""Many visitors at once: drives the real app over its real protocol, and checks that every answer is the visitor's own.

`python -m benchmarks.load` serves `app.py` in hosted mode and speaks Streamlit's websocket protocol as 100 browsers do. Each
visitor opens the page, and every 10 seconds puts another program into the editor and presses Ctrl+Enter; like the browser, it
then reports the player's moment, and follows the polling of a run under way. Latency is from the press to the end of the
script run that brought the visitor's own new number. Every program prints a number that nobody else's does: a foreign one is
a mix-up. A second scenario has a third of the visitors loop for ever, flood, or try to break out; only the others' latency
counts.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import os
import random
import re
import statistics
import sys
import time
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection, connect

from benchmarks.serving import family, memory, served
from components.graph_view import CAPTIONED

ROOT = Path(__file__).resolve().parents[1]
PERIOD = 10.0
"""Seconds from one run of a visitor to the next."""
TRIGGER = "$$STREAMLIT_INTERNAL_KEY"
"""What the id of a component's events begins with."""
LOST = 30.0
"""Seconds after which an answer counts as lost."""

HONEST = [
    """import torch
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = (x ** 2 * {n}).sum()
y.backward()
print("answer", {n}, x.grad)
""",
    """import torch
import torch.nn.functional as F
torch.manual_seed({n})
w = torch.randn(3, 2, requires_grad=True)
x = torch.ones(4, 3)
loss = F.mse_loss(torch.tanh(x @ w), torch.zeros(4, 2))
loss.backward()
print("answer", {n}, w.grad.norm().item())
""",
    """import torch
w = torch.zeros(1, requires_grad=True)
for i in range(5):
    loss = (w - {n}) ** 2
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
    w.grad = None
print("answer", {n}, w.item())
""",
]
HOSTILE = [
    "while True:\n    pass  # {n}\n",
    "import torch\nx = torch.ones(2, requires_grad=True)\nwhile True:\n    x = x * 1.0001  # {n}\n",
    "import torch\nkept = []\nwhile True:\n    kept.append(torch.ones(1000, 1000))  # {n}\n",
    "while True:\n    print('flood' * 100)  # {n}\n",
    "x = 10 ** 10 ** 8  # {n}\n",
    "print(().__class__.__bases__[0].__subclasses__())  # {n}\n",
    "import os\nos.kill(os.getppid(), 9)  # {n}\n",
    "def f():\n    return f()\nf()  # {n}\n",
]
ANSWER = re.compile(rb"answer (\d{6,})")
numbers = itertools.count(100_000)


@dataclass
class Figures:
    """What a scenario measured."""

    opened: list[float] = field(default_factory=list)
    latencies: list[float] = field(default_factory=list)
    hostile_runs: int = 0
    lost: int = 0
    mixed: int = 0
    refused: int = 0


class Visitor:
    """One browser: its connection, and what it knows of the page."""

    def __init__(self, socket: ClientConnection, figures: Figures) -> None:
        self.socket, self.figures = socket, figures
        self.own: set[int] = set()
        self.editor = self.player = self.fragment = self.tape = ""
        self.holds: str | None = None
        self.rev = self.runs = 0
        self.text = ""
        self.polls: dict[str, asyncio.Task[None]] = {}
        self.seen: set[int] = set()
        self.steps = 0
        self.fresh = False
        """Whether a new tape has come, whose moment the browser tells."""
        self.failed = ""
        self.kept: deque[str] = deque(maxlen=8)
        """Hashes of large messages, which the server need not send again."""

    async def rerun(self, pressed: bool = False, fragment: str = "", told: bool = False, auto: bool = False) -> None:
        """Ask for a run of the script, or of a fragment of it, with the state of the page's parts."""
        message = BackMsg()
        wanted = message.rerun_script
        wanted.fragment_id, wanted.is_auto_rerun = fragment, auto
        wanted.cached_message_hashes.extend(self.kept)
        states = wanted.widget_states.widgets
        if self.editor and self.text:
            typed = {"text": self.text, "rev": self.rev}
            states.add(id=self.editor, json_value=json.dumps({"text": typed}))
            if pressed:
                self.runs += 1
                event = {"event": "run", "value": {**typed, "n": self.runs}}
                states.add(id=f"{TRIGGER}_{self.editor}__events", json_trigger_value=json.dumps([event]))
        if self.player and told:
            states.add(id=self.player, json_value=json.dumps({"step": self.steps - 1, "holds": self.holds}))
        await self.socket.send(message.SerializeToString())

    async def finished(self, wanted: int | None) -> None:
        """Read until a script run has ended and the number has been seen; carry on polling as the browser does."""
        while True:
            data = await self.socket.recv()
            assert isinstance(data, bytes)
            kind = self.take(data)
            if kind == "script_finished" and (wanted is None or wanted in self.seen or self.failed):
                break
        if self.fresh:
            self.fresh = False
            await self.rerun(fragment=self.fragment, told=True)

    def take(self, data: bytes) -> str:
        """Note what a message tells."""
        found = {int(n) for n in ANSWER.findall(data)}
        self.seen |= found
        if found - self.own:
            self.figures.mixed += 1
        message = ForwardMsg()
        message.ParseFromString(data)
        kind = str(message.WhichOneof("type"))
        if message.metadata.cacheable and message.hash not in self.kept:
            self.kept.append(message.hash)
        if kind == "delta":
            element = message.delta.new_element
            if element.HasField("bidi_component"):
                part = element.bidi_component
                if part.id.endswith("-editor_0"):
                    self.editor, self.rev = part.id, int(json.loads(part.bytes)["rev"])
                elif part.id.endswith("-player"):
                    sent = json.loads(part.bytes)  # the steps of a large graph come only once
                    self.player, self.fragment = part.id, message.delta.fragment_id
                    self.steps = len(sent["steps"]) if "steps" in sent else self.steps
                    captioned = "captions" in sent
                    self.fresh, self.tape = self.tape != sent["rev"] or captioned, sent["rev"]
                    self.holds = sent["tape"] + CAPTIONED * captioned
            elif element.HasField("alert"):
                self.failed = element.alert.body
            elif element.HasField("exception"):
                self.failed = element.exception.message
        elif kind == "stop_auto_rerun":
            for name in message.stop_auto_rerun.fragment_ids:
                if (task := self.polls.pop(name, None)) is not None:
                    task.cancel()
        elif kind == "auto_rerun":
            name, every = message.auto_rerun.fragment_id, message.auto_rerun.interval
            if name not in self.polls:
                self.polls[name] = asyncio.create_task(self.poll(name, every))
        return kind

    async def poll(self, fragment: str, every: float) -> None:
        """What the browser does for a fragment that runs by itself."""
        with suppress(Exception):
            while True:
                await asyncio.sleep(every)
                await self.rerun(fragment=fragment, auto=True)

    async def run(self, text: str, number: int | None) -> float:
        """Put a text into the editor and press Ctrl+Enter; seconds until the answer is there."""
        self.text, self.failed = text, ""
        if number is not None:
            self.own.add(number)
        began = time.perf_counter()
        await self.rerun(pressed=True)
        await self.finished(number)
        return time.perf_counter() - began


async def visit(address: str, place: float, until: float, hostile: bool, figures: Figures, chance: random.Random) -> None:
    """One visitor's whole visit; `place` is when in the period the visitor runs programs."""
    await asyncio.sleep(place)
    async with connect(address, subprotocols=["streamlit"], max_size=None, open_timeout=LOST) as socket:  # type: ignore[list-item]
        visitor = Visitor(socket, figures)
        began = time.perf_counter()
        await visitor.rerun()
        await asyncio.wait_for(visitor.finished(None), LOST)
        while not visitor.player:
            await asyncio.wait_for(visitor.finished(None), LOST)
        figures.opened.append(time.perf_counter() - began)
        due = time.perf_counter() + PERIOD * (0.5 + chance.random() / 2)
        while due < until:
            reading = asyncio.create_task(drain(visitor))
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            reading.cancel()
            with suppress(asyncio.CancelledError):
                await reading
            due += PERIOD
            number = next(numbers)
            text = chance.choice(HOSTILE if hostile else HONEST).replace("{n}", str(number))
            try:
                seconds = await asyncio.wait_for(visitor.run(text, None if hostile else number), LOST)
            except TimeoutError:
                figures.lost += not hostile
                continue
            if hostile:
                figures.hostile_runs += 1
            elif visitor.failed:
                figures.refused += 1
            else:
                figures.latencies.append(seconds)
        for task in visitor.polls.values():
            task.cancel()


async def drain(visitor: Visitor) -> None:
    """Read what comes between two runs."""
    while True:
        await visitor.finished(None)


async def scenario(address: str, visitors: int, hostile: int, seconds: float) -> Figures:
    """All visitors at once for some seconds after they have arrived."""
    figures = Figures()
    until = time.perf_counter() + PERIOD + seconds
    visits = [
        visit(address, PERIOD * k / visitors, until, k % max(1, visitors) < hostile, figures, random.Random(k))
        for k in random.Random(0).sample(range(visitors), visitors)
    ]
    for outcome in await asyncio.gather(*visits, return_exceptions=True):
        if isinstance(outcome, BaseException):
            figures.lost += 1
            print("a visit ended with", repr(outcome), file=sys.stderr)
    return figures


def processor(pid: int) -> tuple[float, float]:
    """Seconds of processor time: the process's own, and that of its children that have ended."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    tick = os.sysconf("SC_CLK_TCK")
    return (int(fields[11]) + int(fields[12])) / tick, (int(fields[13]) + int(fields[14])) / tick


def told(title: str, figures: Figures, seconds: float, busy: tuple[float, float, float], held: tuple[float, float]) -> None:
    """Print a scenario's figures: `busy` are processor seconds of app, sandbox and driver, `held` MB before and after."""
    times = sorted(figures.latencies)
    print(f"\n{title}")
    print(f"  runs answered {len(times)}, lost {figures.lost}, mixed up {figures.mixed}, refused {figures.refused}")
    if len(times) < 2:
        return
    cuts = statistics.quantiles(times, n=20, method="inclusive")
    opened = sorted(figures.opened)
    app, sandbox, driver = (part / seconds for part in busy)
    print(
        f"  latency in ms: p50 {ms(cuts[9])}, p95 {ms(cuts[18])}, largest {ms(times[-1])}; hostile runs {figures.hostile_runs}"
    )
    print(f"  opening the page in ms: p50 {ms(statistics.median(opened))}, largest {ms(opened[-1])}")
    print(f"  processors busy: app {app:.2f}, sandbox {sandbox:.2f}, this driver {driver:.2f} of {os.cpu_count()}")
    print(f"  memory of app and sandbox: {held[0]:.0f} MB before, {held[1]:.0f} MB after")


def ms(seconds: float) -> str:
    """Milliseconds."""
    return f"{seconds * 1000:.0f}"


def main() -> None:
    """Both scenarios, one after the other, each against an app of its own."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--visitors", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--log", type=Path, default=Path(os.devnull), help="where the app's own log goes")
    parser.add_argument("--only", choices=["honest", "hostile"])
    chosen = parser.parse_args()
    for kind, hostile in (("honest", 0), ("hostile", chosen.visitors // 3)):
        if chosen.only not in (None, kind):
            continue
        with served(chosen.log, GRADTAPE_HOSTED="1") as page:
            address = f"ws://127.0.0.1:{page.port}/_stcore/stream"
            asyncio.run(scenario(address, 1, 0, 1.0))  # warm
            before = sum(map(memory, family(page.pid)))
            began, own, app, child = time.perf_counter(), time.process_time(), *used(page.pid)
            figures = asyncio.run(scenario(address, chosen.visitors, hostile, chosen.seconds))
            seconds = time.perf_counter() - began
            app_after, child_after = used(page.pid)
            time.sleep(4.0)  # whatever still runs has ended
            after = sum(map(memory, family(page.pid)))
            title = f"{chosen.visitors} visitors, each a run every {PERIOD:.0f} s, {hostile} of them hostile"
            busy = (app_after - app, child_after - child, time.process_time() - own)
            told(title, figures, seconds, busy, (before, after))


def used(pid: int) -> tuple[float, float]:
    """Processor seconds of the app itself, and of its sandbox."""
    own, _ = processor(pid)
    rest = 0.0
    for child in family(pid)[1:]:
        with suppress(OSError):
            rest += sum(processor(child))
    return own, rest


if __name__ == "__main__":
    main()
