"""What mends that of which PyTorch warns."""

from __future__ import annotations

import ast
import re

from ...recording.events import OpRan, Site
from ..mending import (
    Changes,
    argument_at,
    beside,
    call_of,
    definition_of,
    in_body,
    keyword,
    moved,
    replaced,
    site_of,
    sites_at,
    spot,
    text_at,
    with_call,
)
from ..paths import paths_of
from ..run import Run


def heeded(run: Run, code: str, step: int, message: str) -> Changes:
    """What PyTorch would not warn of in place of what it warns of at a step, by the code of the warning."""
    site = run.site(step)
    match code:
        case "schedule_before_optimizer":
            return _scheduled_last(run, step)
        case "implicit_softmax_dim":
            return keyword(run, _choosing(run, site, message), "dim", _dimension(run, step))
        case "kl_div_mean":
            return keyword(run, _reducing(run, site), "reduction", '"batchmean"')
        case "checkpoint_without_gradient":
            return keyword(run, site, "use_reentrant", "False")
        case "dropout_of_one_layer":
            return keyword(run, site, "dropout", None)
        case "copied_tensor":
            return _copied(run, site)
    return []


def _scheduled_last(run: Run, step: int) -> Changes:
    """A schedule's step, or the call that leads to it, written after what leads to the optimizer's."""
    stepped = next((at for at, _ in run.optimizer_steps if at > step), None)
    for site in sites_at(run, step) if stepped is not None else ():
        target = in_body(run, beside(run, stepped, site), site) if stepped is not None else None
        if target is not None:
            return moved(run, site, after=target)
    return []


def _choosing(run: Run, site: Site | None, message: str) -> Site | None:
    """The call of a softmax that is not told its dimension, or what made the module that is not."""
    name = re.search(r"choice for (\w+) has been", message)
    kind = name[1].replace("_", "") if name else ""
    found = [at for at in (site, definition_of(run, site)) if _named(run, at, kind)]
    if not found:
        source = paths_of(run.recording).source
        found = [site_of(cell, call) for named in source.calls.values() for cell, call in named]
        found = [at for at in found if _named(run, at, kind) and argument_at(run, at, 0, "dim") is None]
        found = found if len(found) == 1 else []
    return found[0] if found else None


def _named(run: Run, site: Site | None, kind: str) -> bool:
    call = call_of(spot(run, site))
    return call is not None and ast.unparse(call.func).rpartition(".")[2].lower().replace("_", "") == kind


def _dimension(run: Run, step: int) -> str:
    """The dimension of the classes, by how many there are: of a batch of scores or of pictures the second, else the last."""
    for event in run.events[step + 1 : step + 20]:
        if isinstance(event, OpRan) and event.op in run.having("normalizes") and event.outputs:
            return "1" if len(event.outputs[0].shape) in (2, 4) else "-1"
    return "-1"


def _reducing(run: Run, site: Site | None) -> Site | None:
    """The call that says how a loss is reduced: what made the module, or the function's own."""
    return definition_of(run, site) or site


def _copied(run: Run, site: Site | None) -> Changes:
    """`torch.tensor(x)` as `x.detach().clone()`."""
    call = call_of(spot(run, site))
    if call is None or len(call.args) != 1 or call.keywords:
        return []
    given = argument_at(run, site, 0)
    pieces = [change.text for change in with_call(run, given, "detach().clone()")]
    return replaced(run, site, text_at(run, given).join(pieces)) if len(pieces) == 2 else []
