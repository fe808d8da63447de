"""Programs on a cluster's workers end as they do on this machine, whatever becomes of the workers."""

from __future__ import annotations

import dataclasses
import os
import signal
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import msgspec
import pytest
from distributed import Client

from engine.experiments.gradcheck.messages import CheckRequest
from engine.experiments.gradcheck.parent import check
from engine.program import Program
from engine.sandbox import Control, Limits, RunResult, run
from engine.sandbox.settings import Settings
from engine.sandbox.transport.messages import Job
from engine.sandbox.transport.receiver import CollectedRun, Stopped
from engine.serving.cluster import backend as backends
from engine.serving.cluster.backend import Cluster
from tests.engine.cluster.conftest import Processes, slots, until

BEFORE = "import torch\nx = torch.ones(3, requires_grad=True)\nprint('before')\n"
ENDINGS = {
    "ends": "(x * 2).sum().backward()\nprint(x.grad)",
    "raises": "1 / 0",
    "is no Python": "x = (",
    "loops forever": "while True: pass",
    "prints without end": "while True: print('x' * 1000)",
    "records without end": "while True: y = x + 1",
    "needs too much memory": "torch.ones(10 ** 10)",
    "exits": "raise SystemExit",
}


@pytest.mark.thorough
@pytest.mark.parametrize("ending", ENDINGS.values(), ids=ENDINGS.keys())
def test_a_run_has_the_same_result_as_on_this_machine_when_the_program(ending: str, there: Cluster) -> None:
    limits = Limits(seconds=1.0 if ending.startswith("while True") else 20.0, events=5_000, output_chars=20_000)
    away = run(BEFORE + ending, limits, seed=1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("engine.serving.elsewhere.settings", Settings)
        here = run(BEFORE + ending, limits, seed=1)
    if here.status == "timeout":  # how far each of them came is chance
        assert away.status == here.status
        assert away.error is not None
        assert here.error is not None
        # Whether a line can be named hangs on where it was when its time was over.
        assert away.error.message.split(", in line")[0] == here.error.message.split(", in line")[0]
        assert away.recording is not None
        assert here.recording is not None
        assert list(away.recording.events[:2]) == list(here.recording.events[:2])
    else:
        assert plain(away) == plain(here)


def plain(result: RunResult) -> object:
    """All of a result but how long it took."""
    recording = result.recording
    assert recording is not None
    tables = {f.name: getattr(recording, f.name) for f in dataclasses.fields(recording) if f.name != "derived"}
    return msgspec.structs.replace(result, seconds=0.0, recording=None), tables


@pytest.mark.thorough
def test_a_notebook_and_a_numerical_check_go_the_same_way(there: Cluster) -> None:
    result = run(Program.from_cells(("import torch", "torch.ones(2)")))
    assert [cell.result for cell in result.cells] == [None, "tensor([1., 1.])"]
    text = "import torch\nx = torch.tensor(3.0, requires_grad=True)\n(x * x).backward()"
    reply = check(Program.from_text(text), CheckRequest(1))
    assert (reply.status, reply.root) == ("ok", 9.0)
    assert {slope.analytic for slope in reply.slopes} >= {6.0}


def test_a_run_that_is_called_off_ends_at_once_and_frees_its_slot(there: Cluster) -> None:
    def stopped(_: int) -> bool:
        with pytest.raises(Stopped):
            run("while True: pass", Limits(seconds=120.0), stop=stop)
        return True

    stop = threading.Event()
    with ThreadPoolExecutor(8) as threads:  # twice as many as there are slots
        runs = [threads.submit(stopped, k) for k in range(8)]
        time.sleep(0.3)  # some have begun by now; how many does not matter
        stop.set()
        assert all(r.result(30) for r in runs)
    assert run("print('next')", Limits(seconds=5.0)).output == "next\n"


@pytest.mark.ci
def test_a_worker_dies_under_load_and_nothing_is_lost(processes: Processes, there: Cluster) -> None:
    def one(k: int) -> str:
        end = run(
            f"import torch, time\ntime.sleep(0.05)\nx = torch.ones({k + 1})\nprint({k}, x.sum().item())", Limits(seconds=30)
        )
        done.append(k)
        return f"{end.status}: {end.output}{end.error.message if end.error else ''}"

    done: list[int] = []
    with ThreadPoolExecutor(20) as threads:
        runs = [threads.submit(one, k) for k in range(60)]
        until(lambda: len(done) >= 10, "some are done")
        processes.workers[0].send_signal(signal.SIGKILL)
        results = [r.result(120) for r in runs]
    assert results == [f"ok: {k} {k + 1}.0\n" for k in range(60)]
    processes.add_worker()
    until(lambda: slots(there) == 4, "another worker comes")


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Processes, Cluster]]:
    """Another cluster, without a worker yet, on which no other test relies: who kills its processes starts what it needs."""
    processes = Processes(tmp_path_factory.mktemp("own"))
    cluster = Cluster(processes.address)
    try:
        yield processes, cluster
    finally:
        cluster.close()
        processes.end()


@pytest.mark.ci
def test_a_run_whose_workers_die_twice_is_reported(own: tuple[Processes, Cluster]) -> None:
    processes, cluster = own
    processes.add_worker()
    processes.add_worker()
    until(lambda: slots(cluster) >= 4, "both workers come")
    client = cluster._connected()
    collected = CollectedRun(Program.from_text(""))
    job = Job(("while True: pass",), False, Limits(seconds=60.0))
    thread = threading.Thread(target=cluster.exchange, args=(job, collected), daemon=True)
    thread.start()
    pids = client.run(os.getpid)
    for _ in range(2):
        busy: list[str] = []
        until(lambda: busy.extend(_busy(client) & pids.keys()) or busy, "a worker has it")  # noqa: B023
        os.kill(pids.pop(busy[0]), signal.SIGKILL)
    thread.join(60)
    assert "died" in collected.failure
    result = collected.result(None, 0.0)
    assert (result.status, result.error and result.error.message) == ("crashed", collected.failure)


def _busy(client: Client) -> set[str]:
    """The addresses of the workers that have a job."""
    return {address for address, keys in client.processing().items() if keys}


@pytest.mark.ci
def test_a_scheduler_that_is_not_there_is_said_to_be_and_joined_when_it_comes(
    own: tuple[Processes, Cluster], monkeypatch: pytest.MonkeyPatch
) -> None:
    processes, cluster = own
    monkeypatch.setattr(backends, "AGAIN", 0.0)
    monkeypatch.setattr(backends, "CONNECT", 1.0)
    processes.add_worker()
    until(lambda: _output(cluster) == "hello\n", "the worker comes")
    processes.end()
    assert "cluster" in _output(cluster)
    assert "cannot be reached" in _output(cluster)
    assert cluster.slots >= 1
    port = processes.address.rsplit(":", 1)[1]
    processes.scheduler = processes._start("dask_scheduler", "--port", port)
    processes.add_worker()
    until(lambda: _output(cluster) == "hello\n", "the cluster is joined again")


def _output(cluster: Cluster) -> str:
    """What a program prints on a cluster, or why it does not."""
    program = Program.from_text("print('hello')")
    collected = CollectedRun(program)
    end = cluster.exchange(Job(program.cells, False, Limits(seconds=20.0)), collected)
    result = collected.result(end, 0.0)
    return result.output or (result.error.message if result.error else "")


def test_a_run_that_is_stopped_keeps_what_it_has_recorded(there: Cluster) -> None:
    control = Control()
    program = BEFORE + "x = x * 2\nwhile True: pass"
    with ThreadPoolExecutor(1) as threads:
        going = threads.submit(run, program, Limits(seconds=60.0), control=control)
        until(lambda: _busy(there._connected()), "a worker has it")
        time.sleep(1)  # it may be recording by now; if not, it ends before it has begun
        control.halt.set()
        result = going.result(60)
    assert result.status == "timeout"
    assert result.error is not None
    assert result.error.message.startswith("you stopped it")
    assert result.recording is not None


def test_a_run_that_is_stopped_before_it_has_begun_ends_as_one_that_is_stopped(there: Cluster) -> None:
    for _ in range(5):
        control = Control()
        control.halt.set()
        result = run(BEFORE + "while True: pass", Limits(seconds=60.0), control=control)
        assert (result.status, result.error and result.error.message[:14]) == ("timeout", "you stopped it")


def test_a_run_whose_cluster_is_lost_is_done_once_more(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    honest, replies = cluster._reply, [backends.GONE]
    monkeypatch.setattr(cluster, "_reply", lambda *args: replies.pop() if replies else honest(*args))
    assert _output(cluster) == "hello\n"
    replies += [backends.GONE] * 2
    assert _output(cluster) == backends.GONE
    assert not replies, "twice and no more"


def test_a_worker_of_another_version_is_named(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backends, "VERSION", "0123456789ab")
    assert "another version of Gradtape" in _output(cluster)


@pytest.mark.parametrize("sent", [b"", b"nonsense", 7, b"\x81" * 1000, None])
def test_what_a_worker_sends_is_not_believed(sent: object) -> None:
    class Future:
        def result(self, _: float) -> object:
            return sent

    assert backends._read(Future(), 0.0) == "a worker sent nothing that makes sense"
