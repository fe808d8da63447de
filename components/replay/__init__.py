"""The replay: one HTML file that needs nothing else, with the graph, its steps, the source, the inspector and the ledger."""

from components.replay.page import REPLAY as REPLAY
from components.replay.page import replay_html as replay_html
