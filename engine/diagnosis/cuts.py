"""A cut in words: what kind it is, which line made it, how to do without."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import NamedTuple

from ..recording.events import NOTHING, OpRan, Read, Site
from .paths import Link, Paths

_ELSEWHERE = {"Parameter": "nn.Parameter(…)", "new_tensor": ".new_tensor(…)"}
"""What makes a new leaf of a tensor's values and is no function of torch, as it is written."""


class Cut(NamedTuple):
    """A place where a gradient cannot go back."""

    code: str
    """"cut_detach", "cut_data", "cut_numbers", "cut_copy", "cut_no_grad", "cut_inference", "cut_dtype" or "cut_op"."""
    site: Site | None
    step: int
    what: str
    """What cuts, as it is written: "detach()", "w.item()", "argmax"."""
    sentence: str
    fix: str


def describe(paths: Paths, link: Link, after: Sequence[Link], name: str) -> Cut:
    """The cut that a link is; `after` are the links that follow it, `name` is what the link's source is called."""
    run = paths.run
    event = run.events[link.step]
    assert isinstance(event, OpRan)
    if link.read != NOTHING:
        return _through_python(paths, link, name)
    where, site = run.where(link.step), run.site(link.step)
    if event.op != "data" and (event.cut == "detach" or event.op in run.having("detaches")):
        left = next((one for one in after[:1] if one.read != NOTHING), None)
        if left is not None:
            return _through_python(paths, left, f"{name}.detach()")
        word = "detach_()" if event.written else "detach()"
        return Cut(
            "cut_detach", site, link.step, word,
            f"{where}: {name}.{word} gives a tensor with the same values and without a graph.",
            f"Leave out .{word}, or use {name} itself where the gradient is wanted.",
        )  # fmt: skip
    if event.op == "data":
        left = next((one for one in after[:1] if one.read != NOTHING), None)
        if left is not None:
            return _through_python(paths, left, f"{name}.data")
        return Cut(
            "cut_data", site, link.step, ".data",
            f"{where}: {name}.data is the same memory as a tensor that autograd does not know.",
            f"Use {name} itself instead of {name}.data.",
        )  # fmt: skip
    if event.op in run.having("leaf"):
        what = _ELSEWHERE.get(event.op, f"torch.{event.op.strip('_')}(…)")
        return Cut(
            "cut_copy", site, link.step, what,
            f"{where}: {what} copies the values of {name} into a new leaf; how they were computed is not carried over.",
            f"Use {name} itself (or {name}.clone()) instead of {what}"
            + ("; to put several tensors into one, torch.stack([…]) keeps the graph." if event.op == "tensor" else "."),
        )  # fmt: skip
    if event.op == "constant":
        node = paths.expression_of_unseen(link.step)
        called = node.func if isinstance(node, ast.Call) else None
        what = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "the operation")
        place = paths.source.place(node, run.site(link.step))
        return Cut(
            "cut_op", place, link.step, what,
            f"{run.place(place)}: {what} of {name} has no derivative, so its result does not require grad.",
            "Use something differentiable instead.",
        )  # fmt: skip
    if not event.grad_mode or event.cut in ("no_grad", "inference"):
        return _by_mode(paths, link, event, name)
    result = run.tensors[link.result].info.dtype if event.outputs else ""
    if event.cut == "dtype" or event.op in run.having("casts"):
        return Cut(
            "cut_dtype", site, link.step, f"conversion to {result}",
            f"{where}: {name} becomes {result}. Integers and truth values have no gradient.",
            f"Keep {name} floating point on the way to the loss.",
        )  # fmt: skip
    compares = event.op in run.having("compares")
    kind = "A comparison" if compares else event.op
    return Cut(
        "cut_op", site, link.step, event.op,
        f"{where}: {kind} of {name} has no derivative, so its result ({result}) does not require grad.",
        "Use something differentiable instead: "
        + ("a smooth function such as sigmoid." if compares else "softmax, the values themselves, or a smooth "
           "function."),
    )  # fmt: skip


def _through_python(paths: Paths, link: Link, name: str) -> Cut:
    run = paths.run
    back = run.events[link.step]
    assert isinstance(back, OpRan)
    come = f"come back as a new tensor ({back.op}, {run.where(link.step)})"
    if any(argument.tensor != NOTHING for argument in back.inputs):
        come = f"go into {back.op} ({run.where(link.step)}) as constants"
    cut = by_numbers(paths, link.read, name)
    return cut._replace(sentence=f"{cut.sentence}; they {come}.")


def by_numbers(paths: Paths, step: int, name: str) -> Cut:
    """The cut that a read of values is, whatever becomes of them; `name` is what was read."""
    run = paths.run
    read = run.events[step]
    assert isinstance(read, Read)
    how = read.how
    call = f"{name}.{how}()" if how in ("item", "tolist", "numpy") else f"{how}({name})"
    if how == "tensor":
        call = f"torch.tensor([… {name} …])"
    kind = "a NumPy array" if how == "numpy" else "plain numbers"
    return Cut(
        "cut_numbers", run.site(step), step, call,
        f"{run.where(step)}: {call} turns the tensor into {kind}, which know no graph",
        "Compute with the tensors themselves, with torch functions, up to the loss.",
    )  # fmt: skip


def _by_mode(paths: Paths, link: Link, event: OpRan, name: str) -> Cut:
    run = paths.run
    mode = "inference_mode" if event.cut == "inference" else "no_grad"
    own = run.site(link.step)
    place = opener(paths, event, own)
    where = run.where(link.step)
    by = f" (switched off at {run.place(place)})" if place is not None and place != own else ""
    node = paths.source.at(place)
    text = run.segment(place)
    if "inference_mode" in text:
        mode = "inference_mode"
    switch = "torch.set_grad_enabled(False)" if "set_grad_enabled" in text else f"the {mode} block"
    if node is not None and place is not None and run.line(place).lstrip().startswith("@"):
        switch = f"the function that @torch.{mode}() decorates"
    return Cut(
        f"cut_{'inference' if mode == 'inference_mode' else 'no_grad'}", place or own, link.step, mode,
        f"{where}: {event.op} on {name} runs within {switch}{by}, so it is not recorded.",
        f"Compute it outside of {switch}.",
    )  # fmt: skip


def opener(paths: Paths, event: OpRan, site: Site | None) -> Site | None:
    """Where gradients were switched off for an operation: the decorator of its function, or as it was recorded."""
    lexical = paths.source.switched_off(site)
    recorded = paths.run.recording.sites[event.opened] if event.opened >= 0 else None
    if recorded is None or lexical is None:
        return lexical or recorded
    # A decorator's block begins, for the recorder, where the function is called.
    return lexical if paths.run.line(lexical).lstrip().startswith("@") else recorded
