"""Visitors without browsers, who speak Streamlit's websocket protocol as the page's frontend does and check what comes back.

Each opens the page, and once in a while puts another program into the editor and presses Ctrl+Enter; like the browser, it
then reports what the player holds, and follows the polling of a run under way. Latency is from the press to the end of the
script run that brought the visitor's own new number. Every program prints a number that nobody else's does: a foreign one is a
mix-up. Hostile visitors loop for ever, flood, or try to break out; their own latency does not count.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import random
import re
import sys
import time
import tomllib
import urllib.request
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from benchmarks.serving import ROOT

PERIOD = 10.0
"""Seconds from one run of a visitor to the next."""
TRIGGER = "$$STREAMLIT_INTERNAL_KEY"
"""What the id of a component's events begins with."""
LOST = 30.0
"""Seconds after which an answer counts as lost."""
AGES = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))["global"]["maxCachedMessageAge"]
"""Runs of the script for which a browser keeps a large message that does not come again."""
AGAIN = 0.5
"""Seconds until a visitor whose connection broke opens the page again."""

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
    """What was measured."""

    opened: list[float] = field(default_factory=list)
    latencies: list[float] = field(default_factory=list)
    hostile_runs: int = 0
    lost: int = 0
    mixed: int = 0
    refused: int = 0
    reloaded: int = 0
    """Visits that went on with another connection because the first had broken."""
    cookies: list[str] = field(default_factory=list)
    """With what each visit was let in: a proxy's says which process serves it."""


class Held:
    """What a player has of a large recording, kept as `components/player/frontend/src/store.js` keeps it."""

    def __init__(self) -> None:
        self.tape = self.rev = ""
        self.captions = self.details = False

    def take(self, sent: dict[str, Any]) -> dict[str, Any] | None:
        """What the player tells when it has been sent this; None if it tells nothing."""
        if not sent.get("large"):
            return None
        if "sketch" in sent:
            return {"sketch": sent["rev"]}
        if "run" in sent:
            self.tape, self.captions = sent["tape"], False
        if "drawn" in sent:
            self.rev, self.details = sent["rev"], False
        if (self.tape, self.rev) != (sent["tape"], sent["rev"]):
            return {}
        self.captions |= "moments" in sent
        self.details |= "details" in sent
        return {"tape": self.tape, "captions": self.captions, "rev": self.rev, "details": self.details}


class Visitor:
    """One browser: its connection, and what it knows of the page."""

    def __init__(self, socket: ClientConnection, figures: Figures) -> None:
        self.socket, self.figures = socket, figures
        self.own: set[int] = set()
        self.editor = self.player = self.fragment = ""
        self.held = Held()
        self.moment: dict[str, Any] = {}
        """The player's state."""
        self.rev = self.runs = 0
        self.text = ""
        self.polls: dict[str, tuple[asyncio.Task[None], float]] = {}
        """Fragments that run by themselves, each with the seconds from one run to the next: until the page is drawn anew."""
        self.seen: set[int] = set()
        self.fresh = False
        """Whether the player has something to tell."""
        self.failed = ""
        self.kept: dict[str, int] = {}
        """Hashes of large messages, which the server need not send again, and how many runs ago each came last."""

    async def rerun(self, pressed: bool = False, fragment: str = "", auto: bool = False) -> None:
        """Ask for a run of the script, or of a fragment of it, with the state of the page's parts."""
        message = BackMsg()
        wanted = message.rerun_script
        wanted.fragment_id, wanted.is_auto_rerun = fragment, auto
        wanted.cached_message_hashes.extend(self.kept)
        states = wanted.widget_states.widgets
        if self.editor and self.text:
            typed = {"text": self.text, "rev": self.rev, "n": self.runs + pressed}
            states.add(id=self.editor, json_value=json.dumps({"text": typed}))
            if pressed:
                self.runs += 1
                event = {"event": "run", "value": typed}
                states.add(id=f"{TRIGGER}_{self.editor}__events", json_trigger_value=json.dumps([event]))
        if self.player and self.moment:
            states.add(id=self.player, json_value=json.dumps(self.moment))
        await self.socket.send(message.SerializeToString())

    async def finished(self, wanted: int | None) -> None:
        """Read until a script run has ended and the number has been seen; tell what the player tells meanwhile."""
        while True:
            data = await self.socket.recv()
            assert isinstance(data, bytes)
            kind = self.take(data)
            if kind == "script_finished" and (wanted is None or wanted in self.seen or self.failed):
                break
        if self.fresh:
            self.fresh = False
            await self.rerun(fragment=self.fragment)

    def take(self, data: bytes) -> str:
        """Note what a message tells."""
        found = {int(n) for n in ANSWER.findall(data)}
        self.seen |= found
        if found - self.own:
            self.figures.mixed += 1
        message = ForwardMsg()
        message.ParseFromString(data)
        kind = str(message.WhichOneof("type"))
        if message.metadata.cacheable or kind == "ref_hash":
            self.kept[message.ref_hash if kind == "ref_hash" else message.hash] = 0
        elif kind == "script_finished":
            self.kept = {known: age + 1 for known, age in self.kept.items() if age < AGES}
        if kind == "delta":
            element = message.delta.new_element
            if element.HasField("bidi_component"):
                part = element.bidi_component
                if part.id.endswith("-editor_0"):
                    self.editor, self.rev = part.id, int(json.loads(part.bytes)["rev"])
                elif part.id.endswith("-player"):
                    self.player, self.fragment = part.id, message.delta.fragment_id
                    self.show(json.loads(part.bytes))
            elif element.HasField("alert"):
                self.failed = element.alert.body
            elif element.HasField("exception"):
                self.failed = element.exception.message
        elif kind == "new_session" and not message.metadata.run.fragment_ids:
            self.stop_polling(*self.polls)
        elif kind == "stop_auto_rerun":
            self.stop_polling(*message.stop_auto_rerun.fragment_ids)
        elif kind == "auto_rerun":
            name, every = message.auto_rerun.fragment_id, message.auto_rerun.interval
            if name not in self.polls or self.polls[name][1] != every:
                self.stop_polling(name)
                self.polls[name] = asyncio.create_task(self.poll(name, every)), every
        return kind

    def show(self, sent: dict[str, Any]) -> None:
        """The player was sent something: it stands where the page takes it to, and tells what it holds."""
        holds = self.held.take(sent)
        if holds is not None and holds != self.moment.get("holds"):
            self.moment, self.fresh = {"holds": holds}, True

    def stop_polling(self, *fragments: str) -> None:
        """These fragments run by themselves no more."""
        for name in fragments:
            if (known := self.polls.pop(name, None)) is not None:
                known[0].cancel()

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

    async def rest(self, until: float) -> None:
        """Read what comes, until a time of `perf_counter`."""
        with suppress(TimeoutError):
            async with asyncio.timeout(max(0.0, until - time.perf_counter())):
                while True:
                    await self.finished(None)


@asynccontextmanager
async def arrived(address: str, figures: Figures) -> AsyncIterator[Visitor]:
    """A visitor who has opened the page at this address (http) and sees the picture; gone afterwards."""
    began = time.perf_counter()
    cookies = await asyncio.to_thread(_cookies, address)
    stream = address.replace("http", "ws", 1) + "_stcore/stream"
    async with connect(
        stream,
        subprotocols=["streamlit"],  # type: ignore[list-item]
        max_size=None,
        open_timeout=LOST,
        additional_headers={"Cookie": cookies},
    ) as socket:
        visitor = Visitor(socket, figures)
        await visitor.rerun()
        async with asyncio.timeout(LOST):
            while not visitor.player:
                await visitor.finished(None)
        figures.opened.append(time.perf_counter() - began)
        figures.cookies.append(cookies)
        try:
            yield visitor
        finally:
            visitor.stop_polling(*visitor.polls)


def _cookies(address: str) -> str:
    """What the server wants to be told again."""
    with urllib.request.urlopen(address, timeout=LOST) as answer:
        return "; ".join(each.partition(";")[0] for each in answer.headers.get_all("Set-Cookie") or ())


async def visit(
    address: str, place: float, until: float, hostile: bool, figures: Figures, chance: random.Random,
    *, period: float = PERIOD, reload: bool = False,
) -> None:  # fmt: skip
    """One visitor's whole visit.

    Args:
        place: when in the period the visitor comes.
        until: when the visitor leaves, on the clock of `perf_counter`.
        period: seconds from one run to the next.
        reload: whether the visitor opens the page again when the connection breaks.
    """
    await asyncio.sleep(place)
    while True:
        try:
            async with arrived(address, figures) as visitor:
                await _stay(visitor, until, hostile, figures, chance, period)
            return
        except (ConnectionClosed, OSError):
            if not reload or time.perf_counter() > until + LOST:
                raise
            figures.reloaded += 1
            await asyncio.sleep(AGAIN)


async def _stay(visitor: Visitor, until: float, hostile: bool, figures: Figures, chance: random.Random, period: float) -> None:
    """Run one program after the other."""
    due = time.perf_counter() + period * (0.5 + chance.random() / 2)
    while due < until:
        await visitor.rest(due)
        due += period
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


async def scenario(address: str, visitors: int, hostile: int, seconds: float, period: float = PERIOD) -> Figures:
    """All visitors at once for some seconds after they have arrived; what becomes of those visits that fail is printed."""
    figures = Figures()
    until = time.perf_counter() + period + seconds
    visits = [
        visit(address, period * k / visitors, until, k < hostile, figures, random.Random(k), period=period)
        for k in random.Random(0).sample(range(visitors), visitors)
    ]
    for outcome in await asyncio.gather(*visits, return_exceptions=True):
        if isinstance(outcome, BaseException):
            figures.lost += 1
            print("a visit ended with", repr(outcome), file=sys.stderr)
    return figures
