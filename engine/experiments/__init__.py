"""A program run many times with something changed: what is asked, what the child does, how its reply is validated."""
