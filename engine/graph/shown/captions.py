"""One sentence per event: what just happened, in the program's own names, lines and numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias

from ...figures import title_of_text
from ...recording.events import (
    NOTHING,
    Accumulated,
    AnyEvent,
    BackwardBegan,
    BackwardEnded,
    CellBegan,
    CellEnded,
    Drew,
    FlagSet,
    GradSet,
    HookRan,
    Named,
    NodeRan,
    OpRan,
    Printed,
    Raised,
    Read,
    Sent,
    Stepped,
    Thinned,
    Warned,
)
from ...recording.index import index_of
from ...recording.recording import Recording
from ...recording.story import cell_title
from ..numbers import ArrayTexts
from ..structure.tensor_titles import best_names
from ..symbols import clip, clip_name, expression, is_infix

Part: TypeAlias = tuple[str, Literal["plain", "strong", "code", "grad"]]
Caption: TypeAlias = list[Part]

_MAX_SENT = 4
HELD = {
    "whole": "holds everything that follows",
    "thin": "grows thinner: of what follows it holds scalars, and what happens to gradients and parameters",
    "silent": "pauses: of what follows it holds only what the program prints",
}
"""What it means that a recording changes its level."""
_MAX_MESSAGE = 120
_MAX_NAME = 44
"""Letters of a name: a sentence is two lines where there is little room."""
_DEEP = 2
"""Operations of which an expression tells."""


def captions(recording: Recording) -> list[Caption]:
    """The caption of every event. The text in it is the program's: hostile until escaped."""
    writer = _Writer(recording)
    return [writer.caption(step, event) for step, event in enumerate(recording.events)]


def captions_between(recording: Recording, first: int, last: int) -> list[Caption]:
    """The captions of the events from one step to another, both included."""
    writer = _Writer(recording)
    return [writer.caption(step, recording.events[step]) for step in range(first, last + 1)]


def caption_at(recording: Recording, step: int) -> Caption:
    """The caption of one event."""
    return _Writer(recording).caption(step, recording.events[step])


def titles(recording: Recording) -> Callable[[int], str]:
    """A function that gives a tensor's best name, or the expression that made it."""
    return _Writer(recording).title


def caption_text(caption: Caption) -> str:
    """The caption without its styles."""
    return "".join(text for text, _ in caption)


class _Writer:
    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        self.index = index_of(recording)
        self.texts = ArrayTexts(recording)
        self.names = best_names(recording)
        self._titles: dict[tuple[int, int], str] = {}

    def caption(self, step: int, event: AnyEvent) -> Caption:
        match event:
            case OpRan():
                parts = self.op(event)
            case Named():
                parts = self.named(step, event)
            case FlagSet():
                parts = self.flag(step, event)
            case BackwardBegan():
                parts = self.backward(event)
            case NodeRan():
                return self.node(event)
            case Accumulated():
                return self.accumulated(step, event)
            case BackwardEnded():
                return self.backward_ended(event)
            case GradSet():
                parts = self.grad_set(step, event)
            case HookRan():
                parts = self.hook(step, event)
            case Stepped():
                count = len(event.parameters)
                parts = [strong(f"{event.optimizer}.step"), plain(f" updates {count} parameter{'s' * (count != 1)}")]
            case Read():
                parts = self.read(step, event)
            case Drew():
                parts = [plain("shows "), strong(clip(title_of_text(event.figure), _MAX_MESSAGE))]
            case Printed():
                text = clip(event.text, _MAX_MESSAGE)
                parts = [
                    plain("prints " if event.stream == "stdout" else "writes to stderr "),
                    code(text or "an empty line"),
                ]
            case Warned():
                parts = [strong(clip(event.category)), plain(f": {clip(event.message, _MAX_MESSAGE)}")]
            case Raised():
                parts = [strong(clip(event.type)), plain(f": {clip(event.message, _MAX_MESSAGE)}")]
            case CellBegan():
                return [strong(cell_title(event.cell)), plain(" begins")]
            case CellEnded():
                return self.cell_ended(event)
            case Thinned():
                return [strong("Recording"), plain(f" {HELD[event.level]}")]
        line = self.recording.line(event)
        return [plain(f"{self.recording.line_text(event)} · "), *parts] if line else parts

    def op(self, event: OpRan) -> Caption:
        in_place = bool(event.written) and not event.outputs
        parts = [strong(clip(event.op) + "_" * (in_place and not event.op.endswith("_")))]
        if event.op == "grad" and len(event.outputs) == 1 and event.outputs[0].grad_of != NOTHING:
            return [plain("reads "), *self.value_of(event.outputs[0].id, event.outputs[0].array)]
        if in_place:
            parts += [
                plain(" writes "),
                *_listed([self.value_of(write.tensor, write.array) for write in event.written]),
            ]
            parts.append(plain(f" in place, version {event.written[0].version}"))
            return parts
        inputs = any(argument.tensor != NOTHING for argument in event.inputs)
        if len(event.outputs) == 1 and inputs and not self.index.tensors[event.outputs[0].id].first_name:
            made = [
                code(self.title(event.outputs[0].id)),
                plain(f" = {self.texts.describe(event.outputs[0].array)}"),
            ]
            parts += [plain(" makes "), *made]
        elif event.outputs:
            parts += [plain(" makes "), *_listed([self.value_of(info.id, info.array) for info in event.outputs])]
        if any(info.is_leaf and info.requires_grad for info in event.outputs):
            parts.append(plain(", a leaf that requires grad"))
        if event.cut and inputs:
            parts.append(plain(f", cut off from the graph ({clip(event.cut)})"))
        return parts

    def read(self, step: int, event: Read) -> Caption:
        value = self.texts.describe(self.index.tensors[event.tensor].status(step).array)
        title = self.title(event.tensor)
        if event.how in ("item", "tolist", "numpy"):
            call = code(f"{title}.{event.how}()")
        else:
            call = code(f"{clip(event.how)}({title})")
        return [call, plain(f" = {value} leaves the graph")]

    def named(self, step: int, event: Named) -> Caption:
        track = self.index.names[event.function, event.name]
        before = track.at(step - 1, NOTHING)
        name = code(clip_name(event.name, _MAX_NAME))
        if event.tensor == NOTHING:
            return [name, plain(" no longer names a tensor")]
        verb = " names " if before in (NOTHING, event.tensor) else " now names another tensor, "
        value = self.index.tensors[event.tensor].status(step).array
        return [name, plain(f"{verb}{self.texts.describe(value)}")]

    def flag(self, step: int, event: FlagSet) -> Caption:
        title = code(self.title(event.tensor))
        if event.flag == "requires_grad":
            return [title, plain(" now requires grad" if event.value else " no longer requires grad")]
        return [title, plain(" will keep its gradient ("), code("retain_grad"), plain(")")]

    def backward(self, event: BackwardBegan) -> Caption:
        roots = [[code(self.title(tensor)), plain(" with "), grad(self.texts.describe(array))] for tensor, array in event.roots]
        title = f"Backward pass {event.number}" if event.via == "backward" else f"grad (pass {event.number})"
        options = [name for name, on in (("retain_graph", event.retain_graph), ("create_graph", event.create_graph)) if on]
        tail = [plain(" · "), code(", ".join(options))] if options else []
        return [strong(title), plain(" begins at "), *_listed(roots), *tail]

    def node(self, event: NodeRan) -> Caption:
        node = self.index.nodes[event.node]
        if node.info.variable != NOTHING:
            received = self.texts.describe(event.received[0]) if event.received else ""
            parts = [
                plain(" takes "),
                grad(received or "nothing"),
                plain(" for "),
                code(f"{self.title(node.info.variable)}.grad"),
            ]
            return [*_pass(event.number), strong(node.info.name), *parts]
        line = self.recording.line(node.event)
        parts = [
            *_pass(event.number),
            strong(node.info.name),
            plain(f" ({self.recording.line_text(node.event)})" if line else ""),
        ]
        sent = [sent for sent in event.sent if sent is not None]
        if not sent:
            return [*parts, plain(" sends nothing on")]
        shown = [self.sent(one) for one in sent[:_MAX_SENT]]
        rest = [[plain(f"{len(sent) - _MAX_SENT} more")]] if len(sent) > _MAX_SENT else []
        return [*parts, plain(" sends "), *_listed(shown + rest)]

    def sent(self, sent: Sent) -> Caption:
        tensor = self.index.owners.get((sent.node, sent.input), NOTHING)
        target = self.title(tensor) if tensor != NOTHING else self.index.nodes[sent.node].info.name
        undone = [plain(" (broadcasting undone)")] if sent.raw not in (NOTHING, sent.array) else []
        return [grad(self.texts.describe(sent.array)), plain(" to "), code(target), *undone]

    def accumulated(self, step: int, event: Accumulated) -> Caption:
        history = self.index.tensors[event.tensor]
        before = history.grad(step - 1)
        name, total = code(f"{self.title(event.tensor)}.grad"), grad(self.texts.describe(event.total))
        number = f" (backward pass {event.number})"
        if before == NOTHING:
            kept = ", kept by retain_grad" if 0 <= history.retained <= step else ""
            return [name, plain(": "), total, plain(f"{kept}{number}")]
        old, added = self.texts(before), self.texts(event.increment)
        if added.startswith("-"):
            return [name, plain(f": {old} − {added[1:]} = "), total, plain(number)]
        return [name, plain(f": {old} + {added} = "), total, plain(number)]

    def backward_ended(self, event: BackwardEnded) -> Caption:
        if event.error:
            return [strong(f"Backward pass {event.number}"), plain(f" fails: {clip(event.error, _MAX_MESSAGE)}")]
        kept = "; its saved tensors are freed" if event.freed else "; the graph is kept for another pass"
        return [strong(f"Backward pass {event.number}"), plain(f" ends{kept}")]

    def grad_set(self, step: int, event: GradSet) -> Caption:
        name = code(f"{self.title(event.tensor)}.grad")
        if event.how == "zero_":
            return [name, plain(" set to zero")]
        if event.how == "None" or event.array == NOTHING:
            return [name, plain(" set to None")]
        how = "assigned" if event.how == "assign" else f"changed by {clip(event.how)} to"
        return [name, plain(f" {how} "), grad(self.texts.describe(event.array))]

    def hook(self, step: int, event: HookRan) -> Caption:
        if event.tensor != NOTHING:
            target = self.title(event.tensor)
        else:
            target = self.index.nodes[event.node].info.name if event.node != NOTHING else "a node"
        before = grad(self.texts.describe(event.before))
        if event.after in (NOTHING, event.before):
            return [strong("Hook"), plain(" on "), code(target), plain(" sees "), before]
        after = grad(self.texts.describe(event.after))
        return [strong("Hook"), plain(" on "), code(target), plain(" replaces "), before, plain(" by "), after]

    def cell_ended(self, event: CellEnded) -> Caption:
        parts: Caption = [strong(cell_title(event.cell)), plain(" ends")]
        return parts if event.result is None else [*parts, plain(": "), code(clip(event.result, _MAX_MESSAGE))]

    def title(self, tensor: int, depth: int = _DEEP) -> str:
        """The tensor's best name, or the expression that made it, `depth` operations deep."""
        made = self._titles.get((tensor, depth))
        if made is None:
            made = self._titles[tensor, depth] = self._title(tensor, depth)
        return made

    def _title(self, tensor: int, depth: int) -> str:
        history = self.index.tensors[tensor]
        event = history.op
        if tensor in self.names:
            return clip_name(self.names[tensor], _MAX_NAME if depth == _DEEP else _MAX_NAME // 2)
        if event.op != "grad" and not any(argument.tensor != NOTHING for argument in event.inputs):
            return clip(event.op)
        if depth == 0:
            return "…"
        if history.info.grad_of != NOTHING:
            return f"{self.title(history.info.grad_of, depth - 1)}.grad"
        operand = self.operand if is_infix(event, self.recording.ops) else self.title
        return clip(expression(event, self.recording.ops, lambda inner: operand(inner, depth - 1)), 32)

    def operand(self, tensor: int, depth: int) -> str:
        """The title as it stands beside an infix sign."""
        text = self.title(tensor, depth)
        history = self.index.tensors[tensor]
        nested = tensor not in self.names and text != "…" and is_infix(history.op, self.recording.ops)
        return f"({text})" if nested else text

    def value_of(self, tensor: int, array: int) -> Caption:
        return [code(self.title(tensor)), plain(f" = {self.texts.describe(array)}")]


def plain(text: str) -> Part:
    """Ordinary text."""
    return text, "plain"


def strong(text: str) -> Part:
    """What the sentence is about."""
    return text, "strong"


def code(text: str) -> Part:
    """A piece of the program."""
    return text, "code"


def grad(text: str) -> Part:
    """A gradient."""
    return text, "grad"


def _pass(number: int) -> Caption:
    return [strong(f"Backward pass {number}"), plain(" · ")]


def _listed(items: list[Caption]) -> Caption:
    """The items joined as in "a, b and c"."""
    parts: Caption = []
    for position, item in enumerate(items):
        if position:
            parts.append(plain(" and " if position == len(items) - 1 else ", "))
        parts += item
    return parts
