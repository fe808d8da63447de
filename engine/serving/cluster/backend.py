"""The parent's side of a cluster: jobs go to whichever worker is free, and what comes back is read like a child's own bytes.

A worker is trusted no more than a child: the frames it relays go through the same decoding with the same limits. The channel
itself is Dask's, which pickles calls, results and errors, so the machines of a cluster must belong to one operator and its
ports to a private network (or TLS); a program has no way to that channel.
"""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import CancelledError
from pkgutil import resolve_name
from typing import Any
from uuid import uuid4

import msgspec
from distributed import Client, Future, KilledWorker

from ...sandbox.processes.forking import SLACK
from ...sandbox.settings import settings
from ...sandbox.transport.messages import Job, encode
from ...sandbox.transport.receiver import MAX_RESULT, Collected, Stopped
from .reply import Reply, decode_reply
from .worker import RANK, VERSION

LOG = logging.getLogger("gradtape.sandbox")
GONE = "the cluster was lost while the program ran, and again when it was tried once more; try again in a moment"
CONNECT = 3.0
"""Seconds that a scheduler may take to answer."""
AGAIN = 5.0
"""Seconds after a failure to connect during which runs are told so at once."""
ATTENTIVE = 0.05
"""Seconds between looks at whether a run was called off."""
COUNTED = 2.0
"""Seconds for which a count of the workers holds."""


class Theirs:
    """A function of the worker's, which finds it by the name that Gradtape has wherever it is installed."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __reduce__(self) -> tuple[Callable[[str], Any], tuple[str]]:
        return resolve_name, (f"gradtape.engine.serving.cluster.worker:{self.name}",)

    def __call__(self, *_: object) -> None:
        """Never called in this process; Dask sends nothing that cannot be called."""
        raise NotImplementedError(self.name)


class Cluster:
    """The workers behind one Dask scheduler; used by many threads."""

    def __init__(self, address: str) -> None:
        self.address = address
        self._lock = threading.Lock()
        self._client: Client | None = None
        self._failed = -AGAIN
        self._slots = (-COUNTED, 1)

    def exchange(self, job: Job, collected: Collected, stop: threading.Event | None = None) -> tuple[int, bool] | None:
        """Have a worker's child do a job, and collect what it sends; returns its wait status and whether it was stopped.

        If no worker could do it, `collected.failure` says why. A job whose worker dies is done once more by another one, and
        so is one whose scheduler dies, if there is a new one at its address.

        Raises:
            Stopped: when `stop` was set meanwhile.
        """
        reply = self._reply(job, collected.control.halt, stop)
        if reply == GONE:
            LOG.warning("the cluster was lost; a run is done once more")
            reply = self._reply(job, collected.control.halt, stop)
        if isinstance(reply, str):
            collected.failure = reply
            return None
        collected.failure, collected.trouble = reply.failure, reply.trouble
        if reply.frames:
            collected.feed(reply.frames)
        return reply.ended

    def read_rank(self, argument: bytes) -> Reply:
        """Have a worker read the file of one rank; what it says is in `frames`, or else `failure` says why it does not."""
        try:
            client = self._connected()
            (data,) = client.scatter([argument], hash=False)
            future = client.submit(Theirs("read_rank"), data, VERSION, pure=False)
        except Exception:
            return Reply(VERSION, failure=f"the cluster's scheduler cannot be reached at {self.address}")
        reply = _read(future, time.monotonic() + RANK.seconds + SLACK)
        return Reply(VERSION, failure=reply) if isinstance(reply, str) else reply

    @property
    def slots(self) -> int:
        """How many jobs the workers can do at once; 1 while that is not known."""
        counted, slots = self._slots
        if time.monotonic() - counted > COUNTED:
            with contextlib.suppress(Exception):
                slots = max(1, sum(self._connected().nthreads().values()))
            self._slots = time.monotonic(), slots
        return slots

    def close(self) -> None:
        """Leave the cluster; the next job joins it again."""
        with self._lock:
            client, self._client = self._client, None
            self._failed = -AGAIN
        if client is not None:
            _leave(client)

    # --- one job ------------------------------------------------------------------------------------------------------------

    def _reply(self, job: Job, halt: threading.Event, stop: threading.Event | None) -> Reply | str:
        """The worker's reply, or why there is none."""
        try:
            client = self._connected()
        except Exception:
            return f"the cluster's scheduler cannot be reached at {self.address}; try again in a moment"
        number = uuid4().hex
        future = client.submit(Theirs("execute"), number, encode(job), VERSION, key=f"gradtape-{number}", pure=False, retries=0)
        done = threading.Event()
        future.add_done_callback(lambda _: done.set())
        # Once more when a worker dies, hence twice the time; a worker that hangs must not hold up the page for ever.
        deadline = time.monotonic() + 2 * (job.limits.seconds + SLACK)
        halted = False
        try:
            while not done.wait(ATTENTIVE):
                if stop is not None and stop.is_set():
                    self._call_off(client, number)
                    raise Stopped
                if halt.is_set() and not halted:
                    halted = True
                    self._call_off(client, number, keep=True)
                if time.monotonic() > deadline:
                    self._call_off(client, number)
                    return "the cluster has no worker that answers in time; try again in a moment"
            return _read(future, deadline)
        finally:
            with contextlib.suppress(Exception):
                future.cancel()

    def _call_off(self, client: Client, number: str, *, keep: bool = False) -> None:
        """Have the child ended by its worker, without waiting for it: Dask does not interrupt what runs."""

        def tell() -> None:
            with contextlib.suppress(Exception):
                client.run(Theirs("call_off"), number, keep, on_error="ignore")

        threading.Thread(target=tell, daemon=True, name="gradtape-call-off").start()

    # --- the connection -------------------------------------------------------------------------------------------------------

    def _connected(self) -> Client:
        """The connection, made when there is none.

        Raises:
            OSError: when the scheduler does not answer, or did not a moment ago.
        """
        with self._lock:
            client = self._client
            if client is not None and client.status == "running":
                return client
            if time.monotonic() - self._failed < AGAIN:
                raise OSError("the scheduler did not answer a moment ago")
            if client is not None:
                self._client = None
                _leave(client)
            try:
                client = Client(self.address, timeout=CONNECT, set_as_default=False, name="gradtape")
                client.run_on_scheduler(_once())
            except Exception:
                self._failed = time.monotonic()
                raise
            self._client = client
            return client


def _read(future: Future[Any], deadline: float) -> Reply | str:
    """The reply of a job that is done."""
    try:
        data = future.result(max(deadline - time.monotonic(), 1.0))
        if not isinstance(data, bytes) or len(data) > 2 * MAX_RESULT:
            raise ValueError("no reply of ours")
        reply = decode_reply(data)
    except KilledWorker:
        return "the worker that ran the program died, and so did the one that tried again"
    except (CancelledError, TimeoutError):
        return GONE
    except (ValueError, msgspec.MsgspecError):
        return "a worker sent nothing that makes sense"
    except Exception as error:
        return f"a worker cannot run Gradtape's programs: {type(error).__name__}"
    if reply.version != VERSION:
        theirs = reply.version[:12]
        return f"a worker has another version of Gradtape ({theirs}) than the page ({VERSION}); install the same one"
    return reply


def _once() -> Callable[..., None]:
    """What tells the scheduler to give the jobs of a dead worker to another one just once.

    A function within a function travels by value, so the scheduler need not have Gradtape.
    """

    def once(dask_scheduler: Any) -> None:
        dask_scheduler.allowed_failures = 1

    return once


def _leave(client: Client) -> None:
    with contextlib.suppress(Exception):
        client.close(timeout=1)


_lock = threading.Lock()
_cluster: Cluster | None = None


def cluster() -> Cluster:
    """The cluster that the settings name."""
    global _cluster
    with _lock:
        if _cluster is None or _cluster.address != settings().scheduler:
            _cluster = Cluster(settings().scheduler)
        return _cluster
