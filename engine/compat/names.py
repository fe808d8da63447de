"""What PyTorch has: the names in its namespaces. An operation declared here stands wherever PyTorch has its name, and a name
that PyTorch has and Gradtape has not can be told from a mistake in spelling."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from ..errors import nearest, unsupported

_SECTION = re.compile(r"\[(.+?)\]\n([^\[]*)")

SURFACE = {
    owner: frozenset(names.split())
    for owner, names in _SECTION.findall(Path(__file__).with_name("names.txt").read_text(encoding="utf-8"))
}
"""Public names of PyTorch 2.13 by namespace."""

TENSOR_METHODS = SURFACE["torch.Tensor"]


def missing(owner: str, name: str, supported: Iterable[str]) -> AttributeError:
    """The error for a name that `owner` does not have here: in PyTorch's words if PyTorch has no such name either."""
    if name in SURFACE.get(owner, ()):
        return unsupported(owner, name, supported)
    near = nearest(owner, name, supported)
    return AttributeError(f"module '{owner}' has no attribute '{name}'" + (f".{near}" if near else ""))
