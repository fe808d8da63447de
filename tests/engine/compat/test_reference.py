"""The compatibility page: it is what the declarations say now, and every function on it tells what it does."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import engine
from engine.compat import reference
from engine.compat.names import SURFACE
from engine.sandbox import run


def test_the_page_is_not_stale() -> None:
    assert reference.PAGE.read_text(encoding="utf-8") == reference.page(), "run `make reference`"


def test_every_function_says_what_it_does() -> None:
    silent = [e.name for found in reference.entries().values() for e in found if not reference.summary(e.function)]
    assert silent == []


def test_every_module_class_says_what_it_does() -> None:
    silent = [row for owner in reference.MODULES for row in reference.listing(owner)[4:] if row.split(" | ")[1].strip() == ""]
    assert silent == []


def test_the_page_names_every_function_once() -> None:
    names = [name for found in reference.entries().values() for e in found for name in e.names]
    assert len(names) == len(set(names)) or {n for n in names if names.count(n) > 1} <= set(SURFACE["torch"]) | set(
        SURFACE["torch.Tensor"]
    )
    assert sum(len(found) for found in reference.entries().values()) >= 300


@pytest.mark.parametrize(
    ("program", "nearest"),
    [
        (lambda: engine.sigmod, "sigmoid"),
        (lambda: engine.nn.Liner, "Linear"),
        (lambda: engine.optim.Adm, "Adam"),
    ],
)
def test_a_wrong_name_is_answered_with_the_nearest(program: Callable[[], object], nearest: str) -> None:
    with pytest.raises(AttributeError, match=rf"Did you mean '.*{nearest}'"):
        program()


def test_a_wrong_method_is_answered_with_the_nearest() -> None:
    error = run("import torch\nx = torch.ones(1).sofmax()\n").error
    assert error is not None
    assert (error.type, error.message) == ("AttributeError", "'Tensor' object has no attribute 'sofmax'")
    assert error.help == "Did you mean 'softmax'?"


@pytest.mark.parametrize("name", ["complex32", "quantize_per_tensor", "sparse_csr_tensor"])
def test_a_name_out_of_scope_is_refused_by_name(name: str) -> None:
    with pytest.raises(Exception, match=f"{name}.* is not supported by Gradtape"):
        getattr(engine, name)
