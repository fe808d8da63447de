"""Rules about several ranks of one training: whether they stay together, and see different data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import zip_longest

from ...recording.events import NOTHING
from ..reason import Finding, Kind
from .facts import UNKNOWN, RankFacts, StepFacts
from .registry import across
from .world import World, apart, listed, norm

OUT_OF_STEP = Kind(
    "ranks_out_of_step", "error", "Ranks of one training take different numbers of steps, or do different things together."
)
NOT_REDUCED = Kind("gradient_not_reduced", "error", "Ranks step with different gradients: nothing has averaged them.")
DIFFER = Kind("ranks_differ", "error", "Ranks train different networks: a parameter has different values on them.")
IDLE = Kind("idle_on_ranks", "warning", "A parameter has a gradient on some ranks and none on others.")
_MARKED = 64
"""Parameters that are marked in the graph."""
SAME_BATCHES = Kind("same_batches", "warning", "All ranks compute with the same batches, so that they do one rank's work.")


@across(10, OUT_OF_STEP)
def out_of_step(world: World) -> Iterator[Finding]:
    """One that has ended, and has done less than another, or else; of one whose file has no end that is not known."""
    ranks = world.ranks
    if not all(each.begins for each in ranks) or any(each.joins for each in ranks):
        return
    for what, counts in (
        ("steps", [each.step_count for each in ranks]),
        ("backward passes", [each.pass_count for each in ranks]),
        ("collectives", [each.collective_count for each in ranks]),
    ):
        ended = [(count, each) for count, each in zip(counts, ranks, strict=True) if each.complete]
        if not ended or max(counts) == min(count for count, _ in ended):
            continue
        least, behind = min(ended, key=lambda pair: (pair[0], pair[1].rank))
        done = f"{max(counts):,} {what} on rank {ranks[counts.index(max(counts))].rank}, {least:,} on rank {behind.rank}"
        why = f" Rank {behind.rank} ended with {behind.error.split(':')[0]}." if behind.error else ""
        yield world.finding(
            OUT_OF_STEP,
            f"The ranks are out of step: {done}.",
            f"What ranks do together waits for all of them: the others hang, or average with what is not there.{why}",
            "Give all ranks equally many batches: DistributedSampler does (or drop_last=True), model.join() waits for those "
            "that have none. What one rank does alone (saving, validating) must do nothing together with others.",
            step=_last(world),
            evidence=[*world.told(_progress(each, count) for each, count in zip(ranks, counts, strict=True))],
        )
        return
    yield from _other_calls(world)


def _progress(rank: RankFacts, count: int) -> str:
    parts = [f"{count:,}", f"last seen at {rank.last}" if rank.last else "", rank.error, "" if rank.complete else "no end"]
    return "; ".join(filter(None, parts))


def _last(world: World) -> int:
    return len(world.run.events) - 1


def _other_calls(world: World) -> Iterator[Finding]:
    """The first place at which ranks do different things together."""
    for number, calls in enumerate(zip_longest(*(each.collectives for each in world.ranks))):
        names = Counter(call for call in calls if call is not None)
        if len(names) > 1:
            yield world.finding(
                OUT_OF_STEP,
                f"The ranks do different things together: {listed([*names])}, as number {number + 1}.",
                "Collectives are matched in their order: one that waits for another hangs, or gets what was meant for it.",
                "Have all ranks come to the same collectives in the same order.",
                step=_last(world),
                evidence=[*world.told(call or "none" for call in calls)],
            )
            return


@across(20, NOT_REDUCED)
def not_reduced(world: World) -> Iterator[Finding]:
    """A step with gradients that are not the same."""
    for steps in world.steps if world.parts else ():
        names = [name for name in world.parameters if apart(world.gradients(steps, name))]
        if not names:
            continue
        reduced = sum(any(each.averaged for each in passes) for passes in world.passes if passes[0].step < steps[0].step)
        name = names[0]
        yield world.finding(
            NOT_REDUCED,
            f"The gradients of {listed(names, len(world.parameters))} were not averaged over the ranks before step "
            f"{steps[0].number + 1}: each rank stepped with its own.",
            "The ranks' parameters part with this step, and each trains a network of its own.",
            _averaging(world),
            step=steps[0].step,
            evidence=[
                *((f"{name}.grad, {who}", value) for who, value in world.told(map(norm, world.gradients(steps, name)))),
                ("passes before it of which gradients were averaged", f"{reduced:,}"),
            ],
            nodes=_nodes(world, names),
        )
        return


def _averaging(world: World) -> str:
    if world.ranks[0].wraps:
        return (
            "Call what DistributedDataParallel(...) returned, not the module in it: its call has the gradients averaged, "
            "except within no_sync(). What it does not hold, average by hand."
        )
    return (
        "Wrap the model in DistributedDataParallel and call that; or, after backward() and before step(), all_reduce every "
        "parameter's .grad and divide it by the number of ranks."
    )


def _nodes(world: World, names: list[str]) -> list[str]:
    """The parameters in the first rank's graph."""
    first = world.ranks[0]
    wanted = set(names[:_MARKED])
    return [f"t{tensor}" for name, tensor in zip(first.parameters, first.tensors, strict=True) if name in wanted]


@across(30, DIFFER)
def differ(world: World) -> Iterator[Finding]:
    """From the start, or from a step on."""
    if not world.parts:
        return
    names = [name for name in world.parameters if apart(world.start(name))]
    if names:
        began = world.passes[0][0].step if world.passes else 0
        yield world.finding(
            DIFFER,
            f"The ranks do not begin with the same network: {listed(names, len(world.parameters))} differ"
            f"{'s' * (len(names) == 1)} before the first backward pass.",
            "Averaged gradients keep ranks together only if they begin together.",
            "Set the same seed on all ranks before the model is made, or wrap it in DistributedDataParallel, which gives all "
            "ranks what rank 0 has.",
            step=began,
            evidence=[(f"{names[0]}, {who}", value) for who, value in world.told(map(norm, world.start(names[0])))],
            nodes=_nodes(world, names),
        )
        return
    for steps in world.steps:
        names = [name for name in world.parameters if apart(world.values(steps, name))]
        if names:
            yield _differ_after(world, steps, names)
            return


def _differ_after(world: World, steps: tuple[StepFacts, ...], names: list[str]) -> Finding:
    return world.finding(
        DIFFER,
        f"The ranks' networks part at step {steps[0].number + 1}: {listed(names, len(world.parameters))} "
        f"differ{'s' * (len(names) == 1)} after it.",
        "From here on each rank trains a network of its own.",
        "Step with the same gradients, learning rates and state on all ranks: look at what this step used, and at what wrote "
        "these parameters otherwise.",
        step=steps[0].step,
        evidence=[(f"{names[0]}, {who}", value) for who, value in world.told(map(norm, world.values(steps, names[0])))],
        nodes=_nodes(world, names),
    )


@across(40, IDLE)
def idle(world: World) -> Iterator[Finding]:
    """A step in which a parameter had a gradient on one rank and none on another."""
    for steps in world.steps:
        names = [name for name in world.parameters if len({*world.idle(steps, name)}) > 1]
        if not names:
            continue
        pattern = world.idle(steps, names[0])
        without = [each.rank for each, none in zip(world.ranks, pattern, strict=True) if none]
        alike, others = ([n for n in names if (world.idle(steps, n) == pattern) is same] for same in (True, False))
        yield world.finding(
            IDLE,
            f"{listed(alike)} had no gradient on rank{'s' * (len(without) > 1)} {', '.join(map(str, without[:4]))} in step "
            f"{steps[0].number + 1}, and one on the others.",
            "Ranks that went other ways through the network leave parameters out: an average that waits for them hangs, and "
            "one that does not changes the parameter on some ranks alone.",
            "Have all ranks use the same parameters, or say DistributedDataParallel(..., find_unused_parameters=True).",
            step=steps[0].step,
            evidence=[
                *(
                    (f"{names[0]}.grad, {who}", value)
                    for who, value in world.told("None" if none else "there" for none in pattern)
                ),
                *([("on other ranks the same of", listed(others))] if others else []),
            ],
            nodes=_nodes(world, names),
        )
        return


@across(50, SAME_BATCHES)
def same_batches(world: World) -> Iterator[Finding]:
    """All ranks put the same data into every pass, while they average what comes of it."""
    if not all(each.reduces for each in world.ranks) or not world.passes:
        return
    if any(apart(world.values(steps, name)) for steps in world.steps for name in world.parameters):
        return  # they are no copies of one network
    marked = [marks for passes in world.passes if UNKNOWN not in (marks := [each.data for each in passes])]
    what = "data that went in"
    if not marked:
        marked = [marks for passes in world.passes if UNKNOWN not in (marks := [each.local for each in passes])]
        what = "gradients of each rank alone"
    if not marked or any(len({*marks}) > 1 for marks in marked):
        return
    first = world.passes[0][0].step
    count = len(world.ranks)
    on = "both ranks" if count == 2 else f"all {count} ranks"
    yield world.finding(
        SAME_BATCHES,
        "All ranks see the same batches.",
        f"In {len(marked):,} of {len(world.passes):,} passes that were looked at the {what} was the same on {on}: "
        f"{count} processes do the work of one.",
        "Give the DataLoader sampler=DistributedSampler(dataset) and call its set_epoch(epoch) before each epoch, or give "
        "each rank batches of its own otherwise."
        if not world.ranks[0].samples
        else "The program names DistributedSampler: give it to the DataLoader, and tell it the right rank and num_replicas.",
        step=first if first != NOTHING else 0,
        evidence=[(what, f"the same in {len(marked):,} passes"), ("ranks", f"{count}")],
    )
