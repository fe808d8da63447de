"""Whatever bytes a child sends, the parent ends with a result, soon and in little memory, and no other run is touched."""

from __future__ import annotations

import struct
import threading
import time
import tracemalloc
from functools import cache

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.experiments.gradcheck.messages import CheckReply
from engine.experiments.gradcheck.parent import _Reply
from engine.experiments.sweep.messages import SweepRequest
from engine.experiments.sweep.parent import _Replies
from engine.limits import FIGURES, FILE_BYTES, FILE_COUNT
from engine.program import Program
from engine.recording import Recording
from engine.recording.assembly import Assembly
from engine.recording.batch import EMPTY, Batch, batch_of, changed
from engine.recording.events import Argument, Drew, OpRan, Printed, Raised, Scope, Site, TensorInfo
from engine.recording.store import StoredArray, Summary, TooMuchError
from engine.sandbox import Layers, Limits, RunError, RunResult, run, runner
from engine.sandbox.settings import Settings
from engine.sandbox.transport import receiver
from engine.sandbox.transport.budget import Room
from engine.sandbox.transport.frames import (
    BATCH,
    DONE,
    MAX_FRAME,
    MAX_FRAMES,
    MAX_READS,
    REPLY,
    ROWS,
    SHARE,
    STUCK,
    WRITTEN,
    batches,
)  # fmt: skip
from engine.sandbox.transport.messages import HEADER, Done, Job, Written, encode
from engine.sandbox.transport.receiver import MAX_TEXT, STATUSES, Collected, CollectedRun
from tests.thorough import examples

PROGRAM = Program.from_text("import torch\nx = torch.ones(3, requires_grad=True)\nprint(x)\n(x * 2).sum().backward()\nx.grad")
BARE = Layers(language=False, system=False)
KINDS = (BATCH, DONE, REPLY, b"S", SHARE, STUCK)


def frame(kind: bytes, body: bytes) -> bytes:
    return HEADER.pack(kind, len(body)) + body


def collected_from(data: bytes, pieces: int = 1, limits: Limits = Limits()) -> CollectedRun:  # noqa: B008
    collected = CollectedRun(PROGRAM, limits)
    size = max(1, -(-len(data) // pieces))
    for start in range(0, len(data), size):
        if not collected.feed(data[start : start + size]):
            break
    return collected


def result_of(data: bytes, pieces: int = 1) -> RunResult:
    return sound(collected_from(data, pieces).result((0, False), 1.0))


def sound(result: RunResult) -> RunResult:
    """The result, of which everything holds that the page relies on."""
    assert result.status in STATUSES
    assert (result.error is None) == (result.status == "ok")
    assert 0 <= result.seconds <= 1.0
    if result.recording is not None:
        result.recording.check()
    if result.error is not None:
        assert 0 <= result.error.line < 2**31
        assert len(result.error.message) <= MAX_TEXT
    return result


class Raw(Collected):
    """The frames as they came."""

    def __init__(self) -> None:
        super().__init__()
        self.parts = b""

    def take(self, kind: bytes, body: bytes) -> None:
        self.parts += frame(kind, body)


@cache
def honest() -> bytes:
    """What an honest child sends."""
    raw = Raw()
    runner.server().exchange(Job(PROGRAM.cells, False, Limits(seconds=30)), raw)
    return raw.parts


def done(status: str = "ok", error: RunError | None = None, cells: list[str] | None = None, seconds: float = 0.1) -> bytes:
    return frame(DONE, encode(Done(status, error, cells or [], seconds)))


def test_an_honest_child_is_believed_in_pieces_of_any_size() -> None:
    for pieces in (1, 2, 3, 50, len(honest())):
        result = result_of(honest(), pieces)
        assert result.status == "ok"
        assert result.recording is not None
        assert result.output == "tensor([1., 1., 1.], requires_grad=True)\n"


@given(st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 255)), min_size=1, max_size=12), st.integers(1, 40))
@settings(derandomize=True, deadline=None, max_examples=examples(600))
def test_altered_bytes(changes: list[tuple[int, int]], pieces: int) -> None:
    data = bytearray(honest())
    for place, value in changes:
        data[place % len(data)] = value
    result_of(bytes(data), pieces)


@given(st.integers(0, 10**6), st.integers(0, 10**6), st.binary(max_size=200))
@settings(derandomize=True, deadline=None, max_examples=examples(300))
def test_bytes_that_are_missing_or_too_many(start: int, length: int, instead: bytes) -> None:
    data = honest()
    start %= len(data)
    result_of(data[:start] + instead + data[start + length % 500 :])


@given(st.lists(st.tuples(st.sampled_from(KINDS), st.binary(max_size=300)), max_size=8))
@settings(derandomize=True, deadline=None, max_examples=examples(300))
def test_frames_of_nonsense(frames: list[tuple[bytes, bytes]]) -> None:
    result_of(b"".join(frame(kind, body) for kind, body in frames))


PLAIN = (
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats() | st.text(max_size=20) | st.binary(max_size=20)
)
NESTED = st.recursive(
    PLAIN, lambda inner: st.lists(inner, max_size=8) | st.dictionaries(st.text(max_size=8), inner, max_size=5), max_leaves=20
)


@given(st.sampled_from((BATCH, DONE)), st.lists(NESTED, max_size=6))
@settings(derandomize=True, deadline=None, max_examples=examples(150))
def test_well_formed_messages_of_another_form(kind: bytes, values: list[object]) -> None:
    result_of(frame(kind, msgspec.msgpack.encode(values)) + done())


PLACE = st.integers(-3, 6) | st.sampled_from((2**31 - 1, -(2**31)))
NUMBER = st.integers(-3, 6) | st.sampled_from((2**31, 2**62, -(2**63)))
TENSOR = st.builds(
    TensorInfo, NUMBER, st.sampled_from(("float32", "", "x" * 50)), st.lists(NUMBER, max_size=3).map(tuple), NUMBER, node=NUMBER
)
EVENT = st.one_of(
    st.builds(OpRan, op=st.text(max_size=5), outputs=st.lists(TENSOR, max_size=2).map(tuple), site=PLACE, opened=NUMBER),
    st.builds(Printed, text=st.text(max_size=9), site=PLACE, scope=PLACE),
    st.builds(Raised, type=st.text(max_size=9), message=st.text(max_size=9)),
)
ARRAY = st.builds(
    StoredArray, st.sampled_from(("float32", "bool", "object")), st.lists(NUMBER, max_size=3).map(tuple), st.binary(max_size=12)
)


@given(st.lists(EVENT, max_size=6), st.lists(st.builds(Site, NUMBER, NUMBER), max_size=3), st.lists(ARRAY, max_size=3))
@settings(derandomize=True, deadline=None, max_examples=examples(400))
def test_facts_that_contradict_each_other(
    events: list[OpRan | Printed | Raised], sites: list[Site], arrays: list[StoredArray]
) -> None:
    result_of(frame(BATCH, encode(batch_of(events, sites, (), arrays))) + done())


def test_how_far_a_check_is_comes_as_a_share() -> None:
    told: list[float] = []
    collected = _Reply(told.append)
    collected.feed(frame(SHARE, b"\x00\x00") + frame(SHARE, b"\x01\xf4") + frame(SHARE, b"\x03\xe8"))
    assert (told, collected.trouble) == ([0.0, 0.5, 1.0], "")


@pytest.mark.parametrize("body", [b"", b"\x01", b"\x03\xe9", b"\xff\xff", b"\x00\x00\x00"])
def test_more_than_all_of_a_check_is_nonsense(body: bytes) -> None:
    told: list[float] = []
    collected = _Reply(told.append)
    collected.feed(frame(SHARE, body))
    assert (told, collected.trouble) == ([], "nonsense")


@given(st.binary(max_size=400), st.sampled_from((REPLY, b"S", SHARE)))
@settings(derandomize=True, deadline=None, max_examples=examples(200))
def test_replies_of_nonsense_to_checks_and_sweeps(body: bytes, kind: bytes) -> None:
    for collected in (_Reply(lambda _: None), _Replies(SweepRequest(1, (), ((),)), lambda points: None)):
        collected.feed(frame(kind, body))
        assert collected.trouble in ("", "nonsense")
        assert collected.done is None or isinstance(collected.done, CheckReply | msgspec.Struct)


HUGE = 2**32 - 1


def bomb(**fields: bytes) -> bytes:
    """A batch of which some fields are these bytes."""
    names = Batch.__struct_fields__
    return bytes([0x90 + len(names)]) + b"".join([fields.get(name, encode(getattr(EMPTY, name))) for name in names])


def often(batch: Batch, times: int) -> bytes:
    """A batch whose rows come again and again."""
    names = ("rows", "lengths", "scopes", "scope_lengths", "arrays", "data")
    return encode(changed(batch, **{name: getattr(batch, name) * times for name in names}))


WIDE = OpRan("op", tuple(Argument("a", text="1") for _ in range(60_000)))
LONG = StoredArray("float32", (10**6,), None, Summary(0, 0, 0, 0, 0, 0, 0, (0,) * 32, (0, 0), ((0.0,) * 32,) * 32, ()))
BOMBS = {
    "a list without end": b"\xdd" + struct.pack(">I", HUGE),
    "a map without end": b"\xdf" + struct.pack(">I", HUGE),
    "a text without end": b"\xdb" + struct.pack(">I", HUGE),
    "bytes without end": bomb(data=b"\xc6" + struct.pack(">I", HUGE)),
    "lists in lists": b"\x91" * (MAX_FRAME - 1),
    "maps in maps": b"\x81\xa1x" * (MAX_FRAME // 3),
    "a number of many kinds": b"\xc7\xff\x7f" + b"x" * 255,
    "empty events": bomb(forms=b"\xdd" + struct.pack(">I", 10**6) + b"\x90" * 10**6),
    "empty sites": bomb(sites=b"\xdd" + struct.pack(">I", 10**6) + b"\x90" * 10**6),
    "loops in a scope": bomb(nests=b"\x91\x93\xa0\x00\xdd" + struct.pack(">I", 2**20) + b"\x92\x00\x00" * 2**20),
    "inputs of an event": bomb(forms=b"\x91\x93\xa2op\xa1a\xdd" + struct.pack(">I", 10**6) + b"\x91\xa0" * 10**6),
    "a text that is printed": encode(batch_of([Printed("\U0001f600" + "a" * (MAX_FRAME // 2))])),
    "a text that is printed often": often(batch_of([Printed("a" * 10**6)]), 10**5),
    "an event of many parts that comes often": often(batch_of([WIDE]), 10**5),
    "a scope in many loops that comes often": often(batch_of(scopes=[Scope(loops=((1, 1),) * 60_000)]), 10**5),
    "a summary that comes often": often(batch_of(arrays=[LONG]), 10**5),
    "an array of many dimensions that comes often": often(batch_of(arrays=[StoredArray("bool", (0,) * 60_000, b"")]), 10**5),
}


@pytest.mark.thorough
@pytest.mark.parametrize("body", BOMBS.values(), ids=BOMBS.keys())
def test_what_is_meant_to_fill_the_parents_memory(body: bytes) -> None:
    data = frame(BATCH, body)
    tracemalloc.start()
    try:
        result = result_of(data[: MAX_FRAME * 2])
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert result.status == "crashed"
    # The bytes themselves lie there three times, and what they unfold to before they are rejected.
    assert peak < 250 * 2**20


def test_no_child_can_send_more_than_a_run_may() -> None:
    limits = Limits(events=5_000, array_bytes=2**20, output_chars=10_000)
    floods = {
        "events": encode(batch_of([Raised(type="E", message="m")] * ROWS)),
        "sites": encode(batch_of(sites=[Site()] * ROWS)),
        "arrays": encode(batch_of(arrays=[StoredArray("bool", (300,), bytes(300))] * ROWS)),
        "small arrays": encode(batch_of(arrays=[StoredArray("bool", (3,), bytes(3))] * ROWS)),
        "text": encode(batch_of([Printed("x" * 9_000)])),
    }
    for name, body in floods.items():
        collected = CollectedRun(PROGRAM, limits)
        count = 0
        while collected.feed(frame(BATCH, body)):
            count += 1
            assert count < 2_000, name
        assert collected.trouble == "nonsense", name


def test_of_what_no_event_names_there_is_no_more_than_a_run_could_have() -> None:
    allowed = Limits(events=1_000)
    for name, one in {
        "scopes": batch_of(scopes=[Scope("f")]),
        "arrays": batch_of(arrays=[StoredArray("bool", (), b"\1")]),
    }.items():
        more = changed(one, nests=[], kinds=[])
        for times, trouble in ((14_000, ""), (16_000, "nonsense")):
            frames = frame(BATCH, encode(one)) + frame(BATCH, often(more, times)) * 2 + done()
            collected = collected_from(frames, limits=allowed)
            assert collected.trouble == trouble, (name, times)


def test_a_figure_is_shown_no_more_often_than_a_run_shows_figures() -> None:
    drew = batch_of([Drew('{"number":1,"width":4,"height":3}')])
    for times, trouble in ((FIGURES.value(), ""), (FIGURES.value() + 1, "nonsense")):
        assert collected_from(frame(BATCH, often(drew, times)) + done()).trouble == trouble
    one = Recording(("",), [Drew("{}")] * (FIGURES.value() + 1))
    with pytest.raises(TooMuchError, match="100 figures"):
        Room(Limits()).take_all(one)


def test_where_strangers_run_programs_their_files_have_the_limits_of_strangers(monkeypatch: pytest.MonkeyPatch) -> None:
    def sent(files: int, each: int) -> str:
        parts = [frame(WRITTEN, encode(Written(f"f{k}", b"x" * each))) for k in range(files)]
        return collected_from(b"".join(parts) + done()).trouble

    size, count = (row.value(hosted=True) for row in (FILE_BYTES, FILE_COUNT))
    assert [sent(3, size // 2), sent(count + 1, 1)] == ["", ""]
    monkeypatch.setattr(receiver, "settings", lambda: Settings(hosted=True))
    assert [sent(2, size // 2), sent(count, 1)] == ["", ""]
    assert [sent(3, size // 2), sent(count + 1, 1)] == ["nonsense", "nonsense"]


def test_no_child_can_keep_the_parent_busy_with_crumbs() -> None:
    collected = CollectedRun(PROGRAM)
    assert not collected.feed(frame(BATCH, b"\x90") * (MAX_FRAMES + 1))
    collected = CollectedRun(PROGRAM)
    for _ in range(MAX_READS):
        collected.feed(b"")
    assert not collected.feed(b"")


def test_an_end_that_contradicts_itself_is_not_believed() -> None:
    wrong = RunError("E", "m", 1)
    impossible = [
        done("marvellous"), done("ok", wrong), done("error"), done(seconds=float("nan")), done(seconds=-1.0),
        done(cells=["ok"] * 3), done(cells=["x" * 10**6]), done(cells=["<b>"]),
        done("error", RunError("E", "m", -1)), done("error", RunError("E", "m", 2**40)),
        done("error", RunError("E", "m", cell=1)),
        done("error", RunError("E", "m" * 30_000)), done("error", RunError("E" * 30_000, "m")), done() + done(),
    ]  # fmt: skip
    assert [result_of(data).status for data in impossible] == ["crashed"] * len(impossible)


def test_after_its_end_a_child_is_not_listened_to() -> None:
    collected = CollectedRun(PROGRAM)
    assert not collected.feed(done())
    assert sound(collected.result(None, 1.0)).status == "ok"


def test_where_a_child_was_stuck_is_believed_only_inside_the_program() -> None:
    for told, line in (
        (b'  File "<program>", line 3 in f\n  File "<program>", line 9 in <module>', 3),
        (b'  File "<cell 1>", line 4 in f', 4),
        (b'  File "<cell 7>", line 4 in f', 0),
        (b'  File "/etc/passwd", line 3', 0),
        (b'  File "<program>", line 99999999999', 999999999),
        (b"\xff" * 100, 0),
    ):
        collected = CollectedRun(PROGRAM)
        collected.feed(frame(STUCK, told))
        result = collected.result((-9, True), 1.0)
        assert result.status == "timeout"
        assert result.error is not None
        assert result.error.line == line


@pytest.mark.parametrize(
    ("events", "arrays", "sites"), [(0, 0, 0), (1, 0, 0), (ROWS, ROWS, ROWS), (3 * ROWS + 7, 1, 2 * ROWS + 1)]
)
def test_batches_hold_everything_in_order(events: int, arrays: int, sites: int) -> None:
    made = [Printed(str(k)) for k in range(events)]
    kept = [StoredArray("uint8", (k,), bytes(k)) for k in range(arrays)]
    places = [Site(0, k) for k in range(sites)]
    whole, found = batch_of(made, places, (), kept), Assembly()
    few = list(batches(whole, [len(array.data or b"") for array in kept]))
    for batch in few:
        found.add(batch)
    tape = found.tape()
    assert tape.decoded(0, events) == made
    assert found.sites == places
    assert list(found.stored()) == kept
    assert all(max(map(len, (b.forms, b.sites, b.kinds))) <= ROWS for b in few)
    first = next((k for k, b in enumerate(few) if b.rows), 0)
    assert not any(b.sites or b.arrays or b.forms for b in few[first + 1 :])


# --- a child that sends its own frames ------------------------------------------------------------------------------------

FORGE = (
    "import os, struct\n"
    "def send(kind, body): os.write(3, struct.pack('<cI', kind, len(body)) + body)\n"
)  # fmt: skip


def test_a_forged_result_is_a_lie_about_its_own_run_only() -> None:
    told = encode(Done("ok", None, ["ok"], 0.0))
    forged = encode(batch_of([Printed("forged")]))
    lie = run(f"{FORGE}send(b'B', {forged!r})\nsend(b'D', {told!r})\nwhile True: pass", layers=BARE)
    assert (lie.status, lie.output) == ("ok", "forged")
    results: dict[str, RunResult] = {}

    def one(name: str, program: str, layers: Layers) -> None:
        results[name] = run(program, Limits(seconds=20), layers=layers)

    forged = f"{FORGE}send(b'D', {told!r})"
    programs = {f"honest {k}": (f"print({k})", Layers()) for k in range(6)} | {f"forged {k}": (forged, BARE) for k in range(6)}
    threads = [threading.Thread(target=one, args=(name, *p)) for name, p in programs.items()]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert [results[f"honest {k}"].output for k in range(6)] == [f"{k}\n" for k in range(6)]


@pytest.mark.thorough
@pytest.mark.parametrize(
    "attack",
    [
        "while True: os.write(3, b'B\\0\\0\\0\\0')",
        "while True: os.write(3, b'\\0')",
        "while True: send(b'B', b'\\x91' * 10 ** 6)",
        "while True: send(b'S', b'')",
        "os.write(3, b'B\\xff\\xff\\xff\\x00'); import time; time.sleep(1000)",
        f"send(b'B', {encode(batch_of([Raised(type='E', message='m')] * 1000))!r} * 1)\nwhile True: pass",
        "os.close(3)\nwhile True: pass",
        "os.dup2(4, 3)\nprint('x')",
        "os.write(4, b'File \"<program>\", line 1' * 2000)\nwhile True: pass",
    ],
)
def test_a_forger_does_not_stop_the_next_run(attack: str) -> None:
    began = time.monotonic()
    result = run(FORGE + attack, Limits(seconds=1), layers=BARE)
    assert result.status in ("crashed", "timeout", "error")
    assert time.monotonic() - began < 60
    assert run("print('next')").output == "next\n"
