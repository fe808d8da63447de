"""Programs as text: read, changed and shared, and never run."""

from .source import MAX_TEXT as MAX_TEXT
from .source import Program as Program
from .source import ProgramError as ProgramError
