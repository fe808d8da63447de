"""`autograd.functional`, `torch.func`, gradcheck and checkpoint end as in PyTorch: same results, same errors."""

from __future__ import annotations

import importlib
import importlib.util
import warnings
from types import ModuleType

import pytest

import engine

PREPARE = """
x = t.tensor([1.0, 2.0, 3.0], dtype=t.float64)
y = t.tensor([0.5, -1.0, 2.0], dtype=t.float64)
m = t.tensor([[1.0, 2.0, 0.5], [0.3, -0.2, 1.0]], dtype=t.float64)
s = t.tensor(2.0, dtype=t.float64)
r = x.clone().requires_grad_()
W = m.clone().requires_grad_()
cube = lambda a: (a ** 3).sum()
"""

FUNCTIONAL = {
    "jacobian": "out = A.jacobian(lambda a: a.sin() * a, x)",
    "jacobian of a scalar": "out = A.jacobian(cube, x)",
    "jacobian at a scalar": "out = A.jacobian(lambda a: t.stack([a, a * a]), s)",
    "jacobian of several": "out = A.jacobian(lambda a, b: (a * b, a.sum(), m @ b), (x, y))",
    "jacobian by columns": "out = A.jacobian(lambda a, b: (a * b, m @ b), (x, x), vectorize=True, strategy='forward-mode')",
    "jacobian of one by columns": "out = A.jacobian(lambda a: (a * s, m @ a), x, vectorize=True, strategy='forward-mode')",
    "jacobian by columns of one": "out = A.jacobian(lambda a, b: a * b, (x, x), vectorize=True, strategy='forward-mode')",
    "jacobian vectorized": "out = A.jacobian(lambda a: m @ a, x, vectorize=True)",
    "jacobian without dependence": "out = A.jacobian(lambda a: t.ones(2, dtype=t.float64), x)",
    "jacobian with a graph": "j = A.jacobian(lambda a: a ** 3, r, create_graph=True)\nj.sum().backward()\nout = r.grad",
    "jacobian without a graph": "out = A.jacobian(lambda a: a ** 3, r).requires_grad, r.grad",
    "jacobian in no_grad": "with t.no_grad():\n    out = A.jacobian(lambda a: a ** 3, x)",
    "captured input": "out = A.jacobian(lambda a: a * r, r)",
    "hessian": "out = A.hessian(cube, x)",
    "hessian of several": "out = A.hessian(lambda a, b: (a * b * b).sum(), (x, y))",
    "hessian of a matrix": "out = A.hessian(lambda a: (a @ x).pow(2).sum(), m)",
    "hessian by columns": "out = A.hessian(cube, x, vectorize=True, outer_jacobian_strategy='forward-mode').detach()",
    "hessian with a graph": "h = A.hessian(lambda a: (a ** 4).sum(), r, create_graph=True)\nh.sum().backward()\nout = r.grad",
    "vjp": "out = A.vjp(lambda a: a.exp(), x, y)",
    "vjp of several": "out = A.vjp(lambda a, b: (a * b, a.sum()), (x, y), (y, s))",
    "vjp of a scalar": "out = A.vjp(cube, x)",
    "vjp with a graph": "out = A.vjp(lambda a: a ** 2, r, y, create_graph=True)[1].requires_grad",
    "jvp": "out = A.jvp(lambda a: a.exp(), x, y)",
    "jvp of several": "out = A.jvp(lambda a, b: (a * b, a.sum()), (x, y), (y, x))",
    "jvp without dependence": "out = A.jvp(lambda a, b: a * 2, (x, y), (y, x))",
    "jvp in no_grad": "with t.no_grad():\n    out = A.jvp(lambda a: a.exp(), x, y)",
    "hvp": "out = A.hvp(cube, x, y)",
    "hvp of several": "out = A.hvp(lambda a, b: (a * b * b).sum(), (x, y), (y, x))",
    "vhp": "out = A.vhp(cube, x, y)",
    "vhp of several": "out = A.vhp(lambda a, b: (a * b * b).sum(), (x, y), (y, x))",
    "vhp with a graph": "out = A.vhp(cube, r, y, create_graph=True)[1].requires_grad",
    # errors
    "not a tensor": "A.jacobian(cube, 3.0)",
    "not tensors": "A.jacobian(cube, (x, 3.0))",
    "result not a tensor": "A.jacobian(lambda a: 3.0, x)",
    "v missing": "A.vjp(lambda a: a, x)",
    "v missing for jvp": "A.jvp(lambda a: a, x)",
    "v missing for vhp": "A.vhp(cube, x)",
    "v of wrong size": "A.vjp(lambda a: a, x, s)",
    "v of wrong size in a tuple": "A.jvp(lambda a, b: a, (x, y), (x, s))",
    "too many v": "A.jvp(lambda a, b: a, (x, y), (x, y, x))",
    "v several": "A.vjp(lambda a: a, x, (x, y))",
    "hessian not scalar": "A.hessian(lambda a: a, x)",
    "hessian of a tuple": "A.hessian(lambda a: (a.sum(),), x)",
    "vhp not scalar": "A.vhp(lambda a: a, x, x)",
    "hvp of a tuple": "A.hvp(lambda a: (a.sum(),), x, x)",
    "strict output": "A.jacobian(lambda a: t.ones(2), x, strict=True)",
    "strict input": "A.jacobian(lambda a, b: a, (x, y), strict=True)",
    "strict graph": "A.jacobian(lambda a: a * 2, r, strict=True, create_graph=True)",
    "strict vjp": "A.vjp(lambda a, b: a, (x, y), x, strict=True)",
    "strict jvp": "A.jvp(lambda a, b: a, (x, y), (x, y), strict=True)",
    "strict jvp with a graph": "A.jvp(lambda a: a * 2, r, x, strict=True, create_graph=True)",
    "strict hessian": "A.hessian(lambda a: a.sum(), x, strict=True)",
    "strict hessian of several": "A.hessian(lambda a, b: (a * a).sum() + (b * b).sum(), (x, y), strict=True)",
    "strict vhp": "A.vhp(lambda a: a.sum(), x, x, strict=True)",
    "strict vhp independent": "A.vhp(lambda a, b: (a * a).sum() + (b * b).sum(), (x, y), (x, y), strict=True)",
    "strict hvp": "A.hvp(lambda a: a.sum(), x, x, strict=True)",
    "strict and vectorized": "A.jacobian(cube, x, strict=True, vectorize=True)",
    "strict and forward": "A.jacobian(cube, x, strict=True, vectorize=True, strategy='forward-mode')",
    "graph and forward": "A.jacobian(cube, x, create_graph=True, vectorize=True, strategy='forward-mode')",
    "forward alone": "A.jacobian(cube, x, strategy='forward-mode')",
    "unknown strategy": "A.jacobian(cube, x, strategy='sideways')",
    "unknown outer strategy": "A.hessian(cube, x, outer_jacobian_strategy='sideways')",
}

FUNC = {
    "grad": "out = F.grad(cube)(x)",
    "grad of grad": "out = F.grad(F.grad(F.grad(lambda a: a ** 5)))(s)",
    "grad by several": "out = F.grad(lambda a, b: (a * b).sum(), argnums=(0, 1))(x, y)",
    "grad by the last": "out = F.grad(lambda a, b: (a * b * b).sum(), argnums=-1)(x, y)",
    "grad of a tree": "out = F.grad(lambda p: (p['a'] * p['b'][0]).sum())({'a': x, 'b': [y, s]})",
    "grad and aux": "out = F.grad(lambda a: (cube(a), a * 2), has_aux=True)(x)",
    "grad and value": "out = F.grad_and_value(cube)(x)",
    "grad, value and aux": "out = F.grad_and_value(lambda a: (cube(a), {'k': a}), has_aux=True)(x)",
    "grad with keywords": "out = F.grad(lambda a, *, k: (a * k).sum())(x, k=y)",
    "grad without dependence": "out = F.grad(lambda a: s * 2)(x)",
    "grad leaves grad alone": "F.grad(cube)(r)\nout = r.grad, F.grad(cube)(r).requires_grad",
    "grad flows further out": "out = t.autograd.grad(F.grad(cube)(r).sum(), r)",
    "grad by what is captured": "g = F.grad(lambda a: (W @ a).pow(2).sum())(x)\ng.sum().backward()\nout = W.grad, g.is_leaf",
    "grad of a plain tensor has no graph": "out = F.grad(cube)(x).requires_grad, F.grad(cube)(x).is_leaf",
    "levels are apart": "out = F.grad(lambda a: a * F.grad(lambda b: a + b)(s))(s)",
    "levels meet": "out = F.grad(lambda a: F.grad(lambda b: a * a * b ** 3)(a))(s)",
    "captured tensor is no input": "out = F.grad(lambda a: (a * r).sum())(r)",
    "no_grad inside": "def f(a):\n    with t.no_grad():\n        c = a ** 2\n    return (a ** 2 - c).sum()\nout = F.grad(f)(x)",
    "no_grad outside": "with t.no_grad():\n    g = F.grad(cube)(r)\nout = g, g.requires_grad",
    "in place inside": "def f(a):\n    b = a.clone()\n    b.mul_(a)\n    return b.sum()\nout = F.grad(f)(x)",
    "vjp": "v, pull = F.vjp(lambda a: a.sin(), x)\nout = v, pull(y), pull(x), v.requires_grad",
    "vjp of several": "v, pull = F.vjp(lambda a, b: (a * b, a.sum()), x, y)\nout = v, pull((y, s))",
    "vjp and aux": "v, pull, aux = F.vjp(lambda a: (a.sin(), a), x, has_aux=True)\nout = v, pull(y), aux",
    "vjp of itself": "out = F.vjp(lambda a: a, x)[1](y)",
    "jvp": "out = F.jvp(lambda a, b: a * b, (x, y), (y, x))",
    "jvp and aux": "out = F.jvp(lambda a: (a * a, a.sum()), (x,), (y,), has_aux=True)",
    "jvp without dependence": "out = F.jvp(lambda a: s * 1, (x,), (y,))",
    "grad of jvp": "out = F.grad(lambda a: F.jvp(lambda b: b ** 3, (a,), (y,))[1].sum())(x)",
    "jvp of grad": "out = F.jvp(F.grad(cube), (x,), (y,))",
    "jacrev": "out = F.jacrev(lambda a: m @ a.sin())(x)",
    "jacrev of a tree": "out = F.jacrev(lambda a, b: {'u': a * b, 'v': a.sum()}, argnums=(0, 1))(x, y)",
    "jacrev and aux": "out = F.jacrev(lambda a: (a * a, a.sum()), has_aux=True)(x)",
    "jacfwd": "out = F.jacfwd(lambda a: m @ a.sin())(x)",
    "jacfwd of a tree": "out = F.jacfwd(lambda a, b: {'u': a * b, 'v': a.sum()}, argnums=(0, 1))(x, y)",
    "jacfwd of jacfwd": "out = F.jacfwd(F.jacfwd(lambda a: a ** 3))(x)",
    "jacrev of jacrev": "out = F.jacrev(F.jacrev(lambda a: a ** 3))(x)",
    "hessian": "out = F.hessian(cube)(x)",
    "hessian by several": "out = F.hessian(lambda a, b: (a * b * b).sum(), argnums=(0, 1))(x, y)",
    "vmap": "out = F.vmap(lambda a, b: a @ b, in_dims=(0, None))(m, x)",
    "vmap of dot": "out = F.vmap(t.dot)(m, m)",
    "vmap dims": "out = F.vmap(lambda a, b: a + b, in_dims=(1, -1), out_dims=1)(m, m)",
    "vmap of trees": "out = F.vmap(lambda d: (d['a'].sum(), d['b'] * 2), in_dims=({'a': 0, 'b': None},), out_dims=(0, 0))"
    "({'a': m, 'b': s})",
    "vmap of vmap": "out = F.vmap(F.vmap(lambda a: a * a))(m)",
    "vmap of grad": "out = F.vmap(F.grad(cube))(m)",
    "per-sample gradients": "out = F.vmap(F.grad(lambda w, a: (w @ a).sum()), in_dims=(None, 0))(m, t.stack([x, y]))",
    "grad of vmap": "out = F.grad(lambda a: F.vmap(lambda b: b @ x)(a).pow(2).sum())(m)",
    "vmap of hessian": "out = F.vmap(F.hessian(cube))(m)",
    "backward through vmap": "F.vmap(lambda a: a * a)(W).sum().backward()\nout = W.grad",
    "functional call": "l = linear()\nout = F.functional_call(l, {'weight': m}, x).detach(), l.weight",
    "functional call with all": "out = F.functional_call(linear(), ({'weight': m}, {'bias': y[:2]}), (x,))",
    "gradient by parameters": "l = linear()\np = {k: v.detach() for k, v in l.named_parameters()}\n"
    "out = F.grad(lambda p: F.functional_call(l, p, (x,)).pow(2).sum())(p), l.weight.grad",
    "stacked modules": "out = F.stack_module_state([linear(), linear()])",
    "ensemble": "p, b = F.stack_module_state([linear(), linear()])\nl = linear()\n"
    "out = F.vmap(lambda p, a: F.functional_call(l, p, (a,)), in_dims=(0, None))(p, x).detach()",
    "tied parameters": "l = t.nn.Sequential(linear(3), linear(3))\nl[1].weight = l[0].weight\n"
    "out = F.functional_call(l, {'0.weight': t.eye(3, dtype=t.float64)}, (x,)).detach(), l[1].weight is l[0].weight",
    # errors
    "grad of a vector": "F.grad(lambda a: a)(x)",
    "grad of no tensor": "F.grad(lambda a: 3.0)(x)",
    "grad by no tensor": "F.grad(lambda a: a)(3.0)",
    "argnums too large": "F.grad(cube, argnums=1)(x)",
    "argnums twice": "F.grad(lambda a, b: a.sum(), argnums=(0, -2))(x, y)",
    "no argnums": "F.grad(cube, argnums=())(x)",
    "argnums of a wrong type": "F.grad(cube, argnums='0')(x)",
    "aux missing": "F.grad(cube, has_aux=True)(x)",
    "vjp of integers": "F.vjp(lambda a: a.argmax(), x)",
    "vjp of nothing": "F.vjp(lambda a: None, x)",
    "jvp of no tuple": "F.jvp(cube, x, x)",
    "jvp strict": "F.jvp(lambda a: s * 1, (x,), (y,), strict=True)",
    "jacrev chunk": "F.jacrev(cube, chunk_size=0)",
    "vmap sizes": "F.vmap(lambda a, b: a)(m, x)",
    "vmap nothing": "F.vmap(lambda a: a, in_dims=None)(x)",
    "vmap no inputs": "F.vmap(lambda: 1)()",
    "vmap only None": "F.vmap(cube, in_dims=(None,))(x)",
    "vmap not a tensor": "F.vmap(cube)(3.0)",
    "vmap dimension": "F.vmap(cube, in_dims=2)(x)",
    "vmap dimension of a wrong type": "F.vmap(cube, in_dims=('a',))(x)",
    "vmap of no tensor result": "F.vmap(lambda a: 3.0)(x)",
    "vmap out_dims": "F.vmap(cube, out_dims='a')(x)",
    "vmap randomness": "F.vmap(cube, randomness='maybe')(x)",
    "vmap chunk": "F.vmap(cube, chunk_size=0)",
    "vmap random": "F.vmap(lambda a: a + t.rand(1))(x)",
    "functional call twice": "F.functional_call(linear(), [{'weight': m}, {'weight': m}], x)",
    "functional call of no dict": "F.functional_call(linear(), 3, x)",
    "functional call of no dicts": "F.functional_call(linear(), [3], x)",
    "functional call strict": "F.functional_call(linear(), {'weight': m, 'other': m}, x, strict=True)",
    "no modules": "F.stack_module_state([])",
    "different modules": "F.stack_module_state([linear(), t.nn.ReLU()])",
}

CHECKS = {
    "first": "out = G.gradcheck(lambda a, b: (b @ a, (a * a).sum()), (r, W))",
    "second": "out = G.gradgradcheck(lambda a, b: (b @ a.sin(), (a ** 3).sum()), (r, W))",
    "wrong": "G.gradcheck(lambda a: a.detach() * a, (r,))",
    "wrong for the second output and input": "G.gradcheck(lambda a, b: (b @ a, b.detach() * b), (r, W))",
    "wrong, told": "out = G.gradcheck(lambda a: a.detach() * a, r, raise_exception=False)",
    "wrong second": "out = G.gradgradcheck(lambda a: a.detach() * a ** 3, r, raise_exception=False)",
    "detached": "G.gradcheck(lambda a: a.detach(), r)",
    "nothing to check": "G.gradcheck(lambda a: a, x)",
    "overlapping": "G.gradcheck(lambda a: a, t.ones(1, dtype=t.float64).expand(3).requires_grad_())",
    "constant": "out = G.gradcheck(lambda a: (a > 100).double(), r)",
    "no mode": "G.gradcheck(cube, r, check_backward_ad=False)",
    "no second mode": "G.gradgradcheck(cube, r, check_rev_over_rev=False)",
    "batched without backward": "G.gradcheck(cube, r, check_batched_grad=True, check_backward_ad=False, check_forward_ad=True)",
    "shapes that change": "G.gradcheck(lambda a: a[a > 1], r)",
    "tolerance": "out = G.gradcheck(lambda a: a.detach() * a, r, atol=10.0)",
    "the input is as before": "G.gradcheck(cube, r)\nout = r, r.grad, r._version",
}

CHECKPOINTS = {
    "plain": "out = C.checkpoint(cube, r, use_reentrant=False)\nout.backward()\nout = out, r.grad",
    "keywords": "C.checkpoint(lambda a, k: (a * k).sum(), r, use_reentrant=False, k=y).backward()\nout = r.grad",
    "sequential": "l = t.nn.Sequential(linear(3), t.nn.Tanh(), linear(3))\n"
    "o = C.checkpoint_sequential(l, 2, x, use_reentrant=False).sum()\no.backward()\nout = o, l[0].weight.grad",
    "unexpected": "C.checkpoint(cube, r, use_reentrant=True, k=y)",
    "unexpected in sequence": "C.checkpoint_sequential([cube], 1, r, use_reentrant=True, k=y)",
    "debug": "C.checkpoint(cube, r, use_reentrant=True, debug=True)",
}

REENTRANT = {
    "recomputed": "out = C.checkpoint(cube, r, use_reentrant=True)\nout.backward()\nout = out, r.grad",
    "several": "u, v = C.checkpoint(lambda a, k, b: (a * k, b.sum()), r, 3, W, use_reentrant=True)\n"
    "(u.sum() * v).backward()\nout = u, v, r.grad, W.grad",
    "captured": "C.checkpoint(lambda a: (W @ a).pow(2).sum(), r, use_reentrant=True).backward()\nout = r.grad, W.grad",
    "random": "t.manual_seed(1)\nC.checkpoint(lambda a: (a * t.rand(3)).sum(), r, use_reentrant=True).backward()\n"
    "out = r.grad, t.rand(1)",
    "unnecessary": "C.checkpoint(lambda a: a.detach(), r, use_reentrant=True).sum().backward()",
}


def run(t: ModuleType, program: str) -> str:
    def linear(out: int = 2) -> object:
        layer = t.nn.Linear(3, out).double()
        with t.no_grad():
            for p in layer.parameters():
                p.copy_(t.arange(float(p.numel())).reshape(p.shape) / 10)
        return layer

    names = {"A": "autograd.functional", "F": "func", "G": "autograd.gradcheck", "C": "utils.checkpoint"}
    namespace = {"t": t, "linear": linear}
    namespace |= {key: importlib.import_module(f"{t.__name__}.{name}") for key, name in names.items()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        t.manual_seed(0)
        try:
            exec(PREPARE + program, namespace)
        except Exception as error:
            name = next(
                c.__name__ for c in type(error).__mro__ if not c.__module__.startswith("engine") or "Gradcheck" in c.__name__
            )
            return f"{name}: {error}".replace("engine.tensor.", "torch.")
    return repr(namespace.get("out")).replace("torch::autograd::", "")


@pytest.mark.parametrize("program", FUNCTIONAL.values(), ids=FUNCTIONAL.keys())
def test_autograd_functional_ends_as_in_pytorch(torch: ModuleType, program: str) -> None:
    assert run(engine, program) == run(torch, program)


@pytest.mark.parametrize("program", FUNC.values(), ids=FUNC.keys())
def test_transforms_end_as_in_pytorch(torch: ModuleType, program: str) -> None:
    assert run(engine, program) == run(torch, program)


@pytest.mark.parametrize("program", CHECKS.values(), ids=CHECKS.keys())
def test_gradcheck_ends_as_in_pytorch(torch: ModuleType, program: str) -> None:
    assert run(engine, program) == run(torch, program)


@pytest.mark.parametrize("program", CHECKPOINTS.values(), ids=CHECKPOINTS.keys())
def test_checkpoint_ends_as_in_pytorch(torch: ModuleType, program: str) -> None:
    assert run(engine, program) == run(torch, program)


@pytest.mark.parametrize("program", REENTRANT.values(), ids=REENTRANT.keys())
@pytest.mark.skipif(importlib.util.find_spec("engine.autograd.function") is None, reason="needs autograd.Function")
def test_a_recomputed_checkpoint_ends_as_in_pytorch(torch: ModuleType, program: str) -> None:
    assert run(engine, program) == run(torch, program)


def test_gradcheck_in_single_precision_warns_in_pytorchs_words(torch: ModuleType) -> None:
    said = []
    for t in (engine, torch):
        check = importlib.import_module(f"{t.__name__}.autograd.gradcheck").gradcheck
        with pytest.warns(UserWarning, match="not a double precision") as caught:
            check(lambda a: a * 2, t.ones(2, requires_grad=True), eps=0.1)
        said.append(str(caught[0].message))
    assert said[0] == said[1]


def test_gradcheck_checks_products_forward_too() -> None:
    check = importlib.import_module("engine.autograd.gradcheck").gradcheck
    x = engine.rand(3, dtype=engine.float64, requires_grad=True)
    assert check(lambda a: (a.sin(), a.sum()), x, check_forward_ad=True, fast_mode=True, check_batched_grad=True)


def test_vmap_draws_the_same_or_different_numbers() -> None:
    zeros = engine.zeros(4)
    same = engine.func.vmap(lambda a: a + engine.rand(()), randomness="same")(zeros)
    different = engine.func.vmap(lambda a: a + engine.rand(()), randomness="different")(zeros)
    assert len(set(same.tolist())) == 1
    assert len(set(different.tolist())) == 4


def test_checkpoint_asks_for_the_variant(torch: ModuleType) -> None:
    said = []
    for t in (engine, torch):
        module = importlib.import_module(f"{t.__name__}.utils.checkpoint")
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            module.checkpoint_sequential([lambda a: a * 2], 1, t.ones(2, requires_grad=True))
        said.append([str(w.message) for w in caught])
    assert said[0] == said[1] != []


def test_unknown_transforms_are_told_apart() -> None:
    with pytest.raises(AttributeError, match="not supported by Gradtape"):
        _ = engine.func.functionalize
    with pytest.raises(AttributeError, match=r"Did you mean 'torch\.func\.jacrev'"):
        _ = engine.func.jacrevs
