"""`mnist1d.data`: a curve for each class, which is stretched, moved, sheared and made noisy, as that package makes its sets.

The curves are ours, so that nothing is downloaded; shapes, classes and what makes the task hard are those of the package.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from ...safe_attributes import write
from .. import tell

__all__ = ["ObjectView", "get_dataset", "get_dataset_args", "get_templates", "make_dataset", "set_seed"]

CLASSES = 10
ARGUMENTS: dict[str, Any] = {
    "num_samples": 5000, "train_split": 0.8, "template_len": 12, "padding": [36, 60], "scale_coeff": 0.4,
    "max_translation": 48, "corr_noise_scale": 0.25, "iid_noise_scale": 2e-2, "shear_scale": 0.75, "shuffle_seq": False,
    "final_seq_length": 40, "seed": 42, "url": "",
}  # fmt: skip
"""What a set is made with."""
SMOOTH = 2.0
"""The standard deviation, in samples, of what the noise that goes together is smoothed with."""


class ObjectView:
    """Arguments by name."""

    def __init__(self, d: Any) -> None:
        for name, value in dict(d).items():
            write(self, name, value)


def set_seed(seed: int) -> None:
    """Begin the random numbers of Python and NumPy anew."""
    random.seed(seed)
    np.random.seed(seed)


def get_dataset_args(as_dict: bool = False) -> Any:
    """What a set is made with, as an object or a dict."""
    return dict(ARGUMENTS) if as_dict else ObjectView(ARGUMENTS)


def get_templates() -> dict[str, Any]:
    """The curves of the classes, `x` (10, 12), their numbers and the times."""
    t = np.linspace(0, 1, ARGUMENTS["template_len"])
    waves = np.arange(1, 4)[:, None] * np.pi * t
    weights = np.random.default_rng(0).normal(size=(CLASSES, 2 * len(waves)))
    made = weights @ np.concatenate([np.sin(waves), np.cos(waves)])
    made = (made - made.mean(1, keepdims=True)) / made.std(1, keepdims=True)
    return {"x": made, "t": np.linspace(-5, 5, len(t)) / 6.0, "y": np.arange(CLASSES)}


def make_dataset(args: Any = None, template: Any = None) -> dict[str, Any]:
    """A set: `x` and `x_test` (samples, length), `y` and `y_test`, the times `t` and the `templates`."""
    given: Any = ObjectView(ARGUMENTS | (vars(args) if args is not None else {}))
    templates = get_templates() if template is None else template
    rng = np.random.default_rng(given.seed)
    each = given.num_samples // CLASSES
    made = [_sample(curve, given, rng) for curve in np.asarray(templates["x"]) for _ in range(each)]
    order = rng.permutation(len(made))
    x, y = np.stack(made)[order], np.repeat(templates["y"], each)[order]
    if given.shuffle_seq:
        x = x[:, rng.permutation(x.shape[1])]
    split = int(len(x) * given.train_split)
    t = np.linspace(-5, 5, given.final_seq_length) / 6.0
    return {"x": x[:split], "x_test": x[split:], "y": y[:split], "y_test": y[split:], "t": t, "templates": templates}


def _sample(curve: Any, args: Any, rng: np.random.Generator) -> Any:
    """One curve: behind it nothing, stretched, moved, with noise, and sheared."""
    low, high = args.padding
    long = np.concatenate([curve, np.zeros(rng.integers(low, high + 1))])
    long = np.interp(np.linspace(0, 1, 72), np.linspace(0, 1, len(long)), long)
    long = long * (1 + args.scale_coeff * (rng.random() - 0.5))
    long = np.roll(long, rng.integers(args.max_translation)) if args.max_translation else long
    reach = np.arange(-8, 9)
    kernel = np.exp(-0.5 * (reach / SMOOTH) ** 2)
    noise = np.convolve(rng.normal(size=len(long)), kernel / kernel.sum(), "same")
    long = long + args.corr_noise_scale * noise + args.iid_noise_scale * rng.normal(size=len(long))
    long = long - args.shear_scale * (rng.random() - 0.5) * np.linspace(-0.5, 0.5, len(long))
    return np.interp(np.linspace(0, 1, args.final_seq_length), np.linspace(0, 1, len(long)), long)


def get_dataset(args: Any = None, path: Any = None, download: bool = True, regenerate: bool = False, **_: Any) -> Any:
    """The set, which is made anew here each time."""
    tell("mnist1d is synthetic here: curves of our own for its ten classes, of the right shape.")
    return make_dataset(args)
