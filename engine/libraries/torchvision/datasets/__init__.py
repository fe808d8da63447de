"""`torchvision.datasets`: a few hundred pictures that are made up, of the right shape, dtype and classes."""

from __future__ import annotations

import string
from typing import Any

import numpy as np

from ....itself import engine as torch
from ....tensor import Tensor
from ... import tell
from ..transforms.functional import to_pil_image
from .vision import Transform, VisionDataset, made_up, picture_of

__all__ = [
    "CIFAR10",
    "CIFAR100",
    "EMNIST",
    "KMNIST",
    "MNIST",
    "QMNIST",
    "STL10",
    "SVHN",
    "USPS",
    "FakeData",
    "FashionMNIST",
    "ImageFolder",
    "VisionDataset",
]  # fmt: skip

WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
FINE = [
    "apple", "aquarium_fish", "baby", "bear", "beaver", "bed", "bee", "beetle", "bicycle", "bottle", "bowl", "boy",
    "bridge", "bus", "butterfly", "camel", "can", "castle", "caterpillar", "cattle", "chair", "chimpanzee", "clock",
    "cloud", "cockroach", "couch", "crab", "crocodile", "cup", "dinosaur", "dolphin", "elephant", "flatfish", "forest",
    "fox", "girl", "hamster", "house", "kangaroo", "keyboard", "lamp", "lawn_mower", "leopard", "lion", "lizard", "lobster",
    "man", "maple_tree", "motorcycle", "mountain", "mouse", "mushroom", "oak_tree", "orange", "orchid", "otter",
    "palm_tree", "pear", "pickup_truck", "pine_tree", "plain", "plate", "poppy", "porcupine", "possum", "rabbit", "raccoon",
    "ray", "road", "rocket", "rose", "sea", "seal", "shark", "shrew", "skunk", "skyscraper", "snail", "snake", "spider",
    "squirrel", "streetcar", "sunflower", "sweet_pepper", "table", "tank", "telephone", "television", "tiger", "tractor",
    "train", "trout", "tulip", "turtle", "wardrobe", "whale", "willow_tree", "wolf", "woman", "worm",
]  # fmt: skip
"""The classes of CIFAR-100."""


class MNIST(VisionDataset):
    """Handwritten digits: `data` (N, 28, 28) of bytes, `targets` (N,)."""

    classes = [f"{k} - {word}" for k, word in enumerate(WORDS)]
    training_file, test_file = "training.pt", "test.pt"
    _digits = True
    _sizes = (60000, 10000)
    _picture = 28

    def __init__(self, root: Any = None, train: bool = True, transform: Transform | None = None,
                 target_transform: Transform | None = None, download: bool = False) -> None:  # fmt: skip
        super().__init__(root, transform=transform, target_transform=target_transform)
        self.train = train
        pictures, targets = made_up(self, train, len(self.classes), self._picture, 1, self._digits)
        self.data: Any = torch.from_numpy(pictures[..., 0].copy())
        self.targets: Any = torch.from_numpy(targets)
        self._stands_for = self._sizes[0 if train else 1]

    @property
    def class_to_idx(self) -> dict[str, int]:
        """The number of each class."""
        return {name: k for k, name in enumerate(self.classes)}

    @property
    def train_data(self) -> Any:
        """An older name of `data`."""
        return self.data

    test_data = train_data

    @property
    def train_labels(self) -> Any:
        """An older name of `targets`."""
        return self.targets

    test_labels = train_labels

    def __getitem__(self, index: Any) -> Any:
        row = self._row(int(index))
        pixels = self.data.numpy()[row] if isinstance(self.data, Tensor) else self.data[row]
        targets = self.targets.numpy() if isinstance(self.targets, Tensor) else self.targets
        return self._sample(picture_of(pixels), int(targets[row]))

    def __len__(self) -> int:
        return len(self.data)

    def extra_repr(self) -> str:
        """Which part it is."""
        return f"Split: {'Train' if self.train is True else 'Test'}"


class FashionMNIST(MNIST):
    """Clothes, as MNIST."""

    classes = ["T-shirt/top", "Trouser", "Pullover", "Dress", "Coat", "Sandal", "Shirt", "Sneaker", "Bag", "Ankle boot"]
    _digits = False


class KMNIST(MNIST):
    """Characters, as MNIST."""

    classes = ["o", "ki", "su", "tsu", "na", "ha", "ma", "ya", "re", "wo"]
    _digits = False


class QMNIST(MNIST):
    """Handwritten digits, as MNIST."""


class USPS(VisionDataset):
    """Handwritten digits: `data` (N, 16, 16) of bytes as an array, `targets` a list."""

    def __init__(self, root: Any = None, train: bool = True, transform: Transform | None = None,
                 target_transform: Transform | None = None, download: bool = False) -> None:  # fmt: skip
        super().__init__(root, transform=transform, target_transform=target_transform)
        pictures, targets = made_up(self, train, 10, 16, 1, True)
        self.data, self.targets = pictures[..., 0].copy(), targets.tolist()
        self._stands_for = 7291 if train else 2007

    def __getitem__(self, index: Any) -> Any:
        row = self._row(int(index))
        return self._sample(picture_of(self.data[row]), int(self.targets[row]))

    def __len__(self) -> int:
        return len(self.data)


SPLITS: dict[str, tuple[list[str], tuple[int, int]]] = {
    "byclass": (sorted(string.digits + string.ascii_letters), (697932, 116323)),
    "bymerge": (sorted({*string.digits, *string.ascii_letters} - {*"cijklmopsuvwxyz"}), (697932, 116323)),
    "balanced": (sorted({*string.digits, *string.ascii_letters} - {*"cijklmopsuvwxyz"}), (112800, 18800)),
    "letters": (["N/A", *string.ascii_lowercase], (124800, 20800)),
    "digits": ([*string.digits], (240000, 40000)),
    "mnist": ([*string.digits], (60000, 10000)),
}
"""The parts of EMNIST: their classes, and how many pictures there are."""


class EMNIST(MNIST):
    """Handwritten letters and digits, in one of several parts.

    Raises:
        ValueError: for a part that is none.
    """

    splits = tuple(SPLITS)

    def __init__(self, root: Any = None, split: str = "", **kwargs: Any) -> None:
        if split not in SPLITS:
            raise ValueError(f"Unknown value '{split}' for argument split. Valid values are {{{str(list(SPLITS))[1:-1]}}}.")
        self.split = split
        self.classes, self._sizes = SPLITS[split]
        self._digits = len(self.classes) == len(WORDS)
        super().__init__(root, **kwargs)
        if split == "letters":
            self.targets = self.targets.clamp(min=1)


class CIFAR10(VisionDataset):
    """Small pictures: `data` (N, 32, 32, 3) of bytes as an array, `targets` a list."""

    classes = ["airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"]

    def __init__(self, root: Any = None, train: bool = True, transform: Transform | None = None,
                 target_transform: Transform | None = None, download: bool = False) -> None:  # fmt: skip
        super().__init__(root, transform=transform, target_transform=target_transform)
        self.train = train
        self.class_to_idx = {name: k for k, name in enumerate(self.classes)}
        self.data, targets = made_up(self, train, len(self.classes), 32, 3)
        self.targets = targets.tolist()
        self._stands_for = 50000 if train else 10000

    def __getitem__(self, index: Any) -> Any:
        row = self._row(int(index))
        return self._sample(picture_of(self.data[row]), self.targets[row])

    def __len__(self) -> int:
        return len(self.data)

    def extra_repr(self) -> str:
        """Which part it is."""
        return f"Split: {'Train' if self.train is True else 'Test'}"


class CIFAR100(CIFAR10):
    """Small pictures of a hundred classes, as CIFAR10."""

    classes = FINE


class _Split(VisionDataset):
    """A set of parts with names, whose pictures have their channels first, as bytes in an array."""

    split: str
    data: Any
    labels: Any

    def __getitem__(self, index: Any) -> Any:
        row = self._row(int(index))
        return self._sample(picture_of(np.transpose(self.data[row], (1, 2, 0))), int(self.labels[row]))

    def __len__(self) -> int:
        return len(self.data)

    def extra_repr(self) -> str:
        """Which part it is."""
        return f"Split: {self.split}"


class SVHN(_Split):
    """House numbers: `data` (N, 3, 32, 32) of bytes as an array, `labels` (N,)."""

    _sizes = {"train": 73257, "test": 26032, "extra": 531131}

    def __init__(self, root: Any = None, split: str = "train", transform: Transform | None = None,
                 target_transform: Transform | None = None, download: bool = False) -> None:  # fmt: skip
        super().__init__(root, transform=transform, target_transform=target_transform)
        self.split = split
        pictures, self.labels = made_up(self, split != "test", 10, 32, 3, True)
        self.data = np.ascontiguousarray(pictures.transpose(0, 3, 1, 2))
        self._stands_for = self._sizes[split]


class STL10(_Split):
    """Pictures: `data` (N, 3, 96, 96) of bytes as an array, `labels` (N,)."""

    classes = ["airplane", "bird", "car", "cat", "deer", "dog", "horse", "monkey", "ship", "truck"]
    _sizes = {"train": 5000, "test": 8000, "unlabeled": 100000, "train+unlabeled": 105000}

    def __init__(self, root: Any = None, split: str = "train", folds: int | None = None, transform: Transform | None = None,
                 target_transform: Transform | None = None, download: bool = False) -> None:  # fmt: skip
        super().__init__(root, transform=transform, target_transform=target_transform)
        self.split = split
        pictures, labels = made_up(self, split != "test", len(self.classes), 96, 3)
        self.data = np.ascontiguousarray(pictures.transpose(0, 3, 1, 2))
        self.labels = np.full_like(labels, -1) if split == "unlabeled" else labels
        self._stands_for = self._sizes[split]


class FakeData(VisionDataset):
    """Noise: pictures and targets that are drawn by chance, each index always the same."""

    def __init__(self, size: int = 1000, image_size: tuple[int, int, int] = (3, 224, 224), num_classes: int = 10,
                 transform: Transform | None = None, target_transform: Transform | None = None,
                 random_offset: int = 0) -> None:  # fmt: skip
        super().__init__(transform=transform, target_transform=target_transform)
        self.size, self.image_size, self.num_classes, self.random_offset = size, image_size, num_classes, random_offset

    def __getitem__(self, index: Any) -> Any:
        if index >= len(self):
            raise IndexError(f"{type(self).__name__} index out of range")
        before = torch.get_rng_state()
        torch.manual_seed(index + self.random_offset)
        picture = torch.randn(*self.image_size)
        target = torch.randint(0, self.num_classes, size=(1,), dtype=torch.long)[0]
        torch.set_rng_state(before)
        picture, target = self._sample(to_pil_image(picture), target)
        return picture, target.item()

    def __len__(self) -> int:
        return self.size


class ImageFolder(VisionDataset):
    """Pictures in folders.

    Raises:
        FileNotFoundError: always, since there are no picture files.
    """

    def __init__(self, root: Any, transform: Transform | None = None, target_transform: Transform | None = None,
                 *_: Any, **__: Any) -> None:  # fmt: skip
        tell("torchvision.datasets.ImageFolder: picture files cannot be opened here; CIFAR10 and FakeData make pictures.")
        raise FileNotFoundError(f"[Errno 2] No such file or directory: {root!r}")
