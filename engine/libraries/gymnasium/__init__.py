"""`gymnasium`: CartPole."""

from __future__ import annotations

from typing import Any

from .cartpole import EPISODES, CartPole

__all__ = ["make"]
__version__ = "1.2.0"


def make(id: str, **_: Any) -> CartPole:
    """An environment by its name.

    Raises:
        NotImplementedError: for one that is not here.
    """
    if id not in EPISODES:
        raise NotImplementedError(f"the environment '{id}' is not here; there are: {', '.join(EPISODES)}")
    return CartPole(id)
