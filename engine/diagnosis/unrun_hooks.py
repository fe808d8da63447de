"""What nothing but a hook sets, and why that hook has not run."""

from __future__ import annotations

import ast

from ..program.parsing import last_name
from ..recording.events import Site
from .paths import Paths
from .program_ast import site_of


def unset(paths: Paths, name: str) -> tuple[str, str, Site] | None:
    """Explanation, fix and where the hook is registered, for an attribute that is still None because the only function that
    sets it is a hook that has not run; None for anything else."""
    run, source = paths.run, paths.source
    attribute = name.rpartition(".")[2]
    setting = {
        source.function(statement)
        for text, bindings in source.assigned.items()
        if text.rpartition(".")[2] == attribute
        for _, statement, value in bindings
        if not (isinstance(value, ast.Constant) and value.value is None)
    }
    function = setting.pop() if len(setting) == 1 else None
    if not attribute or not isinstance(function, ast.FunctionDef):
        return None
    registered = (
        (cell, call, kind)
        for kind, calls in source.calls.items()
        if kind.startswith("register_") and kind.endswith("hook")
        for cell, call in calls
        if call.args and last_name(call.args[0]) == function.name
    )
    cell, call, kind = next(registered, (0, None, ""))
    if call is None:
        return None
    site = site_of(cell, call)
    said = f"Only {function.name} sets it, which {ast.unparse(call.func)} at {run.site_text(site)} registers"
    if "backward" not in kind and kind != "register_hook":
        return (
            f"{said}, and it has not run: such a hook runs when its module is called.",
            "Call the module itself, not its forward(), after the hook is registered.",
            site,
        )
    if not run.passes:
        return (
            f"{said}, and it has not run: there was no backward pass before.",
            "Call backward() on what the module computes before it is read.",
            site,
        )
    return (
        f"{said}, and it has not run: such a hook runs when a gradient arrives at its module's output, and none did. Where "
        "neither the input of a module nor its parameters require grad, its output has no graph.",
        "Let what the module is given require grad, x.requires_grad_(), or its parameters.",
        site,
    )
