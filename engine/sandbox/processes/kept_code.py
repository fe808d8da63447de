"""The code of modules that few programs need: read while there are files, run in the child whose program brings to them."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_loader
from pathlib import Path
from types import CodeType, ModuleType


class KeptCode(MetaPathFinder, Loader):
    """Finds and loads the modules of a package whose code is kept; one of `sys.meta_path`."""

    def __init__(self, package: ModuleType) -> None:
        self._codes: dict[str, tuple[CodeType, str, bool]] = {}
        """Module → its code, its file, and whether it is a package."""
        root = Path(package.__path__[0])
        for path in sorted(root.rglob("*.py")):
            parts = path.relative_to(root).with_suffix("").parts
            is_package = parts[-1] == "__init__"
            name = ".".join((package.__name__, *parts[: len(parts) - is_package]))
            if name != package.__name__:
                code = SourceFileLoader(name, str(path)).get_code(name)
                assert code is not None, path
                self._codes[name] = code, str(path), is_package

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Python's own question for a module."""
        if fullname not in self._codes:
            return None
        _, origin, is_package = self._codes[fullname]
        return spec_from_loader(fullname, self, origin=origin, is_package=is_package)

    def exec_module(self, module: ModuleType) -> None:
        """Run the code."""
        exec(self._codes[module.__name__][0], vars(module))


def keep(package: ModuleType) -> None:
    """Keep the code of what is below a package in this process."""
    sys.meta_path.insert(0, KeptCode(package))
