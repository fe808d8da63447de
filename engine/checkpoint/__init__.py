"""Checkpoints: files that hold tensors and what contains them, in PyTorch's formats and in safetensors'.

```
bytes ──archive──▶ entries ──unpickling──▶ objects
                                │
            objects: what names mean, what may be made
```
What is read may come from anybody: nothing here runs what a file names. A pickle is read by an interpreter of our own
(`unpickling`), which makes of names only what the `Objects` in charge know, and everything in a file is bounded
(`engine.limits`).
"""

from __future__ import annotations
