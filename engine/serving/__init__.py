"""Many visitors on few processors: who runs next, on which machine, under which settings."""
