"""Small programs around the autograd graph for test_autograd.py: they print, warn and fail as in PyTorch."""

import numpy as np
import torch

torch.manual_seed(0)

# %% Function: saved non-tensors, next to autograd
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, n, b):
        ctx.n = n
        ctx.save_for_backward(a, b)
        return a + n * b + a * b
    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        return g + g * b, None, g * ctx.n + g * a
x = torch.tensor([[1., 2.], [3., 4.]], requires_grad=True)
y = torch.tensor([[5., 6.], [7., 8.]], requires_grad=True)
r = F.apply(x, 2, y)
print(r)
r.sum().backward(create_graph=True)
print(x.grad, y.grad)
print(x.grad.requires_grad, y.grad.requires_grad)
print(x.grad.grad_fn is not None)

# %% accumulate_grad in place and out of place
def compute(start, create):
    x = torch.randn(3, 3, requires_grad=True)
    x.grad = start.clone() if start is not None else None
    g0 = x.grad
    g0c = g0.clone() if g0 is not None else None
    (x + 2).sum().backward(create_graph=create)
    return x, g0, g0c
s = torch.ones(3, 3)
x, a, b = compute(s, False)
print(x.grad, a is x.grad, a, b)
x, a, b = compute(s, True)
print(x.grad, a is x.grad, a, b)
x, a, b = compute(None, True)
print(x.grad, x.grad.requires_grad)

# %% accumulate grad: first gradient is detached and layout kept
x = torch.ones(2, 3, requires_grad=True)
x.t().backward(torch.ones(3, 2))
print(x.grad, x.grad.stride(), x.grad.is_contiguous())
g = torch.ones(2, 3).t().contiguous().t()
x = torch.ones(2, 3, requires_grad=True)
x.backward(g)
print(x.grad.stride(), x.grad is g, x.grad.data_ptr() == g.data_ptr())
x.backward(g)
print(g, x.grad)

# %% backward with gradient: same storage not stolen when gradient given by user
x = torch.ones(2, 3, requires_grad=True)
g = torch.full((2, 3), 3.)
y = x * 1
y.backward(g)
x.grad.mul_(2)
print(g, x.grad)

# %% hessian vector
x = torch.tensor([[1., 2.], [3., 4.]], requires_grad=True)
y = torch.tensor([[2., 1.], [0., 1.]], requires_grad=True)
z = x ** 2 + y * x + y ** 2
z.backward(torch.ones(2, 2), create_graph=True)
with torch.no_grad():
    xg = 2 * x + y
    yg = x + 2 * y
print(torch.equal(x.grad, xg), torch.equal(y.grad, yg))
s = 2 * x.grad + y.grad
s.backward(torch.ones(2, 2))
print(x.grad.data, y.grad.data)

# %% grad: positional, several, allow_unused
x = torch.tensor([1., 2.], requires_grad=True)
y = torch.tensor([1., 3.], requires_grad=True)
z = x ** 2 + y * x + y ** 2
z.backward(torch.ones(2), create_graph=True)
gs = 2 * x.grad + y.grad
h = torch.autograd.grad(outputs=[gs], inputs=[x], grad_outputs=[torch.ones(2)], create_graph=True)
print(h, x.grad, y.grad)
print(h[0].grad_fn)

# %% grad with retain and not reachable
x = torch.ones(1, requires_grad=True)
y = torch.ones(1, requires_grad=True)
q = x * 2
try: torch.autograd.grad(q, y)
except RuntimeError as e: print(e)
print(torch.autograd.grad(q, [x, y], allow_unused=True))
q = x * 2
print(torch.autograd.grad(q, [x, y], materialize_grads=True))
try: torch.autograd.grad(x * 2, [x, y], allow_unused=False, materialize_grads=True)
except ValueError as e: print(e)

# %% grad: nonleaf and order of fields
x0 = torch.tensor([1., 2.], requires_grad=True)
x = x0
for _ in range(5):
    x = x * 2
(g,) = torch.autograd.grad(x.sum(), x0)
print(g, x0.grad, x.grad)

# %% grad: nonleaf many outputs
x = torch.randn(3, 2, requires_grad=True)
v = torch.split(x, 1)
s = sum(v)
s.sum().backward()
print(x.grad)

# %% grad: no create_graph through multiplied; grad_outputs mismatch
x = torch.ones(2, 3, requires_grad=True)
for bad in (torch.ones(3), torch.ones(2, 3, 1), 3.0, [torch.ones(2), torch.ones(3)], None, "a", (None,)):
    try: print(torch.autograd.grad(x * 2, x, bad))
    except Exception as e: print(type(e).__name__, e)

# %% grad: int outputs
x = torch.ones(3, requires_grad=True)
for out in (torch.ones(3), torch.ones(3).long(), x.argmax(), (x > 0), x.detach()):
    try: print(torch.autograd.grad(out, x))
    except Exception as e: print(type(e).__name__, e)
    try: out.backward()
    except Exception as e: print(type(e).__name__, e)

# %% grad: empty inputs / outputs
x = torch.ones((), requires_grad=True)
for f in (lambda: torch.autograd.grad([], x), lambda: torch.autograd.grad(x, []), lambda: torch.autograd.backward([]), lambda: x.backward(inputs=[]), lambda: torch.autograd.backward(x, inputs=[]),
  lambda: torch.autograd.grad(x, x), lambda: torch.autograd.grad((x, x), x), lambda: torch.autograd.grad(x*1, (x, x))):
    try: print(f())
    except Exception as e: print(type(e).__name__, e)

# %% tensor hooks order, removal, values
x = torch.ones(2, requires_grad=True)
y = x * 3
calls = []
h1 = y.register_hook(lambda g: calls.append(('a', g.tolist())))
h2 = y.register_hook(lambda g: g * 2)
h3 = y.register_hook(lambda g: calls.append(('c', g.tolist())))
y.sum().backward(retain_graph=True)
print(calls, x.grad)
h2.remove(); h2.remove()
y.sum().backward()
print(calls, x.grad)

# %% hooks: wrong return
x = torch.ones(2, requires_grad=True)
for f in (lambda g: 1, lambda g: g.double(), lambda g: torch.ones(3), lambda g: torch.ones(1), lambda g: "x", lambda g: (g,)):
    y = x * 2
    y.register_hook(f)
    try: y.sum().backward()
    except Exception as e: print(type(e).__name__, e)
    z = torch.ones(2, requires_grad=True)
    z.register_hook(f)
    try: z.sum().backward()
    except Exception as e: print(type(e).__name__, e)

# %% hooks: named function wrong return
x = torch.ones(2, requires_grad=True)
def myhook(g): return g.long()
def size(g): return g[0]
y = x * 2
y.register_hook(myhook)
try: y.sum().backward()
except Exception as e: print(type(e).__name__, e)
y = x * 2
y.register_hook(size)
try: y.sum().backward()
except Exception as e: print(type(e).__name__, e)

# %% hook that raises
x = torch.ones(2, requires_grad=True)
def boom(g): raise ValueError("boom")
y = x * 2
y.register_hook(boom)
try: y.sum().backward()
except ValueError as e: print(e)
print(x.grad)

# %% hook registered on no-grad tensor
for f in (lambda: torch.ones(2).register_hook(print), lambda: torch.ones(2).register_post_accumulate_grad_hook(print), lambda: torch.ones(2).retain_grad(),
          lambda: (torch.ones(2, requires_grad=True)*2).register_post_accumulate_grad_hook(print)):
    try: f()
    except Exception as e: print(type(e).__name__, e)

# %% hooks retain_grad order
x = torch.ones(2, requires_grad=True)
y = x * 2
y.retain_grad()
y.register_hook(lambda g: g * 3)
y.sum().backward()
print(y.grad, x.grad)
z = x * 2
z.register_hook(lambda g: g * 3)
z.retain_grad()
z.register_hook(lambda g: g * 5)
x.grad = None
z.sum().backward()
print(z.grad, x.grad, z.retains_grad, x.retains_grad)

# %% hooks and in-place: hooks stay with the old grad_fn
x = torch.ones(2, requires_grad=True)
y = x.clone()
calls = []
y.register_hook(lambda g: calls.append(('before', g.tolist())))
y.mul_(3)
y.register_hook(lambda g: calls.append(('after', g.tolist())))
y.sum().backward()
print(calls, x.grad)

# %% retain_grad and in-place: moves
x = torch.ones(2, requires_grad=True)
y = x.clone()
y.retain_grad()
y.mul_(3)
y.sum().backward()
print(y.grad, x.grad)
y = x.clone(); y.retain_grad(); y.mul_(2); y.retain_grad(); y.mul_(4)
y.sum().backward()
print(y.grad)

# %% retain_grad on a view then base in-place
x = torch.ones(4, requires_grad=True)
b = x * 1
v = b[:2]
v.retain_grad()
b.mul_(3)
v.sum().backward()
print(v.grad, x.grad)
b = x * 1
v = b[:2]
b.retain_grad()
v.mul_(3)
b.sum().backward()
print(b.grad, x.grad)

# %% retain_grad cycle and deletion
import weakref, gc
x = torch.ones(2, requires_grad=True)
y = x * 2
y.retain_grad()
z = y.sum()
r = weakref.ref(y)
del y
print(r() is None)
z.backward()
print(x.grad)

# %% node hooks
x = torch.ones(2, requires_grad=True)
y = x * 3
log = []
h = y.grad_fn.register_hook(lambda gi, go: log.append((gi, go)))
p = y.grad_fn.register_prehook(lambda go: log.append(go))
y.sum().backward()
print(log)
h.remove(); p.remove()

# %% node hooks change
x = torch.ones(2, requires_grad=True)
w = torch.ones(2, requires_grad=True)
y = x * w
y.grad_fn.register_hook(lambda gi, go: (gi[0] * 2, gi[1] * 3))
y.grad_fn.register_prehook(lambda go: (go[0] * 5,))
y.sum().backward()
print(x.grad, w.grad)

# %% node hooks wrong returns
for pre, f in ((True, lambda go: go[0]), (True, lambda go: (go[0], go[0])), (True, lambda go: [go[0]]), (False, lambda gi, go: gi[0]), (False, lambda gi, go: (gi[0],)), (False, lambda gi, go: (1, None)), (False, lambda gi, go: (None, None)), (True, lambda go: (None,))):
    x = torch.ones(2, requires_grad=True)
    y = x * 3
    n = y.grad_fn
    (n.register_prehook if pre else n.register_hook)(f)
    try: y.sum().backward(); print(x.grad)
    except Exception as e: print(type(e).__name__, e)

# %% AccumulateGrad hooks
x = torch.ones(2, requires_grad=True)
n = x.view_as(x).grad_fn.next_functions[0][0]
log = []
n.register_prehook(lambda g: log.append(('pre', g)))
n.register_hook(lambda gi, go: log.append(('post', gi, go)))
(x * 2).sum().backward()
print(log)
print(n, n.name(), type(n).__name__, n.variable is x, n.next_functions)

# %% AccumulateGrad prehook replaces
x = torch.ones(2, requires_grad=True)
n = x.view_as(x).grad_fn.next_functions[0][0]
n.register_prehook(lambda g: (g[0] * 7,))
(x * 2).sum().backward()
print(x.grad)

# %% hook order on tensor: tensor pre hooks, retain grad, node pre hook
x = torch.ones(2, requires_grad=True)
log = []
y = x.clone()
y.grad_fn.register_prehook(lambda g: log.append('nodepre'))
y.register_hook(lambda g: log.append('tensor'))
y.retain_grad()
y.grad_fn.register_hook(lambda gi, go: log.append('post'))
x.register_hook(lambda g: log.append('leaf'))
x.register_post_accumulate_grad_hook(lambda t: log.append('acc'))
y.sum().backward()
print(log)

# %% post accumulate grad hooks
x = torch.ones(2, requires_grad=True)
log = []
h = x.register_post_accumulate_grad_hook(lambda p: log.append((p is x, p.grad.tolist())))
(x * 2).sum().backward()
(x * 2).sum().backward()
h.remove()
(x * 2).sum().backward()
print(log, x.grad)
x.register_post_accumulate_grad_hook(lambda p: p)
try: (x * 2).sum().backward()
except Exception as e: print(type(e).__name__, e)

# %% post accumulate sets grad None
x = torch.ones(2, requires_grad=True)
def step(p):
    with torch.no_grad(): p.add_(p.grad, alpha=-1)
    p.grad = None
x.register_post_accumulate_grad_hook(step)
(x * 2).sum().backward()
print(x, x.grad)

# %% post accumulate multiple hooks & ordering
x = torch.ones(2, requires_grad=True)
def h1(p): p.grad.mul_(2)
def h2(p): p.grad.add_(1)
x.register_post_accumulate_grad_hook(h1)
x.register_post_accumulate_grad_hook(h2)
x.sum().backward()
print(x.grad)

# %% post accumulate not called by grad
x = torch.ones(2, requires_grad=True)
x.register_post_accumulate_grad_hook(lambda p: print('called'))
print(torch.autograd.grad(x.sum(), x))
x.sum().backward(inputs=[x])

# %% sum().backward on hook with None grad
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x.clone()
    @staticmethod
    def backward(ctx, g): return None
x = torch.ones(2, requires_grad=True)
x.register_hook(lambda g: print('hook', g))
y = x * 2
y.register_hook(lambda g: print('hook y', g))
F.apply(y).sum().backward()
print(x.grad)

# %% hooks with undefined outputs: tuple of unused outputs
x = torch.arange(6.).reshape(2, 3).requires_grad_()
a, b = x.unbind(0)
a.register_hook(lambda g: print('a', g))
b.register_hook(lambda g: print('b', g))
b.sum().backward()
print(x.grad)

# %% backward badcalls
x = torch.ones(1)
try: x.backward()
except RuntimeError as e: print(e)
x = torch.ones(2, requires_grad=True)
for g in (torch.ones(3), torch.ones(2, 2), torch.ones(2).long(), torch.ones(2).double(), 1, [1, 1]):
    try: (x * 1).backward(g); print('ok', x.grad)
    except Exception as e: print(type(e).__name__, e)

# %% sum backward on grad with requires_grad grad_tensors
x = torch.ones(2, requires_grad=True)
g = torch.ones(2, requires_grad=True)
y = x * 2
try:
    y.backward(g)
    print(x.grad, x.grad.requires_grad)
except Exception as e: print(e)

# %% backward with retained graph twice
x = torch.ones(2, requires_grad=True)
y = (x * x).sum()
y.backward()
try: y.backward()
except RuntimeError as e: print(e)
y = (x * x).sum()
y.backward(retain_graph=True)
y.backward()
try: torch.autograd.grad(y, x)
except RuntimeError as e: print(e)
z = x + 2
z.sum().backward(); z.sum().backward()

# %% backward twice with saved values
x = torch.ones(3, requires_grad=True)
y = torch.zeros(3)
y[0] = x[0]
y.backward(torch.ones(3))
try: y.backward(torch.ones(3)); print('ok', x.grad)
except RuntimeError as e: print(e)
y = x.clone(); y[0] = 5
y.sum().backward(); 
y.sum().backward()
print(x.grad)

# %% freed attributes
x = torch.ones(3, requires_grad=True)
y = x ** 2
y.sum().backward()
for n in ('_saved_self', '_raw_saved_self'):
    try: print(getattr(y.grad_fn, n))
    except Exception as e: print(type(e).__name__, e)

# %% next_functions
x = torch.randn(5, 5, requires_grad=True)
y = torch.randn(5, 5, requires_grad=True)
a = x + y
print(a.grad_fn)
print(a.grad_fn.next_functions, len(a.grad_fn.next_functions))
print(a.grad_fn.next_functions[0][0] is x.view_as(x).grad_fn.next_functions[0][0])
b = a + 5
print(b.grad_fn.next_functions[0][0] is a.grad_fn)
print(b.grad_fn.next_functions)

# %% inplace: saved and versions
x = torch.ones(2, 2, requires_grad=True)
def check(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, e)
def one():
    y = x * 2; z = y * y; y.add_(1); z.sum().backward()
def two():
    y = x * 2; z = y.exp(); z.add_(1); z.sum().backward()
def three():
    y = x * 2; z = y + 1; y.add_(1); z.sum().backward(); return x.grad
def four():
    w = torch.ones(2, 2); y = x * w; w.add_(1); y.sum().backward()
def five():
    y = x.tanh(); y.mul_(y); y.sum().backward()
def six():
    y = x * 1; v = y[0]; z = y * y; v.zero_(); z.sum().backward()
def seven():
    y = x * 1; z = y.view(4).sigmoid(); z[0] = 1; z.sum().backward()
for f in (one, two, three, four, five, six, seven): check(f)

# %% leaf assignment
x = torch.ones(5)
y = torch.ones(5, requires_grad=True)
z = torch.ones(5, requires_grad=True)
x[0] = y
x[1] = 2 * z[0]
print(x, x.requires_grad, x.grad_fn)
x.sum().backward() if False else None

# %% leaf assignment scalar
x = torch.zeros(3)
y = torch.tensor(2., requires_grad=True)
z = torch.tensor(3., requires_grad=True)
x[0] = y
x[1] = 2 * z
print(x.requires_grad, x.grad_fn is not None)
x.sum().backward()
print(y.grad, z.grad)

# %% no_grad forms
x = torch.ones(2, requires_grad=True)
with torch.no_grad():
    w = x + 1
print(w.requires_grad, w.grad_fn)
try: w.backward(torch.ones(2))
except RuntimeError as e: print(e)
@torch.no_grad()
def f(a): return a * 2
print(f(x).requires_grad, f.__name__)
@torch.no_grad
def g(a): return a * 2
print(g(x).requires_grad)
@torch.enable_grad()
def h(a): return a * 2
with torch.no_grad(): print(h(x).requires_grad)
with torch.set_grad_enabled(False): print((x*1).requires_grad, torch.is_grad_enabled())
torch.set_grad_enabled(False); print((x*1).requires_grad); torch.set_grad_enabled(True)
@torch.set_grad_enabled(False)
def k(a): return a * 2
print(k(x).requires_grad, torch.is_grad_enabled())

# %% no_grad in-place on leaf
x = torch.ones(2, requires_grad=True)
with torch.no_grad():
    x.add_(1)
    x[0] = 7
    y = x.view(2)
    y.mul_(2)
print(x, x._version, y.requires_grad, y.is_leaf, y._base is x)
try: y.add_(1)
except RuntimeError as e: print(e)
with torch.no_grad():
    v = x[0:1]
try: x.sum().backward(); x.data.add_(1); v.add_(1)
except RuntimeError as e: print(e)

# %% no_grad in function that raises
def f():
    with torch.no_grad():
        raise ValueError
try: f()
except ValueError: pass
print(torch.is_grad_enabled())

# %% set_grad_enabled wraps and generator
x = torch.ones(2, requires_grad=True)
@torch.no_grad()
def gen():
    for i in range(2):
        r = yield torch.is_grad_enabled()
        print('got', r)
    return 5
it = gen()
print(next(it), torch.is_grad_enabled())
print(it.send(3), torch.is_grad_enabled())
try: it.send(4)
except StopIteration as e: print(e.value)

# %% requires_grad on non-float
for d in (torch.int64, torch.bool, torch.uint8):
    for f in (lambda: torch.ones(2, dtype=d, requires_grad=True), lambda: torch.ones(2, dtype=d).requires_grad_(), lambda: setattr(torch.ones(2, dtype=d), 'requires_grad', True), lambda: torch.tensor([1], dtype=d, requires_grad=True), lambda: torch.zeros_like(torch.ones(2, dtype=d), requires_grad=True)):
        try: f()
        except Exception as e: print(type(e).__name__, e)

# %% requires_grad setter errors
x = torch.ones(2, requires_grad=True)
y = x * 2
for f in (lambda: setattr(y, 'requires_grad', False), lambda: y.requires_grad_(False), lambda: y.requires_grad_(True), lambda: setattr(x, 'requires_grad', 1), lambda: setattr(x, 'requires_grad', None), lambda: setattr(y, 'is_leaf', True), lambda: setattr(y, 'grad_fn', None), lambda: setattr(y, '_version', 3), lambda: setattr(y, 'output_nr', 3), lambda: setattr(y, 'shape', 3), lambda: delattr(x, 'requires_grad'), lambda: delattr(x, 'grad'), lambda: delattr(x, 'data'), lambda: delattr(x, '_grad_fn'), lambda: delattr(x, '_backward_hooks'), lambda: delattr(x, 'is_leaf'), lambda: delattr(x, 'grad_fn'), lambda: setattr(x, '_grad_fn', y), lambda: setattr(x, '_grad_fn', None), lambda: setattr(x, 'data', 3), lambda: setattr(x, 'data', torch.ones(3).long()), lambda: None):
    try: f(); print('ok')
    except Exception as e: print(type(e).__name__, e)

# %% grad setter
x = torch.ones(2, requires_grad=True)
y = x * 2
for v in (torch.ones(3), torch.ones(2).double(), 1, "a", [1, 1], x, torch.ones(2), None, torch.ones(2, requires_grad=True), torch.ones(2).long(), np.ones(2)):
    try: x.grad = v; print('ok', x.grad)
    except Exception as e: print(type(e).__name__, e)
y.grad = torch.ones(2)
print(y.grad)
t = torch.ones(2)
t.grad = torch.ones(2)
print(t.grad)
del t.grad
print(t.grad)

# %% grad of nonleaf warns
x = torch.ones(2, requires_grad=True)
y = x * 2
print(y.grad)
y.retain_grad()
print(y.grad)
z = y.detach()
print(z.grad)

# %% detach
x = torch.ones(3, requires_grad=True)
y = x + 2
y = y.detach()
z = y * 4 + 2
print(y.requires_grad, z.requires_grad, y.is_leaf, y.grad_fn)
x = torch.ones(3, requires_grad=True)
y = x * 2
y = y.detach()
print(y.grad_fn, y._is_view(), y._base)
z = x + y
z.sum().backward()
print(x.grad, z.grad_fn)
y = torch.ones(3, requires_grad=True)
a = y * 2
a.detach_()
print(a.requires_grad, a.is_leaf)
b = torch.ones(3, requires_grad=True)
b.detach_()
print(b.requires_grad)

# %% detach_ on views
x = torch.ones(3, requires_grad=True)
y = x * 2
v = y[:2]
for f in (lambda: v.detach_(), lambda: x[:1].detach_(), lambda: y.unbind()[0].detach_()):
    try: print(f())
    except RuntimeError as e: print(e)
w = torch.ones(3)[:2]
print(w.detach_())

# %% detach then modify base
b = torch.ones(3)
v = b.detach()
b.add_(1)
print(v, v._version, b._version)
v.add_(1)
print(b._version)

# %% type conversion and requires_grad in numpy
x = torch.ones(2, requires_grad=True)
for f in (lambda: x.numpy(), lambda: (x * 2).numpy(), lambda: x.detach().numpy(), lambda: x.numpy(force=True), lambda: np.add(x, 1), lambda: np.ones(2) * x, lambda: x.tolist(), lambda: x.data.numpy()):
    try: print(f())
    except Exception as e: print(type(e).__name__, e)

# %% return leaf
class Id(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b): return a, a + b
    @staticmethod
    def backward(ctx, ga, gab): return ga + gab, gab
hook = []
x = torch.randn(5, 5, requires_grad=True)
y = torch.ones(5, 5, requires_grad=True)
q, p = Id.apply(x, y)
q.register_hook(lambda g: hook.append('q'))
(q + p).sum().backward()
print(hook, x.grad, y.grad)
print(q is x, q._is_view(), q.grad_fn, q._base is x)

# %% return leaf inplace
class Inplace(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.mark_dirty(a)
        return a.add_(b), b + 2
    @staticmethod
    def backward(ctx, ga, gb): return ga, ga + gb
x = torch.ones(2)
y = torch.ones(2, requires_grad=True)
q, p = Inplace.apply(x, y)
print(q is x, q.grad_fn is p.grad_fn, q.requires_grad, x._version)
q.sum().backward()
print(y.grad)

# %% isolated node
x = torch.randn(5, 5, requires_grad=True)
y = torch.randn(5, 5, requires_grad=True)
a = x + y
b = torch.max(a, 1, True)[1].repeat(1, 5).double()
o = (b + a).sum()
o.backward()
print(x.grad.sum())

# %% shape, numpy
x = torch.randn(3, 4)
print(x.shape, len(x.shape), x.size())

# %% grad_fn attr bindings
x = torch.tensor([1., 2.], requires_grad=True)
y = x ** 2
print(y.grad_fn._saved_self is x, y.grad_fn._saved_exponent)
print(type(y.grad_fn._raw_saved_self).__name__)
a = torch.ones(2, 3, requires_grad=True)
print(a.sum(dim=(0, -1)).grad_fn._saved_dim, a.sum(0, keepdim=True).grad_fn._saved_keepdim, a.sum(1).grad_fn._saved_self_sym_sizes)
print(a.mean().grad_fn._saved_self_sym_numel, a.expand(4, 2, 3).grad_fn._saved_self_sym_sizes)
print(a[:, 1:2].grad_fn._saved_start, a[:, 1:2].grad_fn._saved_end, a[:, 1:2].grad_fn._saved_dim, a[:, ::2].grad_fn._saved_step)
print(a.select(1, -1).grad_fn._saved_dim, a.select(1, -1).grad_fn._saved_index, a.transpose(-1, 0).grad_fn._saved_dim0)
print(torch.nn.functional.layer_norm(a, (3,)).grad_fn._saved_normalized_shape)
print(torch.exp(a).grad_fn._saved_result is None, torch.exp(a).grad_fn._saved_result.grad_fn)
i = a[torch.tensor([0, 1])]
print(i.grad_fn._saved_indices, i.grad_fn._raw_saved_indices)
print(a[:, torch.tensor([0])].grad_fn._saved_indices)

# %% grad_fn attr more
a = torch.ones(1, 2, 3, 3, requires_grad=True)
w = torch.ones(2, 2, 2, 2, requires_grad=True)
c = torch.nn.functional.conv2d(a, w, padding=1, stride=2).grad_fn
print(c._saved_stride, c._saved_padding, c._saved_dilation, c._saved_groups, c._saved_transposed, c._saved_output_padding, c._saved_bias_sym_sizes_opt, c._saved_input is a)
print(torch.nn.functional.interpolate(a, size=6).grad_fn._saved_output_size)
s = a.clamp(min=0.5).grad_fn
print(s._saved_min, s._saved_max)
print(torch.nn.functional.softmax(a, 1).grad_fn._saved_dim)
print(a.repeat(2, 1, 1, 1).grad_fn._saved_repeats)
print(torch.add(a, a, alpha=3).grad_fn._saved_alpha)
print(torch.addmm(torch.ones(2, requires_grad=True), torch.ones(2, 3), torch.ones(3, 2)).grad_fn._saved_beta)

# %% dir of grad_fn
x = torch.ones(2, requires_grad=True)
print([n for n in dir((x ** 2).grad_fn) if 'saved' in n])
print([n for n in dir((x * x).grad_fn) if 'saved' in n])
print([n for n in dir((x.sum()).grad_fn) if not n.startswith('__')])
n = (x * 3).grad_fn
print(n._saved_other, n._saved_self)
try: n._saved_foo
except AttributeError as e: print(e)
try: n.foo = 3
except Exception as e: print(type(e).__name__, e)

# %% raw saved hooks
x = torch.ones(2, requires_grad=True)
y = x ** 2
s = y.grad_fn._raw_saved_self
s.register_hooks(lambda t: t.numpy(force=True) * 5, lambda a: torch.from_numpy(a))
print(y.grad_fn._saved_self)
y.sum().backward()
print(x.grad)

# %% raw saved hook errors
x = torch.ones(2, requires_grad=True)
y = x ** 2
s = y.grad_fn._raw_saved_self
for f in (lambda: s.register_hooks(lambda a: a), lambda: s.register_hooks(1, 1), lambda: s.register_hooks(lambda a: a, lambda a: a), lambda: s.register_hooks(lambda a: a, lambda a: a)):
    try: f(); print('ok')
    except Exception as e: print(type(e).__name__, str(e).split('\n')[0])
y.sum().backward()
try: s.register_hooks(lambda a: a, lambda a: a)
except Exception as e: print(type(e).__name__, e)
z = (x * 2).grad_fn
try: print(z._raw_saved_self); z._raw_saved_self.register_hooks(lambda a: a, lambda a: a)
except Exception as e: print(type(e).__name__, e)

# %% raw saved: bad unpack
for unpack in (lambda a: 1, lambda a: a.double(), lambda a: None, lambda: 3):
    x = torch.ones(2, requires_grad=True)
    y = x ** 2
    y.grad_fn._raw_saved_self.register_hooks(lambda a: a, unpack)
    try: y.sum().backward(); print(x.grad)
    except Exception as e: print(type(e).__name__, e)
for pack in (lambda a: a.mul_(2), lambda a: a + 1, lambda a: 1, lambda: 1):
    x = torch.ones(2, requires_grad=True)
    y = (x * 1) ** 2
    try: y.grad_fn._raw_saved_self.register_hooks(pack, lambda a: a); y.sum().backward(); print(x.grad)
    except Exception as e: print(type(e).__name__, e)

# %% custom: save_for_backward wrong place and types
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        try: ctx.save_for_backward(x, 3)
        except TypeError as e: print(e)
        try: ctx.mark_dirty(3)
        except TypeError as e: print(e)
        try: ctx.mark_non_differentiable(3)
        except TypeError as e: print(e)
        return x * 2
    @staticmethod
    def backward(ctx, g): return g
x = torch.ones(2, requires_grad=True)
try: F.apply(x)
except Exception as e: print(type(e).__name__, e)

# %% custom: returns wrong things
def make(ret):
    class F(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x): return ret(x)
        @staticmethod
        def backward(ctx, g): return g
    return F
x = torch.ones(2, requires_grad=True)
for r in (lambda x: None, lambda x: 3, lambda x: (x * 2, None), lambda x: (x * 2, 5), lambda x: [x * 2, x * 3], lambda x: "a", lambda x: {}, lambda x: ()):
    try:
        o = make(r).apply(x); print(o)
    except Exception as e: print(type(e).__name__, e)

# %% custom: wrong gradients
def make(ret):
    class F(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, y): return x + y
        @staticmethod
        def backward(ctx, g): return ret(g)
    return F
for r in (lambda g: g, lambda g: (g,), lambda g: (g, g, g), lambda g: (g, g, None), lambda g: (g, None), lambda g: (3, g), lambda g: (g.double(), g), lambda g: (g[:1], g), lambda g: torch.ones(3), lambda g: (torch.ones(3), g), lambda g: (torch.ones(4, 2), g), lambda g: [g, g], lambda g: (None, None), lambda g: (g.long(), g), lambda g: None):
    x = torch.ones(2, requires_grad=True); y = torch.ones(2, requires_grad=True)
    try:
        make(r).apply(x, y).sum().backward(); print(x.grad, y.grad)
    except Exception as e: print(type(e).__name__, e)

# %% custom: gradient for non tensor
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, n): return x * n
    @staticmethod
    def backward(ctx, g): return g, g
x = torch.ones(2, requires_grad=True)
try: F.apply(x, 2).sum().backward()
except Exception as e: print(type(e).__name__, e)
try: F.apply(x, torch.ones(2)).sum().backward(); print(x.grad)
except Exception as e: print(type(e).__name__, e)

# %% custom: no forward, no backward
class A(torch.autograd.Function): pass
class B(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x * 2
x = torch.ones(2, requires_grad=True)
try: A.apply(x)
except Exception as e: print(type(e).__name__, e)
try: B.apply(x).sum().backward()
except Exception as e: print(type(e).__name__, e)
class C(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x * 2
    @staticmethod
    def backward(ctx, g): return g
    @staticmethod
    def vjp(ctx, g): return g
try: C.apply(x).sum().backward()
except Exception as e: print(type(e).__name__, e)
class D(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x * 2
    @staticmethod
    def vjp(ctx, g): return g * 2
D.apply(x).sum().backward(); print(x.grad)

# %% custom: ctx attributes
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        print(ctx.needs_input_grad, ctx.saved_tensors if False else '', type(ctx).__name__)
        ctx.foo = 5
        ctx.save_for_backward(x, None, y)
        return x * y
    @staticmethod
    def backward(ctx, g):
        a, n, b = ctx.saved_tensors
        print(ctx.foo, n, ctx.needs_input_grad, ctx.name(), ctx.next_functions)
        return g * b, None
x = torch.ones(2, requires_grad=True)
r = F.apply(x, torch.full((2,), 3.))
print(r, r.grad_fn, r.grad_fn.foo, r.grad_fn.saved_tensors, r.grad_fn.needs_input_grad, r.grad_fn.next_functions)
r.sum().backward()
print(x.grad)
try: r.grad_fn.saved_tensors
except RuntimeError as e: print(e)
try: r.sum().backward()
except RuntimeError as e: print(e)

# %% custom: setup_context
class F(torch.autograd.Function):
    @staticmethod
    def forward(x, n=2): return x * n
    @staticmethod
    def setup_context(ctx, inputs, output):
        print(inputs, output.requires_grad)
        ctx.n = inputs[1]
    @staticmethod
    def backward(ctx, g): return g * ctx.n, None
x = torch.ones(2, requires_grad=True)
F.apply(x).sum().backward(); print(x.grad)
F.apply(x, 3).sum().backward(); print(x.grad)
F.apply(x, n=4).sum().backward(); print(x.grad)

# %% custom: kwargs
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, n): return x * n
    @staticmethod
    def backward(ctx, g): return g, None
try: F.apply(torch.ones(2, requires_grad=True), n=3)
except Exception as e: print(type(e).__name__, e)
try: F.apply()
except Exception as e: print(type(e).__name__, e)

# %% custom: mark non differentiable
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        m = x > 0
        y = x * 2
        ctx.mark_non_differentiable(m, y)
        return x.clone(), m, y
    @staticmethod
    def backward(ctx, g, gm, gy):
        print(g, gm, gy)
        return g
x = torch.tensor([1., -1.], requires_grad=True)
a, m, y = F.apply(x)
print(a.requires_grad, m.requires_grad, y.requires_grad, m.grad_fn, y.grad_fn, y.output_nr, a.output_nr)
a.sum().backward()

# %% custom: set_materialize_grads
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        return x.clone(), x.clone()
    @staticmethod
    def backward(ctx, a, b):
        print(a, b)
        return a
x = torch.ones(2, requires_grad=True)
F.apply(x)[0].sum().backward()

# %% custom: materialize from undefined
class N(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x * 1
    @staticmethod
    def backward(ctx, g): return None
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x * 1
    @staticmethod
    def backward(ctx, g):
        print('got', g)
        return g
x = torch.ones(2, requires_grad=True)
N.apply(F.apply(x)).sum().backward()
print(x.grad)
N.apply(F.apply(x) * 2).sum().backward()
print(x.grad)
y = F.apply(x)
(N.apply(y) + y).sum().backward()
print(x.grad)
x.grad = None
y = x * 2
(N.apply(y) + x + y).sum().backward()
print(x.grad)

# %% custom: input returned as-is
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x
    @staticmethod
    def backward(ctx, g): return g * 2
for s in ((1,), ()):
    v = torch.ones(s, requires_grad=True)
    F.apply(v).backward(); print(v.grad)
    v.grad = None
    F.apply(v.clone()).backward(); print(v.grad)

# %% custom: returns view and in-place
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x.view(-1)
    @staticmethod
    def backward(ctx, g): return g.view(2, 1)
x = torch.ones(2, 1, requires_grad=True)
y = F.apply(x.clone())
print(y._is_view())
try: y.mul_(2)
except RuntimeError as e: print(e)
class G(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x[0], x[1]
    @staticmethod
    def backward(ctx, a, b): return torch.stack([a, b])
a, b = G.apply(x.clone())
try: a.mul_(2)
except RuntimeError as e: print(e)

# %% custom: mark dirty cases
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        x.mul_(2)
        ctx.mark_dirty(x)
        return x
    @staticmethod
    def backward(ctx, g): return g * 2
x = torch.ones(2, requires_grad=True)
try: F.apply(x)
except RuntimeError as e: print(e)
y = x.clone()
z = F.apply(y)
print(z is y, y._version, y.grad_fn)
y.sum().backward(); print(x.grad)
b = x.clone(); v = b[:1]
F.apply(v)
print(b, b.grad_fn, v.grad_fn)
b.sum().backward(); print(x.grad)

# %% custom: dirty not returned
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        x.mul_(2)
        ctx.mark_dirty(x)
        return x * 3
    @staticmethod
    def backward(ctx, g): return g
y = torch.ones(2, requires_grad=True).clone()
try: F.apply(y)
except RuntimeError as e: print(e)

# %% custom: in-place on view with two outputs
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        a.add_(b); ctx.mark_dirty(a)
        return a, b + 1
    @staticmethod
    def backward(ctx, g, h): return g, g + h
x = torch.ones(4, requires_grad=True)
b = x.clone()
try: F.apply(b[:2], torch.ones(2))
except RuntimeError as e: print(e)

# %% custom: double backward through saved
class Sq(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x ** 3
    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return g * 3 * x ** 2
x = torch.tensor([2.], requires_grad=True)
g, = torch.autograd.grad(Sq.apply(x), x, create_graph=True)
print(g)
print(torch.autograd.grad(g, x))
print(torch.autograd.gradcheck(Sq.apply, torch.randn(3, dtype=torch.double, requires_grad=True)))
print(torch.autograd.gradgradcheck(Sq.apply, torch.randn(3, dtype=torch.double, requires_grad=True)))

# %% custom: save output
class E(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        r = x.exp()
        ctx.save_for_backward(r)
        return r
    @staticmethod
    def backward(ctx, g):
        r, = ctx.saved_tensors
        print(r.grad_fn)
        return g * r
x = torch.zeros(2, requires_grad=True)
y = E.apply(x)
y.sum().backward(retain_graph=True)
print(x.grad)
y.mul_(2)
try: y.sum().backward()
except RuntimeError as e: print(e)

# %% custom: once_differentiable
once_differentiable = torch.autograd.function.once_differentiable
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x * 2
    @staticmethod
    @once_differentiable
    def backward(ctx, g):
        print(torch.is_grad_enabled())
        return g * 2
x = torch.ones(2, requires_grad=True)
g, = torch.autograd.grad(F.apply(x).sum(), x, create_graph=True)
print(g)
y = torch.ones((), requires_grad=True)
g, = torch.autograd.grad(F.apply(x).sum(), x, y, create_graph=True)
print(g.grad_fn.name(), g.requires_grad)
try: g.sum().backward()
except RuntimeError as e: print(e)

# %% custom: instantiate
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x
    @staticmethod
    def backward(ctx, g): return g
f = F()
try: f(torch.ones(2))
except RuntimeError as e: print(e)
class L(torch.autograd.Function):
    def forward(self, x): return x
    def backward(self, g): return g
try: L()(torch.ones(2))
except RuntimeError as e: print(e)
try: L.apply(torch.ones(2))
except Exception as e: print(type(e).__name__, e)

# %% custom: name and mro
class MyFn(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x.clone()
    @staticmethod
    def backward(ctx, g): return g
n = MyFn.apply(torch.ones(2, requires_grad=True)).grad_fn
print(n.name(), type(n).__name__, repr(n).split(' object')[0], type(n).__module__)
print(isinstance(n, torch.autograd.graph.Node), issubclass(type(n), torch.autograd.graph.Node), isinstance(n, torch.autograd.Function))
m = (torch.ones(2, requires_grad=True) * 2).grad_fn
print(isinstance(m, torch.autograd.graph.Node), type(m).__name__)

# %% custom: tensors in containers are not tracked
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, xs): return xs[0] * 2
    @staticmethod
    def backward(ctx, g): return None
x = torch.ones(2, requires_grad=True)
print(F.apply([x]))

# %% custom: exception in backward
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x.clone()
    @staticmethod
    def backward(ctx, g): raise KeyError("what")
x = torch.ones(2, requires_grad=True)
try: F.apply(x).sum().backward()
except KeyError as e: print(e)
print(x.grad)

# %% custom: grad mode inside
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        print(torch.is_grad_enabled()); return x.clone()
    @staticmethod
    def backward(ctx, g):
        print(torch.is_grad_enabled()); return g
x = torch.ones(2, requires_grad=True)
F.apply(x).sum().backward()
torch.autograd.grad(F.apply(x).sum(), x, create_graph=True)

# %% custom: reentrant backward
class R(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        with torch.enable_grad():
            ctx.x = x.detach().requires_grad_()
            ctx.out = ctx.x * ctx.x
        return ctx.out.detach()
    @staticmethod
    def backward(ctx, g):
        with torch.enable_grad():
            ctx.out.sum().backward()
        return ctx.x.grad * g
x = torch.tensor([2., 3.], requires_grad=True)
R.apply(x).sum().backward()
print(x.grad)

# %% checkpoint non-reentrant recomputes
calls = []
def f(x):
    calls.append(torch.is_grad_enabled())
    return (x * 2).exp().sin()
x = torch.ones(2, requires_grad=True)
y = torch.utils.checkpoint.checkpoint(f, x, use_reentrant=False)
print(calls, y)
y.sum().backward()
print(calls, x.grad)

# %% checkpoint reentrant recomputes
calls = []
def f(x):
    calls.append(torch.is_grad_enabled())
    return (x * 2).exp().sin()
x = torch.ones(2, requires_grad=True)
y = torch.utils.checkpoint.checkpoint(f, x, use_reentrant=True)
print(calls, y)
y.sum().backward()
print(calls, x.grad)
try: torch.autograd.grad(torch.utils.checkpoint.checkpoint(f, x, use_reentrant=True).sum(), x)
except RuntimeError as e: print(e)
try: torch.utils.checkpoint.checkpoint(f, x, use_reentrant=True).sum().backward(inputs=[x])
except RuntimeError as e: print(e)

# %% checkpoint non-reentrant: early stop, nested, twice
ck = torch.utils.checkpoint
calls = []
def g(x):
    calls.append('g')
    y = x.sin()
    calls.append('g end')
    return y.cos()
def f(x):
    calls.append('f')
    r = ck.checkpoint(g, x.exp(), use_reentrant=False)
    calls.append('f end')
    return r.tanh()
x = torch.ones(2, requires_grad=True)
y = ck.checkpoint(f, x, use_reentrant=False)
calls.append('|')
y.sum().backward(retain_graph=True)
print(calls, x.grad)
calls.clear()
y.sum().backward()
print(calls)
try: y.sum().backward()
except RuntimeError as e: print(e)

# %% checkpoint early stop off
ck = torch.utils.checkpoint
calls = []
def g(x):
    calls.append('start')
    y = x.sin()
    y = y.cos()
    calls.append('end')
    return y + 1
x = torch.ones(2, requires_grad=True)
for flag in (True, False):
    with ck.set_checkpoint_early_stop(flag):
        y = ck.checkpoint(g, x, use_reentrant=False)
    y.sum().backward()
    print(calls, x.grad); calls.clear()

# %% checkpoint determinism
ck = torch.utils.checkpoint
state = {'n': 0}
def f(x):
    state['n'] += 1
    return x.sin() if state['n'] == 1 else x.sin().cos().exp()
def fewer(x):
    state['n'] += 1
    return x.sin().cos() if state['n'] == 1 else x.sin() * 1
def shapes(x):
    state['n'] += 1
    return x.sin() if state['n'] == 1 else x[:1].sin()
for fn in (f, fewer, shapes):
    for kw in ({}, {'determinism_check': 'none'}, {'early_stop': False} if fn is f else {}):
        state['n'] = 0
        x = torch.ones(2, requires_grad=True)
        try:
            ck.checkpoint(fn, x, use_reentrant=False, **kw).sum().backward(); print(x.grad)
        except Exception as e: print(type(e).__name__, e)

# %% checkpoint bad args
ck = torch.utils.checkpoint
x = torch.ones(2, requires_grad=True)
for kw in ({'use_reentrant': True, 'foo': 1}, {'use_reentrant': True, 'context_fn': lambda: 1}, {'use_reentrant': True, 'debug': True}, {'use_reentrant': True, 'determinism_check': 'none'}, {'use_reentrant': False, 'determinism_check': 'what'}, {'use_reentrant': False, 'foo': 1}):
    try: print(ck.checkpoint(lambda a: a * 2, x, **kw))
    except Exception as e: print(type(e).__name__, e)

# %% checkpoint use_reentrant missing
ck = torch.utils.checkpoint
x = torch.ones(2, requires_grad=True)
try: print(ck.checkpoint(lambda a: a * 2, x))
except Exception as e: print(type(e).__name__, e)

# %% checkpoint rng
ck = torch.utils.checkpoint
def f(x):
    return x * torch.rand(2) * torch.nn.functional.dropout(x, 0.5)
for r in (True, False):
    x = torch.ones(2, requires_grad=True)
    y = ck.checkpoint(f, x, use_reentrant=r)
    torch.rand(3)
    y.sum().backward()
    print(torch.allclose(x.grad, 2 * y.detach()), torch.rand(1).shape)

# %% checkpoint kwargs and tuple
ck = torch.utils.checkpoint
def f(x, y, *, k=1, flag=None):
    return x * y * k, (x + y), 3
x = torch.ones(2, requires_grad=True); y = torch.full((2,), 2., requires_grad=True)
a, b, c = ck.checkpoint(f, x, y, use_reentrant=False, k=5)
(a.sum() + b.sum()).backward()
print(x.grad, y.grad, c)
a, b, c = ck.checkpoint(f, x, y, use_reentrant=True)
print(a.requires_grad, c)
(a.sum() + b.sum()).backward()
print(x.grad, y.grad, c)

# %% checkpoint no grad inputs
ck = torch.utils.checkpoint
w = torch.ones(2, requires_grad=True)
x = torch.ones(2)
for r in (True, False):
    y = ck.checkpoint(lambda a: a * w, x, use_reentrant=r)
    print(y.requires_grad)
with torch.no_grad():
    y = ck.checkpoint(lambda a: a * w, x, use_reentrant=False); print(y.requires_grad)

# %% checkpoint context_fn
import contextlib
ck = torch.utils.checkpoint
log = []
@contextlib.contextmanager
def c(name):
    log.append('enter ' + name)
    yield
    log.append('exit ' + name)
x = torch.ones(2, requires_grad=True)
y = ck.checkpoint(lambda a: a.exp().sin(), x, use_reentrant=False, context_fn=lambda: (c('forward'), c('recompute')))
print(log)
y.sum().backward()
print(log)

# %% checkpoint double backward
ck = torch.utils.checkpoint
x = torch.zeros(2, requires_grad=True)
y = ck.checkpoint(lambda a: a.exp().sin(), x, use_reentrant=False)
g, = torch.autograd.grad(y.sum(), x, create_graph=True)
print(g)
print(torch.autograd.grad(g.sum(), x))

# %% checkpoint debug
ck = torch.utils.checkpoint
x = torch.zeros(2, requires_grad=True)
y = ck.checkpoint(lambda a: a.exp().sin(), x, use_reentrant=False, debug=True)
y.sum().backward()
print(x.grad)

# %% checkpoint sequential
ck = torch.utils.checkpoint
m = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.ReLU(), torch.nn.Linear(3, 2), torch.nn.Tanh())
x = torch.ones(1, 2, requires_grad=True)
y = ck.checkpoint_sequential(m, 2, x, use_reentrant=False)
y.sum().backward()
a = x.grad.clone(); x.grad = None
m(x).sum().backward()
print(torch.allclose(a, x.grad))

# %% saved_tensors_hooks basics
log = []
def pack(t):
    log.append(('pack', t.tolist())); return t.numpy(force=True) if False else t
def unpack(t):
    log.append(('unpack', t.tolist())); return t
x = torch.zeros(2, requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
    y = x * x
    z = y.exp()
    w = x + 1
z.sum().backward()
print(log, x.grad)

# %% saved_tensors_hooks nested, last wins
x = torch.ones(2, requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(lambda t: t * 2, lambda t: t):
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t * 5, lambda t: t):
        y = x * x
    z = x * x
y.sum().backward(); print(x.grad)
x.grad = None
z.sum().backward(); print(x.grad)
print(z.grad_fn)

# %% saved_tensors_hooks custom function
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        r = x.clone()
        ctx.save_for_backward(x, r)
        return r
    @staticmethod
    def backward(ctx, g):
        a, r = ctx.saved_tensors
        return g * a * r
x = torch.full((2,), 3., requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(lambda t: t.detach() * 10, lambda t: t):
    y = F.apply(x)
print(y.grad_fn.saved_tensors)
y.sum().backward()
print(x.grad)

# %% saved_tensors_hooks: none grad, error in pack, bad unpack
x = torch.ones(2, requires_grad=True)
def bad(t): raise ValueError("pack")
try:
    with torch.autograd.graph.saved_tensors_hooks(bad, lambda t: t):
        x * x
except ValueError as e: print(e)
with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: 1):
    y = x * x
try: y.sum().backward()
except Exception as e: print(type(e).__name__, e)
with torch.autograd.graph.saved_tensors_hooks(lambda t: t.mul_(2), lambda t: t):
    try: y = (x * 1).exp() * (x * 1)
    except Exception as e: print(type(e).__name__, e)
with torch.autograd.graph.saved_tensors_hooks(1, 2):
    try: x * x
    except Exception as e: print(type(e).__name__, e)

# %% disable saved tensor hooks
g = torch.autograd.graph
x = torch.ones(2, requires_grad=True)
with g.disable_saved_tensors_hooks("nope"):
    try:
        with g.saved_tensors_hooks(lambda t: t, lambda t: t): pass
    except RuntimeError as e: print(e)
    with g.disable_saved_tensors_hooks("inner"):
        try:
            with g.saved_tensors_hooks(lambda t: t, lambda t: t): pass
        except RuntimeError as e: print(e)
    try:
        with g.saved_tensors_hooks(lambda t: t, lambda t: t): pass
    except RuntimeError as e: print(e)
with g.saved_tensors_hooks(lambda t: t, lambda t: t):
    try:
        with g.disable_saved_tensors_hooks("x"): pass
    except RuntimeError as e: print(e)

# %% save_on_cpu
x = torch.full((2,), 3., requires_grad=True)
with torch.autograd.graph.save_on_cpu():
    y = x * x
y.sum().backward()
print(x.grad)

# %% allow_mutation
g = torch.autograd.graph
x = torch.full((2,), 3., requires_grad=True)
with g.allow_mutation_on_saved_tensors():
    b = x.clone()
    y = (b * b).sum()
    b.sin_()
    y.backward()
print(x.grad)
with g.allow_mutation_on_saved_tensors() as ctx:
    b = x.clone()
    o = (b ** 2).sum()
    b.mul_(2)
    print(len(ctx.tid_to_weakhandle) > 0)
    ctx.clear()

# %% allow_mutation errors
g = torch.autograd.graph
x = torch.full((2,), 3., requires_grad=True)
with g.allow_mutation_on_saved_tensors():
    b = x.clone()
    o = (b ** 2).sum()
    b.mul_(2)
try: o.backward()
except Exception as e: print(type(e).__name__, e)
try:
    with g.allow_mutation_on_saved_tensors():
        with g.allow_mutation_on_saved_tensors(): pass
except Exception as e: print(type(e).__name__, e)

# %% gradient edges
g = torch.autograd.graph
x = torch.ones(2, requires_grad=True)
y = x * 3
e = g.get_gradient_edge(y)
print(type(e).__name__, e.node, e.output_nr, e.node is y.grad_fn)
print(torch.autograd.grad(y.sum(), e))
l = g.get_gradient_edge(x)
print(l.node, l.output_nr)
y = x * 3
print(torch.autograd.grad(y.sum(), l))
try: g.get_gradient_edge(torch.ones(2))
except Exception as e: print(type(e).__name__, e)
s = (x * 2).sum()
torch.autograd.backward(g.get_gradient_edge(s))
print(x.grad)
torch.autograd.backward(g.get_gradient_edge(x * 2), torch.ones(2), inputs=[l]) if False else None
try: torch.autograd.backward(g.get_gradient_edge(x * 2))
except Exception as e: print(type(e).__name__, e)
try: torch.autograd.grad(g.get_gradient_edge(x * 2), x, torch.ones(3))
except Exception as e: print(type(e).__name__, e)
print(torch.autograd.grad(g.get_gradient_edge(x * 2), x, torch.ones(2)))

# %% multi grad hooks all
x = torch.ones(2, requires_grad=True); y = torch.ones(2, requires_grad=True); z = torch.ones(2, requires_grad=True)
res = []
h = torch.autograd.graph.register_multi_grad_hook((x, y, z), lambda gs: res.append([None if g is None else g.tolist() for g in gs]))
(x + y * 2).sum().backward(); print(res)
(x + y * 2 + z * 3).sum().backward(); print(res)
x.sum().backward(); print(res)
h.remove()
x.sum().backward(); print(len(res))

# %% multi grad hooks any
x = torch.ones(2, requires_grad=True); y = torch.ones(2, requires_grad=True)
res = []
h = torch.autograd.graph.register_multi_grad_hook((x, y), lambda g: res.append(g.tolist()), mode='any')
(x + y * 2).sum().backward(); print(res)
(y * 2).sum().backward(); print(res)
try: torch.autograd.graph.register_multi_grad_hook((x,), print, mode='foo')
except ValueError as e: print(e)
try: torch.autograd.graph.register_multi_grad_hook((torch.ones(1),), print)
except Exception as e: print(type(e).__name__, e)

# %% increment_version
g = torch.autograd.graph
x = torch.ones(2)
g.increment_version(x); print(x._version)
g.increment_version([x, x]); print(x._version)
with torch.inference_mode(): i = torch.ones(2)
try: g.increment_version(i)
except Exception as e: print(type(e).__name__, e)

# %% graph module names
g = torch.autograd.graph
print(g.Node.__name__, sorted(n for n in ('set_warn_on_accumulate_grad_stream_mismatch', 'allow_mutation_on_saved_tensors') if hasattr(g, n)))
g.set_warn_on_accumulate_grad_stream_mismatch(False)

# %% variable
V = torch.autograd.Variable
x = V(torch.ones(2), requires_grad=True)
print(x, isinstance(x, V), isinstance(torch.ones(1), V), type(x))
print(V(torch.ones(2)))
p = torch.nn.Parameter(torch.ones(1))
print(isinstance(p, V))
try: V(3)
except Exception as e: print(type(e).__name__, e)
print(V(torch.ones(2), volatile=True)) if False else None

# %% inference mode
x = torch.ones(2)
with torch.inference_mode():
    i = torch.ones(2)
    print(i.is_inference(), i.requires_grad, (x * 2).is_inference(), x.is_inference(), x.view(2).is_inference())
    r = torch.ones(2, requires_grad=True)
    print(r.requires_grad, r.is_inference(), (r * 2).requires_grad, (r*2).grad_fn)
    x.add_(1)
    print(x._version)
try: print(i._version)
except RuntimeError as e: print(e)
a = torch.ones(2, requires_grad=True)
for f in (lambda: i * a, lambda: i.requires_grad_(), lambda: i.add_(1), lambda: a + i, lambda: i.view(2).add_(1), lambda: i.clone().requires_grad_(), lambda: a.clone().add_(i), lambda: a.clone().mul_(i), lambda: i.copy_(a), lambda: i.detach(), lambda: i.sum()):
    try: o = f(); print(o, o.is_inference())
    except RuntimeError as e: print(e)

# %% inference mode decorator and nesting
@torch.inference_mode()
def f(x): return x * 2, torch.is_inference_mode_enabled(), torch.is_grad_enabled()
x = torch.ones(2, requires_grad=True)
print(f(x), torch.is_inference_mode_enabled())
with torch.inference_mode():
    with torch.inference_mode(False):
        y = x * 2; print(y.requires_grad, torch.is_inference_mode_enabled())
    print(torch.is_inference_mode_enabled())
with torch.inference_mode(mode=False): print(torch.is_inference_mode_enabled())
@torch.inference_mode
def g(x): return x * 2
print(g(x).is_inference())
@torch.inference_mode(False)
def h(x): return x * 2
print(h(x).is_inference())

# %% inference views
b = torch.ones(4, requires_grad=True).clone()
with torch.inference_mode():
    v = b[:2]
    print(v.is_inference(), v._version if not v.is_inference() else '')
    v.add_(1)
print(b, b._version)
try: v.add_(1)
except RuntimeError as e: print(e)
s = torch.ones(4)
with torch.inference_mode():
    v = s.view(2, 2)
    print(v.is_inference())
v.mul_(2); print(s)

# %% anomaly: nan
x = torch.tensor([0.], requires_grad=True)
with torch.autograd.detect_anomaly():
    y = x.sqrt() * 0
    try: y.backward()
    except RuntimeError as e: print(e)
class B(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x.clone()
    @staticmethod
    def backward(ctx, g): return g * float('nan')
import warnings
with torch.autograd.set_detect_anomaly(True):
    with warnings.catch_warnings(record=True) as w:
        warnings.simplefilter('always')
        try: B.apply(x).backward()
        except RuntimeError as e: print(e)
    print(len(w), str(w[0].message).split('\n')[0])
with torch.autograd.detect_anomaly(check_nan=False):
    B.apply(x).backward(); print(x.grad)
print(torch.is_anomaly_enabled())

# %% anomaly: error in backward without forward info
import warnings
class B(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x.clone()
    @staticmethod
    def backward(ctx, g): raise RuntimeError("failed")
x = torch.ones(1, requires_grad=True)
y = B.apply(x)
with warnings.catch_warnings(record=True) as w:
    warnings.simplefilter('always')
    with torch.autograd.detect_anomaly():
        try: y.backward()
        except RuntimeError as e: print(e)
print([str(m.message).split('\n')[0].split(' (Trig')[0] for m in w])

# %% anomaly: modes restored
print(torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled())
with torch.autograd.set_detect_anomaly(True, check_nan=False):
    print(torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled())
print(torch.is_anomaly_enabled())
torch.autograd.set_detect_anomaly(True); print(torch.is_anomaly_enabled()); torch.autograd.set_detect_anomaly(False)

# %% pickle
import pickle, io, copy
x = torch.randn(2, 3, requires_grad=True)
for p in range(3 if False else 2, 5):
    y = pickle.loads(pickle.dumps(x, protocol=p)); print(torch.equal(x, y), y.requires_grad)
b = io.BytesIO()
torch.save(x, b); b.seek(0)
print(torch.equal(torch.load(b), x))
b = io.BytesIO(); torch.save({'a': x, 'b': [1, 2]}, b); b.seek(0); print(sorted(torch.load(b)))
y = copy.deepcopy(x); print(y.requires_grad, y.is_leaf, torch.equal(x, y))
for f in (lambda: copy.deepcopy(x * 2), lambda: pickle.dumps(x * 2), lambda: copy.copy(x), lambda: copy.copy(x * 2)):
    try: r = f(); print(type(r).__name__)
    except Exception as e: print(type(e).__name__, e)

# %% deepcopy keeps grad, shared memory in memo
import copy
x = torch.ones(2, requires_grad=True)
(x * 2).sum().backward()
a, b = copy.deepcopy([x, x]); print(a is b, a.grad, a.grad is x.grad)

# %% scalar conversions
import warnings
x = torch.ones(1, requires_grad=True)
with warnings.catch_warnings(record=True) as w:
    warnings.simplefilter('always')
    print(float(x), int(x), bool(x), x.item(), x.tolist())
for f in (lambda: float(torch.ones(2)), lambda: int(torch.ones(2)), lambda: bool(torch.ones(2)), lambda: torch.ones(2).item(), lambda: bool(torch.ones(0)), lambda: torch.ones(0).item(), lambda: range(torch.ones(1)), lambda: [1, 2][torch.tensor(1)], lambda: int(torch.tensor(float('nan'))), lambda: complex(torch.ones(2))):
    try: print(f())
    except Exception as e: print(type(e).__name__, e)

# %% functional errors and values
F = torch.autograd.functional
def f(x): return (x ** 2).sum(0)
x = torch.ones(2, 2)
print(F.vjp(f, x, torch.ones(2)), F.jvp(f, x, torch.ones(2, 2)))
for c in (lambda: F.vjp(f, x), lambda: F.vjp(f, x, torch.ones(3)), lambda: F.jvp(f, x), lambda: F.jvp(f, x, torch.ones(3)), lambda: F.jacobian(lambda a: 1, x), lambda: F.jacobian(f, [x]), lambda: F.hessian(f, x), lambda: F.hvp(f, x), lambda: F.vhp(lambda a: a.sum(), x, torch.ones(3)), lambda: F.vjp(f, (x, 2)), lambda: F.jacobian(lambda a: (a, 1), x)):
    try: print(c())
    except Exception as e: print(type(e).__name__, e)

# %% functional strict
F = torch.autograd.functional
x = torch.ones(2)
for n in ('vjp', 'jvp', 'vhp', 'hvp'):
    for f in (lambda a: torch.zeros(()) , lambda a: a.detach().sum(), lambda a: a.sum()):
        try: print(n, getattr(F, n)(f, x, torch.ones(()) if n == 'vjp' else torch.ones(2), strict=True))
        except Exception as e: print(n, type(e).__name__, e)
for n in ('jacobian', 'hessian'):
    for f in (lambda a: torch.zeros(()) , lambda a: a.detach().sum(), lambda a: a.sum()):
        try: print(n, getattr(F, n)(f, x, strict=True))
        except Exception as e: print(n, type(e).__name__, e)

# %% is_grads_batched
x = torch.tensor([1., 2.], requires_grad=True)
y = x ** 2
v = torch.eye(2)
print(torch.autograd.grad(y, x, v, is_grads_batched=True, retain_graph=True))
for b in (torch.ones(2, 3), torch.ones(2), torch.ones(())):
    try: print(torch.autograd.grad(y, x, b, is_grads_batched=True))
    except Exception as e: print(type(e).__name__, e)

# %% unrelated inputs grad checks
gc = torch.autograd.gradcheck
def f(x, y): return x * 2
a = torch.ones(2, dtype=torch.double, requires_grad=True); b = torch.ones(2, dtype=torch.double, requires_grad=True)
print(gc(f, (a, b)), torch.autograd.gradgradcheck(f, (a, b)))

# %% gradcheck failures
gc = torch.autograd.gradcheck
class W(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x * 2
    @staticmethod
    def backward(ctx, g): return g * 3
a = torch.ones(2, dtype=torch.double, requires_grad=True)
for fast in (False,):
    try: print(gc(W.apply, a, fast_mode=fast))
    except Exception as e: print(type(e).__name__, str(e)[:200])
    print(gc(W.apply, a, raise_exception=False, fast_mode=fast))
for f in (lambda: gc(lambda x: x, torch.ones(2)), lambda: gc(lambda x: x * 2, torch.ones(2, requires_grad=True)), lambda: gc(lambda x: 3, a), lambda: gc(lambda x: x.detach(), a), lambda: gc(lambda x: x.long(), a), lambda: gc(lambda x: x*2, 3)):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e))

# %% views: chunk, unbind outputs in-place
x = torch.ones(4, requires_grad=True)
for f in (lambda: x.clone().chunk(2)[0].mul_(2), lambda: x.clone().split(2)[0].mul_(2), lambda: x.clone().unbind()[0].mul_(2), lambda: torch.ones(4).unbind()[0].mul_(2), lambda: x.unbind()[0].mul_(2), lambda: x[0].mul_(2), lambda: x.view(2, 2).add_(1), lambda: x.add_(1), lambda: x.detach().add_(1), lambda: x.data.add_(1), lambda: x.clone().unbind()[0].view(1).mul_(2)):
    try: print(f())
    except RuntimeError as e: print(e)

# %% views: in-place on unbind with other requiring grad
b = torch.ones(2, 2)
v = b.unbind()[0]
w = torch.ones(2, requires_grad=True)
try: v.mul_(w); print(b, b.requires_grad)
except RuntimeError as e: print(e)
b = torch.ones(2, 2)
with torch.no_grad(): v = b[0]
try: v.mul_(w); print(b)
except RuntimeError as e: print(e)

# %% views: base written through two views
x = torch.arange(4., requires_grad=True)
b = x.clone()
v = b.view(2, 2)
u = v[0]
u.mul_(2)
print(b.grad_fn, v.grad_fn, u.grad_fn)
v.t().add_(1)
print(b.grad_fn.next_functions, v.grad_fn, u.grad_fn)
(b * torch.arange(4.)).sum().backward()
print(x.grad)

# %% views: _base and flags
b = torch.ones(4)
v = b[1:]
u = v.view(3, 1)
print(v._base is b, u._base is b, v._is_view(), b._is_view(), b.detach()._is_view(), u.storage_offset(), u._version)
u.add_(1); print(b._version, v._version, b)

# %% views: detach then view version, data
b = torch.ones(4, requires_grad=True).clone()
d = b.detach(); e = b.data
b.add_(1); print(d._version, e._version, b._version)
d.add_(1); print(b._version); e.add_(1); print(b._version)

# %% view of leaf requires grad set after
b = torch.ones(4)
v = b[:2]
b.requires_grad_()
print(v.requires_grad, v.is_leaf, v.grad_fn)
try: v.mul_(2); print(b)
except RuntimeError as e: print(e)

# %% view requires_grad_ on view of no grad base
b = torch.ones(4)
v = b[:2].requires_grad_()
print(v.requires_grad, v.is_leaf, b.requires_grad)
try: v.mul_(2)
except RuntimeError as e: print(e)
try: b.mul_(2); print(v.grad_fn, v.requires_grad)
except RuntimeError as e: print(e)
(v * 2).sum().backward(); print(v.grad)

# %% in-place: setitem forms
x = torch.ones(2, 2, requires_grad=True)
b = x.clone()
b[0] = 5
print(b, b.grad_fn)
b[1, 0] = b[0, 0] * 3
b[b > 4] = 0
b[torch.tensor([0])] = torch.ones(2)
print(b)
b.sum().backward(); print(x.grad)

# %% in-place: out of graph dtype and shape errors
x = torch.ones(2, requires_grad=True)
for f in (lambda: x.clone().add_(torch.ones(3, 2)), lambda: x.clone().add_(torch.ones(3)), lambda: torch.ones(2).long().add_(1.5), lambda: torch.ones(2).long().add_(x), lambda: torch.ones(2, dtype=torch.bool).add_(1), lambda: torch.ones(1).expand(3).add_(1), lambda: x.clone().copy_(torch.ones(3))):
    try: print(f())
    except Exception as e: print(type(e).__name__, e)

# %% in-place result of another requiring grad makes leaf non leaf
a = torch.ones(2)
w = torch.ones(2, requires_grad=True)
a.mul_(w)
print(a.requires_grad, a.is_leaf, a.grad_fn)
v = torch.ones(4); u = v[:2]; u.mul_(w); print(v.grad_fn, u.grad_fn, v.requires_grad)
v.sum().backward(); print(w.grad)

# %% in-place changes of the shape
x = torch.ones(2, requires_grad=True)
for f in (lambda: x.resize_(3), lambda: (x*1).resize_(3), lambda: x.t_(), lambda: x.clone().t_(), lambda: x.clone().unsqueeze_(0), lambda: x.clone().squeeze_().transpose_(0, 0)):
    try: print(f())
    except Exception as e: print(type(e).__name__, e)

# %% deep graph
x = torch.ones(1, requires_grad=True)
y = x
for i in range(20000): y = y + y * 0.0001 if i % 2 else y * 0.9999
y.sum().backward()
print(x.grad.shape)
h = y.register_hook(lambda g: None)
z = (y * 1).sum()
try: z.backward()
except RuntimeError as e: print(str(e)[:60])

# %% duplicate roots
x = torch.ones(2, 2, requires_grad=True); y = torch.ones(2, 2, requires_grad=True)
z = x * y
torch.autograd.backward([z, z], [torch.ones(2, 2), torch.ones(2, 2)])
print(x.grad, y.grad)
a, b = torch.ones((), requires_grad=True), torch.ones((), requires_grad=True)
s = a * b
torch.autograd.backward([s, s, a]); print(a.grad)

# %% backward inputs
x = torch.ones(2, requires_grad=True); y = torch.ones(2, requires_grad=True)
f = lambda: x * 2 * y
f().sum().backward(inputs=[x]); print(x.grad, y.grad)
f().sum().backward(inputs=(x, y)); print(x.grad, y.grad)
f().sum().backward(inputs=y); print(y.grad)
m = x * 2
(m * y).sum().backward(inputs=[m]); print(m.grad, x.grad)
for i in ([], 3, [3], [torch.ones(2)], None, [None]):
    try: f().sum().backward(inputs=i); print('ok')
    except Exception as e: print(type(e).__name__, e)

# %% backward: no grad leaf root
x = torch.ones((), requires_grad=True)
x.backward(); print(x.grad)
x.backward(torch.tensor(3.)); print(x.grad)
torch.autograd.backward((x,), (None,)); print(x.grad)
for a in ((x, 1), ((x, x), (None,)), ((x, x), None), (x, (torch.ones(()), torch.ones(()))), (3,), (None,), ("a",), ([x, None],)):
    try: torch.autograd.backward(*a); print(x.grad)
    except Exception as e: print(type(e).__name__, e)

# %% create_graph warn & retain
x = torch.tensor(2., requires_grad=True)
y = x ** 3
y.backward(create_graph=True)
print(x.grad, x.grad.grad_fn)
g = x.grad
x.grad = None
g.backward(); print(x.grad)

# %% higher order
x = torch.tensor(2., requires_grad=True)
y = x ** 5
for _ in range(5):
    (y,) = torch.autograd.grad(y, x, create_graph=True); print(y)

# %% no grad for int saved input; type promotions
x = torch.ones(2, requires_grad=True)
y = x.double() * 2
y.sum().backward(); print(x.grad.dtype, y.grad_fn.next_functions)
z = x.to(torch.float32); print(z is x, z.grad_fn)
print(x.to(torch.float64).grad_fn, x.half().grad_fn, x.long().requires_grad, x.bool().grad_fn)

# %% accumulate dtype/shape via hook on leaf; tensor repr forms
x = torch.ones(2, requires_grad=True)
print(x, x * 2, (x * 2).detach(), x.sum(), [x], repr(x.grad), x.view(2), x[0], x.t() if False else x.unbind())
b = x.clone(); b.mul_(2); print(b); b[0] = 1; print(b)

# %% hooks dict: handles with id, context manager
x = torch.ones(2, requires_grad=True)
with x.register_hook(lambda g: g * 2) as h:
    x.sum().backward(); print(x.grad)
x.sum().backward(); print(x.grad)
print(type(h).__name__, x._backward_hooks)

# %% hook removing itself / others during backward
x = torch.ones(2, requires_grad=True)
y = x * 2
hs = []
def a(g): hs[1].remove(); print('a')
def b(g): print('b')
hs.append(y.register_hook(a)); hs.append(y.register_hook(b))
y.sum().backward(retain_graph=True)
y.sum().backward()

# %% hook modifies grad in place
x = torch.ones(2, requires_grad=True)
y = x * 3
y.register_hook(lambda g: g.mul_(0)) 
y.backward(torch.ones(2)); print(x.grad)

# %% hook grad values are tensors w/o graph unless create_graph
x = torch.ones(2, requires_grad=True)
y = (x * x)
y.register_hook(lambda g: print(g.requires_grad, g.grad_fn, torch.is_grad_enabled()))
x.register_hook(lambda g: print(g.requires_grad, g.grad_fn, torch.is_grad_enabled()))
y.sum().backward(retain_graph=True)
y.sum().backward(create_graph=True)

# %% node ordering with None returned
log = []
class N(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, name):
        ctx.name_ = name
        return x.clone()
    @staticmethod
    def backward(ctx, g):
        log.append((ctx.name_, g.tolist()))
        return (None if ctx.name_ == 'stop' else g), None
x = torch.ones(2, requires_grad=True)
a = N.apply(x, 'a'); b = N.apply(a, 'stop'); c = N.apply(a * 2, 'c')
(b + c).sum().backward()
print(log, x.grad)

# %% too many gradients of None
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x * 1
    @staticmethod
    def backward(ctx, g): return g, None, None
x = torch.ones(2, requires_grad=True)
F.apply(x).sum().backward(); print(x.grad)

# %% unused outputs of an operation
x = torch.arange(10.).view(10, 1).requires_grad_()
o = x.chunk(5)[2]
(o * 4).sum().backward(); print(x.grad.flatten())
v, i = torch.ones(3, requires_grad=True).max(0); print(i.requires_grad, v.grad_fn.name(), v.output_nr)

# %% current graph task id and node
x = torch.ones(2, requires_grad=True)
print(torch._C._current_graph_task_id())
x.register_hook(lambda g: print(torch._C._current_graph_task_id() >= 0))
y = (x * 2).exp()
y.grad_fn.register_prehook(lambda g: print(torch._C._current_autograd_node()))
y.sum().backward()

# %% will engine execute node
x = torch.ones(2, requires_grad=True)
y = x * 2
n = y.grad_fn
x.register_hook(lambda g: print(torch._C._will_engine_execute_node(n)))
y.sum().backward()
try: torch._C._will_engine_execute_node(n)
except RuntimeError as e: print(str(e)[:60])

# %% queue callback
x = torch.ones(2, requires_grad=True)
def done(): print('done', x.grad)
def hook(g):
    torch.autograd.Variable._execution_engine.queue_callback(done)
    print('hook')
x.register_hook(hook)
(x * 2).sum().backward()
try: torch.autograd.Variable._execution_engine.queue_callback(done)
except RuntimeError as e: print(str(e)[:60])

# %% saved tensor type cannot be made
try: torch._C._autograd.SavedTensor()
except Exception as e: print(type(e).__name__)

# %% prehooks of nodes with several outputs
x = torch.ones(2, 3, requires_grad=True)
a, b = x.unbind()
a.grad_fn.register_prehook(lambda gs: (print(gs), (gs[0] * 2, gs[1]))[1])
(a + b * 3).sum().backward()
print(x.grad)

# %% prehook order and grad() captures
x = torch.ones(2, requires_grad=True)
b = x.clone()
log = []
b.register_hook(lambda g: log.append('tensor'))
b.grad_fn.register_prehook(lambda g: log.append('node'))
b.retain_grad()
print(torch.autograd.grad(b.sum(), b), log, b.grad)
b.sum().backward(inputs=(b,)) ; print(log, b.grad)

# %% tensor hooks and capture: value seen
x = torch.ones(2, requires_grad=True)
x.register_hook(lambda g: g * 2)
y = x * 1
y.register_hook(lambda g: g * 3)
print(torch.autograd.grad(y.sum(), [x, y]))

# %% accumulate grad prehooks with grad
x = torch.ones(2, requires_grad=True)
acc = x.view_as(x).grad_fn.next_functions[0][0]
acc.register_prehook(lambda g: (g[0] * 10,))
y = x * 1
print(torch.autograd.grad(y.sum(), x))
(x * 1).sum().backward(); print(x.grad)
(x * 1).sum().backward(inputs=[x]); print(x.grad)

# %% hooks in place: output number moves
x = torch.ones(2, 2, requires_grad=True)
y = x.clone()
a = y.unbind()[0]
log = []
y.register_hook(lambda g: log.append('y0'))
y.mul_(2)
y.register_hook(lambda g: log.append('y1'))
y.mul_(2)
y.sum().backward(); print(log)

# %% retain grad in place over view
x = torch.ones(4, requires_grad=True)
b = x * 1
v = b[:2]
v.retain_grad()
v.mul_(2)
b.sum().backward()
print(v.grad)
b = x * 1
b.retain_grad()
v = b[:2]
v.mul_(5)
b.sum().backward(); print(b.grad)

# %% input metadata
x = torch.ones(3, 2, requires_grad=True)
n = (x * x).grad_fn
m = n._input_metadata
print(len(m), m[0].dtype, m[0].device, m[0].shape, m[0].is_nested_tensor, m[0].is_cpp_nested_tensor)
print([tuple(t.shape) for t in x.unbind()[0].grad_fn._input_metadata])
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x * 1, x[0] * 2
    @staticmethod
    def backward(ctx, a, b): return a
print([(t.dtype, tuple(t.shape)) for t in F.apply(x)[0].grad_fn._input_metadata])

# %% node metadata and calling a node
x = torch.ones(2, requires_grad=True)
n = (x * 3).grad_fn
n.metadata['k'] = 5
print(n.metadata, n(torch.ones(2)))
s = x.sum().grad_fn
print(s(torch.tensor(2.)))

# %% select of expanded
x = torch.arange(10.).expand(10, 10).requires_grad_()
print(x[2].sum().grad_fn.name())
x.sum().backward(); print(x.grad.shape)

# %% sum to size with empty
a = torch.rand(4, 0, requires_grad=True); b = torch.rand(4, 1, requires_grad=True)
c = a + b; print(c.shape); c.sum().backward(); print(a.grad, b.grad)

# %% norm subgradient
for p in (0, 0.5, 1, 1.5, 2, 3, float('inf')):
    x = torch.zeros(5, requires_grad=True); x.norm(p).backward(); print(p, x.grad)

# %% power with zeros
def g(b, e):
    b = torch.tensor(b, requires_grad=True); e = torch.tensor(e, requires_grad=True)
    b.pow(e).sum().backward(); return b.grad, e.grad
print(g([0., 2., -1.], 0.), g(2., [0., 1., -1.]), g([0., 0., 0.], [0., 1., 2.]), g(0., 0.))
x = torch.tensor(0., requires_grad=True); (x ** 0).backward(); print(x.grad)

# %% item assignment in graph
x = torch.ones(3, 3, requires_grad=True)
y = torch.full((3,), 2., requires_grad=True)
b = x.clone()
b[1] = y
b[:, 0] = b[:, 1] * 2
b[b > 3] = 7
print(b)
b.sum().backward(); print(x.grad, y.grad)

# %% setitem with mask and errors
x = torch.zeros(3)
for f in (lambda: x.__setitem__(slice(None), torch.ones(2)), lambda: x.__setitem__(5, 1), lambda: x.__setitem__((0, 0), 1), lambda: x.__setitem__(torch.tensor([0, 1]), torch.ones(3)), lambda: x.__setitem__(torch.tensor([True, False]), 1), lambda: x.__setitem__(0, 'a'), lambda: x.__setitem__(0, [1, 2]), lambda: x.__setitem__(0, None), lambda: x.__setitem__(slice(0, 2), [1., 2.])):
    try: f(); print(x)
    except Exception as e: print(type(e).__name__, e)

# %% leaf in-place under modes
x = torch.ones(2, requires_grad=True)
for f in (lambda: x.add_(1), lambda: x.__setitem__(0, 1), lambda: x.zero_(), lambda: x.copy_(torch.zeros(2)), lambda: x.fill_(1), lambda: x.uniform_(), lambda: x[0].zero_(), lambda: x.view(2).zero_(), lambda: x.__iadd__(1), lambda: x.detach_(), lambda: x.requires_grad_(False), lambda: torch.nn.init.ones_(x.requires_grad_())):
    try: print(f())
    except RuntimeError as e: print(e)

# %% detach shares version, numpy
x = torch.ones(3, requires_grad=True)
y = x * x
d = y.detach(); z = y.exp()
d.zero_()
try: (y * 2).sum().backward(); print(x.grad)
except RuntimeError as e: print(e)
try: (z * y).sum().backward()
except RuntimeError as e: print(e)

# %% data is not versioned
x = torch.ones(3, requires_grad=True)
y = x.exp()
y.data.zero_()
y.sum().backward(); print(x.grad)

# %% in-place result saved by itself
x = torch.ones(3, requires_grad=True)
y = x * 1
y.exp_(); y.sum().backward(); print(x.grad)
y = x * 1; y.sigmoid_(); y.tanh_(); y.sum().backward(); print(x.grad)
y = x * 1; z = y.exp_(); z.add_(1)
try: z.sum().backward()
except RuntimeError as e: print(e)

# %% in-place with same tensor
x = torch.full((2,), 3., requires_grad=True)
y = x.clone(); y.mul_(y); y.sum().backward(); print(x.grad)
y = x.clone(); y.add_(y); y.sum().backward(); print(x.grad)
y = x.clone(); y += y[0]; y.sum().backward(); print(x.grad)

# %% anomaly: nested create_graph warns of parent
import warnings
class B(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x); return x.clone()
    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return C.apply(g) * x
class C(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x.clone()
    @staticmethod
    def backward(ctx, g): raise RuntimeError("inner")
x = torch.ones(1, requires_grad=True)
with warnings.catch_warnings(record=True) as w:
    warnings.simplefilter('always')
    with torch.autograd.detect_anomaly():
        g, = torch.autograd.grad(B.apply(x).sum(), x, torch.ones((), requires_grad=True), create_graph=True)
        try: g.sum().backward()
        except RuntimeError as e: print(e)
print([str(m.message).split('\n')[0].split('(Trig')[0] for m in w])

# %% anomaly: second backward
with torch.autograd.set_detect_anomaly(True):
    x = torch.ones(2, requires_grad=True)
    y = x * x; y.sum().backward()
    try: y.sum().backward()
    except RuntimeError as e: print(str(e)[:40])
    b = x * 1; z = b.exp(); z.add_(1)
    try: z.sum().backward()
    except RuntimeError as e: print(e)

# %% anomaly: nan message of builtin
x = torch.tensor([0., 1.], requires_grad=True)
for f in (lambda: (x / x.detach().mul(0)).sum() * 0, lambda: (x.sqrt() * torch.tensor([0., 1.])).sum(), lambda: x.log().sum() * 0, lambda: x.pow(0.5)[0] * 0):
    with torch.autograd.set_detect_anomaly(True):
        try: f().backward(); print('fine', x.grad)
        except RuntimeError as e: print(e)

# %% no_grad as class decorator and with arguments
try: torch.no_grad(1)
except Exception as e: print(type(e).__name__)
try: torch.set_grad_enabled()
except Exception as e: print(type(e).__name__)
@torch.no_grad()
class K: pass
print(torch.set_grad_enabled(True), torch.autograd.grad_mode.no_grad is torch.no_grad, torch.autograd.no_grad is torch.no_grad)
print(repr(torch.no_grad()).split(' object')[0])

# %% coroutine-like generators keep modes
@torch.enable_grad()
def g():
    try:
        while True:
            try: yield torch.is_grad_enabled()
            except ValueError: print('caught', torch.is_grad_enabled())
    finally: print('closing', torch.is_grad_enabled())
with torch.no_grad():
    it = g(); print(next(it), torch.is_grad_enabled()); print(it.throw(ValueError), torch.is_grad_enabled()); it.close()

# %% shapes checked by gradient of builtin via hooks on graph
x = torch.ones(2, requires_grad=True)
y = x.double()
y.register_hook(lambda g: print(g.dtype))
y.sum().backward(); print(x.grad.dtype)
h = x.half(); h.sum().backward(); print(x.grad.dtype, h.grad_fn)

# %% deep graphs of views and functions are freed
import weakref
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x.clone()
    @staticmethod
    def backward(ctx, g): return g
x = torch.ones(1, requires_grad=True); y = x
for _ in range(5000): y = F.apply(y)
y.backward(); print(x.grad)
del y

# %% graph keeps nothing alive: intermediate freed
import weakref
x = torch.ones(2, requires_grad=True)
y = x * 2; r = weakref.ref(y); z = y + 1; del y
print(r() is None)
y = x * 2; r = weakref.ref(y); z = y * y; del y
print(r() is None); z.sum().backward(); print(r() is None)

# %% cycle: grad with create graph
x = torch.ones(2, requires_grad=True)
(x * x).sum().backward(create_graph=True)
x.grad.sum().backward()
print(x.grad)

# %% out of order backward with retained pieces
x = torch.ones(2, requires_grad=True)
y = x * 2; z1 = (y * y).sum(); z2 = (y * 3).sum()
z1.backward()
z2.backward(); print(x.grad)
z3 = (y * y).sum(); z3.backward(); print(x.grad)

# %% partial graph freed error comes midway
x = torch.ones(2, requires_grad=True)
y = x.exp(); a = y * 2; b = y * 3
a.sum().backward()
try: b.sum().backward()
except RuntimeError as e: print(str(e)[:60])
print(x.grad)

# %% inputs= with non-leaf and leaf and reentrancy
x = torch.ones(2, requires_grad=True); w = torch.ones(2, requires_grad=True)
y = x * w; z = (y * w).sum()
z.backward(inputs=[y, w], retain_graph=True); print(y.grad, w.grad, x.grad)
z.backward(inputs=[x]); print(x.grad, w.grad)

# %% grad() does not free or accumulate
x = torch.ones(2, requires_grad=True); w = torch.ones(2, requires_grad=True)
z = (x * w).exp().sum()
print(torch.autograd.grad(z, x, retain_graph=True), torch.autograd.grad(z, [w, x]), x.grad, w.grad)
try: torch.autograd.grad(z, w)
except RuntimeError as e: print(str(e)[:40])

# %% grad of intermediate twice listed
x = torch.ones(2, requires_grad=True)
y = x * 2; z = y.exp().sum()
print(torch.autograd.grad(z, [y, y, x]))

# %% grad_outputs None for several
x = torch.ones(2, requires_grad=True)
a, b = x.sum(), (x * 2).sum()
print(torch.autograd.grad([a, b], x, [None, torch.tensor(3.)]))
try: print(torch.autograd.grad([x * 2, b], x, [None, None]))
except RuntimeError as e: print(e)
print(torch.autograd.grad({'a': x}['a'] * 2, {'x': x}, torch.ones(2)))

# %% only_inputs
x = torch.ones(2, requires_grad=True)
print(torch.autograd.grad((x * 2).sum(), x, only_inputs=False))
print(torch.autograd.grad((x * 2).sum(), x, None, None, False, True, True))

# %% grad_variables
x = torch.ones(2, requires_grad=True)
torch.autograd.backward(x * 2, grad_variables=torch.ones(2)); print(x.grad)
try: torch.autograd.backward(x * 2, torch.ones(2), grad_variables=torch.ones(2))
except RuntimeError as e: print(e)

# %% backward of something with int and bool roots
x = torch.ones(2, requires_grad=True)
for r in (x > 0, x.long(), torch.tensor(1), torch.tensor([])):
    try: r.backward()
    except RuntimeError as e: print(e)
try: torch.autograd.backward([x.sum(), torch.ones(1)])
except RuntimeError as e: print(e)

# %% print of views broken by no_grad writes
x = torch.ones(4, requires_grad=True).clone()
with torch.no_grad(): v = x[:2]
x.mul_(2)
print(v)
try: v.grad_fn
except RuntimeError as e: print(e)
a, b = x.split(2)
x.add_(1)
try: print(a.grad_fn)
except RuntimeError as e: print(e)
print(b)

# %% version counter semantics
x = torch.ones(2)
y = x.view(2); z = x.detach(); w = x.clone(); u = x.data; s = x[0]
x.add_(1); y.add_(1); s.add_(1)
print(x._version, y._version, z._version, w._version, u._version, s._version)
x.data = torch.zeros(2); print(x._version)
x[0] = 3; print(x._version)
x.zero_(); x.copy_(x); print(x._version)
x += 1; print(x._version)
torch.nn.init.zeros_(x); print(x._version)

# %% requires_grad propagation
a = torch.ones(2); b = torch.ones(2, requires_grad=True)
print((a + b).requires_grad, (a * 2).requires_grad, torch.cat([a, b]).requires_grad, torch.where(a > 0, a, b).requires_grad, (b > 0).requires_grad, b.argmax().requires_grad, b.sign().requires_grad, b.round().grad_fn, b.long().requires_grad, torch.zeros_like(b).requires_grad, b.new_zeros(2).requires_grad, torch.tensor(b.tolist()).requires_grad, b.clone().is_leaf, b.detach().clone().requires_grad_().is_leaf)

# %% nn.Parameter basics
p = torch.nn.Parameter(torch.ones(2))
print(p, p.is_leaf, p.requires_grad, type(p).__name__, (p * 1).grad_fn, type(p.data).__name__, type(p.detach()).__name__, type(p * 1).__name__)
try: torch.nn.Parameter(torch.ones(2).long())
except RuntimeError as e: print(e)
q = torch.nn.Parameter((p * 2)); print(q.is_leaf, q.grad_fn)

# %% module hooks with autograd
m = torch.nn.Linear(2, 1)
torch.nn.init.ones_(m.weight); torch.nn.init.zeros_(m.bias)
m.register_full_backward_hook(lambda mod, gi, go: print('full', gi, go))
m.register_full_backward_pre_hook(lambda mod, go: print('pre', go))
x = torch.ones(1, 2, requires_grad=True)
m(x).sum().backward(); print(x.grad)

# %% functional api shapes
F = torch.autograd.functional
f = lambda x, y: (x * y, x.sum() + y)
a, b = torch.tensor([1., 2.]), torch.tensor([3., 4.])
print(F.jacobian(f, (a, b)))
print(F.hessian(lambda x, y: (x * y).sum(), (a, b)))
print(F.vhp(lambda x, y: (x * y).sum(), (a, b), (a, b)))
print(F.hvp(lambda x: (x ** 3).sum(), a, b))
print(F.jvp(f, (a, b), (a, b)))
print(F.vjp(f, (a, b), (a, b)))
print(F.jacobian(lambda x: x ** 2, a, create_graph=True), F.jacobian(lambda x: x ** 2, a.clone().requires_grad_(), create_graph=True))
print(F.jacobian(lambda x: x.exp(), a, vectorize=True))

# %% checkpoint captured and in-place input change
ck = torch.utils.checkpoint.checkpoint
x = torch.ones(2, requires_grad=True)
b = x * 1
y = ck(lambda t: t.exp(), b, use_reentrant=False)
b.add_(1)
try: y.sum().backward()
except RuntimeError as e: print(e)

# %% checkpoint saved attribute unpack twice
ck = torch.utils.checkpoint.checkpoint
x = torch.ones(2, requires_grad=True)
y = ck(lambda t: t.exp(), x, use_reentrant=False)
print(y.grad_fn._saved_result, y.grad_fn._saved_result)
class S(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x); return x * 2
    @staticmethod
    def backward(ctx, g):
        ctx.saved_tensors
        try: ctx.saved_tensors
        except Exception as e: print(type(e).__name__, e)
        return g
ck(lambda t: S.apply(t), x, use_reentrant=False).sum().backward()

# %% checkpoint of module with parameters, both ways
ck = torch.utils.checkpoint.checkpoint
m = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.Tanh())
x = torch.ones(1, 3, requires_grad=True)
def grads(out):
    m.zero_grad(); x.grad = None
    out.sum().backward(); return [p.grad.clone() for p in m.parameters()] + [x.grad.clone()]
a = grads(m(x)); b = grads(ck(m, x, use_reentrant=False)); c = grads(ck(m, x, use_reentrant=True))
print(all(torch.allclose(p, q) and torch.allclose(p, r) for p, q, r in zip(a, b, c)))

# %% checkpoint error inside
ck = torch.utils.checkpoint.checkpoint
def f(t): raise ValueError('no')
x = torch.ones(2, requires_grad=True)
for r in (True, False):
    try: ck(f, x, use_reentrant=r)
    except ValueError as e: print(e)
y = (x * x).sum(); y.backward(); print(x.grad)

# %% checkpoint and saved_tensors_hooks outside
log = []
x = torch.ones(2, requires_grad=True)
def pack(t): log.append('p'); return t
def unpack(t): log.append('u'); return t
with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
    y = torch.utils.checkpoint.checkpoint(lambda t: t.exp().sin(), x, use_reentrant=False)
y.sum().backward(); print(log)

# %% checkpoint backward inside
ck = torch.utils.checkpoint.checkpoint
x = torch.ones(2, requires_grad=True)
def f(t):
    y = t.exp()
    g, = torch.autograd.grad(y.sum(), t, create_graph=True)
    return g * 2
ck(f, x, use_reentrant=False).sum().backward(); print(x.grad)

# %% multi grad hook with inputs and repeated
g = torch.autograd.graph
a = torch.ones(2, requires_grad=True); b = torch.ones(2, requires_grad=True)
c = a * b; d = a * b
g.register_multi_grad_hook((a, b, c, d), lambda gs: print([x is not None for x in gs]))
c.sum().backward(retain_graph=True)
c.sum().backward(inputs=(a,), retain_graph=True)
(c + d).sum().backward()

# %% inference mode: saving and errors
with torch.inference_mode(): i = torch.ones(2)
w = torch.ones(2, requires_grad=True)
for f in (lambda: (i * w), lambda: (i + w).sum().backward(), lambda: w.clone().copy_(i), lambda: torch.cat([i, w]), lambda: i[0].zero_(), lambda: i.unsqueeze_(0), lambda: w.view(2).mul(i.clone()), lambda: i.view(1, 2)._version, lambda: i.requires_grad_(False), lambda: i.numpy(), lambda: torch.matmul(i, w)):
    try: print(f())
    except RuntimeError as e: print(e)

# %% inference: flags
with torch.inference_mode():
    a = torch.ones(2, requires_grad=True)
    b = a * 2
    print(a.requires_grad, a.is_leaf, b.requires_grad, b.grad_fn, b.is_inference(), torch.is_grad_enabled())
    with torch.enable_grad(): print((a * 2).requires_grad)
print(a.requires_grad, b.is_inference(), a.clone().is_inference(), b.clone().requires_grad_().requires_grad)

# %% tensor subclass printing & Variable
x = torch.autograd.Variable(torch.ones(2), requires_grad=True)
x.backward(torch.ones(2)); print(x.grad, type(x.data), type(x))

# %% hook on parameters used twice
w = torch.ones(2, requires_grad=True)
n = []
w.register_hook(lambda g: n.append(g.tolist()))
(w * 2 + w * 3).sum().backward(); print(n)

# %% grads accumulate: identity, in place, clone
w = torch.ones(2, requires_grad=True)
g0 = torch.ones(2)
w.grad = g0
(w * 2).sum().backward(); print(w.grad is g0, g0, g0._version)
w.grad = None; (w * 2).sum().backward(); g = w.grad; (w * 2).sum().backward(); print(g is w.grad, g)
w.grad.requires_grad_() if False else None

# %% expand backwards and broadcasting
a = torch.ones(3, 1, requires_grad=True); b = torch.ones(1, 4, requires_grad=True); c = torch.ones((), requires_grad=True)
(a * b + c).sum().backward(); print(a.grad, b.grad, c.grad)

# %% retained grads of several views
x = torch.ones(2, 2, requires_grad=True)
a = x.t(); b = a[0]; a.retain_grad(); b.retain_grad()
(b * 3).sum().backward(); print(a.grad, b.grad, x.grad)

# %% names of nodes of in-place and view ops
x = torch.ones(2, 2, requires_grad=True)
y = x.clone()
print(y.add_(1).grad_fn, y.mul_(2).grad_fn, y.t().grad_fn, y[0].grad_fn, y[0:1].grad_fn, y.view(4).grad_fn, y.reshape(4).grad_fn, y.zero_().grad_fn, y.fill_(2).grad_fn, y.copy_(x).grad_fn, y.clamp_(0).grad_fn, y.exp_().grad_fn)
y[0] = 1; print(y.grad_fn, y.grad_fn.next_functions)
v = y[0]; v.mul_(2); print(y.grad_fn, v.grad_fn, y.grad_fn.next_functions)
print(y.masked_fill_(y > 1, 0).grad_fn, y.detach_().grad_fn)

# %% what comes out of a module with a full backward hook is a view that refuses to be written
layer = torch.nn.Linear(2, 3)
layer.register_full_backward_hook(lambda module, grad_in, grad_out: print(grad_out[0].shape))
x = torch.randn(4, 2, requires_grad=True)
y = layer(x)
print(y._is_view(), y._version)
y.sum().backward()
with torch.no_grad():
    print(layer(x).relu_().requires_grad)
for write in (lambda t: t.relu_(), lambda t: t.view(-1).mul_(2), lambda t: t.detach_()):
    try:
        write(layer(x))
    except RuntimeError as error:
        print(error)

# %% so is what goes into it, and each of several results
class Both(torch.nn.Module):
    def forward(self, x):
        return x + 1, x * 2
both, same = Both(), torch.nn.Identity()
for module in (both, same):
    module.register_full_backward_hook(lambda module, grad_in, grad_out: None)
x = torch.randn(3, requires_grad=True) * 1
y = same(x)
x.mul_(2)
for use in (lambda: both(x)[0].mul_(2), lambda: y.sum().backward()):
    try:
        use()
    except RuntimeError as error:
        print(error)

# %% what a pass keeps is said by whole numbers alone
import torch
x = torch.ones(2, requires_grad=True)
for flag in (torch.ones(2), "a", 1.5, [], torch.tensor(1), 2, 0, True):
    for run in (
        lambda: (x * x).sum().backward(retain_graph=flag),
        lambda: torch.autograd.grad((x * x).sum(), x, retain_graph=flag),
        lambda: torch.autograd.grad((x * x).sum(), x, create_graph=flag)[0].requires_grad,
    ):
        try:
            print(run())
        except TypeError as error:
            print(error)
print(x.grad)

# %% Function: what is no tensor is handed on
class Pair:
    pass
class Mixed(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2, Pair(), 3
    @staticmethod
    def backward(ctx, g, *others):
        print(others)
        return g * 2
class Only(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return Pair()
    @staticmethod
    def backward(ctx, g):
        return g
x = torch.ones(2, requires_grad=True)
y, pair, three = Mixed.apply(x)
y.sum().backward()
print(y, type(pair).__name__, three, x.grad, type(Only.apply(x)).__name__)
