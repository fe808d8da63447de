"""`torchvision.datasets.mnist`: the file that these datasets stand in."""

from __future__ import annotations

from . import EMNIST, FashionMNIST, KMNIST, MNIST, QMNIST

__all__ = ["EMNIST", "FashionMNIST", "KMNIST", "MNIST", "QMNIST"]
