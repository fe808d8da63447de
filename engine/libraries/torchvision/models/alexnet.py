"""AlexNet, as in Krizhevsky (2014), One weird trick for parallelizing convolutional neural networks."""

from __future__ import annotations

from typing import Any

from .... import nn
from ....nn.module import Module
from .building import builder, weights_of

__all__ = ["AlexNet", "AlexNet_Weights", "alexnet"]

AlexNet_Weights = weights_of("AlexNet_Weights")


class AlexNet(Module):
    """Five convolutions and three linear layers."""

    def __init__(self, num_classes: int = 1000, dropout: float = 0.5) -> None:
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(3, 64, kernel_size=11, stride=4, padding=2),
            nn.ReLU(inplace=True),
            nn.MaxPool2d(kernel_size=3, stride=2),
            nn.Conv2d(64, 192, kernel_size=5, padding=2),
            nn.ReLU(inplace=True),
            nn.MaxPool2d(kernel_size=3, stride=2),
            nn.Conv2d(192, 384, kernel_size=3, padding=1),
            nn.ReLU(inplace=True),
            nn.Conv2d(384, 256, kernel_size=3, padding=1),
            nn.ReLU(inplace=True),
            nn.Conv2d(256, 256, kernel_size=3, padding=1),
            nn.ReLU(inplace=True),
            nn.MaxPool2d(kernel_size=3, stride=2),
        )
        self.avgpool = nn.AdaptiveAvgPool2d((6, 6))
        self.classifier = nn.Sequential(
            nn.Dropout(p=dropout),
            nn.Linear(256 * 6 * 6, 4096),
            nn.ReLU(inplace=True),
            nn.Dropout(p=dropout),
            nn.Linear(4096, 4096),
            nn.ReLU(inplace=True),
            nn.Linear(4096, num_classes),
        )

    def forward(self, x: Any) -> Any:
        """Scores, (N, classes), of pictures (N, 3, H, W)."""
        return self.classifier(self.avgpool(self.features(x)).flatten(1))


@builder(AlexNet_Weights)
def alexnet(**kwargs: Any) -> AlexNet:
    """AlexNet."""
    return AlexNet(**kwargs)
