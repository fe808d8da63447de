"""What a program may say, and what it may do with what it gets hold of: the language layer of the sandbox."""

from .errors import MissingAttribute, MissingModule, PolicyError
from .syntax import check

__all__ = ["MissingAttribute", "MissingModule", "PolicyError", "check"]
