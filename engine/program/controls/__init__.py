"""What if: a program's literals and switches as knobs, and its text with one of them turned. Nothing is run."""

from .knob import Knob as Knob
from .literals import MAX_ENTRIES as MAX_ENTRIES
from .turning import MAX_KNOBS as MAX_KNOBS
from .turning import MOST_KNOBS as MOST_KNOBS
from .turning import Found as Found
from .turning import find as find
from .turning import knobs as knobs
from .turning import shown as shown
from .turning import with_value as with_value
from .turning import without as without
