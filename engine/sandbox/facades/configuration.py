"""`configparser` for programs: Python's own parser behind one that reads texts and the run's own files."""

from __future__ import annotations

import configparser
from collections.abc import Iterator, MutableMapping
from typing import Any

from ..policy.guards import Guards
from .facade import picked
from .files import streams

NAMES = """
DEFAULTSECT DuplicateOptionError DuplicateSectionError Error InterpolationDepthError InterpolationError
InterpolationMissingOptionError InterpolationSyntaxError MAX_INTERPOLATION_DEPTH MissingSectionHeaderError NoOptionError
NoSectionError ParsingError
"""


class Interpolation:
    """Values as they are written."""

    __slots__ = ()
    __module__ = "configparser"


class BasicInterpolation(Interpolation):
    """`%(name)s` stands for another value."""

    __slots__ = ()
    __module__ = "configparser"


class ExtendedInterpolation(Interpolation):
    """`${section:name}` stands for another value."""

    __slots__ = ()
    __module__ = "configparser"


INTERPOLATIONS = {
    name: getattr(configparser, name) for name in ("BasicInterpolation", "ExtendedInterpolation", "Interpolation")
}
_UNSAID = object()


def names(guards: Guards) -> dict[str, Any]:
    """What `configparser` has."""
    classes = (BasicInterpolation, ConfigParser, ExtendedInterpolation, Interpolation, RawConfigParser, SectionProxy)
    made = picked(configparser, NAMES) | {cls.__name__: cls for cls in classes}
    guards.know(made.values())
    guards.opened += (ConfigParser, RawConfigParser)
    return made


def _text(given: Any) -> str:
    """A text itself, with no methods of the program's."""
    if not isinstance(given, str):
        raise TypeError("option keys, values and names of sections must be strings")
    return str.__str__(given)


def _texts(given: Any) -> tuple[str, ...] | None:
    return None if given is None else tuple(map(_text, given))


class RawConfigParser(MutableMapping[str, Any]):
    """As `configparser.RawConfigParser`."""

    __slots__ = ("_real",)
    __module__ = "configparser"
    _REAL: Any = configparser.RawConfigParser
    __hash__ = object.__hash__

    def __init__(
        self, defaults: Any = None, *, allow_no_value: Any = False, delimiters: Any = ("=", ":"), strict: Any = True,
        comment_prefixes: Any = ("#", ";"), inline_comment_prefixes: Any = None, empty_lines_in_values: Any = True,
        default_section: Any = configparser.DEFAULTSECT, interpolation: Any = _UNSAID,
    ) -> None:  # fmt: skip
        chosen = {}
        if interpolation is not _UNSAID:
            if interpolation is not None and type(interpolation).__name__ not in INTERPOLATIONS:
                raise TypeError("interpolation= must be None or an instance of Interpolation")
            chosen["interpolation"] = None if interpolation is None else INTERPOLATIONS[type(interpolation).__name__]()
        self._real = self._REAL(
            None if defaults is None else {_text(k): v if v is None else str(v) for k, v in dict(defaults).items()},
            allow_no_value=bool(allow_no_value),
            delimiters=_texts(delimiters),
            strict=bool(strict),
            comment_prefixes=_texts(comment_prefixes),
            inline_comment_prefixes=_texts(inline_comment_prefixes),
            empty_lines_in_values=bool(empty_lines_in_values),
            default_section=_text(default_section),
            **chosen,
        )

    @property
    def optionxform(self) -> Any:
        """What makes an option's name of what is written."""
        return self._real.optionxform

    @optionxform.setter
    def optionxform(self, value: Any) -> None:
        self._real.optionxform = lambda text: _text(value(text))

    default_section = property(lambda self: self._real.default_section)

    # --- reading and writing ---------------------------------------------------------------------------------------------

    def read_string(self, string: Any, source: Any = "<string>") -> None:
        """Take what stands in a text."""
        self._real.read_string(_text(string), str(source))

    def read_file(self, f: Any, source: Any = None) -> None:
        """Take what stands in the lines of a file."""
        self._real.read_file(map(_text, f), "<???>" if source is None else str(source))

    def read_dict(self, dictionary: Any, source: Any = "<dict>") -> None:
        """Take what stands in a dict of dicts."""
        plain = {
            str(s): {str(k): v if v is None else str(v) for k, v in dict(of).items()} for s, of in dict(dictionary).items()
        }
        self._real.read_dict(plain, str(source))

    def read(self, filenames: Any, encoding: Any = None) -> list[Any]:
        """Take what stands in files of the run, and say which there are."""
        read = []
        for name in [filenames] if isinstance(filenames, str | bytes) or hasattr(filenames, "__fspath__") else filenames:
            try:
                with streams.open(name, encoding=encoding) as file:
                    text = file.read()
            except OSError:
                continue
            self.read_string(text, name)
            read.append(name)
        return read

    def write(self, fp: Any, space_around_delimiters: Any = True) -> None:
        """Write all of it down."""
        self._real.write(fp, bool(space_around_delimiters))

    # --- sections and options --------------------------------------------------------------------------------------------

    def defaults(self) -> dict[str, Any]:
        """What stands in every section."""
        return dict(self._real.defaults())

    def sections(self) -> list[str]:
        """The sections' names."""
        return list(self._real.sections())

    def add_section(self, section: Any) -> None:
        """One more."""
        self._real.add_section(_text(section))

    def has_section(self, section: Any) -> bool:
        """Whether there is one."""
        return bool(self._real.has_section(section))

    def remove_section(self, section: Any) -> bool:
        """Take one away."""
        return bool(self._real.remove_section(section))

    def options(self, section: Any) -> list[str]:
        """The options of a section."""
        return list(self._real.options(section))

    def has_option(self, section: Any, option: Any) -> bool:
        """Whether there is one."""
        return bool(self._real.has_option(section, option and _text(option)))

    def remove_option(self, section: Any, option: Any) -> bool:
        """Take one away."""
        return bool(self._real.remove_option(section, _text(option)))

    def set(self, section: Any, option: Any, value: Any = None) -> None:
        """Give an option a value."""
        self._real.set(section, _text(option), None if value is None else _text(value))

    def items(self, section: Any = _UNSAID, raw: Any = False, vars: Any = None) -> Any:
        """The sections, or the options of one, and what they are."""
        if section is _UNSAID:
            return super().items()
        return self._real.items(section, bool(raw), _plain(vars))

    def get(self, section: Any, option: Any, *, raw: Any = False, vars: Any = None, fallback: Any = _UNSAID) -> Any:  # type: ignore[override]
        """What an option is, as text."""
        return self._got("get", section, option, raw, vars, fallback)

    def getint(self, section: Any, option: Any, *, raw: Any = False, vars: Any = None, fallback: Any = _UNSAID) -> Any:
        """What an option is, as an integer."""
        return self._got("getint", section, option, raw, vars, fallback)

    def getfloat(self, section: Any, option: Any, *, raw: Any = False, vars: Any = None, fallback: Any = _UNSAID) -> Any:
        """What an option is, as a float."""
        return self._got("getfloat", section, option, raw, vars, fallback)

    def getboolean(self, section: Any, option: Any, *, raw: Any = False, vars: Any = None, fallback: Any = _UNSAID) -> Any:
        """Whether an option is on."""
        return self._got("getboolean", section, option, raw, vars, fallback)

    def _got(self, how: str, section: Any, option: Any, raw: Any, vars: Any, fallback: Any) -> Any:
        named = {} if fallback is _UNSAID else {"fallback": fallback}
        return getattr(self._real, how)(section, _text(option), raw=bool(raw), vars=_plain(vars), **named)

    # --- as a dict of sections -------------------------------------------------------------------------------------------

    def __getitem__(self, key: str) -> SectionProxy:
        if key != self._real.default_section and not self._real.has_section(key):
            raise KeyError(key)
        return SectionProxy(self, key)

    def __setitem__(self, key: str, value: Any) -> None:
        if key in self and key != self._real.default_section:
            self._real.remove_section(key)
        self.read_dict({key: value})

    def __delitem__(self, key: str) -> None:
        if not self._real.remove_section(key):
            raise KeyError(key)

    def __contains__(self, key: object) -> bool:
        return key == self._real.default_section or bool(self._real.has_section(key))

    def __len__(self) -> int:
        return len(self._real.sections()) + 1

    def __iter__(self) -> Iterator[str]:
        return iter([self._real.default_section, *self._real.sections()])


class ConfigParser(RawConfigParser):
    """As `configparser.ConfigParser`."""

    __slots__ = ()
    __module__ = "configparser"
    _REAL = configparser.ConfigParser


def _plain(vars: Any) -> dict[str, str] | None:
    return None if vars is None else {str(k): str(v) for k, v in dict(vars).items()}


class SectionProxy(MutableMapping[str, Any]):
    """As `configparser.SectionProxy`: a section as a dict of texts."""

    __slots__ = ("_name", "_parser")
    __module__ = "configparser"

    def __init__(self, parser: Any, name: Any) -> None:
        if type(parser) not in (ConfigParser, RawConfigParser):
            raise TypeError("SectionProxy takes a parser")
        self._parser, self._name = parser, name

    parser = property(lambda self: self._parser)
    name = property(lambda self: self._name)

    def __repr__(self) -> str:
        return f"<Section: {self._name}>"

    def __getitem__(self, key: str) -> Any:
        if not self._parser.has_option(self._name, key):
            raise KeyError(key)
        return self._parser.get(self._name, key)

    def __setitem__(self, key: str, value: Any) -> None:
        self._parser.set(self._name, key, value)

    def __delitem__(self, key: str) -> None:
        if not (self._parser.has_option(self._name, key) and self._parser.remove_option(self._name, key)):
            raise KeyError(key)

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and self._parser.has_option(self._name, key)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __iter__(self) -> Iterator[str]:
        default = self._name == self._parser.default_section
        return iter(list(self._parser.defaults()) if default else self._parser.options(self._name))

    def get(self, option: Any, fallback: Any = None, *, raw: Any = False, vars: Any = None) -> Any:
        """What an option is, as text."""
        return self._parser.get(self._name, option, raw=raw, vars=vars, fallback=fallback)

    def getint(self, option: Any, fallback: Any = None, *, raw: Any = False, vars: Any = None) -> Any:
        """What an option is, as an integer."""
        return self._parser.getint(self._name, option, raw=raw, vars=vars, fallback=fallback)

    def getfloat(self, option: Any, fallback: Any = None, *, raw: Any = False, vars: Any = None) -> Any:
        """What an option is, as a float."""
        return self._parser.getfloat(self._name, option, raw=raw, vars=vars, fallback=fallback)

    def getboolean(self, option: Any, fallback: Any = None, *, raw: Any = False, vars: Any = None) -> Any:
        """Whether an option is on."""
        return self._parser.getboolean(self._name, option, raw=raw, vars=vars, fallback=fallback)
