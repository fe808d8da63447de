"""VGG. Simonyan & Zisserman (2014), Very deep convolutional networks for large-scale image recognition."""

from __future__ import annotations

from typing import Any

from .... import nn
from ....nn.module import Module
from .building import builder, weights_of

KINDS = [f"{depth}{norm}" for depth in (11, 13, 16, 19) for norm in ("", "_bn")]
__all__ = ["VGG", *(f"VGG{kind.upper()}_Weights" for kind in KINDS), *(f"vgg{kind}" for kind in KINDS)]

LAYERS: dict[int, list[list[int]]] = {
    11: [[64], [128], [256] * 2, [512] * 2, [512] * 2],
    13: [[64] * 2, [128] * 2, [256] * 2, [512] * 2, [512] * 2],
    16: [[64] * 2, [128] * 2, [256] * 3, [512] * 3, [512] * 3],
    19: [[64] * 2, [128] * 2, [256] * 4, [512] * 4, [512] * 4],
}
"""The channels of the convolutions by depth, between one pooling and the next."""


class VGG(Module):
    """Convolutions of three by three, pooled five times, and three linear layers."""

    def __init__(self, features: Any, num_classes: int = 1000, init_weights: bool = True, dropout: float = 0.5) -> None:
        super().__init__()
        self.features = features
        self.avgpool = nn.AdaptiveAvgPool2d((7, 7))
        self.classifier = nn.Sequential(
            nn.Linear(512 * 7 * 7, 4096),
            nn.ReLU(True),
            nn.Dropout(p=dropout),
            nn.Linear(4096, 4096),
            nn.ReLU(True),
            nn.Dropout(p=dropout),
            nn.Linear(4096, num_classes),
        )
        if init_weights:
            for m in self.modules():
                if isinstance(m, nn.Conv2d):
                    nn.init.kaiming_normal_(m.weight, mode="fan_out", nonlinearity="relu")
                    if m.bias is not None:
                        nn.init.constant_(m.bias, 0)
                elif isinstance(m, nn.BatchNorm2d):
                    nn.init.constant_(m.weight, 1)
                    nn.init.constant_(m.bias, 0)
                elif isinstance(m, nn.Linear):
                    nn.init.normal_(m.weight, 0, 0.01)
                    nn.init.constant_(m.bias, 0)

    def forward(self, x: Any) -> Any:
        """Scores, (N, classes), of pictures (N, 3, H, W)."""
        return self.classifier(self.avgpool(self.features(x)).flatten(1))


def convolutions(depth: int, batch_norm: bool) -> Any:
    """The layers before the linear ones."""
    layers: list[Any] = []
    width = 3
    for block in LAYERS[depth]:
        for channels in block:
            layers.append(nn.Conv2d(width, channels, kernel_size=3, padding=1))
            if batch_norm:
                layers.append(nn.BatchNorm2d(channels))
            layers.append(nn.ReLU(inplace=True))
            width = channels
        layers.append(nn.MaxPool2d(kernel_size=2, stride=2))
    return nn.Sequential(*layers)


def _declare(kind: str) -> None:
    weights = weights_of(f"VGG{kind.upper()}_Weights")

    def make(**kwargs: Any) -> VGG:
        return VGG(convolutions(int(kind[:2]), kind.endswith("_bn")), **kwargs)

    make.__name__, make.__doc__ = f"vgg{kind}", f"VGG of {kind[:2]} layers{' with batch norm' if kind.endswith('_bn') else ''}."
    globals()[weights.__name__], globals()[make.__name__] = weights, builder(weights)(make)


for _kind in KINDS:
    _declare(_kind)
