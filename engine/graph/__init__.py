"""Graphs of a recording: how they are built, where their nodes lie, and what they show at every step."""

from engine.graph.build import VIEWS as VIEWS
from engine.graph.build import View as View
from engine.graph.build import build as build
from engine.graph.captions import captions as captions
from engine.graph.faces import Faces as Faces
from engine.graph.faces import faces as faces
from engine.graph.histories import Face as Face
from engine.graph.layout import Layout as Layout
from engine.graph.layout import layout as layout
from engine.graph.queue import Queue as Queue
from engine.graph.queue import Visit as Visit
from engine.graph.queue import queues as queues
from engine.graph.timeline import Segment as Segment
from engine.graph.timeline import Step as Step
from engine.graph.timeline import line_ends as line_ends
from engine.graph.timeline import segments as segments
from engine.graph.timeline import steps as steps
from engine.graph.watch import changes as changes
from engine.graph.watch import gradients as gradients
from engine.graph.watch import places as places
