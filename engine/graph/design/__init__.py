"""The design of the picture: every colour and every size, once for both painters.

Python reads it here, the page's painter in `components/player/frontend/src/design.js`, which `python -m tests.bundles` writes.
"""

from .colours import PALETTES as PALETTES
from .colours import THEMES as THEMES
from .colours import Palette as Palette
from .colours import Theme as Theme
from .colours import palette as palette
