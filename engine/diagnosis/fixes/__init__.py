"""Fixes that are proven before they are offered: what a finding's changes do is seen on a copy of the program, in the sandbox.

A rule writes changes of the text (`engine/diagnosis/mending`); `tried` runs the changed copy; `judged` says whether it is
better.
"""

from __future__ import annotations

from .judging import judged
from .offered import Untried, changed_program, not_offered, offered, to_try
from .trying import tried

__all__ = ["Untried", "changed_program", "judged", "not_offered", "offered", "to_try", "tried"]
