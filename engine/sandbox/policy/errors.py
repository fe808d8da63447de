"""What a program is told when it asks for something that is not there for programs.

PolicyError                 a construct, a name, an attribute
├── MissingModule           an import; an ImportError, which programs may catch
└── MissingAttribute        a name that a module has elsewhere; an AttributeError
"""

from __future__ import annotations


class PolicyError(Exception):
    """A program may not do this; `help` says what to do instead. Lines count from 1, columns (in bytes) from 0."""

    def __init__(self, message: str, help: str = "") -> None:
        super().__init__(message)
        self.help = help
        self.span = (0, 0, 0, 0)
        """Line, column, end line and end column of a construct; zeros if it was refused while the program ran."""
        self.file = ""
        """The path of the program's module that it is in, "" for the program itself."""


class MissingModule(PolicyError, ModuleNotFoundError):
    """A module that programs cannot import."""


class MissingAttribute(PolicyError, AttributeError):
    """A name that a module does not have here."""
