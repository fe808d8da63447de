"""What if: a program's literals and switches as knobs, and its text with one of them turned. Nothing is run."""

from engine.whatif.knob import Knob as Knob
from engine.whatif.literals import MAX_ENTRIES as MAX_ENTRIES
from engine.whatif.turning import MAX_KNOBS as MAX_KNOBS
from engine.whatif.turning import MOST_KNOBS as MOST_KNOBS
from engine.whatif.turning import Found as Found
from engine.whatif.turning import find as find
from engine.whatif.turning import knobs as knobs
from engine.whatif.turning import shown as shown
from engine.whatif.turning import with_value as with_value
from engine.whatif.turning import without as without
