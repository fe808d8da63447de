"""What the processes of a training do together, by the names that `torch.distributed` has for it, and the files of several
ranks."""

from __future__ import annotations

from pathlib import Path

NAMES = frozenset(
    (
        "all_gather", "all_gather_into_tensor", "all_reduce", "all_to_all", "all_to_all_single", "barrier", "broadcast",
        "gather", "recv", "reduce", "reduce_scatter", "reduce_scatter_tensor", "scatter", "send",
    )
)  # fmt: skip
REDUCED = "all_reduce_"
"""How a `.grad` was changed that became what all ranks together have of it."""
BY_HOOK = "hook"
"""The same where a hook of the program's did it while the pass went on, on whichever ranks."""


def path_of(path: Path, rank: int, world_size: int) -> Path:
    """The file of one rank: `run.rank0.gradtape` beside the others, the path itself where there is one process alone."""
    mine = f".rank{rank}"
    return path if world_size < 2 or path.stem.endswith(mine) else path.with_name(f"{path.stem}{mine}{path.suffix}")
