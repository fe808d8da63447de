"""The panels beside the graph: each is declared in a file of this folder, and the page finds it there (`registry.panels`)."""
