"""What a program sees of modules: attributes, hooks, state dicts, warnings and the words of errors, as in PyTorch."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

import engine
from engine.errors import Unsupported
from tests.engine.oracle import same

pytest.importorskip("torch")


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
