"""Tensors that do not lie row by row are recorded: sparse ones, nested ones, quantized ones."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest

from engine.recording import Recording
from engine.recording import events as e

LEVELS = ("facts", "statistics", "values")
MADE: dict[str, tuple[str, str, tuple[int, ...]]] = {
    "coo": ("d.to_sparse()", "sparse_coo", (2, 3)),
    "csr": ("d.to_sparse_csr()", "sparse_csr", (2, 3)),
    "csc": ("d.to_sparse_csc()", "sparse_csc", (2, 3)),
    "bsr": ("torch.eye(4).to_sparse_bsr((2, 2))", "sparse_bsr", (4, 4)),
    "bsc": ("torch.eye(4).to_sparse_bsc((2, 2))", "sparse_bsc", (4, 4)),
    "nested": ("torch.nested.nested_tensor([torch.ones(2), torch.ones(3)])", "", (2, 3)),
    "jagged": ("torch.nested.nested_tensor([torch.ones(2), torch.ones(3)], layout=torch.jagged)", "jagged", (2, 3)),
    "mkldnn": ("torch.ones(3).to_mkldnn()", "_mkldnn", (3,)),
    "quantized": ("torch.quantize_per_tensor(torch.ones(3), 0.1, 0, torch.qint8)", "", (3,)),
}
"""Kind → what makes one of `d`, how its layout is told, and its shape."""


def recorded(torch: ModuleType, text: str, level: str) -> Recording:
    from engine.pytorch import record

    names: dict[str, Any] = {"torch": torch, "d": torch.tensor([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]])}
    with record(level=level) as tape:
        names["made"] = eval(text, names)
    assert tape.recorder is not None
    assert not tape.recorder.failure
    return tape.recording


@pytest.mark.filterwarnings("ignore:.*(beta|prototype) (state|stage).*:UserWarning", "ignore:.*quantiz.*")
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("kind", MADE)
def test_it_is_recorded(torch: ModuleType, kind: str, level: str) -> None:
    text, layout, shape = MADE[kind]
    recording = recorded(torch, text, level)
    made = [output for event in recording.events if isinstance(event, e.OpRan) for output in event.outputs]
    assert (layout, shape) in {(info.layout, tuple(info.shape)) for info in made}
    assert Recording.load(recording.to_bytes()).events == recording.events


@pytest.mark.filterwarnings("ignore:.*(beta|prototype) (state|stage).*:UserWarning")
def test_numbers_of_all_parts_are_summarised_together(torch: ModuleType) -> None:
    recording = recorded(torch, "torch.nested.nested_tensor([torch.ones(2), torch.full((3,), 6.0)])", "statistics")
    (made,) = [o for event in recording.events if isinstance(event, e.OpRan) for o in event.outputs if tuple(o.shape) == (2, 3)]
    summary = recording.arrays[made.array].summary
    assert summary is not None
    assert summary.mean == 4.0
