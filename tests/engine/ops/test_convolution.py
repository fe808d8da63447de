"""Convolutions, pooling and resampling beside PyTorch: values, graphs, gradients and second gradients."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import engine
from engine.ops.calling import declared_as
from tests.engine.oracle import compare, outcome

torch = pytest.importorskip("torch")


def numbers(*shapes: tuple[int, ...]) -> list[Any]:
    """Arrays of random numbers."""
    generator = np.random.default_rng(0)
    return [generator.standard_normal(s) for s in shapes]


CONVOLUTIONS: list[tuple[str, list[tuple[int, ...]], dict[str, Any]]] = [
    ("conv1d", [(2, 4, 9), (6, 4, 3), (6,)], {}),
    ("conv1d", [(4, 9), (6, 4, 3), (6,)], {"stride": 2, "padding": 1}),
    ("conv1d", [(2, 4, 9), (6, 2, 3)], {"groups": 2, "dilation": 2}),
    ("conv1d", [(2, 4, 9), (6, 4, 3)], {"padding": "same"}),
    ("conv1d", [(2, 4, 9), (6, 4, 4)], {"padding": "same"}),
    ("conv1d", [(2, 4, 9), (6, 4, 4)], {"padding": "valid"}),
    ("conv2d", [(2, 3, 6, 7), (4, 3, 3, 3), (4,)], {}),
    ("conv2d", [(3, 6, 7), (4, 3, 3, 2), (4,)], {"padding": 1}),
    ("conv2d", [(2, 3, 6, 7), (4, 3, 3, 2)], {"stride": (2, 1), "padding": (1, 0), "dilation": (1, 2)}),
    ("conv2d", [(2, 4, 6, 7), (8, 1, 3, 3), (8,)], {"groups": 4, "padding": 1}),
    ("conv2d", [(2, 3, 5, 5), (4, 3, 1, 1), (4,)], {}),
    ("conv2d", [(2, 3, 5, 6), (4, 3, 2, 3)], {"padding": "same", "dilation": (1, 2)}),
    ("conv2d", [(2, 3, 5, 5), (4, 3, 2, 2)], {"stride": 3, "padding": 2}),
    ("conv2d", [(2, 1, 5, 5), (16, 1, 3, 3)], {}),
    ("conv3d", [(2, 3, 4, 5, 4), (4, 3, 2, 3, 2), (4,)], {"padding": (0, 1, 1)}),
    ("conv3d", [(2, 4, 4, 5, 4), (4, 2, 2, 2, 2)], {"groups": 2, "stride": 2}),
    ("conv_transpose1d", [(2, 4, 5), (4, 3, 3), (3,)], {}),
    ("conv_transpose1d", [(4, 5), (4, 3, 3), (3,)], {"stride": 2, "padding": 1, "output_padding": 1}),
    ("conv_transpose2d", [(2, 4, 4, 5), (4, 3, 3, 3), (3,)], {"padding": 1}),
    ("conv_transpose2d", [(2, 4, 4, 3), (4, 2, 3, 2)], {"groups": 2, "stride": (2, 3), "output_padding": (1, 2)}),
    ("conv_transpose2d", [(2, 4, 4, 3), (4, 3, 2, 2)], {"dilation": 2, "output_padding": 1}),
    ("conv_transpose3d", [(2, 2, 3, 3, 2), (2, 3, 2, 2, 2), (3,)], {"stride": 2}),
]


@pytest.mark.filterwarnings("ignore:Using padding='same'")
@pytest.mark.parametrize(("name", "shapes", "options"), CONVOLUTIONS)
def test_convolution(name: str, shapes: list[tuple[int, ...]], options: dict[str, Any]) -> None:
    """A convolution and both its derivatives."""

    def code(t: Any, input: Any, weight: Any, bias: Any = None) -> Any:
        return getattr(t.nn.functional, name)(input, weight, bias, **options)

    compare(torch, code, numbers(*shapes))


@pytest.mark.parametrize("needs", [(True, False, False), (False, True, False), (False, False, True)])
def test_some_gradients(needs: tuple[bool, ...]) -> None:
    """Where only one of the inputs needs a gradient."""
    arrays = numbers((2, 3, 6, 6), (4, 3, 3, 3), (4,))

    def code(t: Any, *tensors: Any) -> Any:
        kept = [x if n else x.detach() for x, n in zip(tensors, needs, strict=True)]
        return t.nn.functional.conv2d(*kept)

    compare(torch, code, arrays, second=False)


def test_conv_tbc() -> None:
    """Time first, channels last."""
    compare(torch, lambda t, x, w, b: t.conv_tbc(x, w, b, 1), numbers((5, 2, 3), (3, 3, 4), (4,)))


POOLS: list[tuple[str, tuple[int, ...], dict[str, Any]]] = [
    ("max_pool1d", (2, 3, 9), {"kernel_size": 3}),
    ("max_pool1d", (3, 9), {"kernel_size": 3, "stride": 2, "padding": 1, "ceil_mode": True}),
    ("max_pool2d", (2, 3, 7, 6), {"kernel_size": 2}),
    ("max_pool2d", (2, 3, 7, 6), {"kernel_size": 3, "stride": 2, "padding": 1}),
    ("max_pool2d", (3, 7, 6), {"kernel_size": (2, 3), "stride": 1, "dilation": 2, "padding": (1, 1)}),
    ("max_pool2d", (2, 3, 7, 6), {"kernel_size": 3, "stride": 2, "ceil_mode": True}),
    ("max_pool3d", (2, 3, 5, 4, 6), {"kernel_size": 2, "stride": (1, 2, 2)}),
    ("avg_pool1d", (2, 3, 9), {"kernel_size": 3, "stride": 2}),
    ("avg_pool2d", (2, 3, 7, 6), {"kernel_size": 2}),
    ("avg_pool2d", (2, 3, 7, 6), {"kernel_size": 3, "stride": 2, "padding": 1, "count_include_pad": False}),
    ("avg_pool2d", (3, 7, 6), {"kernel_size": 3, "stride": 2, "padding": 1, "ceil_mode": True}),
    ("avg_pool2d", (2, 3, 7, 6), {"kernel_size": (2, 3), "divisor_override": 5}),
    ("avg_pool3d", (2, 3, 5, 4, 6), {"kernel_size": 2, "padding": 1}),
    ("adaptive_avg_pool1d", (2, 3, 7), {"output_size": 3}),
    ("adaptive_avg_pool2d", (2, 3, 7, 6), {"output_size": (3, 4)}),
    ("adaptive_avg_pool2d", (3, 7, 6), {"output_size": 1}),
    ("adaptive_avg_pool2d", (2, 3, 7, 6), {"output_size": (None, 2)}),
    ("adaptive_avg_pool3d", (2, 3, 5, 4, 6), {"output_size": 2}),
    ("adaptive_max_pool1d", (2, 3, 7), {"output_size": 3}),
    ("adaptive_max_pool2d", (2, 3, 7, 6), {"output_size": (3, 4)}),
    ("adaptive_max_pool2d", (2, 3, 7, 6), {"output_size": (3, None)}),
    ("adaptive_max_pool3d", (2, 3, 5, 4, 6), {"output_size": 2}),
    ("lp_pool1d", (2, 3, 9), {"norm_type": 3, "kernel_size": 2}),
    ("lp_pool2d", (2, 3, 7, 6), {"norm_type": 2, "kernel_size": (2, 3), "stride": 2}),
    ("lp_pool3d", (2, 3, 5, 4, 6), {"norm_type": 2.0, "kernel_size": 2}),
]


@pytest.mark.parametrize(("name", "shape", "options"), POOLS)
def test_pool(name: str, shape: tuple[int, ...], options: dict[str, Any]) -> None:
    """A pooling and both its derivatives."""
    compare(torch, lambda t, x: getattr(t.nn.functional, name)(x, **options), numbers(shape))


@pytest.mark.parametrize("name", [n for n, _, o in POOLS if "max" in n and "adaptive" not in n])
def test_indices(name: str) -> None:
    """Where the largest stand, with equal ones and NaN among the elements; and putting them back."""
    dims = int(name[-2])
    x = np.random.default_rng(1).integers(0, 3, (2, 3, *[6] * dims)).astype(np.float32)
    x[0, 0] = -np.inf
    x[1, 1, 2] = np.nan

    def pooled(t: Any, x: Any) -> Any:
        return getattr(t.nn.functional, name)(x, 3, 2, 1, return_indices=True)

    def unpooled(t: Any, x: Any) -> Any:
        values, places = getattr(t.nn.functional, name)(x, 2, return_indices=True)
        return getattr(t.nn.functional, name.replace("pool", "unpool"))(values, places, 2)

    compare(torch, pooled, [x], second=False)
    compare(torch, unpooled, numbers(x.shape))


IMAGES: list[tuple[Any, tuple[int, ...]]] = [
    (lambda f, x: f.unfold(x, 2), (2, 3, 4, 5)),
    (lambda f, x: f.unfold(x, (3, 2), dilation=(1, 2), padding=1, stride=2), (2, 3, 7, 6)),
    (lambda f, x: f.unfold(x, 2), (3, 4, 5)),
    (lambda f, x: f.fold(x, (4, 5), 2), (2, 12, 12)),
    (lambda f, x: f.fold(x, (5, 6), 3, padding=1, stride=2), (2, 18, 9)),
    (lambda f, x: f.pixel_shuffle(x, 2), (2, 8, 3, 4)),
    (lambda f, x: f.pixel_unshuffle(x, 2), (2, 3, 4, 6)),
    (lambda f, x: f.channel_shuffle(x, 3), (2, 6, 3, 2)),
    (lambda f, x: f.interpolate(x, size=7), (2, 3, 4)),
    (lambda f, x: f.interpolate(x, scale_factor=2), (2, 3, 4, 3)),
    (lambda f, x: f.interpolate(x, scale_factor=(0.6, 1.7), mode="nearest-exact"), (2, 3, 4, 3)),
    (lambda f, x: f.interpolate(x, size=(2, 5, 3)), (2, 3, 4, 3, 2)),
    (lambda f, x: f.interpolate(x, size=7, mode="linear"), (2, 3, 4)),
    (lambda f, x: f.interpolate(x, scale_factor=1.5, mode="bilinear"), (2, 3, 4, 5)),
    (lambda f, x: f.interpolate(x, scale_factor=1.7, mode="bilinear", recompute_scale_factor=True), (2, 3, 4, 5)),
    (lambda f, x: f.interpolate(x, size=(3, 8), mode="bilinear", align_corners=True), (2, 3, 4, 5)),
    (lambda f, x: f.interpolate(x, size=(3, 8), mode="bicubic"), (2, 3, 4, 5)),
    (lambda f, x: f.interpolate(x, size=(2, 3), mode="bilinear", antialias=True), (2, 3, 6, 5)),
    (lambda f, x: f.interpolate(x, size=(2, 3), mode="bicubic", antialias=True), (2, 3, 6, 5)),
    (lambda f, x: f.interpolate(x, scale_factor=2, mode="trilinear"), (2, 3, 3, 2, 4)),
    (lambda f, x: f.interpolate(x, size=(3, 2), mode="area"), (2, 3, 4, 5)),
    (lambda f, x: f.affine_grid(x, (2, 3, 4, 5), align_corners=False), (2, 2, 3)),
    (lambda f, x: f.affine_grid(x, (2, 3, 4, 5, 3), align_corners=True), (2, 3, 4)),
]


@pytest.mark.parametrize(("code", "shape"), IMAGES)
def test_image(code: Any, shape: tuple[int, ...]) -> None:
    """Rearranging and resampling, and both derivatives."""
    compare(torch, lambda t, x: code(t.nn.functional, x), numbers(shape))


@pytest.mark.parametrize("align", [True, False])
@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("mode", ["bilinear", "nearest", "bicubic"])
def test_grid_sample(mode: str, padding: str, align: bool) -> None:
    """Sampling at points inside and outside of the image, in two and three dimensions."""

    def code(t: Any, x: Any, grid: Any) -> Any:
        return t.nn.functional.grid_sample(x, grid, mode, padding, align)

    compare(torch, code, numbers((2, 3, 4, 5), (2, 3, 6, 2)))
    if mode != "bicubic":
        compare(torch, code, numbers((2, 3, 4, 5, 3), (2, 3, 2, 2, 3)))


WRONG: list[str] = [
    "F.conv2d(r(2, 4, 8, 8), r(4, 3, 3, 3))",
    "F.conv2d(r(2, 3, 8, 8), r(4, 3, 3, 3), r(3))",
    "F.conv2d(r(2, 3, 2, 8), r(4, 3, 3, 3))",
    "F.conv2d(r(8, 8), r(4, 3, 3, 3))",
    "F.conv2d(r(2, 3, 8, 8), r(4, 3, 3, 3), stride=(1, 1, 1))",
    "F.conv2d(r(2, 3, 8, 8), r(4, 3, 3, 3), padding='some')",
    "F.conv2d(r(2, 3, 8, 8), r(4, 3, 3, 3), padding='same', stride=2)",
    "F.conv2d(r(2, 3, 8, 8), r(5, 1, 3, 3), groups=3)",
    "F.conv2d(r(2, 3, 8, 8), r(4, 3, 3, 3).double())",
    "F.conv_transpose2d(r(2, 3, 8, 8), r(4, 3, 3, 3))",
    "F.conv_transpose2d(r(2, 3, 8, 8), r(3, 4, 3, 3), output_padding=1)",
    "F.max_pool2d(r(1, 2, 8, 8), 2, padding=2)",
    "F.max_pool2d(r(1, 2, 1, 8), 2)",
    "F.max_pool1d(r(1, 2, 8), 9)",
    "F.avg_pool2d(r(1, 2, 8, 8), 2, divisor_override=0)",
    "F.avg_pool3d(r(2, 8, 8, 8), 9)",
    "F.adaptive_avg_pool2d(r(2, 3, 8, 8), (2, 2, 2))",
    "F.unfold(r(1, 3, 4, 4), 5)",
    "F.fold(r(12, 8), 4, 2)",
    "F.pixel_shuffle(r(3, 4, 4), 2)",
    "F.interpolate(r(2, 3, 4), size=2, mode='bilinear')",
    "F.grid_sample(r(2, 3, 4, 4), r(1, 5, 5, 2))",
]


@pytest.mark.parametrize("text", WRONG)
def test_errors(text: str) -> None:
    """The same exception, in the same words."""

    def code(t: Any) -> Any:
        return eval(text, {"F": t.nn.functional, "r": t.randn})

    ours, theirs = outcome(engine, code), outcome(torch, code)
    assert theirs[0]
    assert ours == theirs


def test_functions_of_several_dimensions_go_by_their_own_names() -> None:
    pool = engine.nn.functional.max_pool3d
    assert pool.__name__ == declared_as(pool).__code__.co_name == "max_pool3d"
    assert pool.__doc__.startswith("The largest of each window of (N, C, D, H, W) or (C, D, H, W);")
    with pytest.raises(TypeError, match=r"^conv2d\(\) received an invalid combination of arguments - got \(Tensor\)"):
        engine.conv2d(engine.zeros(1, 1, 3, 3))


LAYERS = {
    "Conv1d": ((3, 4, 4, 2, 1), 1),
    "Conv2d": ((3, 4, 4, 2, 1), 2),
    "Conv3d": ((3, 4, 4, 2, 1), 3),
    "ConvTranspose1d": ((3, 4, 4, 2, 1), 1),
    "ConvTranspose2d": ((3, 4, 4, 2, 1), 2),
    "ConvTranspose3d": ((3, 4, 4, 2, 1), 3),
    "ReflectionPad1d": ((1,), 1),
    "ReflectionPad2d": ((1,), 2),
    "ReplicationPad3d": ((1,), 3),
    "CircularPad2d": ((1,), 2),
    "ZeroPad2d": ((-1,), 2),
}


@pytest.mark.parametrize("name", LAYERS)
def test_results_and_slopes_lie_as_in_pytorch(name: str) -> None:
    """Programs view them in another shape, as a gradient penalty does."""
    args, dims = LAYERS[name]
    found = []
    for library in (engine, torch):
        x = library.ones(2, 3, *[8] * dims, requires_grad=True)
        y = getattr(library.nn, name)(*args)(x)
        slopes = [library.autograd.grad(y.sum(), x, create_graph=graph, retain_graph=True)[0] for graph in (False, True)]
        found.append([y.stride(), *(slope.stride() for slope in slopes)])
    assert found[0] == found[1]
