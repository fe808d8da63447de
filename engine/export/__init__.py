"""Recordings as pictures, data and programs that other tools open: `export(recording, "svg", Options(step=12))`."""

from engine.export.document import from_json as from_json
from engine.export.document import schema as schema
from engine.export.formats import FORMATS as FORMATS
from engine.export.formats import Format as Format
from engine.export.formats import export as export
from engine.export.palette import THEMES as THEMES
from engine.export.picture import Options as Options
