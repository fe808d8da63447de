"""What PyTorch does is written down as the engine's runs are: the same events, places, names and numbers."""

from __future__ import annotations

import traceback
import warnings
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from engine.diagnosis import findings, why
from engine.graph import build
from engine.graph.structure.tensor_titles import best_name
from engine.recording import Recording, replay
from engine.recording import events as e
from tests.engine.pytorch.conftest import Taped

TRAINING = """import torch
from torch import nn
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.randn(16, 4)
y = torch.randn(16, 1)
for step in range(5):
    opt.zero_grad()
    loss = ((net(x) - y) ** 2).mean()
    loss.backward()
    opt.step()
    print(step, loss.item())
"""
FUNCTION = """import torch
class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        twice = x * 2
        return x * x
    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        inner = 2 * x
        return grad * inner
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = Square.apply(x).sum()
y.backward()
"""


def ops(recording: Recording) -> list[str]:
    return [event.op for event in recording.events if isinstance(event, e.OpRan)]


def of(recording: Recording, kind: type) -> list[object]:
    return [event for event in recording.events if isinstance(event, kind)]


def test_a_training_has_the_events_that_the_engine_records(taped: Taped) -> None:
    from engine.sandbox import run

    here = run(TRAINING).recording
    assert here is not None
    there = taped(TRAINING)
    told = [
        [
            (
                type(event).__name__,
                recording.line(event),
                recording.scopes[event.scope].loops,
                recording.scopes[event.scope].module,
            )
            for event in recording.events
        ]
        for recording in (there, here)
    ]
    assert told[0] == told[1]
    assert there.engine.startswith("torch ")
    assert there.names == ("train.py",)
    assert len(build(there, rolled=True)) == len(build(here, rolled=True))


def test_values_and_gradients_are_pytorchs(taped: Taped) -> None:
    recording = taped(
        "import torch\nx = torch.tensor([1.0, 2.0], requires_grad=True)\ny = (x * x).sum()\ny.backward()\n"
        "y2 = (3 * x).sum()\ny2.backward()\n"
    )
    totals = [recording.array(event.total) for event in of(recording, e.Accumulated)]  # type: ignore[attr-defined]
    assert [np.asarray(t).tolist() for t in totals] == [[2.0, 4.0], [5.0, 7.0]]
    state = replay(recording, len(recording.events) - 1)
    names = {event.name for event in of(recording, e.Named)}  # type: ignore[attr-defined]
    assert names == {"x", "y", "y2"}
    assert len(state.tensors) == 5


def test_a_custom_function_is_one_operation(taped: Taped) -> None:
    recording = taped(FUNCTION)
    assert ops(recording) == ["tensor", "Square", "sum"]
    nodes = [event.node for event in of(recording, e.OpRan) if event.node]  # type: ignore[attr-defined]
    assert [node.name for node in nodes] == ["SquareBackward", "SumBackward0"]
    assert {event.name for event in of(recording, e.Named)} == {"x", "y"}  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("line", "kind", "how"),
    [
        ("x.grad = None", e.GradSet, "None"),
        ("x.grad = torch.ones(2)", e.GradSet, "assign"),
        ("x.grad.zero_()", e.GradSet, "zero_"),
        ("x.requires_grad_(False)", e.FlagSet, "requires_grad"),
        ("x.requires_grad = False", e.FlagSet, "requires_grad"),
        ("y.retain_grad()", e.FlagSet, "retains_grad"),
        ("y.item()", e.Read, "item"),
        ("x.tolist()", e.Read, "tolist"),
        ("x.detach().numpy()", e.Read, "numpy"),
        ("float(y.detach())", e.Read, "float"),
        ("if y > 0: pass", e.Read, "bool"),
    ],
)
def test_what_is_no_operation_is_noted(taped: Taped, line: str, kind: type, how: str) -> None:
    text = f"import torch\nx = torch.tensor([1.0, 2.0], requires_grad=True)\ny = (x * x).sum()\ny.backward()\n{line}\n"
    recording = taped(text)
    found = of(recording, kind)
    assert found
    assert how in str(found[-1])
    assert recording.line(found[-1]) == 5  # type: ignore[arg-type]


def test_writes_in_place_reach_views(taped: Taped) -> None:
    recording = taped("import torch\nx = torch.zeros(4)\nv = x[:2]\nv.add_(1)\n")
    written = of(recording, e.OpRan)[-1].written  # type: ignore[attr-defined]
    assert len(written) == 2
    assert [np.asarray(recording.array(w.array)).tolist() for w in written] == [[1.0, 1.0], [1.0, 1.0, 0.0, 0.0]]
    assert [w.version for w in written] == [1, 1]


def test_a_hook_that_replaces_a_gradient_is_seen(taped: Taped) -> None:
    recording = taped(
        "import torch\nx = torch.ones(2, requires_grad=True)\nh = x * 2\nh.register_hook(lambda g: g * 3)\nh.sum().backward()\n"
    )
    (hook,) = of(recording, e.HookRan)
    before, after = recording.array(hook.before), recording.array(hook.after)  # type: ignore[attr-defined]
    assert np.asarray(before).tolist() == [1.0, 1.0]
    assert np.asarray(after).tolist() == [3.0, 3.0]


def test_create_graph_records_what_the_pass_computes(taped: Taped) -> None:
    recording = taped(
        "import torch\nx = torch.tensor([2.0], requires_grad=True)\ny = (x**3).sum()\n"
        "(g,) = torch.autograd.grad(y, x, create_graph=True)\ng.sum().backward()\n"
    )
    assert [event.via for event in of(recording, e.BackwardBegan)] == ["grad", "backward"]  # type: ignore[attr-defined]
    assert any(event.in_backward == 1 for event in of(recording, e.OpRan))  # type: ignore[attr-defined]
    (total,) = (event.total for event in of(recording, e.Accumulated))  # type: ignore[attr-defined]
    assert np.asarray(recording.array(total)).tolist() == [12.0]


def test_findings_and_why_speak_of_it(taped: Taped) -> None:
    recording = taped(
        "import torch\nw = torch.tensor(2.0, requires_grad=True)\nh = (w * 3).detach()\nloss = h * w.detach() + 1\n"
    )
    assert "detach" in why(recording, "h").title
    broken, error = taped.ending(
        "import torch\nw = torch.tensor(2.0, requires_grad=True)\nloss = (w * w).sum()\nloss.backward()\nloss.backward()\n"
    )
    assert isinstance(error, RuntimeError)
    first = findings(broken)[0]
    assert first.severity == "error"
    assert first.line == 5


def test_a_pass_that_has_nothing_to_go_through_is_an_error_of_the_program_s(taped: Taped) -> None:
    recording, error = taped.ending("import torch\nw = torch.ones(2)\nloss = (w * 2).sum()\nloss.backward()\n")
    assert isinstance(error, RuntimeError)
    assert not of(recording, e.BackwardBegan)
    assert [event.type for event in of(recording, e.Raised)] == ["RuntimeError"]  # type: ignore[attr-defined]
    assert not of(recording, e.Warned)


def test_other_files_of_the_project_are_told_apart(taped: Taped, tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(
        "from torch import nn\n\nclass Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.fc = nn.Linear(2, 1)\n\n    def forward(self, x):\n        for k in range(2):\n            x = x + 1\n"
        "        return self.fc(x)\n"
    )
    recording = taped("import torch\nfrom model import Net\nnet = Net()\nout = net(torch.ones(1, 2))\n")
    assert recording.names == ("train.py", "model.py")
    adds = [event for event in of(recording, e.OpRan) if event.op == "add"]  # type: ignore[attr-defined]
    sites = [recording.site(event) for event in adds]  # type: ignore[arg-type]
    assert [(site.cell, site.line) for site in sites if site] == [(1, 10), (1, 10)]
    assert [recording.scopes[event.scope].loops for event in adds] == [((9, 0),), ((9, 1),)]  # type: ignore[attr-defined]
    assert recording.scopes[adds[0].scope].module == "net"  # type: ignore[attr-defined]


def test_a_module_of_the_project_is_loaded_with_its_reports(tmp_path: Path) -> None:
    from engine.pytorch.project import ProjectCodes
    from engine.pytorch.running import _Finder

    (tmp_path / "part.py").write_text("x = 1\n")
    spec = _Finder(ProjectCodes(tmp_path, "train.py")).find_spec("part", [str(tmp_path)])
    assert spec is not None
    code = spec.loader.get_code("part")  # type: ignore[union-attr]
    assert "__gradtape__" in code.co_names  # type: ignore[union-attr]
    assert _Finder(ProjectCodes(tmp_path / "elsewhere", "train.py")).find_spec("part", [str(tmp_path)]) is None


@pytest.mark.filterwarnings("default")
def test_what_it_prints_warns_and_fails_with_is_there(taped: Taped, capsys: pytest.CaptureFixture[str]) -> None:
    recording, error = taped.ending(
        "import sys, warnings\nimport torch\nprint('one', sys.argv[1:])\nwarnings.warn('careful')\n"
        "print('two', file=sys.stderr)\ntorch.ones(2) @ torch.ones(3)\n",
        "values",
        "--lr",
        "0.1",
    )
    assert isinstance(error, RuntimeError)
    printed = [(event.text, event.stream) for event in of(recording, e.Printed)]  # type: ignore[attr-defined]
    assert printed[0] == ("one ['--lr', '0.1']\n", "stdout")
    assert ("two\n", "stderr") in printed
    assert [event.message for event in of(recording, e.Warned)] == ["careful"]  # type: ignore[attr-defined]
    (raised,) = of(recording, e.Raised)
    assert raised.type == "RuntimeError"  # type: ignore[attr-defined]
    assert recording.line(raised) == 6  # type: ignore[arg-type]
    assert "one" in capsys.readouterr().out


def test_dtypes_and_layouts_that_numpy_has_not(taped: Taped, torch: ModuleType) -> None:
    recording = taped(
        "import torch\na = torch.tensor([1.5, -2.0], dtype=torch.bfloat16)\nb = torch.tensor([1.0]).to(torch.float8_e5m2)\n"
        "c = torch.tensor([1 + 2j])\nd = torch.eye(2).to_sparse()\ne = torch.empty(3, device='meta')\nf = torch.ones(200) / 0\n"
    )
    made = {
        named.name: next(o for event in of(recording, e.OpRan) for o in event.outputs if o.id == named.tensor)  # type: ignore[attr-defined]
        for named in of(recording, e.Named)
    }
    assert {name: info.dtype for name, info in made.items()} == {
        "a": "bfloat16", "b": "float8_e5m2", "c": "complex64", "d": "float32", "e": "float32", "f": "float32",
    }  # fmt: skip
    assert np.asarray(recording.array(made["a"].array)).tolist() == [1.5, -2.0]
    assert (made["d"].layout, made["e"].device) == ("sparse_coo", "meta")
    assert recording.arrays[made["e"].array].summary is not None
    assert np.isinf(np.asarray(recording.array(made["f"].array))).all()


@pytest.mark.parametrize("shape", [(40, 50), (3000,), (2, 3, 400)])
@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16", "int64", "complex64"])
@pytest.mark.parametrize("elsewhere", [False, True], ids=["here", "elsewhere"])
def test_a_summary_is_the_engines(
    torch: ModuleType, monkeypatch: pytest.MonkeyPatch, shape: tuple[int, ...], dtype: str, elsewhere: bool
) -> None:
    from engine.pytorch.arrays import Keeper
    from engine.recording.store import ArrayStore, summarize

    monkeypatch.setattr(Keeper, "is_elsewhere", staticmethod(lambda tensor: elsewhere))
    torch.manual_seed(0)
    tensor = (torch.randn(*shape) * 50).to(getattr(torch, dtype))
    changes = ["nothing", "zeros", "one value", "nearly alike"]
    if tensor.is_floating_point():
        changes += ["tiny", "huge", "a NaN", "infinities", "all NaN"]
    for change in changes:
        if change in ("zeros", "one value", "all NaN"):
            tensor.fill_({"zeros": 0, "one value": 3, "all NaN": torch.nan}[change])
        if change == "nearly alike":
            tensor.fill_(1000).view(-1)[0] = 1001
        if change in ("tiny", "huge"):
            tensor.copy_(torch.randn(*shape) * (1e-20 if change == "tiny" else 1e30))
        if change == "a NaN":
            tensor.view(-1)[5] = torch.nan
        if change == "infinities":
            tensor.view(-1)[:3] = torch.inf
        store = ArrayStore()
        keeper = Keeper(store, 64)
        keeper.keep(tensor)
        keeper.keep(tensor.transpose(0, -1))
        keeper.keep(tensor[..., ::2])
        keeper.settle()
        plain = tensor.float().numpy() if dtype == "bfloat16" else tensor.numpy()
        expected = [summarize(plain), summarize(plain.T), summarize(plain[..., ::2])]
        for ours, theirs in zip([array.summary for array in store.arrays], expected, strict=True):
            assert ours is not None
            assert (ours.nan, ours.inf) == (theirs.nan, theirs.inf)
            for name in ("min", "max", "mean", "std", "norm"):
                near = pytest.approx(getattr(theirs, name), rel=1e-4, abs=1e-6 * max(1, abs(theirs.max)), nan_ok=True)
                assert getattr(ours, name) == near, (change, name)


def test_another_view_of_the_same_memory_is_not_looked_at_again_until_it_is_written(torch: ModuleType) -> None:
    from engine.pytorch.arrays import Keeper
    from engine.recording.store import ArrayStore

    store = ArrayStore()
    keeper = Keeper(store, 64)
    x = torch.arange(200.0)
    for tensor in (x, x.view(10, 20).t(), x[:100], x.expand(2, 200), x.view(torch.int32)):
        keeper.keep(tensor)
    keeper.settle()
    whole, turned, half, twice, other = [array.summary for array in store.arrays]
    assert whole is turned
    assert half is not None and twice is not None and other is not None  # noqa: PT018
    assert (half.max, twice.mean, other.max) == (99.0, 99.5, x.view(torch.int32).max().item())
    x.add_(1)
    keeper.keep(x.view(200, 1))
    x.data.add_(1)  # which PyTorch does not count, but the recorder sees it run
    keeper.forget()
    keeper.keep(x)
    keeper.settle()
    assert [array.summary.max for array in store.arrays[-2:]] == [200.0, 201.0]  # type: ignore[union-attr]


def test_forms_are_met_again_and_what_differs_in_them_is_kept_apart(taped: Taped, torch: ModuleType) -> None:
    recording = taped(
        "import torch\nw = torch.ones(3, requires_grad=True)\nm = torch.tensor([1.0, 2.0, 0.5])\n"
        "for k in range(4):\n    h = (w * (k + 0.5)).pow(k + 1)\n    if k == 2:\n        h = h.detach()\n"
        "    (h * m).sum(dim=0, keepdim=k % 2 == 0).sum().add(h.mean()).add(w.sum()).backward()\n"
    )
    made = [event for event in of(recording, e.OpRan) if event.op == "mul"]  # type: ignore[attr-defined]
    assert [event.inputs[1].text for event in made[::2]] == ["0.5", "1.5", "2.5", "3.5"]  # type: ignore[attr-defined]
    assert [event.node.name if event.node else "" for event in made[1::2]] == ["MulBackward0"] * 2 + ["", "MulBackward0"]  # type: ignore[attr-defined]
    sums = [event.inputs for event in of(recording, e.OpRan) if event.op == "sum" and len(event.inputs) > 1]  # type: ignore[attr-defined]
    assert [[argument.text for argument in each[1:]] for each in sums] == [["(0,)", "True"], ["(0,)"]] * 2
    nodes = {event.node.id: event.node for event in of(recording, e.OpRan) if event.node}  # type: ignore[attr-defined]
    powers = [
        next(saved.text for saved in node.saved if saved.name == "exponent") for node in nodes.values() if "Pow" in node.name
    ]
    assert powers == ["1", "2", "3", "4"]
    ran = of(recording, e.NodeRan)
    assert all(sent is None or sent.array >= 0 for event in ran for sent in event.sent)  # type: ignore[attr-defined]
    w = torch.ones(3, requires_grad=True)
    for k in range(4):
        h = (w * (k + 0.5)).pow(k + 1)
        h = h.detach() if k == 2 else h
        (h * torch.tensor([1.0, 2.0, 0.5])).sum().add(h.mean()).add(w.sum()).backward()
    assert w.grad is not None
    assert np.asarray(recording.array(of(recording, e.Accumulated)[-1].total)).tolist() == w.grad.tolist()  # type: ignore[attr-defined]


def test_places_within_modules_follow_calls_of_the_program(taped: Taped) -> None:
    recording = taped(
        "import torch\nfrom torch import nn\nclass Twice(nn.Module):\n    def forward(self, x):\n        for k in range(2):\n"
        "            x = x * 2\n        return x\nnet = nn.Sequential(nn.Linear(2, 2), Twice(), nn.ReLU())\n"
        "for step in range(2):\n    out = net(torch.ones(1, 2))\n    out = out + 1\n"
    )
    told = [
        (event.op, recording.line(event), recording.scopes[event.scope].loops, recording.scopes[event.scope].module)  # type: ignore[attr-defined]
        for event in of(recording, e.OpRan)
        if event.op in ("addmm", "mul", "relu", "add")  # type: ignore[attr-defined]
    ]
    assert told == [
        line
        for step in range(2)
        for line in [
            ("addmm", 10, ((9, step),), "net.0"),
            ("mul", 6, ((9, step), (5, 0)), "net.1"),
            ("mul", 6, ((9, step), (5, 1)), "net.1"),
            ("relu", 10, ((9, step),), "net.2"),
            ("add", 11, ((9, step),), ""),
        ]
    ]


def test_gradients_that_are_set_to_zero_are_told_of_their_owners(taped: Taped) -> None:
    recording = taped(
        "import torch\nw = torch.ones(2, requires_grad=True)\noptimizer = torch.optim.SGD([w], lr=0.1)\n"
        "w.sum().backward()\noptimizer.zero_grad(set_to_none=False)\n"
    )
    told = [event for event in recording.events if recording.line(event) == 5 and not isinstance(event, e.Named)]
    assert [(type(event), getattr(event, "how", "")) for event in told] == [(e.GradSet, "zero_")]


def test_what_the_program_has_numpy_say_of_rounding_is_not_said_of_the_recorder_s_numbers(torch: ModuleType) -> None:
    from engine.pytorch import record

    changes = (
        lambda t: t.fill_(torch.nan), lambda t: t[::7].fill_(torch.nan), lambda t: t.fill_(torch.inf), lambda t: t.mul_(3e38),
        lambda t: t.mul_(1e-42), lambda t: t.fill_(1e-40), lambda t: t.fill_(1000)[0].add_(1),
    )  # fmt: skip
    torch.manual_seed(0)
    made = []
    with np.errstate(all="raise"), record() as tape:
        for dtype in (torch.float32, torch.float64):
            for change in changes:
                made.append(torch.randn(1000).to(dtype))
                change(made[-1])
    assert tape.recorder is not None
    assert not tape.recorder.failure
    assert sum(len(event.written) for event in of(tape.recording, e.OpRan)) >= len(made)  # type: ignore[attr-defined]


def test_small_tensors_are_kept_as_they_lie_and_views_as_they_are_meant(torch: ModuleType) -> None:
    from engine.pytorch.arrays import Keeper
    from engine.recording.store import ArrayStore

    table = torch.arange(6).reshape(2, 3)
    negated = torch.tensor([1 + 2j, 3 - 4j]).conj().imag
    assert negated.is_neg()
    halves = torch.tensor([1.5, -2.0], dtype=torch.float16)
    tensors = [
        table, table.t(), table[:, 1], table > 2, halves, negated, torch.tensor([1 + 2j]).conj(), torch.zeros(0),
        torch.tensor(7, dtype=torch.int8),
    ]  # fmt: skip
    store = ArrayStore()
    keeper = Keeper(store, 64)
    kept = [keeper.keep(tensor) for tensor in tensors]
    for array, tensor in zip([store.arrays[id] for id in kept], tensors, strict=True):
        found = array.to_numpy()
        assert found is not None
        assert found.tolist() == tensor.resolve_conj().resolve_neg().tolist()


def test_what_a_call_detaches_within_is_not_thrown_away_by_the_line(taped: Taped) -> None:
    recording = taped(TRAINING.replace("    opt.step()\n", "    opt.step()\n    net.state_dict()\n"))
    assert "detach" in ops(recording)
    assert findings(recording) == []


TARGET = """import torch
from torch import nn
torch.manual_seed(0)
class Agent:
    def __init__(self):
        self.net, self.target = nn.Linear(2, 2), nn.Linear(2, 2)
        self.opt = torch.optim.SGD(self.net.parameters(), lr=0.1)
    def sync(self):
        self.target = self.net
    def learn(self, x):
        with torch.no_grad():
            goal = self.target(x)
        loss = (self.net(x) - goal - 1).pow(2).mean()
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
agent = Agent()
for step in range(6):
    agent.learn(torch.randn(4, 2))
    if step == 2:
        agent.sync()
"""


def test_a_module_that_a_method_gives_to_its_object_has_the_name_there(taped: Taped) -> None:
    recording = taped(TARGET)
    names = {event.name: event.tensor for event in recording.events if isinstance(event, e.Named)}
    assert names["agent.target.weight"] == names["agent.net.weight"]
    assert [f.rule for f in findings(recording)] == ["target_is_network"]


def test_what_was_given_other_data_is_not_written_with_its_old_views(torch: ModuleType) -> None:
    from engine.pytorch import record

    with record() as tape:
        x = torch.zeros(3)
        view = x.view(3)
        x.data = torch.ones(3)
        view.add_(1)
    (event,) = [event for event in tape.recording.events if isinstance(event, e.OpRan) and event.op == "add"]
    assert len(event.written) == 1


def test_an_optimizer_takes_each_gradient_away_once(torch: ModuleType) -> None:
    from engine.pytorch import record

    a, b, c = (torch.ones(2, requires_grad=True) for _ in range(3))
    with record() as tape:
        with pytest.warns(UserWarning, match="duplicate parameters"):
            optimizer = torch.optim.SGD([a, b, a, c])
        (a * b).sum().backward()
        optimizer.zero_grad()
    cleared = [event for event in tape.recording.events if isinstance(event, e.GradSet)]
    assert [(event.how, event.array) for event in cleared] == [("None", e.NOTHING)] * 2
    assert len({event.tensor for event in cleared}) == 2
    assert a.grad is b.grad is c.grad is None


@pytest.mark.parametrize("dtype", ["bfloat16", "float16", "bool", "uint8", "int16", "int64"])
def test_small_tensors_of_every_dtype_are_summarized_together(
    torch: ModuleType, monkeypatch: pytest.MonkeyPatch, dtype: str
) -> None:
    """To ask PyTorch of one takes longer than the operation that makes it, and a training in mixed precision makes many."""
    from engine.pytorch import arrays, record

    torch.manual_seed(0)
    given, asked = [], []
    brief = arrays.brief
    monkeypatch.setattr(arrays, "brief", lambda tensor: asked.append(tensor) or brief(tensor))
    with record() as tape:
        for k in range(60):
            x = (torch.randn(10, 20) * 10 ** (k % 3)).abs().to(getattr(torch, dtype))
            given.append(x.clone())
    ran = [event for event in tape.recording.events if isinstance(event, e.OpRan) and event.op == "clone"]
    assert len(ran) == len(given)
    assert not asked
    for event, tensor in zip(ran, given, strict=True):
        summary, exact = tape.recording.arrays[event.outputs[0].array].summary, tensor.double()
        assert summary is not None
        expected = exact.min(), exact.max(), exact.mean(), exact.std(correction=0), exact.norm()
        told = summary.min, summary.max, summary.mean, summary.std, summary.norm
        assert told == pytest.approx([float(each) for each in expected], rel=1e-5)


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "bfloat16"])
def test_small_tensors_are_summarized_as_they_were(torch: ModuleType, dtype: str) -> None:
    from engine.pytorch import record

    torch.manual_seed(0)
    with record() as tape:
        x = torch.zeros(100, dtype=getattr(torch, dtype))
        given = []
        for k in range(400):
            x.normal_().add_(1e3 * (k % 2))
            if k % 50 == 7:
                x[3] = float("inf") if k % 100 == 7 else float("nan")
            given.append(x.clone())
            y = x.view(10, 10)  # of the same memory
    assert y.shape == (10, 10)
    views = [event.outputs[0].array for event in tape.recording.events if isinstance(event, e.OpRan) and event.op == "view"]
    arrays = [tape.recording.arrays[number].summary for number in views]
    assert len(arrays) == len(given)
    for summary, tensor in zip(arrays, given, strict=True):
        finite = tensor[tensor.isfinite()].double()
        assert summary is not None
        assert (summary.nan, summary.inf) == (int(tensor.isnan().sum()), int(tensor.isinf().sum()))
        for name, expected in (
            ("min", finite.min()), ("max", finite.max()), ("mean", finite.mean()), ("std", finite.std(correction=0)),
            ("norm", finite.norm()),
        ):  # fmt: skip
            assert getattr(summary, name) == pytest.approx(float(expected), rel=1e-5, abs=1e-6)


FAULTS = {
    "torch.log(x)": "log(0) is −infinity",
    "torch.sqrt(x)": "1/(2·sqrt(0)), is not finite",
    "1 / x": "A number divided by 0 is infinite",
    "0 * x / x": "0/0 is NaN",
    "torch.acos(1.5 * x)": "acos(1.5) does not exist outside",
    "torch.exp(200 * x)": "exp(200) is larger",
    "torch.log1p(x - 1)": "log1p(−1) is −infinity",
    "torch.log1p(x - 3)": "log1p of a negative number (-3) is NaN",
    "torch.logit(x)": "logit(0) is infinite",
    "(x - 0.5) ** 0.5": "A fractional power of a negative number (-0.5) is NaN",
}


@pytest.mark.parametrize("made", FAULTS)
def test_why_a_number_is_not_finite_is_said_where_only_extremes_were_kept(taped: Taped, made: str) -> None:
    text = f"import torch\nx = torch.linspace(0, 1, 200, requires_grad=True)\n({made}).sum().backward()\n"
    recording = taped(text, "statistics")
    (found, *_) = findings(recording)
    assert found.rule in ("nan", "inf", "nan_gradient", "inf_gradient")
    assert FAULTS[made] in found.explanation


CHECKPOINTED = """import torch
from torch.utils.checkpoint import checkpoint
torch.manual_seed(0)
first, second = torch.nn.Linear(3, 4), torch.nn.Linear(8, 1)
x = torch.randn(5, 3)
for _ in range(2):
    a = first(x)
    b = a.tanh()
    checkpoint(lambda *each: second(torch.cat(each, 1)), a, b, use_reentrant=True).sum().backward()
"""


@pytest.mark.parametrize("level", ["facts", "statistics", "values"])
def test_what_a_re_entrant_checkpoint_computes_anew_has_leaves(taped: Taped, level: str) -> None:
    recording = taped(CHECKPOINTED, level)
    (inner, *_) = [
        event.number for event in of(recording, e.Accumulated) if isinstance(event, e.Accumulated) and event.number > 1
    ]
    reached = [
        event.tensor for event in of(recording, e.Accumulated) if isinstance(event, e.Accumulated) and event.number == inner
    ]
    assert len(reached) == 4, "weight and bias, and the copies of both inputs"
    assert len({*reached}) == 4


@pytest.mark.parametrize("count", [3, 100, 5000, 300_000])
def test_numbers_whose_squares_are_too_large_are_summed_up_without_a_warning(taped: Taped, count: int) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        recording = taped(f"import torch\nx = torch.full(({count},), -3e38)\ny = x.abs()\n", "statistics")
    summary = recording.arrays[-1].summary
    assert summary is None if count == 3 else summary is not None
    if summary is not None:
        assert summary.min == summary.max == pytest.approx(3e38)
        assert summary.inf == summary.nan == 0


def test_a_storage_is_told_by_its_size_and_not_written_out(taped: Taped, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a worker of a DataLoader sends is a storage, of which PyTorch writes every byte on a line of its own."""
    import torch

    def written(_: object) -> str:
        raise AssertionError("it takes a second for each megabyte")

    monkeypatch.setattr(torch.UntypedStorage, "__repr__", written)
    monkeypatch.setattr(torch.UntypedStorage, "__str__", written)
    recording = taped("import torch\nx = torch.ones(50)\ny = torch.empty(0)\ny.set_(x.untyped_storage(), 0, (50,), (1,))\n")
    told = [argument.text for event in recording.events if isinstance(event, e.OpRan) for argument in event.inputs]
    assert "<UntypedStorage of 200>" in told


PASSED_OVER = """
import torch
from torch import nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.head = nn.Linear(4, 8), nn.Linear(8, 1)
        for p in self.parameters():
            p.requires_grad = p.ndim > 1
    def forward(self, x):
        return self.head(self.body(x))
def fit(model):
    model(torch.ones(2, 4)).sum().backward()
fit(Net())
"""


def test_parameters_over_which_a_loop_passed_first_go_by_the_path_in_their_module(taped: Taped) -> None:
    recording = taped(PASSED_OVER)
    made = [event.outputs[0].id for event in of(recording, e.OpRan) if isinstance(event, e.OpRan) and event.op == "Parameter"]
    names = [best_name(recording, tensor) for tensor in made]
    assert names == ["model.body.weight", "model.body.bias", "model.head.weight", "model.head.bias"]


def test_a_traceback_is_that_without_the_recorder(taped: Taped) -> None:
    from engine.pytorch.running import traceback_of

    text = (
        "import torch\nx = torch.ones(2, 3)\ntorch.nn.functional.batch_norm(x, torch.ones(4), torch.ones(4), training=True)\n"
    )
    _, error = taped.ending(text)
    assert error is not None
    told = traceback_of(error)
    try:
        exec(compile(text, str(taped.folder / "train.py"), "exec"), {})
    except RuntimeError as plain:
        expected = "".join(
            traceback.format_exception(plain.with_traceback(plain.__traceback__ and plain.__traceback__.tb_next))
        )
    assert told == expected
