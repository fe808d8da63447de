"""Recurrent networks that go both ways, of which the last step alone is read: one direction has seen a single element there."""

from __future__ import annotations

import re
from typing import NamedTuple

from ..recording.events import NOTHING, Accumulated, Named, OpRan
from .run import Run

_NAME = re.compile(r"(.+)\.weight_hh_l(\d+)_reverse")
_FILLS = 64
"""Gradients of a parameter that are looked at."""
_BACK = 6
"""Operations between a recurrent network and what is read of its result."""
_NAMES = 8
"""Events behind a network's call within which its results get their names."""


class OneStep(NamedTuple):
    """A read of a recurrent network's result at a step where one direction has only begun."""

    owner: str
    """The network's name."""
    parameter: int
    """The weight that carries on the state of the direction that has only begun: its gradients are zero."""
    backward: bool
    """Whether that is the direction that begins at the end."""
    step: int
    """What is read."""
    made: int
    """The network's result."""
    state: str
    """The program's name for the last states of all directions; "" where it has none."""
    passes: int

    def sentence(self, run: Run) -> str:
        """Why the gradient is zero."""
        way, end, begins = ("backward", "last", "end") if self.backward else ("forward", "first", "beginning")
        return (
            f"The {way} direction of {self.owner} begins at the {begins} of the sequence, so its half of the {end} step has "
            f"seen the {end} element alone: {run.title(self.parameter)}, by which it carries on what it has seen, has a "
            f"gradient of exactly zero in {'all ' * (self.passes > 1)}{self.passes} pass{'es' * (self.passes > 1)}."
        )

    @property
    def joined(self) -> str:
        """What each direction has seen at its own end, as an expression."""
        return f"torch.cat([{self.state or 'h'}[-2], {self.state or 'h'}[-1]], dim=1)"

    @property
    def remedy(self) -> str:
        """What to do."""
        whose = "" if self.state else ", with the last hidden states h that the network returns beside its output"
        return f"Join what each direction has at its own end: {self.joined}{whose}."


def read_at_one_end(run: Run) -> list[OneStep]:
    """The networks of which no pass ever needed the states of one direction, because a single step of their result is read."""
    return run.recording.once("directions read at one end", lambda: _found(run))


def _found(run: Run) -> list[OneStep]:
    layers: dict[str, int] = {}
    for name in run.named_tensors:
        if found := _NAME.fullmatch(name):
            layers[found[1]] = max(layers.get(found[1], 0), int(found[2]))
    answer = []
    for owner, layer in layers.items():
        weights = [
            run.named_tensors.get(f"{owner}.weight_{part}_l{layer}{way}") for way in ("", "_reverse") for part in ("ih", "hh")
        ]
        if not all(weights):
            continue
        given = [_zero(run, named[-1][1]) for named in weights if named]
        if None in given or given[0] or given[2] or given[1] == given[3]:
            continue
        backward = bool(given[3])
        named = weights[3 if backward else 1]
        read = _read(run, owner, backward)
        if named and read is not None:
            tensor = named[-1][1]
            passes = sum(isinstance(e, Accumulated) for _, e in run.history(tensor))
            answer.append(OneStep(owner, tensor, backward, *read, passes))
    return answer


def _zero(run: Run, parameter: int) -> bool | None:
    """Whether all gradients of a parameter are zero; None where it has none."""
    arrays = [event.increment for _, event in run.history(parameter) if isinstance(event, Accumulated)][:_FILLS]
    return bool(run.recording.stored.zero(arrays).all()) if arrays and min(arrays) >= 0 else None


def _read(run: Run, owner: str, backward: bool) -> tuple[int, int, str] | None:
    """Where one step is read of what a network has given: the step, the network's result, and the name of its last states."""
    scopes = run.recording.scopes
    own = {number for number, scope in enumerate(scopes) if scope.module == owner}
    for step, event in run.first_ops_of(run.having("same_values") | run.having("leaves_out"), 2):
        given = run.argument(event, "self")
        if event.scope in own or given == NOTHING or len(event.outputs) != 1 or len(event.outputs[0].shape) != 2:
            continue
        made, shape = event.outputs[0], run.tensors[given].info.shape
        if len(shape) != 3 or made.shape[-1] != shape[-1] or not made.requires_grad or not _comes_from(run, given, own):
            continue
        dim, index = run.setting(event, "dim"), run.setting(event, "index")
        if dim.isdigit() and (shape[int(dim)] < 2 or int(dim) > 1 or index != (str(shape[int(dim)] - 1) if backward else "0")):
            continue
        return step, given, _state(run, run.tensors[run.beneath_views(given)].born, shape[-1] // 2)
    return None


def _comes_from(run: Run, tensor: int, scopes: set[int]) -> bool:
    """Whether a tensor is what a module has made, or has the same values in another form."""
    for _ in range(_BACK):
        event = run.tensors[tensor].op
        if event.scope in scopes:
            return True
        inputs = run.inputs(event)
        if not inputs:
            return False
        tensor = inputs[0]
    return False


def _state(run: Run, made: int, size: int) -> str:
    """The first name that is given, soon after, to states of a size that stand one upon the other, two for each layer."""
    for event in run.events[made : made + _NAMES]:
        if not isinstance(event, Named) or event.tensor == NOTHING:
            continue
        history = run.tensors[event.tensor]
        shape = history.info.shape
        stacked = isinstance(history.op, OpRan) and len(shape) == 3 and shape[0] % 2 == 0 and shape[2] == size
        if stacked and re.fullmatch(r"[A-Za-z]\w*(\[0\])?", event.name):
            return event.name
    return ""
