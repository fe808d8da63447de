"""Anomaly detection: which forward operation a failing or NaN-producing backward step belongs to."""

from __future__ import annotations

import os
import traceback
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from ..context import context
from .node import Node

OWN = (str(Path(__file__).resolve().parents[1]) + os.sep, "<engine")
"""How the names of the engine's own files begin, the written ones included."""

_state = {"enabled": False, "check_nan": True}


def is_anomaly_enabled() -> bool:
    """Whether anomaly detection is on."""
    return _state["enabled"]


def is_anomaly_check_nan_enabled() -> bool:
    """Whether NaN in gradients counts as an anomaly."""
    return _state["check_nan"]


def _set(enabled: bool, check_nan: bool) -> None:
    from . import graph

    _state.update(enabled=enabled, check_nan=check_nan)
    graph._watch()


class set_detect_anomaly:  # noqa: N801
    """Switch anomaly detection on or off: at once, and back at the end if used as a context manager.

    While it is on, a backward step that fails is reported with the line of the forward pass it belongs to, and one that
    produces NaN is an error.
    """

    def __init__(self, mode: bool, check_nan: bool = True) -> None:
        self.before = _state["enabled"], _state["check_nan"]
        _set(mode, check_nan)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        _set(*self.before)


class detect_anomaly:  # noqa: N801
    """Anomaly detection within the block."""

    def __init__(self, check_nan: bool = True) -> None:
        self.check_nan = check_nan
        warnings.warn(
            "Anomaly Detection has been enabled. This mode will increase the runtime and should only be enabled for debugging.",
            UserWarning,
            stacklevel=2,
        )

    def __enter__(self) -> None:
        self.before = _state["enabled"], _state["check_nan"]
        _set(True, self.check_nan)

    def __exit__(self, *_: object) -> None:
        _set(*self.before)


def remember(node: Node) -> None:
    """Keep with a node where in the program it was made."""
    frames = [f for f in traceback.extract_stack()[:-2] if not f.filename.startswith(OWN)]
    node.metadata["traceback_"] = traceback.format_list(frames)
    if context.node is not None:
        node.metadata["parent_"] = context.node


def report(node: Node) -> None:
    """Warn of the line of the forward pass that a failing step belongs to."""
    where = node.metadata.get("traceback_")
    if where is None:
        text = (
            f"Error detected in {node.name()}. No forward pass information available. Enable detect anomaly during forward "
            "pass for more information."
        )
    else:
        text = f"Error detected in {node.name()}. Traceback of forward call that caused the error:\n{''.join(where)}"
    warnings.warn(text, UserWarning, stacklevel=2)
    above = node.metadata.get("parent_")
    while above is not None:
        where = "".join(above.metadata.get("traceback_", ()))
        text = (
            f"\n\nPrevious calculation was induced by {above.name()}. Traceback of forward call that induced the previous "
            f"calculation:\n{where}"
        )
        warnings.warn(text, UserWarning, stacklevel=2)
        above = above.metadata.get("parent_")


def check(node: Node, grads: tuple[Any, ...]) -> None:
    """Refuse NaN among the gradients a step produced.

    Raises:
        RuntimeError: naming the node and the output.
    """
    if not _state["check_nan"]:
        return
    for k, g in enumerate(grads):
        array = getattr(g, "_array", g)
        if array is not None and np.isnan(array).any():
            raise RuntimeError(f"Function '{node.name()}' returned nan values in its {k}th output.")
