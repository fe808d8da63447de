"""The player's colours, light and dark; blue and orange stay apart for every kind of colour vision."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Theme: TypeAlias = Literal["light", "dark"]
THEMES: tuple[Theme, ...] = ("light", "dark")


@dataclass(frozen=True, slots=True)
class Palette:
    """Colours by what they are for, as `#rrggbb`."""

    page: str
    card: str
    constant: str
    blue_tint: str
    orange_tint: str
    ink: str
    mute: str
    line: str
    border: str
    blue: str
    blue_text: str
    blue_halo: str
    orange: str
    orange_text: str
    orange_mute: str
    orange_halo: str
    edge: str
    cut: str
    region: str
    region_line: str
    shadow: str
    on_colour: str
    carried: str
    frame: str
    frame_line: str
    paper_line: str
    tab: str
    on_tab: str
    on_tab_mute: str


def palette(theme: Theme) -> Palette:
    """The colours of a theme.

    Raises:
        ValueError: for a theme that there is not.
    """
    if theme not in THEMES:
        raise ValueError(f"unknown theme {theme!r}, expected light or dark")
    return _DARK if theme == "dark" else _LIGHT


def _mixed(
    dark: bool,
    page: str,
    ink: str,
    blue: str,
    blue_text: str,
    orange: str,
    orange_text: str,
    edge: str,
    cut: str,
    carried: str,
) -> Palette:
    """The shades in between, mixed as the player mixes them (`frontend/src/palette.js`)."""
    card = _mix(page, "#ffffff", 0.075 if dark else 0.9)
    stage = _mix(page, "#ffffff", 0.018) if dark else _mix(page, ink, 0.012)
    return Palette(
        page=stage,
        card=card,
        constant=_mix(card, ink, 0.05),
        blue_tint=_mix(card, blue, 0.2 if dark else 0.1),
        orange_tint=_mix(card, orange, 0.2 if dark else 0.1),
        ink=ink,
        mute=_mix(ink, page, 0.36 if dark else 0.38),
        line=_mix(page, ink, 0.16 if dark else 0.13),
        border=_mix(page, ink, 0.34 if dark else 0.27),
        blue=blue,
        blue_text=blue_text,
        blue_halo=_mix(stage, blue, 0.34 if dark else 0.2),
        orange=orange,
        orange_text=orange_text,
        orange_mute=_mix(orange, page, 0.3),
        orange_halo=_mix(stage, orange, 0.36 if dark else 0.24),
        edge=edge,
        cut=cut,
        region=_mix(stage, orange, 0.09 if dark else 0.07),
        region_line=_mix(stage, orange, 0.4 if dark else 0.42),
        shadow=_mix(stage, "#000000", 0.35) if dark else _mix(stage, ink, 0.07),
        on_colour="#10141c" if dark else "#ffffff",
        carried=carried,
        frame=_mix(stage, "#ffffff", 0.03 if dark else 0.75),
        frame_line=_mix(stage, ink, 0.26),
        paper_line=_mix(stage, ink, 0.15),
        tab=_mix(page, ink, 0.86) if dark else ink,
        on_tab=page,
        on_tab_mute=_mix(page, ink, 0.3),
    )


def _mix(a: str, b: str, share: float) -> str:
    pairs = zip(bytes.fromhex(a[1:]), bytes.fromhex(b[1:]), strict=True)
    return "#" + bytes(round(one + (other - one) * share) for one, other in pairs).hex()


_LIGHT = _mixed(False, "#ffffff", "#1d2433", "#2f6fde", "#245ab8", "#d9722e", "#a84c14", "#98a1b1", "#98a1b1", "#7a5bc7")
_DARK = _mixed(True, "#1a1f28", "#e6e9ef", "#6ea4ff", "#8fb8ff", "#f08a47", "#ffb07a", "#6d7789", "#7f899b", "#b79cff")
