"""`optparse` for programs: Python's own parser behind one that takes texts and types, and hands out plain values."""

from __future__ import annotations

import optparse
from typing import Any, NoReturn

from ..policy.attributes import settable
from ..policy.errors import PolicyError
from ..policy.guards import Guards
from ..policy.names import named
from .facade import picked

NAMES = "BadOptionError OptParseError OptionConflictError OptionError OptionValueError SUPPRESS_HELP SUPPRESS_USAGE"
ACTIONS = frozenset(("append", "append_const", "count", "help", "store", "store_const", "store_false", "store_true", "version"))
TAKEN = frozenset(("action", "choices", "const", "default", "dest", "help", "metavar", "nargs", "type"))
ARGPARSE = "Use argparse."


def names(guards: Guards) -> dict[str, Any]:
    """What `optparse` has."""
    made = picked(optparse, NAMES) | {"OptionGroup": OptionGroup, "OptionParser": OptionParser, "Values": Values}
    guards.know(thing for thing in made.values() if isinstance(thing, type))
    guards.opened += (Values,)
    return made | {"make_option": Option, "Option": Option}


class Values:
    """As `optparse.Values`: what the options are."""

    __module__ = "optparse"

    def __init__(self, defaults: Any = None) -> None:
        for name, value in (defaults or {}).items():
            setattr(self, settable(name), value)

    def ensure_value(self, attr: Any, value: Any) -> Any:
        """An attribute, which is set to that value where there is none."""
        if vars(self).get(settable(attr)) is None:
            setattr(self, attr, value)
        return vars(self)[attr]

    def __eq__(self, other: object) -> bool:
        mine = vars(self)
        return isinstance(other, Values | dict) and mine == (vars(other) if isinstance(other, Values) else other)

    __hash__ = None  # type: ignore[assignment]

    def __str__(self) -> str:
        return str(vars(self))

    def __repr__(self) -> str:
        return f"<Values: {self}>"


class Option:
    """As `optparse.Option`, of which nothing can be overridden."""

    __slots__ = ("_real",)
    __module__ = "optparse"

    def __init__(self, *flags: Any, **options: Any) -> None:
        options = {name: _text(value) if isinstance(value, str) else value for name, value in named(options).items()}
        for name in options.keys() - TAKEN:
            _refused(f"the argument '{name}' of add_option")
        if options.get("action", "store") not in ACTIONS:
            _refused(f"the action {options['action']!r} of add_option")
        self._real = optparse.Option(*map(_text, flags), **options)
        if self._real.dest is not None:
            settable(self._real.dest)

    dest = property(lambda self: self._real.dest)
    default = property(lambda self: self._real.default)
    help = property(lambda self: self._real.help)

    def __str__(self) -> str:
        return str(self._real)


class _Container:
    """What has options."""

    __slots__ = ("_real",)
    __module__ = "optparse"
    _real: Any

    def add_option(self, *flags: Any, **options: Any) -> Option:
        """One more."""
        made = flags[0] if flags and type(flags[0]) is Option and not options else Option(*flags, **options)
        self._real.add_option(made._real)
        return made

    def add_options(self, option_list: Any) -> None:
        """Several."""
        for one in option_list:
            self.add_option(one)

    def has_option(self, opt_str: Any) -> bool:
        """Whether there is one."""
        return bool(self._real.has_option(_text(opt_str)))


class OptionGroup(_Container):
    """As `optparse.OptionGroup`."""

    __slots__ = ()
    __module__ = "optparse"

    def __init__(self, parser: Any, title: Any, description: Any = None) -> None:
        if type(parser) is not OptionParser:
            raise TypeError("OptionGroup takes an OptionParser")
        self._real = optparse.OptionGroup(parser._real, _text(title), _text(description))


class OptionParser(_Container):
    """As `optparse.OptionParser`."""

    __slots__ = ()
    __module__ = "optparse"

    def __init__(
        self, usage: Any = None, option_list: Any = None, option_class: Any = Option, version: Any = None,
        conflict_handler: Any = "error", description: Any = None, formatter: Any = None, add_help_option: Any = True,
        prog: Any = None, epilog: Any = None,
    ) -> None:  # fmt: skip
        if option_class is not Option or formatter is not None:
            _refused("a class of options or formatter of one's own")
        texts = {"usage": usage, "version": version, "description": description, "prog": prog, "epilog": epilog}
        self._real = optparse.OptionParser(
            **{name: _text(text) for name, text in texts.items()},
            conflict_handler=_text(conflict_handler),
            add_help_option=bool(add_help_option),
        )
        self.add_options(option_list or ())

    def add_option_group(self, group: Any, description: Any = None) -> OptionGroup:
        """One more group."""
        made = group if type(group) is OptionGroup else OptionGroup(self, group, description)
        self._real.add_option_group(made._real)
        return made

    def set_defaults(self, **values: Any) -> None:
        """What options are of which nothing is said."""
        self._real.set_defaults(**{settable(name): value for name, value in values.items()})

    def set_usage(self, usage: Any) -> None:
        """What is printed first."""
        self._real.set_usage(_text(usage))

    def get_default_values(self) -> Values:
        """What options are of which nothing is said."""
        return Values(vars(self._real.get_default_values()))

    def parse_args(self, args: Any = None, values: Any = None) -> tuple[Any, list[str]]:
        """The options, and what is left over."""
        found, rest = self._real.parse_args(None if args is None else [*map(_text, args)])
        if values is None:
            return Values(vars(found)), rest
        if type(values) is not Values:
            _refused("an object of another class for the values of parse_args")
        for name, value in vars(found).items():
            setattr(values, name, value)
        return values, rest

    def get_usage(self) -> str:
        """What is printed first."""
        return str(self._real.get_usage())

    def format_help(self) -> str:
        """What `--help` prints."""
        return str(self._real.format_help())

    def print_help(self, file: Any = None) -> None:
        """Print it."""
        print(self.format_help(), end="", file=file)

    def print_usage(self, file: Any = None) -> None:
        """Print what comes first."""
        print(self.get_usage(), file=file)

    def error(self, msg: Any) -> NoReturn:
        """Say it, and end."""
        self._real.error(_text(msg))
        raise SystemExit(2)

    def exit(self, status: Any = 0, msg: Any = None) -> NoReturn:
        """End."""
        self._real.exit(status, _text(msg))
        raise SystemExit(status)


def _text(given: Any) -> Any:
    """A text itself, with no methods of the program's; None stays."""
    return str.__str__(given) if isinstance(given, str) else None if given is None else str(given)


def _refused(what: str) -> NoReturn:
    raise PolicyError(f"{what} is not available to programs here", ARGPARSE)
