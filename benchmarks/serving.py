"""The page served on this machine for benchmarks and tests, and what its processes hold in memory."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from components.server.probe import PATH

PROXY = "haproxy"
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
def served(log: Path = Path(os.devnull), port: int = 0, **settings: str) -> Iterator[Served]:
    """Serve the page with these environment variables, at a free port unless one is given, and give it when it answers.

    Raises:
        RuntimeError: if the server ends before it has answered; with its log.
    """
    port = port or free_port()
    command = [sys.executable, "-m", "gradtape", f"--server.port={port}"]
    with open(log, "w") as out:
        server = subprocess.Popen(
            [*command, "--server.address=127.0.0.1"],
            cwd=ROOT,
            stdout=out,
            stderr=subprocess.STDOUT,
            env={**os.environ, **settings},
        )
    try:
        _answering(port, server, log)
        yield Served(port, server.pid)
    finally:
        server.terminate()
        server.wait(20)


DEPLOY = ROOT / "assets" / "deploy"


@contextmanager
def proxied(pages: Sequence[Served], folder: Path) -> Iterator[Served]:
    """Put the proxy of a public installation before pages, as it is configured there but for their ports, when it answers.

    Raises:
        RuntimeError: if it does not start.
    """
    listed = (f"    server page{k} 127.0.0.1:{page.port}" for k, page in enumerate(pages, 1))
    (folder / "pages.cfg").write_text("\n".join(["backend pages from pages", *listed, ""]))
    port = free_port()
    command = [PROXY, "-db", "-f", str(DEPLOY / "haproxy.cfg"), "-f", str(folder / "pages.cfg")]
    with open(folder / "proxy.log", "w") as out:
        proxy = subprocess.Popen(
            command, stdout=out, stderr=subprocess.STDOUT, env={**os.environ, "ADDRESS": f"127.0.0.1:{port}"}
        )
    try:
        _answering(port, proxy, folder / "proxy.log")
        yield Served(port, proxy.pid)
    finally:
        proxy.terminate()
        proxy.wait(20)


def _answering(port: int, server: subprocess.Popen[bytes], log: Path) -> None:
    """Wait until a server says that it is well."""
    for _ in range(600):
        with suppress(OSError):
            urllib.request.urlopen(f"http://127.0.0.1:{port}{PATH}", timeout=1)
            return
        if server.poll() is not None:
            break
        time.sleep(0.1)
    raise RuntimeError(f"the server did not start: {log.read_text()}")


def free_port() -> int:
    """A port where nothing listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


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
