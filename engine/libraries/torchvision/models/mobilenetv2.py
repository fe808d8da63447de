"""MobileNet V2. Sandler et al. (2018), MobileNetV2: Inverted residuals and linear bottlenecks."""

from __future__ import annotations

from typing import Any

from .... import nn
from ....nn.module import Module
from .building import builder, weights_of

__all__ = ["MobileNetV2", "MobileNet_V2_Weights", "mobilenet_v2"]

MobileNet_V2_Weights = weights_of("MobileNet_V2_Weights", 256, 232)


def divisible(v: float, divisor: int = 8) -> int:
    """The nearest multiple of `divisor` that takes no more than a tenth away."""
    near = max(divisor, int(v + divisor / 2) // divisor * divisor)
    return near + divisor if near < 0.9 * v else near


class Conv2dNormActivation(nn.Sequential):  # type: ignore[misc]
    """A convolution, a normalisation, an activation."""

    def __init__(
        self, width: int, out_channels: int, kernel_size: int, stride: int, groups: int, norm_layer: Any, activation: Any
    ) -> None:
        padding = (kernel_size - 1) // 2
        conv = nn.Conv2d(width, out_channels, kernel_size, stride, padding, groups=groups, bias=False)
        super().__init__(conv, norm_layer(out_channels), activation(inplace=True))
        self.out_channels = out_channels


class InvertedResidual(Module):
    """A block that is wide within, beside the identity where the size stays."""

    def __init__(self, inp: int, oup: int, stride: int, expand_ratio: int, norm_layer: Any = None) -> None:
        super().__init__()
        self.stride = stride
        if stride not in (1, 2):
            raise ValueError(f"stride should be 1 or 2 instead of {stride}")
        norm = norm_layer or nn.BatchNorm2d
        hidden = round(inp * expand_ratio)
        self.use_res_connect = stride == 1 and inp == oup
        layers = [] if expand_ratio == 1 else [Conv2dNormActivation(inp, hidden, 1, 1, 1, norm, nn.ReLU6)]
        layers.append(Conv2dNormActivation(hidden, hidden, 3, stride, hidden, norm, nn.ReLU6))
        self.conv = nn.Sequential(*layers, nn.Conv2d(hidden, oup, 1, 1, 0, bias=False), norm(oup))
        self.out_channels = oup
        self._is_cn = stride > 1

    def forward(self, x: Any) -> Any:
        """What the block makes of `x`."""
        return x + self.conv(x) if self.use_res_connect else self.conv(x)


SETTING = [
    [1, 16, 1, 1], [6, 24, 2, 2], [6, 32, 3, 2], [6, 64, 4, 2], [6, 96, 3, 1], [6, 160, 3, 2], [6, 320, 1, 1],
]  # fmt: skip
"""Of each run of blocks: by how much they are wider within, their channels, how many there are, the first one's stride."""


class MobileNetV2(Module):
    """Inverted residuals and one linear layer.

    Args:
        num_classes: how many scores there are.
        width_mult: by how much every layer is wider.
        inverted_residual_setting: the runs of blocks; those of the paper where it is left out.
        round_nearest: what widths are multiples of.
        block, norm_layer: what the blocks are, and what normalises.
        dropout: how much is dropped before the linear layer.
    """

    def __init__(
        self,
        num_classes: int = 1000,
        width_mult: float = 1.0,
        inverted_residual_setting: Any = None,
        round_nearest: int = 8,
        block: Any = None,
        norm_layer: Any = None,
        dropout: float = 0.2,
    ) -> None:
        super().__init__()
        block, norm = block or InvertedResidual, norm_layer or nn.BatchNorm2d
        setting = SETTING if inverted_residual_setting is None else inverted_residual_setting
        if len(setting) == 0 or len(setting[0]) != 4:
            raise ValueError(f"inverted_residual_setting should be non-empty or a 4-element list, got {setting}")
        width = divisible(32 * width_mult, round_nearest)
        self.last_channel = divisible(1280 * max(1.0, width_mult), round_nearest)
        features: list[Any] = [Conv2dNormActivation(3, width, 3, 2, 1, norm, nn.ReLU6)]
        for wider, channels, n, stride in setting:
            made = divisible(channels * width_mult, round_nearest)
            for i in range(n):
                features.append(block(width, made, stride if i == 0 else 1, expand_ratio=wider, norm_layer=norm))
                width = made
        features.append(Conv2dNormActivation(width, self.last_channel, 1, 1, 1, norm, nn.ReLU6))
        self.features = nn.Sequential(*features)
        self.classifier = nn.Sequential(nn.Dropout(p=dropout), nn.Linear(self.last_channel, num_classes))
        for m in self.modules():
            if isinstance(m, nn.Conv2d):
                nn.init.kaiming_normal_(m.weight, mode="fan_out")
                if m.bias is not None:
                    nn.init.zeros_(m.bias)
            elif isinstance(m, (nn.BatchNorm2d, nn.GroupNorm)):
                nn.init.ones_(m.weight)
                nn.init.zeros_(m.bias)
            elif isinstance(m, nn.Linear):
                nn.init.normal_(m.weight, 0, 0.01)
                nn.init.zeros_(m.bias)

    def forward(self, x: Any) -> Any:
        """Scores, (N, classes), of pictures (N, 3, H, W)."""
        x = nn.functional.adaptive_avg_pool2d(self.features(x), (1, 1))
        return self.classifier(x.flatten(1))


@builder(MobileNet_V2_Weights)
def mobilenet_v2(**kwargs: Any) -> MobileNetV2:
    """MobileNet V2."""
    return MobileNetV2(**kwargs)
