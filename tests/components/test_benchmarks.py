"""Every benchmark at its smallest size, so that none ceases to run unnoticed; those in a browser are in tests/browser."""

from __future__ import annotations

import importlib
import os
import pkgutil
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

import pytest

import benchmarks
from benchmarks import answers, fuzz
from benchmarks.pictures import PEERS, PROGRAMS
from engine.sandbox import run
from tests.browser.test_benchmarks import SCRIPTS as IN_A_BROWSER

MODULES = sorted(module.name for module in pkgutil.iter_modules(benchmarks.__path__) if module.name != "__main__")
ROOT = Path(__file__).resolve().parents[2]
PEERS_OF_THE_ENGINE = {"PyTorch": "torch", "autograd": "autograd", "mygrad": "mygrad"}
"""Column of a table → the package that it needs."""


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[Callable[..., str]]:
    """Runs a script with these arguments and gives what it prints. Scripts may have PyTorch use one thread; that is undone.
    One that changes Python as a process for programs does, has a loop of events of its own, or looks through all of the memory
    before it measures, runs apart: in a process."""
    torch: ModuleType | None = importlib.import_module("torch") if find_spec("torch") else None
    threads = torch.get_num_threads() if torch is not None else 0

    def ran(name: str, *arguments: str, apart: bool = False) -> str:
        if apart:
            command = [sys.executable, "-m", f"benchmarks.{name}", *arguments]
            return subprocess.run(command, cwd=ROOT, text=True, check=True, stdout=subprocess.PIPE).stdout
        monkeypatch.setattr(sys, "argv", [name, *arguments])
        capsys.readouterr()
        importlib.import_module(f"benchmarks.{name}").main()
        return capsys.readouterr().out

    yield ran
    if torch is not None:
        torch.set_num_threads(threads)


def columns(shown: str) -> list[str]:
    """The contestants of a table, of which every row has a number or a dash for each."""
    lines = [line for line in shown.splitlines() if line.startswith("|")]
    head = lines[0].strip("|").split("|")
    for row in lines[2:]:
        if row != lines[1]:
            assert len(row.strip("|").split("|")) == len(head)
    return head[1:]


def present(names: dict[str, str]) -> set[str]:
    """The peers that must take part: those that are installed, and in CI all."""
    return {name for name, package in names.items() if find_spec(package) or os.environ.get("GRADTAPE_NEEDS_TORCH")}


@pytest.mark.parametrize("name", MODULES)
def test_a_benchmark_can_be_imported(name: str) -> None:
    assert importlib.import_module(f"benchmarks.{name}").__doc__


def test_every_script_is_run_by_a_test() -> None:
    folder = Path(benchmarks.__path__[0])
    scripts = {name for name in MODULES if "\ndef main(" in (folder / f"{name}.py").read_text(encoding="utf-8")}
    here = set(re.findall(r"\bscript\(\"(\w+)\"", Path(__file__).read_text(encoding="utf-8")))
    assert scripts == here | set(IN_A_BROWSER) | {"freeze"}, "freeze has tests of its own, in test_freeze.py"


def test_engines(script: Callable[..., str]) -> None:
    shown = script("engines", "--smallest", apart=True)
    chains, training = shown.split("Training step of a two-layer network")
    assert set(columns(chains)) == {"gradtape", "NumPy by hand"} | present(PEERS_OF_THE_ENGINE)
    assert set(columns(training.partition("Cost of recording")[0])) == {"gradtape", "NumPy by hand"} | (
        present(PEERS_OF_THE_ENGINE) & {"PyTorch"}
    )
    assert len(re.findall(r"^recording .*: [\d.]+× \(41 operations\)$", shown, re.MULTILINE)) == 3


@pytest.mark.thorough
def test_networks(script: Callable[..., str]) -> None:
    shown = script("networks", "--smallest")
    assert set(columns(shown)) == {"gradtape"} | (present(PEERS_OF_THE_ENGINE) & {"PyTorch"})
    assert len(re.findall(r"^\|(conv2d|transformer|training step|LSTM)", shown, re.MULTILINE)) == 4


def test_tape(script: Callable[..., str]) -> None:
    shown = script("tape", "--smallest")
    (row,) = [line for line in shown.splitlines() if re.match(r"\| [\d,]+ \|", line)]
    assert len(row.strip("|").split("|")) == 10


def test_recording(script: Callable[..., str]) -> None:
    shown = script("recording", "--smallest", apart=True)
    assert (
        len(re.findall(r"^\| (?:chain of small operations|MLP|RNN) \| [\d,]+ \|(?: [\d.]+ \|){4}$", shown, re.MULTILINE)) == 3
    )


@pytest.mark.thorough
def test_answers(script: Callable[..., str]) -> None:
    rows = re.findall(
        r"^\| ([\w, ]+) \| [\d,]+ \| \d+ \| \d+ (?:\| \d+ / [\d.]+ ){3}\|$",
        script("answers", "--smallest", apart=True),
        re.MULTILINE,
    )
    assert rows == list(answers.PROGRAMS)
    shown = script("answers", "--smallest", "--rules", "--only", "GAN", apart=True)
    assert len(re.findall(r"^\| \w+\.\w+ \| [\d.]+ \|$", shown, re.MULTILINE)) >= 20


def test_page(script: Callable[..., str]) -> None:
    shown = script("page", "--smallest")
    assert re.findall(r"^run of (.*): [\d.]+ ms$", shown, re.MULTILINE) == [
        "an empty program", "the default example", "100 operations",
    ]  # fmt: skip
    assert "graph, layout and faces of 101 nodes" in shown


def test_graphs(script: Callable[..., str]) -> None:
    shown = script("graphs", "--smallest")
    assert re.findall(r"^layout of (\w+), \d+ nodes: \d+ ms$", shown, re.MULTILINE) == ["mlp", "transformer", "rnn", "scalar"]


@pytest.mark.skipif(not hasattr(os, "fork") or not sys.platform.startswith("linux"), reason="there is no fork server")
def test_endurance(script: Callable[..., str]) -> None:
    rows = [line.strip("| ").split(" | ") for line in script("endurance", "--smallest").splitlines()[2:]]
    assert [row[0] for row in rows] == [str(k) for k in range(11)]
    assert [row[-1] for row in rows] == ["0"] * 11, "every program ends as it should"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is read from /proc")
@pytest.mark.ci
def test_load(script: Callable[..., str]) -> None:
    shown = script("load", "--smallest", apart=True)
    assert re.findall(r"^3 visitors, .*, (\d) of them hostile", shown, re.MULTILINE) == ["0", "1"]
    assert len(re.findall(r"runs answered \d+, lost 0, mixed up 0", shown)) == 2


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_that_is_drawn_runs_and_has_as_many_nodes_as_it_says(name: str) -> None:
    from engine.graph import build

    text, each = PROGRAMS[name]
    result = run(text.replace("{k}", "8"))
    assert result.status == "ok", result.error
    assert result.recording is not None
    assert len(build(result.recording, "tensors")) == pytest.approx(8 * each, rel=0.3)


@pytest.mark.parametrize("name", PEERS)
def test_what_a_peer_is_asked_to_draw_is_python(name: str) -> None:
    compile(PEERS[name][1], name, "exec")


def test_fuzz(script: Callable[..., str]) -> None:
    shown = script("fuzz", "--smallest")
    assert shown.rstrip().endswith("\n0 faults")
    counted = sum(int(number.replace(",", "")) for number in re.findall(r"^\w+ \w+: ([\d,]+)$", shown, re.MULTILINE))
    assert counted == 2 * len(fuzz.originals())


def test_what_the_fuzz_run_finds_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(name: str, data: bytes) -> str:
        if name == "a.py":
            raise KeyError(name)
        return "opened"

    monkeypatch.setattr(fuzz, "ending", fails)
    with pytest.raises(KeyError):  # also what was not changed
        fuzz.fuzz(len(fuzz.originals()))
    monkeypatch.setattr(fuzz, "ending", lambda *_: "refused")
    assert "passes.gradtape is not opened" in fuzz.fuzz(1)[1]


def test_a_change_is_the_same_for_the_same_number() -> None:
    _, data = fuzz.originals()[0]
    assert fuzz.mutated(data, 7) == fuzz.mutated(data, 7)
    assert len({fuzz.mutated(data, seed) for seed in range(50)}) > 40


def test_torch_recording(script: Callable[..., str]) -> None:
    printed = script("torch_recording", "--smallest", apart=True)
    if find_spec("torch") is None:
        assert "it is not installed" in printed
    else:
        assert printed.count("| transformer of 12 layers |") == 2  # processor time, and bytes
        assert "million parameters on" in printed
