"""Complete programs, run in the sandbox: every line they print must be PyTorch's."""

from __future__ import annotations

import contextlib
import io
import warnings
from pathlib import Path
from types import ModuleType

import pytest

from engine.sandbox import run

PROGRAMS = sorted(Path(__file__).with_name("complete").glob("*.py"))


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.stem)
def test_a_program_prints_what_it_prints_in_pytorch(torch: ModuleType, program: Path) -> None:
    text = program.read_text(encoding="utf-8")
    ours = run(text)
    assert ours.error is None
    out = io.StringIO()
    before = torch.get_rng_state()
    try:
        with contextlib.redirect_stdout(out), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(compile(text, program.name, "exec"), {"__name__": "__main__"})
    finally:
        torch.set_rng_state(before)
    assert ours.output.splitlines() == out.getvalue().splitlines()
