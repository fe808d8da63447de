"""How names that programs take for granted are imported: what is said where one of them was forgotten."""

from __future__ import annotations

USUAL = {
    "torch": "import torch", "nn": "from torch import nn", "F": "import torch.nn.functional as F",
    "np": "import numpy as np", "numpy": "import numpy", "optim": "from torch import optim", "math": "import math",
    "plt": "import matplotlib.pyplot as plt", "random": "import random", "copy": "import copy",
    "DataLoader": "from torch.utils.data import DataLoader", "TensorDataset": "from torch.utils.data import TensorDataset",
}  # fmt: skip


def forgotten(name: str) -> str:
    """What to write for a name that has no value, as a sentence; "" for one that is not imported usually."""
    return f"Write {USUAL[name]} at the top." if name in USUAL else ""
