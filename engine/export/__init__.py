"""Recordings as pictures, data and programs that other tools open: `export(recording, "svg", Options(step=12))`."""

from ..graph.design import THEMES as THEMES
from .document import from_json as from_json
from .document import schema as schema
from .formats import FORMATS as FORMATS
from .formats import Format as Format
from .formats import export as export
from .picture import Options as Options
