"""What the repository says of itself holds: the README's programs, commands and paths; and nothing in it is used by nobody."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
from collections import Counter
from importlib.util import find_spec
from pathlib import Path

import pytest

import gradtape
from components.menus.gallery import DEFAULT, examples
from engine.export import FORMATS
from engine.sandbox import run

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
DOCUMENTS = {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in (
    *ROOT.glob("*.md"), *ROOT.glob("assets/**/*.md"),
)}  # fmt: skip
BLOCKS = [(kind, text) for kind, text in re.findall(r"^```(\w*)\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)]
PROGRAM = "import torch\nx = torch.ones(2, requires_grad=True)\nw = (3 * x).sum()\nw.backward()\n"


def test_the_readmes_programs_print_what_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    programs = [text for kind, text in BLOCKS if kind == "python" and not text.startswith("@")]
    assert len(programs) >= 3
    for program in programs:  # one goes on where another ended
        exec(compile(program, "README.md", "exec"), names)
        printed = capsys.readouterr().out.splitlines()
        said = re.findall(r"^print\(.*\)  # (.*)$", program, re.MULTILINE)
        assert len(printed) == len(said) > 0
        for line, words in zip(printed, said, strict=True):
            assert line.startswith(words.removesuffix(" …")), words
    assert (tmp_path / "run.gradtape").exists()


def test_the_declaration_in_the_readme_is_the_engines() -> None:
    (shown,) = [text for kind, text in BLOCKS if kind == "python" and text.startswith("@")]
    sources = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "engine/ops").rglob("*.py"))
    assert shown.strip() in sources


def commands() -> list[list[str]]:
    """What the README has after `gradtape`, line by line."""
    lines = [line for kind, text in BLOCKS if not kind for line in text.splitlines() if line.split()[:1] == ["gradtape"]]
    assert len(lines) >= 5
    return [line.partition("#")[0].split()[1:] for line in lines]


@pytest.mark.thorough
def test_the_readmes_commands_do_what_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("prog.py", "train.py"):
        Path(name).write_text(PROGRAM)
    Path("data").mkdir()
    told = set()
    for words in commands():
        if find_spec("torch") is None and {"--torch", "train.gradtape"} & set(words):
            continue
        if any("*" in word for word in words):
            continue  # the files of several ranks (tests/engine/diagnosis/test_ranks.py)
        if words and words[0] != "open":  # those serve the page
            told.add(words[0])
            assert gradtape.main(words) == 0, words
    assert {"run", "html", "explain"} <= told
    (line,) = [line for line in README.splitlines() if line.startswith("gradtape html")]
    for name in re.findall(r"\w+", line.partition(";")[2].partition("likewise")[0]):
        assert gradtape.main([name, "tape.gradtape", "-o", f"made.{name}"]) == 0, name
        told.add(name)
    assert set(FORMATS) <= told | {"gradtape"}
    assert gradtape.main(["explain", "prog.py", "--why", "w", "--format", "json"]) == 0
    capsys.readouterr()


@pytest.mark.parametrize("name", DOCUMENTS)
def test_what_a_document_points_at_is_there(name: str) -> None:
    text = re.sub(r"^```.*?^```$", "", DOCUMENTS[name], flags=re.MULTILINE | re.DOTALL)
    links = re.findall(r"\]\(([^)#]+?)(?:#[^)]*)?\)", text) + re.findall(r'(?:src|href)="([^"#]+)"', text)
    near = [link for link in links if not re.match(r"[a-z]+:", link)]
    assert not [link for link in near if not ((ROOT / name).parent / link).exists()]
    for path in re.findall(r"`((?:assets|benchmarks|components|engine|tests)/[\w./-]*)`", text):
        assert (ROOT / path).exists(), path
    words = " ".join(text.split())
    named = re.findall(r"`(\w+)`,? (?:in|of) `([a-z]+/[\w./]+\.(?:py|js))`", words)
    named += [
        (name, f"engine/ops/{at.replace('.', '/')}.py") for at, name in re.findall(r"`from \.\.(\S+) import (\w+)`", words)
    ]
    for name, file in named:
        assert re.search(rf"\b{name}\b", (ROOT / file).read_text(encoding="utf-8")), f"{file} has no {name}"
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    assert set(re.findall(r"`make ([a-z]+)", text)) <= targets


@pytest.mark.skipif(shutil.which("make") is None, reason="make is absent")
def test_every_target_of_the_makefile_is_one_that_make_knows() -> None:
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    (declared,) = re.findall(r"^\.PHONY: (.*)$", text, re.MULTILINE)
    for target in declared.split():
        done = subprocess.run(["make", "--dry-run", target], cwd=ROOT, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        for module in re.findall(r"python(?: -W ignore)? -m ([\w.]+)", done.stdout):
            place = ROOT / module.replace(".", "/")
            ours = module.partition(".")[0] in ("benchmarks", "engine", "gradtape", "tests")
            assert not ours or place.with_suffix(".py").exists() or (place / "__main__.py").exists(), module


def test_the_default_example_of_the_readme_is_the_pages() -> None:
    assert "x1.grad = None" in README
    assert run(examples()[DEFAULT].text).status == "ok"


# PyTorch's own names, and other libraries', which programs use and nothing here need mention.
FOREIGN = re.compile(
    r"engine/(amp|profiler|ops|nn|optim|autograd|func|linalg|utils|signal|tensor|backends|libraries|sandbox/facades)\b"
)


def ours(pattern: str) -> list[Path]:
    """Files of the repository, without what installing and building leave there, and without programs that tests only read."""
    other = {".venv", "node_modules", "build", "corpus"}
    return [path for path in ROOT.glob(pattern) if not other & set(path.relative_to(ROOT).parts)]


@pytest.mark.thorough
def test_every_name_is_used_somewhere() -> None:
    sources = {path: path.read_text(encoding="utf-8") for pattern in ("*.py", "[a-z]*/**/*.py") for path in ours(pattern)}
    words = Counter(word for text in sources.values() for word in re.findall(r"\w+", text))
    unused = []
    for path, text in sources.items():
        name = str(path.relative_to(ROOT))
        if FOREIGN.match(name) or not name.startswith(("app.py", "benchmarks", "components", "engine", "gradtape.py")):
            continue
        for each in ast.walk(ast.parse(text)):
            match each:
                case ast.FunctionDef(decorator_list=[ast.Call(func=ast.Name(id="across" | "rule" | "panel" | "register_kl"))]):
                    continue  # declared where it stands, and found there
                case ast.FunctionDef(name=found) | ast.ClassDef(name=found):
                    pass
                case ast.Assign(targets=[ast.Name(id=found)]) | ast.AnnAssign(target=ast.Name(id=found)):
                    pass
                case _:
                    continue
            if words[found] == 1 and not found.startswith(("__", "visit_")):
                unused.append(f"{name}: {found}")
    assert not unused, "\n".join(unused)


def test_every_asset_is_used_somewhere() -> None:
    texts = "".join(
        path.read_text(encoding="utf-8", errors="ignore")  # a recording or a picture that was made here may lie about
        for pattern in (
            "*.*",
            "Makefile",
            "Dockerfile",
            "[a-z]*/**/*.py",
            "[a-z]*/**/*.md",
            "[a-z]*/**/*.css",
            "assets/deploy/*",
        )
        for path in ours(pattern)
        if path.is_file()
    )
    examples_of_the_page = {ROOT / "assets/examples", ROOT / "assets/lessons"}
    for path in ours("assets/**/*"):
        if path.is_file() and examples_of_the_page.isdisjoint(path.parents) and "__pycache__" not in path.parts:
            assert path.name in texts or path.stem in texts, path
