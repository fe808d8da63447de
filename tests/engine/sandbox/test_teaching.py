"""Programs as people write them when they teach or learn: none is refused, and they print what they print in PyTorch."""

from __future__ import annotations

import contextlib
import io
import warnings
from pathlib import Path
from types import ModuleType

import pytest

from engine.sandbox import run
from tests.corpus import Case, corpora

PROGRAMS = list(corpora(Path(__file__).parent / "corpus"))


def test_there_are_many() -> None:
    assert len(PROGRAMS) == len({program.name for program in PROGRAMS}) >= 60


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_an_ordinary_program_prints_what_it_prints_in_pytorch(torch: ModuleType, program: Case) -> None:
    ours = run(program.text)
    assert ours.status == "ok", ours.error and ours.error.traceback
    out = io.StringIO()
    before = torch.get_rng_state()
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            namespace = {"__name__": "__main__"}
            # PyTorch's own test helpers, which other tests load, keep programs from setting flags of its backends.
            with contextlib.suppress(SystemExit), torch.backends.__allow_nonbracketed_mutation():
                exec(compile(program.text, "<program>", "exec", dont_inherit=True), namespace)
    finally:
        torch.set_rng_state(before)
    assert ours.output.splitlines() == out.getvalue().splitlines()
