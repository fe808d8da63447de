"""Why the parameters of a module have the gradients that they have."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from ...recording.events import NOTHING
from ..paths import Paths
from ..reason import Reason
from .grad_query import listed
from .names import items, members

_KINDS = ("a gradient that is not finite", "no gradient", "a gradient of zero", "a gradient")
"""What parameters may have, the gravest first."""
_LOOKED_AT = 8
"""Parameters of which one reason is chosen."""


def why_module(paths: Paths, name: str, step: int, of_tensor: Callable[[Paths, int | str, int], Reason]) -> Reason:
    """The gravest of the reasons of its parameters, and how many there are of its kind.

    Raises:
        KeyError: for a name that no module has, and no list or dict of tensors.
    """
    held = members(paths, name, step)
    what = "parameter" if held else "tensor"
    held = held or items(paths, name, step)
    if not held:
        raise KeyError(name)
    run = paths.run
    kinds: dict[str, list[str]] = {kind: [] for kind in _KINDS}
    for each, tensor in held.items():
        grad = run.tensors[tensor].grad(step)
        if grad == NOTHING:
            kinds[_KINDS[1]].append(each)
        else:
            kinds[_KINDS[0 if run.fault(grad) else 2 if run.zero(grad) else 3]].append(each)
    reasons: list[tuple[str, list[str], Reason]] = []
    for kind, those in kinds.items():
        for each in those[:_LOOKED_AT]:
            reason = of_tensor(paths, each, step)
            reasons.append((kind, those, reason))
            if reason.wrong:
                break
        if reasons and reasons[-1][2].wrong:
            break
    kind, those, reason = next((one for one in reasons if one[2].wrong), reasons[0])
    whose = f"{len(those)} of {len(held)} {what}s of {name} {'has' if len(those) == 1 else 'have'}"
    if len(those) == len(held):
        all_ = {1: f"The only {what}", 2: f"Both {what}s"}.get(len(held), f"All {len(held)} {what}s")
        whose = f"{all_} of {name} {'has' if len(held) == 1 else 'have'}"
    return msgspec.structs.replace(
        reason,
        title=f"{whose} {kind} ({listed(those)}): {_why(reason)}",
        evidence=(*reason.evidence, *((each, _grad_text(paths, held[each], step)) for each in list(held)[:_LOOKED_AT])),
        nodes=tuple(dict.fromkeys([*reason.nodes, *(f"t{held[each]}" for each in those)])),
    )


def _why(reason: Reason) -> str:
    """What follows in a sentence that has said what `.grad` is."""
    gradient, because, why = reason.title.partition(" because ")
    return why if reason.wrong and because and ".grad is " in gradient else reason.title


def _grad_text(paths: Paths, tensor: int, step: int) -> str:
    grad = paths.run.tensors[tensor].grad(step)
    return ".grad None" if grad == NOTHING else f".grad {paths.run.texts.describe(grad)}"
