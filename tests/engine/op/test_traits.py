"""What an operation is known to be is said at its declaration and travels in recordings."""

from __future__ import annotations

import ast
from pathlib import Path

import msgspec
import numpy as np
import pytest

from engine.diagnosis import findings, why
from engine.graph import build
from engine.graph.shown.captions import captions
from engine.op.declare import CREATED, TABLE, op, traits_of
from engine.op.traits import TRAITS
from engine.recording import Recording, operations
from engine.recording.events import Named, OpRan
from engine.recording.operations import having
from engine.recording.recording import OpInfo
from engine.recording.store import TooMuchError
from engine.sandbox import run
from tests.corpus import Case, corpus

ROOT = Path(__file__).resolve().parents[3]
DEFECTS = corpus(Path(__file__).parents[1] / "diagnosis/corpus/defects.py").cases

CUT = """import torch
w = torch.tensor([1.0, 2.0], requires_grad=True)
y = torch.tensor((w * 3).tolist(), requires_grad=True)
z = w.detach() * y
z.sum().backward()
"""


@pytest.fixture(scope="module")
def recording() -> Recording:
    made = run(CUT).recording
    assert made is not None
    return made


def test_a_declaration_with_an_unknown_trait_is_refused() -> None:
    with pytest.raises(ValueError, match=r"no such trait: roundish; there are .*creation"):
        op(r"\mathrm{{never}}({self})", traits="leaf roundish", self=None)(lambda self: np.abs(self))


@pytest.mark.thorough
def test_every_trait_is_said_of_an_operation_and_asked_for() -> None:
    said = {trait for o in (*TABLE.values(), *CREATED.values()) for trait in o.traits}
    paths = [path for path in (ROOT / "engine").rglob("*.py") if path.name != "traits.py"]
    nodes = [node for path in paths for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))]
    saying = {id(node.value) for node in nodes if isinstance(node, ast.keyword) and node.arg == "traits"}
    asked = {node.value for node in nodes if isinstance(node, ast.Constant) and id(node) not in saying}
    assert said <= TRAITS.keys()
    assert {*TRAITS} - said == set()
    assert {*TRAITS} - asked == set()


def test_asking_for_an_unknown_trait_is_an_error(recording: Recording) -> None:
    with pytest.raises(KeyError, match="roundish"):
        having(recording, "roundish")


def test_variants_of_one_name_share_their_traits() -> None:
    assert traits_of("detach") >= {"detaches"}
    assert traits_of("no such operation") == set()


def test_a_recording_carries_what_was_declared(recording: Recording) -> None:
    assert recording.ops["tensor"].traits == ("creation", "leaf")
    assert "detach" in having(recording, "detaches")


def test_what_a_recording_says_itself_counts() -> None:
    ops = {"as_tensor": OpInfo("as_tensor", traits=()), "lift_fresh": OpInfo("lift_fresh", traits=("leaf", "of_tomorrow"))}
    leaves = having(Recording(ops=ops), "leaf")
    assert leaves & {"lift_fresh", "as_tensor", "tensor"} == {"lift_fresh", "tensor"}


def before_traits(recording: Recording) -> Recording:
    """The recording as it was made before operations had traits."""
    document = msgspec.msgpack.decode(msgspec.msgpack.encode(list(recording.ops.values())))
    for entry in document:
        del entry["traits"]
        entry["symbol"] = ""
    ops = {info.name: info for info in msgspec.convert(document, list[OpInfo])}
    assert all(info.traits is None for info in ops.values())
    return Recording(recording.source, recording.events, recording.sites, recording.scopes, recording.arrays, ops)


def known_then(recording: Recording) -> Recording:
    """The same recording as if operations had no trait but those that there were when recordings began to tell them."""
    ops = {
        name: msgspec.structs.replace(info, traits=tuple(t for t in info.traits or () if t in operations.FORMER))
        for name, info in recording.ops.items()
    }
    return Recording(recording.source, recording.events, recording.sites, recording.scopes, recording.arrays, ops)


def test_what_was_known_before_is_said_in_the_same_words() -> None:
    assert operations.FORMER.keys() <= TRAITS.keys()
    assert all(operations.FORMER.values())


def titles(recording: Recording) -> list[str]:
    graph = build(recording)
    return [graph.nodes[n]["title"] for n in graph]


@pytest.mark.thorough
@pytest.mark.parametrize("case", [*DEFECTS.values()][::5], ids=str)
def test_a_recording_from_before_traits_is_read_as_it_was(case: Case) -> None:
    recording = run(case.program).recording
    assert recording is not None
    made, old = known_then(recording), before_traits(recording)
    assert findings(old) == findings(made)
    assert captions(old) == captions(made)
    assert titles(old) == titles(made)
    tensors = {event.tensor for event in made.events if isinstance(event, Named) and event.tensor >= 0}
    for tensor in sorted(tensors):
        assert why(old, tensor) == why(made, tensor)


def test_all_variants_of_a_name_are_drawn_with_one_sign() -> None:
    signs: dict[str, set[str]] = {}
    for declared in TABLE.values():
        signs.setdefault(declared.name, set()).add(declared.symbol)
    assert {name: found for name, found in signs.items() if len(found) > 1} == {}
    assert signs["mul"] == {"×"}


def test_an_operation_that_is_written_between_its_inputs_has_a_sign() -> None:
    assert [o.name for o in TABLE.values() if "infix" in o.traits and not o.symbol] == []


@pytest.mark.parametrize("traits", [("leaf",) * 65, ("x" * 2_001,)])
def test_a_strangers_recording_says_no_more_of_an_operation_than_there_is_to_say(traits: tuple[str, ...]) -> None:
    with pytest.raises(TooMuchError):
        Recording.load(Recording(ops={"add": OpInfo("add", traits=traits)}).to_bytes())


@pytest.mark.parametrize("name", ["dead relu by lr", "an update through .data in place", "round in the loss"])
def test_operations_of_another_engine_are_known_by_what_their_recording_says_of_them(name: str) -> None:
    made = run(DEFECTS[name].program).recording
    assert made is not None

    def other(op: str) -> str:
        return op if op in ("grad", "constant", "accumulate") else f"aten::{op}"

    events = [msgspec.structs.replace(e, op=other(e.op)) if isinstance(e, OpRan) else e for e in made.events]
    ops = {other(k): msgspec.structs.replace(info, name=other(k)) for k, info in made.ops.items()}
    foreign = Recording(made.source, events, made.sites, made.scopes, made.arrays, ops, engine="torch")
    assert [f.rule for f in findings(foreign)] == [f.rule for f in findings(made)] != []
