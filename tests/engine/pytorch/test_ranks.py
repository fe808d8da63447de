"""Processes that train together, on gloo and the loopback: each writes its own file, what they do together is in it, and what
they do apart is found."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from engine.diagnosis.findings import findings
from engine.diagnosis.findings.catalogue import entry
from engine.diagnosis.ranks import facts_of, kinds, rank_findings
from engine.recording import Recording
from engine.recording.collectives import NAMES
from engine.recording.events import Accumulated, GradSet, OpRan, Printed, Raised
from tests.engine.pytorch.gloo import run_ranks

HEAD = """\
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
dist.init_process_group("gloo")
rank = dist.get_rank()
torch.manual_seed(0)
"""
TRAINING = """\
net = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Dropout(0.1), nn.Linear(8, 1))
model = DistributedDataParallel(net)
optimizer = torch.optim.AdamW(model.parameters(), lr=0.1)
torch.manual_seed(rank)
for step in range(4):
    x = torch.randn(16, 4)
    loss = ((model(x) - x.sum(1, keepdim=True)) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""
STATE = """\
with open(f"{__file__}.{rank}", "wb") as file:
    torch.save([net.state_dict(), optimizer.state_dict(), torch.get_rng_state()], file)
"""
SCRIPTS = {
    "averaged": HEAD + "net = nn.Linear(2, 1, bias=False)\nmodel = DistributedDataParallel(net)\n"
    "model(torch.full((1, 2), float(rank + 1))).sum().backward()\nw, g = net.weight, net.weight.grad\n",
    "accumulated": HEAD + "net = nn.Linear(2, 1)\nmodel = DistributedDataParallel(net)\n"
    "with model.no_sync():\n    model(torch.randn(3, 2) + rank).sum().backward()\n"
    "model(torch.randn(3, 2) + rank).sum().backward()\n",
    "unused": HEAD + "net = nn.ModuleList([nn.Linear(2, 2), nn.Linear(2, 2)])\n"
    "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.parts = net\n"
    "    def forward(self, x):\n        return self.parts[rank % 2](x)\n"
    "model = DistributedDataParallel(Net(), find_unused_parameters=True)\n"
    "optimizer = torch.optim.SGD(model.parameters(), lr=0.1)\n"
    "model(torch.randn(3, 2) + rank).sum().backward()\noptimizer.step()\n",
    "together": HEAD + "x = torch.full((2,), float(rank))\ndist.all_reduce(x)\n"
    "y = torch.full((2,), float(rank))\nwork = dist.all_reduce(y, async_op=True)\nz = torch.zeros(1)\nwork.wait()\nz = z + 1\n"
    "b = torch.full((2,), float(rank) + 5)\ndist.broadcast(b, 0)\n"
    "parts = [torch.zeros(()) for _ in range(dist.get_world_size())]\ndist.all_gather(parts, torch.tensor(float(rank)))\n"
    "dist.barrier()\nend = x + y\n",
    "viewed": HEAD + TRAINING.replace("(net)", "(net, gradient_as_bucket_view=True, static_graph=True)"),
    "hooked": HEAD
    + TRAINING.replace("DistributedDataParallel(net)", "net").replace(
        "torch.manual_seed(rank)",
        "def average(p):\n    dist.all_reduce(p.grad)\n    p.grad /= dist.get_world_size()\n"
        "for p in net.parameters():\n    p.register_post_accumulate_grad_hook(average)\ntorch.manual_seed(rank)",
    ),
    "shared": HEAD
    + TRAINING.replace("DistributedDataParallel(net)", "net")
    + "    with torch.no_grad():\n        for p in net.parameters():\n            dist.all_reduce(p)\n"
    "            p /= dist.get_world_size()\n",
    "sharded": HEAD + "from torch.distributed.optim import ZeroRedundancyOptimizer\n"
    + TRAINING.replace("torch.optim.AdamW(model.parameters(),", "ZeroRedundancyOptimizer(model.parameters(), torch.optim.SGD,"),
    "fully_sharded": HEAD + "from torch.distributed.device_mesh import init_device_mesh\n"
    "from torch.distributed.fsdp import fully_shard\nnet = nn.Linear(4, 1)\n"
    "model = fully_shard(net, mesh=init_device_mesh('cpu', (dist.get_world_size(),)))\n"
    "model(torch.randn(2, 4)).sum().backward()\nprint('through')\n",
    "trained": HEAD + TRAINING + STATE,
    "plain_trained": HEAD + TRAINING + STATE,
    "plain_block": HEAD + "import gradtape\nfrom pathlib import Path\n"
    "with gradtape.record(Path(__file__).with_name('block.gradtape')):\n    w = torch.ones(2, requires_grad=True)\n"
    "    (w * 2).sum().backward()\n",
    "plain_box": HEAD + "import gradtape\nfrom pathlib import Path\n"
    "with gradtape.record(Path(__file__).with_name('box.gradtape'), last=2):\n"
    + "".join(f"    {line}\n" for line in TRAINING.splitlines()),
}  # fmt: skip
CATALOGUE = {f"{id}_{which}": getattr(entry(id), which) for id in kinds() for which in ("broken", "mended")}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where all of it has run, in one go: to start PyTorch takes longer than what is run."""
    pytest.importorskip("torch")
    folder = tmp_path_factory.mktemp("ranks")
    run_ranks(folder, SCRIPTS | CATALOGUE)
    return folder


def ranks_of(folder: Path, name: str) -> list[Recording]:
    return [Recording.load(path) for path in sorted(folder.glob(f"{name}.rank*.gradtape"))]


def events(recording: Recording, kind: type) -> list:
    return [event for event in recording.events if isinstance(event, kind)]


def value(recording: Recording, array: int) -> list:
    found = recording.array(array)
    assert found is not None
    return np.asarray(found).tolist()


def test_each_rank_has_a_file_of_its_own_that_says_so(folder: Path) -> None:
    for name in ("trained", "block", "box"):
        ranks = ranks_of(folder, name)
        assert [(each.rank, each.world_size, each.complete) for each in ranks] == [(0, 2, True), (1, 2, True)]
        assert findings(ranks[0]) == findings(ranks[1]) == []
    assert not (folder / "block.gradtape").exists()


def test_what_ddp_averages_is_an_event_behind_the_passs_own(folder: Path) -> None:
    for rank, recording in enumerate(ranks_of(folder, "averaged")):
        (own,), (averaged,) = events(recording, Accumulated), events(recording, GradSet)
        assert value(recording, own.total) == [[rank + 1.0, rank + 1.0]]
        assert (averaged.how, value(recording, averaged.array), averaged.tensor) == ("all_reduce_", [[1.5, 1.5]], own.tensor)
        assert recording.line(averaged) == 10
        assert not [each for each in events(recording, OpRan) if each.op in ("as_strided", "empty_like")]  # its buckets


def test_without_sync_nothing_is_averaged(folder: Path) -> None:
    for recording in ranks_of(folder, "accumulated"):
        assert [recording.line(each) for each in events(recording, GradSet)] == [12, 12]


def test_what_another_rank_has_used_gets_its_average_too(folder: Path) -> None:
    ranks = ranks_of(folder, "unused")
    for recording in ranks:
        assert len(events(recording, Accumulated)) == 2
        assert len(events(recording, GradSet)) == 4
    assert rank_findings(map(facts_of, ranks), ranks[0]) == ([], [])


def test_collectives_are_told_with_what_they_have_brought(folder: Path) -> None:
    for recording in ranks_of(folder, "together"):
        told = [each for each in events(recording, OpRan) if each.op in NAMES]
        assert [each.op for each in told] == ["all_reduce", "all_reduce", "broadcast", "all_gather", "barrier"]
        brought = [[value(recording, write.array) for write in each.written] for each in told]
        assert brought == [[[1.0, 1.0]], [[1.0, 1.0]], [[5.0, 5.0]], [0.0, 1.0], []]
        assert [recording.line(each) for each in told] == [9, 11, 16, 18, 19]


@pytest.mark.parametrize("name", ["viewed", "hooked", "shared", "sharded"])
def test_other_ways_to_stay_together_are_none_to_part(folder: Path, name: str) -> None:
    ranks = ranks_of(folder, name)
    assert [each.complete for each in ranks] == [True, True]
    assert facts_of(ranks[0]).step_count >= 4
    assert rank_findings(map(facts_of, ranks), ranks[0]) == ([], [])


def test_a_network_in_shards_runs_to_its_end(folder: Path) -> None:
    for recording in ranks_of(folder, "fully_sharded"):
        assert [event.text for event in events(recording, Printed)] == ["through\n"]
        assert events(recording, Raised) == []


def test_training_ends_the_same_bit_for_bit(folder: Path) -> None:
    for rank in range(2):
        recorded, plain = ((folder / f"{name}.py.{rank}").read_bytes() for name in ("trained", "plain_trained"))
        assert recorded == plain


@pytest.mark.parametrize("id", kinds())
def test_a_broken_program_has_its_finding_and_the_mended_one_nothing(folder: Path, id: str) -> None:
    ranks = ranks_of(folder, f"{id}_broken")
    found, _ = rank_findings(map(facts_of, ranks), ranks[0])
    assert [(each.rule, each.severity) for each in found] == [(id, kinds()[id].severity)]
    assert re.search(r"^[\w.]", found[0].title)
    ranks = ranks_of(folder, f"{id}_mended")
    assert rank_findings(map(facts_of, ranks), ranks[0]) == ([], [])
    assert [each for recording in ranks for each in findings(recording) if each.grave] == []


@pytest.mark.ci
def test_four_ranks_are_told_as_two(tmp_path: Path) -> None:
    made = run_ranks(tmp_path, CATALOGUE, 4, "statistics")
    assert {len(files) for files in made.values()} == {4}
    for id in kinds():
        for which, expected in (("broken", [id]), ("mended", [])):
            ranks = ranks_of(tmp_path, f"{id}_{which}")
            assert {each.world_size for each in ranks} == {4}
            found, _ = rank_findings(map(facts_of, ranks), ranks[0])
            assert [each.rule for each in found] == expected
