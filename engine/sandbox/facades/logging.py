"""A small `logging` for programs: loggers with levels and a format, whose lines go to stderr."""

from __future__ import annotations

import sys
from typing import Any

LEVELS = {"DEBUG": 10, "INFO": 20, "WARNING": 30, "ERROR": 40, "CRITICAL": 50}


class Settings:
    """What `basicConfig` sets."""

    level = 30
    format = "%(levelname)s:%(name)s:%(message)s"


class Logger:
    """One logger."""

    __slots__ = ("_level", "name")

    def __init__(self, name: str) -> None:
        self.name, self._level = name, 0

    def setLevel(self, level: Any) -> None:  # noqa: N802
        """Leave out what is below a level."""
        self._level = LEVELS[level] if isinstance(level, str) else int(level)

    def log(self, level: int, msg: Any, *args: Any, **_: Any) -> None:
        """Write a line, if its level is not left out."""
        if level < (self._level or Settings.level):
            return
        shown = next((name for name, n in LEVELS.items() if n == level), f"Level {level}")
        text = str(msg) % args if args else str(msg)
        sys.stderr.write(Settings.format % _Record(levelname=shown, name=self.name, message=text, levelno=level) + "\n")

    def debug(self, msg: Any, *args: Any, **options: Any) -> None:
        """Log at this level."""
        self.log(10, msg, *args)

    def info(self, msg: Any, *args: Any, **options: Any) -> None:
        """Log at this level."""
        self.log(20, msg, *args)

    def warning(self, msg: Any, *args: Any, **options: Any) -> None:
        """Log at this level."""
        self.log(30, msg, *args)

    def error(self, msg: Any, *args: Any, **options: Any) -> None:
        """Log at this level."""
        self.log(40, msg, *args)

    def critical(self, msg: Any, *args: Any, **options: Any) -> None:
        """Log at this level."""
        self.log(50, msg, *args)

    exception = error


class _Record(dict[str, Any]):
    """What a format may name; times and places, which would differ from run to run, are empty."""

    def __missing__(self, key: str) -> str:
        return ""


def names() -> dict[str, Any]:
    """What `logging` has."""
    root = Logger("root")
    loggers = {"": root, "root": root}

    def getLogger(name: Any = "") -> Logger:  # noqa: N802
        return loggers.setdefault(str(name or ""), Logger(str(name)))

    def basicConfig(**options: Any) -> None:  # noqa: N802
        level = options.get("level", Settings.level)
        Settings.level = LEVELS[level] if isinstance(level, str) else int(level)
        Settings.format = str(options.get("format", Settings.format))

    methods = ("debug", "info", "warning", "error", "critical", "exception", "log")
    functions: dict[str, Any] = {"basicConfig": basicConfig, "getLogger": getLogger}
    return LEVELS | functions | {m: getattr(root, m) for m in methods}
