"""Rules about statements that have less effect than they seem to: a loop that ends at once, weights that are not loaded."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..mending import Changes, instead, replaced, site_of, text_at
from ..optimizer_text import optimizers
from ..paths import Paths, paths_of
from ..ran import first_step_at, first_step_beside, steps_at
from ..reason import Finding, Kind
from ..run import Run, finding, key
from .registry import rule

RETURNED_IN_LOOP = Kind(
    "returned_in_loop", "error", "A loop over layers returns in its first iteration, so the others are never called."
)
NOTHING_LOADED = Kind("nothing_loaded", "warning", "load_state_dict(strict=False) loads nothing, because no name fits.", True)
METHOD_ASSIGNED = Kind(
    "method_assigned", "error", "A value is assigned to the name of a tensor's method, instead of given to the method."
)
RATE_UNREAD = Kind(
    "rate_unread",
    "warning",
    "A learning rate is set as an attribute of the optimizer, which does not read it.",
    mechanical=True,
)


@rule(104, RETURNED_IN_LOOP)
def returned_in_loop(run: Run) -> Iterator[Finding]:
    """The body of a loop ends with a return, what the loop goes through is called in it, and some parameters are never used."""
    unused = [t for _, stepped in run.optimizer_steps[:1] for t in stepped.idle if run.tensors[t].ledger is None]
    paths = paths_of(run.recording)
    for cell, loop, end in _ending_loops(paths) if unused else ():
        steps = steps_at(run, cell, loop.lineno, loop.end_lineno or loop.lineno).tolist()
        turns = {i for step in steps for line, i in run.loops(step) if line == loop.lineno}
        if not steps or turns - {0}:
            continue
        site = site_of(cell, end)
        yield finding(
            run, RETURNED_IN_LOOP,
            f"return ends the loop at line {loop.lineno} in its first iteration: the other layers are never called.",
            f"`{ast.unparse(end)}` stands within the loop, which never comes to a second turn. {run.names(unused)} "
            f"{'are' if len(unused) > 1 else 'is'} used by nothing.",
            "Indent the return as the for above it, so that it comes after the loop.",
            step=steps[0], site=site, related=[site_of(cell, loop.iter)],
            evidence=[("iterations", "1"), ("parameters that are not used", str(len(unused)))],
            nodes=[key(t) for t in unused[:20]],
        )  # fmt: skip


def _ending_loops(paths: Paths) -> Iterator[tuple[int, ast.For, ast.Return]]:
    """The loops of functions that call their variable, or a part of it, and end with a return."""
    for cell, spans in enumerate(paths.source.spans):
        for node in spans.values():
            if not isinstance(node, ast.For) or not isinstance(node.body[-1], ast.Return):
                continue
            names = {n.id for n in ast.walk(node.target) if isinstance(n, ast.Name)}
            called = {n.func.id for n in ast.walk(node) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)}
            if names & called:
                yield cell, node, node.body[-1]


@rule(105, NOTHING_LOADED)
def nothing_loaded(run: Run) -> Iterator[Finding]:
    """Where weights are loaded, the module's parameters are written; here nothing is."""
    source = paths_of(run.recording).source
    for cell, call in source.calls.get("load_state_dict", ()):
        statement = source.statement(call)
        loose = any(k.arg == "strict" and isinstance(k.value, ast.Constant) and k.value.value is False for k in call.keywords)
        if (
            not loose
            or not isinstance(statement, ast.Expr)
            or not isinstance(call.func, ast.Attribute)
            or run.raised is not None
        ):
            continue
        step = first_step_beside(run, cell, statement)
        after = first_step_at(run, cell, (statement.end_lineno or statement.lineno) + 1)
        if (
            step is None
            or after is None
            or len(steps_at(run, cell, statement.lineno, statement.end_lineno or statement.lineno))
            or not run.knows("operations", 0, len(run.events) - 1)
        ):
            continue
        owner = ast.unparse(call.func.value)
        own = sorted({e.tensor for _, e in run.namings if e.name.startswith(f"{owner}.")})
        if not own or source.function(call) is not None:
            continue
        yield finding(
            run, NOTHING_LOADED,
            f"{ast.unparse(call.func)}(…, strict=False) loads nothing: {owner} keeps the weights that it was made with.",
            "With strict=False names that do not fit are passed over, and here none fits, as where the names that were saved "
            "begin with module. or model. and those of the module do not. Nothing is written, and nothing says so.",
            "Leave strict=False out to be told which names differ, and rename the keys: "
            '{name.removeprefix("module."): value for name, value in saved.items()}.',
            step=after, site=site_of(cell, call),
            evidence=[("parameters that are written", f"0 of {len(own)}")], nodes=[key(t) for t in own[:20]],
            changes=_renamed(run, cell, call, owner),
        )  # fmt: skip


def _renamed(run: Run, cell: int, call: ast.Call, owner: str) -> Changes:
    """The keys of what is loaded without the part that they begin with, where other parameters of the program have the module's
    names behind such a part."""
    names = {name.removeprefix(f"{owner}.") for name in run.named_tensors if name.startswith(f"{owner}.")}
    lead: set[str] = set()
    for other in {name.partition(".")[0] for name in run.named_tensors if "." in name} - {owner.partition(".")[0]}:
        theirs = {name.removeprefix(f"{other}.") for name in run.named_tensors if name.startswith(f"{other}.")}
        first = {name.partition(".")[0] for name in theirs}
        if len(first) == 1 and {name.partition(".")[2] for name in theirs} == names:
            lead |= first
    given = call.args[0] if call.args and not isinstance(call.args[0], ast.Starred) else None
    loose = next((k for k in call.keywords if k.arg == "strict"), None)
    if len(lead) != 1 or given is None or loose is None or len(call.args) != 1 or len(call.keywords) != 1:
        return []
    kept = f'name.removeprefix("{lead.pop()}."): value for name, value in {text_at(run, site_of(cell, given))}.items()'
    return replaced(run, site_of(cell, call), f"{ast.unparse(call.func)}({{{kept}}})")


# --- attributes ---------------------------------------------------------------------------------------------------------------

_TENSORS = (".data", ".weight", ".bias", ".grad")


@rule(106, METHOD_ASSIGNED)
def method_assigned(run: Run) -> Iterator[Finding]:
    """`w.data.copy_ = values` gives the tensor an attribute of that name, and changes none of its elements."""
    paths = paths_of(run.recording)
    for name, bindings in paths.source.assigned.items():
        owner, _, attribute = name.rpartition(".")
        if not owner.endswith(_TENSORS) or not attribute.endswith("_") or attribute.endswith("__"):
            continue
        for cell, statement, value in bindings:
            step = first_step_beside(run, cell, statement) if isinstance(statement, ast.Assign) else None
            if step is None or not isinstance(statement, ast.Assign) or isinstance(value, ast.Lambda | ast.Name):
                continue
            yield finding(
                run, METHOD_ASSIGNED,
                f"{name} = … changes no element: it replaces the method {attribute} by a value.",
                f"{attribute}() writes into a tensor when it is called. An assignment to its name gives this object an "
                f"attribute, and {owner} keeps its values.",
                f"Call it: {owner}.{attribute}(…).",
                step=step, site=site_of(cell, statement), evidence=[("elements that change", "0")],
            )  # fmt: skip


@rule(107, RATE_UNREAD)
def rate_unread(run: Run) -> Iterator[Finding]:
    """`optimizer.lr = …` is an attribute that Python adds; the rate that step() uses stands in param_groups."""
    if not run.optimizer_steps:
        return
    paths = paths_of(run.recording)
    made = {each.name for each in optimizers(run)}
    for name, bindings in paths.source.assigned.items():
        owner, _, attribute = name.rpartition(".")
        if owner not in made or attribute not in ("lr", "learning_rate") or paths.source.reads(attribute):
            continue
        for cell, statement, _ in bindings:
            step = first_step_beside(run, cell, statement) if isinstance(statement, ast.Assign) else None
            if step is None or not isinstance(statement, ast.Assign):
                continue
            value, site = ast.unparse(statement.value), site_of(cell, statement)
            rates = {rate for _, stepped in run.optimizer_steps for rate in stepped.rates}
            yield finding(
                run, RATE_UNREAD,
                f"{name} = {value} changes no learning rate: {owner} does not read it.",
                "An optimizer keeps the rate of each group of parameters in param_groups. Python lets a program add any other "
                f"attribute, and says nothing; {owner} stepped with {', '.join(f'{rate:g}' for rate in sorted(rates))} only.",
                f'for group in {owner}.param_groups: group["lr"] = {value}',
                step=step, site=site, evidence=[("rates of the steps", ", ".join(f"{rate:g}" for rate in sorted(rates)))],
                changes=instead(run, site, f"for group in {owner}.param_groups:", f'    group["lr"] = {value}'),
            )  # fmt: skip
