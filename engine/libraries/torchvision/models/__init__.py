"""`torchvision.models`: image classifiers, with torchvision's modules, names and first weights, and no trained ones."""

from __future__ import annotations

from . import alexnet as _alexnet
from . import densenet as _densenet
from . import mobilenetv2 as _mobilenetv2
from . import resnet as _resnet
from . import squeezenet as _squeezenet
from . import vgg as _vgg
from .building import get_model, get_model_builder, get_model_weights, list_models

__all__ = ["get_model", "get_model_builder", "get_model_weights", "list_models"]
for _file in (_alexnet, _densenet, _mobilenetv2, _resnet, _squeezenet, _vgg):
    __all__ += _file.__all__
    globals().update({name: getattr(_file, name) for name in _file.__all__})
