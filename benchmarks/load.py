"""Many visitors at once: serves the real page in hosted mode, and checks that every answer is the visitor's own.

`python -m benchmarks.load` has 100 visitors (`benchmarks/visitors.py`) run a program every 10 seconds, first all of them
honest, then a third of them hostile, and prints the figures that the README quotes. Only the honest ones' latency counts.
`--pages 2` puts the proxy before two page processes; `--url` visits a page that somebody else serves.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import statistics
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.serving import Served, family, memory, proxied, served
from benchmarks.visitors import PERIOD, Figures, scenario

SETTLED = 4.0
"""Seconds after which whatever the visitors left running has ended."""


@dataclass(frozen=True)
class Installation:
    """What is visited."""

    address: str
    pages: Sequence[Served] = ()
    """The page processes that can be looked into; none if somebody else serves them."""

    @property
    def megabytes(self) -> float:
        """What pages and sandboxes hold in memory."""
        return sum(memory(pid) for page in self.pages for pid in family(page.pid))

    @property
    def processor(self) -> tuple[float, float]:
        """Seconds of processor time that pages and sandboxes have used."""
        own = rest = 0.0
        for page in self.pages:
            own += _used(page.pid)
            for child in family(page.pid)[1:]:
                with suppress(OSError):
                    rest += _used(child, with_children=True)
        return own, rest


def main() -> None:
    """Both scenarios, one after the other, each against an installation of its own."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--visitors", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--period", type=float, default=PERIOD, help="seconds from one run of a visitor to the next")
    parser.add_argument("--pages", type=int, default=1, help="page processes; several stand behind the proxy")
    parser.add_argument("--url", help="visit this page instead of serving one; nothing is told of its processes then")
    parser.add_argument("--log", type=Path, default=Path(os.devnull), help="where the page's own log goes")
    parser.add_argument("--only", choices=["honest", "hostile"])
    parser.add_argument("--smallest", action="store_true", help="three visitors for a moment: only to see that it works")
    chosen = parser.parse_args()
    if chosen.smallest:
        with installed(chosen.pages, chosen.log, chosen.url) as installation:
            for hostile in (0, 1):
                measured(installation, visitors=3, hostile=hostile, seconds=1.0, period=1.0, settled=0.0)
        return
    for kind, hostile in (("honest", 0), ("hostile", chosen.visitors // 3)):
        if chosen.only in (None, kind):
            with installed(chosen.pages, chosen.log, chosen.url) as installation:
                measured(installation, chosen.visitors, hostile, chosen.seconds, chosen.period)


@contextmanager
def installed(pages: int = 1, log: Path = Path(os.devnull), url: str | None = None) -> Iterator[Installation]:
    """An installation that strangers use: a page, or several behind the proxy, or whatever is at an address."""
    with ExitStack() as parts:
        if url is not None:
            yield Installation(url if url.endswith("/") else f"{url}/")
            return
        made = [parts.enter_context(served(log, GRADTAPE_HOSTED="1")) for _ in range(pages)]
        address = made[0].address
        if pages > 1:
            address = parts.enter_context(proxied(made, Path(parts.enter_context(TemporaryDirectory())))).address
        yield Installation(address, made)


def measured(
    installation: Installation, visitors: int, hostile: int, seconds: float, period: float = PERIOD, settled: float = SETTLED
) -> Figures:
    """Let the visitors come, and print what they saw and what it cost, `settled` seconds after the last has gone."""
    asyncio.run(scenario(installation.address, max(1, len(installation.pages)), 0, 1.0, period=1.0))  # warm
    before, used = installation.megabytes, installation.processor
    began, own = time.perf_counter(), time.process_time()
    figures = asyncio.run(scenario(installation.address, visitors, hostile, seconds, period))
    passed = time.perf_counter() - began
    busy = (*(now - then for now, then in zip(installation.processor, used)), time.process_time() - own)
    time.sleep(settled)
    print(f"\n{visitors} visitors, each a run every {period:.0f} s, {hostile} of them hostile; page processes: ", end="")
    print(len(installation.pages) or "somebody else's")
    told(figures)
    if installation.pages:
        app, sandbox, driver = (part / passed for part in busy)
        runs = len(figures.latencies) + figures.hostile_runs
        each = f", {1000 * busy[0] / runs:.0f} ms of the app's for each run" if runs else ""
        print(f"  processors busy: app {app:.2f}, sandbox {sandbox:.2f}, this driver {driver:.2f} of {os.cpu_count()}{each}")
        print(f"  memory of app and sandbox: {before:.0f} MB before, {installation.megabytes:.0f} MB after")
    return figures


def told(figures: Figures) -> None:
    """Print what the visitors saw."""
    times, opened = sorted(figures.latencies), sorted(figures.opened)
    print(f"  runs answered {len(times)}, lost {figures.lost}, mixed up {figures.mixed}, refused {figures.refused}")
    if len(times) > 1:
        cuts = statistics.quantiles(times, n=20, method="inclusive")
        print(f"  latency in ms: p50 {ms(cuts[9])}, p95 {ms(cuts[18])}, largest {ms(times[-1])}", end="")
        print(f"; hostile runs {figures.hostile_runs}")
    if opened:
        print(f"  opening the page in ms: p50 {ms(statistics.median(opened))}, largest {ms(opened[-1])}")


def ms(seconds: float) -> str:
    """Milliseconds."""
    return f"{seconds * 1000:.0f}"


def _used(pid: int, with_children: bool = False) -> float:
    """Seconds of processor time that a process has used, with or without that of its children that have ended (Linux)."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return sum(map(int, fields[11 : 15 if with_children else 13])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    main()
