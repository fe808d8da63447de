"""Which release of PyTorch is followed: chosen by the environment, by a program, and what differs follows the choice."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import engine
from engine.compat import version
from engine.compat.version import asked_for, follow, followed, release_of, since
from engine.program import Program
from engine.sandbox import run
from engine.sandbox.settings import SettingsError, read
from tests import ORACLE

ROOT = Path(__file__).resolve().parents[3]
SAYS = "import torch\nprint(torch.__version__, torch.version.__version__, hasattr(torch.linalg, 'polar'))\n"


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
    for _ in range(2):
        follow("2.15")
        assert engine.__version__ == "2.15.0+gradtape"
        assert engine.__version__ >= (2, 14)
        assert engine.linalg.polar(engine.eye(2)).U.tolist() == engine.eye(2).tolist()
        follow("2.13")
        assert engine.__version__ == "2.13.0+gradtape"
        assert not hasattr(engine.linalg, "polar")
        with pytest.raises(AttributeError, match=r"module 'torch.linalg' has no attribute 'polar'"):
            _ = engine.linalg.polar


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
    assert run("# torch==2.15\n" + SAYS).output == "2.15.0+gradtape 2.15.0+gradtape True\n"
    assert run("# torch==2.13\n" + SAYS).output == "2.13.0+gradtape 2.13.0+gradtape False\n"


def test_a_notebook_that_installs_a_release_is_run_on_it() -> None:
    cells = [{"cell_type": "code", "source": text} for text in ("!pip install torch==2.15.0", SAYS)]
    program = Program.from_file(json.dumps({"cells": cells}).encode(), "n.ipynb")
    assert run(program).output == "2.15.0+gradtape 2.15.0+gradtape True\n"


@pytest.mark.thorough
def test_the_environment_chooses() -> None:
    code = "import engine; from engine.sandbox.settings import settings; "
    code += "print(engine.__version__, hasattr(engine.linalg, 'polar'), settings().release)"
    for release, there in (("2.13", False), ("2.15", True)):
        done = subprocess.run(
            [sys.executable, "-c", code], env=os.environ | {"GRADTAPE_TORCH": release}, cwd=ROOT, capture_output=True, text=True
        )
        assert done.stdout == f"{release}.0+gradtape {there} {release}\n", done.stderr


WORDS = [
    ("torch.ones(2, 3) @ torch.ones(2, 3)", "RuntimeError: {mm: }mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)"),
    ("torch.addmm(torch.ones(3), torch.ones(2, 3), torch.ones(2, 3))", "RuntimeError: {addmm: }mat1 and mat2 shapes cannot be"),
    ("torch.arange(3).mean()", "{NotImplemented|Runtime}Error: mean(): could not infer output dtype. Input dtype"),
    ("torch.ones(2).bool() - 1", "{NotImplemented|Runtime}Error: Subtraction, the `-` operator, with a bool tensor"),
    ("torch.sort(torch.tensor([1j]))", "{Type|Runtime}Error:  Sort does not support complex dtypes on CPU"),
    ("torch.nn.Linear(2, 1)(torch.ones(2)).grad_fn.name()", "{UnsafeView|View}Backward0"),
    ("torch.tensor([7], dtype=torch.uint8).clamp(-1, 300).tolist()",
     "{[7]|RuntimeError: value cannot be converted to type uint8_t without overflow}"),
    ("torch.nn.functional.group_norm(torch.ones(1, 0, 2), 1).shape",
     "{RuntimeError: Expected number of channels to be greater than 0, got 0|torch.Size([1, 0, 2])}"),
    ("torch.optim.ASGD([torch.ones(1)], lambd=-1).defaults['lambd']", "{ValueError: Invalid lambd value: -1|-1}"),
    ("put(slice(None, 1), 3.0)", "CopySlices ({1|2})"),
    ("put(torch.tensor([0]), 3.0)", "{IndexFillBackward0 (1|IndexPutBackward0 (2})"),
    ("put(torch.tensor([True, False]), 3.0)", "{MaskedFillBackward0 (1|IndexPutBackward0 (2})"),
]  # fmt: skip
"""Expressions, and how what comes of them begins: since 2.15 | before."""


@pytest.mark.parametrize(("expression", "gives"), WORDS, ids=[e for e, _ in WORDS])
@pytest.mark.parametrize("release", version.RELEASES)
def test_what_a_release_says(release: str, expression: str, gives: str) -> None:
    def sided(found: re.Match[str]) -> str:
        after, _, before = found[1].partition("|")
        return after if release == "2.15" else before

    follow(release)
    assert told(engine, expression).startswith(re.sub("{(.*?)}", sided, gives))


@pytest.mark.parametrize("expression", [e for e, _ in WORDS])
def test_pytorch_says_the_same(torch: ModuleType, expression: str) -> None:
    if ORACLE is None or not torch.__version__.startswith(ORACLE):
        pytest.skip("the installed PyTorch is none of the releases that are followed")
    follow(ORACLE)
    assert told(torch, expression) == told(engine, expression)


def told(library: ModuleType, expression: str) -> str:
    """What an expression gives, or the first line of the error."""

    def put(index: Any, value: Any) -> str:
        x = library.zeros(2, requires_grad=True).clone()
        x[index] = value
        return f"{x.grad_fn.name().removeprefix('torch::autograd::')} ({len(x.grad_fn.next_functions)})"

    try:
        return str(eval(expression, {"torch": library, "put": put}))
    except Exception as error:
        kind = next(c for c in type(error).__mro__ if c.__module__ == "builtins")
        return f"{kind.__name__}: {error}".split("\n")[0]
