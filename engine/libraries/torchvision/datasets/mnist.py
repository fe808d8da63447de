"""`torchvision.datasets.mnist`: the file that these datasets stand in."""

from __future__ import annotations

from . import EMNIST, KMNIST, MNIST, QMNIST, FashionMNIST

__all__ = ["EMNIST", "KMNIST", "MNIST", "QMNIST", "FashionMNIST"]
