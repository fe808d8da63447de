"""Graphs of a recording: how they are built, where their nodes lie, and what they show at every step."""

from .graph_view import GraphView as GraphView
from .graph_view import View as View
from .graph_view import build as build
from .graph_view import graph_view as graph_view
from .shown.captions import captions as captions
from .shown.change_index import changes as changes
from .shown.change_index import gradients as gradients
from .shown.change_index import node_sites as node_sites
from .shown.node_states import Faces as Faces
from .shown.node_states import faces as faces
from .shown.ready_queue import Queue as Queue
from .shown.ready_queue import Visit as Visit
from .shown.ready_queue import queues as queues
from .shown.state_history import Face as Face
from .shown.timeline import Segment as Segment
from .shown.timeline import Step as Step
from .shown.timeline import line_ends as line_ends
from .shown.timeline import segments as segments
from .shown.timeline import steps as steps
from .structure.build import VIEWS as VIEWS
from .structure.layout import Layout as Layout
from .structure.layout import layout as layout
