"""Which release of PyTorch is followed: chosen by the environment, by a program, and what differs follows the choice."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import engine
from engine.compat import version
from engine.compat.version import asked_for, follow, followed, release_of, since
from engine.program import Program
from engine.sandbox import run
from engine.sandbox.settings import SettingsError, read

ROOT = Path(__file__).resolve().parents[3]
SAYS = "import torch\nprint(torch.__version__, torch.version.__version__, hasattr(torch, 'qr'))\n"


@pytest.fixture(autouse=True)
def back() -> Iterator[None]:
    before = followed()
    yield
    follow(before)


def test_what_differs_is_one_value_on_each_side() -> None:
    words = since("2.15", "new", before="old")
    follow("2.13")
    assert words.now == "old"
    follow("2.15")
    assert words.now == "new"


def test_the_version_and_the_names_follow() -> None:
    x = engine.eye(2)
    for _ in range(2):
        follow("2.15")
        assert engine.__version__ == "2.15.0+gradtape"
        assert engine.__version__ >= (2, 14)
        assert not hasattr(engine, "qr")
        assert not hasattr(x, "cholesky")
        with pytest.raises(AttributeError, match="module 'torch' has no attribute 'qr'"):
            _ = engine.qr
        follow("2.13")
        assert engine.__version__ == "2.13.0+gradtape"
        assert engine.qr.__name__ == "qr"
        assert hasattr(x, "cholesky")


def test_a_release_that_is_not_known_is_refused() -> None:
    with pytest.raises(ValueError, match=r"GRADTAPE_TORCH is one of 2\.13, 2\.15, not '1\.0'"):
        follow("1.0")
    with pytest.raises(SettingsError, match=r"GRADTAPE_TORCH is one of 2\.13, 2\.15, not '2'"):
        read({"GRADTAPE_TORCH": "2"})
    assert read({"GRADTAPE_TORCH": "2.15"}).release == "2.15"
    assert read({}).release == version.DEFAULT


@pytest.mark.parametrize(
    ("given", "release"),
    [
        ("2.13.0+cpu", "2.13"),
        ("2.14.1", "2.13"),
        ("2.15", "2.15"),
        ("2.15.0a0", "2.15"),
        ("3.0.1", "2.15"),
        ("2.1", None),
        ("x", None),
    ],
)
def test_the_release_of_a_version(given: str, release: str | None) -> None:
    assert release_of(given) == release


@pytest.mark.parametrize(
    ("text", "release"),
    [
        ("# torch==2.15", "2.15"),
        ("x = 1\n# !pip install torch==2.15.0 numpy\n", "2.15"),
        ('# /// script\n# dependencies = ["torch~=2.15"]\n# ///\n', "2.15"),
        ("# torch>=2.13", "2.13"),
        ("# torch >= 1.8", None),
        ("torch = 2.15", None),
        ("print('# torch==2.15')", None),
        ("# torchvision==2.15", None),
        ("# with torch 2.15", None),
    ],
)
def test_a_program_asks_in_a_comment(text: str, release: str | None) -> None:
    assert asked_for([text]) == release


def test_a_program_is_run_as_it_asks() -> None:
    assert run("# torch==2.15\n" + SAYS).output == "2.15.0+gradtape 2.15.0+gradtape False\n"
    assert run("# torch==2.13\n" + SAYS).output == "2.13.0+gradtape 2.13.0+gradtape True\n"


def test_a_notebook_that_installs_a_release_is_run_on_it() -> None:
    cells = [{"cell_type": "code", "source": text} for text in ("!pip install torch==2.15.0", SAYS)]
    program = Program.from_file(json.dumps({"cells": cells}).encode(), "n.ipynb")
    assert run(program).output == "2.15.0+gradtape 2.15.0+gradtape False\n"


def test_the_environment_chooses() -> None:
    code = "import engine, engine.sandbox.settings as s; print(engine.__version__, hasattr(engine, 'qr'), s.settings().release)"
    for release, there in (("2.13", True), ("2.15", False)):
        done = subprocess.run(
            [sys.executable, "-c", code], env=os.environ | {"GRADTAPE_TORCH": release}, cwd=ROOT, capture_output=True, text=True
        )
        assert done.stdout == f"{release}.0+gradtape {there} {release}\n", done.stderr
