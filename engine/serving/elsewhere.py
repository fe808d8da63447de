"""Where programs run if not on this machine: on the workers of the cluster that the settings name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..sandbox.settings import settings

if TYPE_CHECKING:
    from .cluster.backend import Cluster


def elsewhere() -> Cluster | None:
    """The cluster; None where this machine does it."""
    if not settings().scheduler:
        return None
    from .cluster.backend import cluster  # which loads Dask

    return cluster()
