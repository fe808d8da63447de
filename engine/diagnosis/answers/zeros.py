"""Why a gradient is zero: the node of the pass at which it became so."""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

import numpy as np

from ...recording.columns import columns_of
from ...recording.events import NOTHING, Accumulated, HookRan, OpRan, Site
from ...recording.index import Pass
from ..directions import read_at_one_end
from ..paths import Paths
from ..program_ast import contains
from ..run import MAX_LABEL, NAN, Run

_ALIVE = "Smaller learning rate or weights, a bias above zero, or leaky_relu, whose slope is never 0."


class _Kind(NamedTuple):
    """Why the derivative of operations with a trait is zero; `{op}` and `{name}` stand for the operation and its input."""

    code: str
    trait: str
    sentence: str
    fix: str


_KINDS = (
    _Kind(
        "zero_relu", "flat_below",
        "{op} is dead: no entry of {name} that the gradient comes to is above zero, and there the slope is 0.", _ALIVE,
    ),
    _Kind(
        "zero_clamp", "flat_outside",
        "{op} is saturated: {name} lies outside of its bounds{bounds}, where the slope is 0.",
        "Start within the bounds, choose wider ones, or take a smooth function such as tanh.",
    ),
    _Kind(
        "zero_step", "steps",
        "{op} is constant between its jumps, so its derivative is 0 everywhere.",
        "Do without {op} on the way to the loss, or let the gradient pass by it: {pass_by}.",
    ),
    _Kind(
        "zero_step", "draws",
        "{op} draws at random, and what it draws by gets a gradient of 0.",
        "Let the gradient pass by what is drawn: mean + std * torch.randn_like(mean), or rsample() of a distribution.",
    ),
    _Kind(
        "zero_where", "branches",
        "where took the other branch for every entry, so this branch gets a gradient of 0.", "Look at the condition.",
    ),
    _Kind(
        "zero_choice", "chooses",
        "{op} chose another element, and only the chosen one gets a gradient.",
        "Use a mean or a soft version (logsumexp, softmax) if all elements are to learn.",
    ),
    _Kind(
        "zero_mask", "masks",
        "{op} replaced every entry of {name}, so none gets a gradient.", "Look at the mask.",
    ),
    _Kind(
        "zero_loss", "distance",
        "{op} is at its minimum: the prediction equals the target.", "",
    ),
    _Kind(
        "zero_saturated", "normalizes",
        "the outputs of {op} of {name} = {value} add up to 1, so the gradient of their plain sum is 0.",
        "Take a loss that tells the classes apart, such as cross_entropy of the scores.",
    ),
    _Kind(
        "zero_saturated", "saturates",
        "{op} of {name} = {value} is saturated: its slope is 0 in this precision.", "Scale or normalise the input.",
    ),
)  # fmt: skip
_CLAMP, _PLAIN_SUM, _SATURATED = (
    next(kind for kind in _KINDS if kind.trait == trait) for trait in ("flat_outside", "normalizes", "saturates")
)
_ALONE = _Kind(
    "zero_saturated", "normalizes",
    "{op} of {name} goes over a single element, which is 1 whatever comes.",
    "Let it go over the dimension among whose elements it is to choose, or use sigmoid for a single score.",
)  # fmt: skip
_BOUNDS = ("bound", "min", "max", "min_val", "max_val", "threshold")
"""What the bounds of operations that are flat beyond them are called."""
_MOST = 20_000


class Zero(NamedTuple):
    """Where a gradient became zero, and why."""

    code: str
    """"zero_relu", "zero_clamp", "zero_step", "zero_factor", "zero_where", "zero_choice", "zero_mask",
    "zero_saturated", "zero_cancelled", "zero_hook", "zero_root", "zero_loss" or "zero_op"."""
    site: Site | None
    step: int
    sentence: str
    fix: str
    node: int
    """The autograd node that received a gradient and sent zeros, or NOTHING."""
    factor: int = NOTHING
    """For "zero_factor" and what it was traced back to: the tensor that is zero."""


def zero_origin(paths: Paths, entry: Pass, target: int, filled: int) -> Zero | None:
    """Where on its way back to node `target` the gradient that was added at step `filled` became zero."""
    run, event = paths.run, paths.run.events[filled]
    tensor = event.tensor if isinstance(event, Accumulated) else NOTHING
    for read in read_at_one_end(run):
        if read.parameter == tensor:
            at = run.site(read.step)
            return Zero("zero_op", at, read.step, f"{run.where(read.step)}: {read.sentence(run)}", read.remedy, NOTHING)
    flow = _Flow(run, entry)
    queue, seen = deque([target]), {target}
    while queue and len(seen) < _MOST:
        node = queue.popleft()
        coming = flow.coming.get(node)
        if coming is None:
            continue
        if len(coming) > 1 and not all(zero for *_, zero in coming):
            return _cancelled(paths, node, [source for source, *_ in coming])
        hook = _hooked(paths, entry, node)
        if hook is not None:
            return hook
        for source, edge, _ in coming:
            if source == NOTHING:
                return _zero_root(run, entry)
            if source in flow.given:
                return _at(paths, entry, source, edge)
            if source not in seen:
                seen.add(source)
                queue.append(source)
    return _hooked(paths, entry, target) if isinstance(event, Accumulated) else None


class _Flow:
    """The gradients of a pass, read from columns at once: a way may be of thousands of nodes."""

    def __init__(self, run: Run, entry: Pass) -> None:
        columns, stored = columns_of(run.recording), run.recording.stored
        self.coming: dict[int, list[tuple[int, int, bool]]] = {}
        """For each node what came to it: the node that sent it (NOTHING for the pass's start), along which edge, and whether
        it was zero."""
        roots = [node for node, _ in entry.event.root_nodes]
        rows = run.index.sent_by_pass.rows(entry.number)
        sent = columns.sent
        nothing = [NOTHING] * len(roots)
        to = [*roots, *sent.target[rows].tolist()]
        source, edge = ([*nothing, *column[rows].tolist()] for column in (sent.node, sent.slot))
        arrays = [*(array for _, array in entry.event.roots[: len(roots)]), *sent.array[rows].tolist()]
        zero = np.zeros(len(arrays), np.bool_)
        there = np.flatnonzero(np.array(arrays, np.int64) >= 0)
        zero[there] = stored.zero([arrays[k] for k in there.tolist()])
        zeros = zero.tolist()
        for k in there.tolist():
            self.coming.setdefault(to[k], []).append((source[k], edge[k], zeros[k]))
        received = columns.received
        mine = np.isin(received.step, np.array(list(entry.ran_at.values()), np.int64)) & (received.array >= 0)
        more = ~stored.zero(received.array[mine].tolist())
        self.given: set[int] = set(received.node[mine][more].tolist())
        """The nodes that were given something that is not zero."""


def _hooked(paths: Paths, entry: Pass, node: int) -> Zero | None:
    run = paths.run
    for step in paths.hooks_of_node.get(node, ()):
        event = run.events[step]
        if not isinstance(event, HookRan) or not entry.began < step < entry.ended:
            continue
        if event.before >= 0 and event.after >= 0 and not run.zero(event.before) and run.zero(event.after):
            return Zero(
                    "zero_hook", run.site(step), step, f"A hook replaced the gradient by zeros (pass {entry.number}, "
                    f"{run.where(entry.began)}).", "Look at the hook registered with register_hook.", node,
                )  # fmt: skip
    return None


def _zero_root(run: Run, entry: Pass) -> Zero:
    return Zero(
        "zero_root", run.site(entry.began), entry.began,
        f"Backward pass {entry.number} ({run.where(entry.began)}) was started with a gradient of zeros.",
        "Start it with the gradient that is meant, such as torch.ones_like(…), or from a single number.", NOTHING,
    )  # fmt: skip


def _cancelled(paths: Paths, node: int, sources: list[int]) -> Zero:
    run = paths.run
    steps = list(dict.fromkeys(run.nodes[s].born for s in sources if s != NOTHING))
    lines = list(dict.fromkeys(run.where(s) for s in steps))
    last = max(steps, default=NOTHING)
    tensor = run.index.owners.get((node, 0), NOTHING)
    for step in run.consumers.get(tensor, ()):
        event = run.events[step]
        if isinstance(event, OpRan) and event.op in run.having("steps") and run.where(step) in lines:
            # x + (round(x) - x) is meant to be round(x) with the gradient of x, and has none.
            return Zero(
                "zero_step", run.site(step), step,
                f"{event.op} is constant between its jumps and passes nothing on, and the contributions of the other uses "
                f"({', '.join(lines)}) add up to zero: they cancel.",
                f"Take the difference as a constant, so that one of them is left: {_pass_by(run, step, event.op)}.", NOTHING,
            )  # fmt: skip
    if (drawn := _with_what_was_drawn(paths, steps)) != NOTHING:
        return Zero(
            "zero_cancelled", run.site(drawn), drawn,
            f"What rsample() draws moves with what it is drawn by, so its log_prob() ({run.where(drawn)}) stays the same: the "
            f"contributions of {len(sources)} uses ({', '.join(lines)}) cancel.",
            "Take log_prob() of a constant: sample() instead of rsample(), or rsample().detach().", NOTHING,
        )  # fmt: skip
    return Zero(
        "zero_cancelled", run.site(last), last,
        f"The contributions of {len(sources)} uses ({', '.join(lines)}) add up to zero: they cancel.",
        "Check the signs of the terms; if the terms are meant to cancel, zero is right.", NOTHING,
    )  # fmt: skip


def _with_what_was_drawn(paths: Paths, steps: list[int]) -> int:
    """Of some steps the one within a log_prob(), if another one is within an rsample(); else NOTHING."""
    run, calls = paths.run, paths.source.calls
    sites = {step: site for step in steps if (site := run.site(step)) is not None}
    found = {
        method: [
            s for s, site in sites.items() if any(site.cell == cell and contains(call, site) for cell, call in calls[method])
        ]
        for method in ("rsample", "log_prob")
        if method in calls
    }
    return found["log_prob"][-1] if len(found) > 1 and all(found.values()) else NOTHING


def _at(paths: Paths, entry: Pass, node: int, edge: int) -> Zero:
    """The node that received a gradient and sent zeros along an edge, explained by its operation."""
    run = paths.run
    for _ in range(100):
        joined = run.nodes[node].event
        above = entry.arrivals.get(node)
        first = above.values[0] if above is not None else None
        if not isinstance(joined, OpRan) or joined.op not in run.having("joins") or first is None or first.source == NOTHING:
            break
        # The part of the gradient that belongs to this input was zero already when it came.
        node, edge = first.source, first.edge
    history = run.nodes[node]
    step, site, where = history.born, run.site(history.born), run.where(history.born)
    event = history.event
    if not isinstance(event, OpRan):
        return Zero("zero_op", site, step, f"{history.info.name} ({where}) sends zeros back.", "", node)
    op, tensors = event.op, run.inputs(event)
    name = run.title(tensors[0]) if tensors else "its input"
    value = run.texts.describe(run.status(tensors[0], step).array) if tensors else ""
    if op in run.having("product"):
        found = _factor(paths, event, step, edge)
        if found is not None:
            return found._replace(node=node)
    equal = _equals_target(run, event, step)
    if equal:
        sentence = f"{op} is at its minimum: the prediction {name}{f' = {value}' if value else ''} equals the target {equal}."
        return Zero("zero_loss", site, step, f"{where}: {sentence}", "", node)
    kind = _kind(paths, entry, event, step)
    if kind is not None:
        bounds = ", ".join(f"{a.name} {a.text}" for a in event.inputs if a.name in _BOUNDS and a.text not in ("", "None"))
        of = {"op": run.module(step) or op, "name": name, "value": value, "bounds": f" ({value}; {bounds})" if bounds else ""}
        fix = kind.fix.format(op=op, pass_by=_pass_by(run, step, op))
        return Zero(kind.code, site, step, f"{where}: {kind.sentence.format(**of)}", fix, node)
    if any(run.fault(info.array) & NAN for info in event.outputs):
        where_from = (
            f"{where}: the result of {run.expression(site) or op} is NaN, as it counts no element, and no gradient goes back."
        )
        return Zero("zero_op", site, step, where_from, "Check what is left to be counted: targets, masks, ignore_index.", node)
    padding = run.setting(event, "padding_idx")
    index = run.values(run.argument(event, "indices"), step) if padding.isdigit() else None
    if index is not None and index.size and (index == int(padding)).all():
        whose = f"the padding of the embedding{made_with_padding(paths)}, whose row gets no gradient"
        sentence = f"{where}: every index is {padding}, {whose}."
        return Zero("zero_op", site, step, sentence, "Give padding an index that no word has, or leave padding_idx out.", node)
    at = f" at {name} = {value}" if value else ""
    return Zero(
        "zero_op",
        site,
        step,
        f"{where}: the derivative of {op} is 0{at}.",
        "Start from another value, if that is not meant.",
        node,
    )


def _kind(paths: Paths, entry: Pass, event: OpRan, step: int) -> _Kind | None:
    """Why the derivative of an operation is zero, by its traits, its bounds and its result; None where they do not say."""
    run = paths.run
    kind = next((kind for kind in _KINDS if event.op in run.having(kind.trait)), None)
    if kind is not None and kind.trait == "flat_below":
        # A bound other than zero is no matter of units that are dead.
        return _CLAMP if any(a.name in _BOUNDS and not _is_zero(a.text) for a in event.inputs) else kind
    if kind is not _PLAIN_SUM or not event.outputs:
        return kind
    result, made = event.outputs[0], run.values(event.outputs[0].id, step)
    dim = run.setting(event, "dim")
    if dim.lstrip("-").isdigit() and -len(result.shape) <= int(dim) < len(result.shape) and result.shape[int(dim)] == 1:
        return _ALONE
    extreme = made is not None and made.dtype.kind == "f" and bool(((made == 0) | (made == 1)).all())
    return _SATURATED if extreme else kind


def _equals_target(run: Run, event: OpRan, step: int) -> str:
    """The name of what a loss compares its first input with, where both are equal; "" where they are not, or of no loss."""
    tensors = run.inputs(event)
    if (
        len(tensors) < 2
        or tensors[0] == tensors[1]
        or not (event.op in run.having("distance") or run.setting(event, "reduction"))
    ):
        return ""
    if run.tensors[tensors[0]].info.shape != run.tensors[tensors[1]].info.shape:
        return ""
    return run.title(tensors[1]) if run.same(*(run.status(t, step).array for t in tensors[:2])) else ""


def _pass_by(run: Run, step: int, op: str) -> str:
    """How a gradient passes by an operation that is constant between its jumps, in the program's own names if it has them."""
    event, made = run.events[step], run.expression(run.site(step))
    tensors = run.inputs(event) if isinstance(event, OpRan) else []
    name = run.tensors[tensors[0]].name(step) if tensors else ""
    plain = name.replace(".", "").isidentifier() and f"({name}" in made and made.endswith(")") and len(made) <= MAX_LABEL
    return f"{name} + ({made} - {name}).detach()" if plain else f"x + ({op}(x) - x).detach()"


def _factor(paths: Paths, event: OpRan, step: int, edge: int) -> Zero | None:
    """What a product's zero factor is: a number, a mask, or a tensor that became zero earlier."""
    run = paths.run
    where, site = run.where(step), run.site(step)
    numbers = [argument.text for argument in event.inputs if argument.tensor == NOTHING]
    for text in numbers:
        if _is_zero(text):
            return Zero("zero_factor", site, step, f"{where}: the result is multiplied by {text}.",
                        "Look at the factor; with a factor of 0 nothing depends on the rest.", NOTHING)  # fmt: skip
    for position, argument in enumerate(event.inputs):
        if argument.tensor == NOTHING or (position == edge and len(event.inputs) > 1):
            continue
        if run.zero(run.status(argument.tensor, step).array):
            return _zero_tensor(paths, argument.tensor, step, event.op)
    return None


def _zero_tensor(paths: Paths, tensor: int, step: int, op: str) -> Zero:
    """Where a factor that is zero comes from: through operations that keep zeros, back to the one that made them."""
    run = paths.run
    where, site, name = run.where(step), run.site(step), run.title(tensor)
    made = run.tensors[tensor]
    if made.op.in_backward and not made.first_name:
        name = f"a derivative that is taken at {run.where(made.born)}"  # which has no name in the program
    by = run.module(step) or op
    written = run.tensors[tensor].first_name or run.tensors[tensor].op.op not in run.having("creation")
    said = f"{where}: {by} multiplies by {name}, which is zero everywhere" if written else f"{where}: {by} multiplies by zeros"
    maker = run.beneath_views(tensor)
    born, event = run.op_of(maker)
    for _ in range(16):
        inputs = run.inputs(event)
        if event.op in run.having("flat_below") and inputs and not run.zero(run.status(inputs[0], born).array):
            return Zero("zero_relu", run.site(born), born,
                        f"{said}: {event.op} ({run.where(born)}) is dead, no entry of {run.title(inputs[0])} is above zero.",
                        _ALIVE,
                        NOTHING, tensor)  # fmt: skip
        zero_inputs = [t for t in inputs if run.zero(run.status(t, born).array)]
        if event.op in run.having("masks") and not zero_inputs:
            return Zero("zero_mask", run.site(born), born, f"{said}: {event.op} ({run.where(born)}) replaced every entry.",
                        "Look at the mask.", NOTHING, tensor)  # fmt: skip
        if not zero_inputs or event.written:
            break
        maker = run.beneath_views(zero_inputs[0])
        born, event = run.op_of(maker)
    origin = run.where(born)
    return Zero("zero_factor", site, step, f"{said}" + (f" ({origin})." if origin != where else "."),
                "" if made.op.in_backward and not made.first_name else
                f"Look at {name}; where a factor is 0, nothing depends on the other one.", NOTHING, tensor)  # fmt: skip


def made_with_padding(paths: Paths) -> str:
    """Where the program says which index is padding, in brackets; "" where no line or several do."""
    given = paths.source.keyword("padding_idx")
    return "" if given is None else f" ({given[0]}, {paths.run.site_text(given[1])})"


def _is_zero(text: str) -> bool:
    try:
        return float(text) == 0
    except ValueError:
        return text == "False"


def finite(run: Run, array: int) -> bool:
    """Whether all entries of an array are finite."""
    stored = run.recording.arrays[array]
    if stored.data is None:
        return stored.summary is None or not (stored.summary.nan or stored.summary.inf)
    values = stored.to_numpy()
    return values is None or values.dtype.kind not in "fc" or bool(np.isfinite(values).all())
