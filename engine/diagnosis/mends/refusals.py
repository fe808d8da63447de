"""What mends a call that PyTorch refuses."""

from __future__ import annotations

import ast
import re

from ...program import session
from ...program.changes import TextChange
from ...recording.events import NOTHING, Site
from ..backward_call import receiver
from ..mending import (
    Changes,
    argument_at,
    before,
    call_of,
    instead,
    keyword,
    receiver_at,
    renamed,
    replaced,
    site_of,
    spot,
    statement_of,
    with_call,
)
from ..operands import operands
from ..paths import paths_of
from ..reason import Reason
from ..run import Run
from . import graphs, losses, parameters
from .cuts import uncut_at
from .training import DOTTED, backward_called

LONGEST = 20_000
"""Characters of a session that is made a program."""


def accepted(run: Run, code: str, step: int, message: str, name: str) -> Changes:
    """What PyTorch would accept in place of what it refused at a step, by the code of the failure."""
    site = run.site(step)
    match code:
        case "backward_on_vector":
            return _reduced(run, site)
        case "in_place_on_leaf":
            return graphs.updated_unrecorded(run, step)
        case "in_place_on_hooked":
            return graphs.not_in_place(run, step)
        case "in_place_on_view":
            return graphs.cloned_view(run, step, name)
        case "integer_requires_grad":
            return _floating(run, site)
        case "non_leaf_in_optimizer":
            return _leaves(run, site, step)
        case "unused_input":
            return keyword(run, site, "allow_unused", "True")
        case "flag_of_non_leaf":
            return _detached(run, site)
        case "numpy_of_tracked":
            return _as_array(run, site)
        case "number_indexed":
            return _as_number(run, site)
        case "bce_of_logits":
            return losses.another(run, step, "binary_cross_entropy", "binary_cross_entropy_with_logits")
        case "bce_shapes":
            return _same_shape(run, site, step, message)
        case "view_strides":
            return renamed(run, site, "reshape")
        case "target_dtype":
            return with_call(run, _target(run, site, step), "long()" if _WANTS_CLASSES.search(message) else "float()")
        case "dtype_mismatch":
            return _of_one_dtype(run, step, message)
        case "index_dtype":
            return _as_indices(run, step)
    return []


def without_prompts(run: Run, site: Site | None) -> Changes:
    """The text of a program, or of a cell, that is a session, as a program."""
    text = run.recording.source[site.cell] if site is not None and site.cell < len(run.recording.source) else ""
    if site is None or len(text) > LONGEST or not session.is_session(text):
        return []
    last = text.split("\n")
    return [TextChange(site.cell, 1, 0, len(last), len(last[-1].encode()), session.as_program(text))]


def _reduced(run: Run, site: Site | None) -> Changes:
    how = "mean()" if run.words["optim"] else "sum()"
    return with_call(run, receiver_at(run, site), how)


def _floating(run: Run, site: Site | None) -> Changes:
    found = spot(run, site)
    call = call_of(found)
    if found is None or call is None:
        statement = statement_of(run, site)
        target = getattr(statement.node, "targets", [None])[0] if statement is not None else None
        if isinstance(target, ast.Attribute) and statement is not None:
            name = statement.program.lines.of(target.value)
            return before(run, site, f"{name} = {name}.float()") if DOTTED.fullmatch(name) else []
        return []
    if isinstance(call.func, ast.Attribute) and call.func.attr == "requires_grad_":
        return with_call(run, site_of(found.cell, call.func.value), "float()")
    if any(k.arg == "requires_grad" for k in call.keywords):
        return keyword(run, site, "dtype", "torch.float32")
    return with_call(run, argument_at(run, site, 0), "float()")


def _leaves(run: Run, site: Site | None, step: int) -> Changes:
    """What the optimizer is given is made a leaf after the operations on it."""
    given = spot(run, argument_at(run, site, 0, "params"))
    for part in ast.walk(given.node) if given is not None else ():
        tensor = run.named_at(part.id, step) if isinstance(part, ast.Name) else NOTHING
        if tensor != NOTHING and not run.status(tensor, step).is_leaf and (changes := parameters.leaf_made_last(run, tensor)):
            return changes
    return []


def _detached(run: Run, site: Site | None) -> Changes:
    """`y.requires_grad = False` as `y = y.detach()`."""
    found = statement_of(run, site)
    node = found.node if found is not None else None
    target = node.targets[0] if isinstance(node, ast.Assign) else None
    call = call_of(found)
    if call is not None and isinstance(call.func, ast.Attribute):
        target = call.func
    if found is None or not isinstance(target, ast.Attribute):
        return []
    name = found.program.lines.of(target.value)
    return instead(run, site, f"{name} = {name}.detach()") if DOTTED.fullmatch(name) else []


def _as_array(run: Run, site: Site | None) -> Changes:
    found = spot(run, site)
    call = call_of(found)
    if found is None or call is None or not isinstance(call.func, ast.Attribute):
        return []
    if call.func.attr == "numpy":
        return with_call(run, site_of(found.cell, call.func.value), "detach()")
    return with_call(run, argument_at(run, site, 0), "detach()")


def _as_number(run: Run, site: Site | None) -> Changes:
    """`loss.data[0]` as `loss.item()`, where the statement has but one such part."""
    found = statement_of(run, site)
    first = [
        part
        for part in (ast.walk(found.node) if found is not None else ())
        if isinstance(part, ast.Subscript) and isinstance(part.slice, ast.Constant) and part.slice.value == 0
    ]
    if found is None or len(first) != 1:
        return []
    text = found.program.lines.of(first[0].value)
    return replaced(run, site_of(found.cell, first[0]), f"{text.removesuffix('.data')}.item()")


_WANTS_CLASSES = re.compile(r"expected (target dtype to be|scalar type) Long")


def _target(run: Run, site: Site | None, step: int) -> Site | None:
    """The target of the loss that a step computes, or goes backward from."""
    call = call_of(spot(run, site))
    if call is not None and isinstance(call.func, ast.Attribute) and call.func.attr == "backward":
        root = receiver(paths_of(run.recording), step)
        site = run.site(run.tensors[root].born) if root != NOTHING else None
    return argument_at(run, site, 1, "target")


_CONVERSIONS = {"float32": "float", "float64": "double", "float16": "half"}
"""Dtypes of parameters, as they are converted to and as messages name them."""


def _of_one_dtype(run: Run, step: int, message: str) -> Changes:
    """Of two tensors the one that is no float32 is converted; what is given to a layer alone, to the layer's dtype."""
    given = operands(paths_of(run.recording), step)
    dtypes = [run.tensors[operand.tensor].info.dtype for operand in given]
    if len(given) == 2 and dtypes[0] != dtypes[1] and "float32" in dtypes:
        return with_call(run, given[1 - dtypes.index("float32")].site, "float()")
    if len(given) != 1:
        return []
    named = [how for dtype, how in _CONVERSIONS.items() if dtype != dtypes[0] and how in message.lower()]
    return with_call(run, given[0].site, f"{named[0]}()") if named else []


def _as_indices(run: Run, step: int) -> Changes:
    given = [o for o in operands(paths_of(run.recording), step) if "float" in run.tensors[o.tensor].info.dtype]
    return with_call(run, given[-1].site, "long()") if given else []


_SIZES = re.compile(r"\[([\d, ]*)\]")


def _same_shape(run: Run, site: Site | None, step: int, message: str) -> Changes:
    sizes = [tuple(int(n) for n in part.split(",") if n.strip()) for part in _SIZES.findall(message)]
    return losses.one_shape(run, step, site, sizes[1], sizes[0]) if len(sizes) == 2 else []


def filled_gradient(run: Run, reason: Reason, step: int) -> Changes:
    """A `.grad` is there, by the reason why it is None: a result that keeps it, a leaf that is one, a pass that comes to it."""
    if reason.code.startswith("cut_"):
        return uncut_at(run, reason.code, reason.site)
    if reason.code == "needs_none":
        return parameters.wants_gradients(run)
    if reason.code == "no_backward":
        return backward_called(run, step)
    if reason.code in ("not_retained", "overwritten") and (changes := parameters.leaf_made_last(run, reason.tensor)):
        return changes
    if reason.code != "not_retained":
        return []
    names = [event.name for _, event in run.namings if event.tensor == reason.tensor and DOTTED.fullmatch(event.name)]
    passes = [entry.began for entry in run.passes if entry.began > run.tensors[reason.tensor].born]
    return before(run, run.site(passes[0]), f"{names[-1]}.retain_grad()") if passes and names else []
