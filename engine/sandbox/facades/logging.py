"""A small `logging` for programs: loggers, handlers and formats; lines go to stderr, to streams and to the run's files."""

from __future__ import annotations

import sys
from typing import Any

from ..policy.guards import Guards
from .files import streams

LEVELS = {"DEBUG": 10, "INFO": 20, "WARNING": 30, "ERROR": 40, "CRITICAL": 50}
OTHER = {"FATAL": 50, "NOTSET": 0, "WARN": 30}
PLAIN = "%(levelname)s:%(name)s:%(message)s"


def _level(value: Any) -> int:
    """A level as a number.

    Raises:
        ValueError, TypeError: in Python's words.
    """
    if isinstance(value, str):
        if value not in LEVELS and value not in OTHER:
            raise ValueError(f"Unknown level: {value!r}")
        return (LEVELS | OTHER)[value]
    if not isinstance(value, int):
        raise TypeError(f"Level not an integer or a valid string: {value!r}")
    return int(value)


def _name(level: int) -> str:
    return next((name for name, n in LEVELS.items() if n == level), f"Level {level}")


class Record(dict[str, Any]):
    """What a format may name; times and places, which would differ from run to run, are empty."""

    __slots__ = ()

    def __missing__(self, key: str) -> str:
        return ""

    def __getattr__(self, name: str) -> Any:
        if name[:1] == "_":
            raise AttributeError(f"'LogRecord' object has no attribute '{name}'")
        return self[name]

    def getMessage(self) -> str:  # noqa: N802
        """What is logged."""
        return str(self["message"])


class Formatter:
    """How a line is written."""

    __slots__ = ("_format", "_style")

    def __init__(self, fmt: Any = None, datefmt: Any = None, style: Any = "%", validate: Any = True) -> None:
        if style not in ("%", "{", "$"):
            raise ValueError("Style must be one of: %,{,$")
        self._format, self._style = "%(message)s" if fmt is None else str.__str__(str(fmt)), style

    def format(self, record: Any) -> str:
        """The line."""
        if self._style == "%":
            return str(self._format % record)
        text = self._format
        for name in (*record, "asctime"):
            for marked in ("{" + name + "}", "${" + name + "}", f"${name}"):
                text = text.replace(marked, str(record[name]))
        return text


class Handler:
    """Where lines go."""

    def __init__(self, level: Any = 0) -> None:
        self.level = _level(level)
        self.formatter: Any = None

    def setLevel(self, level: Any) -> None:  # noqa: N802
        """Leave out what is below a level."""
        self.level = _level(level)

    def setFormatter(self, fmt: Any) -> None:  # noqa: N802
        """How lines are written."""
        self.formatter = fmt

    def format(self, record: Any) -> str:
        """The line."""
        return str((self.formatter or Formatter()).format(record))

    def handle(self, record: Any) -> None:
        """Write a line, if its level is not left out."""
        if record["levelno"] >= self.level:
            self.emit(record)

    def emit(self, record: Any) -> None:
        """Write a line."""

    def flush(self) -> None:
        """Nothing waits."""

    def close(self) -> None:
        """Nothing more is written."""


class NullHandler(Handler):
    """Writes nothing."""


class StreamHandler(Handler):
    """Writes to a stream; without one to stderr."""

    def __init__(self, stream: Any = None) -> None:
        super().__init__()
        self.stream = stream

    def emit(self, record: Any) -> None:
        """Write a line."""
        (sys.stderr if self.stream is None else self.stream).write(self.format(record) + "\n")


class FileHandler(StreamHandler):
    """Writes to a file of the run."""

    def __init__(self, filename: Any, mode: Any = "a", encoding: Any = None, delay: Any = False, errors: Any = None) -> None:
        super().__init__(streams.open(filename, mode, -1, encoding, errors))
        self.baseFilename = filename

    def close(self) -> None:
        """Nothing more is written."""
        self.stream.close()


class Logger:
    """One logger."""

    __slots__ = ("_all", "_level", "handlers", "name", "propagate")

    def __init__(self, name: str, all_of_them: dict[str, Logger]) -> None:
        self.name, self._level, self._all = name, 0, all_of_them
        self.handlers: list[Any] = []
        self.propagate = True

    level = property(lambda self: self._level)

    @property
    def parent(self) -> Logger | None:
        """The logger that its name lies below."""
        if self is self._all[""]:
            return None
        above = self.name
        while "." in above:
            above = above.rpartition(".")[0]
            if above in self._all:
                return self._all[above]
        return self._all[""]

    def setLevel(self, level: Any) -> None:  # noqa: N802
        """Leave out what is below a level."""
        self._level = _level(level)

    def getEffectiveLevel(self) -> int:  # noqa: N802
        """Below which level lines are left out."""
        one: Logger | None = self
        while one is not None:
            if one._level:
                return one._level
            one = one.parent
        return 0

    def isEnabledFor(self, level: Any) -> bool:  # noqa: N802
        """Whether lines of a level are written."""
        return _level(level) >= self.getEffectiveLevel()

    def addHandler(self, hdlr: Any) -> None:  # noqa: N802
        """Have lines go there as well."""
        if hdlr not in self.handlers:
            self.handlers.append(hdlr)

    def removeHandler(self, hdlr: Any) -> None:  # noqa: N802
        """Have lines go there no more."""
        if hdlr in self.handlers:
            self.handlers.remove(hdlr)

    def hasHandlers(self) -> bool:  # noqa: N802
        """Whether lines go anywhere."""
        one: Logger | None = self
        while one is not None:
            if one.handlers:
                return True
            one = one.parent if one.propagate else None
        return False

    def getChild(self, suffix: Any) -> Logger:  # noqa: N802
        """The logger below it."""
        name = str(suffix) if self is self._all[""] else f"{self.name}.{suffix}"
        return self._all.setdefault(name, Logger(name, self._all))

    def log(self, level: int, msg: Any, *args: Any, **_: Any) -> None:
        """Write a line, if its level is not left out."""
        if not self.isEnabledFor(level):
            return
        text = str.__str__(str(msg))
        if args:
            text = text % (args[0] if len(args) == 1 and isinstance(args[0], dict) and args[0] else args)
        record = Record(levelname=_name(level), name=self.name, message=text, levelno=level)
        one: Logger | None = self
        found = False
        while one is not None:
            for handler in list(one.handlers):
                found = True
                handler.handle(record)
            one = one.parent if one.propagate else None
        if not found and level >= LEVELS["WARNING"]:
            sys.stderr.write(text + "\n")

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

    warn, fatal, exception = warning, critical, error

    def __repr__(self) -> str:
        return f"<Logger {self.name} ({_name(self.getEffectiveLevel())})>"


def names(guards: Guards) -> dict[str, Any]:
    """What `logging` has."""
    all_of_them: dict[str, Logger] = {}
    root = all_of_them[""] = all_of_them["root"] = Logger("root", all_of_them)
    root.setLevel(LEVELS["WARNING"])

    def getLogger(name: Any = None) -> Logger:  # noqa: N802
        text = str(name or "")
        return all_of_them.setdefault(text, Logger(text, all_of_them))

    def basicConfig(**options: Any) -> None:  # noqa: N802
        if options.get("force"):
            root.handlers.clear()
        if root.handlers:
            return
        handlers = options.get("handlers")
        if handlers is None:
            file = options.get("filename")
            handlers = [
                StreamHandler(options.get("stream")) if file is None else FileHandler(file, options.get("filemode", "a"))
            ]
        formatter = Formatter(options.get("format", PLAIN), options.get("datefmt"), options.get("style", "%"))
        for handler in handlers:
            if handler.formatter is None:
                handler.setFormatter(formatter)
            root.addHandler(handler)
        if options.get("level") is not None:
            root.setLevel(options["level"])

    def of_root(name: str) -> Any:
        def log(*arguments: Any, **options: Any) -> None:
            if not root.handlers:
                basicConfig()
            getattr(root, name)(*arguments, **options)

        log.__name__ = log.__qualname__ = name
        return log

    def getLevelName(level: Any) -> Any:  # noqa: N802
        return (LEVELS | OTHER).get(level, f"Level {level}") if isinstance(level, str) else _name(level)

    def disable(level: Any = 50) -> None:
        root.setLevel(_level(level) + 1)

    def captureWarnings(capture: Any) -> None:  # noqa: N802
        """Warnings go where they always go."""

    def shutdown() -> None:
        """Nothing waits."""

    methods = ("debug", "info", "warning", "warn", "error", "critical", "exception", "log")
    functions: tuple[Any, ...] = (basicConfig, captureWarnings, disable, getLevelName, getLogger, shutdown)
    kinds = (FileHandler, Formatter, Handler, NullHandler, StreamHandler)
    guards.know((*kinds, Logger))
    guards.opened += (Logger,)
    guards.know((Formatter, Handler), bases=True)
    named = {thing.__name__: thing for thing in (*functions, *kinds)}
    return LEVELS | OTHER | named | {"Logger": guards.shown(Logger)} | {m: of_root(m) for m in methods} | {"root": root}
