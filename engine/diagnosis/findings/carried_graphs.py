"""Rules about graphs in places where none is meant: bootstrapped targets, and running averages."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from ...recording.columns import columns_of
from ...recording.events import NOTHING, OpRan, Site
from ..paths import paths_of
from ..reason import Finding, Kind
from ..run import Run, finding, key
from .graph import KEPT_GRAPHS
from .registry import rule

TARGET_WITH_GRADIENT = Kind(
    "target_with_gradient", "warning",
    "The target of a temporal-difference loss gets a gradient, from the same network as the prediction.",
)  # fmt: skip

_BOOTSTRAP = re.compile(r"\b(?:\w*gamma\w*|\w*discount\w*|rewards?|rews?|r|not_?dones?|dones?|non_final\w*)\b", re.IGNORECASE)
"""Names in the text of a target that is bootstrapped."""
_ADVANTAGE = re.compile(r"-?\b(?:\w*adv|\w*advantages?|td_errors?|deltas?)\b", re.IGNORECASE)
_DEEP = 8
"""Operations of a target that are looked at."""
_SUMMED = 100
"""Tensors that a difference is added up to, which are looked at."""
_CARRIED = 3
"""Iterations over which a graph has grown, to be told."""


@rule(185, TARGET_WITH_GRADIENT)
def target_with_gradient(run: Run) -> Iterator[Finding]:
    """A target `r + gamma * q(next)` reaches the loss with its graph, so the loss pulls on both of its sides."""
    paths = paths_of(run.recording)
    if not any(_BOOTSTRAP.search(text) for text in run.recording.source):
        return
    at: dict[Site | None, list[tuple[int, int, int, int, int]]] = {}
    sound: set[int] = set()
    for step, event in run.ops_where(run.op_ran):
        if event.site in sound:
            continue
        found = _two_sides(run, step, event)
        if found is None:
            if not at.get(run.site(step)):
                sound.add(event.site)
            continue
        at.setdefault(run.site(step), []).append((step, *found))
    for same in at.values():
        step, given, target, made, source = same[0]
        name, said = paths.label(target, step), run.segment(run.site(run.tensors[source].born))
        yield finding(
            run, TARGET_WITH_GRADIENT,
            f"The target {name} gets a gradient: it is computed from the network that is trained, with its graph.",
            f"{run.where(made)} adds to the reward what the network says of the next state ({said}). The loss at "
            f"{run.where(step)} compares {paths.label(given, step)} with it, and both require grad, so training moves the "
            "target towards the prediction as well as the prediction towards the target.",
            f"Cut the target off: {name}.detach(), or compute it within torch.no_grad()."
            if name.isidentifier() else "Cut the target off with .detach(), or compute it within torch.no_grad().",
            step=made, related=[run.site(step), run.site(run.tensors[source].born)],
            evidence=[("requires_grad of the target", "True"), ("requires_grad of the prediction", "True")],
            nodes=[key(target), key(given), key(source)],
            steps=[one[3] for one in same],
        )  # fmt: skip


@rule(186, TARGET_WITH_GRADIENT)
def advantage_with_gradient(run: Run) -> Iterator[Finding]:
    """An advantage weighs the log-probabilities of a policy with its graph, so that the policy's loss trains the critic."""
    if not any(_ADVANTAGE.search(text) for text in run.recording.source):
        return
    paths = paths_of(run.recording)
    at: dict[Site | None, list[tuple[int, int, int, int]]] = {}
    for step, event in run.ops_where(columns_of(run.recording).op_is(run.having("product")) & run.op_ran):
        sides = run.inputs(event)
        if len(sides) != 2 or not all(run.status(side, step).requires_grad for side in sides):
            continue
        for weight, other in (sides, sides[::-1]):
            made, difference = run.op_of(run.beneath_views(weight))
            tracked = [t for t in run.inputs(difference) if run.status(t, made).requires_grad]
            if (
                difference.op in run.having("difference")
                and len(run.inputs(difference)) == 2
                and len(tracked) == 1
                and _ADVANTAGE.fullmatch(paths.label(weight, step))
                and _logarithmic(run, other)
            ):
                at.setdefault(run.site(step), []).append((step, weight, made, tracked[0]))
    for same in at.values():
        step, weight, made, source = same[0]
        name, value = paths.label(weight, step), paths.label(source, step)
        yield finding(
            run, TARGET_WITH_GRADIENT,
            f"{name} weighs the policy's loss with its graph, so that loss trains {value} as well.",
            f"{run.where(made)} computes {name} from {value}, which requires grad. {run.where(step)} multiplies the "
            f"log-probabilities by it: the gradient of that product by {value} moves the critic as it suits the policy, "
            "not the returns.",
            f"Take it as a number there: {name}.detach().",
            step=step, related=[run.site(made), run.site(run.tensors[source].born)],
            evidence=[(f"{name}.requires_grad", "True")],
            nodes=[key(weight), key(source)], steps=[one[0] for one in same],
        )  # fmt: skip


def _logarithmic(run: Run, tensor: int) -> bool:
    """Whether a tensor holds log-probabilities, as far as its next of kin tell."""
    for _ in range(_DEEP):
        _, event = run.op_of(tensor)
        if event.op in run.having("logarithm") or ("normalizes" in run.traits(event.op) and "log" in event.op):
            return True
        tracked = [t for t in run.inputs(event) if run.tensors[t].info.requires_grad]
        if len(tracked) != 1:
            return False
        tensor = tracked[0]
    return False


def _two_sides(run: Run, step: int, event: OpRan) -> tuple[int, int, int, int] | None:
    """Of a comparison whose sides both require grad: prediction, target, the step that made the target a sum with a reward, and
    what it adds to the reward."""
    traits = run.traits(event.op)
    sides = run.inputs(event)
    if len(sides) != 2 or not ("distance" in traits or "difference" in traits):
        return None
    if not all(run.status(side, step).requires_grad for side in sides):
        return None
    if "difference" in traits and not _measured(run, event):
        return None
    for given, target in (sides, sides[::-1]):
        found = _sum_with_reward(run, target)
        if found is not None and _module(run, given) == _module(run, found[1]) != "":
            return given, target, *found
    return None


def _measured(run: Run, event: OpRan) -> bool:
    """Whether a magnitude is made of a difference, or of what it is added up to, as generalised advantages are; each may have
    been written into an element of another tensor."""
    queue = [made.id for made in event.outputs]
    for tensor in queue:
        for step in run.consumers.get(tensor, ())[:_DEEP]:
            later = run.events[step]
            if not isinstance(later, OpRan) or later.node is None:
                continue
            given = run.inputs(later)
            if later.op in run.having("distance") or (later.op in run.having("magnitude") and len({*given}) == 1):
                return True
            whole = run.having("additive") | run.having("product") | run.having("same_values") | run.having("joins")
            onward = later.op in whole and (later.op not in run.having("product") or len(given) == 1)
            if (onward or later.written) and len(queue) < _SUMMED:
                made = [made.id for made in later.outputs] + [write.tensor for write in later.written]
                queue += [each for each in made if each not in queue]
    return False


def _sum_with_reward(run: Run, target: int) -> tuple[int, int] | None:
    """Where a target became the sum of what needs no gradient (a reward) and what the network said, and the latter."""
    tensor = target
    for _ in range(_DEEP):
        step, event = run.op_of(tensor)
        tracked = [t for t in run.inputs(event) if run.status(t, step).requires_grad]
        if len(tracked) != 1 or event.op not in run.having("elementwise") | run.having("same_values"):
            return None
        plain = [t for t in run.inputs(event) if t not in tracked]
        if plain and event.op not in run.having("product") and _BOOTSTRAP.search(run.line(run.site(step))):
            return step, tracked[0]
        tensor = tracked[0]
    return None


def _module(run: Run, tensor: int) -> str:
    """The outermost module whose forward pass a tensor's values last came out of."""
    for _ in range(4 * _DEEP):
        _, event = run.op_of(tensor)
        scope = run.recording.scopes[event.scope].module if event.scope >= 0 else ""
        if scope:
            return scope.partition(".")[0]
        tracked = [t for t in run.inputs(event) if run.tensors[t].info.requires_grad]
        if not tracked:
            return ""
        tensor = tracked[0]
    return ""


@rule(225, KEPT_GRAPHS)
def average_with_graph(run: Run) -> Iterator[Finding]:
    """What is carried from one iteration of training or evaluation to the next grows a graph that no pass goes through."""
    evaluates = _evaluations(run)
    if len(run.passes) < _CARRIED and not evaluates:
        return
    roots = {tensor for entry in run.passes for tensor, _ in entry.event.roots}
    columns = columns_of(run.recording)
    operations = columns.operations
    loose = (columns.made_node != NOTHING) & ~run.op_ran & (operations.in_backward == 0) & (operations.cut == 0)
    trains = Counter(line for entry in run.passes for line in {line for line, _ in run.loops(entry.began)})
    """Line of a loop -> the passes in it."""
    chain: dict[int, tuple[int, int]] = {}
    """What came out of operations that no pass goes through -> over how many iterations its graph reaches, and its step."""
    grown: dict[int, list[tuple[int, int, int]]] = {}
    """Row of a site -> (step, iterations, tensor)."""
    makers: dict[int, int] = {}
    """What came out of those operations -> the row of its site."""
    carrying: set[int] = set()
    """Rows of the sites that made what a later iteration takes: of what is only computed from that, nothing is told."""
    for step, event in run.ops_where(loose & (operations.grad_mode == 1)):
        if event.site < 0:
            continue
        here, length = run.loops(step), 1
        for tensor in run.inputs(event):
            known = chain.get(tensor)
            if known is None:
                continue
            line = _loop_between(run.loops(known[1]), here)
            over = trains[line] >= _CARRIED or evaluates[line] >= _CARRIED
            length = max(length, known[0] + over)
            if over:
                carrying.add(makers[tensor])
        made = [info.id for info in event.outputs if info.requires_grad]
        made += [write.tensor for write in event.written if write.requires_grad and not write.is_leaf]
        chain.update((tensor, (length, step)) for tensor in made)
        makers.update((tensor, event.site) for tensor in made)
        if length >= _CARRIED and made:
            grown.setdefault(event.site, []).append((step, length, made[0]))
    paths = paths_of(run.recording)
    told: set[str] = set()
    for row, found in grown.items():
        if row not in carrying:
            continue
        step, _, tensor = found[-1]
        name = paths.assigned_to(step) or run.title(tensor)
        if name in told or tensor in roots or _from_losses(run, tensor, roots):
            continue
        told.add(name)
        yield finding(
            run, KEPT_GRAPHS,
            f"{name} carries the graph of every iteration with it.",
            f"{run.where(step)} computes {name} from its value in the iteration before, with its graph. So the graph grows by "
            f"one iteration each time ({found[-1][1]} by the end), and no backward pass ever goes through it. Memory and time "
            "grow.",
            f"Update {name} within torch.no_grad(), or compute it from detached values or numbers (.item()).",
            step=found[0][0], related=[run.site(entry.began) for entry in run.passes[:1]],
            evidence=[("iterations in its graph", str(found[-1][1])), (f"{name}.requires_grad", "True")],
            nodes=[key(tensor)], steps=[one[0] for one in found],
            severity="" if any(trains[line] >= _CARRIED for line, _ in run.loops(step)) else "hint",
        )  # fmt: skip


def _evaluations(run: Run) -> Counter[int]:
    """Line of a loop -> its iterations in which a module ran in evaluation mode. A loop within the module, over its layers, is
    none of evaluations."""
    turns: set[tuple[int, int]] = set()
    for scope in run.recording.scopes:
        if scope.mode == "eval":
            inside = next((k for k, (_, what) in enumerate(scope.calls) if what == "forward"), len(scope.calls))
            turns.update(turn for k, turn in enumerate(scope.loops) if k >= len(scope.around) or scope.around[k][1] <= inside)
    return Counter(line for line, _ in turns)


def _loop_between(there: tuple[tuple[int, int], ...], here: tuple[tuple[int, int], ...]) -> int:
    """The line of the outermost loop of which one nest of loops is in an earlier iteration; 0 if it is in none."""
    for (line, k), (other, j) in zip(there, here, strict=False):
        if line != other:
            return 0
        if k != j:
            return line if k < j else 0
    return 0


def _from_losses(run: Run, tensor: int, roots: set[int]) -> bool:
    """Whether losses that passes began with go into it: `kept_graphs` tells of those."""
    frontier, seen = [tensor], {tensor}
    while frontier and len(seen) < 64:
        for t in run.inputs(run.tensors[frontier.pop()].op):
            if t in roots:
                return True
            if t not in seen:
                seen.add(t)
                frontier.append(t)
    return False
