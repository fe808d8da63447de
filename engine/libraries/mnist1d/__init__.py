"""`mnist1d`: ten classes of short curves, to learn on what pictures of digits are learnt on, in seconds."""

from .data import get_dataset, get_dataset_args, get_templates, make_dataset, set_seed

__all__ = ["get_dataset", "get_dataset_args", "get_templates", "make_dataset", "set_seed"]
