"""Where a gradient cannot go back: the kinds of cut with their words, and what finds them in a run.

The evidence is the log, which says of every operation what came out of it and whether that has a graph, and the program's
syntax tree, which says which numbers went where and which block switched gradients off.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from ..program.parsing import last_name
from ..recording.events import NOTHING, OpRan, Read, Site
from ..recording.index import Pass
from .cadence import cadence_of
from .paths import Link, Paths
from .run import MAX_LABEL, Run


class Kind(NamedTuple):
    """A kind of cut, in words. Braces stand for what `describe` knows of one cut."""

    code: str
    label: str
    """On a tensor: what is odd about it."""
    meaning: str
    """As the reason for a `.grad` that is None."""
    flag: str
    """As the reason why a result does not require grad."""
    sentence: str
    fix: str


_UNRECORDED = "{where}: {doing} runs within {switch}{by}, so it is not recorded.", "{outside}"

KINDS = {
    "detach": Kind(
        "cut_detach", "cut by detach", "detach() lies between the tensor and the root", "detach() leaves the graph",
        "{where}: {name}.{what} gives a tensor with the same values and without a graph.",
        "Leave out .{what}, or use {plain} itself where the gradient is wanted.",
    ),
    "data": Kind(
        "cut_data", "cut by .data", ".data lies in between", ".data leaves the graph",
        "{where}: {name}{what} is the same memory as a tensor that autograd does not know.",
        "Use {plain} itself instead of {name}{what}.",
    ),
    "numbers": Kind(
        "cut_numbers", "numbers", "the values went by way of Python numbers or NumPy", "it was made of numbers",
        "{where}: {what} turns the tensor into {form} no graph{after}.",
        "Compute with the tensors themselves, with torch functions, up to the loss.",
    ),
    "copy": Kind(
        "cut_copy", "a copy of values", "torch.tensor(x) or nn.Parameter(x) made a new leaf of the values",
        "{op} copies values only",
        "{where}: {what} copies the values of {plain} into a new leaf; how they were computed is not carried over.",
        "Use {instead}, which keeps the graph, instead of {what}.",
    ),
    "no_grad": Kind(
        "cut_no_grad", "under no_grad", "computed within no_grad", "gradients were switched off {at}", *_UNRECORDED,
    ),
    "inference": Kind(
        "cut_inference", "under inference_mode", "computed within inference_mode", "inference mode was switched on {at}",
        *_UNRECORDED,
    ),
    "sample": Kind(
        "cut_sample", "a sample", "sample() draws without a graph", "sample() draws without a graph",
        "{where}: {doing} switches autograd off while it draws, so what is drawn has no graph.",
        "Use {instead}.",
    ),
    "dtype": Kind(
        "cut_dtype", "not floating point", "converted to integers or truth values on the way", "it is {dtype}",
        "{where}: {plain} becomes {dtype}. Integers and truth values have no gradient.",
        "{kept}",
    ),
    "gradient": Kind(
        "cut_gradient", "a gradient", "a gradient was taken without create_graph=True", "it is a gradient without a graph",
        "{where}: without create_graph=True {what} gives gradients that have no graph, so nothing leads from them to {plain}.",
        "Call {what} with create_graph=True.",
    ),
    "nondifferentiable": Kind(
        "cut_op", "no derivative", "an operation without derivative lies in between", "{op} has no derivative",
        "{where}: {subject}{of} has no derivative, so its result{result} does not require grad.",
        "Use something differentiable instead: {instead}.",
    ),
}  # fmt: skip
"""By what a recording calls them (`OpRan.cut`); "numbers", "gradient" and "sample" are found in the text."""

_ELSEWHERE = {"Parameter": "nn.Parameter(…)", "_new_tensor": ".new_tensor(…)"}
"""What makes a new leaf of a tensor's values and is no function of torch, as it is written."""
_SIGMOID = "a smooth function such as sigmoid"
_DRAWN = "F.gumbel_softmax, or in the loss the log-probability of what was drawn times its reward"
_SMOOTH = "softmax, the values themselves, or a smooth function"
_MOST = 2_000
"""Tensors that are looked at above one."""
_LAST = 5
"""Calls of backward that are looked at."""

Label = Callable[[int], str]
"""What a tensor is called."""


class Cut(NamedTuple):
    """A point at which a gradient cannot go back."""

    kind: Kind
    site: Site | None
    """What to change there: the `with` of a no_grad block, the expression of another cut."""
    step: int
    what: str
    """What cuts, as it is written: "detach()", "w.item()", "argmax"."""
    sentence: str
    fix: str
    source: int
    """The tensor before the cut, which has a graph."""
    result: int
    """What has none any more; NOTHING for numbers that never became a tensor."""

    @property
    def code(self) -> str:
        """The kind of reason that it is."""
        return self.kind.code


def fact(run: Run, cut: Cut) -> tuple[str, str]:
    """A cut as a piece of evidence."""
    return "cut", f"{cut.what}, {run.site_text(cut.site)}"


# --- finding them -------------------------------------------------------------------------------------------------------------


def cuts_above(paths: Paths, tensor: int, before: int, label: Label) -> Iterator[tuple[Cut, list[int]]]:
    """The cuts above a tensor as it was before a step, the nearest first, each with the tensors from there to it."""
    queue = [(tensor, before)]
    links: dict[int, Link | None] = {tensor: None}
    for result, until in queue:
        if len(queue) > _MOST:
            return
        dropped = detached_in_place(paths, result, until)
        if dropped != NOTHING:
            way = _way(links, result)
            source = next((t for t in paths.run.inputs(paths.run.tensors[result].op) if paths.needs(t, dropped)), result)
            yield _detach(paths, dropped, label(result), source, result), [source, *way]
            continue
        for step in reversed(paths.makers(result, until)):
            for source, read in paths.sources(step):
                if source in links:
                    continue
                needs = paths.needs(source, (read if read >= 0 else step) - 1)
                links[source] = link = Link(source, result, step, needs, read)
                if needs:
                    way = _way(links, source)
                    after = [one for t in way[1:] if (one := links[t]) is not None]
                    yield describe(paths, link, after, label(source)), way
                else:
                    queue.append((source, step))


def _way(links: dict[int, Link | None], source: int) -> list[int]:
    way = [source]
    while (link := links[way[-1]]) is not None:
        way.append(link.result)
    return way


def ways(paths: Paths, tensor: int, passes: Sequence[Pass]) -> Iterator[tuple[Pass, list[Link]]]:
    """How a tensor's values led to where passes began, the latest first; of a call of backward in a loop the last pass. Those
    that an optimizer of the tensor has stepped after come before those that are another's since then."""
    calls = {paths.run.site(entry.began): entry for entry in passes[-100:]}
    stepped = _last_step(paths.run, tensor, passes[-1].began) if passes else NOTHING
    for entry in sorted(calls.values(), key=lambda entry: (entry.began > stepped, -entry.began))[:_LAST]:
        links = paths.between(tensor, tuple(t for t, _ in entry.event.roots), entry.began)
        if links is not None:
            yield entry, links


def _last_step(run: Run, tensor: int, before: int) -> int:
    """The last step before another of an optimizer that has a tensor, NOTHING if there is none."""
    windows = cadence_of(run).windows
    found = [window.step for key, own in windows.items() if tensor in key[1] for window in own if window.step < before]
    return max(found, default=NOTHING)


def cuts_on(paths: Paths, links: Sequence[Link], label: Label, most: int = 4) -> list[Cut]:
    """The cuts on a way, from its beginning on."""
    found: list[Cut] = []
    for position, link in enumerate(links):
        if link.cut:
            found.append(describe(paths, link, links[position + 1 :], label(link.source)))
        else:
            dropped = detached_in_place(paths, link.source, link.step)
            if dropped != NOTHING:
                found.append(_detach(paths, dropped, label(link.source), link.source, link.result))
        if len(found) == most:
            return found
    if links and not found:
        source, result = links[-1].source, links[-1].result
        dropped = detached_in_place(paths, result, len(paths.run.events))
        if dropped != NOTHING:
            found.append(_detach(paths, dropped, label(result), source, result))
    return found


def detached_in_place(paths: Paths, tensor: int, before: int) -> int:
    """The step at which a result lost its graph by `detach_()`, or NOTHING."""
    for step, flag, value in paths.flags.get(tensor, ()):
        if flag == "requires_grad" and not value and step < before and paths.run.status(tensor, step - 1).node != NOTHING:
            return step
    return NOTHING


def opener(paths: Paths, event: OpRan, site: Site | None) -> Site | None:
    """Where gradients were switched off for an operation: the decorator of its function, or as it was recorded."""
    lexical = paths.source.switched_off(site)
    recorded = paths.run.recording.sites[event.opened] if event.opened >= 0 else None
    if recorded is None or lexical is None:
        return lexical or recorded
    # A decorator's block begins, for the recorder, where the function is called.
    return lexical if paths.run.line(lexical).lstrip().startswith("@") else recorded


# --- in words -----------------------------------------------------------------------------------------------------------------


def describe(paths: Paths, link: Link, after: Sequence[Link], name: str) -> Cut:
    """The cut that a link is; `after` are the links that follow it, `name` is what the link's source is called."""
    run = paths.run
    event = run.events[link.step]
    assert isinstance(event, OpRan)
    if link.read != NOTHING:
        return _through_python(paths, link, name, link.source, link.result)
    word = kind_of(paths, link)
    site = run.site(link.step)
    facts = {"where": run.where(link.step), "op": event.op, "what": event.op}
    written = run.expression(site)
    called = written if "(" in written and len(written) <= MAX_LABEL else ""
    if word in ("detach", "data"):
        facts["what"] = ".data" if word == "data" else "detach_()" if event.written else "detach()"
        if after and after[0].read != NOTHING:
            # What is detached only to be read is read.
            read = f"{_term(name)}.{facts['what'].lstrip('.')}"
            return _through_python(paths, after[0], read, link.source, link.result)
        if word == "detach" and after and (elsewhere := _used_beside(paths, link.result, after[0].step)):
            facts["elsewhere"] = f"Leave out .{facts['what']} here, and write it where no gradient is wanted: {elsewhere}."
    elif word == "copy":
        facts["what"] = called or _ELSEWHERE.get(event.op, f"torch.{event.op.strip('_')}(…)")
        facts["instead"] = _kept(paths, event, site, name)
    elif word == "sample":
        drawn = run.values(link.result, link.step)
        counted = drawn is not None and bool((drawn == drawn.round()).all())
        facts |= {"what": "sample()", "doing": called, "instead": _DRAWN if counted else "rsample(), which draws with one"}
    elif word in ("no_grad", "inference"):
        opening = opener(paths, event, site)
        text = run.segment(opening)
        mode = "inference_mode" if word == "inference" or "inference_mode" in text else "no_grad"
        word = "inference" if mode == "inference_mode" else word
        facts |= {"what": mode, "doing": called or f"{event.op} on {name}", "switch": _switch(paths, opening, text, mode)}
        facts["outside"] = f"Compute it outside of {facts['switch']}."
        if "set_grad_enabled" in facts["switch"]:
            facts["outside"] = "Call torch.set_grad_enabled(True) before it."
        facts["by"] = f" (switched off at {run.site_text(opening)})" if opening is not None and opening != site else ""
        site = opening or site
    elif word == "dtype":
        facts["dtype"] = run.tensors[link.result].info.dtype if event.outputs else ""
        facts["what"] = f"conversion to {facts['dtype']}"
        facts["kept"] = f"Keep {name} floating point on the way to the loss."
        if any(_chooses(run, later) for later in after):
            facts["kept"] = "An index has no slope: weight all entries by a softmax, or interpolate between two of them."
    elif event.op == "constant":
        site = paths.source.site_of(paths.expression_of_unseen(link.step), site)
        facts["what"] = "torch.autograd.grad" if word == "gradient" else _called(paths, link.step) or "the operation"
        instead = _DRAWN if facts["what"] in ("multinomial", "sample") else _SMOOTH
        facts |= {"where": run.site_text(site), "subject": facts["what"], "of": f" of {name}", "result": "", "instead": instead}
    else:
        compares = event.op in run.having("compares")
        facts |= {"what": called or event.op, "subject": "A comparison" if compares else called or event.op}
        facts["of"] = f" of {name}" if compares or not called else ""
        facts["instead"] = _SIGMOID if compares else _SMOOTH
        facts["result"] = f" ({run.tensors[link.result].info.dtype if event.outputs else ''})"
    return _cut(KINDS[word], site, link.step, name, facts, link.source, link.result)


def _used_beside(paths: Paths, result: int, step: int) -> str:
    """What a detached result is also used for, at another line than that of a step: "fake.detach() at line 16"; "" where it is
    not, or has no name."""
    run = paths.run
    name = run.tensors[result].first_name
    uses = [s for s in run.consumers.get(result, ()) if isinstance(event := run.events[s], OpRan) and not event.in_backward]
    others = list(dict.fromkeys(run.where(s) for s in uses if run.where(s) != run.where(step)))
    tracked = [s for s in uses if run.where(s) in others and any(o.node != NOTHING for o in run.events[s].outputs)]  # type: ignore[union-attr]
    return f"{name}.detach() at {run.where(tracked[0])}" if name.isidentifier() and len(others) == 1 and tracked else ""


def _chooses(run: Run, link: Link) -> bool:
    """Whether a link takes something as the index of something else."""
    event = run.events[link.step]
    if not isinstance(event, OpRan):
        return False
    by_number = link.read != NOTHING and event.op in run.having("same_values")
    return by_number or any(a.tensor == link.source and a.name.startswith(("index", "indices")) for a in event.inputs)


def _kept(paths: Paths, event: OpRan, site: Site | None, name: str) -> str:
    """What puts tensors together, or takes one as it is, without a cut: "torch.stack(losses)", "w itself (or w.clone())"."""
    call = paths.source.at(site)
    given = call.args[0] if isinstance(call, ast.Call) and call.args else None
    if len(paths.run.inputs(event)) > 1 and isinstance(given, ast.Name | ast.List | ast.Tuple | ast.ListComp | ast.Attribute):
        text = ast.unparse(given)
        nested = isinstance(given, ast.List | ast.Tuple) and any(isinstance(one, ast.List | ast.Tuple) for one in given.elts)
        if not nested and len(text) <= MAX_LABEL:
            return f"torch.stack({text})"
        return "torch.stack([…])"
    return f"{name} itself (or {_term(name)}.clone())"


def kind_of(paths: Paths, link: Link) -> str:
    """What kind of cut a link is, as a recording calls it."""
    run = paths.run
    event = run.events[link.step]
    assert isinstance(event, OpRan)
    if event.op == "data":
        return "data"
    if event.cut == "detach" or event.op in run.having("detaches"):
        return "detach"
    if event.op == "constant":
        return "gradient" if _called(paths, link.step) == "grad" else "nondifferentiable"
    if event.op in run.having("leaf"):
        return "copy"
    if event.cut == "no_grad" and drawn_by_sample(paths, link.step):
        return "sample"
    if event.cut in ("no_grad", "inference"):
        return event.cut
    if not event.grad_mode:
        return "no_grad"
    return "dtype" if event.cut == "dtype" or event.op in run.having("casts") else "nondifferentiable"


def drawn_by_sample(paths: Paths, step: int) -> bool:
    """Whether an operation belongs to a call of a distribution's `sample()`, where the program itself switches nothing off."""
    site = paths.run.site(step)
    match paths.source.at(site):
        case ast.Call(func=ast.Attribute(attr="sample")):
            return paths.source.switched_off(site) is None
        case _:
            return False


def _called(paths: Paths, step: int) -> str:
    """The function whose call made a tensor unseen."""
    node = paths.expression_of_unseen(step)
    while isinstance(node, ast.Subscript | ast.Attribute | ast.Starred):
        node = node.value
    return last_name(node.func) if isinstance(node, ast.Call) else ""


def by_numbers(paths: Paths, step: int, name: str, source: int, result: int = NOTHING, after: str = "") -> Cut:
    """The cut that a read of values is; `name` is what was read, `after` says what became of the values."""
    run = paths.run
    read = run.events[step]
    assert isinstance(read, Read)
    how = read.how
    call = f"{_term(name)}.{how}()" if how in ("item", "tolist", "numpy") else f"{how}({name})"
    written = run.expression(run.site(step))
    if how not in ("item", "tolist", "numpy") and "(" in written and len(written) <= MAX_LABEL:
        call = written
    elif how == "tensor":
        call = f"torch.tensor([… {name} …])"
    form, they = ("a NumPy array, which knows", "its values") if how == "numpy" else ("plain numbers, which know", "they")
    facts = {"where": run.where(step), "what": call, "form": form, "after": f"; {they} {after}" if after else ""}
    return _cut(KINDS["numbers"], run.site(step), step, name, facts, source, result)


def _through_python(paths: Paths, link: Link, name: str, source: int, result: int) -> Cut:
    back = paths.run.events[link.step]
    assert isinstance(back, OpRan)
    where, written = paths.run.where(link.step), paths.run.expression(paths.run.site(link.step))
    op = written if written and len(written) <= MAX_LABEL else back.op
    after = f"come back as a new tensor ({op}, {where})"
    if any(argument.tensor != NOTHING for argument in back.inputs):
        after = f"go into {op} ({where}) as constants"
    return by_numbers(paths, link.read, name, source, result, after)


def _detach(paths: Paths, step: int, name: str, source: int, result: int) -> Cut:
    facts = {"where": paths.run.where(step), "what": "detach_()"}
    return _cut(KINDS["detach"], paths.run.site(step), step, name, facts, source, result)


def _cut(kind: Kind, site: Site | None, step: int, name: str, facts: dict[str, str], source: int, result: int) -> Cut:
    facts |= {"name": _term(name), "plain": name}
    fix = facts.get("elsewhere") or filled(kind.fix, facts)
    return Cut(kind, site, step, facts["what"], filled(kind.sentence, facts), fix, source, result)


def _switch(paths: Paths, opening: Site | None, text: str, mode: str) -> str:
    """What switched gradients off, as it is called in a sentence."""
    if opening is not None and paths.source.at(opening) is not None and paths.run.line(opening).lstrip().startswith("@"):
        return f"the function that @torch.{mode}() decorates"
    return "torch.set_grad_enabled(False)" if "set_grad_enabled" in text else f"the {mode} block"


def _term(name: str) -> str:
    """A tensor's name, or the expression that made it, such that a dot can follow."""
    depth = 0
    for letter in name:
        depth += (letter in "([") - (letter in ")]")
        if letter == " " and not depth:
            return f"({name})"
    return name


_BRACES = re.compile(r"\{(\w+)\}")


def filled(template: str, facts: dict[str, str]) -> str:
    """A template with the facts in it; what they say themselves is not looked at, whatever a program calls its tensors."""
    return _BRACES.sub(lambda brace: facts[brace[1]], template)
