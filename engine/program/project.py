"""The files that are opened together with a program: which paths they may have, and which of them it imports as modules."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from .. import limits
from .session import is_session

MOST_PART, MOST_PATH = 255, 1_000
"""Bytes of one part of a path, and of a whole one."""
NOT_OPENED = "Open the file together with the program (Files in the page, --files on the command line), or make the data in it."
"""What is said where a program asks for a file that is not there."""
ODD = '\\:*?"<>|'
"""Signs that not all systems have in paths."""
# Bounded everywhere: the page's process looks through what a stranger wrote.
_IMPORT = re.compile(
    r"(?:^|[;:])[ \t]*(?:from[ \t]+(?P<dots>\.{0,20})(?P<module>(?!\.)[\w.]{0,400})[ \t]+import[ \t]*"
    r"(?P<names>\([^()]{0,2000}\)|[^\n#;]*)"
    r"|import[ \t]+(?P<modules>[^\n#;]+))",
    re.MULTILINE,
)
_NAME = re.compile(r"[\w.]+")


def sound(path: str) -> bool:
    """Whether something is a path below a folder, written plainly: with strokes, without `.` and `..`, drives or odd signs."""
    parts = path.split("/")
    return (
        len(path) <= MOST_PATH
        and path.isprintable()
        and not any(sign in path for sign in ODD)
        and all(part not in ("", ".", "..") and len(part.encode("utf-8", "replace")) <= MOST_PART for part in parts)
    )


def modules(cells: Iterable[str], files: Mapping[str, bytes]) -> dict[str, str]:
    """The files that a program imports as modules, and that those import: their texts by path, in the order of their paths."""
    found: dict[str, str] = {}
    pending = [("", text) for text in cells]
    # Of more than a program may have the rest is not looked at; who asks says so.
    while pending and sum(map(len, found.values())) <= limits.PROGRAM.value():
        package, text = pending.pop()
        for wanted in _imported(text, package):
            for path in paths_of(wanted):
                if path in files and path not in found and (module := _text(files[path])) is not None:
                    found[path] = module
                    pending.append((package_of(path), module))
    return dict(sorted(found.items()))


def paths_of(module: str) -> Iterator[str]:
    """Where a module may stand, and the packages that it is in."""
    parts = module.split(".")
    for k in range(1, len(parts) + 1):
        below = "/".join(parts[:k])
        yield f"{below}/__init__.py"
        yield f"{below}.py"


def package_of(path: str) -> str:
    """The package that a module's relative imports begin in."""
    return posixpath.dirname(path).replace("/", ".")


def absolute(package: str, level: int, name: str) -> str | None:
    """The name of what `from ..name` means in a package; None for what lies above all packages."""
    above = package.split(".") if package else []
    if level - 1 >= len(above):
        return None
    return ".".join([*above[: len(above) - level + 1], *filter(None, [name])])


def _imported(text: str, package: str) -> Iterator[str]:
    """The names of modules that may be meant by the import statements of a text."""
    for match in _IMPORT.finditer(text):
        if match["modules"] is not None:
            for part in match["modules"].split(","):
                yield from _NAME.findall(part)[:1]
            continue
        base = match["module"]
        if match["dots"]:
            above = absolute(package, len(match["dots"]), base)
            if above is None:
                continue
            base = above
        yield base
        for part in match["names"].strip("()").split(","):
            yield from (f"{base}.{name}" for name in _NAME.findall(part)[:1])


def _text(data: bytes) -> str | None:
    if len(data) > 4 * limits.PROGRAM.value():
        return None
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else text.replace("\r\n", "\n").replace("\r", "\n")


def names_of(cells: Sequence[str], name: str, found: Mapping[str, str]) -> tuple[str, ...]:
    """What a recording calls the texts of a program and of its modules; () for one that has none."""
    return (name, *[""] * (len(cells) - 1), *found) if found else ()


def program_among(files: Mapping[str, bytes]) -> str | None:
    """Which of several files that are opened together is the program: a recording or a notebook, else the script that no other
    one imports; None where there is none. A text that is opened alone may be a session."""
    if len(files) == 1:
        only = next(iter(files))
        if only.endswith(".py") or (only.endswith(".txt") and is_session(_text(files[only]) or "")):
            return only  # whatever is in it: who opens it says what is wrong
    for suffix in (".gradtape", ".ipynb"):
        if found := sorted(path for path in files if path.endswith(suffix)):
            return found[0]
    scripts = {path: text for path in files if path.endswith(".py") and (text := _text(files[path])) is not None}
    used = {path for one, text in scripts.items() for path in modules([text], files) if path != one}
    begins = {path for path in scripts if _MAIN.search(scripts[path])}
    return min(
        scripts, key=lambda path: (path in used, path not in begins, path.count("/"), path not in _USUAL, path), default=None
    )


_MAIN = re.compile(r"^if __name__ == ", re.MULTILINE)
_USUAL = ("main.py", "run.py", "train.py")
