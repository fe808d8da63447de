"""The black box: of a run that takes hours the last iterations and the scalars of all of them, written when something happens.

Iterations are recorded in *segments*, each by a recorder of its own that begins with what is there: the tensors that the one
before it knew and that are still alive, with their values. So the segments before the last ones can be dropped, and memory does
not grow with the run. When they are written, what several of them know gets one id.

An iteration is one of the innermost loop around the last backward pass. Where no loop of the program is around it, because the
loop is a library's, it goes from one backward pass to the next.
"""

from __future__ import annotations

import math
import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import wraps
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple, TypeAlias

import msgspec
import numpy as np
import torch
from torch.optim.optimizer import register_optimizer_step_post_hook, register_optimizer_step_pre_hook

from ..recording import events as e
from ..recording.batch import Batch
from ..recording.bounded_text import name_of, said
from ..recording.events import Scope, Site
from ..recording.joining import Part, joined
from ..recording.recording import Recording
from ..recording.store import StoredArray
from ..recording.thin import JUMP, USUAL
from ..recording.writer import NOWHERE, LoopNest
from .filing import recording_of
from .project import ProjectCodes
from .recorder import FOR_EVER, TorchRecorder, _version, rates_of
from .telling import told
from .threads import changing
from .watch import watching

Tensor = torch.Tensor
POINTS = 4_096
"""Iterations whose scalars are kept; of a longer run every second, every fourth, …"""
MEMORY = 256 * 2**20
"""Bytes of the segments, about, from which on fewer iterations are kept than are wanted."""
EVENTS = 4_000
"""Events of a segment before the next begins, which takes as long as to record some hundred of them."""
MOMENTS = ("nan", "exception", "jump", "signal")
SIGNALS = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGUSR1") if hasattr(signal, name))


class Iteration(NamedTuple):
    """The scalars of one iteration."""

    number: int
    """Counted from 0 over the whole run."""
    losses: tuple[float, ...]
    """What its backward passes began from, where that was one number."""
    gradient: float
    """The norm of all gradients with which optimizers stepped; NaN where none did, or it could not be measured."""
    rates: tuple[float, ...]
    """The learning rates of the last optimizer's groups."""
    turns: tuple[int, ...] = ()
    """The iterations of the loops that ran, outermost first."""
    steps: tuple[tuple[str, tuple[float, ...]], ...] = ()
    """Each optimizer's name and rates, in the order in which they stepped."""

    @property
    def loss(self) -> float:
        """The last of the losses; NaN where there was none."""
        return self.losses[-1] if self.losses else math.nan


Moment: TypeAlias = str | Callable[[Iteration], Any]
"""When a black box is written: one of `MOMENTS`, or a function of an iteration that says whether now."""


class Scalars:
    """The scalars of a run, as many as there is room for."""

    def __init__(self, most: int = POINTS) -> None:
        self.most, self.every = most, 1
        self.points: list[Iteration] = []

    def add(self, point: Iteration) -> None:
        """Keep the next one, if it is one of those that are kept."""
        if point.number % self.every:
            return
        if len(self.points) >= self.most:
            self.every *= 2
            self.points = [each for each in self.points if each.number % self.every == 0]
            if point.number % self.every:
                return
        self.points.append(point)


class Segment:
    """Some iterations, and the recorder that has them."""

    def __init__(self, recorder: TorchRecorder, first: int) -> None:
        self.recorder, self.first = recorder, first
        self.iterations = 0
        """How many it has whole."""
        self.bytes = 0
        self.introduced = 0
        """Events at its beginning that introduce what the segment before it knows,"""
        self.begins = 0
        """and those before what has happened in it."""
        self.same: dict[int, int] = {}
        """Ids → those that the segment before has for the same tensors."""
        self.before: Segment | None = None
        recorder.filing = self._count

    def _count(self, batch: Batch) -> bool:
        self.bytes += len(batch.rows) + len(batch.data) + 200 * len(batch.kinds)
        return False


class BlackBox:
    """Keeps the last iterations of a run.

    Args:
        path: the file that is written.
        last: how many iterations it has at least, where the run has had as many.
        until: when it is written; at the end of the run it always is.
        every: of how many iterations one is recorded; of the others there are scalars alone.
        renewed: called with each recorder that takes the place of another.
    """

    def __init__(
        self, codes: ProjectCodes, level: str, path: Path, last: int, until: Sequence[Moment], every: int,
        renewed: Callable[[TorchRecorder], None],
    ) -> None:  # fmt: skip
        self.codes, self.level, self.path = codes, level, path.absolute()
        self.last, self.until, self.every, self.renewed = last, until, every, renewed
        self.recorder = TorchRecorder(codes, level)
        self.segments: deque[Segment] = deque([Segment(self.recorder, 0)])
        self.scalars = Scalars()
        self.count = 0
        """How many iterations are over."""
        self.reason = ""
        """Why it is to be written; "" as long as nothing has happened."""
        self.over = False
        self.dropped = False
        """Whether there have been iterations that it no longer has, or never had."""
        self.recording = False
        """Whether the iteration that runs is recorded."""
        self._unit: tuple[tuple[int, int, int], ...] = ()
        self._turns: tuple[int, ...] = ()
        self._nest: LoopNest = ((), ())
        self._losses: list[float] = []
        self._usual: deque[float] = deque(maxlen=USUAL)
        self._norms: dict[int, float] = {}
        """By the `id()` of each optimizer that stepped in this iteration the norm of its gradients."""
        self._stepped: list[tuple[str, tuple[float, ...]]] = []
        self._untraced = False
        """Whether Python tells of no lines, while an optimizer of PyTorch's computes and nothing is recorded."""
        self._measures = True
        """Whether norms of gradients can be had."""
        self._raised: tuple[str, str, Site | None] | None = None
        self.running = False
        """Whether a backward pass is under way."""
        self._outer, self._inner = ExitStack(), ExitStack()
        self._depth = 0, 0
        self._process = os.getpid()
        self.thread = threading.get_ident()

    # --- what it listens to -----------------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Record from here on."""
        self._outer.enter_context(_passes(self))
        self._outer.callback(register_optimizer_step_pre_hook(self._steps).remove)
        self._outer.callback(register_optimizer_step_post_hook(self._has_stepped).remove)
        if "signal" in self.until:
            self._outer.enter_context(_signals(self))
        self._record()

    def loops(self, nest: LoopNest) -> None:
        """Other loops, or other iterations of them, run from now on."""
        if self.over:
            return
        self._nest = nest
        if self.recording and not self.recorder.failure:
            with self.recorder.noting():
                self.recorder.settle()
                self.recorder.loops(nest)
        if not self._unit or nest[0][: len(self._unit)] != self._unit:
            return
        turns = nest[1][: len(self._unit)]
        if turns != self._turns:
            self._turn()
            self._turns = turns

    def began(self, roots: Any) -> None:
        """A backward pass is about to begin."""
        self._has_stepped()  # unless the optimizer has raised
        unit = self._nest[0]
        if unit != self._unit:
            self._unit, self._turns = unit, self._nest[1]
        elif not unit and self._losses:
            self._turn()
            if self.over:
                return
        with self.recorder.aside():
            several = [roots] if isinstance(roots, Tensor) else roots
            found = [r for r in several if isinstance(r, Tensor) and r.numel() == 1 and r.is_floating_point()]
            losses = [float(root.detach()) for root in found]
        for loss in losses:
            self._loss(loss)

    def _loss(self, loss: float) -> None:
        self._losses.append(loss)
        if not math.isfinite(loss):
            if "nan" in self.until:
                self.trigger(f"the loss was {loss}")
            return
        size = abs(loss)
        if "jump" in self.until and len(self._usual) == USUAL and size > JUMP * median(self._usual) > 0:
            self.trigger(f"the loss jumped to {loss:.6g}")
        self._usual.append(size)

    def _steps(self, optimizer: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        if self.over or threading.get_ident() != self.thread:
            return
        with self.recorder.aside(), torch.no_grad():
            grads = [g for group in optimizer.param_groups for p in group["params"] if (g := p.grad) is not None]
            self._stepped.append((name_of(type(optimizer).__name__), rates_of(optimizer)))
            if self._measures and grads:
                try:
                    self._norms[id(optimizer)] = norm_of(grads)
                except Exception as error:  # of some kind of tensor that we have not met
                    self._measures = False
                    told(f"The black box cannot measure gradients: {type(error).__name__}: {said(error)}")
        gradient = self._gradient
        self.recorder.gradient = (gradient,) if self._norms else ()
        if self._norms and not math.isfinite(gradient) and "nan" in self.until:
            self.trigger(f"the norm of the gradients was {gradient}")
        trace, own = self.codes.trace, type(optimizer).__module__.startswith("torch.")
        # What PyTorch's optimizers run is none of the program's, unless it has given them a closure.
        if own and not self.recording and len(args) + len(kwargs) == 1 and trace is not None and sys.gettrace() is trace:
            sys.settrace(None)
            self._untraced = True

    def _has_stepped(self, *_: Any) -> None:
        if self._untraced and threading.get_ident() == self.thread:
            self._untraced = False
            sys.settrace(self.codes.trace)

    @property
    def _gradient(self) -> float:
        """The norm of all gradients with which optimizers have stepped in this iteration."""
        if len(self._norms) == 1:
            return next(iter(self._norms.values()))
        return math.hypot(*self._norms.values()) if self._norms else math.nan

    def trigger(self, reason: str) -> None:
        """Something has happened: what there is will be written when the iteration is over."""
        if not self.reason:
            self.reason = f"{reason} in iteration {self.count}"

    # --- iterations -------------------------------------------------------------------------------------------------------

    def _turn(self) -> None:
        """An iteration is over, and the next begins."""
        if self.over or self.running or threading.get_ident() != self.thread:
            return
        point = self._point()
        self._losses, self._stepped = [], []
        self._norms.clear()
        self.scalars.add(point)
        self.count += 1
        self._ask(point)
        segment = self.segments[-1]
        if self.recording:
            segment.iterations += 1
        if self.reason:
            self.write()
            if not self.reason.startswith("signal"):
                self._stop()
                return
            self.reason = ""
        if self.recorder.failure or not self._mine() or self.recorder.module_calls.inside[1]:
            return  # a module's call goes on, of which another recorder would know no beginning
        with self.recorder.noting():
            self.recorder.settle()
            self.recorder.flush()
        full = segment.bytes > MEMORY / 3
        due = self.count % self.every == 0
        if self.recording and (not due or full or (segment.iterations >= self.last and self._is_long(segment))):
            self._leave()
        if due and not self.recording:
            self._renew()
            self._record()

    def _point(self) -> Iteration:
        steps = tuple(self._stepped)
        return Iteration(self.count, tuple(self._losses), self._gradient, steps[-1][1] if steps else (), self._turns, steps)

    def _stop(self) -> None:
        """It has been written, and the run goes on without it."""
        self.over = True
        self.recorder.busy += FOR_EVER
        if self._mine():
            self._inner.close()
            self.recording = False

    def _is_long(self, segment: Segment) -> bool:
        return self.every > 1 or segment.recorder.count >= EVENTS

    def _ask(self, point: Iteration) -> None:
        for moment in self.until:
            if callable(moment):
                with self.recorder.aside():
                    try:
                        now = bool(moment(point))
                    except Exception as error:
                        told(f"The black box asks no more when it is to be written: {type(error).__name__}: {said(error)}")
                        self.until = [each for each in self.until if each is not moment]
                        continue
                if now:
                    self.reason = self.reason or f"it was asked for after iteration {point.number}"

    def _mine(self) -> bool:
        """Whether PyTorch's modes are where they were left: those of the program, within, could not go on without ours."""
        return not self.recording or _depths() == self._depth

    def _record(self) -> None:
        self.recording = True
        self._inner.enter_context(watching(self.recorder))
        self._depth = _depths()

    def _leave(self) -> None:
        self._inner.close()
        self.recording = False
        self.dropped = self.dropped or self.every > 1

    def _renew(self) -> None:
        """Begin a segment: a recorder that knows what is there."""
        before = self.segments[-1]
        for known in self.codes.known.values():
            known.sites.clear()  # they are rows of the former one's table
        self.recorder = made = TorchRecorder(self.codes, self.level)
        made.module_calls = before.recorder.module_calls
        made.others.tells = before.recorder.others.tells
        segment = Segment(made, self.count)
        segment.before = before
        with made.noting():
            made.loops(self._nest)
            _introduce(before.recorder, segment, gap=before.first + before.iterations < self.count)
            segment.begins = made.count
        self.segments.append(segment)
        self.renewed(made)
        while len(self.segments) > 2 and (
            sum(each.iterations for each in self.segments) - self.segments[0].iterations >= self.last
            or sum(each.bytes for each in self.segments) > MEMORY
        ):
            self.segments.popleft()
            self.dropped = True
        self.segments[0].before = None

    # --- written ----------------------------------------------------------------------------------------------------------

    def end(self, error: BaseException | None = None) -> None:
        """Record nothing more; what has not been written for good is."""
        if not self.over and os.getpid() == self._process:
            if error is not None:
                self._raised = type(error).__name__, said(error), self.codes.span_of(error)
                self.reason = self.reason or f"{self._raised[0]} came in iteration {self.count}"
            if self._losses:
                self.scalars.add(self._point())
                self._losses = []
            self.write()
        self.over = True
        self._inner.close()
        self.recording = False
        self._outer.close()

    def write(self) -> None:
        """Write what there is, in place of what has been written before."""
        try:
            with self.recorder.aside():
                made = self.made()
                part = self.path.with_name(self.path.name + ".part")
                made.save(part)
                part.replace(self.path)
        except Exception as error:  # the program goes on, whatever it is
            told(f"The black box could not be written to {self.path}: {said(error)}")
            return
        if self.reason:
            print(f"Gradtape: wrote {self.path.name}, because {self.reason}", file=sys.stderr)

    def made(self) -> Recording:
        """The last iterations, with the scalars of those before them."""
        if not self.recorder.failure:
            self.recorder.settle()
        segments = [each for each in self.segments if each.before is None or each.recorder.count > each.begins]
        recordings = [recording_of(segment.recorder) for segment in segments]
        if len(recordings) == 1 and not self.dropped and self._raised is None:
            return recordings[0]
        place = _places(recordings)
        unit = self._unit[-1] if self._unit else ()
        parts: list[Part] = []
        done, earlier = 0, -1
        for segment, recording in zip(segments, recordings, strict=True):
            between = [point for point in self.scalars.points if done <= point.number < segment.first]
            if between and place:
                parts.append(Part(_told(between, place, unit)))
            if self.dropped:
                parts.append(Part(Recording(recording.source, [e.Thinned("whole", unit, segment.first)])))
            if segment.before is None:
                parts.append(Part(recording))
            else:
                parts.append(Part(recording, segment.introduced, segment.same, earlier))
            earlier, done = len(parts) - 1, segment.first + segment.iterations
        # Of the iteration that runs there is all, if it is recorded.
        rest = [
            point
            for point in self.scalars.points
            if done <= point.number and not (self.recording and point.number == self.count)
        ]
        if rest and place:
            parts.append(Part(_told(rest, place, unit)))
        if self._raised is not None:
            type, message, span = self._raised
            sites = [] if span is None else [span]
            parts.append(Part(Recording((), [e.Raised(type, message, site=len(sites) - 1)], sites)))
        head = recordings[-1]
        made = joined(parts)
        made.source, made.names, made.engine = head.source, head.names, head.engine
        made.rank, made.world_size = head.rank, head.world_size
        return made


def _introduce(before: TorchRecorder, segment: Segment, gap: bool) -> None:
    """Have a recorder know the tensors that another one knew and that are still alive.

    Leaves come first: where both segments are written, the former one has them, and these events are left out. The others bring
    their graph.
    """
    recorder = segment.recorder
    before.settle()
    living = sorted((held.number, tensor) for held in [*before._ids.values()] if (tensor := held()) is not None)
    leaves = [(number, t) for number, t in living if t.is_leaf and before.owner_of(t) < 0]
    for number, tensor in leaves:
        segment.same[recorder.identify(tensor)] = number
    segment.introduced = recorder.count
    for _, tensor in leaves:
        number = recorder.known(tensor)
        if gap and _version(tensor):
            _changed(recorder, tensor, number)
        if tensor.requires_grad and tensor.grad is not None:
            recorder.grad_set(tensor, "assign")
    for _, tensor in living:
        if not tensor.is_leaf:
            recorder.identify(tensor)


def _changed(recorder: TorchRecorder, tensor: Tensor, number: int) -> None:
    """A tensor was written while nothing was recorded."""
    array, version = recorder._keep(tensor), _version(tensor)

    def event() -> e.AnyEvent:
        hole = recorder.writer.hole
        written = e.Write(hole(number), hole(version), hole(array), tensor.requires_grad)
        return e.OpRan(recorder._described("constant"), written=(written,))

    recorder._write(NOWHERE, event)


def norm_of(grads: Sequence[Tensor]) -> float:
    """The norm of all gradients; halves are added up as what holds their sum, sparse ones as they are meant."""
    groups: dict[tuple[torch.device, torch.dtype], list[Tensor]] = {}
    for g in grads:
        if g.layout is not torch.strided:
            g = g.coalesce().values() if g.layout is torch.sparse_coo else g.to_dense()
        if g.is_complex():
            g = torch.view_as_real(g.resolve_conj())
        groups.setdefault((g.device, g.dtype), []).append(g)
    found = []
    for (_, dtype), same in groups.items():
        norms = torch._foreach_norm(same, 2, torch.float32) if dtype in HALVES else torch._foreach_norm(same)
        found.append(float(torch.linalg.vector_norm(torch.stack(norms))))
    return found[0] if len(found) == 1 else math.hypot(*found)


HALVES = frozenset((torch.float16, torch.bfloat16))


class Place(NamedTuple):
    """Where a loss comes from and where its backward pass begins, in a recording, and where optimizers step."""

    recording: Recording
    loss: e.OpRan
    passes: e.BackwardBegan
    steps: tuple[e.Stepped, ...] = ()
    """Of the iteration's first pass those of the whole iteration."""


def _places(recordings: Sequence[Recording]) -> list[Place]:
    """The backward passes of the last iteration that has any, with what made the losses that they begin from, and its steps."""
    for recording in reversed(recordings):
        events = recording.events
        began = recording.tape.steps(e.BackwardBegan).tolist()
        if not began:
            continue
        last = events[began[-1]]
        loops = recording.scopes[last.scope].loops if last.scope >= 0 else ()
        made = {o.id: event for event in events if isinstance(event, e.OpRan) for o in event.outputs}
        found: dict[int, Place] = {}
        for step in began:
            event = events[step]
            if isinstance(event, e.BackwardBegan) and event.roots and event.via == "backward" and event.scope >= 0:
                loss = made.get(event.roots[0][0])
                if loss is not None and loss.scope >= 0 and len(recording.scopes[event.scope].loops) == len(loops):
                    found.setdefault(event.site, Place(recording, loss, event))
        if found:
            first, *others = found.values()
            return [first._replace(steps=_steps_of(recording, len(loops))), *others]
    return []


def _steps_of(recording: Recording, loops: int) -> tuple[e.Stepped, ...]:
    """Where in so many loops optimizers step."""
    found: dict[int, e.Stepped] = {}
    for step in recording.tape.steps(e.Stepped).tolist():
        event = recording.events[step]
        assert isinstance(event, e.Stepped)
        if event.scope >= 0 and len(recording.scopes[event.scope].loops) == loops:
            found.setdefault(event.site, event)
    return tuple(found.values())


def _told(points: Sequence[Iteration], places: Sequence[Place], unit: tuple[int, ...]) -> Recording:
    """The scalars of some iterations as a recording: what their losses were, and that the passes and steps took place, with
    learning rates and the norm of the gradients."""
    recording = places[0].recording
    sites = list(recording.sites)
    scopes: list[Scope] = []
    arrays: list[StoredArray] = []
    events: list[e.AnyEvent] = []
    rows: dict[Scope, int] = {}

    def scope(of: int, point: Iteration) -> int:
        """The row of a scope in an iteration."""
        known = recording.scopes[of]
        loops = tuple(
            [(line, point.turns[depth] if depth < len(point.turns) else k) for depth, (line, k) in enumerate(known.loops)]
        )
        moved = msgspec.structs.replace(known, loops=loops)
        if moved not in rows:
            rows[moved] = len(scopes)
            scopes.append(moved)
        return rows[moved]

    def scalar(value: float) -> int:
        arrays.append(StoredArray("float32", (), np.float32(value).tobytes()))
        return len(arrays) - 1

    passes = 0
    for point in points:
        events.append(e.Thinned("thin", unit, point.number))
        for value, place in zip(point.losses, places, strict=False):
            passes += 1
            loss, began = place.loss, place.passes
            made = e.TensorInfo(passes - 1, "float32", (), scalar(value), True, False)
            events += [
                e.OpRan(loss.op, outputs=(made,), site=loss.site, scope=scope(loss.scope, point)),
                e.BackwardBegan(
                    passes, ((passes - 1, scalar(1.0)),), site=began.site, scope=scope(began.scope, point)
                ),
                e.BackwardEnded(passes, site=began.site, scope=scope(began.scope, point)),
            ]  # fmt: skip
        for (name, rates), step in zip(point.steps, places[0].steps, strict=False):
            where = scope(step.scope, point)
            events.append(e.Stepped(name, rates=rates, site=step.site, scope=where))
        if point.steps and places[0].steps and point.gradient == point.gradient:
            events[-1] = msgspec.structs.replace(events[-1], gradient=(point.gradient,))
    return Recording(recording.source, events, sites, scopes, arrays, dict(recording.ops), recording.engine,
                     names=recording.names)  # fmt: skip


def _depths() -> tuple[int, int]:
    """How many modes of each kind there are."""
    return torch._C._len_torch_dispatch_stack(), torch._C._len_torch_function_stack()


@contextmanager
def _passes(box: BlackBox) -> Iterator[None]:
    """Tell of backward passes before they are recorded, and where they are not: of `backward`, which programs call."""
    with changing:
        _boxes.append(box)
        if len(_boxes) == 1:
            for owner in _OWNERS:
                _instead(owner)
    try:
        yield
    finally:
        with changing:
            _boxes.remove(box)
            if not _boxes:
                for owner, (original, _) in _replaced.items():
                    owner.backward = original
                _replaced.clear()


def _instead(owner: Any) -> None:
    """Put a function that tells the boxes of the thread in the place of another one.

    That has its own place again while it runs, because PyTorch goes by what stands there, and so may modes of the program;
    unless other threads have boxes, whose passes would go by.
    """
    original = vars(owner)["backward"]

    @wraps(original)
    def backward(tensors: Any, *args: Any, **kwargs: Any) -> Any:
        thread = threading.get_ident()
        told = [box for box in [*_boxes] if box.thread == thread and not (box.over or box.running or box.recorder.within)]
        if not told:
            return original(tensors, *args, **kwargs)
        for box in told:
            box.began(tensors)
            box.running = True
        with changing:
            if all([box.thread == thread for box in _boxes]):
                owner.backward = original
        try:
            return original(tensors, *args, **kwargs)
        finally:
            for box in told:
                box.running = False
            with changing:
                if owner in _replaced:
                    owner.backward = _replaced[owner][1]

    owner.backward = backward
    _replaced[owner] = original, backward


_OWNERS: tuple[Any, ...] = (torch.autograd, Tensor)
_boxes: list[BlackBox] = []
"""Those that listen, of all threads."""
_replaced: dict[Any, tuple[Any, Any]] = {}
"""What stood in the place of `backward` of each owner, and what stands there for them."""


@contextmanager
def _signals(box: BlackBox) -> Iterator[None]:
    """Write when a signal comes, and do then what the program would have done."""
    if threading.current_thread() is not threading.main_thread():
        yield  # handlers are the main thread's affair
        return
    before: dict[Any, Any] = {}

    def came(number: int, frame: Any) -> None:
        name = signal.Signals(number).name
        box.reason = box.reason or f"signal {name} came in iteration {box.count}"
        handler = before[number]
        if callable(handler):
            handler(number, frame)
        elif handler is signal.SIG_DFL and number == signal.SIGTERM:
            box.write()
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)

    for each in SIGNALS:
        if signal.getsignal(each) is not None:  # of one that is not Python's, nothing could be passed on
            before[each] = signal.signal(each, came)
    try:
        yield
    finally:
        for number, handler in before.items():
            if signal.getsignal(number) is came:
                signal.signal(number, handler)
