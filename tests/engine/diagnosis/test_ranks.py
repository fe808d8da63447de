"""Several ranks of one training, without PyTorch: what is found in all of them together, and what the commands say."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import gradtape
from engine import rank_files
from engine.commands.command import CommandError
from engine.commands.several_ranks import ranks_in
from engine.diagnosis.findings.catalogue import kinds
from engine.diagnosis.ranks import facts_of, one_world, rank_findings
from engine.diagnosis.ranks import kinds as kinds_across
from engine.diagnosis.ranks.facts import ALL, kept
from engine.diagnosis.ranks.world import alike, apart
from engine.recording import Recording
from engine.recording.collectives import path_of
from engine.sandbox import run

TRAINING = """\
import torch
from torch import nn
torch.manual_seed(SEED)
net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
heads = nn.ModuleList([nn.Linear(1, 1), nn.Linear(1, 1)])
opt = torch.optim.SGD([*net.parameters(), *heads.parameters()], lr=0.1)
torch.manual_seed(DATA)
for step in range(STEPS):
    x = torch.randn(8, 3)
    opt.zero_grad()
    ((heads[HEAD](net(x)) + heads[0](net(x)) - x.sum(1, keepdim=True)) ** 2).mean().backward()
    opt.step()
"""
SAME = {"SEED": 0, "DATA": 0, "STEPS": 3, "HEAD": 1}


def world(*ranks: dict[str, int]) -> list[Recording]:
    """The recordings of ranks, each of which does what stands there otherwise than the first."""
    made = []
    for rank, changed in enumerate(ranks):
        text = TRAINING
        for name, value in (SAME | changed).items():
            text = text.replace(name, str(value))
        recording = run(text).recording
        assert recording is not None
        recording.rank, recording.world_size = rank, len(ranks)
        made.append(Recording.load(recording.to_bytes()))
    return made


def found(ranks: list[Recording]) -> list[tuple[str, int]]:
    told, ignored = rank_findings(map(facts_of, ranks), ranks[0])
    assert ignored == []
    return [(each.rule, each.line) for each in told]


def test_ranks_that_do_the_same_are_one_training() -> None:
    ranks = world({}, {}, {})
    assert one_world(ranks)
    assert not one_world(ranks[:1])
    assert not one_world([ranks[0], ranks[0]])
    assert found(ranks) == []


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        ({"DATA": 1}, [("gradient_not_reduced", 12)]),
        ({"SEED": 1}, [("gradient_not_reduced", 12), ("ranks_differ", 11)]),
        ({"STEPS": 5}, [("ranks_out_of_step", 12)]),
        ({"HEAD": 0}, [("idle_on_ranks", 12)]),
    ],
)
def test_what_ranks_do_apart_is_found(other: dict[str, int], expected: list[tuple[str, int]]) -> None:
    assert found(world({}, other)) == expected
    assert found(world({}, {}, {}, other)) == expected


def test_a_finding_names_ranks_parameters_and_values() -> None:
    ranks = world({}, {}, {"DATA": 1})
    (finding,), _ = rank_findings(map(facts_of, ranks), ranks[0])
    assert finding.title.startswith("The gradients of net.0.weight, net.0.bias, net.2.weight and 5 more were not averaged") or (
        finding.title.startswith("The gradients of all 8 parameters were not averaged")
    )
    assert [who for who, _ in finding.evidence][:3] == [f"net.0.weight.grad, rank {rank}" for rank in range(3)]
    assert finding.evidence[0][1] == finding.evidence[1][1] != finding.evidence[2][1]
    assert finding.iterations == "iteration 0 of 3"
    assert "t0" in finding.nodes


def test_a_file_without_an_end_may_yet_catch_up() -> None:
    ranks = world({}, {"STEPS": 5})
    ranks[0].complete = False
    assert found(ranks) == []
    ranks = world({}, {"STEPS": 5})
    ranks[1].complete = False
    assert found(ranks) == [("ranks_out_of_step", 12)]


def test_a_comment_in_the_line_ignores_a_finding() -> None:
    ranks = world({}, {"DATA": 1})
    for each in ranks:
        each.source = (each.source[0].replace("opt.step()", "opt.step()  # gradtape: ignore[gradient_not_reduced]"),)
    told, ignored = rank_findings(map(facts_of, ranks), ranks[0])
    assert (told, [each.rule for each in ignored]) == ([], ["gradient_not_reduced"])


def test_fewer_steps_are_kept_of_long_runs_the_same_ones_on_all_ranks() -> None:
    assert all(map(kept, range(ALL)))
    assert not kept(-1)
    assert sum(map(kept, range(100_000))) < 500
    assert kept(2**16)


def test_what_is_alike_is_so_whatever_the_size() -> None:
    assert alike((-1.0, 1.0, 1e-9, 2.0), (-1.0, 1.0, -1e-9, 2.0))
    assert not alike((-1.0, 1.0, 0.0, 2.0), (-1.0, 1.0, 0.0, 2.001))
    assert not apart([None, (0.0, 1.0, 0.5, 1.0)])
    assert apart([None, (0.0, 1.0, 0.5, 1.0), (0.0, 2.0, 0.5, 1.0)])


def test_a_file_is_named_by_its_rank() -> None:
    assert path_of(Path("a/run.gradtape"), 3, 8) == Path("a/run.rank3.gradtape")
    assert path_of(Path("run.gradtape"), 0, 1) == Path("run.gradtape")
    assert path_of(Path("run.rank3.gradtape"), 3, 8) == Path("run.rank3.gradtape")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, other in (("apart", {"DATA": 1}), ("idle", {"HEAD": 0}), ("same", {})):
        for each in world({}, other):
            each.save(tmp_path / f"{name}.rank{each.rank}.gradtape")
    return tmp_path


def test_explain_takes_ranks_together(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert gradtape.main(["explain", "apart.rank1.gradtape", "apart.rank0.gradtape"]) == 1
    shown = capsys.readouterr().out
    assert shown.startswith("2 ranks of 2: apart.rank0.gradtape, apart.rank1.gradtape\n\nerror: The gradients of ")
    assert "(line 12) [gradient_not_reduced]" in shown
    assert gradtape.main(["explain", "idle.rank0.gradtape", "idle.rank1.gradtape"]) == 1
    shown = capsys.readouterr().out
    assert "[idle_on_ranks]" in shown
    assert "[unused_parameter]" not in shown  # which is the same thing
    assert gradtape.main(["explain", "same.rank0.gradtape", "same.rank1.gradtape"]) == 0
    looked = f"together ({len(kinds_across())} rules looked) or with one of them ({len(kinds())} rules looked)."
    assert looked in capsys.readouterr().out


def test_explain_ignores_and_writes_other_formats(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = ["apart.rank0.gradtape", "apart.rank1.gradtape"]
    assert gradtape.main(["explain", *files, "--ignore", "gradient_not_reduced"]) == 0
    shown = capsys.readouterr().out
    assert "Ignored: gradient_not_reduced." in shown
    assert "Nothing else looks wrong" in shown
    assert gradtape.main(["explain", *files, "--format", "json"]) == 1
    assert [each["rule"] for each in json.loads(capsys.readouterr().out)] == ["gradient_not_reduced"]
    assert gradtape.main(["explain", *files, "--format", "sarif"]) == 1
    assert json.loads(capsys.readouterr().out)["runs"][0]["results"][0]["ruleId"] == "gradient_not_reduced"


def test_what_is_found_on_one_rank_says_so(folder: Path) -> None:
    one, _ = world({}, {})
    broken = run("import torch\nw = torch.ones(2, requires_grad=True)\n(w / 0).sum().backward()\n").recording
    assert broken is not None
    broken.rank, broken.world_size = 1, 2
    broken.save(folder / "nan.rank1.gradtape")
    one.save(folder / "nan.rank0.gradtape")
    told = ranks_in(["nan.rank0.gradtape", "nan.rank1.gradtape"]).found
    alone = [each for each in told if each.rule not in kinds_across()]
    assert alone
    assert {dict(each.evidence)["ranks"] for each in alone} == {"1"}


def test_compare_takes_ranks_together(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert gradtape.main(["compare", "apart.rank0.gradtape", "apart.rank1.gradtape"]) == 1
    shown = capsys.readouterr().out
    assert "apart.rank0.gradtape is of rank 0 of 2, apart.rank1.gradtape of rank 1 of 2." in shown
    assert "[gradient_not_reduced]" in shown
    assert gradtape.main(["compare", "same.rank0.gradtape", "same.rank1.gradtape", "--format", "json"]) == 0
    plain = json.loads(capsys.readouterr().out)
    assert ([each["same"] for each in plain["ranks"]], plain["findings"]) == ([True], [])


def test_files_that_are_no_ranks_of_one_training_are_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert gradtape.main(["explain", "same.rank0.gradtape", "apart.rank0.gradtape"]) == 2
    assert "no different ranks of one training: rank 0 of 2, rank 0 of 2" in capsys.readouterr().err
    assert gradtape.main(["explain", "same.rank0.gradtape", "prog.py"]) == 2
    assert gradtape.main(["explain", "same.rank0.gradtape", "same.rank1.gradtape", "--why", "w"]) == 2
    (folder / "bad.gradtape").write_bytes(b"no recording")
    with pytest.raises(CommandError, match="cannot be opened together"):
        ranks_in(["same.rank0.gradtape", "bad.gradtape"])


def test_what_a_worker_says_is_what_is_read_here(folder: Path) -> None:
    data = (folder / "apart.rank0.gradtape").read_bytes()
    (here,) = rank_files.read_all([rank_files.RankFile("apart.rank0.gradtape", data)])
    argument = b"".join(rank_files.with_argument(rank_files._encode(rank_files.Asked()), (data,)))
    there = rank_files._decode_read(rank_files.answer(memoryview(argument), lambda _: None))
    assert there == here
