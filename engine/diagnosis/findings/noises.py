"""Rules about noise that a network is to recognise in what it is given."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...recording.events import NOTHING, OpRan
from ..mending import Changes, dropped, in_body, moved, replaced, site_of, spot, statement_of
from ..paths import paths_of
from ..reason import Finding, Kind
from ..run import Run, finding, key
from .registry import rule

UNRELATED_NOISE = Kind(
    "unrelated_noise", "warning", "The noise that a network is to find is not the noise that its input has.", mechanical=True
)

NOISE_WITHOUT_ROOT = Kind(
    "noise_without_root", "warning", "Data are multiplied by the root of a share and noise by the rest itself, not by its "
    "root.",
    mechanical=True,
)  # fmt: skip

_EACH = 3
"""Iterations from which on a habit shows."""
_BEHIND = 1_000
"""Tensors behind a prediction that are looked at."""
_NEAR = 16
"""Operations around a draw that are looked at."""


@rule(160, UNRELATED_NOISE)
def unrelated_noise(run: Run) -> Iterator[Finding]:
    """A prediction is compared with a fresh draw, from which nothing else is computed, and another draw of that shape has been
    added to the input from which the prediction comes, in the same iteration."""
    found: dict[int, list[tuple[int, int, int]]] = {}
    for step, event in run.first_ops_of(run.having("distance") | run.having("difference"), 8):
        made, wanted = _compared(run, step, event)
        draw = _draw_of(run, wanted) if made != NOTHING else NOTHING
        if draw == NOTHING or not _only_compared(run, draw):
            continue
        other = _noise_of_input(run, made, draw)
        if other != NOTHING:
            found.setdefault(event.site, []).append((step, draw, other))
    for shown in found.values():
        if len({run.loops(step) for step, *_ in shown}) < _EACH:
            continue
        step, draw, other = shown[0]
        drawn, added = (run.site(run.tensors[each].born) for each in (draw, other))
        yield finding(
            run, UNRELATED_NOISE,
            f"The target is noise that nothing else has: the input has been given another draw, at {run.site_text(added)}.",
            f"{run.expression(drawn) or 'The draw'} at {run.site_text(drawn)} is new, and the prediction is compared with it "
            f"at {run.where(step)}. What was added to the input is {run.expression(added) or 'another draw'}, which says "
            "nothing about it. So the best prediction is the mean of the noise, whatever the input: the loss cannot fall below "
            "the variance of the noise.",
            "Draw the noise once: keep it under a name, add it to the input, and compare the prediction with it.",
            step=run.tensors[draw].born, site=drawn, related=[added, run.site(step)],
            evidence=[
                ("target", run.texts.describe(run.tensors[draw].info.array)),
                ("noise of the input", run.texts.describe(run.tensors[other].info.array)),
            ],
            nodes=[key(draw), key(other)], steps=[run.tensors[each].born for _, each, _ in shown],
            changes=_drawn_once(run, draw, other),
        )  # fmt: skip


def _compared(run: Run, step: int, event: OpRan) -> tuple[int, int]:
    """The prediction and the target that an operation compares, of one shape; NOTHING for each where it is no such thing."""
    given = run.inputs(event)
    if len(given) != 2 or event.node is None or event.in_backward:
        return NOTHING, NOTHING
    learned = [run.status(tensor, step).requires_grad for tensor in given]
    if learned[0] == learned[1] or run.tensors[given[0]].info.shape != run.tensors[given[1]].info.shape:
        return NOTHING, NOTHING
    return (given[0], given[1]) if learned[0] else (given[1], given[0])


def _is_draw(run: Run, tensor: int) -> bool:
    """Whether a tensor is a draw of numbers of floating point, made within a loop."""
    history = run.tensors[tensor]
    drawn = {"creation", "draws"} <= {*run.traits(history.op.op)}
    return drawn and "float" in history.info.dtype and bool(run.loops(history.born))


def _draw_of(run: Run, tensor: int) -> int:
    """The draw that a tensor is, perhaps scaled by a number; NOTHING where it is anything else."""
    for _ in range(_NEAR):
        tensor = run.beneath_views(tensor)
        if _is_draw(run, tensor):
            return tensor
        event = run.tensors[tensor].op
        given = run.inputs(event)
        if len(given) != 1 or "elementwise" not in run.traits(event.op):
            break
        (tensor,) = given
    return NOTHING


def _only_compared(run: Run, draw: int) -> bool:
    """Whether nothing is computed from a draw but how far something is from it."""
    compares = run.having("distance") | run.having("difference")
    alone = run.having("same_values") | run.having("elementwise")
    queue = [draw]
    for tensor in queue:
        for step in run.consumers.get(tensor, ()):
            event = run.events[step]
            if not isinstance(event, OpRan) or len(queue) > _NEAR or run.status(tensor, step).requires_grad:
                return False
            if event.op in compares:
                continue
            if len(run.inputs(event)) != 1 or event.op not in alone:
                return False
            queue += [made.id for made in event.outputs]
    return draw not in run.writes and bool(run.consumers.get(draw))


def _noise_of_input(run: Run, made: int, draw: int) -> int:
    """Another draw of the same shape and iteration, which was added to data that a prediction comes from; NOTHING where there
    is none, or more is behind it than is looked at."""
    shape, turn = run.tensors[draw].info.shape, run.loops(run.tensors[draw].born)
    queue, seen, found = [made], {made}, []
    for tensor in queue:
        history = run.tensors[tensor]
        if tensor == draw or len(queue) > _BEHIND:
            return NOTHING
        if tensor != made and _is_draw(run, tensor) and history.info.shape == shape and run.loops(history.born) == turn:
            found.append(tensor)
        if history.op.op in run.having("creation"):
            continue
        for given in run.inputs(history.op):
            if given not in seen and not run.tensors[given].info.is_parameter:
                seen.add(given)
                queue.append(given)
    if found and all(_is_added(run, each) for each in found):
        return found[0]
    # Data may be made up of draws, too. What each sample has more or less of than others is noise all the same.
    mixed = [each for each in found if _is_added(run, each, mixed=True)]
    return mixed[0] if len(mixed) == 1 else NOTHING


def _is_added(run: Run, draw: int, *, mixed: bool = False) -> bool:
    """Whether a draw, perhaps scaled, is added to data that are no draw themselves, and to nothing that is learned. A draw that
    is `mixed` with them is scaled for each sample; these data may be computed from draws, but are none."""
    queue, by_sample = [draw], {draw: False}
    for tensor in queue:
        for step in run.consumers.get(tensor, ())[:_NEAR]:
            event = run.events[step]
            if not isinstance(event, OpRan) or len(queue) > _NEAR or "elementwise" not in run.traits(event.op):
                continue
            if any(made.requires_grad for made in event.outputs):
                continue
            others = [given for given in run.inputs(event) if given != tensor]
            shape = run.tensors[draw].info.shape
            beside = any(run.tensors[other].info.shape == shape for other in others)
            if "additive" not in run.traits(event.op):
                for made in event.outputs:
                    by_sample[made.id] = by_sample[tensor] or any(_differs(run, other, step) for other in others)
                    queue.append(made.id)
            elif beside and mixed:
                if by_sample[tensor] and not any(_is_scaled_draw(run, other) for other in others):
                    return True
            elif beside and not _has_draw(run, others, shape):
                return True
    return False


def _differs(run: Run, tensor: int, step: int) -> bool:
    """Whether a factor is not the same for all samples."""
    values = run.values(tensor, step)
    return values is not None and values.size > 1 and bool((values != values.flat[0]).any())


def _is_scaled_draw(run: Run, tensor: int) -> bool:
    """Whether a tensor is a draw, or one that was multiplied."""
    queue = [tensor]
    for each in queue:
        if _is_draw(run, each) or len(queue) > _NEAR:
            return True
        event = run.tensors[each].op
        if event.op in run.having("product") | run.having("same_values") | run.having("division"):
            queue += run.inputs(event)
    return False


def _has_draw(run: Run, tensors: list[int], shape: tuple[int, ...]) -> bool:
    """Whether tensors are computed, element by element, from a draw of a shape, so that the data are made up."""
    queue = list(tensors)
    for tensor in queue:
        event = run.tensors[tensor].op
        if len(queue) > _NEAR or (_is_draw(run, tensor) and run.tensors[tensor].info.shape == shape):
            return True
        if event.op in run.having("elementwise") | run.having("same_values"):
            queue += run.inputs(event)
    return False


# --- the mend -----------------------------------------------------------------------------------------------------------------


def _drawn_once(run: Run, draw: int, other: int) -> Changes:
    """The target's draw replaced by the name of the other one; or, where that has none and the target's has, made before it and
    used there, too."""
    site, there = (run.site(run.tensors[each].born) for each in (draw, other))
    found, before = statement_of(run, site), spot(run, there)
    if found is None or before is None or found.cell != before.cell:
        return []
    whole, name = site_of(found.cell, found.node), _name_beside(run, draw, other)
    bound = value = None
    if isinstance(found.node, ast.Assign) and len(found.node.targets) == 1:
        bound, value = found.node.targets[0], found.node.value
    if name and isinstance(bound, ast.Name) and bound.id == name and value is _node(run, draw):
        return dropped(run, whole)
    if name:
        return replaced(run, site, name)
    first = in_body(run, there, whole)
    if first is None or not isinstance(bound, ast.Name) or first.line >= whole.line:
        return []
    return [*moved(run, whole, before=first), *replaced(run, there, bound.id)]


def _node(run: Run, tensor: int) -> ast.AST | None:
    return paths_of(run.recording).source.at(run.site(run.tensors[tensor].born))


def _name_beside(run: Run, draw: int, other: int) -> str:
    """The name that the other draw has where the target's is made, in the same function; "" for none."""
    source, born, history = paths_of(run.recording).source, run.tensors[draw].born, run.tensors[other]
    here = _node(run, draw)
    if here is None or history.names is None:
        return ""
    for step, name in list(zip(history.names.steps, history.names.values, strict=True))[:_NEAR]:
        named = source.at(run.site(step))
        if step < born and name.isidentifier() and named is not None and source.function(named) is source.function(here):
            return name if run.named_at(name, born - 1) == other else ""
    return ""


# --- shares -------------------------------------------------------------------------------------------------------------------


@rule(161, NOISE_WITHOUT_ROOT)
def noise_without_root(run: Run) -> Iterator[Finding]:
    """`sqrt(a) * x + (1 - a) * noise`: the variance of the sum is less than that of its parts."""
    for step, event in run.first_ops_of({"add"}, 1):
        pair = [run.tensors[tensor].op for tensor in run.inputs(event)]
        if len(pair) != 2 or event.in_backward or not all(_is_product(run, each) for each in pair):
            continue
        for data, noisy in (pair, pair[::-1]):
            roots = [root for tensor in run.inputs(data) if (root := _root_of(run, tensor)) != NOTHING]
            rests = [tensor for tensor in run.inputs(noisy) if roots and _rest_of(run, tensor) == roots[0]]
            draws = [tensor for tensor in run.inputs(noisy) if _is_draw(run, run.beneath_views(tensor))]
            if not rests or not draws:
                continue
            rest, share = run.beneath_views(rests[0]), roots[0]
            made = run.site(run.tensors[rest].born)
            written = run.expression(run.site(run.tensors[rests[0]].born)) or run.expression(made)
            found = spot(run, made)
            text = ast.unparse(found.node) if found is not None else ""
            yield finding(
                run, NOISE_WITHOUT_ROOT,
                f"The noise is multiplied by {text or written or 'what is left'} itself, and the data by the root of its "
                "share.",
                f"At {run.where(step)} the squares of the two factors do not add up to 1, so that the variance is not kept: "
                "with sqrt(a) for the data it is sqrt(1 - a) for the noise. What is learned is to take off less noise than "
                "sampling will put on.",
                f"Take the root: torch.sqrt({text})." if text else "Take the root of what is left, too.",
                step=run.tensors[rest].born, site=made, related=[run.site(step)],
                evidence=[
                    ("share of the data", run.texts.describe(run.tensors[share].info.array)),
                    ("factor of the noise", run.texts.describe(run.tensors[rest].info.array)),
                ],
                nodes=[key(share), key(rest)], changes=replaced(run, made, f"(({text}) ** 0.5)") if text else [],
            )  # fmt: skip
            break


def _is_product(run: Run, event: OpRan) -> bool:
    return event.op in run.having("product") & run.having("elementwise") and len(run.inputs(event)) == 2


def _root_of(run: Run, tensor: int) -> int:
    """What a tensor is the root of; NOTHING for anything else."""
    event = run.tensors[run.beneath_views(tensor)].op
    rooted = event.op == "sqrt" or (event.op == "pow" and run.setting(event, "exponent") == "0.5")
    return run.beneath_views(run.inputs(event)[0]) if rooted and run.inputs(event) else NOTHING


def _rest_of(run: Run, tensor: int) -> int:
    """What a tensor is 1 less; NOTHING for anything else."""
    event = run.tensors[run.beneath_views(tensor)].op
    given = run.inputs(event)
    rest = event.op == "rsub" and len(given) == 1 and run.setting(event, "other") in ("1", "1.0")
    return run.beneath_views(given[0]) if rest else NOTHING
