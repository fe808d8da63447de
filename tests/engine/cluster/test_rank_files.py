"""The files of ranks are read on a cluster's workers, with what this machine would say of them."""

from __future__ import annotations

import pytest

from engine.rank_files import RankFile, RankFileError, read_all
from engine.sandbox import run
from engine.sandbox.settings import Settings
from engine.serving.cluster.backend import Cluster

TRAINING = """\
import torch
w = torch.ones(2, requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1)
for step in range(3):
    opt.zero_grad()
    (w * RANK).sum().backward()
    opt.step()
"""


def files() -> list[RankFile]:
    made = []
    for rank in range(3):
        recording = run(TRAINING.replace("RANK", str(rank + 1))).recording
        assert recording is not None
        recording.rank, recording.world_size = rank, 3
        made.append(RankFile(f"run.rank{rank}.gradtape", recording.to_bytes()))
    return made


@pytest.mark.thorough
def test_files_are_read_on_workers_as_here(there: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("engine.serving.elsewhere.settings", Settings)
        written = files()
        here = read_all(written, ["nan"])
    with monkeypatch.context() as patch:
        patch.setattr("engine.rank_files.read", lambda *_: pytest.fail("it was read here"))
        assert read_all(written, ["nan"]) == here
    assert [each.facts.rank for each in here] == [0, 1, 2]


@pytest.mark.thorough
def test_what_is_no_recording_is_said_to_be_none(there: Cluster) -> None:
    with pytest.raises(RankFileError, match=r"^bad\.gradtape cannot be read: not a recording"):
        read_all([RankFile("bad.gradtape", b"no recording")])


@pytest.mark.thorough
def test_a_cluster_that_is_not_there_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    lost = Cluster("tcp://127.0.0.1:9")
    monkeypatch.setattr("engine.rank_files.elsewhere", lambda: lost)
    with pytest.raises(RankFileError, match="the cluster's scheduler cannot be reached"):
        read_all([RankFile("a.gradtape", b"")])
