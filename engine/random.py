"""`torch.random`: the seeds and states of the default generator, under the name of the file where PyTorch has them."""

from __future__ import annotations

from .ops.creation.generator import (
    default_generator,
    fork_rng,
    get_rng_state,
    initial_seed,
    manual_seed,
    seed,
    set_rng_state,
)

__all__ = ["default_generator", "fork_rng", "get_rng_state", "initial_seed", "manual_seed", "seed", "set_rng_state"]
