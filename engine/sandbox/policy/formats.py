"""`str.format` that looks only at what a program may look at: its templates can read attributes, too."""

from __future__ import annotations

from _string import formatter_field_name_split, formatter_parser  # type: ignore[import-not-found]
from collections.abc import Callable
from typing import Any

from .errors import PolicyError
from .names import CHECKED, NEVER, REPLACED, instead, is_dunder, normal

HARMLESS = frozenset(("__doc__", "__module__", "__name__", "__qualname__"))


def checked(template: str, deep: int = 0) -> str:
    """A template, as an exact `str`.

    Raises:
        PolicyError: if it reads attributes that a program may not read.
    """
    text = str.__str__(template)
    if "." in text or deep:
        for _, field, spec, _ in formatter_parser(text):
            if field:
                _, rest = formatter_field_name_split(field)
                names = [name for is_attribute, name in rest if is_attribute]
                for name, following in zip(names, [*names[1:], ""], strict=False):
                    if name != "__class__" or following not in HARMLESS:
                        _check_attribute(name)
            if spec and deep < 2:
                checked(spec, deep + 1)
    return text


def _check_attribute(name: str) -> None:
    plain = normal(name)
    if plain in HARMLESS:
        return
    if is_dunder(plain) or plain in NEVER or plain in REPLACED or plain in CHECKED or plain[:1] == "_":
        raise PolicyError(f"a format cannot read the attribute '{plain}'", f"Use an f-string. {instead(plain)}")


def safe_format(name: str, bound: Any = None) -> Callable[..., str]:
    """What `text.format` or `text.format_map` (or, with no text, `str.format`) gives a program."""
    native = str.format if name == "format" else str.format_map
    if bound is None:

        def unbound(self: str, /, *args: Any, **kwargs: Any) -> str:
            if not isinstance(self, str):
                raise TypeError(f"descriptor '{name}' for 'str' objects doesn't apply to a '{type(self).__name__}' object")
            return native(checked(self), *args, **kwargs)

        unbound.__name__ = name
        return unbound

    def formatted(*args: Any, **kwargs: Any) -> str:
        return native(checked(bound), *args, **kwargs)

    formatted.__name__ = name
    return formatted
