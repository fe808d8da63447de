"""What children will need is loaded and made before they are forked: they can open no file, and time is short.

What NumPy asks objects for is taken away here as well, for all that come after.
"""

from __future__ import annotations

import codecs
from importlib import import_module

import numpy as np

from ... import dtypes, libraries, nn, stand_ins
from ...asking import state as overrides
from ...autograd.node import Node
from ...compat.signatures import overloads
from ...discovery import modules
from ...op.backward_codegen import write_backward
from ...op.code_cache import codes
from ...op.declare import TABLE
from ...tensor import Tensor
from ..facades.mended import mend
from ..policy import arrays, natives, numpys, protocols, unbound
from .kept_code import keep

MODULES = (
    "_strptime", "abc", "array", "base64", "bisect", "calendar", "cmath", "collections.abc", "contextlib", "copy", "copyreg",
    "dataclasses", "datetime", "decimal", "difflib", "enum", "fractions", "functools", "heapq", "inspect", "io", "itertools",
    "json", "keyword", "locale", "math", "numbers", "operator", "pprint", "queue", "random", "re", "reprlib", "statistics",
    "string", "struct", "textwrap", "time", "timeit", "token", "tokenize", "traceback", "types", "typing", "unicodedata",
    "weakref", "zlib",
    "numpy.fft", "numpy.lib", "numpy.linalg", "numpy.ma", "numpy.polynomial", "numpy.random", "numpy.testing", "numpy.typing",
    "scipy.linalg", "scipy.sparse.linalg", "scipy.special",
)  # fmt: skip
"""What programs import, and what Python, NumPy and SciPy import when it is first used."""
ENCODINGS = (
    "ascii", "base64", "cp1252", "cp437", "hex", "idna", "latin-1", "punycode", "raw_unicode_escape", "rot13", "unicode_escape",
    "utf-16", "utf-16-be", "utf-16-le", "utf-32", "utf-32-be", "utf-32-le", "utf-7", "utf-8", "utf-8-sig",
)  # fmt: skip


def _bfloat16() -> None:
    """Let the engine have the type, and NumPy forget the names by which programs could ask it for this and its like."""
    known = set(np.sctypeDict)
    dtypes.OF_NUMPY[dtypes.bfloat16._numpy] = dtypes.bfloat16
    for name in set(np.sctypeDict) - known:
        del np.sctypeDict[name]


def up() -> None:
    """Load and make it."""
    mend()
    natives.mend()
    for name in MODULES:
        import_module(name)
    for name in ENCODINGS:
        codecs.lookup(name)
    # Modules of the engine that are imported where they are first needed.
    modules(nn.__name__, nn.__path__)
    overloads()
    keep(libraries)
    keep(stand_ins)
    _bfloat16()
    numpys.mend()
    for op in TABLE.values():
        if op.differentiable and op.node is not Node:
            setattr(op.node, "apply_arrays", write_backward(op))  # noqa: B010
    codes.save()
    protocols.shut()
    arrays.allow()
    unbound.arm()
    # What a program's `__torch_function__` is told of Tensor is what the program gets where it reads it there.
    overrides.handed = lambda found, name: unbound.handed_out(found, name, (Tensor,))
