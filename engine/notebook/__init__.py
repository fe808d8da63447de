"""Notebooks: `%load_ext gradtape`, then `%%gradtape` above a cell runs it as ever and shows the player below what it printed.

    %%gradtape --level values -o run.gradtape
    loss = model(x).sum()
    loss.backward()

The cell runs on the PyTorch that is installed, or without one on our engine, in IPython's own way and unchanged: the line of
the magic becomes a comment before IPython reads the cell, and IPython tells when the cell begins and when it is over.
"""

from __future__ import annotations

from .extension import load as load
from .extension import unload as unload
