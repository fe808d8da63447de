"""Every module against PyTorch: text, state, output, gradients, what training changes, and the words of errors."""

from __future__ import annotations

import copy
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


# --- what a program sees of modules ----------------------------------------------------------------------------------------


def net(t: ModuleType) -> Any:
    """A module of one's own, with everything a module can have."""

    class Net(t.nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.first = t.nn.Linear(2, 3)
            self.again = self.first
            self.rest = t.nn.ModuleList([t.nn.Linear(3, 3), t.nn.Linear(3, 3), t.nn.Tanh()])
            self.by_name = t.nn.ModuleDict({"a": t.nn.Linear(3, 1), "b": t.nn.ReLU()})
            self.scale = t.nn.Parameter(t.ones(3))
            self.several = t.nn.ParameterList([t.zeros(2), t.ones(1, 2)])
            self.named = t.nn.ParameterDict({"y": t.zeros(1), "x": t.ones(2)})
            self.register_buffer("count", t.tensor(2.0))
            self.register_buffer("hidden", t.tensor(3.0), persistent=False)
            self.marked = t.nn.Buffer(t.zeros(1))
            self.register_parameter("none", None)
            self.calls = []

        def forward(self, x: Any, scale: float = 1.0) -> Any:
            return self.by_name["a"](self.rest[0](self.first(x)) * self.scale) * scale

    return Net()


def words(code: Callable[[ModuleType, Any], Any], t: ModuleType) -> Any:
    """What code gives, or the error it raises, as text."""
    try:
        return str(code(t, net(t)))
    except Exception as error:
        kind = next(c.__name__ for c in type(error).__mro__ if not c.__module__.startswith("engine"))
        return kind, str(error)


def shared(t: ModuleType, m: Any) -> list[Any]:
    """Names with and without duplicates."""
    return [[n for n, _ in m.named_parameters(remove_duplicate=d)] for d in (True, False)]


def assign(name: str, value: Callable[[ModuleType], Any]) -> Callable[[ModuleType, Any], Any]:
    """Code that assigns an attribute and prints the module."""

    def code(t: ModuleType, m: Any) -> Any:
        setattr(m, name, value(t))
        return m, list(m.state_dict())

    return code


def uninitialised(value: Callable[[ModuleType], Any]) -> Callable[[ModuleType, Any], Any]:
    """Code that assigns before `super().__init__()`."""

    def code(t: ModuleType, m: Any) -> Any:
        class Early(t.nn.Module):  # type: ignore[misc, name-defined]
            def __init__(self) -> None:
                self.x = value(t)

        return Early()

    return code


def deleted(t: ModuleType, m: Any) -> Any:
    """A module without some of its members."""
    del m.scale, m.first, m.count
    return m, list(m.state_dict())


def loaded(change: Callable[[Any, Any], Any], **kwargs: Any) -> Callable[[ModuleType, Any], Any]:
    """Code that loads a changed state dict."""

    def code(t: ModuleType, m: Any) -> Any:
        state = m.state_dict()
        change(t, state)
        return m.load_state_dict(state, **kwargs)

    return code


CODE: dict[str, Callable[[ModuleType, Any], Any]] = {
    "repr": lambda t, m: m,
    "state": lambda t, m: list(m.state_dict()),
    "keep_vars": lambda t, m: [v.requires_grad for v in m.state_dict(prefix="p.", keep_vars=True).values()],
    "names": shared,
    "own": lambda t, m: [n for n, _ in m.named_parameters(prefix="net", recurse=False)],
    "buffers": lambda t, m: [n for n, _ in m.named_buffers()],
    "children": lambda t, m: [n for n, _ in m.named_children()],
    "modules": lambda t, m: [n for n, _ in m.named_modules(remove_duplicate=False)],
    "submodule": lambda t, m: m.get_submodule("rest.1"),
    "no submodule": lambda t, m: m.get_submodule("rest.7"),
    "not a submodule": lambda t, m: m.get_submodule("scale"),
    "parameter": lambda t, m: m.get_parameter("several.1"),
    "not a parameter": lambda t, m: m.get_parameter("count"),
    "buffer": lambda t, m: m.get_buffer("count"),
    "missing attribute": lambda t, m: m.nothing,
    "parameter by tensor": assign("scale", lambda t: t.ones(2)),
    "parameter by number": assign("scale", lambda t: 1),
    "parameter by none": assign("scale", lambda t: None),
    "parameter by module": assign("scale", lambda t: t.nn.ReLU()),
    "module by number": assign("first", lambda t: 3),
    "module by none": assign("first", lambda t: None),
    "module by parameter": assign("first", lambda t: t.nn.Parameter(t.zeros(1))),
    "buffer by number": assign("count", lambda t: 3),
    "buffer by tensor": assign("count", lambda t: t.ones(2)),
    "buffer by module": assign("count", lambda t: t.nn.ReLU()),
    "plain by module": assign("calls", lambda t: t.nn.ReLU()),
    "early parameter": uninitialised(lambda t: t.nn.Parameter(t.zeros(1))),
    "early module": uninitialised(lambda t: t.nn.ReLU()),
    "early number": uninitialised(lambda t: 1),
    "early buffer": uninitialised(lambda t: t.nn.Buffer(t.zeros(1))),
    "deleted": deleted,
    "register twice": lambda t, m: m.register_buffer("first", t.zeros(1)),
    "register dotted": lambda t, m: m.register_parameter("a.b", t.nn.Parameter(t.zeros(1))),
    "register empty": lambda t, m: m.add_module("", t.nn.ReLU()),
    "register dotted module": lambda t, m: m.add_module("a.b", t.nn.ReLU()),
    "register number": lambda t, m: m.register_buffer(3, t.zeros(1)),
    "register no parameter": lambda t, m: m.register_parameter("p", t.zeros(1)),
    "register no buffer": lambda t, m: m.register_buffer("p", [1]),
    "register no module": lambda t, m: m.add_module("p", 3),
    "register non-leaf": lambda t, m: m.register_parameter("p", t.nn.Parameter(t.zeros(1)) * 2),
    "no forward": lambda t, m: t.nn.Module()(1),
    "init argument": lambda t, m: t.nn.Module(3),
    "init keyword": lambda t, m: t.nn.Module(a=3),
    "train": lambda t, m: [x.training for x in m.eval().modules()],
    "train mode": lambda t, m: m.train(1),
    "frozen": lambda t, m: m.requires_grad_(False).scale,
    "double": lambda t, m: [v.dtype for v in m.double().state_dict().values()],
    "to": lambda t, m: [v.dtype for v in m.to(t.float16).state_dict().values()],
    "to integer": lambda t, m: m.to(t.int64),
    "apply": lambda t, m: m.apply(lambda x: m.calls.append(type(x).__name__)).calls,
    "integer parameter": lambda t, m: t.nn.Parameter(t.tensor([1])),
    "parameter repr": lambda t, m: t.nn.Parameter(t.zeros(2), requires_grad=False),
    "parameter version": lambda t, m: t.nn.Parameter(t.zeros(2).add_(1))._version,
    "parameter copy": lambda t, m: copy.deepcopy(m.scale),
    "module copy": lambda t, m: (lambda c: (c, c.again is c.first, c.scale is m.scale))(copy.deepcopy(m)),
    "load": loaded(lambda t, s: None),
    "load missing": loaded(lambda t, s: s.pop("first.weight")),
    "load unexpected": loaded(lambda t, s: s.update({"x": t.ones(1), "rest.9.y": t.ones(1)})),
    "load loosely": loaded(lambda t, s: (s.pop("scale"), s.update(x=t.ones(1))), strict=False),
    "load shape": loaded(lambda t, s: s.update(scale=t.ones(4), count=t.ones(1))),
    "load number": loaded(lambda t, s: s.update(scale=3)),
    "load list": lambda t, m: m.load_state_dict([1]),
    "load assign": loaded(lambda t, s: s.update(scale=t.zeros(3)), assign=True),
    "list slice": lambda t, m: m.rest[1:],
    "list index": lambda t, m: m.rest[5],
    "list append": lambda t, m: (m.rest.append(t.nn.ReLU()), m.rest.insert(0, t.nn.Tanh()), m.rest.pop(1), m.rest)[-1],
    "list of number": lambda t, m: t.nn.ModuleList(3),
    "dict": lambda t, m: (list(m.by_name), "a" in m.by_name, m.by_name.pop("a"), m.by_name),
    "dict missing": lambda t, m: m.by_name["c"],
    "dict update": lambda t, m: m.by_name.update([("c", t.nn.ReLU()), ("d",)]),
    "sequence": lambda t, m: t.nn.Sequential(*m.rest)[:2] + t.nn.Sequential(t.nn.ReLU()),
    "sequence times": lambda t, m: t.nn.Sequential(t.nn.ReLU()) * 2,
    "sequence insert": lambda t, m: t.nn.Sequential(t.nn.ReLU()).insert(0, t.nn.Tanh()).extend([t.nn.Tanh()]),
    "sequence index": lambda t, m: t.nn.Sequential(t.nn.ReLU())[1],
    "sequence of number": lambda t, m: t.nn.Sequential(3),
    "sequence delete": lambda t, m: (lambda s: (s.__delitem__(0), s))(t.nn.Sequential(t.nn.ReLU(), t.nn.Tanh())),
    "parameters": lambda t, m: (m.several.append(t.zeros(1)), m.several[-1], len(m.several), m.several),
    "parameters by name": lambda t, m: (m.named.pop("x"), m.named.get("q"), m.named | {"z": t.zeros(1)}, list(m.named.keys())),
    "parameters called": lambda t, m: m.several(1),
    "no hasattr": lambda t, m: (hasattr(m, "first"), hasattr(m, "nothing"), "first" in dir(m)),
    "linear": lambda t, m: m.first(t.zeros(5)),
    "conv groups": lambda t, m: t.nn.Conv2d(3, 4, 3, groups=2),
    "conv padding": lambda t, m: t.nn.Conv2d(3, 4, 3, stride=2, padding="same"),
    "transposed mode": lambda t, m: t.nn.ConvTranspose2d(3, 4, 3, padding_mode="reflect"),
    "batch norm shape": lambda t, m: t.nn.BatchNorm2d(3)(t.zeros(2, 3)),
    "group norm": lambda t, m: t.nn.GroupNorm(2, 3),
    "dropout": lambda t, m: t.nn.Dropout(2.0),
    "embedding": lambda t, m: t.nn.Embedding(3, 2, padding_idx=3),
    "from pretrained": lambda t, m: t.nn.Embedding.from_pretrained(t.ones(3, 2)).weight,
    "rnn size": lambda t, m: t.nn.RNN(0, 2),
    "rnn input": lambda t, m: t.nn.GRU(3, 2)(t.zeros(1, 1, 1, 3)),
    "rnn width": lambda t, m: t.nn.GRU(3, 2)(t.zeros(1, 1, 4)),
    "rnn state": lambda t, m: t.nn.RNN(3, 2)(t.zeros(1, 1, 3), t.zeros(1, 1, 4)),
    "rnn nonlinearity": lambda t, m: t.nn.RNN(3, 2, nonlinearity="cos"),
    "attention heads": lambda t, m: t.nn.MultiheadAttention(3, 2),
    "unflatten": lambda t, m: t.nn.Unflatten(1, (2.0, 1)),
    "lstm weights": lambda t, m: [[w.shape for w in ws] for ws in t.nn.LSTM(2, 3, 2, bidirectional=True).all_weights],
}


def masked(t: ModuleType, **masks: Any) -> list[Any]:
    """Attention and an encoder, in evaluation mode, where some keys are left out."""
    results: list[Any] = []
    t.manual_seed(0)
    attention = t.nn.MultiheadAttention(4, 2)
    layer = t.nn.TransformerEncoderLayer(4, 2, 8, 0.0)
    encoder = t.nn.TransformerEncoder(layer, 2, enable_nested_tensor=False).eval()
    x = t.arange(24.0).reshape(3, 2, 4) / 10
    padding = t.tensor([[False, False, True], [False, False, False]])
    ahead = t.nn.Transformer.generate_square_subsequent_mask(3)
    results += attention(x, x, x, key_padding_mask=padding)
    results += attention(x, x, x, attn_mask=ahead, average_attn_weights=False)
    results += attention(x, x, x, attn_mask=ahead < 0, key_padding_mask=padding, need_weights=False)
    results += attention(x, x, x, attn_mask=ahead, is_causal=True, need_weights=False)
    results.append(encoder(x, mask=ahead))
    results.append(encoder(x, src_key_padding_mask=padding))
    return [r for r in results if r is not None]


def test_masks_leave_out_what_they_leave_out_in_pytorch(torch: ModuleType) -> None:
    try:
        ours = masked(engine)
    except Unsupported as missing:
        pytest.skip(str(missing))
    for a, b in zip(ours, masked(torch), strict=True):
        same(a, b, "masked", 1e-4)


@pytest.mark.parametrize("name", ["BatchNorm2d", "Conv2d", "ReLU", "ZeroPad2d", "MSELoss"])
def test_a_subclass_keeps_what_its_base_knows(torch: ModuleType, name: str) -> None:
    texts = []
    for t in (engine, torch):
        base = getattr(t.nn, name)
        mine = type("Mine", (base,), {})(*{"BatchNorm2d": (2,), "Conv2d": (2, 3, 1), "ZeroPad2d": (1,)}.get(name, ()))
        inputs = (t.ones(1, 2, 3, 3),) * (2 if name == "MSELoss" else 1)
        try:
            texts.append((repr(mine), tuple(mine(*inputs).shape)))
        except Unsupported as missing:
            pytest.skip(str(missing))
    assert texts[0] == texts[1]


def warned(code: Callable[[ModuleType], Any], t: ModuleType) -> list[str]:
    """The warnings that the code gives."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        code(t)
    return [f"{w.category.__name__} {w.message}" for w in caught]


WARNINGS: list[Callable[[ModuleType], Any]] = [
    lambda t: t.nn.LSTM(2, 3, dropout=0.5),
    lambda t: t.nn.TransformerEncoder(t.nn.TransformerEncoderLayer(4, 2), 1),
    lambda t: t.nn.TransformerEncoder(t.nn.TransformerEncoderLayer(3, 1, batch_first=True), 1),
    lambda t: t.nn.MSELoss(size_average=False),
    lambda t: t.nn.Hardtanh(min_value=-2.0),
    lambda t: t.nn.Linear(0, 3),
    lambda t: t.nn.init.trunc_normal_(t.empty(3), 10.0),
    lambda t: t.nn.utils.clip_grad_norm_((p for p in ()), 1.0),
]


@pytest.mark.parametrize("code", WARNINGS, ids=range(len(WARNINGS)))
def test_a_warning_is_pytorchs(torch: ModuleType, code: Any) -> None:
    assert warned(code, engine) == warned(code, torch)


def test_a_hook_may_watch_every_module(torch: ModuleType) -> None:
    seen: dict[str, list[str]] = {}
    for t in (engine, torch):
        names = seen[t.__name__] = []
        file = t.nn.modules.module
        before = file.register_module_forward_pre_hook(lambda m, args, to=names: to.append(f"before {type(m).__name__}"))
        after = file.register_module_forward_hook(lambda m, args, out, to=names: to.append(f"after {type(m).__name__}"))
        try:
            t.nn.Sequential(t.nn.Linear(2, 2), t.nn.Tanh())(t.ones(2))
        finally:
            before.remove()
            after.remove()
    assert seen["engine"] == seen["torch"] != []


@pytest.mark.parametrize("name", CODE)
@pytest.mark.filterwarnings("ignore:To copy construct")
def test_a_program_sees_what_it_sees_in_pytorch(torch: ModuleType, name: str) -> None:
    torch.manual_seed(0)
    ours, theirs = words(CODE[name], engine), words(CODE[name], torch)
    if isinstance(ours, tuple) and "not supported by Gradtape" in ours[1]:
        pytest.skip(ours[1])
    assert ours == theirs


def hooked(t: ModuleType) -> list[str]:
    """What the hooks of a module see, in order."""
    events: list[str] = []
    m = t.nn.Linear(2, 1)
    with t.no_grad():
        m.weight.fill_(0.5)
        m.bias.fill_(1.0)

    def note(name: str, returns: Any = None) -> Callable[..., Any]:
        def hook(module: Any, *seen: Any) -> Any:
            events.append(f"{name} {type(module).__name__} {seen}")
            return returns

        return hook

    x = t.ones(3, 2, requires_grad=True)
    handles = [
        m.register_forward_pre_hook(note("pre")),
        m.register_forward_pre_hook(note("pre with kwargs"), with_kwargs=True),
        m.register_forward_pre_hook(note("first", (t.full((3, 2), 2.0, requires_grad=True),)), prepend=True),
        m.register_forward_hook(note("after")),
        m.register_forward_hook(note("after with kwargs"), with_kwargs=True),
        m.register_forward_hook(note("always"), always_call=True),
        m.register_full_backward_hook(note("backward")),
        m.register_full_backward_pre_hook(note("before backward", (t.full((3, 1), 3.0),))),
    ]
    m(x).sum().backward()
    events.append(f"{m.weight.grad} {x.grad}")
    handles.pop(2).remove()
    with pytest.raises(RuntimeError):
        m(t.ones(3, 5))
    for handle in handles:
        handle.remove()
    m(x).sum().backward()
    with m.register_forward_hook(note("within")):
        m(x)
    m(x)
    return events


def test_hooks_see_what_they_see_in_pytorch(torch: ModuleType) -> None:
    assert hooked(engine) == hooked(torch)


def test_a_backward_hook_may_replace_the_gradient_of_the_input(torch: ModuleType) -> None:
    results = []
    for t in (engine, torch):
        m = t.nn.Tanh()
        m.register_full_backward_hook(lambda module, grads, _: (grads[0] * 10,))
        x = t.tensor([0.5, 1.0], requires_grad=True)
        y = m(x)
        y.sum().backward()
        results.append((str(x.grad), type(y.grad_fn).__name__))
    assert results[0] == results[1]


# --- init and utils --------------------------------------------------------------------------------------------------------

INITS: dict[str, Callable[[ModuleType], Any]] = {
    "uniform_": lambda t: t.nn.init.uniform_(t.empty(20, 3), -1, 2),
    "normal_": lambda t: t.nn.init.normal_(t.empty(20, 3), 1, 2),
    "constant_": lambda t: t.nn.init.constant_(t.empty(2), 3),
    "eye_": lambda t: t.nn.init.eye_(t.empty(2, 3)),
    "dirac_": lambda t: t.nn.init.dirac_(t.empty(4, 2, 3, 3), 2),
    "xavier_uniform_": lambda t: t.nn.init.xavier_uniform_(t.empty(20, 3), 2),
    "xavier_normal_": lambda t: t.nn.init.xavier_normal_(t.empty(4, 3, 2, 2)),
    "kaiming_uniform_": lambda t: t.nn.init.kaiming_uniform_(t.empty(20, 3), nonlinearity="relu"),
    "kaiming_normal_": lambda t: t.nn.init.kaiming_normal_(t.empty(20, 3), a=1, mode="fan_out"),
    "orthogonal_": lambda t: t.nn.init.orthogonal_(t.empty(4, 6), 2),
    "trunc_normal_": lambda t: t.nn.init.trunc_normal_(t.empty(50)),
    "trunc_normal_ far": lambda t: t.nn.init.trunc_normal_(t.empty(50), 0, 1, 1.5, 3),
    "sparse_": lambda t: t.nn.init.sparse_(t.empty(5, 4), 0.4),
    "gain": lambda t: t.tensor([t.nn.init.calculate_gain(n) for n in ("linear", "tanh", "relu", "leaky_relu", "selu")]),
}


@pytest.mark.parametrize("name", INITS)
def test_an_initialisation_draws_what_pytorchs_draws(torch: ModuleType, name: str) -> None:
    torch.manual_seed(0)
    engine.manual_seed(0)
    if not np.array_equal(engine.rand(3).numpy(), torch.rand(3).numpy()):
        pytest.skip("the random stream is not PyTorch's yet")
    same(INITS[name](engine), INITS[name](torch), name)


@pytest.mark.parametrize("name", INITS)
def test_an_initialisation_runs_and_says_the_same_of_what_it_refuses(torch: ModuleType, name: str) -> None:
    assert INITS[name](engine).shape == tuple(INITS[name](torch).shape)
    refused = name.split()[0]
    if refused == "gain" or refused in ("uniform_", "normal_", "constant_", "trunc_normal_"):
        return
    texts = []
    for t in (engine, torch):
        arguments = (0.1,) if refused == "sparse_" else ()
        with pytest.raises(ValueError) as error:  # noqa: PT011
            getattr(t.nn.init, refused)(t.empty(3), *arguments)
        texts.append(str(error.value))
    assert texts[0] == texts[1]


def gradients(t: ModuleType) -> list[Any]:
    """Parameters with gradients."""
    made = [t.nn.Parameter(t.tensor(a)) for a in ([1.0, 2.0, 3.0], [[4.0, 5.0]])]
    for p in made:
        p.grad = p.detach().clone() * 2
    return made


UTILS: dict[str, Callable[[ModuleType], Any]] = {
    "clip_grad_norm_": lambda t: (lambda p: (t.nn.utils.clip_grad_norm_(p, 1.0), [x.grad for x in p]))(gradients(t)),
    "clip_grad_norm_ 1": lambda t: (lambda p: (t.nn.utils.clip_grad_norm_(p, 1.0, 1), [x.grad for x in p]))(gradients(t)),
    "clip_grad_norm_ inf": lambda t: t.nn.utils.clip_grad_norm_(gradients(t), 1.0, float("inf")),
    "clip_grad_value_": lambda t: (lambda p: (t.nn.utils.clip_grad_value_(p, 5), [x.grad for x in p]))(gradients(t)),
    "get_total_norm": lambda t: t.nn.utils.get_total_norm(gradients(t), 3),
    "non-finite": lambda t: t.nn.utils.get_total_norm([t.tensor([float("nan")])], error_if_nonfinite=True),
    "vector": lambda t: t.nn.utils.parameters_to_vector(gradients(t)).detach(),
    "from vector": lambda t: (lambda p: (t.nn.utils.vector_to_parameters(t.arange(5.0), p), p))(gradients(t)),
    "pad_sequence": lambda t: t.nn.utils.rnn.pad_sequence([t.ones(2, 3), t.zeros(4, 3)], padding_value=7.0),
    "pad_sequence left": lambda t: t.nn.utils.rnn.pad_sequence([t.ones(2), t.zeros(4)], True, -1.0, "left"),
}


@pytest.mark.parametrize("name", UTILS)
def test_a_helper_does_what_pytorchs_does(torch: ModuleType, name: str) -> None:
    texts = []
    for t in (engine, torch):
        try:
            texts.append(str(UTILS[name](t)))
        except Unsupported as missing:
            pytest.skip(str(missing))
        except RuntimeError as error:
            texts.append(str(error))
    assert texts[0] == texts[1]


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


@pytest.mark.filterwarnings("ignore:`torch.nn.utils.weight_norm`:FutureWarning")
@pytest.mark.parametrize("dim", [0, 1, None])
def test_weight_norm_splits_a_weight_as_in_pytorch(torch: ModuleType, dim: int | None) -> None:
    ours, theirs = both(torch, lambda n: n.Linear(3, 2))
    x = f(4, 3)
    for t, m in ((engine, ours), (torch, theirs)):
        assert t.nn.utils.weight_norm(m, dim=dim) is m
        m(t.tensor(x)).cos().sum().backward()
    assert list(ours.state_dict()) == list(theirs.state_dict())
    for (name, a), (_, b) in zip(ours.named_parameters(), theirs.named_parameters(), strict=True):
        same(a, b, name)
        same(a.grad, b.grad, f"gradient of {name}")
    assert str(warned(lambda t: t.nn.utils.weight_norm(t.nn.Linear(1, 1)), engine)) == str(
        warned(lambda t: t.nn.utils.weight_norm(t.nn.Linear(1, 1)), torch)
    )
    for t, m in ((engine, ours), (torch, theirs)):
        t.nn.utils.remove_weight_norm(m)
        assert [n for n, _ in m.named_parameters()] == ["bias", "weight"]
    same(ours.weight, theirs.weight, "weight")


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
