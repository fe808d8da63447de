"""Rules about parameters: those that are never reached, left behind, overwritten, or all alike."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

import numpy as np

from ...recording.columns import columns_of
from ...recording.events import NOTHING, Accumulated, FlagSet, Named, OpRan, Site
from ..custom_functions import given_none
from ..cuts import Cut, cuts_on, fact, ways
from ..mending import instead, statement_at
from ..mends import parameters as mends
from ..mends.cuts import OTHER_SIDE, other_side, same_side, uncut
from ..paths import Paths, paths_of
from ..program_ast import site_of
from ..reason import Finding, Kind
from ..run import Run, finding, key
from .registry import rule

STALE_OPTIMIZER = Kind("stale_optimizer", "error", "The optimizer updates tensors that the loss no longer uses.", True)
DETACHED_PARAMETER = Kind(
    "detached_parameter", "warning", "Something cuts parameters of the optimizer off from the loss.", True
)
UNUSED_PARAMETER = Kind("unused_parameter", "warning", "Parameters of the optimizer are not used for the loss.")
GRADIENTS_RETURNED = Kind(
    "gradients_returned", "warning", "Gradients of the optimizer's parameters are returned, and nothing puts them into .grad."
)
UNLISTED_PARAMETER = Kind("unlisted_parameter", "error", "Parameters get gradients, and no optimizer updates them.", True)
LEAF_OVERWRITTEN = Kind("leaf_overwritten", "error", "An update replaces a leaf by a new tensor instead of changing it.", True)
ZERO_PRODUCT = Kind(
    "zero_product",
    "warning",
    "Two parameters that multiply each other are both zero, and stay so.",
    mechanical=True,
    answers=("zero_factor",),
)
SYMMETRY = Kind("symmetry", "warning", "The units of a layer are initialised alike and stay alike.", True)


@rule(100, STALE_OPTIMIZER)
def stale_optimizer(run: Run) -> Iterator[Finding]:
    """The optimizer holds tensors that the program has replaced since."""
    reported = set()
    roots = {root for entry in run.passes for root, _ in entry.event.roots}
    reached = [t for t in _reached(run) if t not in run.trained and t not in roots]
    replaced = _replaced(run)
    for step, event in run.optimizer_steps:
        owned = event.owned
        alone = [t for t in owned if not run.index.has_ledger(t) and run.status(t, step).requires_grad]
        twins = {t: replaced[t] for t in alone if t in replaced}
        unknown = [t for t in reached if t not in owned] if len(alone) == len(owned) else []
        # Where they are used, something cuts them off: `no_gradient` says what.
        if not twins and (len(alone) < len(owned) or not unknown or any(is_used(run, t) for t in alone)):
            continue
        called_at = run.site(step)
        if called_at in reported or (not twins and _copied_again(run, unknown)):
            continue
        reported.add(called_at)
        left = list(twins) or alone
        new = list(twins.values()) or unknown
        site = run.site(run.introduced(new[0], left[0]))
        again = f" They were made at {run.site_text(site)}, after the optimizer had been given the old ones." if twins else ""
        yield finding(
            run, STALE_OPTIMIZER,
            f"{event.optimizer} updates tensors that the loss no longer uses.",
            f"Gradients arrive in the new {run.names(new)}, but the optimizer holds the earlier {run.names(left)}, whose .grad "
            f"stays None.{again}" if twins else
            f"Gradients arrive in {run.names(new)}, but the optimizer holds {run.names(left)}, whose .grad stays None.",
            "Make the optimizer after the parameters it is to update, and again whenever they are replaced.",
            step=step,
            related=[site, run.site(run.introduced(left[0], new[0]))],
            evidence=[
                ("held by the optimizer", run.names(left)),
                ("tensors that get gradients", run.names(new)),
            ],
            nodes=[key(t) for t in [*left, *new]],
            steps=[s for s, e in run.optimizer_steps if run.site(s) == called_at and {*left} & {*e.owned}],
            changes=mends.made_later(run, step, run.tensors[new[-1]].born),
        )  # fmt: skip


def _copied_again(run: Run, tensors: list[int]) -> bool:
    """Whether tensors are copies that `copy.deepcopy` makes anew in every iteration: `copy_trained` says what is wrong."""
    calls = paths_of(run.recording).source.calls.get("deepcopy", ())
    at = {site_of(cell, call) for cell, call in calls}
    borns = [run.tensors[t].born for t in tensors if run.site(run.tensors[t].born) in at] if at else []
    return len({run.loops(born) for born in borns}) > 1


def is_used(run: Run, tensor: int) -> bool:
    """Whether an operation that is part of a graph takes a tensor."""
    return any(isinstance(e := run.events[s], OpRan) and e.node is not None for s in run.consumers.get(tensor, ()))


def _replaced(run: Run) -> dict[int, int]:
    """Parameters of optimizers that get no gradient, and the later ones that get it in their place."""
    return run.recording.once("parameters replaced", lambda: _twins(run))


def _twins(run: Run) -> dict[int, int]:
    held = run.optimized
    known = held | run.trained
    fresh = [t for t in _reached(run) if t not in known]
    found: dict[int, int] = {}
    for t in sorted(held):
        if run.tensors[t].ledger is not None:
            continue
        history = run.tensors[t]
        # A parameter that was put in another's place within a module has no name of its own.
        twin = next(
            (
                new
                for new in fresh
                if new not in found.values() and run.tensors[new].born > history.born and (
                    run.title(new) == run.title(t) if run.tensors[new].first_name
                    else run.tensors[new].info.is_parameter and run.tensors[new].info.shape == history.info.shape
                )
            ),
            None,
        )  # fmt: skip
        if twin is not None:
            found[t] = twin
    return found


def _reached(run: Run) -> list[int]:
    """The leaves that backward passes fill, in order."""

    def made() -> list[int]:
        grads = columns_of(run.recording).grads
        order = {entry.number: place for place, entry in enumerate(run.passes)}
        filling = np.flatnonzero(grads.number > 0)
        place = np.array([order[number] for number in grads.number[filling].tolist()], np.int64)
        rows = filling[np.argsort(place, kind="stable")]
        found: dict[int, None] = {}
        for tensor, step in zip(grads.tensor[rows].tolist(), grads.step[rows].tolist(), strict=True):
            if tensor not in found and run.status(tensor, step).is_leaf:
                found[tensor] = None
        return list(found)

    return run.recording.once("leaves reached", made)


@rule(180, DETACHED_PARAMETER, UNUSED_PARAMETER, GRADIENTS_RETURNED)
def no_gradient(run: Run) -> Iterator[Finding]:
    """A parameter of the optimizer never gets a gradient, though others of it do."""
    alone: dict[int, int] = {}
    outside: dict[int, int] = {}
    replaced = _replaced(run)
    paths = paths_of(run.recording)
    none = given_none(run)
    for step, event in run.optimizer_steps:
        for t in event.idle:
            if t in none or run.tensors[t].ledger is not None or not run.status(t, step).requires_grad or t in replaced:
                continue
            (alone if event.parameters or is_used(run, t) else outside).setdefault(t, step)
    cuts = {t: _cut_off(paths, t, step) for t, step in alone.items()}
    # What no graph has is another's matter (an optimizer of another model), unless it lies on the way to a loss.
    led = {t: cut for t, step in outside.items() if t not in cuts and (cut := _cut_off(paths, t, step)) is not None}
    alone |= {t: outside[t] for t in led}
    cuts |= led
    returned = _returned(run, [t for t, cut in cuts.items() if cut is None])
    yield from _not_assigned(run, alone, returned)
    groups: dict[Site | None, tuple[list[int], Cut | None]] = {}
    for t, cut in cuts.items():
        if t in returned:
            continue
        site = cut.site if cut is not None else run.site(run.tensors[t].born)
        groups.setdefault(site, ([], cut))[0].append(t)
    for site, (tensors, cut) in groups.items():
        step = alone[tensors[0]]
        title = run.names(tensors)
        many = len(tensors) > 1
        used = any(t in run.consumers for t in tensors)
        idle = _idle(run, tensors[0])
        changes = uncut(run, cut) if cut is not None else []
        if cut is not None and (twin := other_side(run, cut)) is not None:
            there, side, changes = twin
            kind, why = DETACHED_PARAMETER, f"{cut.sentence} {same_side(run, there)}"
            fix = OTHER_SIDE.format(side)
        elif cut is not None:
            kind, why = DETACHED_PARAMETER, cut.sentence
            fix = f"{cut.fix} Or leave {title} out of the optimizer, if {'they are' if many else 'it is'} not to be trained."
        elif used:
            kind, why = UNUSED_PARAMETER, f"What is computed from {'them' if many else 'it'} does not lead to the loss."
            fix = "Use the result in the loss, or leave the parameters out of the optimizer."
        else:
            kind, why = UNUSED_PARAMETER, f"No operation uses {'them' if many else 'it'}."
            fix = "Use it in the forward pass, or remove it."
        yield finding(
            run, kind,
            f"{title} {'are' if many else 'is'} given to the optimizer but never get{'' if many else 's'} a gradient.",
            f"{why} .grad is None at every step of the optimizer ({run.where(step)}), so "
            f"{'they stay' if many else 'it stays'} as {'they were' if many else 'it was'} initialised.",
            fix,
            step=cut.step if cut is not None else run.tensors[tensors[0]].born,
            site=site,
            related=[run.site(step), *(run.site(run.tensors[t].born) for t in tensors)],
            evidence=[
                ("optimizer steps without its gradient", str(len(idle))),
                ("operations that use it", str(sum(len(run.consumers.get(t, ())) for t in tensors))),
                *([fact(run, cut)] if cut is not None else []),
            ],
            nodes=[key(t) for t in (*tensors, *((cut.source, cut.result) if cut is not None else ())) if t != NOTHING],
            steps=idle,
            changes=changes,
            severity="hint" if kind is UNUSED_PARAMETER and _used_in_another(run, tensors) else "",
        )  # fmt: skip


def _idle(run: Run, tensor: int) -> list[int]:
    """The steps at which an optimizer has a parameter and no gradient of it."""
    return [step for step, event in run.optimizer_steps if tensor in event.idle]


def _returned(run: Run, tensors: Collection[int]) -> dict[int, int]:
    """Of tensors without a `.grad` those whose gradients were returned, and the first pass that did so, by its place; func's
    transformations ask for the gradient of what they make of a tensor."""
    found: dict[int, int] = {}
    for place, entry in enumerate(run.passes if tensors else ()):
        for t in entry.event.inputs if entry.via == "grad" else ():
            op = run.tensors[t].op
            for asked in (t, *(run.inputs(op) if op.op in run.having("same_values") else ())):
                if asked in tensors:
                    found.setdefault(asked, place)
    return found


def _not_assigned(run: Run, alone: Mapping[int, int], returned: Mapping[int, int]) -> Iterator[Finding]:
    """Gradients that are returned and never become the `.grad` that the optimizer looks for."""
    at: dict[Site | None, list[int]] = {}
    for t, place in returned.items():
        at.setdefault(run.site(run.passes[place].began), []).append(t)
    for site, tensors in at.items():
        entry, step = run.passes[returned[tensors[0]]], alone[tensors[0]]
        title, many = run.names(tensors), len(tensors) > 1
        idle = _idle(run, tensors[0])
        yield finding(
            run, GRADIENTS_RETURNED,
            f"The gradients of {title} are returned, and nothing puts them into .grad: the optimizer leaves "
            f"{'them' if many else 'it'} as {'they are' if many else 'it is'}.",
            f"{run.site_text(site).capitalize()} gives gradients back and fills no .grad. The optimizer ({run.where(step)}) "
            "updates by .grad alone, which is None, so its step does nothing.",
            "Put each gradient into its parameter's .grad before the optimizer's step, or call backward() on the loss instead.",
            step=entry.began, site=site, related=[run.site(step)],
            evidence=[
                ("optimizer steps without its gradient", str(len(idle))),
                ("parameters", str(len(tensors))),
            ],
            nodes=[key(t) for t in tensors],
            steps=idle,
        )  # fmt: skip


def _used_in_another(run: Run, tensors: list[int]) -> bool:
    """Whether another object of the same class uses the parameters that stand at the same place in it: an option, then."""

    def place(tensor: int) -> tuple[Site | None, list[str]]:
        return run.site(run.tensors[tensor].born), run.title(tensor).split(".")[-2:]

    used = [place(t) for t in _reached(run)]
    return all(place(t) in used for t in tensors)


def _cut_off(paths: Paths, tensor: int, step: int) -> Cut | None:
    """What cuts a tensor off from the losses of the passes before a step."""
    passes = [entry for entry in paths.run.passes if entry.began < step]
    for _, links in ways(paths, tensor, passes) if passes else ():
        cuts = cuts_on(paths, links, lambda t: paths.label(t, step), most=1)
        if cuts:
            return cuts[0]
    return None


@rule(110, UNLISTED_PARAMETER)
def unlisted_parameter(run: Run) -> Iterator[Finding]:
    """A parameter gets gradients but its module does not list it, so no optimizer has it: layers in a Python list."""
    held = run.optimized
    # A module's parameters are named by their path (`model.last.weight`), what lies in its lists by the index there as well
    # (`model.layers[0].weight`).
    names = [(e.tensor, e.name) for _, e in run.namings if "." in e.name]
    modules = {name.partition(".")[0] for t, name in names if t in held}
    listed = {t for t, name in names if "[" in name.partition(".")[2] and name.partition(".")[0] in modules}
    known = held | run.trained | set(_replaced(run).values())
    lost = [t for t in _reached(run) if t in listed - known and run.tensors[t].info.is_parameter]
    if not lost:
        return
    step = run.tensors[lost[0]].born
    yield finding(
        run, UNLISTED_PARAMETER,
        f"{len(lost)} parameter{'s' * (len(lost) > 1)} made at {run.where(step)} get gradients but are never updated.",
        "The module they belong to does not list them in parameters(), so the optimizer does not know them. That happens to "
        "layers that are kept in a plain Python list or dict.",
        "Keep layers in nn.ModuleList or nn.ModuleDict, tensors in nn.ParameterList.",
        step=step,
        related=[run.site(run.optimizer_steps[0][0])],
        evidence=[("shapes", ", ".join(str(list(run.tensors[t].info.shape)) for t in lost[:4]))],
        nodes=[key(t) for t in lost],
        steps=[s for s, e in run.history(lost[0]) if isinstance(e, Accumulated)],
        changes=mends.listed(run, step),
    )  # fmt: skip


@rule(10, LEAF_OVERWRITTEN)
def leaf_overwritten(run: Run) -> Iterator[Finding]:
    """An update such as `w = w - lr * w.grad` puts a new tensor, which is no leaf, in the place of the leaf."""
    bound: dict[tuple[str, str], int] = {}
    at: dict[Site | None, list[tuple[int, Named, int, bool]]] = {}
    behind: set[Site | None] = set()
    """Where what an optimizer moves is left behind."""
    for step, event in run.namings:
        before = bound.get((event.function, event.name), NOTHING)
        bound[event.function, event.name] = event.tensor
        old, new = before, event.tensor
        if NOTHING in (old, new) or old == new or not run.index.has_ledger(old):
            continue
        made = run.tensors[new].born
        tracked = run.status(new, step).requires_grad
        moved = tracked and _left_behind(run, event.name, old, new, step)
        if not moved and not run.uses_gradient(made, old) and not _update_of(run, made, old):
            continue
        if (tracked and run.status(new, step).is_leaf) or not _goes_on_wrongly(run, new, step, tracked):
            continue
        at.setdefault(run.site(step), []).append((step, event, old, tracked))
        if moved:
            behind.add(run.site(step))
    for where, same in at.items():
        step, event, old, tracked = same[0]
        new, name = event.tensor, event.name
        what = (
            f"{name} now names the result of an operation, which is no leaf: backward does not fill its .grad, and its graph "
            "reaches back through all updates."
            if tracked
            else f"{name} now names a tensor that was computed under no_grad and does not require grad, so nothing that is "
            "computed from it does."
        )
        text = run.expression(run.site(run.tensors[new].born))
        kind = "statement" if where in behind else "update"
        copied = f"with torch.no_grad(): {name}.copy_({text})"
        if where in behind:
            what = (
                f"{name} now names {text}, which is no leaf. The optimizer has the leaf and goes on moving it, and nothing is "
                f"computed from that any more but by way of the first {name}."
            )
        yield finding(
            run, LEAF_OVERWRITTEN,
            f"The {kind} at {run.where(step)} replaces the leaf {name} by a new tensor.",
            what,
            f"Write into the leaf: {copied}." if where in behind else
            f"Update in place: `with torch.no_grad(): {name} -= lr * {name}.grad`, then {name}.grad = None.",
            step=step,
            site=run.site(run.tensors[new].born),
            related=[run.site(run.tensors[old].born)],
            evidence=[
                (f"{name} before", "a leaf that requires grad"),
                (f"{name} afterwards", "not a leaf" if tracked else "requires_grad is False"),
            ],
            nodes=[key(old), key(new)],
            steps=[step for step, *_ in same],
            changes=instead(run, statement_at(run, run.site(run.tensors[new].born)), copied) if where in behind
            else mends.updated_in_place(run, step, name, tracked),
        )  # fmt: skip


def _left_behind(run: Run, name: str, old: int, new: int, step: int) -> bool:
    """Whether an optimizer goes on to move the old tensor, of which nothing is computed any more but the new one: an image that
    is clamped under its own name."""
    if run.loops(step) == () or old not in run.inputs(run.tensors[new].op):
        return False
    steps = [s for s, event in run.optimizer_steps if s > step and old in event.owned]
    stepping = run.index.stepping
    uses = [s for s in run.consumers.get(old, ()) if s > run.tensors[new].born and not stepping[s]]
    names = {other for _, other, *_ in run.index.bindings(old)}
    return bool(steps) and not uses and names == {name} and any(entry.began > steps[0] for entry in run.passes)


def _update_of(run: Run, update: int, old: int) -> bool:
    """Whether the operation at a step subtracts something that is computed from the old tensor's `.grad` from it."""
    makers = [run.tensors[t].born for t in run.inputs_at(update)]
    return any(made != update and run.uses_gradient(made, old) for made in makers)


def _goes_on_wrongly(run: Run, tensor: int, step: int, tracked: bool) -> bool:
    """Whether a tensor goes on to be used as it is, without being made a leaf that requires grad again."""
    for later in range(step + 1, min(step + 40, len(run.events))):
        event = run.events[later]
        if isinstance(event, FlagSet) and event.tensor == tensor and event.flag == "requires_grad":
            return False
    for later in run.consumers.get(tensor, ()):
        event = run.events[later]
        # Printing or comparing is no harm; computing a loss is.
        harm = tracked or run.raised is not None or any(e.began > later for e in run.passes)
        if harm and isinstance(event, OpRan) and event.op not in run.having("same_values") and event.op != "grad":
            return event.grad_mode
    return False


@rule(189, ZERO_PRODUCT)
def zero_product(run: Run) -> Iterator[Finding]:
    """Of a product of two parameters both factors begin as zero, so both gradients are zero in every pass."""
    still = [tensor for tensor in run.updates if _still_zero(run, tensor)]
    pairs: dict[Site | None, list[tuple[int, int, int]]] = {}
    taken = set[int]()
    for one in still if len(still) > 1 else ():
        step, other = next(_times(run, one, still), (NOTHING, NOTHING))
        if other != NOTHING and not taken & {one, other}:
            taken |= {one, other}
            first, last = sorted((one, other), key=lambda t: run.tensors[t].born)
            pairs.setdefault(run.site(run.tensors[first].born), []).append((first, last, step))
    for made, alike in pairs.items():
        first, last, step = alike[0]
        born = run.tensors[first].born
        more = f" (and {len(alike) - 1} more such pairs)" if len(alike) > 1 else ""
        yield finding(
            run, ZERO_PRODUCT,
            f"{run.names([first, last])}{more} are both zero and multiply each other: neither ever gets a gradient.",
            "The gradient of a product's factor is the other factor, times what comes back: where both are zero, both "
            f"gradients are zero, in all {len(run.updates[first])} steps. One of them may be zero, so that the product begins "
            "as nothing; then the other one has to be something.",
            f"Initialise {run.title(first)} at random, and leave {run.title(last)} zero.",
            step=born, site=made,
            related=[run.site(run.tensors[last].born), run.site(step)],
            evidence=[("gradients", "zero in all passes"), ("multiplied at", run.site_text(run.site(step)))],
            nodes=[key(t) for pair in alike for t in pair[:2]],
            steps=run.updates[first],
            changes=mends.at_random(run, born),
        )  # fmt: skip


def _still_zero(run: Run, tensor: int) -> bool:
    """Whether a matrix was zero when its first gradient came, is zero at the end, and only got zeros."""
    rows = [(s, e) for s, e in run.history(tensor) if isinstance(e, Accumulated)]
    if not rows or len(run.tensors[tensor].info.shape) < 2:
        return False
    if not all(run.zero(run.status(tensor, at).array) for at in (rows[0][0], len(run.events) - 1)):
        return False
    return all(run.zero(e.increment) for _, e in (rows[0], rows[len(rows) // 2], rows[-1]))


def _times(run: Run, tensor: int, among: Collection[int]) -> Iterator[tuple[int, int]]:
    """Products of what a parameter is, turned or not, and of another one, or of a product with it: `(step, the other)`."""
    products = run.having("matrix_product")
    taken = [tensor]
    for each in taken:
        for step in run.consumers.get(each, ())[:8]:
            event = run.events[step]
            if not isinstance(event, OpRan) or not event.outputs:
                continue
            if "same_values" in run.traits(event.op) and len(taken) < 8:
                taken.append(event.outputs[0].id)
            elif event.op in products:
                others = [given for given in run.inputs(event) if given != each]
                for source in others:
                    if run.owner(run.beneath_views(source)) in among:
                        yield step, run.owner(run.beneath_views(source))
                    elif len(others) < 32 and (made := run.tensors[source].op).op in products | run.having("same_values"):
                        others += run.inputs(made)


@rule(190, SYMMETRY)
def symmetry(run: Run) -> Iterator[Finding]:
    """All units of a hidden layer begin alike and get the same gradient, so they stay alike."""
    alike: list[tuple[int, int]] = []
    for tensor in run.updates:
        info = run.tensors[tensor].info
        rows = [(s, e) for s, e in run.history(tensor) if isinstance(e, Accumulated)]
        if len(info.shape) < 2 or not rows:
            continue
        axis = _unit_axis(run, tensor)
        if axis is None or info.shape[axis] < 2:
            continue
        if not _alike(run, run.status(tensor, rows[0][0]).array, axis) or _is_last(run, tensor, rows[0][0]):
            continue
        gradients = [e.increment for _, e in (rows[0], rows[len(rows) // 2], rows[-1])]
        if all(map(run.zero, gradients)) and _multiplied_on(run, tensor):
            continue  # a factor of a product that is zero with the other one: another rule's
        if all(_alike(run, g, axis, rounded=True) for g in gradients):
            alike.append((tensor, axis))
    if not alike:
        return
    tensor, axis = alike[0]
    born = run.tensors[tensor].born
    first = run.writes.get(tensor, [born])
    initialised = max([s for s in first if s < run.history(tensor)[0][0]], default=born)
    units = run.tensors[tensor].info.shape[axis]
    yield finding(
        run, SYMMETRY,
        f"The {units} units of {run.title(tensor)} are initialised alike and stay alike.",
        "Units with equal weights compute the same and get the same gradient, so training cannot tell them apart: the layer "
        "has the power of a single unit.",
        "Initialise the weights at random (torch.randn(...) * 0.1, or nn.init.xavier_uniform_); biases may be zero.",
        step=initialised,
        related=[run.site(born)],
        evidence=[
            ("units with equal weights", f"{units} of {units}"),
            ("units with equal gradients", f"{units} of {units}"),
            ("tensors", run.names([t for t, _ in alike])),
        ],
        nodes=[key(t) for t, _ in alike],
        steps=run.updates[tensor],
        changes=mends.at_random(run, initialised),
    )  # fmt: skip


def _multiplied_on(run: Run, tensor: int) -> bool:
    """Whether the product with a tensor is the factor of another product as it is."""
    products = run.having("matrix_product")
    for _ in range(4):
        events = [e for s in run.consumers.get(tensor, ())[:8] if isinstance(e := run.events[s], OpRan) and e.outputs]
        made = next((e for e in events if e.op in products or "same_values" in run.traits(e.op)), None)
        if made is None:
            return False
        tensor = made.outputs[0].id
        if made.op in products:
            taken = [e for s in run.consumers.get(tensor, ()) if isinstance(e := run.events[s], OpRan)]
            return any(e.op in products for e in taken)
    return False


def _unit_axis(run: Run, tensor: int) -> int | None:
    """The axis of a weight along which its units lie, from the product it is used in."""
    products = run.having("matrix_product")
    for step in run.consumers.get(tensor, ())[:8]:
        event = run.events[step]
        if not isinstance(event, OpRan):
            continue
        if event.op in run.having("convolution"):
            return 0
        if event.op in run.having("transposes") and event.outputs:
            turned = event.outputs[0].id
            for after in run.consumers.get(turned, ()):
                product = run.events[after]
                if isinstance(product, OpRan) and product.op in products:
                    return 0 if run.inputs(product)[-1] == turned else -1
        if event.op in products:
            return -1 if run.inputs(event)[-1] == tensor else 0
    return None


def _alike(run: Run, array: int, axis: int, rounded: bool = False) -> bool:
    """Whether units have the same numbers; with `rounded`, but for roundings.

    A matrix product may add up its last rows in another order than the others, as the processor's kernels go.
    """
    values = run.recording.array(array)
    if values is None or values.ndim < 2:
        return False
    turned = np.moveaxis(values, axis, 0)
    if not rounded or turned.dtype.kind not in "fc" or not np.isfinite(turned).all():
        return bool((turned == turned[:1]).all())
    near = np.sqrt(np.finfo(turned.dtype).eps) * np.abs(turned).max()
    return bool((np.abs(turned - turned[:1]) <= near).all())


def _is_last(run: Run, tensor: int, step: int) -> bool:
    """Whether no later layer has weights: between the layer and the loss no other trained matrix is used."""
    products = run.having("matrix_product")
    frontier = [tensor]
    seen: set[int] = set()
    while frontier:
        t = frontier.pop()
        for later in run.consumers.get(t, ()):
            event = run.events[later]
            if later > step or not isinstance(event, OpRan):
                continue
            others = [i for i in run.inputs(event) if i != t]
            owners = {run.beneath_views(i) for i in others}
            if event.op in products and t != tensor and tensor not in owners and owners & run.trained \
                    and run.beneath_views(t) != tensor:  # fmt: skip
                return False
            for info in event.outputs:
                if info.id not in seen and len(seen) < 10_000:
                    seen.add(info.id)
                    frontier.append(info.id)
    return True
