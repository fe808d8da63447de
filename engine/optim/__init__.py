"""Optimizers and learning rate schedules: `torch.optim`."""

from __future__ import annotations

from typing import Any

from ..compat.classes import known_as
from . import lr_scheduler
from .adam import Adam, Adamax, AdamW, NAdam, RAdam
from .adaptive import Adadelta, Adafactor, Adagrad, RMSprop, Rprop
from .lbfgs import LBFGS
from .muon import Muon, SparseAdam
from .optimizer import Optimizer
from .sgd import ASGD, SGD

__all__ = [
    "ASGD", "LBFGS", "SGD", "Adadelta", "Adafactor", "Adagrad", "Adam", "AdamW", "Adamax", "Muon", "NAdam", "Optimizer",
    "RAdam", "RMSprop", "Rprop", "SparseAdam", "lr_scheduler", "swa_utils",
]  # fmt: skip

for _kind in (ASGD, LBFGS, SGD, Adadelta, Adagrad, Adam, AdamW, Adamax, NAdam, Optimizer, RAdam, RMSprop, Rprop):
    known_as(f"torch.optim.{_kind.__name__.lower()}", _kind)  # PyTorch has a file for each
known_as("torch.optim.sparse_adam", SparseAdam)
known_as("torch.optim", Adafactor, Muon)


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    if name == "swa_utils":  # which needs torch.nn
        import importlib

        return importlib.import_module(".swa_utils", __name__)
    from ..errors import unsupported

    raise unsupported("torch.optim", name, __all__)
