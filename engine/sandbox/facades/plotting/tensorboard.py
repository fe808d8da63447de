"""`SummaryWriter`: the scalars that a program writes are drawn as curves when it has ended; there are no event files."""

from __future__ import annotations

from typing import Any

from ....tensor import Tensor
from . import pyplot
from .canvas import FigureHandle, notes
from .values import is_a, numbers

MOST = 12
"""Curves that are drawn."""
POINTS = 100_000
"""Values of one series that are kept."""


class SummaryWriter:
    """Keeps scalars by their tag, shows figures, and takes everything else."""

    __slots__ = ("_drawn", "_series", "log_dir")

    def __init__(self, log_dir: Any = None, *_: Any, **__: Any) -> None:
        self.log_dir = str.__str__(log_dir) if is_a(log_dir, str) else "runs"
        self._series: dict[str, dict[str, tuple[list[float], list[float]]]] = {}
        self._drawn = True
        """Whether there is nothing new to draw."""
        if len(WRITERS) < MOST:
            WRITERS.append(self)

    def add_scalar(self, tag: Any, scalar_value: Any, global_step: Any = None, *_: Any, **__: Any) -> None:
        """Note a value of a series."""
        self._note(_text(tag), "", scalar_value, global_step)

    def add_scalars(self, main_tag: Any, tag_scalar_dict: Any, global_step: Any = None, *_: Any, **__: Any) -> None:
        """Note values of several series that are drawn together."""
        for name, value in dict.items(tag_scalar_dict):
            self._note(_text(main_tag), _text(name), value, global_step)

    def _note(self, tag: str, name: str, value: Any, step: Any) -> None:
        number = value.detach() if is_a(value, Tensor) else value
        found = float(numbers(number).reshape(-1)[0])
        steps, values = self._series.setdefault(tag, {}).setdefault(name, ([], []))
        if len(values) < POINTS:
            self._drawn = False
            steps.append(float(len(values) if step is None else numbers(step).reshape(-1)[0]))
            values.append(found)

    def add_figure(self, tag: Any, figure: Any, *_: Any, **__: Any) -> None:
        """Show a figure."""
        for each in figure if is_a(figure, list) else [figure]:
            if is_a(each, FigureHandle):
                each.show()

    def add_text(self, tag: Any, text_string: Any, *_: Any, **__: Any) -> None:
        """Print a text."""
        print(f"{_text(tag)}: {_text(text_string)}")

    def add_image(self, tag: Any, img_tensor: Any, *_: Any, dataformats: Any = "CHW", **__: Any) -> None:
        """Show an image."""
        image = numbers(img_tensor.detach() if is_a(img_tensor, Tensor) else img_tensor)
        if image.ndim == 3 and dataformats == "CHW":
            image = image.transpose(1, 2, 0)
        figure = pyplot.figure()
        figure.gca().imshow(image, cmap="gray")
        figure.gca().set_title(_text(tag))
        figure.show()
        pyplot.close(figure)

    def __getattr__(self, name: str) -> Any:
        if name[:4] != "add_":
            raise AttributeError(f"'SummaryWriter' object has no attribute '{name}'")
        return lambda *_, **__: notes.unknown(f"SummaryWriter.{name}()")

    def flush(self) -> None:
        """Nothing waits."""

    def get_logdir(self) -> str:
        """The folder that it was given, which is nowhere."""
        return self.log_dir

    def close(self) -> None:
        """What was noted is drawn when the program has ended."""

    def __enter__(self) -> SummaryWriter:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


WRITERS: list[SummaryWriter] = []


def ended() -> None:
    """Draw the curves of what was noted."""
    series = {tag: named for writer in WRITERS if not writer._drawn for tag, named in writer._series.items()}
    for writer in WRITERS:
        writer._drawn = True
    if not series:
        return
    if len(series) > MOST:
        notes.tell(f"Note: of {len(series)} series of SummaryWriter the first {MOST} are drawn.")
    shown = [*series.items()][:MOST]
    columns = min(len(shown), 3)
    rows = -(-len(shown) // columns)
    figure, axes = pyplot.subplots(rows, columns, figsize=(5 * columns, 3.2 * rows), squeeze=False)
    for ax, (tag, named) in zip(axes.reshape(-1), shown, strict=False):
        for name, (steps, values) in named.items():
            ax.plot(steps, values, **({"label": name} if name else {}))
        ax.set_title(tag)
        ax.grid(True, alpha=0.3)
        if any(named):
            ax.legend()
    for ax in axes.reshape(-1)[len(shown) :]:
        ax.set_axis_off()
    figure._note(figure, "tight_layout", (), {})


def _text(value: Any) -> str:
    return str.__str__(value)[:200] if is_a(value, str) else ""


def names() -> dict[str, Any]:
    """What `torch.utils.tensorboard` has."""
    return {"SummaryWriter": SummaryWriter}
