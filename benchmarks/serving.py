"""The page served on this machine for benchmarks and tests, and what its processes hold in memory."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Served:
    """A page that answers."""

    port: int
    pid: int

    @property
    def address(self) -> str:
        """Where the page is."""
        return f"http://127.0.0.1:{self.port}/"


@contextmanager
def served(log: Path = Path(os.devnull), **settings: str) -> Iterator[Served]:
    """Serve the page with these environment variables, and give it when it answers.

    Raises:
        RuntimeError: if the server ends before it has answered; with its log.
    """
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", str(ROOT / "app.py"), f"--server.port={port}"]
    with open(log, "w") as out:
        server = subprocess.Popen(
            [*command, "--server.address=127.0.0.1"],
            cwd=ROOT,
            stdout=out,
            stderr=subprocess.STDOUT,
            env={**os.environ, **settings},
        )
    try:
        for _ in range(600):
            with suppress(OSError):
                urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=1)
                break
            if server.poll() is not None:
                raise RuntimeError(f"the server ended: {log.read_text()}")
            time.sleep(0.1)
        yield Served(port, server.pid)
    finally:
        server.terminate()
        server.wait(20)


def family(pid: int) -> list[int]:
    """A process and its descendants (Linux)."""
    found = [pid]
    for path in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):
            for child in path.read_text().split():
                found += family(int(child))
    return found


def memory(pid: int) -> float:
    """Megabytes that a process holds of its own, shared pages counted in parts (Linux)."""
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) / 1024
    return 0.0
