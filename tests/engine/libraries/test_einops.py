"""`einops` against the package itself, on arrays and on tensors of PyTorch: values, graphs, and words about a wrong pattern."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import engine
from engine.libraries import einops as ours
from engine.libraries.einops.layers import torch as our_layers

theirs = pytest.importorskip("einops")
torch = pytest.importorskip("torch")
their_layers = pytest.importorskip("einops.layers.torch")

REARRANGED: list[tuple[tuple[int, ...], str, dict[str, int]]] = [
    ((2, 3, 4, 5), "b c h w -> b h w c", {}),
    ((2, 3, 4, 6), "b c (h a) (w d) -> (b a d) c h w", {"a": 2, "d": 3}),
    ((2, 3, 4), "b ... -> ... b", {}),
    ((2, 3, 4), "... (a b) -> (... a) b", {"a": 2}),
    ((2, 1, 4), "a 1 b -> a b 1", {}),
    ((2, 4), "a b -> a () b", {}),
    ((2, 3), " a b  ->  b a ", {}),
    ((6, 3), "(a b) c -> a (c b)", {"a": 6}),
    ((2, 3), "a b -> a", {}),
    ((2, 3), "a b c -> a b c", {}),
    ((2, 6), "a (b c) -> a b c", {}),
    ((2, 6), "a (b c) -> a b c", {"b": 4}),
    ((2, 3), "a a -> a", {}),
    ((2, 3), "a .. -> a ..", {}),
    ((2, 3), "a (b -> a b", {}),
    ((2, 3), "a b) -> a b", {}),
    ((2, 3), "a _b -> a _b", {}),
    ((2, 3), "a b -> a b", {"c": 2}),
    ((2, 3), "a ((b)) -> a b", {}),
    ((2, 4), "a 4 -> a 4", {}),
    ((2, 3), "(a ...) b -> a b ...", {}),
    ((2, 3), "a b -> ... a b", {}),
    ((2, 3), "a b c ... -> a b c ...", {}),
    ((2, 3), "a $ -> a $", {}),
]
REDUCED: list[tuple[tuple[int, ...], str, Any, dict[str, int]]] = [
    ((2, 3, 4, 6), "b c (h 2) (w 3) -> b c h w", "max", {}),
    ((2, 3, 4, 6), "b c h w -> b c", "mean", {}),
    ((2, 3, 4), "b c h -> b () h", "sum", {}),
    ((2, 3, 4), "b c h -> ", "min", {}),
    ((2, 3, 4), "b c h -> h", "prod", {}),
    ((4, 6), "(h h2) (w w2) -> h w", "mean", {"h2": 2, "w2": 2}),
    ((2, 3, 4), "... h w -> ...", "sum", {}),
    ((2, 3), "a b -> b", lambda x, axes: x.sum(axes) * 2, {}),
    ((2, 3), "a b -> a c", "sum", {}),
    ((2, 3), "a b -> a", "median", {}),
]
REPEATED: list[tuple[tuple[int, ...], str, dict[str, int]]] = [
    ((2, 3), "h w -> h w c", {"c": 3}),
    ((2, 3), "h w -> (h 2) w", {}),
    ((2, 3), "h w -> (h a) (w b)", {"a": 2, "b": 2}),
    ((2, 3), "... -> n ...", {"n": 4}),
    ((2, 3), "h w -> h", {}),
    ((2, 3), "h w -> h w c", {}),
]
SUMMED = [
    "b i, o i -> b o",
    "b i, b i",
    "b (i), o i -> b o",
    "b i, o i -> z",
    "... i, o i -> ... o",
    "b 4, o 4 -> b o",
    "b (), o -> b",
]


def agree(code: Callable[..., Any], *shapes: tuple[int, ...]) -> None:
    """Assert that both give the same on the same numbers, as arrays and as tensors, or fail with the same words."""
    arrays = [np.random.default_rng(k).random(shape).astype(np.float32) for k, shape in enumerate(shapes)]
    for mine, other in ((arrays, arrays), (tensors(engine, arrays), tensors(torch, arrays))):
        here, there = tried(code, ours, mine), tried(code, theirs, other)
        assert isinstance(here, str) == isinstance(there, str), (here, there)
        if isinstance(there, str):
            assert here == there
        else:
            assert type(getattr(here, "grad_fn", None)).__name__ == type(getattr(there, "grad_fn", None)).__name__
            np.testing.assert_allclose(
                *(x if isinstance(x, np.generic) else e.asnumpy(x) for e, x in ((ours, here), (theirs, there))), rtol=1e-6
            )


def tensors(t: Any, arrays: list[Any]) -> list[Any]:
    return [t.tensor(a, requires_grad=True) for a in arrays]


def tried(code: Callable[..., Any], library: Any, given: list[Any]) -> Any:
    try:
        return code(library, *given)
    except Exception as error:
        return f"{type(error).__name__}: {error}"


@pytest.mark.parametrize(("shape", "pattern", "lengths"), REARRANGED)
def test_rearrange(shape: tuple[int, ...], pattern: str, lengths: dict[str, int]) -> None:
    agree(lambda e, x: e.rearrange(x, pattern, **lengths), shape)


@pytest.mark.parametrize(("shape", "pattern", "how", "lengths"), REDUCED)
def test_reduce(shape: tuple[int, ...], pattern: str, how: Any, lengths: dict[str, int]) -> None:
    agree(lambda e, x: e.reduce(x, pattern, how, **lengths), shape)


@pytest.mark.parametrize(("shape", "pattern", "lengths"), REPEATED)
def test_repeat(shape: tuple[int, ...], pattern: str, lengths: dict[str, int]) -> None:
    agree(lambda e, x: e.repeat(x, pattern, **lengths), shape)


@pytest.mark.parametrize("pattern", SUMMED)
def test_einsum(pattern: str) -> None:
    agree(lambda e, x, y: e.einsum(x, y, pattern), (3, 4), (2, 4))


def test_what_einsum_takes() -> None:
    agree(lambda e, x: e.einsum(x, "i i ->"), (3, 3))
    agree(lambda e, x: e.einsum(x))
    agree(lambda e, x: e.einsum(x, x), (2, 2))


@pytest.mark.parametrize("pattern", ["b h w -> h w b", "b h -> h b"])
def test_a_list_is_stacked(pattern: str) -> None:
    agree(lambda e, x, y: e.rearrange([x, y], pattern), (2, 3), (2, 3))
    agree(lambda e: e.rearrange([], pattern))


@pytest.mark.parametrize("pattern", ["i *", "i * k", "i k", "* *", "i j k *", "_i *"])
def test_pack(pattern: str) -> None:
    agree(lambda e, x, y: e.pack([x, y], pattern)[0], (3, 4), (3, 2, 4))
    agree(lambda e, x, y: str([tuple(s) for s in e.pack([x, y], pattern)[1]]), (3, 4), (3, 2, 4))


@pytest.mark.parametrize("shapes", [[(2,), (3,)], [(2,), (-1,)], [(-1,), (1, 2)], [(2,), (3, 2)], [(-1,), (-1, 2)], [(5,)]])
def test_unpack(shapes: Any) -> None:
    agree(lambda e, x: e.unpack(x, shapes, "i *")[0], (3, 5))
    agree(lambda e, x: str([tuple(part.shape) for part in e.unpack(x, shapes, "i *")]), (3, 5))
    agree(lambda e, x: e.unpack(x, shapes, "i j *"), (3, 5))


@pytest.mark.parametrize("pattern", ["b c", "b _", "b c d", "b 4", "b 3", "(b c)", "... c", "b ... 1", "b c ... d"])
def test_parse_shape(pattern: str) -> None:
    agree(lambda e, x: str(e.parse_shape(x, pattern)), (3, 4))


@pytest.mark.parametrize("other", [[1, 2], "x", 3.0, None])
def test_what_is_no_tensor(other: Any) -> None:
    agree(lambda e: e.rearrange(other, "a -> a"))


def test_a_mean_of_whole_numbers() -> None:
    agree(lambda e, x: e.reduce(x.astype(int) if isinstance(x, np.ndarray) else x.long(), "a b -> a", "mean"), (2, 3))


def test_a_module_with_a_pattern_that_is_none() -> None:
    told = []
    for layers in (our_layers, their_layers):
        with pytest.raises(RuntimeError) as error:
            layers.Rearrange("a b -> b a", c=2)
        told.append(str(error.value))
    assert told[0] == told[1]


def test_modules_print_and_compute_as_the_packages_do() -> None:
    x = np.arange(8.0, dtype=np.float32).reshape(2, 4)
    for make in (
        lambda m: m.Rearrange("a (b c) -> c a b", c=2),
        lambda m: m.Rearrange("... a b -> ... b a"),
        lambda m: m.Reduce("a (b 2) -> a b", "max"),
    ):
        here, there = make(our_layers), make(their_layers)
        assert repr(here) == repr(there)
        np.testing.assert_array_equal(here(engine.tensor(x)).numpy(), there(torch.tensor(x)).numpy())
