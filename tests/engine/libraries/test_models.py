"""`torchvision.models`: state dicts, texts, first weights and scores are those of torchvision 0.29 for the same seed."""

from __future__ import annotations

import warnings
import zlib
from typing import Any

import pytest

import engine as torch
from engine.libraries.torchvision import models
from engine.libraries.torchvision.models import resnet, vgg
from engine.sandbox import Limits, run

MADE = {
    "resnet18": (11181642, 1577535601, 2881032736, (-0.08444, 0.04853, -0.1481)),
    "resnext50_32x4d": (23000394, 1094913892, 2555891671, (0.0418, 0.01401, -0.007675)),
    "squeezenet1_0": (740554, 1500292720, 3200897712, (0.08504, 0.02769, 0.0)),
    "squeezenet1_1": (727626, 2367267588, 2878468540, (0.007703, 0.1358, 0.0006743)),
    "mobilenet_v2": (2236682, 2565759062, 1277573668, (2.483e-10, 7.802e-12, -4.199e-10)),
    "densenet121": (6964106, 2522028084, 1556248673, (-0.1672, 0.1367, -0.2713)),
}
"""Of ten classes and seed 0: parameters, checksums of the state dict's names and shapes and of the text, and first scores."""


@pytest.mark.thorough
@pytest.mark.parametrize("name", MADE)
def test_a_model_is_torchvisions(name: str) -> None:
    parameters, keys, text, scores = MADE[name]
    torch.manual_seed(0)
    model = getattr(models, name)(num_classes=10).eval()
    assert sum(p.numel() for p in model.parameters()) == parameters
    assert zlib.crc32("\n".join(f"{k} {tuple(v.shape)}" for k, v in model.state_dict().items()).encode()) == keys
    assert zlib.crc32(repr(model).encode()) == text
    with torch.no_grad():
        found = model((torch.arange(3 * 64 * 64).reshape(1, 3, 64, 64) % 17) / 17.0)
    assert found[0, :3].tolist() == pytest.approx(scores, rel=1e-3, abs=1e-12)


@pytest.mark.thorough
def test_models_train_and_take_options() -> None:
    torch.manual_seed(0)
    model = models.resnet.ResNet(resnet.BasicBlock, [1, 1, 1, 1], num_classes=3, zero_init_residual=True)
    out = model(torch.randn(2, 3, 32, 32))
    torch.nn.functional.cross_entropy(out, torch.tensor([0, 2])).backward()
    assert out.shape == (2, 3)
    assert all(p.grad is not None for p in model.parameters())
    assert not any(m.bn2.weight.any() for m in model.modules() if isinstance(m, resnet.BasicBlock))
    dilated = resnet.ResNet(resnet.Bottleneck, [1, 1, 2, 1], replace_stride_with_dilation=[False, True, True])
    assert dilated.layer3[1].conv2.dilation == (2, 2)
    with torch.no_grad():
        assert models.mobilenet_v2(width_mult=0.25).eval().features(torch.zeros(1, 3, 32, 32)).shape == (1, 1280, 1, 1)
    dense = models.densenet.DenseNet(4, (2, 2), 8, drop_rate=0.5, num_classes=2, memory_efficient=True)
    dense(torch.randn(2, 3, 32, 32)).sum().backward()
    assert all(p.grad is not None for p in dense.parameters())


def test_the_convolutions_of_vgg() -> None:
    shapes = {
        depth: [m.out_channels for m in vgg.convolutions(depth, True) if isinstance(m, torch.nn.Conv2d)] for depth in (11, 19)
    }
    assert shapes == {
        11: [64, 128, 256, 256, 512, 512, 512, 512],
        19: [64, 64, 128, 128, *[256] * 4, *[512] * 8],
    }
    assert [type(m).__name__ for m in vgg.convolutions(11, True)][:4] == ["Conv2d", "BatchNorm2d", "ReLU", "MaxPool2d"]


REFUSED: dict[str, Any] = {
    "Unknown model resnet19": lambda: models.get_model("resnet19"),
    "groups=1 and base_width=64": lambda: models.resnet18(groups=2),
    "Dilation > 1": lambda: models.resnet18(replace_stride_with_dilation=[True, False, False]),
    "3-element tuple": lambda: models.resnet50(replace_stride_with_dilation=[True]),
    "stride should be 1 or 2": lambda: models.mobilenetv2.InvertedResidual(1, 1, 3, 1),
    "4-element list": lambda: models.mobilenet_v2(inverted_residual_setting=[]),
    "1_0 or 1_1": lambda: models.squeezenet.SqueezeNet("1_2"),
    "expected ResNet18_Weights but received": lambda: models.resnet18(models.ResNet34_Weights.DEFAULT),
    "expected value 1000 but got 5": lambda: models.resnet18(weights="DEFAULT", num_classes=5),
    "reach no network": lambda: models.ResNet18_Weights.DEFAULT.get_state_dict(),
}


@pytest.mark.parametrize("text", REFUSED)
def test_what_torchvision_refuses(text: str) -> None:
    with pytest.raises((ValueError, TypeError, NotImplementedError, RuntimeError), match=text):
        REFUSED[text]()


def test_names_of_models_and_weights() -> None:
    assert models.list_models(include="resnet*", exclude=["*1*"]) == ["resnet34", "resnet50"]
    assert set(MADE) <= set(models.list_models())
    assert models.get_model_builder("ResNet18") is models.resnet18
    assert models.get_model_weights("resnet50") is models.get_model_weights(models.resnet50) is models.ResNet50_Weights
    weights = models.ResNet50_Weights
    assert repr(weights.DEFAULT) == "ResNet50_Weights.IMAGENET1K_V2"
    assert weights.DEFAULT.transforms().resize_size == [232]
    assert len(weights.IMAGENET1K_V1.meta["categories"]) == 1000
    prepared = weights.IMAGENET1K_V1.transforms()(torch.full((3, 300, 400), 255, dtype=torch.uint8))
    assert prepared.shape == (3, 224, 224)
    assert prepared[:, 0, 0].tolist() == pytest.approx([(1 - 0.485) / 0.229, (1 - 0.456) / 0.224, (1 - 0.406) / 0.225])
    assert "crop_size=[224]" in repr(weights.DEFAULT.transforms())


def test_weights_of_former_names_warn() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        models.squeezenet1_1(pretrained=False)
        models.squeezenet1_1(True)
    texts = [str(w.message) for w in caught]
    assert texts[0].startswith("The parameter 'pretrained' is deprecated since 0.13")
    assert texts[1].endswith("equivalent to passing `weights=None`.")
    assert "`weights=SqueezeNet1_1_Weights.IMAGENET1K_V1`" in texts[2]


def test_such_a_warning_names_the_programs_line() -> None:
    result = run("from torchvision import models\nnet = models.squeezenet1_1(pretrained=False)\n", Limits(seconds=60))
    assert result.output.startswith("<program>:2: UserWarning: The parameter 'pretrained' is deprecated since 0.13")


PROGRAM = """
import torch
from torchvision import models
from torchvision.models import squeezenet1_1, SqueezeNet1_1_Weights
from torchvision.models.resnet import BasicBlock, ResNet
net = squeezenet1_1(weights=SqueezeNet1_1_Weights.DEFAULT)
for p in net.parameters():
    p.requires_grad = False
net.classifier[1] = torch.nn.Conv2d(512, 2, 1)
class Small(ResNet):
    def __init__(self):
        super().__init__(BasicBlock, [1, 1, 1, 1], num_classes=2)
print(net(torch.ones(1, 3, 64, 64)).shape, sum(p.requires_grad for p in net.parameters()))
print(Small().eval()(torch.ones(1, 3, 32, 32)).shape, SqueezeNet1_1_Weights.DEFAULT)
"""


def test_programs_use_models_and_are_told_of_the_weights() -> None:
    result = run(PROGRAM, Limits(seconds=60))
    assert result.status == "ok", result.error
    assert result.output == (
        "torchvision: there are no trained weights here; squeezenet1_1 begins with random ones.\n"
        "torch.Size([1, 2]) 2\ntorch.Size([1, 2]) SqueezeNet1_1_Weights.IMAGENET1K_V1\n"
    )
