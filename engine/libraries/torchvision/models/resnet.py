"""Residual networks: He et al. (2015), Deep residual learning for image recognition; Xie et al. (2016), Aggregated residual
transformations; Zagoruyko & Komodakis (2016), Wide residual networks."""

from __future__ import annotations

from typing import Any, ClassVar

from .... import nn
from ....nn.module import Module
from .building import builder, weights_of

KINDS: dict[str, tuple[str, str, list[int], dict[str, int], tuple[int, ...]]] = {
    "resnet18": ("ResNet18", "BasicBlock", [2, 2, 2, 2], {}, (256,)),
    "resnet34": ("ResNet34", "BasicBlock", [3, 4, 6, 3], {}, (256,)),
    "resnet50": ("ResNet50", "Bottleneck", [3, 4, 6, 3], {}, (256, 232)),
    "resnet101": ("ResNet101", "Bottleneck", [3, 4, 23, 3], {}, (256, 232)),
    "resnet152": ("ResNet152", "Bottleneck", [3, 8, 36, 3], {}, (256, 232)),
    "resnext50_32x4d": ("ResNeXt50_32X4D", "Bottleneck", [3, 4, 6, 3], {"groups": 32, "width_per_group": 4}, (256, 232)),
    "resnext101_32x8d": ("ResNeXt101_32X8D", "Bottleneck", [3, 4, 23, 3], {"groups": 32, "width_per_group": 8}, (256, 232)),
    "resnext101_64x4d": ("ResNeXt101_64X4D", "Bottleneck", [3, 4, 23, 3], {"groups": 64, "width_per_group": 4}, (232,)),
    "wide_resnet50_2": ("Wide_ResNet50_2", "Bottleneck", [3, 4, 6, 3], {"width_per_group": 128}, (256, 232)),
    "wide_resnet101_2": ("Wide_ResNet101_2", "Bottleneck", [3, 4, 23, 3], {"width_per_group": 128}, (256, 232)),
}
"""The models: how their weights are called, block, layers, widths, and the sizes that the weights want pictures brought to."""

__all__ = ["BasicBlock", "Bottleneck", "ResNet", *(f"{kind[0]}_Weights" for kind in KINDS.values()), *KINDS]


def conv3x3(in_planes: int, out_planes: int, stride: int = 1, groups: int = 1, dilation: int = 1) -> Any:
    """A convolution of three by three that keeps the size."""
    return nn.Conv2d(
        in_planes, out_planes, kernel_size=3, stride=stride, padding=dilation, groups=groups, bias=False, dilation=dilation
    )


def conv1x1(in_planes: int, out_planes: int, stride: int = 1) -> Any:
    """A convolution of one by one."""
    return nn.Conv2d(in_planes, out_planes, kernel_size=1, stride=stride, bias=False)


class BasicBlock(Module):
    """Two convolutions beside the identity."""

    expansion: ClassVar[int] = 1

    def __init__(
        self,
        inplanes: int,
        planes: int,
        stride: int = 1,
        downsample: Any = None,
        groups: int = 1,
        base_width: int = 64,
        dilation: int = 1,
        norm_layer: Any = None,
    ) -> None:
        super().__init__()
        norm = norm_layer or nn.BatchNorm2d
        if groups != 1 or base_width != 64:
            raise ValueError("BasicBlock only supports groups=1 and base_width=64")
        if dilation > 1:
            raise NotImplementedError("Dilation > 1 not supported in BasicBlock")
        self.conv1 = conv3x3(inplanes, planes, stride)
        self.bn1 = norm(planes)
        self.relu = nn.ReLU(inplace=True)
        self.conv2 = conv3x3(planes, planes)
        self.bn2 = norm(planes)
        self.downsample = downsample
        self.stride = stride

    def forward(self, x: Any) -> Any:
        """What the convolutions add to `x`, and `x`, rectified."""
        identity = x
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        if self.downsample is not None:
            identity = self.downsample(x)
        out += identity
        return self.relu(out)


class Bottleneck(Module):
    """Three convolutions beside the identity, of which the middle one sees fewer channels."""

    expansion: ClassVar[int] = 4

    def __init__(
        self,
        inplanes: int,
        planes: int,
        stride: int = 1,
        downsample: Any = None,
        groups: int = 1,
        base_width: int = 64,
        dilation: int = 1,
        norm_layer: Any = None,
    ) -> None:
        super().__init__()
        norm = norm_layer or nn.BatchNorm2d
        width = int(planes * (base_width / 64.0)) * groups
        self.conv1 = conv1x1(inplanes, width)
        self.bn1 = norm(width)
        self.conv2 = conv3x3(width, width, stride, groups, dilation)
        self.bn2 = norm(width)
        self.conv3 = conv1x1(width, planes * self.expansion)
        self.bn3 = norm(planes * self.expansion)
        self.relu = nn.ReLU(inplace=True)
        self.downsample = downsample
        self.stride = stride

    def forward(self, x: Any) -> Any:
        """What the convolutions add to `x`, and `x`, rectified."""
        identity = x
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.relu(self.bn2(self.conv2(out)))
        out = self.bn3(self.conv3(out))
        if self.downsample is not None:
            identity = self.downsample(x)
        out += identity
        return self.relu(out)


class ResNet(Module):
    """Four layers of blocks, each of half the size of the one before.

    Args:
        block: `BasicBlock` or `Bottleneck`.
        layers: how many blocks each layer has.
        num_classes: how many scores there are.
        zero_init_residual: let each block begin as the identity.
        groups, width_per_group: how wide the blocks' convolutions are.
        replace_stride_with_dilation: for the last three layers, whether they keep the size and dilate.
        norm_layer: what normalises; batch norm where it is left out.
    """

    def __init__(
        self,
        block: Any,
        layers: list[int],
        num_classes: int = 1000,
        zero_init_residual: bool = False,
        groups: int = 1,
        width_per_group: int = 64,
        replace_stride_with_dilation: Any = None,
        norm_layer: Any = None,
    ) -> None:
        super().__init__()
        self._norm_layer = norm_layer or nn.BatchNorm2d
        self.inplanes = 64
        self.dilation = 1
        dilated = [False, False, False] if replace_stride_with_dilation is None else replace_stride_with_dilation
        if len(dilated) != 3:
            raise ValueError(f"replace_stride_with_dilation should be None or a 3-element tuple, got {dilated}")
        self.groups = groups
        self.base_width = width_per_group
        self.conv1 = nn.Conv2d(3, self.inplanes, kernel_size=7, stride=2, padding=3, bias=False)
        self.bn1 = self._norm_layer(self.inplanes)
        self.relu = nn.ReLU(inplace=True)
        self.maxpool = nn.MaxPool2d(kernel_size=3, stride=2, padding=1)
        self.layer1 = self._make_layer(block, 64, layers[0])
        self.layer2 = self._make_layer(block, 128, layers[1], stride=2, dilate=dilated[0])
        self.layer3 = self._make_layer(block, 256, layers[2], stride=2, dilate=dilated[1])
        self.layer4 = self._make_layer(block, 512, layers[3], stride=2, dilate=dilated[2])
        self.avgpool = nn.AdaptiveAvgPool2d((1, 1))
        self.fc = nn.Linear(512 * block.expansion, num_classes)
        for m in self.modules():
            if isinstance(m, nn.Conv2d):
                nn.init.kaiming_normal_(m.weight, mode="fan_out", nonlinearity="relu")
            elif isinstance(m, (nn.BatchNorm2d, nn.GroupNorm)):
                nn.init.constant_(m.weight, 1)
                nn.init.constant_(m.bias, 0)
        for m in self.modules() if zero_init_residual else ():
            last = m.bn3 if isinstance(m, Bottleneck) else m.bn2 if isinstance(m, BasicBlock) else None
            if last is not None and last.weight is not None:
                nn.init.constant_(last.weight, 0)

    def _make_layer(self, block: Any, planes: int, blocks: int, stride: int = 1, dilate: bool = False) -> Any:
        norm, before, downsample = self._norm_layer, self.dilation, None
        if dilate:
            self.dilation *= stride
            stride = 1
        wide = planes * block.expansion
        if stride != 1 or self.inplanes != wide:
            downsample = nn.Sequential(conv1x1(self.inplanes, wide, stride), norm(wide))
        layers = [block(self.inplanes, planes, stride, downsample, self.groups, self.base_width, before, norm)]
        self.inplanes = wide
        layers += [
            block(
                self.inplanes, planes, groups=self.groups, base_width=self.base_width, dilation=self.dilation, norm_layer=norm
            )
            for _ in range(1, blocks)
        ]
        return nn.Sequential(*layers)

    def _forward_impl(self, x: Any) -> Any:
        x = self.maxpool(self.relu(self.bn1(self.conv1(x))))
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        return self.fc(self.avgpool(x).flatten(1))

    def forward(self, x: Any) -> Any:
        """Scores, (N, classes), of pictures (N, 3, H, W)."""
        return self._forward_impl(x)


def _declare(name: str) -> None:
    called, block, layers, widths, sizes = KINDS[name]
    weights = weights_of(f"{called}_Weights", *sizes)

    def make(**kwargs: Any) -> ResNet:
        return ResNet(globals()[block], layers, **widths | kwargs)

    make.__name__, make.__doc__ = name, f"{called.replace('_', ' ')}."
    globals()[weights.__name__], globals()[name] = weights, builder(weights)(make)


for _name in KINDS:
    _declare(_name)
