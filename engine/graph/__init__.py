"""Graphs of a recording: how they are built, where their nodes lie, and what they show at every step."""

from .build import VIEWS as VIEWS
from .build import View as View
from .build import build as build
from .captions import captions as captions
from .faces import Faces as Faces
from .faces import faces as faces
from .histories import Face as Face
from .layout import Layout as Layout
from .layout import layout as layout
from .queue import Queue as Queue
from .queue import Visit as Visit
from .queue import queues as queues
from .timeline import Segment as Segment
from .timeline import Step as Step
from .timeline import line_ends as line_ends
from .timeline import segments as segments
from .timeline import steps as steps
from .watch import changes as changes
from .watch import gradients as gradients
from .watch import places as places
