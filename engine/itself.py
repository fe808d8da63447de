"""The engine as this process knows it: `gradtape.engine` in somebody's program, `engine` in processes of our own.

The page, the sandbox and what else is started by Gradtape are processes of our own, which find the folder `engine` by that name
wherever Gradtape is installed. Somebody's program may have an `engine` of its own.
"""

from __future__ import annotations

import sys

PACKAGE = __name__.rpartition(".")[0]
OURS = f"{PACKAGE}."
"""How the names of the engine's modules begin."""
engine = sys.modules[PACKAGE]
