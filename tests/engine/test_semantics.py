"""Small programs that must end as in PyTorch: same result as text, or the same exception with the same words."""

from __future__ import annotations

import textwrap
import warnings
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import engine

# Each program ends with an expression `out`; it sees `torch`, `F` and `np`.
PROGRAMS = {
    # --- accumulation and freeing
    "gradients add up over passes": "x = torch.ones(2, requires_grad=True)\nfor _ in range(3): (2 * x).sum().backward()\nout = x.grad",
    "zero_ clears in place": "x = torch.ones(2, requires_grad=True)\n(2 * x).sum().backward()\ng = x.grad\nx.grad.zero_()\nout = (g, x.grad is g)",
    "the gradient grows in place": "x = torch.ones(2, requires_grad=True)\nx.sum().backward()\ng = x.grad\nx.sum().backward()\nout = g",
    "a gradient may be set to None": "x = torch.ones(2, requires_grad=True)\nx.sum().backward()\nx.grad = None\nout = x.grad",
    "backward twice needs retain_graph": "x = torch.ones(2, requires_grad=True)\ny = (x * x).sum()\ny.backward()\ny.backward()",
    "retain_graph keeps it": "x = torch.ones(2, requires_grad=True)\ny = (x * x).sum()\ny.backward(retain_graph=True)\ny.backward()\nout = x.grad",
    "a graph that saves nothing may run twice": "x = torch.ones(2, requires_grad=True)\ny = (x + 1).sum()\ny.backward()\ny.backward()\nout = x.grad",
    "backward needs a scalar": "x = torch.ones(2, requires_grad=True)\n(x * 2).backward()",
    "backward takes a gradient": "x = torch.ones(2, requires_grad=True)\n(x * 2).backward(torch.tensor([1., 10.]))\nout = x.grad",
    "the gradient's shape must fit": "x = torch.ones(2, requires_grad=True)\n(x * 2).backward(torch.ones(3))",
    "backward needs a graph": "torch.ones(1).backward()",
    "backward with inputs fills only those": "x = torch.ones(2, requires_grad=True)\ny = torch.ones(2, requires_grad=True)\n(x * y).sum().backward(inputs=[x])\nout = (x.grad, y.grad)",
    "backward with a non-leaf input": "x = torch.ones(2, requires_grad=True)\nh = x * 3\nh.retain_grad()\n(h * 2).sum().backward(inputs=[h])\nout = (x.grad, h.grad)",
    "shared leaves add up within a pass": "x = torch.tensor(3., requires_grad=True)\n(x * x * x + x).backward()\nout = x.grad",
    "retained gradients add up": "x = torch.ones(2, requires_grad=True)\ny = x * 2\ny.retain_grad()\nfor _ in range(2): y.sum().backward(retain_graph=True)\nout = (y.grad, x.grad)",
    # --- autograd.grad
    "grad leaves .grad alone": "x = torch.ones(2, requires_grad=True)\ng = torch.autograd.grad((x * x).sum(), x)\nout = (g, x.grad)",
    "grad of an unused input": "x = torch.ones(2, requires_grad=True)\ny = torch.ones(2, requires_grad=True)\ntorch.autograd.grad(x.sum(), y)",
    "grad allows unused": "x = torch.ones(2, requires_grad=True)\ny = torch.ones(2, requires_grad=True)\nout = torch.autograd.grad(x.sum(), [x, y], allow_unused=True)",
    "grad materializes zeros": "x = torch.ones(2, requires_grad=True)\ny = torch.ones(2, requires_grad=True)\nout = torch.autograd.grad(x.sum(), [x, y], materialize_grads=True)",
    "grad of something that needs none": "x = torch.ones(2)\ny = torch.ones(2, requires_grad=True)\ntorch.autograd.grad((x * y).sum(), x)",
    "grad of a non-leaf": "x = torch.ones(2, requires_grad=True)\nh = x * 3\nout = torch.autograd.grad((h * h).sum(), [h, x])",
    "second derivative": "x = torch.tensor(2., requires_grad=True)\ng, = torch.autograd.grad(x ** 3, x, create_graph=True)\ng2, = torch.autograd.grad(g, x, create_graph=True)\nout = (g, g2, torch.autograd.grad(g2, x))",
    "create_graph in backward": "x = torch.tensor(2., requires_grad=True)\n(x ** 3).backward(create_graph=True)\nout = x.grad.requires_grad",
    # --- flags and modes
    "no_grad as a block": "x = torch.ones(2, requires_grad=True)\nwith torch.no_grad(): y = x * 2\nout = (y, y.requires_grad, y.is_leaf)",
    "no_grad as a decorator": "@torch.no_grad()\ndef f(x): return x * 2\nout = f(torch.ones(2, requires_grad=True))",
    "enable_grad inside no_grad": "x = torch.ones(2, requires_grad=True)\nwith torch.no_grad():\n    with torch.enable_grad(): y = x * 2\nout = y",
    "set_grad_enabled": "x = torch.ones(2, requires_grad=True)\nwith torch.set_grad_enabled(False): y = x * 2\nout = (y, torch.is_grad_enabled())",
    "detach": "x = torch.ones(2, requires_grad=True)\ny = (x * 2).detach()\nout = (y, y.requires_grad)",
    "detach shares memory": "x = torch.zeros(2)\ny = x.detach()\ny[0] = 5\nout = x",
    "requires_grad_ both ways": "x = torch.ones(2)\nx.requires_grad_()\na = repr(x)\nx.requires_grad_(False)\nout = (a, x)",
    "integers need no gradient": "torch.ones(2, dtype=torch.int64, requires_grad=True)",
    "integers cannot be told to": "torch.ones(2, dtype=torch.int64).requires_grad_()",
    "a result's flag cannot be cleared": "y = torch.ones(2, requires_grad=True) * 2\ny.requires_grad = False",
    "leaf or not": "x = torch.ones(2, requires_grad=True)\ny = x * 2\nout = (x.is_leaf, y.is_leaf, (x.detach() * 2).is_leaf, x.grad_fn)",
    "retain_grad without grad": "torch.ones(2).retain_grad()",
    "numpy of a tensor with grad": "torch.ones(2, requires_grad=True).numpy()",
    # --- hooks
    "a tensor hook changes the gradient": "x = torch.ones(2, requires_grad=True)\ny = x * 3\ny.register_hook(lambda g: g * 10)\ny.sum().backward()\nout = x.grad",
    "a removed hook does nothing": "x = torch.ones(2, requires_grad=True)\nh = x.register_hook(lambda g: g * 10)\nh.remove()\nx.sum().backward()\nout = x.grad",
    "a leaf hook": "x = torch.ones(2, requires_grad=True)\nx.register_hook(lambda g: g + 1)\nx.sum().backward()\nout = x.grad",
    "post accumulate hook": "seen = []\nx = torch.ones(2, requires_grad=True)\nx.register_post_accumulate_grad_hook(lambda p: seen.append(p.grad.tolist()))\nx.sum().backward()\nout = seen",
    "node hooks see gradients": "seen = []\nx = torch.ones(2, requires_grad=True)\ny = x * 3\ny.grad_fn.register_hook(lambda gi, go: seen.append((gi[0].tolist(), go[0].tolist())))\ny.sum().backward()\nout = seen",
    "node pre-hooks change gradients": "x = torch.ones(2, requires_grad=True)\ny = x * 3\ny.grad_fn.register_prehook(lambda go: (go[0] * 2,))\ny.sum().backward()\nout = x.grad",
    "nodes run in PyTorch's order": "seen = []\na = torch.ones(1, requires_grad=True)\nb = a * 2\nc = a.exp()\nd = b + c\ne = c * b\nf = d * e\nfor n in (b, c, d, e, f): n.grad_fn.register_prehook(lambda g, n=n: seen.append(type(n.grad_fn).__name__))\nf.backward()\nout = seen",
    # --- in place and views
    "in place on a leaf": "x = torch.ones(2, requires_grad=True)\nx.add_(1)",
    "in place on a view of a leaf": "x = torch.ones(2, requires_grad=True)\nx[0] = 5",
    "in place on a leaf under no_grad": "x = torch.ones(2, requires_grad=True)\nwith torch.no_grad(): x -= 0.5\nout = (x, x._version)",
    "a saved tensor was changed": "x = torch.ones(2, requires_grad=True)\ny = x * 2\nz = y * y\ny.add_(1)\nz.sum().backward()",
    "a saved result was changed": "x = torch.ones(2, requires_grad=True)\ny = x.exp()\ny.add_(1)\ny.sum().backward()",
    "an in-place result is part of the graph": "x = torch.ones(2, requires_grad=True)\ny = x * 2\ny.mul_(3)\ny.sum().backward()\nout = (y, x.grad)",
    "exp_ saves the written memory": "x = torch.ones(2, requires_grad=True)\ny = x * 2\ny.exp_()\ny.sum().backward()\nout = x.grad",
    "assignment through an index": "x = torch.ones(3, requires_grad=True)\ny = x * 2\ny[1] = 7\ny.sum().backward()\nout = (y, x.grad)",
    "assignment of a tensor that needs grad": "w = torch.tensor([5.], requires_grad=True)\nb = torch.zeros(2, 2)\nb[0] = w\n(b * b).sum().backward()\nout = (b, w.grad)",
    "writing through a view": "x = torch.ones(2, 2, requires_grad=True)\ny = x * 2\nrow = y[0]\nrow.mul_(3)\ny.sum().backward()\nout = (y, x.grad, y.grad_fn.name(), row.grad_fn.name())",
    "writing to a view of a view": "x = torch.ones(2, 3, requires_grad=True)\ny = x * 2\ny[0][1:].mul_(5)\ny.sum().backward()\nout = (y, x.grad)",
    "a view follows its base": "x = torch.ones(2, requires_grad=True)\nb = torch.zeros(2)\nv = b[0:1]\nb.add_(x)\n(v * 3).sum().backward()\nout = (v, x.grad)",
    "unbound views cannot be written": "y = torch.ones(2, 2, requires_grad=True) * 1\na, b = y.unbind(0)\na.mul_(2)",
    "a no_grad view cannot be written": "x = torch.ones(2, requires_grad=True)\nwith torch.no_grad(): v = x[0:1]\nv.mul_(2)",
    "versions count writes": "x = torch.zeros(2)\nv = x[0:1]\nx.add_(1)\nv.add_(1)\nout = (x._version, v._version, x)",
    "masked assignment": "x = torch.arange(4.)\nx[x > 1] = 0\nout = x",
    "index array assignment": "x = torch.zeros(4)\nx[[0, 2]] = torch.tensor([1., 2.])\nout = x",
    "augmented assignment of an entry": "x = torch.zeros(2, 2)\nx[0, 1] += 3\nx[1] *= 2\nout = x",
    "in-place dtype": "x = torch.zeros(2, dtype=torch.int64)\nx += 1.5",
    "in-place shape": "x = torch.zeros(2)\nx += torch.ones(2, 2)",
    # --- errors people meet
    "shapes that do not broadcast": "torch.ones(2, 3) + torch.ones(2)",
    "matrix product": "torch.ones(2, 3) @ torch.ones(2, 3)",
    "linear": "F.linear(torch.ones(2, 3), torch.ones(4, 2), torch.ones(4))",
    "vector product": "torch.ones(2) @ torch.ones(3)",
    "matrix and vector": "torch.ones(2, 3) @ torch.ones(2)",
    "cat": "torch.cat([torch.ones(2, 3), torch.ones(2, 2)])",
    "stack": "torch.stack([torch.ones(2), torch.ones(3)])",
    "view": "torch.ones(2, 3).view(4)",
    "view of a transpose": "torch.ones(2, 3).t().view(6)",
    "reshape": "torch.ones(2, 3).reshape(5, -1)",
    "expand": "torch.ones(2).expand(3)",
    "dim out of range": "torch.ones(2).sum(3)",
    "index out of range": "torch.ones(2)[5]",
    "too many indices": "torch.ones(2)[0, 0]",
    "item of many": "torch.ones(2).item()",
    "truth of many": "bool(torch.ones(2))",
    "mean of integers": "torch.ones(2, dtype=torch.int64).mean()",
    "an operand that is no number": "torch.ones(2) + 'a'",
    "two bools subtracted": "torch.tensor([True]) - torch.tensor([False])",
    "integers to a negative power": "torch.tensor([2]) ** -1",
    "cross entropy with a wrong class": "F.cross_entropy(torch.ones(1, 2), torch.tensor([5]))",
    "cross entropy batch sizes": "F.cross_entropy(torch.ones(3, 2), torch.tensor([0, 1]))",
    "a missing tensor": "torch.exp(2.0)",
    "ragged lists": "torch.tensor([[1, 2], [3]])",
    "assigning a wrong gradient": "x = torch.ones(2, requires_grad=True)\nx.grad = torch.ones(3)",
    # --- values and text
    "dtype of mixed arithmetic": "out = (torch.ones(2, dtype=torch.int64) * 2.5, torch.ones(2) * torch.ones((), dtype=torch.float64), torch.tensor([1]) / 2)",
    "bool arithmetic": "out = (torch.tensor([True, False]) + 1, torch.tensor([True]) * 2.0, torch.tensor([True, True]).sum())",
    "floor division": "out = (torch.tensor([7, -7]) // 2, torch.tensor([7., -7.]) // 2)",
    "format of a number": "x = torch.tensor(3.14159)\nout = (f'{x:.2f}', f'{x}', str(x))",
    "f-string with =": "x = torch.tensor([1.], requires_grad=True)\nx.sum().backward()\nout = f'{x.grad = }'",
    "sizes": "x = torch.ones(2, 3)\nout = (x.shape, x.size(1), x.numel(), x.dim(), len(x), x.stride(), x.dtype)",
    "lists": "out = (torch.tensor([[1, 2], [3, 4]]).tolist(), torch.tensor(2.5).item())",
    "iteration": "out = [a + b for a, b in torch.tensor([[1., 2.], [3., 4.]])]",
    "max with a dimension": "out = torch.tensor([[1., 5.], [7., 2.]]).max(1)",
    "arange and linspace": "out = (torch.arange(5), torch.arange(1, 2, 0.25), torch.linspace(0, 1, 5), torch.eye(2))",
    "tensors of scalars": "out = (torch.tensor(1), torch.tensor(1.5), torch.tensor(True), torch.tensor([]), torch.tensor([1, 2.5]))",
    "Tensor with numbers": "out = (torch.Tensor([1, 2]), torch.Tensor([[1.5]]))",
    "grad_fn chain": "x = torch.ones(2, requires_grad=True)\ny = (x * 2 + 1).mean()\nout = (y.grad_fn.name(), y.grad_fn.next_functions[0][0].name(), x.grad_fn)",
    "saved attributes": "x = torch.tensor([2.], requires_grad=True)\nw = torch.tensor([3.], requires_grad=True)\nz = x * w\nout = (z.grad_fn._saved_self, z.grad_fn._saved_other, x.exp().grad_fn._saved_result)",
    "saved attributes after backward": "x = torch.tensor([2.], requires_grad=True)\nz = x * x\nz.backward()\nz.grad_fn._saved_self",
    "stale non-leaf": "x = torch.ones(2, requires_grad=True)\nx = x * 2\nx.sum().backward()\nout = x.is_leaf",
    "numpy round trip": "a = np.ones((2, 2), dtype=np.float32)\nt = torch.from_numpy(a)\na[0, 0] = 5\nout = (t, t.numpy().dtype.name)",
}  # fmt: skip


def run(t: ModuleType, program: str) -> str:
    """What a program gives under `t`: the text of `out`, or of the exception."""
    lines = program.split("\n")
    namespace: dict[str, Any] = {"torch": t, "F": t.nn.functional, "np": np}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            exec("\n".join(lines), namespace)
        except Exception as error:
            name = next(c.__name__ for c in type(error).__mro__ if not c.__module__.startswith("engine"))
            return f"{name}: {str(error).split(' (Triggered internally')[0]}"
    return repr(namespace.get("out")).replace("torch::autograd::", "")


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS.keys())
def test_a_program_ends_as_in_pytorch(torch: ModuleType, program: str) -> None:
    assert run(engine, program) == run(torch, program)


def test_reading_the_gradient_of_a_non_leaf_warns_in_pytorchs_words(torch: ModuleType) -> None:
    said = []
    for t in (engine, torch):
        y = t.ones(2, requires_grad=True) * 2
        with pytest.warns(UserWarning, match="not a leaf Tensor") as caught:
            assert y.grad is None
        said.append(str(caught[0].message).split(" (Triggered")[0])
        assert caught[0].filename == __file__
    assert said[0] == said[1]


def test_a_long_chain_runs_backward_without_recursion() -> None:
    x = engine.ones((), requires_grad=True)
    y = x
    for _ in range(100_000):
        y = y + 1
    y.backward()
    assert x.grad is not None
    assert x.grad.item() == 1
    del y


def test_dropping_the_loss_frees_the_graph_at_once() -> None:
    import gc
    import weakref

    gc.collect()
    gc.disable()
    try:
        x = engine.ones(2, requires_grad=True)
        y = x.exp()
        node = weakref.ref(y.grad_fn)
        z = y.sum()
        del y, z
        assert node() is None
    finally:
        gc.enable()


def test_programs_are_written_readably() -> None:
    for program in PROGRAMS.values():
        compile(textwrap.dedent(program), "<program>", "exec")
