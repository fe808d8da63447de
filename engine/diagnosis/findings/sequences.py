"""Rules about recurrent networks: which dimension is time and which the samples."""

from __future__ import annotations

from collections.abc import Iterator

from ...graph.numbers import shape_text
from ...recording.events import NOTHING, OpRan
from ..mending import keyword
from ..paths import paths_of
from ..program_ast import site_of
from ..reason import Finding, Kind
from ..run import Run, finding, key
from .registry import rule

BATCH_IS_TIME = Kind(
    "batch_is_time", "warning", "A recurrent network takes the samples for steps in time: batch_first is missing.",
    mechanical=True,
)  # fmt: skip

_RECURRENT = ("LSTM", "GRU", "RNN")


@rule(176, BATCH_IS_TIME)
def batch_is_time(run: Run) -> Iterator[Finding]:
    """The result of a recurrent network, time first, is read at its last sample for every step, and compared with a target for
    each of them."""
    scopes = run.recording.scopes
    if not any(scope.module_class in _RECURRENT for scope in scopes):
        return
    for step, event in run.first_ops_of({"select"}, 1):
        made = run.argument(event, "self")
        said = {argument.name: argument.text for argument in event.inputs}
        if made == NOTHING or said.get("dim") != "1" or not event.outputs:
            continue
        source = run.tensors[made].op
        shape = run.tensors[made].info.shape
        inside = scopes[source.scope] if source.scope >= 0 else None
        if inside is None or inside.module_class not in _RECURRENT or source.op in run.having("transposes") or len(shape) != 3:
            continue
        own = event.scope >= 0 and scopes[event.scope].module_class in _RECURRENT
        if own or said.get("index") != str(shape[1] - 1) or shape[0] < 2 or shape[1] < 2:
            continue
        if not _for_each(run, event.outputs[0].id, shape[0]):
            continue
        calls = paths_of(run.recording).source.calls.get(inside.module_class, [])
        site = site_of(*calls[0]) if len(calls) == 1 else None
        yield finding(
            run, BATCH_IS_TIME,
            f"{inside.module or inside.module_class} takes dimension 0 for time: it goes through the {shape[0]} samples one "
            "after the other.",
            f"Without batch_first=True an input is (time, samples, features). {run.segment(run.site(step)) or 'The last one'} "
            f"reads {shape_text(shape)} at the last of {shape[1]} in dimension 1 and gives a result for each of {shape[0]} in "
            "dimension 0, as where these are samples. The state of one sample then goes on into the next.",
            "Make the layer with batch_first=True.",
            step=run.tensors[made].born, site=site, related=[run.site(run.tensors[made].born), run.site(step)],
            evidence=[("result", str(list(shape))), ("targets", str(shape[0]))], nodes=[key(made), key(event.outputs[0].id)],
            changes=keyword(run, site, "batch_first", "True") if site is not None else [],
        )  # fmt: skip


def _for_each(run: Run, tensor: int, count: int) -> bool:
    """Whether a loss compares what layers make of a tensor with as many targets as it has rows."""
    queue = [tensor]
    for source in queue:
        for step in run.consumers.get(source, ()):
            event = run.events[step]
            if not isinstance(event, OpRan) or not event.outputs:
                continue
            target = run.argument(event, "target")
            if target != NOTHING and run.tensors[target].info.shape[:1] == (count,):
                return True
            if event.outputs[0].shape[:1] == (count,) and len(queue) < 24:
                queue.append(event.outputs[0].id)
    return False
