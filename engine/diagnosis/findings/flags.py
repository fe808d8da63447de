"""Rules about flags that are set where PyTorch does not read them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

from ..paths import Paths, paths_of
from ..program_ast import site_of
from ..ran import first_step_at
from ..reason import Finding, Kind
from ..run import Run, finding, key
from .registry import rule

FLAG_UNREAD = Kind(
    "flag_unread", "warning", "requires_grad is set where nothing reads it: on a module, or under a name that is misspelled."
)

_FLAG = "requires_grad"
_MODULES = re.compile("(named_)?(children|modules)")
_NEARLY = re.compile(r"requires?d?_?grad(s|ients?)?", re.IGNORECASE)


@rule(109, FLAG_UNREAD)
def flag_unread(run: Run) -> Iterator[Finding]:
    """Python lets a program set any attribute; the parameters that it is about go on as they were."""
    paths = paths_of(run.recording)
    for name, bindings in paths.source.assigned.items():
        owner, _, attribute = name.rpartition(".")
        if not owner or owner == "self" or not _NEARLY.fullmatch(attribute):
            continue
        for cell, statement, value in bindings:
            if (
                not isinstance(statement, ast.Assign)
                or not isinstance(value, ast.Constant)
                or not isinstance(value.value, bool)
            ):
                continue
            step = first_step_at(run, cell, statement.lineno)
            if step is None or not _runs(paths, statement):
                continue
            site = site_of(cell, statement)
            if attribute != _FLAG and not paths.source.reads(attribute):
                yield finding(
                    run, FLAG_UNREAD,
                    f"{attribute} is no attribute of tensors: {name} = {value.value} sets one that nothing reads.",
                    f"PyTorch's flag is called {_FLAG}. Python lets a program add any other attribute to a tensor or a module "
                    "and says nothing.",
                    f"Write {owner}.{_FLAG} = {value.value}.",
                    step=step, site=site, evidence=[("reads of it in the program", "0")],
                )  # fmt: skip
            if attribute != _FLAG:
                continue
            others, whose = _otherwise(run, owner, value.value), owner
            if not others and _is_of_a_module(paths, statement, owner):
                others, whose = _unlike(run, run.tensors, value.value), "the run"
            if others:
                did = "get gradients all the same" if not value.value else "require no grad all the same"
                yield finding(
                    run, FLAG_UNREAD,
                    f"{name} = {value.value} {'unfreezes' if value.value else 'freezes'} nothing: {owner} is a module, which "
                    "has no such flag.",
                    f"The flag belongs to each parameter. {run.names(others)} {did}.",
                    f"Call {owner}.requires_grad_({value.value}), which sets it for all parameters.",
                    step=step, site=site, evidence=[(f"parameters of {whose} that are otherwise", str(len(others)))],
                    nodes=[key(t) for t in others[:20]],
                )  # fmt: skip


def _runs(paths: Paths, statement: ast.stmt) -> bool:
    """Whether a statement stands outside of functions, or in one that the text calls."""
    function = paths.source.function(statement)
    return function is None or getattr(function, "name", "") in paths.source.calls


def _is_of_a_module(paths: Paths, statement: ast.stmt, owner: str) -> bool:
    """Whether a name goes through the modules of another, around a statement: `for child in model.children():`."""
    for above in paths.source.around(statement):
        if isinstance(above, ast.For) and isinstance(above.iter, ast.Call) and isinstance(above.iter.func, ast.Attribute):
            names = {ast.unparse(part) for part in ast.walk(above.target) if isinstance(part, ast.Name)}
            if owner in names and _MODULES.fullmatch(above.iter.func.attr):
                return True
    return False


def _otherwise(run: Run, owner: str, flag: bool) -> list[int]:
    """The parameters of a module that do not have a flag at the end, and show it: by a gradient, or by none."""
    named = {event.tensor for _, event in run.namings if event.name.startswith((f"{owner}.", f"{owner}["))}
    return _unlike(run, named, flag)


def _unlike(run: Run, tensors: Iterable[int], flag: bool) -> list[int]:
    """The parameters among tensors, if none of them has the flag; without those that do not show it."""
    own, end = sorted(t for t in tensors if run.tensors[t].info.is_parameter), len(run.events) - 1
    if any(run.status(t, end).requires_grad == flag for t in own):
        return []
    return [t for t in own if (run.tensors[t].ledger is None) == flag]
