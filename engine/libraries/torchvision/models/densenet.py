"""DenseNet. Huang et al. (2016), Densely connected convolutional networks."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

from .... import nn
from ....itself import engine as torch
from ....nn.module import Module
from ....utils.checkpoint import checkpoint
from .building import builder, weights_of

KINDS: dict[int, tuple[int, tuple[int, ...], int]] = {
    121: (32, (6, 12, 24, 16), 64),
    161: (48, (6, 12, 36, 24), 96),
    169: (32, (6, 12, 32, 32), 64),
    201: (32, (6, 12, 48, 32), 64),
}
"""By depth: the channels that a layer adds, the layers of each block, the channels before the first."""
__all__ = ["DenseNet", *(f"DenseNet{n}_Weights" for n in KINDS), *(f"densenet{n}" for n in KINDS)]


class _DenseLayer(Module):
    """Two convolutions of all that came before."""

    def __init__(
        self, num_input_features: int, growth_rate: int, bn_size: int, drop_rate: float, memory_efficient: bool = False
    ) -> None:
        super().__init__()
        self.norm1 = nn.BatchNorm2d(num_input_features)
        self.relu1 = nn.ReLU(inplace=True)
        self.conv1 = nn.Conv2d(num_input_features, bn_size * growth_rate, kernel_size=1, stride=1, bias=False)
        self.norm2 = nn.BatchNorm2d(bn_size * growth_rate)
        self.relu2 = nn.ReLU(inplace=True)
        self.conv2 = nn.Conv2d(bn_size * growth_rate, growth_rate, kernel_size=3, stride=1, padding=1, bias=False)
        self.drop_rate = float(drop_rate)
        self.memory_efficient = memory_efficient

    def bn_function(self, *inputs: Any) -> Any:
        """The first convolution."""
        return self.conv1(self.relu1(self.norm1(torch.cat(list(inputs), 1))))

    def forward(self, input: Any) -> Any:
        """The channels that this layer adds."""
        before = [input] if isinstance(input, torch.Tensor) else input
        if self.memory_efficient and any(x.requires_grad for x in before):
            middle = checkpoint(self.bn_function, *before, use_reentrant=False)
        else:
            middle = self.bn_function(*before)
        made = self.conv2(self.relu2(self.norm2(middle)))
        return nn.functional.dropout(made, p=self.drop_rate, training=self.training) if self.drop_rate > 0 else made


class _DenseBlock(nn.ModuleDict):  # type: ignore[misc]
    """Layers of which each sees what all before it have made."""

    _version = 2

    def __init__(
        self,
        num_layers: int,
        num_input_features: int,
        bn_size: int,
        growth_rate: int,
        drop_rate: float,
        memory_efficient: bool = False,
    ) -> None:
        super().__init__()
        for i in range(num_layers):
            width = num_input_features + i * growth_rate
            self.add_module(f"denselayer{i + 1}", _DenseLayer(width, growth_rate, bn_size, drop_rate, memory_efficient))

    def forward(self, init_features: Any) -> Any:
        """All that the layers have made, and what they were given."""
        features = [init_features]
        for layer in self.values():
            features.append(layer(features))
        return torch.cat(features, 1)


class _Transition(nn.Sequential):  # type: ignore[misc]
    """Half of the channels, in half of the size."""

    def __init__(self, num_input_features: int, num_output_features: int) -> None:
        super().__init__()
        self.norm = nn.BatchNorm2d(num_input_features)
        self.relu = nn.ReLU(inplace=True)
        self.conv = nn.Conv2d(num_input_features, num_output_features, kernel_size=1, stride=1, bias=False)
        self.pool = nn.AvgPool2d(kernel_size=2, stride=2)


class DenseNet(Module):
    """Four dense blocks and one linear layer.

    Args:
        growth_rate: the channels that each layer adds.
        block_config: the layers of each block.
        num_init_features: the channels before the first.
        bn_size: by how much a layer's middle is wider than what it adds.
        drop_rate: how much of that is dropped.
        num_classes: how many scores there are.
        memory_efficient: compute the middles anew for the backward pass.
    """

    def __init__(
        self,
        growth_rate: int = 32,
        block_config: tuple[int, ...] = (6, 12, 24, 16),
        num_init_features: int = 64,
        bn_size: int = 4,
        drop_rate: float = 0,
        num_classes: int = 1000,
        memory_efficient: bool = False,
    ) -> None:
        super().__init__()
        width = num_init_features
        self.features = nn.Sequential(
            OrderedDict(
                conv0=nn.Conv2d(3, width, kernel_size=7, stride=2, padding=3, bias=False),
                norm0=nn.BatchNorm2d(width),
                relu0=nn.ReLU(inplace=True),
                pool0=nn.MaxPool2d(kernel_size=3, stride=2, padding=1),
            )
        )
        for i, layers in enumerate(block_config, 1):
            block = _DenseBlock(layers, width, bn_size, growth_rate, drop_rate, memory_efficient)
            self.features.add_module(f"denseblock{i}", block)
            width += layers * growth_rate
            if i != len(block_config):
                self.features.add_module(f"transition{i}", _Transition(width, width // 2))
                width //= 2
        self.features.add_module("norm5", nn.BatchNorm2d(width))
        self.classifier = nn.Linear(width, num_classes)
        for m in self.modules():
            if isinstance(m, nn.Conv2d):
                nn.init.kaiming_normal_(m.weight)
            elif isinstance(m, nn.BatchNorm2d):
                nn.init.constant_(m.weight, 1)
                nn.init.constant_(m.bias, 0)
            elif isinstance(m, nn.Linear):
                nn.init.constant_(m.bias, 0)

    def forward(self, x: Any) -> Any:
        """Scores, (N, classes), of pictures (N, 3, H, W)."""
        out = nn.functional.relu(self.features(x), inplace=True)
        return self.classifier(nn.functional.adaptive_avg_pool2d(out, (1, 1)).flatten(1))


def _declare(depth: int) -> None:
    weights = weights_of(f"DenseNet{depth}_Weights")

    def make(**kwargs: Any) -> DenseNet:
        return DenseNet(*KINDS[depth], **kwargs)

    make.__name__, make.__doc__ = f"densenet{depth}", f"DenseNet of {depth} layers."
    globals()[weights.__name__], globals()[make.__name__] = weights, builder(weights)(make)


for _depth in KINDS:
    _declare(_depth)
