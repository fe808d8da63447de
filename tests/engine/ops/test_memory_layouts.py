"""Memory formats and strides: where the elements of results stand in memory, as PyTorch lays them out."""

from __future__ import annotations

import io
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import engine
from engine.context import context
from engine.memory_layout import in_format, innermost_first, is_dense, kept, suggested, viewed

torch = pytest.importorskip("torch")

MADE = [
    "x.to(memory_format=t.channels_last)", "x.contiguous(memory_format=t.channels_last)",
    "x.double(memory_format=t.channels_last)", "x.clone(memory_format=t.channels_last)",
    "t.clone(c, memory_format=t.contiguous_format)", "c.clone()", "c.double()",
    "x.to(t.float64, memory_format=t.channels_last)", "c.to(memory_format=t.contiguous_format)", "c.contiguous()",
    "c.cpu()", "t.empty(2, 3, 4, 5, memory_format=t.channels_last)", "t.empty_like(c)",
    "t.zeros_like(x, memory_format=t.channels_last)", "t.ones_like(c, memory_format=t.contiguous_format)",
    "t.full_like(c, 2.0)", "t.rand_like(c)", "t.randn_like(c)", "t.randint_like(c, 9)",
    "t.zeros_like(x.transpose(0, 2)[:, ::2])", "x.transpose(0, 2)[:, ::2].clone()", "c.new_zeros(c.shape)",
    "v.to(memory_format=t.channels_last_3d)", "v.contiguous(memory_format=t.channels_last)",
    "x[0].to(memory_format=t.channels_last)", "x.clone(memory_format=t.channels_last_3d)",
    "c.contiguous(memory_format=t.preserve_format)", "x.contiguous(memory_format=1)",
    "t.empty(2, 3, memory_format=t.preserve_format)", "x.is_contiguous(memory_format=1)", "x.clone(memory_format='rows')",
    "x[:, :1].contiguous().to(memory_format=t.channels_last).stride()",
    "x[:, :1].contiguous(memory_format=t.channels_last)", "c.is_contiguous()",
    "c.is_contiguous(memory_format=t.channels_last)", "x.is_contiguous(memory_format=t.channels_last)",
    "x[0].is_contiguous(memory_format=t.channels_last)", "c.stride(1)", "c.stride(-1)", "c.stride(4)", "c.dim_order()",
    "v.to(memory_format=t.channels_last_3d).dim_order()", "x[:1].dim_order(ambiguity_check=True)",
    "x.dim_order(ambiguity_check=[t.contiguous_format, t.channels_last])", "x[:1].expand(4, -1, -1, -1).dim_order()",
    "x[:1].expand(4, -1, -1, -1).dim_order(ambiguity_check=True)", "x.dim_order(ambiguity_check=1)",
    "t.empty(2, 0, 3).stride()", "c.resize_(2, 3, 4, 4, memory_format=t.channels_last)",
    "t.empty(0).resize_as_(c, memory_format=t.preserve_format)", "x.clone().resize_(2, 3, memory_format=t.channels_last)",
    "x.clone().resize_(2, 3, memory_format=t.preserve_format)", "__import__('copy').deepcopy(c)",
    "__import__('copy').deepcopy(x[:, :, ::2])", "t.tensor(c)", "x.type_as(c)", "c.to(x.double())",
]  # fmt: skip
"""What makes a tensor in a memory format, and what is told of one."""

KEPT = [
    "c + 1", "c + x", "x + c", "c.relu()", "c.exp()", "c > 0", "t.where(c > 0, c, x)", "c.half()", "c.lerp(x, 0.5)",
    "c.addcmul(x, x)", "1 - c", "c * t.ones(3, 1, 1)", "t.ones(3, 1, 1) * c", "t.maximum(x, c)", "F.silu(c)", "F.gelu(c)",
    "F.hardtanh(c)", "F.logsigmoid(c)", "F.glu(t.cat([c, c], 1), 1)", "c.sum(1)", "c.sum(1, keepdim=True)",
    "c.mean((2, 3))", "c.amax(1)", "c.std(1)", "c.cumsum(1)", "c.softmax(1)", "c.sort(1)[0]", "c.topk(2, 1)[0]",
    "t.cat([c, c], 1)", "t.cat([c, x], 1)", "t.stack([c, c])", "t.stack([c, c], 4)", "c[0]", "c[:, 1]", "c[:, :1]",
    "c[None]", "c[:, [0, 2]]", "c[t.tensor([0, 1])]", "c[:, None, :, [0, 1]]", "x[:, [0, 1]]", "x[:, :, [0, 1]]",
    "x[[0, 1], :, [1, 2]]", "c[c > 0]", "c.permute(0, 2, 3, 1)", "c.transpose(0, 1) + 1", "c.flatten(1)",
    "c.reshape(2, -1)", "c.ravel()", "c.view(2, 3, 20)", "c.view(-1)", "c.view(2, -1)", "c.view(2, 1, 3, 4, 5)",
    "c.permute(0, 2, 3, 1).view(-1)", "c.unsqueeze(2)", "c[:, :1].squeeze()", "c[:, :1].squeeze(1)",
    "x[:, :1].expand(2, 3, 4, 5)", "t.ones(1).expand(1, 1)", "c.mT @ c", "c.flip(1)", "c.roll(1, 1)", "c.roll(1)",
    "t.rot90(c)", "c.masked_fill(c > 0, 1)", "c.clamp(0, 1)", "c.clamp(t.zeros(5))", "c.repeat(1, 2, 1, 1)",
    "F.conv2d(c, w)", "F.conv2d(x, w.to(memory_format=t.channels_last))", "F.conv_transpose2d(c, w)",
    "F.conv2d(c, w, stride=2)", "F.conv1d(x[0].mT, t.ones(2, 5, 2))", "F.conv1d(c[0], t.ones(2, 4, 2))",
    "F.max_pool2d(c, 2)", "F.avg_pool2d(c, 2)", "F.max_pool2d(c, 2, return_indices=True)[1]",
    "F.adaptive_avg_pool2d(c, 2)", "F.adaptive_avg_pool2d(c, 1)", "F.avg_pool1d(c[0], 2)",
    "F.batch_norm(c, None, None, training=True)", "F.batch_norm(c, t.zeros(3), t.ones(3))", "F.group_norm(c, 3)",
    "F.instance_norm(c)", "F.layer_norm(c, [5])", "F.interpolate(c, scale_factor=2)",
    "F.interpolate(c, scale_factor=2, mode='bilinear')", "F.pad(c, (1, 1))", "F.pad(c, (1, 1, 1, 1), mode='reflect')",
    "F.pad(c, (1, 1, 1, 1), mode='circular')", "F.pixel_shuffle(t.cat([c[:, :2]] * 2, 1), 2)", "F.dropout(c + 1)",
    "F.dropout2d(c)", "F.mse_loss(c, x, reduction='none')", "F.cross_entropy(c, c.argmax(1), reduction='none')",
    "F.conv3d(d, t.ones(2, 3, 2, 2, 2))", "F.max_pool3d(d, 2)", "F.avg_pool3d(d, 2)", "d + 1",
    "F.interpolate(d, scale_factor=2)", "c.uniform_()", "c.normal_()", "c.bernoulli_(0.5)",
    "t.zeros(4, 5).t().exponential_()", "t.zeros(4, 9)[:, ::2].t().uniform_()",
    "t._unsafe_masked_index(x[0, 0], t.ones(2, 5, dtype=t.bool), [t.tensor([0, 1])], 0)",
    "c.index_put((t.tensor([1]),), t.ones(()))",
    "t.meshgrid(t.ones(1), t.ones(3), indexing='ij')[0]", "t.linalg.cross(x[:, :, :3], x[:, :, :3], dim=2)",
    "x.cummax(0)[0]", "t.permute_copy(x, (0, 2, 3, 1))", "c.t_copy() if c.ndim == 2 else t.narrow_copy(c, 1, 0, 2)",
]  # fmt: skip
"""What operations make of a tensor in a memory format."""


def given(t: ModuleType) -> dict[str, Any]:
    """A tensor that stands row by row, the same with channels last, both in three dimensions, and kernels."""
    numbers = np.random.default_rng(0)
    x = t.from_numpy(numbers.normal(size=(2, 3, 4, 5)).astype("float32"))
    v = t.from_numpy(numbers.normal(size=(2, 3, 2, 4, 3)).astype("float32"))
    w = t.from_numpy(numbers.normal(size=(3, 3, 2, 2)).astype("float32"))
    c, d = x.contiguous(memory_format=t.channels_last), v.contiguous(memory_format=t.channels_last_3d)
    t.manual_seed(3)
    return {"t": t, "F": t.nn.functional, "x": x, "c": c, "v": v, "d": d, "w": w}


def told(t: ModuleType, text: str) -> Any:
    """The strides and the values of what an expression gives, or how it fails."""
    try:
        found = eval(text, given(t))
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    if not isinstance(found, t.Tensor):
        return found
    return tuple(found.shape), found.stride(), found.is_contiguous(), np.round(found.double().numpy(), 4).tolist()


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("text", MADE)
def test_a_memory_format(text: str) -> None:
    ours, theirs = told(engine, text), told(torch, text)
    if isinstance(theirs, str):
        assert ours.partition("\n")[0] == theirs.partition("\n")[0]
    elif "empty" in text:
        assert ours[:3] == theirs[:3]
    else:
        assert ours == theirs


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("text", KEPT)
def test_what_becomes_of_it(text: str) -> None:
    ours, theirs = told(engine, text), told(torch, text)
    if isinstance(theirs, str):
        assert ours == theirs
        return
    assert ours[:3] == theirs[:3]
    np.testing.assert_allclose(ours[3], theirs[3], rtol=2e-3, atol=2e-3)


def trained(t: ModuleType) -> list[Any]:
    """The strides of all that a step of training makes."""
    nn = t.nn
    t.manual_seed(0)
    model = nn.Sequential(
        nn.Conv2d(3, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(4, 6, 3), nn.GroupNorm(2, 6),
        nn.SiLU(), nn.Upsample(scale_factor=2), nn.Dropout(0.5), nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Linear(24, 3),
    ).to(memory_format=t.channels_last)  # fmt: skip
    found, h = [], t.randn(2, 3, 8, 8).to(memory_format=t.channels_last)
    for layer in model:
        h = layer(h)
        found.append((type(layer).__name__, h.stride()))
    h.square().sum().backward()
    optimizer = t.optim.Adam(model.parameters(), lr=0.1)
    optimizer.step()
    for name, p in model.named_parameters():
        states = [s.stride() for s in optimizer.state[p].values()]
        found.append((name, p.stride(), p.grad.stride(), states, round(float(p.grad.sum()), 3)))
    return [*found, [(name, s.stride()) for name, s in model.state_dict().items()]]


def test_a_model_in_a_memory_format() -> None:
    assert trained(engine) == trained(torch)


@pytest.mark.parametrize("wanted", ["channels_last_3d", "preserve_format", "contiguous_format"])
def test_a_module_in_another_format(wanted: str) -> None:
    def strides(t: ModuleType) -> Any:
        try:
            return t.nn.Conv2d(3, 4, 3).to(memory_format=getattr(t, wanted)).weight.stride()
        except RuntimeError as error:
            return str(error)

    assert strides(engine) == strides(torch)


def test_a_module_is_given_the_format_by_its_name() -> None:
    with pytest.raises(TypeError, match=r"^to\(\) received an invalid combination of arguments"):
        engine.nn.Linear(2, 3).to(engine.channels_last)
    with pytest.raises(TypeError, match=r"^to\(\) received an invalid combination of arguments"):
        engine.nn.Linear(2, 3).to(memory_format="channels_last")
    with pytest.raises(TypeError, match=r"^to\(\) received an invalid combination of arguments"):
        engine.ones(2, 3).to(engine.channels_last)


def test_gradients_take_the_strides_of_their_leaves() -> None:
    def strides(t: ModuleType) -> list[Any]:
        names = given(t)
        rows, last = names["x"].clone().requires_grad_(), names["c"].clone().requires_grad_()
        part = t.zeros(2, 3, 4, 10)[..., ::2].requires_grad_()
        ((rows + last + part) * names["c"]).sum().backward()
        (rows.grad + last.grad).sum()
        copied = last.clone(memory_format=t.contiguous_format)
        (grad,) = t.autograd.grad(copied.square().sum(), last)
        return [rows.grad.stride(), last.grad.stride(), part.grad.stride(), grad.shape, copied.grad_fn.name()]

    assert strides(engine) == strides(torch)


def written(t: ModuleType) -> list[Any]:
    """What becomes of gradients where a tensor with channels last is written through views that row by row would not have."""
    names = given(t)
    leaf = names["c"].clone().requires_grad_()
    base = leaf * 2
    row = base.permute(0, 2, 3, 1).view(-1)
    row[::3].mul_(5.0)
    other = base.permute(0, 2, 3, 1).view(40, 3)
    other[1:3] += row[12:18].view(2, 3)
    (base * names["x"]).sum().backward()
    twice = names["c"].clone().requires_grad_()
    base = twice * 3
    base.permute(0, 2, 3, 1).view(-1)[:7].zero_()
    (grad,) = t.autograd.grad((base.square() * names["x"]).sum(), twice, create_graph=True)
    grad.square().sum().backward()
    return [v.contiguous().view(-1).tolist() for v in (leaf.grad, row, other, twice.grad)]


def test_views_of_it_are_written_through() -> None:
    for ours, theirs in zip(written(engine), written(torch), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-4)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("text", ["c + 1", "c", "x.transpose(0, 2).clone()", "F.relu(d)", "c[:, 1:]"])
def test_its_memory(text: str) -> None:
    def seen(t: ModuleType) -> list[Any]:
        found = eval(text, given(t))
        stored = io.BytesIO()
        t.save(found, stored)
        stored.seek(0)
        back = t.load(stored)
        corner = found.as_strided((2, 3), (4, 1))
        part = [round(v, 5) for v in (*corner.reshape(-1).tolist(), *back.reshape(-1).tolist()[:9])]
        return [found.storage().tolist()[:30], corner.stride(), back.stride(), *part, found.storage_offset()]

    ours, theirs = seen(engine), seen(torch)
    np.testing.assert_allclose(ours.pop(0), theirs.pop(0), rtol=1e-5)
    assert ours == theirs


def test_nothing_is_looked_at_where_all_stands_row_by_row() -> None:
    before, context.layouts = context.layouts, None
    try:
        x = engine.randn(3, 4, requires_grad=True)
        (engine.nn.Linear(4, 2)(x).relu() * 2).sum().backward()
        assert context.layouts is None
        assert x.t().stride() == (1, 4)
        assert context.layouts is not None
    finally:
        context.layouts = before


def test_the_rules_on_shapes() -> None:
    assert in_format((2, 3, 4, 5), engine.channels_last) == (60, 1, 15, 3)
    assert is_dense((2, 3), (1, 2))
    assert not is_dense((2, 3), (6, 2))
    assert innermost_first((2, 3, 4), [(12, 0, 3), (0, 1, 0)]) == [2, 1, 0]
    assert viewed((2, 3, 4), (12, 4, 1), (6, 4)) == (4, 1)
    assert viewed((3, 4), (1, 3), (12,)) is None
    assert kept(np.zeros((4, 6))[:, ::2].T) == (1, 3)
    assert suggested(np.zeros((2, 5, 5, 3)).transpose(0, 3, 1, 2)) is engine.channels_last
