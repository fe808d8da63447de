"""`torchvision.datasets.cifar`: the file that these datasets stand in."""

from __future__ import annotations

from . import CIFAR10, CIFAR100

__all__ = ["CIFAR10", "CIFAR100"]
