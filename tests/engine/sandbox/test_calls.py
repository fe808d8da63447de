"""Our own functions on what strangers sent run in processes of their own, with limits, progress and a way to call them off."""

from __future__ import annotations

import threading

import pytest

from engine.sandbox.calls import CALLEE, CallError, Function, _Returned, call, offer
from engine.sandbox.processes import callee
from engine.sandbox.processes.forking import Server
from engine.sandbox.processes.spawning import Workers
from engine.sandbox.runner import server
from engine.sandbox.transport.call_messages import CallReply, CallRequest
from engine.sandbox.transport.frames import OUTPUT, REPLY, SHARE
from engine.sandbox.transport.messages import HEADER, Job, Limits, encode
from engine.sandbox.transport.receiver import Stopped

NAMES = ("turned", "refuses", "fails", "loops", "hangs", "hungry", "long", "ends", "opens", "sleeps")
F = {
    name: offer(Function(f"tests.engine.sandbox.callees:{name}", 1.0 if name in ("loops", "hangs") else 60.0, 128, 4))
    for name in NAMES
}


@pytest.mark.thorough
def test_a_call_returns_what_the_function_returns_and_tells_how_far_it_is() -> None:
    told: list[float] = []
    assert call(F["turned"], bytes(range(256)) * 5000, progress=told.append) == (bytes(range(256)) * 5000)[::-1]
    assert told == [0.25, 0.5, 0.75, 1.0]


@pytest.mark.parametrize(
    ("name", "argument", "status", "says"),
    [
        ("refuses", b"this", "refused", "this is nothing that can be read"),
        ("fails", b"", "failed", "KeyError"),
        ("loops", b"", "timeout", "more than 1 seconds"),
        ("hangs", b"", "timeout", "more than 1 seconds"),
        ("hungry", b"", "memory", "more than 128 MB"),
        ("long", b"5000000", "too_large", "larger than 4 MB"),
        ("ends", b"", "crashed", "ended before it was done"),
    ],
)
def test_a_call_that_returns_nothing_says_why(name: str, argument: bytes, status: str, says: str) -> None:
    with pytest.raises(CallError, match=says) as raised:
        call(F[name], argument)
    assert raised.value.status == status
    assert call(F["turned"], b"and the next one is served") == b"devres si eno txen eht dna"


def test_an_argument_may_come_in_pieces() -> None:
    assert call(F["turned"], (bytes([k]) * 100_000 for k in range(20))) == b"".join(
        bytes([k]) * 100_000 for k in reversed(range(20))
    )


def test_the_largest_result_arrives() -> None:
    assert len(call(F["long"], str(4 << 20).encode())) == 4 << 20


def test_a_call_can_be_called_off() -> None:
    stop = threading.Event()
    with pytest.raises(Stopped):
        call(F["sleeps"], b"", stop=stop, progress=lambda _: stop.set())


def test_a_call_opens_no_file() -> None:
    assert call(F["opens"], b"/etc/passwd") == b"PermissionError"


def test_only_functions_that_were_loaded_are_called() -> None:
    request = CallRequest("os:getcwd", 100)
    returned = _Returned(request, lambda _: None)
    server(CALLEE, tuple(sorted(f.name for f in F.values()))).exchange(Job((), False, Limits(), call=request), returned)
    assert returned.done == CallReply("failed", "KeyError: 'os:getcwd'")


def test_a_call_whose_server_dies_is_made_once_more() -> None:
    local = server(CALLEE, tuple(sorted(f.name for f in F.values()))).local
    assert isinstance(local, Server)
    told: list[float] = []

    def kill(share: float) -> None:
        told.append(share)
        if len(told) == 1:
            local.process.kill()

    assert call(F["turned"], b"abc", progress=kill) == b"cba"
    assert call(F["turned"], b"and on") == b"no dna"


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        (SHARE, b"\xff\xff"),
        (SHARE, b"1"),
        (OUTPUT, b"x" * 101),
        (REPLY, encode(CallReply("well"))),
        (REPLY, encode(CallReply("failed", "x" * 2001))),
        (REPLY, b"\xc1"),
        (b"B", b""),
    ],
)
def test_what_no_child_of_ours_sends_is_refused(kind: bytes, body: bytes) -> None:
    returned = _Returned(CallRequest("a:b", 100), lambda _: None)
    assert not returned.feed(HEADER.pack(kind, len(body)) + body)
    assert returned.trouble == "nonsense"


def test_single_use_workers_make_calls_too() -> None:
    name = F["turned"].name
    workers = Workers(CALLEE, (name,), ahead=1)
    try:
        request = CallRequest(name, 100)
        returned = _Returned(request, lambda _: None)
        workers.exchange(Job((), False, Limits(), call=request), returned, None, [b"a", b"bc"])
    finally:
        workers.close()
    assert returned.done == CallReply("ok")
    assert returned.output == [b"cba"]


def test_an_alarm_that_rings_at_once_is_heard(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a limit so small that the time is up before the function begins, or while its result is looked at."""
    job = Job((), False, Limits(seconds=0.001), call=CallRequest("none", 1))

    def rings(*_: object) -> None:
        raise callee._TimeIsUp

    monkeypatch.setitem(callee._functions, "none", lambda *_: b"")
    for at in ("ring", "stop"):
        monkeypatch.setattr(callee.timer, "ring", lambda *_: None)
        monkeypatch.setattr(callee.timer, "stop", lambda: None)
        monkeypatch.setattr(callee.timer, at, rings)
        assert callee._outcome(job, CallRequest("none", 1), memoryview(b""), 1, lambda *_: None)[1].status == "timeout"
