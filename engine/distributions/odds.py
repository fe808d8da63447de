"""Distributions of one probability, given as such or as log odds."""

from __future__ import annotations

from typing import Any, ClassVar

from .distribution import Distribution
from .operations import Size
from .utils import broadcast_all, lazy_property, logits_to_probs, probs_to_logits

EITHER = "Either `probs` or `logits` must be specified, but not both."


class Odds(Distribution):
    """What they share: whichever of `probs` and `logits` was not given is computed when it is asked for."""

    _expanding: ClassVar[Any] = ("probs", "logits")
    _param: Any

    def _one_of(self, probs: Any, logits: Any, **others: Any) -> Size:
        """Set the one that was given, beside other parameters that are broadcast with it; returns the batch's shape.

        Raises:
            ValueError: unless it is exactly one.
        """
        if (probs is None) == (logits is None):
            raise ValueError(EITHER)
        given = {"logits": logits} if probs is None else {"probs": probs}
        shape = self._broadcast(**others, **given)
        self._param = self.logits if probs is None else self.probs
        return shape

    def _expand_into(self, new: Any, batch_shape: Size) -> Any:
        new._param = new.__dict__["probs" if "probs" in new.__dict__ else "logits"]
        return super()._expand_into(new, batch_shape)

    def _new(self, *args: Any, **kwargs: Any) -> Any:
        return self._param.new(*args, **kwargs)

    @lazy_property
    def logits(self) -> Any:
        """The log odds."""
        return probs_to_logits(self.probs, is_binary=True)

    @lazy_property
    def probs(self) -> Any:
        """The probabilities."""
        return logits_to_probs(self.logits, is_binary=True)

    @property
    def param_shape(self) -> Any:
        """The shape of what was given."""
        return self._param.size()


def counted(total_count: Any, param: Any) -> Any:
    """A number of trials in the shape and dtype of the probabilities."""
    return broadcast_all(total_count, param)[0].type_as(param)
