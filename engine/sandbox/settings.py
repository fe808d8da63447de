"""What the operator sets: environment variables that begin with GRADTAPE_, read once, checked, with defaults for a laptop."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from .. import limits
from ..compat.version import DEFAULT, RELEASES, VARIABLE
from .transport.messages import Limits

PREFIX = "GRADTAPE_"


@dataclass(frozen=True, slots=True)
class Settings:
    """How this installation runs programs."""

    hosted: bool = False
    """Strangers' programs run here: nothing runs unless the system-call filter holds, and limits are tight."""
    runs: int = 0
    """Runs at once, two at least; 0 means four for each core. Half of them are kept for programs that are quick."""
    queue: int = limits.QUEUE.value()
    """Runs that may wait; more are turned away."""
    per_session: int = limits.PER_SESSION.value()
    """Runs that one visitor may have waiting or under way."""
    seconds: float = 0.0
    """Wall clock of one run; 0 means {SECONDS}."""
    memory_mb: int = limits.MEMORY.value()
    """Memory of one run."""
    events: int = 0
    """Events that one run may record; 0 means {EVENTS}."""
    scheduler: str = ""
    """Address of a Dask scheduler, whose workers run the programs; empty: this machine does."""
    embed: str = ""
    """Sites that may show the page in a frame, such as `https://course.example https://*.school.example`; empty: none."""
    torch: str = ""
    """Release of PyTorch that is followed where a program asks for none: {RELEASES}; empty: {DEFAULT}."""
    drain: float = 0.0
    """Seconds for which a page process that is told to stop goes on serving those who are there; new visitors go elsewhere."""

    @property
    def release(self) -> str:
        """Which PyTorch is followed where a program asks for none."""
        return self.torch or DEFAULT

    @property
    def workers(self) -> int:
        """Runs at once."""
        return self.runs or 4 * (os.cpu_count() or 1)

    @property
    def wall_clock(self) -> float:
        """Seconds of one run."""
        row = limits.SECONDS
        return float(self.seconds or (row.hosted if self.hosted and row.hosted is not None else row.default))

    @property
    def most_events(self) -> int:
        """Events of one run."""
        return self.events or limits.EVENTS.value(self.hosted)

    @property
    def limits(self) -> Limits:
        """What one run may use, where nothing else has been chosen."""
        return Limits(
            seconds=self.wall_clock,
            memory_mb=self.memory_mb,
            output_chars=limits.OUTPUT.value(self.hosted),
            events=self.most_events,
            array_bytes=limits.KEPT.value(self.hosted),
            facts=limits.FACTS.value(self.hosted),
            parts=limits.PARTS.value(self.hosted),
        )


class SettingsError(ValueError):
    """A GRADTAPE_ variable that is unknown or does not say what it should."""


def read(environment: Mapping[str, str]) -> Settings:
    """The settings in these environment variables.

    Raises:
        SettingsError: for an unknown name, a value of the wrong type, or a negative number.
    """
    fields = {name: type(default) for name, default in _defaults().items()}
    found: dict[str, object] = {}
    for variable, text in environment.items():
        if not variable.startswith(PREFIX) or variable in _OTHER:
            continue
        name = variable.removeprefix(PREFIX).lower()
        if name not in fields:
            raise SettingsError(f"{variable} is no setting; there are {', '.join(PREFIX + n.upper() for n in fields)}")
        found[name] = _value(variable, text.strip(), fields[name])
    if found.get("torch", "") not in ("", *RELEASES):
        raise SettingsError(f"{VARIABLE} is one of {', '.join(RELEASES)}, not {found['torch']!r}")
    return Settings(**found)  # type: ignore[arg-type]


@cache
def settings() -> Settings:
    """The settings of this process."""
    return read(os.environ)


_OTHER = frozenset({"GRADTAPE_NEEDS_TORCH", "GRADTAPE_THOROUGH", "GRADTAPE_CHROMIUM", "GRADTAPE_ARTIFACTS", "GRADTAPE_OPEN",
                    "GRADTAPE_FOLLOW", "GRADTAPE_TOKEN"})  # fmt: skip
"""Variables of the tests, and of the page that `gradtape open` serves (`components.commands`)."""
_TRUTH = {"": False, "0": False, "false": False, "no": False, "off": False, "1": True, "true": True, "yes": True, "on": True}


def _defaults() -> dict[str, object]:
    default = Settings()
    return {name: getattr(default, name) for name in Settings.__dataclass_fields__}


def _value(variable: str, text: str, kind: type) -> object:
    if kind is bool:
        if text.lower() not in _TRUTH:
            raise SettingsError(f"{variable} is on or off (1 or 0), not {text!r}")
        return _TRUTH[text.lower()]
    try:
        value = kind(text)
    except ValueError:
        raise SettingsError(f"{variable} is a number, not {text!r}") from None
    if kind is not str and not 0 <= value < float("inf"):
        raise SettingsError(f"{variable} is a number from 0 upwards, not {text!r}")
    return value
