"""Programs run in processes of their own: `run(source)` gives a `RunResult` with output, error and recording.

Here is the boundary between our process and the program's: the parent (`runner`) never compiles program text and decodes only
typed, bounded messages; the `server` is warm and forks; the `child` compiles and runs under limits.
"""

from .runner import Backend, Control, RunResult, Stopped, backend, run, stop
from .transport.messages import CellResult, Layers, Limits, RunError

__all__ = ["Backend", "CellResult", "Control", "Layers", "Limits", "RunError", "RunResult", "Stopped", "backend", "run", "stop"]
