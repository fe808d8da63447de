"""Beyond one machine: the workers of a Dask cluster run the programs, each in a sandbox server of its own.

Needs the extra `gradtape[cluster]`. Nothing here is imported unless a scheduler's address is set.
"""
