"""What is known of the dispatcher's operations."""

from __future__ import annotations

from typing import Any

from . import aten
from .ranks import COMMUNICATIONS

NO_DEFAULT = object()
"""The default of a parameter that has none."""


class Dispatched:
    """What is known of an operation of the dispatcher before it runs."""

    __slots__ = ("aliases", "asks", "first", "hidden", "name", "parameters", "said", "writes", "writes_together")

    def __init__(self, function: Any) -> None:
        schema = function._schema
        self.name = schema.name.rpartition("::")[2]
        self.asks = self.name in aten.ASKED
        """Whether it depends on what the program has called whether it is told."""
        self.said = "" if self.name in aten.QUIET else aten.called(self.name)
        self.hidden = self.name.startswith("_record_function")
        self.parameters = [(a.name, a.default_value if a.has_default_value() else NO_DEFAULT) for a in schema.arguments]
        writes = [a.alias_info is not None and a.alias_info.is_write for a in schema.arguments]
        self.writes = writes if any(writes) else []
        """Which of its parameters it writes; none of them for most."""
        self.aliases = "view" in self.name or any([each.alias_info is not None for each in schema.returns])
        """Whether what it makes may lie in memory of its arguments."""
        self.first = self.said in aten.FIRST
        together = COMMUNICATIONS.get(schema.name)
        self.writes_together = None if together is None else together.writes
        """Which of its parameters it writes together with other ranks; None where it does nothing with them."""
        if together is not None:
            self.said = together.name


OPS: dict[Any, Dispatched] = {}
"""What has been met, by the dispatcher's function."""


def op_of(function: Any) -> Dispatched:
    """What is known of one that has not been met."""
    made = OPS[function] = Dispatched(function)
    return made
