"""No backward pass ran at all: it is still to come, it could not begin, or it was never called."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from ...recording.events import NOTHING, OpRan, Raised, Site
from ...recording.index import Pass
from ..backward_call import became_number, receiver
from ..cuts import by_numbers, fact
from ..failures import BY_CODE, failure_of
from ..quoted import quoted
from ..reason import Reason
from ..run import MAX_LABEL
from .grad_query import Question, along
from .unreached import cut_of


def no_backward(q: Question, passes: Sequence[Pass], cleared: int | None) -> Reason:
    run = q.run
    stopped_by = run.raised is not None and run.raised[0] <= q.step
    refused = _refused(q) if stopped_by or not passes else None
    if refused is not None:
        return refused
    if passes:
        entry = next((each for each in reversed(passes) if _takes(q, each)), passes[-1])
        where, what = run.where(entry.began), _differentiates(q, entry)
        return q.because(
            "autograd_grad",
            f"{q.name}.grad is None because {what} ({where}) returns gradients and fills no .grad",
            f"Only backward() adds to .grad; none has run{' since' if cleared is not None else ''}.",
            f"Use what {what if '(' not in what else 'it'} returns, or call backward(), or assign {q.name}.grad = … yourself.",
            step=entry.began,
            nodes=[q.tensor],
        )
    later = next((e for e in run.passes if q.tensor in e.fills and e.began > q.step), None)
    if later is not None:
        return q.because(
            "not_yet",
            f"{q.name}.grad is None because backward() has not been called yet: {run.where(later.began)} does it",
            f"Pass {later.number} will fill {q.name}.grad.",
            step=later.began,
            nodes=[q.tensor],
        )
    last = _last_result(q)
    raised = run.raised
    step = last if last != NOTHING else q.history.born
    if raised is not None and raised[0] <= q.step:
        return _stopped(q, *raised)
    result = q.label(run.events[last].outputs[0].id) if last != NOTHING else ""  # type: ignore[union-attr]
    since = " since the gradient was cleared" if cleared is not None else ""
    used = f" The last that is computed from {q.name} is {result} ({run.where(last)})." if result else ""
    return q.because(
        "no_backward",
        f"{q.name}.grad is None because backward() was not called{since}",
        f"Gradients come to be only when backward() runs.{used}",
        f"Call {result if result.isidentifier() else 'loss'}.backward().",
        step=step,
        nodes=[q.tensor],
    )


def _takes(q: Question, entry: Pass) -> bool:
    """Whether a pass comes to the tensor, or the call that ran it is given it by its name."""
    if q.paths.reached(entry).intersection(q.paths.nodes_of(q.tensor, entry.began)):
        return True
    node = q.paths.source.at(q.run.site(entry.began))
    return isinstance(node, ast.Call) and any(isinstance(each, ast.Name) and each.id == q.name for each in ast.walk(node))


def _differentiates(q: Question, entry: Pass) -> str:
    """What ran a pass that fills no .grad: torch.autograd.grad, or the call that the program has made of a function of
    torch.func, as it is written."""
    node = q.paths.source.at(q.run.site(entry.began))
    func = node.func if isinstance(node, ast.Call) else None
    if func is None or (isinstance(func, ast.Attribute | ast.Name) and ast.unparse(func).rpartition(".")[2] == "grad"):
        return "torch.autograd.grad"
    text = ast.unparse(func)
    return text if len(text) <= MAX_LABEL else "the call"


def _stopped(q: Question, step: int, event: Raised) -> Reason:
    """The program ended with an error before it came to backward()."""
    failed = failure_of(event.message)
    return q.because(
        "no_backward",
        f"{q.name}.grad is None because the program failed at {q.run.moment(step)}, before backward(): "
        f"{quoted(event.type, event.message)}",
        failed.explanation if failed is not None else "",
        failed.remedy() if failed is not None else "",
        step=step,
        nodes=[q.tensor],
        wrong=True,
    )


def _last_result(q: Question) -> int:
    """The step of the last result that is computed, with a graph, from the tensor."""
    consumers, events = q.run.consumers, q.run.events
    queue, seen, last = [q.tensor], {q.tensor}, NOTHING
    for tensor in queue:
        for step in consumers.get(tensor, ()):
            event = events[step]
            if isinstance(event, OpRan) and step <= q.step:
                for info in event.outputs:
                    if info.id not in seen and info.node != NOTHING and len(seen) < 5_000:
                        seen.add(info.id)
                        queue.append(info.id)
                        last = max(last, step)
    return last


def _refused(q: Question) -> Reason | None:
    """backward() was called and could not begin."""
    run = q.run
    raised = run.raised
    if raised is None or raised[0] > q.step:
        return _refused_unseen(q)
    step, event = raised
    failed = failure_of(event.message, event.type)
    if failed is None:
        return None
    if failed.code == "backward_of_number":
        return _number_as_root(q, step)
    root = receiver(q.paths, step)
    if failed.code == "loss_not_connected":
        if root != NOTHING:
            links = q.paths.between(q.tensor, (root,), step)
            if links is not None:
                found = cut_of(q, links, f"the backward() at {run.where(step)} fails, because {q.label(root)} has no graph")
                if found is not None:
                    return found
        name = q.label(root) if root != NOTHING else "the tensor"
        return q.because(
            "not_connected",
            f"{q.name}.grad is None because backward() at {run.where(step)} fails: {name} has no graph",
            f"{name} is not computed from {q.name}, nor from anything else that requires grad.",
            f"Compute {name} from {q.name}.",
            step=step,
            nodes=[q.tensor, root],
            evidence=[("error", quoted(event.type, event.message))],
        )
    if failed.code == "backward_on_vector":
        shape = f" has shape {list(run.tensors[root].info.shape)}" if root != NOTHING else " has several elements"
        name = q.label(root) if root != NOTHING else "the root"
        return q.because(
            "backward_failed",
            f"{q.name}.grad is None because backward() at {run.where(step)} could not begin: {name}{shape}",
            failed.explanation,
            failed.remedy(name),
            step=step,
            nodes=[q.tensor, root],
            evidence=[("error", quoted(event.type, event.message))],
        )
    return None


def _number_as_root(q: Question, step: int) -> Reason | None:
    """backward() was called on a number that a tensor's value had become: `loss = loss.item()`."""
    run, paths = q.run, q.paths
    for tensor, read in became_number(paths, step):
        links = [] if tensor == q.tensor else paths.between(q.tensor, (tensor,), read)
        if links is None or any(link.cut for link in links):
            continue
        cut = by_numbers(paths, read, q.label(tensor), tensor)
        return q.because(
            cut.code,
            f"{q.name}.grad is None because {cut.what} makes {q.label(tensor)} a plain number, and backward() at "
            f"{run.where(step)} is called on that",
            f"{run.where(read)}: a number knows no graph, so backward() fails.",
            BY_CODE["backward_of_number"].remedy(),
            step=read,
            nodes=[*along(links), q.tensor, tensor],
            evidence=[fact(run, cut)],
        )
    return None


def _refused_unseen(q: Question) -> Reason | None:
    """backward() stands in the text, and what it is called on has no graph: its error was caught, or it was never reached."""
    for cell, call in q.paths.source.calls.get("backward", ()):
        if isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Name):
            root = q.run.named_at(call.func.value.id, q.step)
            if root in (NOTHING, q.tensor) or q.run.status(root, q.step).requires_grad:
                continue
            links = q.paths.between(q.tensor, (root,), q.step + 1)
            if links:
                called_at = q.run.site_text(q.paths.source.site_of(call, Site(cell)))
                found = cut_of(q, links, f"{q.label(root)} has no graph that backward() at {called_at} could go through")
                if found is not None:
                    return found
    return None
