"""What programs print, warn of and raise that use a name beside the operations: as is written, and as PyTorch does."""

from __future__ import annotations

import contextlib
import io
import re
import warnings
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from engine.sandbox import run
from tests.corpus import Case, corpus

CORPUS = Path(__file__).parent / "corpus"
PROGRAMS = corpus(CORPUS / "names.py").cases | corpus(CORPUS / "subclasses.py").cases
WARNING = re.compile(r"^<program>:(\d+): (\w+): ((?:.|\n)*?)\n  (?!\s).*$", re.MULTILINE)
"""A warning as a terminal shows it, with the program's line below."""


def given(program: Case) -> str:
    return program.said.get("gives", "").rstrip("\n")


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS.keys())
def test_a_program_gives_what_is_written(program: Case) -> None:
    result = run(program.text)
    output = WARNING.sub(r"<\1: \2: \3>", result.output)
    if result.status != "ok":
        assert result.error is not None
        output += f"{result.error.type}: {result.error.message}\n"
    assert output.rstrip("\n") == given(program)


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS.keys())
def test_pytorch_gives_the_same(torch: ModuleType, program: Case) -> None:
    out = io.StringIO()

    def show(message: Any, category: Any, filename: str, lineno: int, file: Any = None, line: Any = None) -> None:
        if filename == "<program>":
            out.write(f"<{lineno}: {category.__name__}: {str(message).split(' (Triggered internally')[0]}>\n")

    before = torch.get_rng_state(), torch.is_warn_always_enabled()
    torch.manual_seed(0)
    torch.set_warn_always(True)
    try:
        with contextlib.redirect_stdout(out), warnings.catch_warnings(), torch.backends.__allow_nonbracketed_mutation():
            warnings.simplefilter("default")
            warnings.showwarning = show
            exec(compile(program.text, "<program>", "exec", dont_inherit=True), {"__name__": "__main__"})
    except Exception as error:
        out.write(f"{type(error).__name__}: {error}\n")
    finally:
        torch.set_rng_state(before[0])
        torch.set_warn_always(before[1])
        torch.set_default_device(None)
        torch.set_default_dtype(torch.float32)
    assert out.getvalue().rstrip("\n") == given(program)
