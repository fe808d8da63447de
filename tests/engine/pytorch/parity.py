"""The oracle turned round: the same programs under both recorders, compared event by event.

python -m tests.engine.pytorch.parity              # how many events stand side by side, and how many are equal in every field
python -m tests.engine.pytorch.parity FILE::NAME   # what differs in one program
python -m tests.engine.pytorch.parity --fields     # which fields differ, how often
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

import numpy as np

from engine.diagnosis import findings
from engine.recording import Recording
from engine.recording import events as e
from engine.sandbox import Limits, run
from tests.corpus import Case, corpora, corpus

HERE = Path(__file__).resolve().parent
CORPORA = HERE.parent / "diagnosis" / "corpus"
PROGRAMS = 200
UNSET = ("Parameter", "empty")
"""Operations whose results hold what was in memory before."""


@dataclass
class Compared:
    """What came of one program."""

    there: int = 0
    """Events that PyTorch's recorder wrote."""
    here: int = 0
    aligned: int = 0
    equal: int = 0
    findings: bool = False
    """Whether both have the same findings, at the same lines."""
    fields: Counter[str] = field(default_factory=Counter)
    differences: list[str] = field(default_factory=list)


def programs() -> list[Case]:
    """What is compared: programs that people ask about and programs that work, in equal shares."""
    asked = [*corpora(CORPORA / "threads")]
    sound = [*corpora(CORPORA / "sound"), *corpus(CORPORA / "harmless_training.py").cases.values()]
    half = PROGRAMS // 2
    return [*spread(asked, half), *spread(sound, half)]


def spread(cases: list[Case], count: int) -> list[Case]:
    return cases if len(cases) <= count else [cases[k * len(cases) // count] for k in range(count)]


def on_pytorch(text: str) -> Recording | None:
    """The recording of a program on PyTorch, which runs in a process of its own; None where it left none."""
    with tempfile.TemporaryDirectory() as folder:
        script, tape = Path(folder) / "program.py", Path(folder) / "program.gradtape"
        script.write_text(text)
        child = os.fork()
        if child == 0:
            try:
                with open(os.devnull, "w") as nothing:
                    os.dup2(nothing.fileno(), 1)
                    os.dup2(nothing.fileno(), 2)
                from engine.pytorch.running import run_script

                os.chdir(folder)
                warnings.resetwarnings()  # a warning ends no program that runs by itself
                run_script(script, (), "values")[0].save(tape)
            finally:
                os._exit(0)
        os.waitpid(child, 0)
        return Recording.load(tape) if tape.exists() else None


@dataclass(frozen=True)
class Id:
    """A tensor's or a node's number, which is another in each recording."""

    kind: str
    number: int


class Pairs:
    """Which number of the one recording stands for which of the other: those that were first met side by side."""

    def __init__(self) -> None:
        self.there: dict[Id, Id] = {}
        self.here: dict[Id, Id] = {}

    def same(self, a: Id, b: Id) -> bool:
        """Whether two numbers stand for one thing."""
        if a.number < 0 or b.number < 0:
            return a.number == b.number
        return self.there.setdefault(a, b) == b and self.here.setdefault(b, a) == a


class Said:
    """A recording's events with what can be compared."""

    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        self.events = [event for event in recording.events if not isinstance(event, e.Printed | e.Warned | e.Raised)]

    def key(self, event: e.AnyEvent) -> tuple[Any, ...]:
        """What makes events of the two stand side by side."""
        what: Any = ""
        match event:
            case e.OpRan():
                what = event.op, bool(event.outputs), bool(event.written)
            case e.Named():
                what = event.name, event.function
            case e.GradSet() | e.Read():
                what = event.how
            case e.FlagSet():
                what = event.flag
        return type(event).__name__, self.recording.line(event), what

    def fields(self, event: e.AnyEvent) -> dict[str, Any]:
        """The rest, by name."""
        scope = self.recording.scopes[event.scope] if event.scope >= 0 else e.Scope()
        found: dict[str, Any] = {"loops": scope.loops, "module": scope.module, "function": scope.function}
        match event:
            case e.OpRan():
                found |= {
                    "inputs": [self._tensor(a.tensor) for a in event.inputs if a.tensor >= 0],
                    "outputs": [
                        (self._tensor(o.id), o.dtype, o.shape, o.requires_grad, o.is_leaf, o.output, o.version, o.is_parameter)
                        for o in event.outputs
                    ],
                    "views": [self._tensor(o.view_of) for o in event.outputs],
                    "written": [(self._tensor(w.tensor), w.version, w.requires_grad, w.is_leaf) for w in event.written],
                    "node": self._node(event.node),
                    "edges": [(self._id(to), k) for to, k in event.node.edges] if event.node else [],
                    "saved": sorted(s.name for s in event.node.saved) if event.node else [],
                    "leaves": sorted(node.name for node in event.accumulators),
                    "mode": event.grad_mode,
                    "cut": event.cut,
                }
            case e.BackwardBegan():
                found |= {"pass": (event.number, event.retain_graph, event.create_graph, event.via)}
                found |= {"roots": [self._tensor(tensor) for tensor, _ in event.roots]}
            case e.NodeRan():
                found |= {"of": self._id(event.node), "sent": [s and (self._id(s.node), s.input) for s in event.sent]}
            case e.Accumulated():
                found |= {"of": self._tensor(event.tensor)}
            case e.BackwardEnded():
                found |= {"ended": (event.number, event.freed, bool(event.error))}
            case e.Stepped():
                found |= {"stepped": (event.optimizer, [*map(self._tensor, event.parameters)], len(event.idle), event.rates)}
            case e.Named() | e.GradSet() | e.Read() | e.FlagSet():
                found |= {"of": self._tensor(event.tensor)}
        if not isinstance(event, e.OpRan) or event.op not in UNSET:
            found["values"] = [self._value(array) for array in _arrays(event)]
        return found

    def _tensor(self, number: int) -> Id:
        return Id("tensor", number)

    def _id(self, number: int) -> Id:
        return Id("node", number)

    def _node(self, node: e.NodeInfo | None) -> Any:
        return None if node is None else (node.name, self._id(node.id))

    def _value(self, array: int) -> Any:
        if array < 0:
            return None
        whole = self.recording.array(array)
        return self.recording.arrays[array].shape if whole is None else whole


def _arrays(event: e.AnyEvent) -> Iterator[int]:
    match event:
        case e.OpRan():
            yield from (o.array for o in event.outputs)
            yield from (w.array for w in event.written)
        case e.NodeRan():
            yield from event.received
            yield from (s.array for s in event.sent if s)
        case e.Accumulated():
            yield from (event.increment, event.total)
        case e.GradSet():
            yield event.array


def same(a: Any, b: Any, pairs: Pairs) -> bool:
    """Whether two fields agree, numbers up to rounding."""
    if isinstance(a, Id) and isinstance(b, Id):
        return pairs.same(a, b)
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return a.shape == b.shape and bool(np.allclose(a, b, rtol=1e-3, atol=1e-5, equal_nan=True))
    if isinstance(a, list | tuple) and isinstance(b, list | tuple):
        return len(a) == len(b) and all([same(x, y, pairs) for x, y in zip(a, b, strict=True)])
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return np.shape(a) == (b if isinstance(b, tuple) else np.shape(b)) or np.shape(b) == a
    return bool(a == b)


def compare(case: Case) -> Compared | None:
    """Both recordings of a program compared; None where one of them could not be had."""
    there = on_pytorch(case.program)
    here = run(case.program, Limits(seconds=60)).recording
    if there is None or here is None:
        return None
    a, b = Said(there), Said(here)
    keys = [a.key(event) for event in a.events], [b.key(event) for event in b.events]
    found, pairs = Compared(len(a.events), len(b.events)), Pairs()
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, *keys, autojunk=False).get_opcodes():
        if tag != "equal":
            found.differences += [f"  PyTorch only: {a.key(event)}" for event in a.events[i1:i2]]
            found.differences += [f"  engine only:  {b.key(event)}" for event in b.events[j1:j2]]
            continue
        for one, other in zip(a.events[i1:i2], b.events[j1:j2], strict=True):
            found.aligned += 1
            x, y = a.fields(one), b.fields(other)
            wrong = [name for name in x if not same(x[name], y.get(name), pairs)]
            found.equal += not wrong
            found.fields.update(f"{type(one).__name__}.{name}" for name in wrong)
            found.differences += [f"  {a.key(one)}: {name}: {x[name]} | {y.get(name)}" for name in wrong]
    found.findings = [(f.rule, f.site and f.site.line) for f in findings(there)] == [
        (f.rule, f.site and f.site.line) for f in findings(here)
    ]
    return found


def _found(recording: Recording) -> list[tuple[str, int]]:
    return [(finding.rule, finding.site.line if finding.site else 0) for finding in findings(recording)]


def main() -> None:
    """Print the figures, or what differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="programs, as FILE::NAME or a part of it")
    parser.add_argument("--fields", action="store_true", help="which fields differ, how often")
    parser.add_argument("--count", type=int, default=PROGRAMS, help="how many programs, spread over all")
    args = parser.parse_args()
    chosen = [case for case in programs() if not args.names or any(name in str(case) for name in args.names)]
    total, fields, others = Compared(), Counter[str](), 0
    lost: Counter[str] = Counter()
    chosen = spread(chosen, args.count)
    for case in chosen:
        found = compare(case)
        if found is None:
            print(f"{case}: no recording")
            continue
        total.there += found.there
        total.here += found.here
        total.aligned += found.aligned
        total.equal += found.equal
        others += not found.findings
        fields += found.fields
        lost.update(re.sub(r", \d+, ", ", ", each) for each in found.differences if " only: " in each)
        if args.names or not found.findings or found.aligned < max(found.there, found.here):
            print(f"{case}: {found.aligned} of {found.there} | {found.here}, {found.equal} equal, findings {found.findings}")
            if args.names:
                print("\n".join(found.differences))
        sys.stdout.flush()
    whole = max(total.there, total.here, 1)
    print(
        f"{len(chosen)} programs: {total.aligned} events of {total.there} | {total.here} aligned ({total.aligned / whole:.1%})"
    )
    print(f"equal in every field: {total.equal / max(total.aligned, 1):.1%}; other findings in {others} programs")
    if args.fields:
        print("\n".join(f"{count:6} {name}" for name, count in [*fields.most_common(30), *lost.most_common(60)]))


if __name__ == "__main__":
    import torch  # noqa: F401  (once, before the processes that run the programs are forked)

    main()
