"""What `why` can be asked about, and how a question is read: `parse("why did net.fc.weight not move")`."""

from __future__ import annotations

import re
from typing import TypeAlias

import msgspec


class TensorSubject(msgspec.Struct, frozen=True, tag="tensor"):
    """Why a tensor's `.grad` is what it is: of the tensor with an id, or of what a name stands for."""

    tensor: int | str


class ModuleSubject(msgspec.Struct, frozen=True, tag="module"):
    """Why the parameters of a module, "net.fc", have the gradients that they have."""

    name: str


class LossSubject(msgspec.Struct, frozen=True, tag="loss"):
    """Why the loss is NaN, constant, rising or falling: of a name, or of what the last backward pass began with."""

    name: str = ""


class LineSubject(msgspec.Struct, frozen=True, tag="line"):
    """Why a line failed, or what it did; 0 for the line with which the program ended."""

    line: int = 0
    cell: int = 0
    """The notebook's cell, from 1; 0 in a program of one text."""


class UpdateSubject(msgspec.Struct, frozen=True, tag="update"):
    """Why a parameter moved, or did not, when the optimizer stepped."""

    name: str


Subject: TypeAlias = TensorSubject | ModuleSubject | LossSubject | LineSubject | UpdateSubject
"""What a question is about."""

_NAME = re.compile(r"[A-Za-z_][\w.]*(?:\[[^\]]*\][\w.]*)*")
_ATTRIBUTE = re.compile(r"\.(grad|requires_grad|is_leaf|grad_fn)$")
_LINE = re.compile(r"(?:(?:\bcell\s+|\bin\s?\[)(\d+)\]?\s*,?\s*)?\bline\s+(\d+)\b", re.IGNORECASE)
_FAILED = re.compile(r"\b(?:fail(?:s|ed|ing)?|crash(?:es|ed)?|error|raise[sd]?)\b", re.IGNORECASE)
_MOVED = re.compile(r"(?:mov|updat|chang|learn|train|step)\w*", re.IGNORECASE)
_LOSS = re.compile(r"loss(?:es)?(?![a-z])|(?<![a-z])(?:cost|objective)(?![a-z])", re.IGNORECASE)
_COMMON = frozenset((
     "a", "all", "always", "an", "and", "are", "aren't", "be", "been", "but", "can", "can't", "come", "constant", "did",
     "didn't", "do", "does", "doesn't", "down", "for", "get", "gets", "getting", "go", "goes", "going", "gradient", "has",
     "hasn't", "how", "huge", "in", "inf", "infinite", "infinity", "is", "isn't", "it", "its", "large", "my", "nan",
     "never", "no", "none", "not", "of", "on", "or", "same", "small", "so", "stay", "stays", "still", "stuck", "that",
     "the", "there", "they", "this", "tiny", "too", "up", "very", "was", "wasn't", "went", "what", "when", "why", "will",
     "with", "won't", "you", "zero",
))  # fmt: skip
"""Words of a question that are no names of what it is about."""


def is_loss(name: str) -> bool:
    """Whether a name says that it is one of a loss, which is to go down."""
    return _LOSS.search(name) is not None


def parse(text: str) -> Subject:
    """The subject of a question: a bare name is a tensor, or a module where it is none of a tensor; "loss" is the loss.

    "w", "w.grad", "net.0.weight", "net.fc"; "loss", "why is loss NaN"; "line 12", "In [2], line 3", "why did it fail"; "why did
    w not move".
    """
    asked = text.strip().rstrip("?!. ")
    line = _LINE.search(asked)
    if line is not None:
        return LineSubject(int(line[2]), int(line[1] or 0))
    words = asked.split()
    if len(words) > 1 and _FAILED.search(asked):
        return LineSubject()
    names = [word for word in words if _NAME.fullmatch(word) and word.lower() not in _COMMON]
    if not names:
        return LossSubject() if len(words) > 1 else TensorSubject(_ATTRIBUTE.sub("", asked))
    name = names[0]
    if _ATTRIBUTE.search(name):
        return TensorSubject(_ATTRIBUTE.sub("", name))
    if is_loss(name) and (len(words) > 1 or name == "loss"):
        return LossSubject(name)
    if any(_MOVED.fullmatch(word) for word in words[words.index(name) + 1 :]):
        return UpdateSubject(name)
    return TensorSubject(name if len(words) > 1 else _ATTRIBUTE.sub("", asked))
