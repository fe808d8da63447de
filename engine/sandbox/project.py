"""A program's own modules: what was opened together with it and is imported by it, looked at as the program itself is."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from types import CodeType
from typing import Any

from ..program.project import absolute, package_of
from .facades.files import WORKING
from .facades.module import Module, names_in
from .policy.errors import PolicyError
from .policy.names import is_dunder
from .policy.unbound import MAIN


class Project:
    """The modules of one run.

    Args:
        texts: their texts, by path.
        compiled: makes code of a text and the path that it carries.
        builtins: what every module finds as its built-in names.
    """

    def __init__(
        self, texts: Mapping[str, str], compiled: Callable[[str, str], CodeType], builtins: Callable[[], dict[str, Any]]
    ) -> None:
        self._texts, self._compiled, self._builtins = texts, compiled, builtins
        self._loaded: dict[str, Module] = {}
        self._packages = {package for path in texts for package in _above(package_of(path))}

    def has(self, name: str) -> bool:
        """Whether a module of that name is the program's own."""
        return self._path(name) is not None or name in self._packages

    def forget(self) -> None:
        """Have all of them run anew when they are imported again: the program is."""
        self._loaded.clear()

    def again(self, module: Any) -> Any:
        """Run a module once more, as `importlib.reload` does."""
        for name, known in self._loaded.items():
            if known is module:
                self._run(name, module)
                return module
        raise TypeError("reload() argument must be a module")

    def named(self, globals: Any, level: int, name: str) -> str:
        """The name of what a relative import means.

        Raises:
            ImportError: in Python's words.
        """
        package = globals.get("__package__") if isinstance(globals, dict) else None
        if not package:
            raise ImportError("attempted relative import with no known parent package")
        found = absolute(package, level, name)
        if found is None:
            raise ImportError("attempted relative import beyond top-level package")
        return found

    def imported(self, name: str, wanted: Any, *, whole: bool = False) -> Module:
        """What an import statement gets: the module, or the package that its name begins with.

        Raises:
            ImportError: in Python's words.
        """
        first, *below = name.split(".")
        so_far, module = first, self._load(first, name)
        passed = []
        for part in below:
            so_far, package = f"{so_far}.{part}", module
            module = names_in(package)[part] = self._load(so_far, name)
            passed.append((package, part, module))
        # What has run meanwhile may have put something else there, and Python goes on from what it finds.
        for package, part, inner in passed:
            names_in(package)[part] = inner
        for one in wanted or ():
            if one == "*" or one in names_in(module):
                continue
            if not self.has(f"{name}.{one}"):
                raise ImportError(f"cannot import name '{one}' from '{name}' ({self._path(name) or 'unknown location'})")
            names_in(module)[one] = self._load(f"{name}.{one}", f"{name}.{one}")
        return module if wanted or whole else self._loaded[first]

    def _path(self, name: str) -> str | None:
        if any(map(is_dunder, name.split("."))):
            return None
        below = name.replace(".", "/")
        return next((path for path in (f"{below}/__init__.py", f"{below}.py") if path in self._texts), None)

    def _load(self, name: str, asked: str) -> Module:
        module = self._loaded.get(name)
        if module is not None:
            return module
        if not self.has(name):
            raise ModuleNotFoundError(f"No module named '{asked}'", name=asked)
        module = self._loaded[name] = Module(name, lambda missing: _no_attribute(name, missing))
        try:
            self._run(name, module)
        except BaseException:
            del self._loaded[name]
            raise
        return module

    def _run(self, name: str, module: Module) -> None:
        path = self._path(name)
        names = names_in(module)
        if path is None:
            return
        package = name if path.endswith("/__init__.py") else name.rpartition(".")[0]
        # A class of the program's is known by the module that it says it is from.
        names |= {
            "__name__": MAIN, "__doc__": None, "__annotations__": {}, "__builtins__": self._builtins(), "__package__": package,
            "__file__": f"{WORKING}/{path}",
        }  # fmt: skip
        exec(self._compiled(self._texts[path], path), names)


def named(tree: ast.Module, path: str) -> ast.Module:
    """The tree of a module, in which `__name__` is the module's name."""
    name = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")

    class Names(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.expr:
            """A name that is read."""
            if node.id == "__name__" and isinstance(node.ctx, ast.Load):
                return ast.copy_location(ast.Constant(name), node)
            return node

    made: ast.Module = Names().visit(tree)
    return made


def located(error: PolicyError, path: str) -> PolicyError:
    """What a module is refused for, with the file that it is in."""
    error.file = path
    error.args = (f"{path}, {error}",)
    return error


def _above(package: str) -> list[str]:
    parts = package.split(".") if package else []
    return [".".join(parts[:k]) for k in range(1, len(parts) + 1)]


def _no_attribute(module: str, name: str) -> AttributeError:
    return AttributeError(f"module '{module}' has no attribute '{name}'")
