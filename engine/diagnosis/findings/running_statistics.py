"""A rule about running statistics that forget all batches but the last."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..paths import paths_of
from ..program_ast import site_of
from ..ran import first_step_beside
from ..reason import Finding, Kind
from ..run import Run, finding, key
from .registry import rule

MOMENTUM_OF_LAST_BATCH = Kind(
    "momentum_of_last_batch",
    "warning",
    "The momentum of a batch normalisation is the share of the old statistics, not the new.",
)

_LAYER = "BatchNorm"
_MOST, _ALL = 0.9, 1.0
"""From which share of the last batch on it is likely that the other one was meant; all of it is written on purpose."""
_BATCHES = 2


@rule(285, MOMENTUM_OF_LAST_BATCH)
def momentum_of_last_batch(run: Run) -> Iterator[Finding]:
    """A layer is made with momentum=0.9 or more, and sees several batches in training mode."""
    source, scopes = paths_of(run.recording).source, run.recording.scopes
    calls = [each for name, found in source.calls.items() if name.startswith(_LAYER) for each in found]
    if sum(scope.module_class.startswith(_LAYER) and scope.mode == "train" for scope in scopes) < _BATCHES:
        return
    for cell, call in calls:
        momentum = next((k.value for k in call.keywords if k.arg == "momentum"), None)
        value = momentum.value if isinstance(momentum, ast.Constant) else None
        statement = source.statement(call)
        if not isinstance(value, float) or not _MOST <= value < _ALL or statement is None:
            continue
        if (step := first_step_beside(run, cell, statement)) is None:
            continue
        kept = [event.tensor for _, event in run.namings if event.name.rpartition(".")[2] in ("running_mean", "running_var")]
        yield finding(
            run, MOMENTUM_OF_LAST_BATCH,
            f"momentum={value} makes running statistics of little more than the last batch.",
            f"In PyTorch momentum is the share of the new batch: running = {1 - value:.3g} * running + {value} * batch. In "
            "other libraries it is the share of what was there. In evaluation mode each sample is normalised by what one batch "
            "happened to be.",
            f"Take momentum={1 - value:.3g}.",
            step=max(step, run.tensors[kept[0]].born if kept else step), site=site_of(cell, call),
            evidence=[("momentum", str(value))], nodes=[key(each) for each in dict.fromkeys(kept)],
        )  # fmt: skip
