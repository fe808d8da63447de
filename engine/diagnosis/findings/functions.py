"""Rules about Functions with a backward of their own: what it returns, what it changes, and what is kept for it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ...program.changes import TextChange
from ...recording.events import NOTHING, NodeRan, OpRan
from ...recording.index import Pass
from .. import mending
from ..custom_functions import Custom, InPlace, assigned, changes_in_place, functions_of, given_none, kept_on_context, ran_in
from ..failures import looked_at
from ..mends.graphs import of_copies
from ..paths import paths_of
from ..reason import Finding, Kind
from ..run import Run, finding, key
from .registry import rule

FUNCTION_RETURNS_WRONG = Kind(
    "function_returns_wrong", "error", "A custom backward returns gradients of a wrong shape, or too few or too many.",
    mechanical=True,
)  # fmt: skip
FUNCTION_GIVES_NONE = Kind("function_gives_none", "warning", "A custom backward returns None for an input that requires grad.")
CTX_TENSOR_CHANGED = Kind(
    "ctx_tensor_changed", "error", "A tensor that is kept on ctx was changed before backward used it.", mechanical=True
)
TENSOR_ON_CTX = Kind(
    "tensor_on_ctx", "hint", "An input or result is kept on ctx instead of with save_for_backward.", mechanical=True
)
GRADIENT_CHANGED_IN_PLACE = Kind(
    "gradient_changed_in_place", "warning", "A custom backward writes into the gradient that it is given.", mechanical=True
)
INPUT_NOT_DIRTY = Kind(
    "input_not_dirty", "warning", "A custom forward writes into its input and does not say so with mark_dirty.", mechanical=True
)

_SHAPE = re.compile(
    r"Function (\w+)Backward returned an invalid gradient at index (\d+) - got \[(.*?)\] but expected .*?\[(.*?)\]"
)
_COUNT = re.compile(r"function (\w+)Backward returned an incorrect number of gradients \(expected (\d+), got (\d+)\)")


@rule(60, FUNCTION_RETURNS_WRONG, everywhere=True)
def function_returns_wrong(run: Run) -> Iterator[Finding]:
    """A pass fails because of what a custom backward returned."""
    if run.raised is None:
        return
    step, event = run.raised
    shape, count = _SHAPE.search(looked_at(event.message)), _COUNT.search(looked_at(event.message))
    said = shape or count
    custom = functions_of(paths_of(run.recording)).get(said[1]) if said is not None else None
    if said is None or custom is None:
        return
    returned = custom.returns(custom.backward)
    applied = next((e for _, e in run.ops_of({custom.name})), None)
    evidence = [("error", event.message)]
    changes: mending.Changes = []
    if shape is not None:
        index, got, wanted = int(shape[2]), f"[{shape[3]}]", f"[{shape[4]}]"
        name = custom.inputs[index] if index < len(custom.inputs) else f"input {index}"
        title = f"backward of {custom.name} returns a gradient of shape {got} for {name}, whose shape is {wanted}."
        why = f"The {_ordinal(index)} value that it returns is the gradient by {name}, so it must have the shape of {name}."
        turned = shape[3].split(", ") == shape[4].split(", ")[::-1]
        fix = ("It is transposed: exchange the factors of the product, or add .t()." if turned else
               f"Bring it to the shape of {name}: where {name} was spread, sum over the new dimensions.")  # fmt: skip
    else:
        wanted_count, got_count = int(said[2]), int(said[3])
        title = f"backward of {custom.name} returns {got_count} value{'s' * (got_count > 1)}, and forward takes {wanted_count}."
        names = ", ".join(custom.inputs)
        why = f"backward returns one gradient for each input of forward after ctx ({names}), in their order."
        fix = "Return one value for each, None for what needs no gradient."
        changes = _with_nones(run, custom, returned, applied, wanted_count - got_count)
    yield finding(
        run, FUNCTION_RETURNS_WRONG, title, why, fix,
        step=step, site=custom.site(returned), related=[run.site(step), run.recording.site(applied) if applied else None],
        evidence=evidence, nodes=[key(i.id) for i in applied.outputs] if applied is not None else (), changes=changes,
    )  # fmt: skip


def _with_nones(run: Run, custom: Custom, returned: ast.Return | None, applied: OpRan | None, missing: int) -> mending.Changes:
    """The change that returns None for the last inputs, where these were no tensors."""
    if returned is None or returned.value is None or applied is None or missing < 1:
        return []
    tensors = {argument.name for argument in applied.inputs if argument.tensor != NOTHING}
    if {*custom.inputs[-missing:]} & tensors:
        return []
    site = mending.site_of(custom.cell, returned.value)
    if not isinstance(returned.value, ast.Tuple):
        return mending.wrapped(run, site, "", ", None" * missing)
    given = [mending.text_at(run, mending.site_of(custom.cell, one)) for one in returned.value.elts]
    return mending.replaced(run, site, ", ".join([*given, *["None"] * missing]))


def _ordinal(index: int) -> str:
    return ("first", "second", "third", "fourth")[index] if index < 4 else f"{index + 1}th"


@rule(178, FUNCTION_GIVES_NONE)
def function_gives_none(run: Run) -> Iterator[Finding]:
    """A custom backward returns None for an input that requires grad, so that its gradient ends there."""
    functions = functions_of(paths_of(run.recording))
    told = set()
    for tensor, (step, maker) in given_none(run).items():
        custom = functions.get(maker.op)
        place = maker.op, next((a.name for a in maker.inputs if a.tensor == tensor), "")
        if custom is None or place in told or _gets_gradient(run, tensor):
            continue
        told.add(place)
        name = run.title(tensor)
        yield finding(
            run, FUNCTION_GIVES_NONE,
            f"backward of {custom.name} returns None for {place[1] or name}, which requires grad.",
            f"{name} goes into {custom.name} at {run.where(_born(run, maker, step))}, and None is "
            f"taken for a gradient of zero: {name} and what is before it get nothing.",
            f"Return the gradient by {place[1] or name} there; or give {name}.detach() to {custom.name}.apply, if it is not to "
            "learn.",
            step=step, site=custom.site(custom.returns(custom.backward)),
            related=[run.recording.site(maker), run.site(run.tensors[tensor].born)],
            evidence=[(f"{name}.requires_grad", "True"), ("gradient that backward returns for it", "None")],
            nodes=[key(tensor), *(key(i.id) for i in maker.outputs)],
        )  # fmt: skip


def _gets_gradient(run: Run, tensor: int) -> bool:
    """Whether some gradient comes to a tensor, in any pass."""
    node = run.tensors[tensor].info.node
    return run.tensors[tensor].ledger is not None or any(node in entry.ran_at for entry in run.passes)


@rule(155, CTX_TENSOR_CHANGED, TENSOR_ON_CTX)
def tensor_on_ctx(run: Run) -> Iterator[Finding]:
    """What a custom forward keeps with `ctx.x = x` is not guarded against changes, and a result is never let go."""
    functions = functions_of(paths_of(run.recording))
    kept = {name: list(kept_on_context(custom)) for name, custom in functions.items()}
    told: dict[str, bool] = {}
    """Name of a class -> whether it was said that a tensor was changed."""
    for entry in run.passes:
        for step, maker, _ in ran_in(run, entry):
            custom, born = functions.get(maker.op), _born(run, maker, step)
            if custom is None or told.get(custom.name):
                continue
            found = []
            for statement, name, what in kept[custom.name]:
                tensor = _tensor_of(run, maker, name, what)
                written = next((w for w in run.writes.get(tensor, ()) if born < w < step), NOTHING)
                if tensor != NOTHING:
                    found.append((written == NOTHING, statement, name, what, tensor, written))
            changed = any(not unchanged for unchanged, *_ in found)
            if changed or custom.name not in told:
                for unchanged, statement, name, what, tensor, written in found:
                    if not (changed and unchanged):
                        yield _kept(run, custom, statement, name, what, tensor, born, step, written)
            told[custom.name] = changed


def _born(run: Run, maker: OpRan, otherwise: int) -> int:
    """The step of an operation that made a node."""
    return run.nodes[maker.node.id].born if maker.node is not None else otherwise


def _tensor_of(run: Run, maker: OpRan, name: str, what: str) -> int:
    if what == "input":
        return run.argument(maker, name)
    return maker.outputs[0].id if len(maker.outputs) == 1 else NOTHING


def _kept(
    run: Run, custom: Custom, statement: ast.Assign, name: str, what: str, kept: int, born: int, step: int, written: int
) -> Finding:
    attribute = next((ast.unparse(t) for t, value in assigned(statement) if ast.unparse(value) == name), "ctx")
    fix = f"Keep it with ctx.save_for_backward({name}), and read it from ctx.saved_tensors in backward."
    nodes = [key(kept)]
    changes = _saved(custom, statement, name)
    title = run.title(kept)
    if written != NOTHING:
        return finding(
            run, CTX_TENSOR_CHANGED,
            f"backward of {custom.name} computes with {title} as it was changed, not as forward saw it.",
            f"{attribute} = {name} keeps the tensor itself. {run.where(written)} changed it after {run.where(born)} and before "
            f"{run.where(step)}, so the gradient is wrong. A tensor kept with save_for_backward would have raised an error.",
            f"Make a new tensor at {run.where(written)} instead of changing {title}. {fix}",
            step=step, site=custom.site(statement), related=[run.site(written), run.site(born), run.site(step)],
            evidence=[("changed at", run.where(written)), ("used by backward at", run.where(step))],
            nodes=nodes, changes=[*changes, *of_copies(run, written)],
        )  # fmt: skip
    why = (
        "Changes in place are then not noticed: backward would silently compute with the changed values."
        if what == "input"
        else "The result refers to the node that made it, and the node by ctx to the result: neither is let go before Python "
        "looks for cycles: memory grows."
    )
    return finding(
        run, TENSOR_ON_CTX,
        f"{custom.name} keeps {'its input' if what == 'input' else 'its result'} {name} as {attribute}.",
        f"{why} save_for_backward is made for inputs and results.",
        fix, step=born, site=custom.site(statement), related=[run.site(born)],
        evidence=[("kept as", f"{attribute} = {name}")], nodes=nodes, changes=changes,
    )  # fmt: skip


def _saved(custom: Custom, statement: ast.Assign, name: str) -> list[TextChange]:
    """The changes that save a tensor where it is kept on ctx; none where something is saved already, or several names are."""
    target = statement.targets[0]
    if len(statement.targets) != 1 or not isinstance(target, ast.Attribute) or statement.end_lineno != statement.lineno:
        return []
    text = ast.unparse(custom.forward) + ast.unparse(custom.backward)
    others = [one for one, *_ in kept_on_context(custom)]
    if "save_for_backward" in text or len(others) != 1 or not custom.backward.args.args:
        return []
    context, own = ast.unparse(target.value), custom.backward.args.args[0].arg
    uses = [node for node in ast.walk(custom.backward) if isinstance(node, ast.Attribute) and node.attr == target.attr
            and isinstance(node.value, ast.Name) and node.value.id == own]  # fmt: skip
    span = statement.lineno, statement.col_offset, statement.end_lineno, statement.end_col_offset or 0
    return [
        TextChange(custom.cell, *span, f"{context}.save_for_backward({name})"),
        *(TextChange(custom.cell, n.lineno, n.col_offset, n.end_lineno or n.lineno, n.end_col_offset or 0,
                     f"{own}.saved_tensors[0]") for n in uses),
    ]  # fmt: skip


@rule(205, GRADIENT_CHANGED_IN_PLACE, INPUT_NOT_DIRTY)
def changed_in_place(run: Run) -> Iterator[Finding]:
    """A custom backward writes into the gradient that it is given, or a forward into its input without mark_dirty."""
    functions = functions_of(paths_of(run.recording))
    told = set()
    for entry in run.passes:
        for step, maker, ran in ran_in(run, entry):
            custom = functions.get(maker.op)
            if custom is None or custom.name in told:
                continue
            told.add(custom.name)
            if (change := changes_in_place(custom.backward)) is not None:
                shared = _shared(run, entry, ran)
                also = f" Here {run.title(shared)} is sent the same gradient." if shared != NOTHING else ""
                yield finding(
                    run, GRADIENT_CHANGED_IN_PLACE,
                    f"backward of {custom.name} changes {change.name} in place, the gradient that it is given.",
                    "The same tensor may go to other nodes, or be kept as somebody's .grad: they get the changed values. "
                    f"PyTorch asks never to do that.{also}",
                    f"Work on a copy: {change.name} = {change.name}.clone() before that line.",
                    step=step, site=custom.site(change.node), related=[run.site(step), run.recording.site(maker)],
                    evidence=[("changed", ast.unparse(change.node)[:80])],
                    nodes=[key(i.id) for i in maker.outputs], severity="" if shared != NOTHING else "hint",
                    changes=_before(run, custom, change, f"{change.name} = {change.name}.clone()"),
                )  # fmt: skip
            change = changes_in_place(custom.forward)
            if change is not None and "mark_dirty" not in ast.unparse(custom.forward):
                first = custom.forward.args.args[0].arg
                yield finding(
                    run, INPUT_NOT_DIRTY,
                    f"forward of {custom.name} changes its input {change.name} in place and does not say so.",
                    "Autograd then takes the input for what it was: what was computed from it before, and what is later, "
                    "gets wrong gradients without an error.",
                    f"Call {first}.mark_dirty({change.name}) and return {change.name}, or work on {change.name}.clone().",
                    step=_born(run, maker, step), site=custom.site(change.node),
                    related=[run.recording.site(maker)], evidence=[("changed", ast.unparse(change.node)[:80])],
                    nodes=[key(i.id) for i in maker.outputs],
                    changes=_before(run, custom, change, f"{first}.mark_dirty({change.name})")
                    if change.name in custom.inputs else (),
                )  # fmt: skip


def _before(run: Run, custom: Custom, change: InPlace, text: str) -> mending.Changes:
    """A statement before the one that changes something in place."""
    return mending.before(run, mending.statement_at(run, mending.site_of(custom.cell, change.node)), text)


def _shared(run: Run, entry: Pass, ran: NodeRan) -> int:
    """Another tensor that is sent the gradient that a node was given, by the same node; NOTHING for none."""
    arrivals = entry.arrivals.get(ran.node)
    for arrival in arrivals.values if arrivals is not None else ():
        above = run.events[entry.ran_at[arrival.source]] if arrival.source in entry.ran_at else None
        for sent in above.sent if isinstance(above, NodeRan) else ():
            if sent is not None and sent.array == arrival.array and sent.node != ran.node:
                owner: int = run.index.owners.get((sent.node, sent.input), run.nodes[sent.node].info.variable)
                if owner != NOTHING:
                    return owner
    return NOTHING
