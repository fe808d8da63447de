"""Writes the Python that notes what has been noted once before: straight-line code that looks whether an operation, or a node's
rule, is like the one it was written for, and if so packs the row of its event.

To describe an event takes some ten times as long as to pack the numbers that fill its form. What makes a form is known when its
first event has been described: which arguments are tensors, what the node saves, where its edges lead. So that is written down
as conditions. A shortcut that does not apply does nothing and says so, and the event is described.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from types import CodeType
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from ..autograd.node import AccumulateGrad, Node
from ..autograd.saved_variable import Result
from ..context import context
from ..tensor import Tensor
from .numbering import IDS
from .writer import Form

if TYPE_CHECKING:
    from .encoder import Encoder

Shortcut: TypeAlias = Callable[..., bool]
MOST = 6
"""Shortcuts for one operation; what differs more often is described each time."""
_CONSTANTS = frozenset((bool, str, type(None), tuple))
_LARGEST = 2**31 - 1


class Unlike(Exception):
    """There is no shortcut for what was seen."""


class Learnt:
    """A shortcut, and what it was made of."""

    __slots__ = ("forms", "names", "shortcut", "source")

    def __init__(self, source: str, names: dict[str, Any], forms: dict[int, Form], shortcut: Shortcut) -> None:
        self.source, self.names, self.shortcut = source, names, shortcut
        self.forms = forms
        """The forms of what it notes, by the kind of array that an operation makes."""

    def is_like(self, other: Learnt) -> bool:
        """Whether another one asks for the same."""
        mine, theirs = self.names, other.names
        return self.source == other.source and all(
            [
                mine[name] is theirs[name] or (mine[name].__class__ is theirs[name].__class__ and mine[name] == theirs[name])
                for name in mine
                if name.startswith("v")
            ]
        )


class _Text:
    """A function under construction: what it reads, what has to hold, what fills the holes, and the names it uses."""

    def __init__(self, encoder: Encoder) -> None:
        self.encoder = encoder
        self.first: list[str] = []
        self.early: list[str] = []
        """What is read, and has to hold, before all else: by these, shortcuts of one operation mostly differ."""
        self.reads: list[str] = []
        self.guards: list[str] = []
        self.ids: list[str] = []
        """Ids, which have to be those of this recorder."""
        self.last = ""
        """What has to hold when all else does."""
        self.ends: list[str] = []
        """Gives the ends of paths that are first seen their ids."""
        self.does: list[str] = []
        self.after: list[str] = []
        """Keeps the arrays that a node saves, after what was made."""
        self.filling: list[str] = []
        self.names: dict[str, Any] = {
            "IDS": IDS, "context": context, "first": encoder.first, "store": encoder.store,
            "rows": encoder.writer.rows, "gradients": encoder.gradients, "gradient": encoder.quick, "data": encoder.store.data,
            "kept": encoder.store.numbers,
            "blunt": encoder.blunt, "numbers": encoder.writer.numbers,
        }  # fmt: skip

    def name(self, value: Any) -> str:
        """A name for a value."""
        name = f"v{len(self.names)}"
        self.names[name] = value
        return name

    def same(self, variable: str, value: Any) -> None:
        """It has to be the very thing."""
        self.guards.append(f"{variable} is {'not None' if value is None else 'not ' + self.name(value)}")

    def kind(self, variable: str, value: Any) -> None:
        """It has to be of the same class."""
        self.guards.append(f"{variable}.__class__ is not {self.name(value.__class__)}")

    def id(self, variable: str, thing: str) -> None:
        """Read an id."""
        self.reads.append(f"{variable} = {thing}._tape - first")
        self.ids.append(variable)

    def said(self, variable: str, value: Any, number: str) -> None:
        """The number of the text of a value that is no tensor."""
        if value.__class__ in (int, float):
            zero = f" if {variable} else None" if value.__class__ is float else ""
            self.reads.append(f"{number} = numbers.get(({variable}.__class__, {variable})){zero}")
            if not variable.startswith("a"):
                self.kind(variable, value)
            self.guards.append(f"{number} is None")
            self.filling.append(number)
        elif value.__class__ in _CONSTANTS and (value.__class__ is not tuple or all([v.__class__ is int for v in value])):
            self.kind(variable, value)
            self.guards.append(f"{variable} != {self.name(value)}")
            self.filling.append(str(self.encoder.writer.number(value)))
        else:
            raise Unlike

    def learnt(self, head: str, end: list[str], forms: dict[int, Form]) -> Learnt:
        """The function."""
        lines = [f"def note({head}):", "    try:", *[f"        {line}" for line in self.first]]
        lines += [f"        if {' or '.join(self.early)}: return False"] if self.early else []
        lines += [f"        {line}" for line in self.reads]
        lines += ["    except (AttributeError, ValueError, TypeError):", "        return False"]
        guards = [*self.guards, *([f"({' | '.join(self.ids)}) < 0"] if self.ids else [])]
        lines += [f"    if {guard}: return False" for guard in (" or ".join(guards), self.last) if guard]
        lines += [f"    {line}" for line in (*self.does, *end)]
        source = "\n".join(lines)
        scope: dict[str, Any] = {}
        exec(_compiled(source), self.names | {"forms": forms}, scope)
        return Learnt(source, self.names, forms, scope["note"])


@cache
def _compiled(source: str) -> CodeType:
    return compile(source, "<shortcut>", "exec")


def _unpacked(names: list[str], what: str) -> str:
    return f"{', '.join(names)}, = {what}" if names else f"() = {what}"


def of_op(
    encoder: Encoder,
    op: Any,
    arguments: tuple[Any, ...],
    result: Tensor,
    node: Node | None,
    leaves: int,
    forms: dict[int, Form],
) -> Learnt:
    """A shortcut for operations like one that has been described.

    Args:
        leaves: how many ends of paths were first seen with it.
        forms: the forms of such operations by the kind of the array that they make.

    Raises:
        Unlike: where there is none.
    """
    text = _Text(encoder)
    text.first.append(_unpacked([f"a{k}" for k in range(len(arguments))], "arguments"))
    text.early.append("node is not None" if node is None else "node is None")
    for k, a in enumerate(arguments):
        if a is not None:
            text.early.append(f"a{k}.__class__ is not {text.name(a.__class__)}")
        if isinstance(a, Tensor):
            text.id(f"x{k}", f"a{k}")
            text.filling.append(f"x{k}")
            if node is None:
                if a._needs:
                    raise Unlike
                text.guards.append(f"a{k}._needs")
        elif a is None or (k < len(op.parameters) and a is op.parameters[k].default):
            text.same(f"a{k}", a)
        elif a.__class__ in (bool, str) or (a.__class__ is tuple and all([n.__class__ is int for n in a])):
            text.guards.append(f"a{k} != {text.name(a)}")
        elif a.__class__ is int or (a.__class__ is float and a):
            if k < len(op.parameters):
                text.guards.append(f"a{k} is {text.name(op.parameters[k].default)}")
            text.said(f"a{k}", a, f"n{k}")
        elif a.__class__ is np.ndarray:
            text.names["told"] = encoder.writer.number
            text.filling.append(f"told(a{k})")
        else:
            raise Unlike
    if node is not None:
        _node(text, arguments, node, leaves)
    array = result._array
    text.reads.append("array = result._array; dtype = array.dtype; kind = kinds.get(array.shape); form = forms.get(kind)")
    text.names["kinds"] = encoder.store.kinds_of(array.dtype)
    text.names["large"] = encoder.store.large
    text.names["ndarray"] = np.ndarray
    text.guards += [
        "array.__class__ is not ndarray",
        "form is None",
        f"dtype is not {text.name(array.dtype)}",
        f"result._needs is not {result._needs}",
    ]
    text.guards += [f"context.grad is not {context.grad}", f"result._nr != {result._nr}"]
    text.kind("result", result)
    version = 0 if result._counter is None else result._counter.value
    if result._counter is not None:
        text.reads.append("version = result._counter.value")
        text.guards.append("not version" if version else "version")
    if result._view is None:
        text.guards.append("result._view is not None")
    else:
        text.id("base", "result._view.base")
        text.filling.append("base")
        text.names["share"] = encoder.share
        text.does.append("share(result, result._view.base)")
    text.last = "kind in large and not store.affords(kind)"
    count = (node is not None) + 1
    text.does += ["own = IDS.next", f"IDS.next = own + {count + leaves}"]
    text.does += ["node._tape = own"] if node is not None else []
    text.does += [
        *text.ends,
        f"result._tape = own + {count - 1}",
        "number = store.next",
        f"data.append({'(array | False)' if array.dtype.kind == 'b' else 'array'}.tobytes())",
        "kept.append(kind)",
    ]
    text.does += ["store.next = number + 1", "own -= first"]
    text.does += text.after
    text.filling += [f"own + {count - 1}", "number", *(["version"] if version else [])]
    row = f"rows.append(form[1](form[0], site, scope, {', '.join(text.filling)}))"
    return text.learnt("arguments, result, node, site, scope", [row, "return True"], forms)


def _node(text: _Text, arguments: tuple[Any, ...], node: Node, leaves: int) -> None:
    """What is to hold of the node of an operation, and what of it fills holes."""
    text.reads.append(_unpacked([f"(e{k}, k{k})" for k in range(len(node.edges))], "node.edges"))
    own: list[str] = []
    ends: list[str] = []
    seen: list[Node] = []
    for k, (target, input) in enumerate(node.edges):
        text.guards.append(f"e{k} is {'not None' if target is None else 'None'}")
        if target is None:
            continue
        text.guards.append(f"k{k} != {input}")
        # Of the ends of paths, those that have just been described were first seen here: their ids are the last ones.
        if target.__class__ is AccumulateGrad and target._tape >= IDS.next - leaves:
            if target in seen:
                raise Unlike
            seen.append(target)
            text.kind(f"e{k}", target)
            text.id(f"l{k}", f"e{k}.variable")
            text.guards += [f"e{k}._tape >= first", *[f"e{k} is {other}" for other in ends]]
            text.ends.append(f"e{k}._tape = own + {2 + len(ends)}")
            ends.append(f"e{k}")
            text.filling += [f"own + {1 + len(ends)}", f"l{k}"]
            own.append(f"own + {1 + len(ends)}")
        else:
            text.id(f"t{k}", f"e{k}")
            own.append(f"t{k}")
    if len(ends) != leaves:
        raise Unlike
    saved, versions = node._saved or (), node.versions
    text.reads.append(_unpacked([f"s{k}" for k in range(len(saved))], "node._saved"))
    text.reads.append("sequence = node.sequence")
    text.guards.append(f"sequence > {_LARGEST}")
    if versions:
        text.reads.append(_unpacked([f"w{k}" for k in range(len(saved))], "node.versions"))
        text.guards += [f"w{k} > {_LARGEST}" for k in range(len(saved))]
    else:
        text.guards.append("node.versions")
    text.filling += ["own", *own, "sequence"]
    # What a custom Function saves has no names, and is not described.
    for k, value in enumerate(saved[: len(node.saved_names)]):
        if value is None:
            text.guards.append(f"s{k} is not None")
        elif isinstance(value, Tensor):
            among = next((place for place, a in enumerate(arguments) if a is value), None)
            if among is not None:
                text.guards.append(f"s{k} is not a{among}")
                text.filling.append(f"x{among}")
            else:
                text.kind(f"s{k}", value)
                text.id(f"y{k}", f"s{k}")
                text.filling.append(f"y{k}")
            if versions:
                text.filling.append(f"w{k}")
        elif isinstance(value, Result):
            text.kind(f"s{k}", value)
            text.filling.append(f"s{k}.version")
        elif value.__class__ is np.ndarray:
            text.kind(f"s{k}", value)
            text.after.append(f"g{k} = gradients.get(id(s{k})); g{k} = gradient(s{k}) if g{k} is None else g{k}")
            text.filling.append(f"g{k}")
        elif value.__class__ is float and not value:
            raise Unlike
        else:
            text.said(f"s{k}", value, f"m{k}")


def of_rule(encoder: Encoder, node: Node, received: tuple[Any, ...], raw: Any, sent: Any, forms: dict[int, Form]) -> Learnt:
    """A shortcut for rules of nodes like one that ran; likewise."""
    text = _Text(encoder)
    ((text.names["form"], text.names["pack"]),) = forms.values()
    text.reads.append(_unpacked([f"r{k}" for k in range(len(received))], "received"))
    for letter, what in (("b", "raw"), ("c", "sent")):
        text.reads.append(_unpacked([f"{letter}{k}" for k in range(len(node.edges))], what))
    text.reads.append(_unpacked([f"(e{k}, k{k})" for k in range(len(node.edges))], "node.edges"))
    text.id("own", "node")
    text.filling += ["number", "own"]
    for k, g in enumerate(received):
        text.guards.append(f"r{k} is {'not None' if g is None else 'None'}")
        if g is not None:
            text.does.append(f"h{k} = gradients.get(id(r{k})); h{k} = gradient(r{k}) if h{k} is None else h{k}")
            text.filling.append(f"h{k}")
    for k, ((target, input), before, after) in enumerate(zip(node.edges, raw, sent, strict=True)):
        if target is None:
            text.guards.append(f"e{k} is not None")
            continue
        if after is None:
            text.guards.append(f"c{k} is not None")
            continue
        if encoder.known(target) < 0:
            raise Unlike
        text.guards += [f"c{k} is None", f"e{k} is None", f"k{k} != {input}"]
        text.id(f"t{k}", f"e{k}")
        text.does.append(f"g{k} = gradients.get(id(c{k})); g{k} = gradient(c{k}) if g{k} is None else g{k}")
        text.filling += [f"t{k}", f"g{k}"]
        if before is after or before is None:
            text.guards.append(f"(b{k} is not c{k} and b{k} is not None)")
        else:
            text.guards += [f"b{k} is c{k}", f"b{k} is None"]
            text.does.append(f"f{k} = gradients.get(id(b{k})); f{k} = gradient(b{k}) if f{k} is None else f{k}")
            text.filling.append(f"f{k}")
    text.guards.append("(blunt and own in blunt)")
    return text.learnt(
        "node, received, raw, sent, number, site, scope",
        [f"rows.append(pack(form, site, scope, {', '.join(text.filling)}))", "return True"],
        forms,
    )
