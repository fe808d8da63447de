"""Adding things is as CONTRIBUTING.md has it: each recipe is followed in a copy of the repository, with its own blocks."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.corpus import main as run_one
from tests.engine.recording.readers import forgotten

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
COPIED = (
    ".streamlit", "app.py", "assets", "components", "engine", "gradtape.py", "pyproject.toml", "pytest_plugin.py", "tests",
)  # fmt: skip
SEVERAL = 300.0
ARROW = " says nothing of "
Cases = dict[str, str]
"""Files of tests that a recipe leads to, each with what is chosen of it, for pytest's `-k`."""


@dataclass(frozen=True)
class Block:
    """One block of a recipe: a new file, or a change of one that is there."""

    kind: str
    file: str
    text: str

    def put(self, root: Path) -> None:
        """Do what it says."""
        path = root / self.file
        if self.kind != "diff":
            assert not path.exists(), f"{self.file} is there already"
            path.write_text(self.text, encoding="utf-8")
            return
        before, after = self.lines(" -"), self.lines(" +")
        there = path.read_text(encoding="utf-8")
        assert not before or there.count(before) == 1, f"{self.file} has changed: {before}"
        path.write_text(there.replace(before, after) if before else there + after, encoding="utf-8")

    def lines(self, signs: str) -> str:
        """Those of its lines that begin with one of these signs, without it."""
        return "".join(f"{line[1:]}\n" for line in self.text.splitlines() if (line or " ")[0] in signs)


def recipe(title: str) -> list[Block]:
    """The blocks below a heading."""
    part = TEXT.partition(f"\n### Add {title}\n")[2]
    part = re.split(r"^##", part, maxsplit=1, flags=re.MULTILINE)[0]
    found = [Block(*each) for each in re.findall(r"^```(\w+) (\S+)\n(.*?)^```$", part, re.MULTILINE | re.DOTALL)]
    assert found, title
    return found


@pytest.fixture
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the repository, as far as recipes and their tests need it."""
    there = tmp_path_factory.mktemp("house")
    for name in COPIED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, there / name, ignore=shutil.ignore_patterns("node_modules", "frontend"))
        else:
            shutil.copy(ROOT / name, there / name)
    return there


def done(house: Path, *words: str) -> str:
    """What `python` prints in the copy."""
    made = subprocess.run([sys.executable, *words], cwd=house, capture_output=True, text=True, timeout=SEVERAL, check=False)
    assert made.returncode == 0, made.stdout + made.stderr
    return made.stdout


def files(*paths: str) -> str:
    """Chooses all tests of these files, for pytest's `-k`."""
    return " or ".join(Path(path).name for path in paths)


def operation(house: Path) -> Cases:
    """One file and its cases."""
    blocks = recipe("an operation")
    assert [block.file.startswith("engine/") for block in blocks] == [True, False], "one file and its cases"
    for block in blocks:
        block.put(house)
    (name,) = re.findall(r"^def (\w+)", blocks[0].text, re.MULTILINE)
    assert name not in done(house, "-c", "from tests.engine.ops.test_operators import untried; print(untried())")
    return {blocks[-1].file: files(blocks[-1].file)}


def finding(house: Path) -> Cases:
    """One file, its programs in the catalogue and in two corpora."""
    made, shown, *cases = recipe("a finding")
    assert shown.file.startswith("assets/rules/")
    assert {block.kind for block in cases} == {"diff"}
    assert all(block.file.startswith("tests/") for block in cases)
    for block in (made, shown, *cases):
        block.put(house)
    done(house, "-m", "engine.diagnosis.catalogue_page")
    id = Path(shown.file).stem
    (sound,) = re.findall(r"^\+# %% (.+)\n(?!\+#:)", cases[-1].text, re.MULTILINE)
    return {
        "tests/engine/diagnosis/test_findings.py": f"test_findings.py and ({id} or ({' and '.join(sound.split())}))",
        "tests/engine/diagnosis/test_catalogue.py": f"test_catalogue.py and ({id} or not_stale)",
    }


def panel(house: Path) -> Cases:
    """One file and its cases; the page's own tests of panels look at it, too."""
    made, case = recipe("a panel")
    made.put(house)
    case.put(house)
    return {
        case.file: files(case.file),
        "tests/components/test_panels.py": "test_panels.py and every_panel and (notebook or tried)",
    }


def export(house: Path) -> Cases:
    """A file and its line."""
    made, *lines = recipe("an export")
    assert {block.file for block in lines} == {"engine/export/formats.py"}
    for block in (made, *lines):
        block.put(house)
    return {}


def event(house: Path) -> Cases:
    """A test counts the readers that have forgotten a kind of event."""
    fact, listed, *rest = recipe("a kind of event")
    assert not forgotten(house)
    fact.put(house)
    listed.put(house)
    (kind,) = re.findall(r"^\+class (\w+)\(Event", fact.text, re.MULTILINE)
    said = forgotten(house)
    assert len(said) > 5
    assert all(sentence.endswith(f"{ARROW}{kind}") for sentence in said)
    for block in rest:
        block.put(house)
    readers = {sentence.partition(": ")[0] for sentence in forgotten(house)}
    assert len(readers) == len({sentence.partition(": ")[0] for sentence in said}) - 1, "the caption is there"
    for file in readers:  # "put its name into the last `case` of the reader, beside those that are left alone"
        text = (house / file).read_text(encoding="utf-8")
        for beside in ("    Warned,\n", "    Warned: None,\n", "Warned()"):
            text = text.replace(beside, beside + (" | " if "(" in beside else "") + beside.replace("Warned", kind))
        (house / file).write_text(text, encoding="utf-8")
    assert not forgotten(house)
    return {file: files(file) for file in (rest[-1].file, "tests/engine/recording/test_readers.py")} | {
        "tests/engine/recording/test_recording.py": "test_recording.py and (keep_their_numbers or format_2_opens)"
    }


@pytest.mark.ci
def test_each_recipe_makes_what_it_says(house: Path) -> None:
    """One process of pytest for the cases of all recipes: to begin takes it longer than they do."""
    cases = operation(house) | finding(house) | panel(house) | export(house) | event(house)
    assert len(cases) == 8
    made = [block.file for part in re.findall(r"^### Add (.+)$", TEXT, re.MULTILINE) for block in recipe(part)]
    if find_spec("ruff"):  # in the readers of events the recipe leaves the order of the imports to whoever follows it
        done(house, "-m", "ruff", "check", *sorted(file for file in {*made} if file.endswith(".py")))
    chosen = " or ".join(f"({words})" for words in cases.values())
    passed = done(house, "-m", "pytest", "-v", "-p", "no:cacheprovider", "-p", "no:xdist", *cases, "-k", chosen)
    assert {line.partition("::")[0] for line in passed.splitlines() if " PASSED" in line} == {*cases}, passed
    assert "[a softmax over a single column (softmax_of_one)] PASSED" in passed

    (house / "prog.py").write_text("import torch\nx = torch.ones(3, 1, requires_grad=True)\nx.softmax(1).sum().backward()\n")
    told = subprocess.run(
        [sys.executable, "gradtape.py", "explain", "prog.py"], cwd=house, capture_output=True, text=True, check=False
    )
    assert told.returncode == 1, told.stderr
    assert "chooses among one class" in told.stdout
    (house / "run.py").write_text("import torch\nx = torch.ones(2, requires_grad=True)\nx.sum().backward()\n")
    assert done(house, "gradtape.py", "csv", "run.py", "-o", "-").startswith("step,line,what\n1,2,")


def test_every_room_stands_in_the_table() -> None:
    there = {f"{part}/{each.parent.name}" for part in ("engine", "components") for each in (ROOT / part).glob("*/__init__.py")}
    told = " ".join(re.findall(r"^\| (`.+?) \|", TEXT, re.MULTILINE))
    assert there - set(re.findall(r"`([\w/]+)`", told)) == set()


def test_one_program_of_a_corpus_runs(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    (named,) = re.findall(r'-m tests\.corpus "(.+)"', TEXT)
    monkeypatch.chdir(ROOT)
    assert run_one([named]) == 0
    assert ": ok, " in capsys.readouterr().err
