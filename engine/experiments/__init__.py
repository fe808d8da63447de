"""A program run many times with something changed: what is asked, what the child does, what is believed."""
