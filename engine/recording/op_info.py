"""What a recording says of the operations that its events name."""

from __future__ import annotations

import msgspec

from .. import limits
from .store import TooMuchError

MAX_RULES = limits.RULES.value()
MAX_RULE = limits.RULE.value()
"""Texts of an operation's rules, and characters of one."""


class RecordedRule(msgspec.Struct, frozen=True, array_like=True):
    """What a node sends along the edge of one input, as a template; an input may have several, of which the first whose
    conditions hold counts."""

    input: str
    template: str
    r"""LaTeX with what the node received (`{grad}`) and saves in braces: `{grad} \cdot {other}`."""
    elementwise: bool = False
    call: bool = False
    """Whether it only names a function."""
    when: tuple[tuple[str, str, str, bool], ...] = ()
    """Conditions: a saved value, a comparison (or "true", "none"), the text it is compared with, the outcome."""


class OpInfo(msgspec.Struct, frozen=True):
    """What a viewer needs to know of an operation."""

    name: str
    symbol: str = ""
    """How it is drawn: "×", "tanh"."""
    template: str = ""
    r"""LaTeX with its arguments in braces: "\tanh {self}"."""
    doc: str = ""
    rules: tuple[RecordedRule, ...] = ()
    outputs: tuple[str, ...] = ()
    """Names of the outputs, where rules use them."""
    traits: tuple[str, ...] | None = None
    """What it is known to be, by the names in `engine.op.traits`; None in recordings from before there were any. A name that
    this program does not know means nothing to it."""


def check_rules(op: OpInfo) -> None:
    """Raise RecordingError for an operation with more rules or traits, or longer ones, than any has."""
    traits = op.traits or ()
    conditions = [len(rule.when) for rule in op.rules]
    texts = [t for rule in op.rules for t in (rule.input, rule.template, *(part for c in rule.when for part in c[:3]))]
    if max(len(op.rules), len(op.outputs), len(traits), *conditions, 0) > MAX_RULES:
        raise TooMuchError(limits.RULES.past())
    if any(len(t) > MAX_RULE for t in (*texts, *traits)):
        raise TooMuchError(limits.RULE.past())
