"""Every module against PyTorch: text, state, output, gradients, and what training changes."""

from __future__ import annotations

import warnings
from collections import OrderedDict
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import engine
from engine.errors import Unsupported
from tests.engine.oracle import array, same

pytest.importorskip("torch")
rng = np.random.default_rng(0)


def f(*shape: int, low: float = -2.0, high: float = 2.0) -> np.ndarray[Any, Any]:
    """Floating point numbers, no two of them equal."""
    return np.asarray(rng.uniform(low, high, shape), dtype=np.float32)


def unit(*shape: int) -> np.ndarray[Any, Any]:
    """Numbers inside (0, 1)."""
    return f(*shape, low=0.1, high=0.9)


def signs(*shape: int) -> np.ndarray[Any, Any]:
    """1 and -1; integers, so that they need no gradient."""
    return rng.choice([-1, 1], shape)


def fixed(a: np.ndarray[Any, Any]) -> Any:
    """An input that needs no gradient."""
    return ("fixed", a)


labels = np.array([0, 2, 1, 1])
indices = np.array([[1, 2, 0], [4, 3, 3]])
causal = np.triu(np.ones((5, 5), dtype=bool), 1)

MODULES: list[tuple[Callable[[ModuleType], Any], list[Any]]] = [
    (lambda n: n.Identity(3, unused=1), [f(2, 3)]),
    (lambda n: n.Linear(3, 4), [f(2, 3)]),
    (lambda n: n.Linear(3, 4, bias=False), [f(5, 2, 3)]),
    (lambda n: n.Bilinear(3, 4, 2), [f(5, 3), f(5, 4)]),
    # Activations.
    *[(lambda n, name=name: getattr(n, name)(), [f(3, 4)]) for name in (
        "ReLU", "ReLU6", "Hardtanh", "Sigmoid", "Hardsigmoid", "Tanh", "SiLU", "Mish", "Hardswish", "ELU", "CELU", "SELU",
        "GLU", "GELU", "Hardshrink", "LeakyReLU", "LogSigmoid", "Softplus", "Softshrink", "PReLU", "Softsign", "Tanhshrink",
    )],
    *[(lambda n, name=name: getattr(n, name)(1), [f(3, 4)]) for name in ("Softmin", "Softmax", "LogSoftmax")],
    (lambda n: n.Softmax2d(), [f(2, 3, 4, 4)]),
    (lambda n: n.Threshold(0.1, 20), [f(3, 4)]),
    (lambda n: n.GELU("tanh"), [f(3, 4)]),
    (lambda n: n.PReLU(3), [f(2, 3, 4)]),
    (lambda n: n.LeakyReLU(0.2), [f(3, 4)]),
    (lambda n: n.ELU(0.5), [f(3, 4)]),
    (lambda n: n.Hardtanh(-0.5, 0.7), [f(3, 4)]),
    (lambda n: n.RReLU().eval(), [f(3, 4)]),
    *[(lambda n, name=name: n.Sequential(n.Linear(4, 3), getattr(n, name)(inplace=True)), [f(2, 4)]) for name in (
        "ReLU", "ReLU6", "Hardtanh", "Hardsigmoid", "SiLU", "Mish", "Hardswish", "ELU", "CELU", "SELU", "LeakyReLU",
    )],
    (lambda n: n.Sequential(n.Linear(4, 3), n.Threshold(0.1, 20, inplace=True)), [f(2, 4)]),
    # Convolutions.
    (lambda n: n.Conv1d(2, 4, 3, stride=2, padding=1), [f(2, 2, 9)]),
    (lambda n: n.Conv2d(2, 4, 3), [f(2, 2, 6, 6)]),
    (lambda n: n.Conv2d(2, 4, (3, 2), stride=(2, 1), padding=1, dilation=(1, 2), groups=2, bias=False), [f(2, 2, 7, 7)]),
    (lambda n: n.Conv2d(2, 3, 3, padding="same"), [f(2, 2, 6, 6)]),
    (lambda n: n.Conv2d(2, 3, (3, 4), padding="same", padding_mode="circular"), [f(2, 2, 6, 6)]),
    (lambda n: n.Conv2d(2, 3, 3, padding=1, padding_mode="reflect", bias=False), [f(2, 2, 5, 5)]),
    (lambda n: n.Conv3d(1, 2, 2), [f(1, 1, 4, 4, 4)]),
    (lambda n: n.ConvTranspose1d(2, 4, 3, stride=2, output_padding=1), [f(2, 2, 5)]),
    (lambda n: n.ConvTranspose2d(2, 4, 3, stride=2, padding=1, groups=2), [f(2, 2, 4, 4)]),
    (lambda n: n.ConvTranspose3d(1, 2, 2, dilation=2), [f(1, 1, 3, 3, 3)]),
    # Normalisation.
    (lambda n: n.BatchNorm1d(3), [f(4, 3)]),
    (lambda n: n.BatchNorm1d(3, momentum=None, affine=False), [f(4, 3, 5)]),
    (lambda n: n.BatchNorm2d(3, track_running_stats=False), [f(4, 3, 2, 2)]),
    (lambda n: n.BatchNorm2d(3, bias=False), [f(4, 3, 2, 2)]),
    (lambda n: n.BatchNorm3d(2), [f(3, 2, 2, 2, 2)]),
    (lambda n: n.InstanceNorm1d(3), [f(2, 3, 5)]),
    (lambda n: n.InstanceNorm2d(3, affine=True, track_running_stats=True), [f(2, 3, 4, 4)]),
    (lambda n: n.InstanceNorm2d(3), [f(3, 4, 4)]),
    (lambda n: n.InstanceNorm3d(2), [f(2, 2, 2, 3, 2)]),
    (lambda n: n.LayerNorm(4), [f(2, 3, 4)]),
    (lambda n: n.LayerNorm([3, 4], bias=False), [f(2, 3, 4)]),
    (lambda n: n.LayerNorm((3, 4), elementwise_affine=False), [f(2, 3, 4)]),
    (lambda n: n.GroupNorm(2, 4), [f(2, 4, 3)]),
    (lambda n: n.GroupNorm(2, 4, affine=False), [f(2, 4, 3)]),
    (lambda n: n.RMSNorm(4), [f(2, 3, 4)]),
    (lambda n: n.LocalResponseNorm(2), [f(2, 4, 3, 3)]),
    # Pooling.
    (lambda n: n.MaxPool1d(2), [f(2, 3, 7)]),
    (lambda n: n.MaxPool2d(3, stride=2, padding=1), [f(2, 3, 7, 7)]),
    (lambda n: n.MaxPool2d(2, return_indices=True), [f(2, 3, 4, 4)]),
    (lambda n: n.MaxPool2d((2, 3), ceil_mode=True, dilation=2), [f(2, 3, 8, 8)]),
    (lambda n: n.MaxPool3d(2), [f(1, 2, 4, 4, 4)]),
    (lambda n: n.AvgPool1d(3, 2, 1), [f(2, 3, 7)]),
    (lambda n: n.AvgPool2d(3, 2, 1, count_include_pad=False), [f(2, 3, 7, 7)]),
    (lambda n: n.AvgPool2d((2, 3), divisor_override=5), [f(2, 3, 6, 6)]),
    (lambda n: n.AvgPool3d(2), [f(1, 2, 4, 4, 4)]),
    (lambda n: n.LPPool1d(2, 3), [unit(2, 3, 7)]),
    (lambda n: n.LPPool2d(2, 2), [unit(2, 3, 4, 4)]),
    (lambda n: n.AdaptiveMaxPool1d(3), [f(2, 3, 7)]),
    (lambda n: n.AdaptiveMaxPool2d((2, 3)), [f(2, 3, 7, 7)]),
    (lambda n: n.AdaptiveAvgPool1d(3), [f(2, 3, 7)]),
    (lambda n: n.AdaptiveAvgPool2d((None, 3)), [f(2, 3, 7, 7)]),
    (lambda n: n.AdaptiveAvgPool2d(1), [f(2, 3, 5, 5)]),
    (lambda n: n.AdaptiveAvgPool3d(2), [f(1, 2, 4, 5, 4)]),
    (lambda n: n.MaxUnpool1d(2), [f(1, 1, 3), np.array([[[1, 2, 5]]])]),
    # Moving elements.
    (lambda n: n.Flatten(), [f(2, 3, 4)]),
    (lambda n: n.Flatten(0, 1), [f(2, 3, 4)]),
    (lambda n: n.Unflatten(1, (2, 3)), [f(2, 6)]),
    *[(lambda n, kind=kind, d=d: getattr(n, f"{kind}Pad{d}d")(1), [f(2, 2, *(4,) * d)])
      for kind in ("Circular", "Reflection", "Replication", "Zero") for d in (1, 2, 3)],
    (lambda n: n.ConstantPad1d((1, 2), 3.5), [f(2, 3, 4)]),
    (lambda n: n.ConstantPad2d(2, -1), [f(2, 3, 4)]),
    (lambda n: n.ConstantPad3d(1, 0.5), [f(2, 3, 2, 2)]),
    (lambda n: n.Fold((4, 5), (2, 2)), [f(1, 12, 12)]),
    (lambda n: n.Unfold(2, padding=1, stride=2), [f(2, 3, 4, 4)]),
    (lambda n: n.PixelShuffle(2), [f(1, 8, 2, 3)]),
    (lambda n: n.PixelUnshuffle(2), [f(1, 2, 4, 6)]),
    (lambda n: n.ChannelShuffle(2), [f(1, 4, 2, 2)]),
    (lambda n: n.Upsample(scale_factor=2), [f(1, 2, 3, 3)]),
    (lambda n: n.Upsample(size=(5, 4), mode="bilinear"), [f(1, 2, 3, 3)]),
    (lambda n: n.Upsample(scale_factor=(2, 3), mode="bilinear", align_corners=True), [f(1, 2, 3, 3)]),
    (lambda n: n.UpsamplingNearest2d(scale_factor=2), [f(1, 2, 3, 3)]),
    (lambda n: n.UpsamplingBilinear2d(size=5), [f(1, 2, 3, 3)]),
    # Dropout, where nothing is random.
    *[(lambda n, name=name: getattr(n, name)(0.3).eval(), [f(2, 3, 4)]) for name in ("Dropout", "Dropout1d", "AlphaDropout")],
    (lambda n: n.Dropout2d(0.0), [f(2, 3, 4, 4)]),
    (lambda n: n.Dropout(1.0), [f(2, 3)]),
    # Tables.
    (lambda n: n.Embedding(5, 3), [indices]),
    (lambda n: n.Embedding(5, 3, padding_idx=-1), [indices]),
    (lambda n: n.Embedding(5, 3, padding_idx=3, max_norm=1.0, norm_type=1.5, scale_grad_by_freq=True), [indices]),
    (lambda n: n.EmbeddingBag(5, 3), [indices]),
    (lambda n: n.EmbeddingBag(5, 3, mode="sum", padding_idx=0), [np.array([1, 2, 0, 4, 3]), np.array([0, 2])]),
    (lambda n: n.EmbeddingBag(5, 3, mode="max"), [indices]),
    # Recurrent networks.
    (lambda n: n.RNN(3, 4), [f(5, 2, 3)]),
    (lambda n: n.RNN(3, 4, 2, "relu", batch_first=True, bidirectional=True), [f(2, 5, 3), f(4, 2, 4)]),
    (lambda n: n.RNN(3, 4, bias=False), [f(5, 3), f(1, 4)]),
    (lambda n: n.GRU(3, 4), [f(5, 2, 3)]),
    (lambda n: n.GRU(3, 4, num_layers=2, bidirectional=True, bias=False), [f(5, 2, 3)]),
    (lambda n: n.GRU(3, 4, batch_first=True), [f(5, 3)]),
    (lambda n: n.LSTM(3, 4), [f(5, 2, 3)]),
    (lambda n: n.LSTM(3, 4, 2, batch_first=True, bidirectional=True), [f(2, 5, 3)]),
    (lambda n: n.LSTM(3, 4, proj_size=2), [f(5, 2, 3)]),
    (lambda n: n.LSTM(3, 4, 2, dropout=0.5).eval(), [f(5, 3)]),
    (lambda n: n.RNNCell(3, 4), [f(2, 3), f(2, 4)]),
    (lambda n: n.RNNCell(3, 4, bias=False, nonlinearity="relu"), [f(2, 3)]),
    (lambda n: n.LSTMCell(3, 4), [f(2, 3)]),
    (lambda n: n.GRUCell(3, 4), [f(3), f(4)]),
    # Attention.
    (lambda n: n.MultiheadAttention(4, 2), [f(5, 2, 4), f(3, 2, 4), f(3, 2, 4)]),
    (lambda n: n.MultiheadAttention(4, 2, kdim=3, vdim=5, batch_first=True), [f(2, 5, 4), f(2, 3, 3), f(2, 3, 5)]),
    (lambda n: n.MultiheadAttention(4, 2, add_bias_kv=True, add_zero_attn=True, bias=False), [f(5, 4), f(3, 4), f(3, 4)]),
    (lambda n: n.TransformerEncoderLayer(4, 2, 8, 0.0), [f(5, 2, 4)]),
    (lambda n: n.TransformerEncoderLayer(4, 2, 8, 0.0, "gelu", norm_first=True, batch_first=True), [f(2, 5, 4), causal]),
    (lambda n: n.TransformerDecoderLayer(4, 2, 8, 0.0), [f(5, 2, 4), f(3, 2, 4)]),
    (lambda n: n.TransformerEncoder(n.TransformerEncoderLayer(4, 2, 8, 0.0, batch_first=True), 2), [f(2, 5, 4)]),
    (lambda n: n.TransformerDecoder(n.TransformerDecoderLayer(4, 2, 8, 0.0), 2, n.LayerNorm(4)), [f(5, 2, 4), f(3, 2, 4)]),
    (lambda n: n.Transformer(4, 2, 1, 1, 8, 0.0, batch_first=True), [f(2, 5, 4), f(2, 3, 4)]),
    # Distances and losses.
    (lambda n: n.PairwiseDistance(), [f(3, 4), f(3, 4)]),
    (lambda n: n.CosineSimilarity(), [f(3, 4), f(3, 4)]),
    *[(lambda n, r=r: n.MSELoss(reduction=r), [f(3, 4), f(3, 4)]) for r in ("mean", "sum", "none")],
    (lambda n: n.L1Loss(), [f(3, 4), f(3, 4)]),
    (lambda n: n.SmoothL1Loss(beta=0.5), [f(3, 4), f(3, 4)]),
    (lambda n: n.HuberLoss(delta=0.5), [f(3, 4), f(3, 4)]),
    (lambda n: n.NLLLoss(ignore_index=1), [f(4, 3), labels]),
    (lambda n: n.CrossEntropyLoss(label_smoothing=0.1), [f(4, 3), labels]),
    (lambda n: n.CrossEntropyLoss(reduction="sum"), [f(4, 3), labels]),
    (lambda n: n.PoissonNLLLoss(full=True), [f(3, 4), fixed(unit(3, 4))]),
    (lambda n: n.GaussianNLLLoss(), [f(3, 4), f(3, 4), unit(3, 4)]),
    (lambda n: n.KLDivLoss(reduction="batchmean"), [f(3, 4), unit(3, 4)]),
    (lambda n: n.KLDivLoss(reduction="sum", log_target=True), [f(3, 4), f(3, 4)]),
    (lambda n: n.BCELoss(), [unit(3, 4), fixed(unit(3, 4))]),
    (lambda n: n.BCEWithLogitsLoss(), [f(3, 4), fixed(unit(3, 4))]),
    (lambda n: n.SoftMarginLoss(), [f(3, 4), signs(3, 4)]),
    (lambda n: n.HingeEmbeddingLoss(), [f(3, 4), signs(3, 4)]),
    (lambda n: n.CosineEmbeddingLoss(0.1), [f(3, 4), f(3, 4), signs(3)]),
    (lambda n: n.MarginRankingLoss(0.1), [f(3), f(3), signs(3)]),
    (lambda n: n.MultiMarginLoss(), [f(4, 3), labels]),
    (lambda n: n.MultiLabelMarginLoss(), [f(1, 4), np.array([[3, 0, -1, 1]])]),
    (lambda n: n.MultiLabelSoftMarginLoss(), [f(3, 4), fixed(np.round(unit(3, 4)))]),
    (lambda n: n.TripletMarginLoss(swap=True), [f(3, 4), f(3, 4), f(3, 4)]),
    (lambda n: n.TripletMarginWithDistanceLoss(), [f(3, 4), f(3, 4), f(3, 4)]),
    (lambda n: n.CTCLoss(), [fixed(np.log(np.full((6, 2, 4), 0.25, np.float32))), np.array([[1, 2], [3, 1]]),
                             np.array([6, 6]), np.array([2, 2])]),
    # Containers.
    (lambda n: n.Sequential(n.Linear(3, 4), n.Tanh(), n.Linear(4, 2)), [f(2, 3)]),
    (lambda n: n.Sequential(OrderedDict(first=n.Linear(3, 4), second=n.Sequential(n.Sigmoid(), n.Flatten(0)))), [f(2, 3)]),
]  # fmt: skip


def both(torch: ModuleType, make: Callable[[ModuleType], Any]) -> tuple[Any, Any]:
    """The module under both, with PyTorch's state."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            ours = make(engine.nn)
        except Unsupported as missing:
            pytest.skip(str(missing))
        theirs = make(torch.nn)
    state = {name: engine.tensor(array(t).copy()) for name, t in theirs.state_dict().items()}
    assert repr(ours.load_state_dict(state)) == "<All keys matched successfully>"
    return ours, theirs


def tensors(t: ModuleType, given: list[Any]) -> list[Any]:
    """Inputs: floating point ones require grad unless they are fixed."""
    made = []
    for a in given:
        plain, needs = (a[1], False) if isinstance(a, tuple) else (a, a.dtype.kind == "f")
        made.append(t.tensor(plain.copy(), requires_grad=needs))
    return made


def flat(result: Any) -> list[Any]:
    """The tensors in a result, however nested."""
    return [x for part in result for x in flat(part)] if isinstance(result, tuple) else [] if result is None else [result]


def run(module: Any, inputs: list[Any]) -> list[Any]:
    """The outputs of the module."""
    try:
        return flat(module(*inputs))
    except (Unsupported, TypeError) as missing:
        # Functions come before their argument `inplace`.
        if isinstance(missing, TypeError) and "argument 'inplace'" not in str(missing):
            raise
        pytest.skip(str(missing))


@pytest.mark.filterwarnings("ignore:LSTM with projections")
@pytest.mark.parametrize(("make", "given"), MODULES, ids=lambda x: "" if isinstance(x, list) else repr_of(x))
def test_a_module_does_what_pytorchs_does(torch: ModuleType, make: Any, given: list[Any]) -> None:
    ours, theirs = both(torch, make)
    assert repr(ours) == repr(theirs)
    assert list(ours.state_dict()) == list(theirs.state_dict())
    assert [n for n, _ in ours.named_modules()] == [n for n, _ in theirs.named_modules()]
    assert [n for n, _ in ours.named_parameters()] == [n for n, _ in theirs.named_parameters()]
    ours_in, theirs_in = tensors(engine, given), tensors(torch, given)
    ours_out, theirs_out = run(ours, ours_in), run(theirs, theirs_in)
    assert len(ours_out) == len(theirs_out)
    for a, b in zip(ours_out, theirs_out):
        same(a, b, "output")
        assert a.requires_grad == b.requires_grad
    # A sum of cosines weighs every element differently.
    for out in (ours_out, theirs_out):
        total = sum(x.cos().sum() for x in out if x.requires_grad)
        if not isinstance(total, int):
            total.backward()
    for a, b in zip(ours_in, theirs_in):
        assert (a.grad is None) == (b.grad is None)
        if a.grad is not None:
            same(a.grad, b.grad, "gradient of an input", 1e-4)
    for (name, a), (_, b) in zip(ours.named_parameters(), theirs.named_parameters()):
        assert (a.grad is None) == (b.grad is None), name
        if a.grad is not None:
            same(a.grad, b.grad, f"gradient of {name}", 1e-4)
    for (name, a), (_, b) in zip(ours.named_buffers(), theirs.named_buffers()):
        same(a, b, f"{name} after a step")
    for a, b in zip(run(ours.eval(), tensors(engine, given)), run(theirs.eval(), tensors(torch, given))):
        same(a, b, "output in evaluation mode", 1e-4)


def repr_of(make: Any) -> str:
    """A name for a test: the module as it prints."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return repr(make(engine.nn)).replace("\n", "")[:60]
    except Unsupported as missing:
        return str(missing)[:30]


@pytest.mark.parametrize("make", [make for make, _ in MODULES], ids=repr_of)
def test_a_seed_gives_pytorchs_initial_weights(torch: ModuleType, make: Any) -> None:
    torch.manual_seed(0)
    engine.manual_seed(0)
    if not np.array_equal(engine.rand(3).numpy(), torch.rand(3).numpy()):
        pytest.skip("the random stream is not PyTorch's yet")
    torch.manual_seed(1)
    engine.manual_seed(1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            ours = make(engine.nn)
        except Unsupported as missing:
            pytest.skip(str(missing))
        theirs = make(torch.nn)
    for (name, a), (_, b) in zip(ours.state_dict().items(), theirs.state_dict().items()):
        np.testing.assert_array_equal(array(a), array(b), err_msg=name)


def test_every_module_is_where_pytorch_has_it(torch: ModuleType) -> None:
    for name in engine.nn.__all__:
        ours, theirs = getattr(engine.nn, name), getattr(torch.nn, name)
        if isinstance(ours, type) and name not in ("Parameter", "Buffer"):
            assert repr(ours) == repr(theirs)


# --- training --------------------------------------------------------------------------------------------------------------


def test_a_training_step_moves_the_weights_as_in_pytorch(torch: ModuleType) -> None:
    ours, theirs = both(torch, lambda n: n.Sequential(n.Linear(3, 5), n.ReLU(), n.Linear(5, 1)))
    x, y = f(8, 3), f(8, 1)
    for _ in range(3):
        for t, m in ((engine, ours), (torch, theirs)):
            m.zero_grad()
            t.nn.MSELoss()(m(t.tensor(x)), t.tensor(y)).backward()
            with t.no_grad():
                for p in m.parameters():
                    p -= 0.1 * p.grad
    for a, b in zip(ours.parameters(), theirs.parameters()):
        same(a, b, "weights")


def test_zero_grad_sets_none_or_zeros() -> None:
    m = engine.nn.Linear(2, 1)
    m(engine.ones(2)).sum().backward()
    m.zero_grad(set_to_none=False)
    assert m.weight.grad.tolist() == [[0.0, 0.0]]
    m.zero_grad()
    assert m.weight.grad is None


def test_dropout_zeroes_in_training_only() -> None:
    m = engine.nn.Dropout(0.5)
    x = engine.ones(1000)
    try:
        y = m(x)
    except Unsupported as missing:
        pytest.skip(str(missing))
    assert set(y.tolist()) == {0.0, 2.0}
    assert m.eval()(x).tolist() == x.tolist()
