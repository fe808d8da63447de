"""Rows of forms become the columns that their events would have made, and rows that do not fit are refused."""

from __future__ import annotations

import gc
import struct
import weakref
from typing import Any

import numpy as np
import pytest

import engine as torch
from engine.context import context
from engine.recording import recorder as module
from engine.recording.assembly import Assembly
from engine.recording.batch import HOLE, TEXT_HOLE, Batch, batch_of, numbers
from engine.recording.bounded_text import shown
from engine.recording.events import NOTHING, Argument, BackwardEnded, Named, OpRan, Printed, Scope, Stepped, TensorInfo
from engine.recording.recorder import Recorder, record
from engine.recording.store import RecordingError, Row


def rows(*events: tuple[int, ...]) -> dict[str, Any]:
    """Rows as a batch has them."""
    return {"rows": b"".join([numbers(row) for row in events]), "lengths": numbers(map(len, events), "H")}


def assembled(batch: Batch) -> list[Any]:
    whole = Assembly()
    whole.add(batch)
    tape = whole.tape()
    return tape.decoded(0, tape.size)


MADE = OpRan(
    "mul",
    (Argument("self", HOLE), Argument("other", TEXT_HOLE - 1)),
    (TensorInfo(HOLE - 2, "float32", (2, 3), HOLE - 3),),
)


def test_holes_are_filled_row_by_row() -> None:
    batch = Batch(
        [MADE, Named("x", HOLE)], texts=["2", "-0.5"], **rows((0, 4, 5, 10, 1, 11, 7), (1, 1, 1, 11), (0, 4, 5, 11, 0, 12, 8))
    )
    first, name, second = assembled(batch)
    given = Argument("self", 10), Argument("other", text="-0.5")
    assert first == OpRan("mul", given, (TensorInfo(11, "float32", (2, 3), 7),), site=4, scope=5)
    assert name == Named("x", 11, site=1, scope=1)
    assert (second.inputs[1].text, second.inputs[1].tensor, second.outputs[0].id) == ("2", NOTHING, 12)


def test_columns_take_as_few_bytes_as_hold_their_numbers() -> None:
    whole = Assembly()
    whole.add(Batch([MADE], texts=["2"], **rows((0, 4, 5, 10, 0, 11, 7), (0, 4, 5, 10, 0, 300, 7))))
    (table,) = (table for table in whole.tape().tables.values() if table.size)
    inputs, outputs = table.children["inputs"], table.children["outputs"]
    widths = {name: inputs.columns[name].dtype.itemsize for name in ("tensor", "text")}
    assert widths == {"tensor": 1, "text": 1}
    assert outputs.columns["id"].dtype.itemsize == 2
    assert outputs.columns["id"].tolist() == [11, 300]


def test_a_log_that_comes_in_pieces_is_the_same() -> None:
    events = [Printed(str(k)) for k in range(7)] + [BackwardEnded(k) for k in range(3)]
    whole = Assembly()
    for k, event in enumerate(events):
        whole.add(batch_of([event], forms=k))
        if k % 3 == 1:
            assert whole.tape().size == k + 1
    assert whole.tape().decoded(0, len(events)) == events


@pytest.mark.parametrize(
    "batch",
    [
        Batch([MADE], texts=["2"], **rows((0, 4, 5, 10, 0, 11))),
        Batch([MADE], texts=["2"], **rows((0, 4, 5, 10, 1, 11, 7))),
        Batch([MADE], texts=["2"], **rows((0, 4, 5, 10, -1, 11, 7))),
        Batch([Named("x", HOLE - 2**40)], **rows((0, 0, 0, 1))),
        Batch([Named("x", -(2**63))], **rows((0, 0, 0, 1))),
        Batch([Named("x", HOLE)], **rows((1, 0, 0, 1))),
        Batch([Named("x", HOLE)], **rows((-1, 0, 0, 1))),
        Batch([Named("x", HOLE)], **rows((0, 0))),
        Batch([Named("x", HOLE)], rows=numbers((0, 0, 0, 1)), lengths=numbers([5], "H")),
        Batch([Named("x", HOLE)], rows=numbers((0, 0, 0, 1, 9)), lengths=numbers([4], "H")),
        Batch([Named("x", HOLE)], rows=numbers((0, 0, 0, 1)) * 100, lengths=numbers([4] * 99 + [5], "H")),
        Batch([Named("x", HOLE)], rows=numbers((7, 0, 0, 1)) * 100, lengths=numbers([4] * 100, "H")),
        Batch(rows=b"abc"),
        Batch(lengths=b"a"),
        Batch(nests=[Scope(loops=((1, HOLE - 1),))], scopes=numbers((0, 1)), scope_lengths=numbers([2], "H")),
        Batch(scopes=numbers((0,)), scope_lengths=numbers([1], "H")),
        Batch(arrays=b"abc"),
        Batch(arrays=numbers([0])),
        Batch(kinds=[Row("bool", (2,), 0)], arrays=numbers([0]), data=b"a"),
        Batch(kinds=[Row("bool", (2,), 0)], arrays=numbers([-1]), data=b"ab"),
        Batch(kinds=[Row("bool", (-2,), 0)], arrays=numbers([0, 0])),
        Batch(kinds=[Row("object", (2,), 0)], arrays=numbers([0]), data=b"ab"),
    ],
    ids=str,
)
def test_rows_that_do_not_fit_are_refused(batch: Batch) -> None:
    with pytest.raises(RecordingError):  # noqa: PT012  (some are found when they come, others when all are put together)
        whole = Assembly()
        whole.add(batch)
        whole.tape()
        whole.stored()


def test_numbers_of_more_than_32_bits_are_no_holes() -> None:
    with pytest.raises(struct.error):
        numbers([2**31])
    with record({__file__: 0}) as tape:
        x = torch.ones(2, requires_grad=True) * 2
        assert x.grad_fn is not None
        x.grad_fn._set_sequence_nr(2**40)
        for _ in range(6):
            y = x * 3
            y.grad_fn._set_sequence_nr(2**40)
    assert tape.recording().tape.size


OFTEN_DONE = """
for again in range(9):
    torch.manual_seed(0)
    x = torch.ones(3, requires_grad=True)
    y = x * x
    v = y[1:]
    v.mul_(2)
    y.sum().backward(retain_graph=True)
    y.sum().backward()
    x.grad.zero_()
    g, = torch.autograd.grad((x ** 3).sum(), x, create_graph=True)
    g.sum().backward()
    with torch.no_grad():
        x += 1
        z = x * 0.5
        x.sub_(x.grad * 0.25).mul_(2).clamp_(-5.0, None).add_(torch.zeros(3) + x.grad, alpha=0.5)
        x.grad.mul_(0.5)
    a = torch.cat([x[k : k + 1] * float(k - again) for k in range(3)] + [y.detach()]) if again % 2 else x * -0.0 + x * 0.0 + 1
    a = a.reshape(-1, 1).sum(0, keepdim=True) * True
    loss = model(torch.ones(4, 2)).square().mean() + a.sum() + (x[again % 3] * again).tanh()
    opt.zero_grad()
    loss.backward()
    opt.step()
    u = torch.randn(70, again % 4 + 1, requires_grad=True) * 2.5
    (u.exp() / u).max(1).values.sum().backward()
    x.grad = None
"""


def test_shortcuts_write_what_is_described_without_them(monkeypatch: pytest.MonkeyPatch) -> None:
    def described(self: Recorder, where: tuple[int, int], key: object, filling: object, what: str, *arguments: object) -> None:
        self.note(where, what, *arguments)

    kept: list[Any] = []
    for often in (module.OFTEN, 10**9):
        monkeypatch.setattr(module, "OFTEN", often)
        if kept:
            monkeypatch.setattr(Recorder, "_keyed", described)
        torch.manual_seed(0)
        context.sequence = 0
        model = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Tanh(), torch.nn.Linear(3, 1))
        opt = torch.optim.Adam(model.parameters(), lr=0.1)
        with record({"<program>": 0}) as tape:
            exec(compile(OFTEN_DONE, "<program>", "exec"), {"torch": torch, "model": model, "opt": opt, "__name__": "__main__"})
        assert bool(tape._shortcuts) == (often < 10**9)
        keyed = {key[0] for key in tape._forms if isinstance(key, tuple)} & {"introduced", "wrote", "backward_began", Stepped}
        assert len(keyed) == (0 if kept else 4)
        kept.append(tape.recording())
    short, long = kept
    for one, other in zip(short.events, long.events, strict=True):
        assert one == other
    assert list(short.arrays) == list(long.arrays)
    assert (list(short.sites), list(short.scopes), short.ops) == (list(long.sites), list(long.scopes), long.ops)


def test_gradients_that_the_program_has_let_go_are_not_kept_alive() -> None:
    with record({__file__: 0}):
        x = torch.ones(3, requires_grad=True)
        gone = []
        for _ in range(300):
            (x * 2).sum().backward()
            gone.append(weakref.ref(x.grad))
            x.grad = None
        gc.collect()
        assert [reference() for reference in gone] == [None] * 300


def test_what_is_given_as_an_array_or_a_list_is_told_shortly_and_is_no_part_of_the_form() -> None:
    with record({__file__: 0}) as tape:
        for k in range(12):
            torch.from_numpy(np.full((4, 8), k, np.float32))
            torch.as_tensor([k, k + 1.5])
    events = [event for event in tape.recording().events if isinstance(event, OpRan)]
    texts = [event.inputs[0].text for event in events]
    assert texts[:2] + texts[-2:] == ["array of shape (4, 8), dtype float32", "[0, 1.5]", texts[0], "[11, 12.5]"]
    assert len({form[0] for form in tape.writer._known.values()}) == 2
    assert [event.outputs[0].shape for event in events[::2]] == [(4, 8)] * 12


@pytest.mark.parametrize("value", [[], [[0.25] * 50] * 3, [[], [[1]], (2, "a" * 99)], list(range(10**5)), (1,), "a" * 200, 0.1])
def test_the_text_of_a_list_is_what_fits_of_it(value: object) -> None:
    whole = repr(value)
    assert shown(value) == (whole if len(whole) <= 80 else whole[:79] + "…")
