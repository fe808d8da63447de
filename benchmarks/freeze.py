"""What holds the page's process: seconds and memory of what it does itself with programs that were made to hold it.

Each scenario makes something of a size and goes through the functions that the page calls with it. `run` measures; another part
drives the same scenarios in browsers.
"""

from __future__ import annotations

import argparse
import gc
import time
import tracemalloc
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.hostile import SHAPES
from components.html.diff_html import diff_html
from components.page.console import console_html
from components.panels.whatif import Memory, apply, look, whatif_data
from engine.diagnosis.comparison.alignment import match_lines
from engine.diagnosis.program_ast import Source
from engine.export.programs import script
from engine.program.edits import RefusedError
from engine.program.edits.expressions import continued
from engine.program.edits.lines import after, appended, blocks, wrapped
from engine.program.edits.names import deleted, renamed, taken
from engine.program.parsing import forget
from engine.program.share import Link, LinkError, pack, unpack
from engine.sandbox import RunResult

SECONDS, MEGABYTES = 1.0, 100.0
"""What one step may take: the bound of everything that the page's process does with what a stranger sent."""


@dataclass(frozen=True)
class Scenario:
    """Something a stranger may send."""

    name: str
    make: Callable[[int], Any]
    """What is sent, of about so many characters (lines, cells)."""
    steps: tuple[tuple[str, Callable[[Any], object]], ...]
    """What the page does with it, one after another."""
    size: int
    smallest: int


@dataclass(frozen=True)
class Measured:
    """What one step of a scenario took."""

    scenario: str
    step: str
    seconds: float
    megabytes: float
    """At its highest, beyond what there was before."""


def change(texts: Sequence[str], which: int = 0) -> object:
    """A turn of the first (0) or the last (-1) knob, as the browser asks for it, and what is drawn then."""
    found = look(texts).knobs
    turned = None
    for cell, knob in found[which:][:1]:
        value = not knob.value if isinstance(knob.value, bool) else knob.value
        wanted = [v + 1 for v in value] if isinstance(value, Sequence) else value + 1 if not isinstance(value, bool) else value
        turned = apply(texts, {"cell": cell, "id": knob.id, "value": wanted})
        if turned is not None:
            look([turned[1]])
    return turned


def whatif(texts: Sequence[str]) -> object:
    """The panel's data."""
    looked = look(texts)
    return whatif_data(looked.knobs, len(texts) > 1, Memory(), looked.unread)


def builder(*changes: Callable[[str], object]) -> Callable[[str], list[object]]:
    """A step that makes changes of the builder's; one that it refuses gives the reason."""

    def made(text: str) -> list[object]:
        done: list[object] = []
        for make in changes:
            try:
                done.append(make(text))
            except RefusedError as refused:
                done.append(str(refused))
        return done

    return made


def changed(cells: Sequence[str]) -> tuple[str, ...]:
    """The same program, edited: every other line gone and one more in the middle."""
    return tuple("\n".join([*cell.split("\n")[::2], "y = 1", *cell.split("\n")[:40]]) for cell in cells)


def link(text: str) -> object:
    """A link to the program, and what it opens."""
    try:
        return unpack(pack(Link((text,))))
    except LinkError as error:
        return str(error)


TEXT_STEPS: tuple[tuple[str, Callable[[str], object]], ...] = (
    ("what if", lambda text: whatif([text])),
    ("a knob turned", lambda text: change([text])),
    ("the last knob turned", lambda text: change([text], -1)),
    ("the builder", builder(taken, blocks, lambda text: appended(text, "loss.backward()"))),
    ("a line gone on with", builder(lambda text: continued(text, "x", "torch.exp({a})"))),
    ("a line added", builder(lambda text: after(text, "x", "x.retain_grad()"))),
    ("a name changed", builder(lambda text: renamed(text, "x", "q"))),
    ("a line deleted", builder(lambda text: deleted(text, "x"))),
    ("a block put around a line", builder(lambda text: wrapped(text, 1, 1, "with torch.no_grad():"))),
    ("diagnosis", lambda text: Source((text,))),
    ("matching with an edited one", lambda text: match_lines((text,), changed((text,)))),
    ("differences", lambda text: diff_html((text,), changed((text,)))),
    ("the script", lambda text: script([text])),
    ("a link", link),
)
CELL_STEPS: tuple[tuple[str, Callable[[Sequence[str]], object]], ...] = (
    ("what if", whatif),
    ("a knob turned", change),
    ("the last knob turned", lambda cells: change(cells, -1)),
    ("diagnosis", lambda cells: Source(tuple(cells))),
    ("matching with an edited one", lambda cells: match_lines(tuple(cells), changed(cells))),
    ("differences", lambda cells: diff_html(tuple(cells), changed(cells))),
    ("the script", script),
)


def notebook(cells: int) -> list[str]:
    """Cells full of knobs, as many characters in all as a program may have."""
    each = "x = torch.tensor([1., 2.], requires_grad=True)\ny = (x.detach() * 2.5 + 0.1).sum()\nopt.zero_grad()\n"
    return [each * max(1, 400_000 // max(cells, 500) // len(each))] * cells


def printed(size: int) -> RunResult:
    """A run that has printed so many characters in lines of all lengths."""
    lines = "".join("<&>" * (i % 50) + "\n" for i in range(size // 75 + 1))[:size]
    return RunResult("ok", lines, None, [], None, 0.0)


def scenarios() -> list[Scenario]:
    """All of them."""
    marks = lambda count: "x = torch.tensor(1.)\n" + "y = x * 2  # without .detach() @5\n" * count  # noqa: E731
    texts = [Scenario(name, make, TEXT_STEPS, 100_000, 400) for name, make in SHAPES.items()]
    longest = [
        Scenario(f"the longest program: {name}", SHAPES[name], TEXT_STEPS, 500_000, 400)
        for name in ("nest of (", "chain of +", "names", "empty lines", "long line", "list", "marks, all good")
    ]
    dense = [
        Scenario(f"as much as is read: {name}", SHAPES[name], TEXT_STEPS, 38_000, 400)
        for name in ("names", "list", "arguments", "one name", "one name in one call", "parameters", "one function", "sums")
    ]
    return [
        Scenario("600 marks", marks, TEXT_STEPS, 600, 10),
        Scenario("1,000 marks", marks, TEXT_STEPS, 1_000, 10),
        Scenario("notebook", notebook, CELL_STEPS, 500, 10),
        Scenario("output", printed, (("the console", console_html),), 2_000_000, 1_000),
        *longest,
        *dense,
        *texts,
    ]


def run(wanted: Iterable[Scenario], *, small: bool = False) -> list[Measured]:
    """Measure scenarios, each step with nothing kept from before but what the steps above it kept."""
    found = []
    for scenario in wanted:
        sent = scenario.make(scenario.smallest if small else scenario.size)
        for step, work in scenario.steps:
            began = _afresh(small)
            work(sent)
            seconds = time.process_time() - began
            _afresh(small)
            tracemalloc.start()
            work(sent)
            megabytes = tracemalloc.get_traced_memory()[1] / 2**20
            tracemalloc.stop()
            found.append(Measured(scenario.name, step, seconds, megabytes))
    return found


def _afresh(small: bool) -> float:
    """Have nothing kept from before; returns the time."""
    forget()
    if not small:
        gc.collect()
    return time.process_time()


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the worst of all scenarios."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--smallest", action="store_true", help="as little as shows that it runs: the figures mean nothing")
    found = run(scenarios(), small=parser.parse_args(arguments).smallest)
    over = [one for one in found if one.seconds > SECONDS or one.megabytes > MEGABYTES]
    print(f"\n{len(found)} steps of {len(scenarios())} hostile programs: seconds and MB in the page's process\n")
    worst = sorted(found, key=lambda one: -one.seconds)[:15] + sorted(found, key=lambda one: -one.megabytes)[:5]
    for one in dict.fromkeys([*worst, *over]):
        print(f"{one.seconds:6.2f} s {one.megabytes:6.1f} MB  {one.scenario}: {one.step}")
    print(f"{len(over)} over {SECONDS:g} s or {MEGABYTES:g} MB")


if __name__ == "__main__":
    main()
