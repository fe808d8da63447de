"""The exception that a program ends with, in plain words: what PyTorch or Python refuses, with what it was given."""

from __future__ import annotations

import ast
import builtins
import math
import re
from collections.abc import Iterator
from difflib import get_close_matches

from ...graph.numbers import shape_text
from ...graph.symbols import clip
from ...program.project import NOT_OPENED
from ...program.usual_imports import USUAL, forgotten
from ...recording.events import NOTHING, Raised, Site
from ..backward_call import receiver
from ..failed_passes import kind_of
from ..failures import FAILURES, Case, Failure, failure_of, looked_at
from ..mending import Changes, before
from ..mends.graphs import expanded_copied
from ..mends.refusals import accepted, without_prompts
from ..operands import Operand, called, described, expression, operands, subject
from ..paths import Paths, paths_of
from ..program_ast import site_of
from ..reason import Finding, Kind
from ..run import MAX_LABEL, NAN, Run, finding, key, said
from ..unrun_hooks import unset
from .registry import rule

_INDEX = re.compile(r"at index (\d{1,6})")
_BEHIND = 200
"""Results that are looked at for the leaves that one was computed from."""
_TARGET = re.compile(r"\s*([A-Za-z_]\w*)")
_AROUND = 4
"""Operations between a tensor and what it was made from."""
_ELSEWHERE = frozenset(("loss_not_connected", "backward_of_number", "freed_graph", "in_place_on_saved"))
"""Failures whose cause lies earlier in the run, so that rules of their own look for it."""
KINDS = {failure.code: kind_of(failure) for failure in FAILURES if failure.code not in _ELSEWHERE}
PROGRAM_ERROR = Kind("program_error", "error", "The program ends with an exception that is about nothing more particular.")

HALTED = "KeyboardInterrupt"
"""The exception of a run that somebody stopped, which is no mistake of the program's."""


@rule(60, *KINDS.values(), everywhere=True)
def refused(run: Run) -> Iterator[Finding]:
    """An error that is known, explained."""
    if run.raised is None:
        return
    step, event = run.raised
    failure = failure_of(event.message, event.type)
    if failure is None or failure.code in _ELSEWHERE or _own(paths_of(run.recording), step) or refused_nan(run) is not None:
        return  # or what it began with is found, with the error
    if failure.code == "backward_on_vector" or failure.code.startswith("in_place_on"):
        yield _about_gradients(run, failure, step, event)
    else:
        yield _about_operands(paths_of(run.recording), failure, step, event)


def _about_gradients(run: Run, failure: Failure, step: int, event: Raised) -> Finding:
    tensor, title, name, evidence = NOTHING, failure.title, "", [("error", said(run))]
    related: list[Site | None] = []
    if failure.code == "in_place_on_hooked":
        related = _hooks_at(run)
        if event.layer:
            title = f"{event.module} ({event.layer}) writes in place what a module with a full backward hook takes or gives."
    if failure.code == "backward_on_vector":
        tensor = receiver(paths_of(run.recording), step)
        shape = run.tensors[tensor].info.shape if tensor != NOTHING else ()
        name = run.title(tensor) if tensor != NOTHING else ""
        title = (
            f"{name or 'The result'} has {shape_text(shape)} elements, and backward() without an argument needs a single one."
        )
        evidence.append(("shape", str(list(shape))))
    elif target := _TARGET.match(run.segment(run.site(step))):
        tensor = run.named_at(target[1], step)
        name = target[1] if tensor != NOTHING else ""
        if name and failure.code == "in_place_on_leaf":
            title = f"{name} is a leaf that requires grad, and is written in place while operations are recorded."
    explanation = f"{_unreduced(paths_of(run.recording), tensor)}{failure.explanation}"
    return finding(
        run, KINDS[failure.code], title, explanation, failure.remedy(name),
        step=step,
        related=[*related, *([run.site(run.tensors[tensor].born)] if tensor != NOTHING else [])],
        evidence=evidence,
        nodes=[key(tensor)] if tensor != NOTHING else [],
        ends=True,
        changes=accepted(run, failure.code, step, event.message, name),
    )  # fmt: skip


def _unreduced(paths: Paths, tensor: int) -> str:
    """That a loss on the way to a tensor was told not to add up or to average, and where; "" where none was."""
    run = paths.run
    for _ in range(_AROUND if tensor != NOTHING else 0):
        event = run.tensors[tensor].op
        if "none" in run.setting(event, "reduction"):
            said_at, where = paths.source.keyword("reduction"), run.where(run.tensors[tensor].born)
            told = f"{said_at[0]} ({run.site_text(said_at[1])})" if said_at is not None else "its reduction"
            return f"{event.op} at {where} gives a number for each sample, as {told} asks for. "
        sources = [t for t in run.inputs(event) if run.tensors[t].info.requires_grad]
        if len(sources) != 1:
            return ""
        (tensor,) = sources
    return ""


def _hooks_at(run: Run) -> list[Site | None]:
    """Where the program registers hooks on modules' gradients."""
    calls = paths_of(run.recording).source.calls
    named = [calls.get(f"register_full_backward_{hook}", ()) for hook in ("hook", "pre_hook")]
    return [site_of(cell, call) for found in named for cell, call in found]


def _about_operands(paths: Paths, failure: Failure, step: int, event: Raised) -> Finding:
    """What was refused, with the tensors that were given and the layer that they were given to."""
    run, given = paths.run, [] if failure.code == "state_dict_mismatch" else operands(paths, step)
    case, words = _case(failure, event)
    title, fix = failure.title, failure.remedy(given[0].text if given else "")
    if case is not None:
        names = {
            "layer": event.module if event.layer else called(paths, step) or "the layer",
            "call": called(paths, step) or "the operation",
            "given": subject(paths, step) if failure.code in _OF_SUBJECTS else given[0].text if given else "",
            "other": given[1].text if len(given) > 1 else "",
        }
        title, fix = _filled(case.title, words, names), _filled(case.fix, words, names) or fix
    near = _nearest_name(paths, words[0]) if failure.code == "unknown_name" and words else event.help
    fix = near if near and failure.code in ("unknown_name", "unknown_attribute") else f"{near} {fix}".strip()
    layer = [(event.module, event.layer)] if event.layer else []
    unsaved = _unsaved(paths, step) if failure.code == "unpacking" else None
    registered: list[Site] = []
    if unsaved is not None:
        title, explanation, fix, changes = unsaved
    else:
        explanation, changes = failure.explanation, accepted(run, failure.code, step, event.message, "")
        if failure.code == "unused_input" and len(given) > 1 and (beside := _made_beside(paths, given[0], given[1], step)):
            title, explanation, fix = beside
        elif failure.code == "unused_input" and (unused := _unused(paths, given, event.message, step)):
            title, explanation, fix = unused
        if failure.code == "none_used" and (hooked := unset(paths, subject(paths, step))):
            explanation, fix, at = hooked
            registered = [at]
        if failure.code == "write_to_expanded" and case is None and (shared := _expanded(paths, given, step)):
            title, explanation, fix, changes = shared
    return finding(
        run, KINDS[failure.code], title, explanation, fix,
        step=step,
        related=[*registered, *(run.site(run.tensors[operand.tensor].born) for operand in given)],
        evidence=[("error", said(run)), *layer, *(described(run, operand, step) for operand in given)],
        nodes=[key(operand.tensor) for operand in given],
        ends=True,
        changes=changes,
    )  # fmt: skip


def _unused(paths: Paths, given: list[Operand], message: str, step: int) -> tuple[str, str, str] | None:
    """Title, explanation and fix where a gradient is asked for with respect to one of several that the result was not computed
    from, by the index that PyTorch names; None where that one is not known."""
    run, call, index = paths.run, expression(paths, step), _INDEX.search(message)
    asked = call.args[1] if isinstance(call, ast.Call) and len(call.args) > 1 else None
    if not given or index is None or not isinstance(asked, ast.Name | ast.Attribute):
        return None
    name = f"{ast.unparse(asked)}[{index[1]}]"
    tensor, result = run.named_at(name, step), given[0].tensor
    if tensor == NOTHING:
        return None
    behind = run.behind(result, most=_BEHIND, learned=True)
    leaves = [source for source in behind if source != result and run.tensors[source].info.is_leaf]
    made, whence, own = run.title(result), run.where(run.tensors[tensor].born), run.names(leaves) if leaves else ""
    return (
        f"autograd.grad is asked for the gradient of {name}, which was made at {whence}, and {made} is not computed from it.",
        f"{made} ({run.where(run.tensors[result].born)}) is computed from {own or 'other tensors'}, and not from what {whence} "
        "made.",
        f"Compute {made} from {ast.unparse(asked)} (torch.func.functional_call runs a module with such parameters), or pass "
        "allow_unused=True.",
    )


def _made_beside(paths: Paths, result: Operand, asked: Operand, step: int) -> tuple[str, str, str] | None:
    """Title, explanation and fix where a gradient is asked for with respect to what was made from the very tensor that the
    result was computed from, such as a column of it; None otherwise."""
    run, tensor = paths.run, asked.tensor
    for _ in range(_AROUND):
        sources = run.inputs(run.tensors[tensor].op)
        if len(sources) != 1:
            return None
        (tensor,) = sources
        way = paths.between(tensor, (result.tensor,), step)
        if way is not None and not any(link.cut for link in way):
            own, source, made = run.title(asked.tensor), run.title(tensor), run.title(result.tensor)
            where = run.where(run.tensors[asked.tensor].born)
            part = math.prod(run.tensors[asked.tensor].info.shape) < math.prod(run.tensors[tensor].info.shape)
            joined, wanted = (" (make the parts first and join them with torch.cat)", " and use its part") if part else ("", "")
            return (
                f"autograd.grad is asked for the gradient of {own}, but the result was computed from {source} itself.",
                f"{own} was made from {source} at {where}, beside what {made} was computed from: changing {own} would change "
                f"nothing in {made}.",
                f"Compute {made} from {own}{joined}, or take the gradient with respect to {source}{wanted}.",
            )
    return None


def _expanded(paths: Paths, given: list[Operand], step: int) -> tuple[str, str, str, Changes] | None:
    """Title, explanation, fix and its changes where a tensor is written that was expanded: the same numbers several times."""
    run = paths.run
    for operand in given:
        tensor = operand.tensor
        for _ in range(_AROUND):
            born, event = run.op_of(tensor)
            sources = run.inputs(event)
            if not sources or event.op not in run.having("same_values"):
                break
            many, few = (math.prod(run.tensors[t].info.shape) for t in (tensor, sources[0]))
            if few < many:
                made = run.segment(run.site(born))
                return (
                    f"{operand.text} is written in place, but it is expanded: {many} elements of {few} numbers in memory.",
                    f"{clip(made, MAX_LABEL) if made else 'What made it'} at {run.where(born)} copies nothing: where the shape "
                    "has grown, all elements are one number, which can be written once only. The shapes are right.",
                    f"Copy it before it is written, {operand.text} = {operand.text}.clone(), or where it is expanded; or "
                    "compute a new tensor instead of writing.",
                    expanded_copied(run, born, step, operand.text),
                )
            tensor = sources[0]
    return None


def _unsaved(paths: Paths, step: int) -> tuple[str, str, str, Changes] | None:
    """Title, explanation, fix and its changes where a backward unpacks other tensors than its forward has saved; None for
    anything else that is unpacked."""
    run, source = paths.run, paths.source
    node = source.at(run.site(step))
    statement = source.statement(node) if node is not None else None
    match statement:
        case ast.Assign(targets=[target], value=ast.Attribute(value=ast.Name(id=context), attr="saved_tensors")):
            pass
        case _:
            return None
    names = [ast.unparse(each) for each in target.elts] if isinstance(target, ast.Tuple | ast.List) else [ast.unparse(target)]
    backward = source.function(statement)
    owner = source.parents.get(backward) if backward is not None else None
    forward = next((f for f in getattr(owner, "body", ()) if getattr(f, "name", "") == "forward"), None)
    if forward is None:
        return None
    inside = [part for part in ast.walk(forward) if isinstance(part, ast.Call | ast.Return | ast.Name | ast.arg)]
    saves = [c for c in inside if isinstance(c, ast.Call) and getattr(c.func, "attr", "") == "save_for_backward"]
    owned = f"{owner.name}.forward" if isinstance(owner, ast.ClassDef) else "forward"
    saving = f"{context}.save_for_backward({', '.join(names)})"
    said = f"has saved {len(saves[0].args)}" if len(saves) == 1 else "has saved none"
    known = {part.arg if isinstance(part, ast.arg) else part.id for part in inside if isinstance(part, ast.Name | ast.arg)}
    returns = [part for part in inside if isinstance(part, ast.Return)]
    site = run.site(step)
    changes: Changes = []
    if not saves and len(returns) == 1 and known >= {*names, context} and site is not None:
        changes = before(run, site_of(site.cell, returns[0]), saving)
    return (
        f"backward unpacks {len(names)} saved tensor{'s' * (len(names) != 1)}, and {owned} {said}.",
        f"{context}.saved_tensors holds what forward has given to {context}.save_for_backward(), in that order.",
        f"Call {saving} in forward.",
        changes,
    )


def refused_nan(run: Run) -> tuple[int, Operand] | None:
    """The step at which the program ended because a function refuses NaN, and the tensor with it; None for any other end."""
    if run.raised is None:
        return None
    step, event = run.raised
    failure = failure_of(event.message, event.type)
    if failure is None or failure.code not in _RANGED:
        return None
    for operand in operands(paths_of(run.recording), step):
        if run.fault(run.status(operand.tensor, step).array) & NAN:
            return step, operand
    return None


_RANGED = frozenset(("outside_distribution", "no_factorization"))
"""Failures that a NaN leads to."""
_OF_SUBJECTS = frozenset(("unknown_attribute", "none_used", "not_a_tensor"))
"""Failures in which what is given need not be a tensor."""


def _case(failure: Failure, event: Raised) -> tuple[Case | None, tuple[str, ...]]:
    """What an error says in particular, with the words and numbers of its message."""
    for case in failure.cases:
        found = case.search(event.message)
        if found is not None and event.layer.startswith(case.layer):
            return case, tuple(word or "" for word in found.groups())
    return None, ()


def _filled(template: str, words: tuple[str, ...], names: dict[str, str]) -> str:
    """A sentence with what stands for its blanks; the names of the program keep their first letter."""
    others = {"given": "what is used here", "other": "target"}
    filled = names | {name: other for name, other in others.items() if not names[name]}
    filled |= {str(number): word for number, word in enumerate(words, 1)}
    text = re.sub(r"\{(\w+)\}", lambda blank: filled.get(blank[1], blank[0]), template)
    return text[:1].upper() + text[1:] if text.startswith(("the ", "what is used")) else text


# --- names ------------------------------------------------------------------------------------------------------------


def _nearest_name(paths: Paths, name: str) -> str:
    """Which name may be meant, as a sentence; "" where none is near."""
    if name in USUAL:
        return forgotten(name)
    known = {*paths.source.functions, *(each for each in paths.source.assigned if each.isidentifier()), *dir(builtins)}
    near = get_close_matches(name, known - {name}, 1)
    return f"Did you mean {near[0]}?" if near else ""


# --- all others -------------------------------------------------------------------------------------------------------


@rule(65, PROGRAM_ERROR, everywhere=True)
def failed(run: Run) -> Iterator[Finding]:
    """Any other exception; it is left out where a finding of another kind explains it."""
    if run.raised is None or run.raised[1].type == HALTED:
        return
    step, event = run.raised
    paths, failure = paths_of(run.recording), failure_of(event.message, event.type)
    title, explanation, fix = _own(paths, step) or _missing(event) or _refused_name(event) or _ENDS.get(event.type) or _ANY
    if failure is not None:
        title, explanation, fix = failure.title, failure.explanation, failure.remedy()
    if event.help and fix == NOT_OPENED:
        fix = ""  # the run says what to do about this file
    changes = without_prompts(run, run.site(step)) if event.type == "SyntaxError" else []
    if changes:
        title, explanation, fix = _SESSION
    given = operands(paths, step)
    yield finding(
        run, PROGRAM_ERROR, title, explanation, " ".join(dict.fromkeys(filter(None, (event.help, fix)))),
        step=step,
        related=[run.site(run.tensors[operand.tensor].born) for operand in given],
        evidence=[("error", said(run)), *(described(run, operand, step) for operand in given)],
        nodes=[key(operand.tensor) for operand in given],
        ends=event.type not in _USED_UP or _own(paths, step) is not None,
        changes=changes,
    )  # fmt: skip


_SESSION = (
    "This was copied from an interactive session, with its prompts.",
    "Python reads programs without them. Nothing of it has run.",
    "Take the prompts away and print what was shown; or open it as a file, which is read as a notebook.",
)
_USED_UP = ("TimeoutError", "MemoryError")
"""What ends a program that has used up what it may: nothing of it need be wrong, and what else is found comes before."""
_MISSING = re.compile(r"(?:line \d+: )?(?:No module named '([\w.]+)' for|([\w.]+)(?:\(\))? is not available to) programs here")


def _missing(event: Raised) -> tuple[str, str, str] | None:
    """Title, explanation and fix where a package, or a part of one, is not there; None for any other end."""
    found = _MISSING.match(event.message) if event.type == "PolicyError" else None
    if found is None:
        return None
    return (
        f"{found[1] or found[2]} is not there.", "It belongs to a module that programs do not have here.",
        "" if event.help else "Do it without.",
    )  # fmt: skip


def _refused_name(event: Raised) -> tuple[str, str, str] | None:
    """Title, explanation and fix of a KeyError that says a sentence: then no dictionary of the program's lacks a key."""
    if event.type != "KeyError" or not re.search(r"\b\w+ \w+ \w+", looked_at(event.message)):
        return None
    return "A key or a name is refused.", "What refuses it says why.", "Do what the error says; the key itself may be there."


_ANY = (
    "The program ends with an exception.",
    "Nothing catches the exception, so nothing after this line has run.",
    "Look at what is given here: values, shapes and dtypes as they were stand in the recording, at its last step.",
)
_ENDS = {
    "SyntaxError": (
        "Python cannot read the program.", "Nothing of it has run.",
        "Look at this line and at the end of the one before: a bracket, a quote or a colon may be missing.",
    ),
    "IndentationError": (
        "Python cannot read the program: a line is indented otherwise than those around it.", "Nothing of it has run.",
        "Indent the lines of a block alike, with spaces only.",
    ),
    "KeyError": (
        "A dictionary is asked for a key that it does not have.", "Keys are compared exactly, 1 and '1' are two keys.",
        "Look at which keys there are: print(d.keys()), or use d.get(key, default).",
    ),
    "ZeroDivisionError": (
        "A Python number is divided by zero.", "Tensors give inf or nan here, Python's numbers raise.",
        "Count before dividing, or divide by max(count, 1).",
    ),
    "RecursionError": (
        "A function calls itself without an end.", "Each call waits for the next one, until Python stops.",
        "Give it a case in which it does not call itself, or write a loop.",
    ),
    "FileNotFoundError": (
        "A file is asked for that is not there.", "Programs find here what was opened together with them, and what they wrote.",
        NOT_OPENED,
    ),
    "ModuleNotFoundError": (
        "A module is imported that is not there.",
        "Programs find Python's own modules that are harmless, NumPy, torch, and modules that were opened together with them.",
        "Open it together with the program, leave it out, or record the run on your machine.",
    ),
    "TimeoutError": (
        "The program was stopped because it ran too long.", "What was recorded until then is whole.",
        "",
    ),
    "MemoryError": (
        "The program needed more memory than it may.", "What was recorded until then is whole.",
        "Make the tensors smaller, or allow more memory.",
    ),
    "SystemExit": (
        "The program ends itself by sys.exit().", "Its exit code says that something went wrong.",
        "Look at why it does so here.",
    ),
    "PolicyError": (
        "The program asks for something that programs may not do here.", "Programs are strangers: they run shut in.",
        "Do it without; nothing that computes with tensors needs it.",
    ),
}  # fmt: skip
"""By exception: title, explanation and fix."""


def _own(paths: Paths, step: int) -> tuple[str, str, str] | None:
    """Title, explanation and fix of an exception that the program raises itself; None for any other."""
    event = paths.run.events[step]
    node = paths.source.at(paths.run.site(step))
    statement = paths.source.statement(node) if node is not None else None
    match statement:
        case ast.Raise(exc=exc) if isinstance(event, Raised) and (exc is None or event.type in ast.unparse(exc)):
            return (
                f"The program raises {event.type} itself.", "A line of its own says that something is not as it should be.",
                "Look at the condition before it: what it wants is not so in this run.",
            )  # fmt: skip
        case ast.Assert() if isinstance(event, Raised) and event.type == "AssertionError":
            return (
                "An assertion of the program does not hold.", "What it compares is not so in this run.",
                "Look at the values that it compares: each stands in the recording.",
            )  # fmt: skip
        case _:
            return None
