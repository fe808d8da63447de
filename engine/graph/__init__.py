"""Graphs of a recording: how they are built, where their nodes lie, and what they show at every step."""

from engine.graph.build import VIEWS as VIEWS
from engine.graph.build import View as View
from engine.graph.build import build as build
from engine.graph.captions import captions as captions
from engine.graph.faces import Face as Face
from engine.graph.faces import Faces as Faces
from engine.graph.faces import faces as faces
from engine.graph.layout import Layout as Layout
from engine.graph.layout import layout as layout
from engine.graph.timeline import Segment as Segment
from engine.graph.timeline import Step as Step
from engine.graph.timeline import segments as segments
from engine.graph.timeline import steps as steps
