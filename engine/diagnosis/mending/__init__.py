"""How what is wrong may be mended: from a run and a site of its program to changes of the text, for `Finding.changes`.

Authors of rules find here what their findings may bring: a statement before or after another one, a call less in a chain, a
keyword more or less, another expression. Several mends of one finding are added up, `[*before(…), *dropped(…)]`, as long as
they do not overlap. Every helper answers with [] where it is not sure: where a site is no expression or statement of the text
(a cell that cannot be read, text that was made elsewhere), where several statements share a line, where a comment is in the
way. A mend is only a candidate: it is tried before it is offered (`engine/diagnosis/fixes`), so a rule need not be sure that
it helps, only that it does what its `fix` says. Nothing is run here.
"""

from __future__ import annotations

from ..program_ast import site_of
from .expressions import (
    keyword,
    out_of_place,
    renamed,
    replaced,
    with_call,
    without_argument,
    without_attribute,
    without_call,
    without_function,
    wrapped,
)
from .spots import (
    Changes,
    Spot,
    argument_at,
    beside,
    call_of,
    definition_of,
    in_body,
    loop_around,
    receiver_at,
    sites_at,
    spot,
    statement_at,
    statement_of,
    text_at,
)
from .statements import after, before, dropped, enclosed, first_in, instead, last_in, moved, swapped, unwrapped

__all__ = [
    "Changes",
    "Spot",
    "after",
    "argument_at",
    "before",
    "beside",
    "call_of",
    "definition_of",
    "dropped",
    "enclosed",
    "first_in",
    "in_body",
    "instead",
    "keyword",
    "last_in",
    "loop_around",
    "moved",
    "out_of_place",
    "receiver_at",
    "renamed",
    "replaced",
    "site_of",
    "sites_at",
    "spot",
    "statement_at",
    "statement_of",
    "swapped",
    "text_at",
    "unwrapped",
    "with_call",
    "without_argument",
    "without_attribute",
    "without_call",
    "without_function",
    "wrapped",
]
