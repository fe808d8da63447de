"""What a program sees and shows: output, warnings, cells, errors with their place, and unchanged semantics."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from engine.program import Program
from engine.program.magics import without_magics
from engine.recording import replay
from engine.recording.events import Named, OpRan, Raised
from engine.sandbox import Layers, run

TRICKY = {
    "generators in loops": """
def numbers():
    for i in range(3):
        yield i
        for j in range(2):
            yield (i, j)
for n in numbers():
    for m in numbers():
        if m == 1: break
    print(n, m)
""",
    "while and for with else": """
i = 0
while i < 3:
    i += 1
    if i == 2: continue
else:
    print('done', i)
for k in []:
    pass
else:
    print('empty')
while True:
    break
else:
    print('never')
""",
    "return inside loops and finally": """
def f(n):
    try:
        for i in range(n):
            while True:
                if i == 2: return i
                break
    finally:
        print('finally')
print(f(5), f(1))
""",
    "closures, global and nonlocal": """
count = 0
def outer():
    total = 0
    def inner(k):
        global count
        nonlocal total
        count += 1
        total += k
        return total
    return inner
add = outer()
print(add(2), add(3), count)
""",
    "classes": """
class A:
    x = 1
    y: int = x + 1
    for i in range(2): z = i
    def __init__(self, v): self.v = v
    def double(self): return self.v * 2
class B(A):
    def __init__(self, v):
        super().__init__(v + 1)
print(A.x, A.y, A.z, B(3).double(), sorted(k for k in vars(A) if not k.startswith('_')))
""",
    "decorators and defaults": """
def twice(f):
    def g(*args, k=2, **more):
        return [f(*args, **more)] * k
    return g
@twice
def h(a, b=3, *, c=4): return a + b + c
print(h(1), h(1, c=0))
""",
    "walrus, unpacking, match": """
if (n := 5) > 3: print(n)
a, *b, (c, d) = 1, 2, 3, (4, 5)
print(a, b, c, d)
print([y for x in range(3) if (y := x * x)], y)
match {'k': [1, 2]}:
    case {'k': [p, *q]}: print(p, q)
""",
    "walrus in what is not evaluated": """
a = False
b = a and (n := 3)
print(b, 'n' in dir(), [(m := x) for x in (1, 2)], m)
""",
    "objects that answer everything": """
class Nosy:
    def __getattr__(self, name):
        print('asked for', name)
        return 1
x = Nosy()
""",
    "docstrings and annotations": '''
"""The module."""
from __future__ import annotations
def f(x: Undefined) -> Also:
    """The function."""
    return x
print(__doc__, f.__doc__, f.__annotations__, f(1))
''',
    "names that are not there": """
print(sorted(k for k in globals() if not k.startswith('__')), [k for k in dir() if 'tape' in k])
""",
    "try, except, with": """
class C:
    def __enter__(self): return 7
    def __exit__(self, *a): return True
with C() as seven, C():
    raise ValueError('swallowed')
print(seven)
try:
    for i in range(3):
        if i: raise KeyError(i)
except KeyError as e:
    print('caught', e)
print('e' in dir())
""",
    "lambdas and comprehensions": """
print([(lambda q: q + i)(1) for i in range(3)], {k: v for k, v in zip('ab', (1, 2))}, sorted(x for x in {3, 1}))
""",
    "deleting a name": """
x = 1
del x
try: x
except NameError as e: print(e)
""",
    "iterating what cannot be": """
try:
    for i in 5: pass
except TypeError as e: print(e)
""",
    "async, which programs may only use without the language layer": """
async def f(x):
    y = x + 1
    return y
try: f(1).send(None)
except StopIteration as e: print(e.value)
""",
}


@pytest.mark.parametrize("program", TRICKY.values(), ids=TRICKY.keys())
def test_instrumentation_changes_nothing(program: str) -> None:
    program = program.lstrip("\n")
    plain = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    result = run(program, layers=Layers(language="async" not in program))
    assert result.status == "ok", result.error
    assert result.output == plain.stdout


ERRORS: dict[str, tuple[str, str, str, tuple[int, int, int]]] = {
    "syntax": ("x = 1\ny = (2,\n", "SyntaxError", "was never closed", (2, 4, 2)),
    "syntax behind other letters": ("s = 'äöü'; y = = 2\n", "SyntaxError", "invalid syntax", (1, 18, 1)),
    "a wrong name": ("import torch\nprint(torhc)\n", "NameError", "torhc", (2, 6, 2)),
    "shapes": ("import torch\na = torch.ones(2)\nb = a + torch.ones(3)\n", "RuntimeError", "must match the size", (3, 4, 3)),
    "an unsupported function": (
        "import torch\ntorch.sparse_csr_tensor(1)\n",
        "NotImplementedError",
        "torch.sparse_csr_tensor is not supported",
        (2, 0, 2),
    ),
    "inside a function": ("def f(x):\n    return x.foo\n\nf(1)\n", "AttributeError", "foo", (2, 11, 2)),
    "over several lines": ("x = [\n  1,\n  int('a'),\n]\n", "ValueError", "invalid literal", (3, 2, 3)),
    "a missing key": ("{}['k']\n", "KeyError", "'k'", (1, 0, 1)),
}


@pytest.mark.parametrize(("program", "kind", "message", "place"), ERRORS.values(), ids=ERRORS.keys())
def test_an_error_has_its_place(program: str, kind: str, message: str, place: tuple[int, int, int]) -> None:
    error = run(program).error
    assert error is not None
    assert error.type == kind
    assert message in error.message
    assert (error.line, error.column, error.end_line) == place
    assert "engine" not in error.traceback
    assert "<program>" in error.traceback


def test_warnings_look_as_in_a_terminal() -> None:
    result = run("import torch\ny = torch.ones(1, requires_grad=True) * 2\nfor i in range(2):\n    print(y.grad)\n")
    lines = result.output.splitlines()
    assert lines[0].startswith("<program>:4: UserWarning: The .grad attribute of a Tensor that is not a leaf Tensor")
    assert lines[1] == "  print(y.grad)"
    assert lines[2:] == ["None", "None"]


def test_warnings_from_within_the_engine_name_the_programs_line() -> None:
    result = run(
        "import torch\nm = torch.nn.Linear(2, 2)\nm.register_full_backward_hook(lambda *_: None)\ny = m(torch.ones(1, 2))\n"
        "y.sum().backward()\n"
        "e = torch.nn.TransformerEncoder(torch.nn.TransformerEncoderLayer(8, 2, 16), 1)\n"
    )
    told = [line[:60] for line in result.output.splitlines() if "Warning" in line]
    assert told == [
        "<program>:5: UserWarning: Full backward hook is firing when ",
        "<program>:6: UserWarning: enable_nested_tensor is True, but ",
    ]


def test_what_is_appended_gets_its_name_and_long_lists_are_not_looked_through_again() -> None:
    result = run(
        "import torch\nw = torch.ones(2, requires_grad=True)\nxs, numbers = [], []\nfor k in range(12):\n    xs.append(w * k)\n"
        "class Layer: pass\nlayers = []\nfor k in range(20):\n    layers.append(Layer())\n    layers[k].w = w + k\n"
        "for k in range(70):\n    numbers.append(k)\nnumbers.append(w * 3)\n"
    )
    assert result.status == "ok", result.error
    assert result.recording is not None
    names = {event.name for event in result.recording.events if isinstance(event, Named)}
    assert {f"xs[{k}]" for k in range(12)} <= names
    assert {f"layers[{k}].w" for k in range(20)} <= names
    assert not any(name.startswith("numbers") for name in names)


def cells(*texts: str) -> list[tuple[str, str | None]]:
    """Output (without the lines of warnings that quote a file) and result of each cell."""
    result = run(Program.from_cells(texts))
    assert result.status == "ok", result.error
    found = []
    for c in result.cells:
        kept = [line for line in c.output.splitlines() if "Warning: " not in line]
        found.append(("\n".join(kept), c.result))
    return found


def test_a_notebooks_cell_may_import_from_the_future_anywhere_and_those_below_have_it() -> None:
    first = "x = 1\nfrom __future__ import annotations\ndef f(a: Missing): return a\nf(x)"
    assert cells(first, "def g(a: Missing): return a\ng(2)") == [("", "1"), ("", "2")]
    assert run("x = 1\nfrom __future__ import annotations\n").status == "error"


def test_pylab_brings_its_names_to_a_notebook() -> None:
    second = "print(linspace(0, 1, 3), np.pi, plt.plot is plot, matplotlib.rcParams is not None)"
    assert cells(without_magics("%pylab inline"), second) == [("", None), ("[0.  0.5 1. ] 3.141592653589793 True True", None)]


def test_a_notebook_shows_what_it_shows_in_jupyter() -> None:
    assert cells(
        "import torch",
        "w = torch.tensor([[1., 2.]], requires_grad=True)\nloss = (w ** 2).mean()",
        "loss.backward()",
        "w.grad",
        "loss.grad",
        "loss",
        "w.grad;",
        "print('a')\nloss.grad\nprint(loss.grad)\nprint('b')",
        "w.requires_grad_(False)\nw",
        "None",
    ) == [
        ("", None),
        ("", None),
        ("", None),
        ("", "tensor([[1., 2.]])"),
        ("  loss.grad", None),
        ("", "tensor(2.5000, grad_fn=<MeanBackward0>)"),
        ("", None),
        ("a\nNone\nb\n  loss.grad\n  print(loss.grad)", None),
        ("", "tensor([[1., 2.]])"),
        ("", None),
    ]


def test_torch_means_the_engine_and_its_parts_can_be_imported() -> None:
    result = run(
        "import torch.nn.functional as F\nfrom torch import nn, autograd\nimport numpy as np, math, random\nimport torch\n"
        "print(F.relu(torch.tensor([-1., 2.])), np.ones(2).sum(), math.pi > 3, random.random() < 1, torch.__version__)"
    )
    assert result.output == "tensor([0., 2.]) 2.0 True True 2.13.0+gradtape\n"


def test_names_and_loop_iterations_are_recorded() -> None:
    result = run(
        "import torch\n\ndef f(p):\n    q = p * 2\n    return q\n\nfor i in range(2):\n    j = 0\n"
        "    while j < 2:\n        y = f(torch.ones(1))\n        j += 1\nweights = [torch.ones(1), torch.zeros(1)]\n"
    )
    recording = result.recording
    assert recording is not None
    names = [(e.function, e.name) for e in recording.events if isinstance(e, Named)]
    assert names[:3] == [("f", "p"), ("f", "q"), ("", "y")]
    assert names[-2:] == [("", "weights[0]"), ("", "weights[1]")]
    products = [e for e in recording.events if isinstance(e, OpRan) and e.op == "mul"]
    loops = [recording.scopes[e.scope].loops for e in products]
    assert loops == [((7, i), (9, j)) for i in range(2) for j in range(2)]
    assert {recording.scopes[e.scope].function for e in products} == {"f"}
    assert {recording.line(e) for e in products} == {4}


def test_writes_through_views_reach_the_base() -> None:
    result = run(
        "import torch\nw = torch.tensor([5.], requires_grad=True)\nb = torch.zeros(2, 2)\nb[0] = w\nrow = b[1]\nrow.add_(1)\n"
    )
    recording = result.recording
    assert recording is not None
    state = replay(recording, len(recording.events) - 1)
    b = state.tensor(state.names["b"])
    value: Any = recording.array(b.value)
    assert value.tolist() == [[5, 5], [1, 1]]
    assert b.requires_grad
    assert not b.is_leaf


def test_a_recording_survives_saving(tmp_path: Any) -> None:
    from engine.recording import Recording

    result = run("import torch\nx = torch.ones(2, requires_grad=True)\nprint('\\ud800 lone')\n(x * x).sum().backward()\n")
    assert result.recording is not None
    path = tmp_path / "run.gradtape"
    result.recording.save(path)
    again = Recording.load(path)
    assert again.events == result.recording.events
    assert again.source == result.recording.source


def test_what_the_engine_imports_when_it_is_needed_is_there() -> None:
    """A process that runs a program can open no file any more."""
    lines = [
        "import torch",
        "layer = torch.nn.Linear(2, 1)",
        "layer.register_full_backward_hook(lambda module, inputs, outputs: print('hook'))",
        "layer(torch.ones(1, 2, requires_grad=True)).sum().backward()",
    ]
    result = run("\n".join(lines) + "\n")
    assert (result.status, result.output) == ("ok", "hook\n"), result.error


def test_an_error_within_a_layer_names_the_layer() -> None:
    lines = [
        "import torch",
        "class Net(torch.nn.Module):",
        "    def __init__(self):",
        "        super().__init__()",
        "        self.parts = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Linear(4, 1))",
        "    def forward(self, x):",
        "        return self.parts(x)",
        "net = Net()",
        "net(torch.ones(1, 2))",
    ]
    result = run("\n".join(lines) + "\n")
    assert result.error is not None
    assert (result.error.module, result.error.line) == ("net.parts.1", 7)
    assert result.error.layer == "Linear(in_features=4, out_features=1, bias=True)"
    assert result.recording is not None
    (event,) = [event for event in result.recording.events if isinstance(event, Raised)]
    assert (event.module, event.layer) == (result.error.module, result.error.layer)


def test_a_name_that_is_not_there_is_near_one_that_is() -> None:
    start = "import torch\nclass Net(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n"
    start += "        self.fc1 = torch.nn.Linear(1, 1)\n"
    for access, near in (("Net().fc_1", "fc1"), ("torch.ones(1).backwards()", "backward"), ("Net().xyz", "")):
        error = run(start + access + "\n").error
        assert error is not None
        assert error.help == (f"Did you mean '{near}'?" if near else "")


@pytest.mark.parametrize(
    ("text", "help"),
    [
        ("import torch\nx = torch.ones(2, requires_grad=Ture)\n", "Did you mean 'True'?"),
        ("weight = 1\nprint(wieght)\n", "Did you mean 'weight'?"),
        ("x = torch.ones(2)\n", "Write import torch at the top."),
        ("import torch\nx = F.relu(torch.ones(2))\n", "Write import torch.nn.functional as F at the top."),
        ("def f():\n    rate = 2\n    return raet\nf()\n", "Did you mean 'rate'?"),
        ("print(qqqzz)\n", ""),
    ],
)
def test_a_name_without_a_value_is_near_one_that_has_one_or_was_not_imported(text: str, help: str) -> None:
    error = run(text).error
    assert error is not None
    assert (error.type, error.help) == ("NameError", help)
