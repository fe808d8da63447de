"""`torch.amp.GradScaler`: the loss times a number, so that gradients of half precision do not vanish; it grows while they are
finite, and shrinks when they are not."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from enum import Enum
from typing import Any

import numpy as np

from ..autograd import no_grad
from ..compat.classes import known_as
from ..context import outside
from ..tensor import Tensor, constant


class Stage(Enum):
    """How far an optimizer is between two updates."""

    READY = 0
    UNSCALED = 1
    STEPPED = 2


class GradScaler:
    """Scales losses and unscales gradients.

    Args:
        device: where the tensors live; for "cuda", which is not there, everything is left as it is, with a warning.
        init_scale, growth_factor, backoff_factor, growth_interval: the scale at first, by what it grows after so many steps
            without an infinite gradient, and by what it shrinks after one with.
        enabled: whether to do anything at all.
    """

    def __init__(
        self,
        device: str = "cuda",
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        self._device = device
        self._enabled = enabled
        if device == "cuda" and enabled:
            warnings.warn("torch.cuda.amp.GradScaler is enabled, but CUDA is not available.  Disabling.", stacklevel=outside())
            self._enabled = False
        if not self._enabled:
            return
        if growth_factor <= 1.0:
            raise AssertionError("The growth factor must be > 1.0.")
        if backoff_factor >= 1.0:
            raise AssertionError("The backoff factor must be < 1.0.")
        self._init_scale = init_scale
        self._scale: Any = None
        self._growth_factor, self._backoff_factor, self._growth_interval = growth_factor, backoff_factor, growth_interval
        self._growth_tracker = 0
        self._stages: dict[int, Stage] = {}
        self._infinite: dict[int, bool | None] = {}
        """By optimizer: whether a gradient was not finite; None where there was no gradient."""

    def _scaled_before(self, what: str) -> Any:
        if self._scale is None:
            raise AssertionError(
                f"Attempted {what} but _scale is None.  This may indicate your script did not use scaler.scale(loss or "
                "outputs) earlier in the iteration."
            )
        return self._scale

    def scale(self, outputs: Any) -> Any:
        """A tensor, or several in lists and tuples, times the scale."""
        if not self._enabled:
            return outputs
        if isinstance(outputs, Tensor):
            if self._scale is None:
                self._scale = constant(np.asarray(self._init_scale, np.float32))
            return outputs * self._scale
        if isinstance(outputs, Iterable):
            several = map(self.scale, outputs)
            return type(outputs)(several) if isinstance(outputs, list | tuple) else several
        raise ValueError("outputs must be a Tensor or an iterable of Tensors")

    def unscale_(self, optimizer: Any) -> None:
        """Divide the gradients of an optimizer's parameters by the scale, as clipping needs it.

        Raises:
            RuntimeError: if that has been done since the last update.
        """
        if not self._enabled:
            return
        scale = self._scaled_before("unscale_")
        stage = self._stages.get(id(optimizer), Stage.READY)
        if stage is Stage.UNSCALED:
            raise RuntimeError("unscale_() has already been called on this optimizer since the last update().")
        if stage is Stage.STEPPED:
            raise RuntimeError("unscale_() is being called after step().")
        inverse = constant(np.asarray(1 / scale._array.astype(np.float64), np.float32))
        infinite: bool | None = None
        with no_grad():
            for group in optimizer.param_groups:
                for parameter in group["params"]:
                    if parameter.grad is None:
                        continue
                    if parameter.grad._array.dtype == np.float16:
                        raise ValueError("Attempting to unscale FP16 gradients.")
                    infinite = bool(infinite) or not np.isfinite(parameter.grad._array).all()
                    parameter.grad.mul_(inverse)
        self._infinite[id(optimizer)] = infinite
        self._stages[id(optimizer)] = Stage.UNSCALED

    def step(self, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
        """Let an optimizer step, unless a gradient is not finite."""
        if not self._enabled:
            return optimizer.step(*args, **kwargs)
        if "closure" in kwargs:
            raise RuntimeError("Closure use is not currently supported if GradScaler is enabled.")
        self._scaled_before("step")
        stage = self._stages.get(id(optimizer), Stage.READY)
        if stage is Stage.STEPPED:
            raise RuntimeError("step() has already been called since the last update().")
        if stage is Stage.READY:
            self.unscale_(optimizer)
        infinite = self._infinite[id(optimizer)]
        if infinite is None:
            raise AssertionError("No inf checks were recorded for this optimizer.")
        made = None if infinite else optimizer.step(*args, **kwargs)
        self._stages[id(optimizer)] = Stage.STEPPED
        return made

    def update(self, new_scale: Any = None) -> None:
        """Let the scale grow or shrink after a step, or set it."""
        if not self._enabled:
            return
        scale = self._scaled_before("update")
        with no_grad():
            if isinstance(new_scale, float):
                scale.fill_(new_scale)
            elif new_scale is not None:
                if not isinstance(new_scale, Tensor) or new_scale.numel() != 1 or new_scale.requires_grad:
                    raise AssertionError(
                        "new_scale should be a float or a 1-element torch.cuda.FloatTensor or torch.FloatTensor with "
                        "requires_grad=False."
                    )
                scale.copy_(new_scale)
            else:
                self._adapt(scale)
        self._stages, self._infinite = {}, {}

    def _adapt(self, scale: Tensor) -> None:
        found = [infinite for infinite in self._infinite.values() if infinite is not None]
        if not found:
            raise AssertionError("No inf checks were recorded prior to update.")
        if any(found):
            scale.mul_(self._backoff_factor)
            self._growth_tracker = 0
            return
        self._growth_tracker += 1
        if self._growth_tracker == self._growth_interval:
            grown = scale._array * np.float32(self._growth_factor)
            if np.isfinite(grown):
                scale.fill_(grown.item())
            self._growth_tracker = 0

    def get_scale(self) -> float:
        """The scale, 1 where nothing is done."""
        if not self._enabled:
            return 1.0
        return self._init_scale if self._scale is None else float(self._scale._array)

    def get_growth_factor(self) -> float:
        """By what the scale grows."""
        return self._growth_factor

    def set_growth_factor(self, new_factor: float) -> None:
        """Set by what the scale grows."""
        self._growth_factor = new_factor

    def get_backoff_factor(self) -> float:
        """By what the scale shrinks."""
        return self._backoff_factor

    def set_backoff_factor(self, new_factor: float) -> None:
        """Set by what the scale shrinks."""
        self._backoff_factor = new_factor

    def get_growth_interval(self) -> int:
        """After how many steps the scale grows."""
        return self._growth_interval

    def set_growth_interval(self, new_interval: int) -> None:
        """Set after how many steps the scale grows."""
        self._growth_interval = new_interval

    def is_enabled(self) -> bool:
        """Whether anything is done at all."""
        return self._enabled

    def state_dict(self) -> dict[str, Any]:
        """The scale and how it changes; empty where nothing is done."""
        if not self._enabled:
            return {}
        return {
            "scale": self.get_scale(),
            "growth_factor": self._growth_factor,
            "backoff_factor": self._backoff_factor,
            "growth_interval": self._growth_interval,
            "_growth_tracker": self._growth_tracker,
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on from what `state_dict` gave."""
        if not self._enabled:
            return
        if not state_dict:
            raise RuntimeError(
                "The source state dict is empty, possibly because it was saved from a disabled instance of GradScaler."
            )
        self._init_scale = float(state_dict["scale"])
        if self._scale is not None:
            self._scale.fill_(self._init_scale)
        self._growth_factor = state_dict["growth_factor"]
        self._backoff_factor = state_dict["backoff_factor"]
        self._growth_interval = state_dict["growth_interval"]
        self._growth_tracker = state_dict["_growth_tracker"]


known_as("torch.amp.grad_scaler", GradScaler)
