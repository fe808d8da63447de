"""SqueezeNet. Iandola et al. (2016), SqueezeNet: AlexNet-level accuracy with 50x fewer parameters."""

from __future__ import annotations

from typing import Any

from .... import nn
from ....itself import engine as torch
from ....nn.module import Module
from .building import builder, weights_of

__all__ = ["SqueezeNet", "SqueezeNet1_0_Weights", "SqueezeNet1_1_Weights", "squeezenet1_0", "squeezenet1_1"]

SqueezeNet1_0_Weights = weights_of("SqueezeNet1_0_Weights")
SqueezeNet1_1_Weights = weights_of("SqueezeNet1_1_Weights")

FIRES = ((16, 64), (16, 64), (32, 128), (32, 128), (48, 192), (48, 192), (64, 256), (64, 256))
"""How far each block squeezes its channels, and half of what it makes of them."""
BEGINNINGS: dict[str, tuple[int, int, tuple[int, ...]]] = {"1_0": (96, 7, (0, 3, 7)), "1_1": (64, 3, (0, 2, 4))}
"""By version: channels and size of the first convolution, and the blocks that a pooling goes before."""


class Fire(Module):
    """Channels that are squeezed, and convolutions of two sizes side by side."""

    def __init__(self, inplanes: int, squeeze_planes: int, expand1x1_planes: int, expand3x3_planes: int) -> None:
        super().__init__()
        self.inplanes = inplanes
        self.squeeze = nn.Conv2d(inplanes, squeeze_planes, kernel_size=1)
        self.squeeze_activation = nn.ReLU(inplace=True)
        self.expand1x1 = nn.Conv2d(squeeze_planes, expand1x1_planes, kernel_size=1)
        self.expand1x1_activation = nn.ReLU(inplace=True)
        self.expand3x3 = nn.Conv2d(squeeze_planes, expand3x3_planes, kernel_size=3, padding=1)
        self.expand3x3_activation = nn.ReLU(inplace=True)

    def forward(self, x: Any) -> Any:
        """What both convolutions make of `x`."""
        x = self.squeeze_activation(self.squeeze(x))
        return torch.cat([self.expand1x1_activation(self.expand1x1(x)), self.expand3x3_activation(self.expand3x3(x))], 1)


class SqueezeNet(Module):
    """Eight blocks and a convolution that makes the scores."""

    def __init__(self, version: str = "1_0", num_classes: int = 1000, dropout: float = 0.5) -> None:
        super().__init__()
        self.num_classes = num_classes
        if version not in BEGINNINGS:
            raise ValueError(f"Unsupported SqueezeNet version {version}: 1_0 or 1_1 expected")
        width, size, pooled = BEGINNINGS[version]
        features: list[Any] = [nn.Conv2d(3, width, kernel_size=size, stride=2), nn.ReLU(inplace=True)]
        for k, (squeezed, half) in enumerate(FIRES):
            if k in pooled:
                features.append(nn.MaxPool2d(kernel_size=3, stride=2, ceil_mode=True))
            features.append(Fire(width, squeezed, half, half))
            width = 2 * half
        self.features = nn.Sequential(*features)
        final_conv = nn.Conv2d(512, num_classes, kernel_size=1)
        self.classifier = nn.Sequential(nn.Dropout(p=dropout), final_conv, nn.ReLU(inplace=True), nn.AdaptiveAvgPool2d((1, 1)))
        for m in self.modules():
            if isinstance(m, nn.Conv2d):
                if m is final_conv:
                    nn.init.normal_(m.weight, mean=0.0, std=0.01)
                else:
                    nn.init.kaiming_uniform_(m.weight)
                if m.bias is not None:
                    nn.init.constant_(m.bias, 0)

    def forward(self, x: Any) -> Any:
        """Scores, (N, classes), of pictures (N, 3, H, W)."""
        return self.classifier(self.features(x)).flatten(1)


@builder(SqueezeNet1_0_Weights)
def squeezenet1_0(**kwargs: Any) -> SqueezeNet:
    """SqueezeNet of the paper."""
    return SqueezeNet("1_0", **kwargs)


@builder(SqueezeNet1_1_Weights)
def squeezenet1_1(**kwargs: Any) -> SqueezeNet:
    """SqueezeNet with fewer operations."""
    return SqueezeNet("1_1", **kwargs)
