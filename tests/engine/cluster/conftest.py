"""A real scheduler with two workers, each a process of its own, on this machine's loopback."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.sandbox.settings import Settings
from engine.serving.cluster.backend import Cluster

ROOT = Path(__file__).resolve().parents[3]
PATIENCE = 60.0


class Processes:
    """The processes of one cluster."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.file = folder / "scheduler.json"
        self.workers: list[subprocess.Popen[bytes]] = []
        self.scheduler = self._start("dask_scheduler", "--port", "0", "--scheduler-file", str(self.file))
        self.address = ""
        until(self._said, "the scheduler writes down its address")

    def _said(self) -> bool:
        """Whether the scheduler has written its file, to the end."""
        try:
            self.address = str(json.loads(self.file.read_text())["address"])
        except (OSError, ValueError):
            return False
        return True

    def add_worker(self) -> subprocess.Popen[bytes]:
        """One worker more, with two threads."""
        place = str(self.folder / f"worker{len(self.workers)}")
        self.workers.append(
            self._start("dask_worker", self.address, "--no-nanny", "--nthreads", "2", "--local-directory", place)
        )
        return self.workers[-1]

    def end(self) -> None:
        """End them all."""
        for process in (*self.workers, self.scheduler):
            process.kill()
            process.wait()

    def _start(self, program: str, *arguments: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", f"distributed.cli.{program}", *arguments, "--host", "127.0.0.1", "--no-dashboard"]
        with open(self.folder / f"{program}{len(self.workers)}.log", "wb") as log:
            return subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=log)


def until(condition: object, what: str) -> None:
    """Wait until something holds."""
    end = time.monotonic() + PATIENCE
    while not condition():  # type: ignore[operator]
        assert time.monotonic() < end, f"never happened: {what}"
        time.sleep(0.02)


def slots(cluster: Cluster) -> int:
    """The cluster's slots, counted anew."""
    cluster._slots = (float("-inf"), 0)
    return cluster.slots


@pytest.fixture(scope="module")
def processes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Processes]:
    """A scheduler and two workers."""
    made = Processes(tmp_path_factory.mktemp("cluster"))
    try:
        made.add_worker()
        made.add_worker()
        yield made
    finally:
        made.end()


@pytest.fixture(scope="module")
def cluster(processes: Processes) -> Iterator[Cluster]:
    """The backend, once both workers have come."""
    made = Cluster(processes.address)
    until(lambda: slots(made) == 4, "both workers come")
    yield made
    made.close()


@pytest.fixture
def there(processes: Processes, cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> Cluster:
    """What this process sends elsewhere goes to the cluster."""
    monkeypatch.setattr("engine.serving.elsewhere.settings", lambda: Settings(scheduler=processes.address))
    monkeypatch.setattr("engine.serving.cluster.backend.cluster", lambda: cluster)
    return cluster
