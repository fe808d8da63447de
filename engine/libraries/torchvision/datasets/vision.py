"""What `torchvision.datasets` have in common: pictures with targets, and transforms for both."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ....utils.data import Dataset
from ... import tell
from ...PIL.Image import Image, fromarray
from .pictures import made

TRAINING, TESTING = 600, 200
"""How many pictures stand for a training set and for a test set."""
Transform = Callable[..., Any]


class StandardTransform:
    """A transform of the picture and one of the target."""

    def __init__(self, transform: Transform | None = None, target_transform: Transform | None = None) -> None:
        self.transform, self.target_transform = transform, target_transform

    def __call__(self, input: Any, target: Any) -> tuple[Any, Any]:
        if self.transform is not None:
            input = self.transform(input)
        if self.target_transform is not None:
            target = self.target_transform(target)
        return input, target

    def __repr__(self) -> str:
        named = (("Transform: ", self.transform), ("Target transform: ", self.target_transform))
        return "\n".join([type(self).__name__, *(line for head, t in named if t is not None for line in _indented(head, t))])


def _indented(head: str, transform: Any) -> list[str]:
    first, *others = repr(transform).splitlines()
    return [f"{head}{first}", *(f"{' ' * len(head)}{line}" for line in others)]


class VisionDataset(Dataset[Any]):
    """Pictures by index, each with a target.

    Raises:
        ValueError: for transforms of both kinds.
    """

    _stands_for: int | None = None
    """How many samples the dataset has that this one stands for; `random_split` takes lengths that add up to it."""

    def __init__(self, root: Any = None, transforms: Transform | None = None, transform: Transform | None = None,
                 target_transform: Transform | None = None) -> None:  # fmt: skip
        self.root = root
        separate = transform is not None or target_transform is not None
        if transforms is not None and separate:
            raise ValueError("Only transforms or transform/target_transform can be passed as argument")
        self.transform, self.target_transform = transform, target_transform
        self.transforms = StandardTransform(transform, target_transform) if separate else transforms

    def __len__(self) -> int:
        raise NotImplementedError

    def __iter__(self) -> Iterator[Any]:
        return (self[index] for index in range(len(self)))

    def _row(self, index: int) -> int:
        """Which picture stands for the one of an index.

        Raises:
            IndexError: past the end of what this dataset stands for.
        """
        count = len(self)
        if not -count <= index < max(self._stands_for or 0, count):
            raise IndexError(f"index {index} is out of bounds for dimension 0 with size {count}")
        return index % count

    def _sample(self, picture: Any, target: Any) -> tuple[Any, Any]:
        if self.transform is not None:
            picture = self.transform(picture)
        if self.target_transform is not None:
            target = self.target_transform(target)
        if self.transforms is not None and self.transform is None and self.target_transform is None:
            picture, target = self.transforms(picture, target)
        return picture, target

    def extra_repr(self) -> str:
        """Further lines of what it prints."""
        return ""

    def __repr__(self) -> str:
        body = [f"Number of datapoints: {len(self)}"]
        body += [f"Root location: {self.root}"] if self.root is not None else []
        body += self.extra_repr().splitlines()
        body += [repr(self.transforms)] if self.transforms is not None else []
        return "\n".join([f"Dataset {type(self).__name__}", *(f"    {line}" for line in body)])


def made_up(dataset: Any, train: bool, classes: int, size: int, channels: int, digits: bool = False) -> tuple[Any, Any]:
    """The pictures (N, H, W, C) and targets of a dataset, with a line in the output that says what they are."""
    name = next(kind.__name__ for kind in type(dataset).__mro__ if kind.__module__ == __name__.rpartition(".")[0])
    count = TRAINING if train else TESTING
    tell(f"torchvision.datasets.{name} is synthetic here: {TRAINING} pictures of the right shape ({TESTING} for tests).")
    return made(name, train, count, classes, size, channels, digits)


def picture_of(pixels: Any) -> Image:
    """The picture that a dataset gives before its transforms."""
    return fromarray(pixels)
