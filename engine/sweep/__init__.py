"""A sweep: one or two leaves or literals of a program over a grid, with the loss and the gradients at each point.

`sweep(text, ["x1", "x2"])` waits for the result; `begin` starts one that moves while it is looked at.
"""

from ..experiments.sweep.path import last_pass
from .choices import Axis, Choice, choices
from .grid import Sweep, SweepError, begin, sweep

__all__ = ["Axis", "Choice", "Sweep", "SweepError", "begin", "choices", "last_pass", "sweep"]
