"""What an operation is known to be is said at its declaration and travels in recordings."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from engine.op.declare import op, traits_of
from engine.recording import Recording
from engine.recording.operations import having
from engine.recording.recording import OpInfo
from engine.recording.store import TooMuchError
from engine.sandbox import run

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


def test_a_recording_from_before_traits_is_read_as_it_was(recording: Recording) -> None:
    def strip(op: OpInfo) -> dict[str, object]:
        return {k: v for k, v in msgspec.structs.asdict(op).items() if k != "traits"}

    before = [msgspec.msgpack.decode(msgspec.msgpack.encode(strip(op)), type=OpInfo) for op in recording.ops.values()]
    old = Recording(ops={op.name: op for op in before})
    for trait in ("creation", "leaf", "detaches"):
        assert having(recording, trait) & recording.ops.keys() == having(old, trait) & recording.ops.keys(), trait


@pytest.mark.parametrize("traits", [("leaf",) * 65, ("x" * 2_001,)])
def test_a_strangers_recording_says_no_more_of_an_operation_than_there_is_to_say(traits: tuple[str, ...]) -> None:
    with pytest.raises(TooMuchError):
        Recording.load(Recording(ops={"add": OpInfo("add", traits=traits)}).to_bytes())
