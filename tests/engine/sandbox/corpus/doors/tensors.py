"""Tensors: hooks, functions of one's own, grad modes and arguments with methods, while the engine walks its graph."""
#: ends: ok, policy, too_large, error and its type, or any where that depends on the machine
#: prints*: what it prints, a line each

if __name__: raise SystemExit("these programs may do harm: `python -m tests.corpus FILE::NAME` runs one shut in")

# %% a hook that clears the gradients it is on the way to
#: ends: ok
#: prints: tensor([2., 2., 2.])
import torch
x = torch.ones(3, requires_grad=True)
y = x * 2
y.register_hook(lambda g: setattr(x, 'grad', None))
y.sum().backward()
print(x.grad)

# %% a hook that changes its gradient in place
#: ends: ok
#: prints: torch.Size([3])
import torch
x = torch.ones(3, requires_grad=True)
y = x * 2
def hook(g):
    with torch.no_grad():
        g.mul_(10)
y.register_hook(hook)
y.sum().backward()
print(x.grad.shape)

# %% a hook that gives a gradient of another shape
#: ends: error RuntimeError
import torch
x = torch.ones(3, requires_grad=True)
y = x * 2
y.register_hook(lambda g: torch.ones(5))
y.sum().backward()

# %% a hook that gives what is no gradient
#: ends: error TypeError
import torch
x = torch.ones(3, requires_grad=True)
y = x * 2
y.register_hook(lambda g: 'no')
y.sum().backward()

# %% a hook that removes itself and the others
#: ends: ok
#: prints: once
#: prints: once
import torch
x = torch.ones(3, requires_grad=True)
handles = []
def hook(g):
    for h in handles:
        h.remove()
    print('once')
handles += [x.register_hook(hook), x.register_hook(hook)]
x.sum().backward()
x.sum().backward()

# %% a hook that adds hooks while they are called
#: ends: ok
#: prints: True
import torch
x = torch.ones(3, requires_grad=True)
n = []
def hook(g):
    n.append(1)
    if len(n) < 5:
        x.register_hook(hook)
x.register_hook(hook)
x.sum().backward()
print(len(n) < 10)

# %% a hook that runs another backward pass
#: ends: ok
#: prints: tensor([2., 2., 2.]) tensor([3., 3.])
import torch
x = torch.ones(3, requires_grad=True)
z = torch.ones(2, requires_grad=True)
def hook(g):
    with torch.enable_grad():
        (z * 3).sum().backward()
y = x * 2
y.register_hook(hook)
y.sum().backward()
print(x.grad, z.grad)

# %% a hook that frees the graph it is called from
#: ends: error RuntimeError
import torch
x = torch.ones(3, requires_grad=True)
a = x * 2
b = a * a
c = b.exp()
loss = c.sum()
def hook(g):
    torch.autograd.grad(loss, x)
c.register_hook(hook) if False else None
def once(g):
    handle.remove()
    loss.backward()
handle = c.register_hook(once)
loss.backward()

# %% a hook that lets go of every tensor
#: ends: ok
#: prints: torch.Size([3])
import torch
x = torch.ones(3, requires_grad=True)
y = x * 2
z = y.exp()
def hook(g):
    global y, z
    del y, z
z.register_hook(hook)
z.sum().backward()
print(x.grad.shape)

# %% a hook that changes what was saved
#: ends: error RuntimeError
import torch
x = torch.ones(3, requires_grad=True)
y = x.exp()
z = y * 2
def hook(g):
    with torch.no_grad():
        y.add_(1)
z.register_hook(hook)
z.sum().backward()

# %% a hook that changes what was saved behind the version's back
#: ends: ok
#: prints: tensor([0., 0., 0.])
import torch
x = torch.ones(3, requires_grad=True)
y = x.exp()
z = y * 2
def hook(g):
    y.data.zero_()
    y.detach().numpy()[:] = 0
z.register_hook(hook)
z.sum().backward()
print(x.grad)

# %% a hook that gives the leaf's array another shape
#: ends: any
import torch
x = torch.ones(4, requires_grad=True)
y = x * 2
def hook(g):
    x.detach().numpy().shape = (2, 2)
    y.detach().numpy().shape = (2, 2)
y.register_hook(hook)
y.sum().backward()
print(x.grad.shape)

# %% a hook after the gradient was accumulated that replaces it
#: ends: ok
#: prints: None torch.Size([5])
import torch
x = torch.ones(3, requires_grad=True)
def hook(p):
    p.grad = None
    p.data = torch.zeros(5)
x.register_post_accumulate_grad_hook(hook)
x.sum().backward()
print(x.grad, x.shape)

# %% a hook on a node that looks around
#: ends: policy
import torch
x = torch.ones(3, requires_grad=True)
y = x.exp()
def hook(a, b):
    print(y.grad_fn.apply_arrays.__globals__)
y.grad_fn.register_hook(hook)
y.sum().backward()

# %% a hook on a node that reads private names
#: ends: policy
import torch
x = torch.ones(3, requires_grad=True)
y = x.exp()
y.grad_fn.register_hook(lambda a, b: y.grad_fn._owner)
y.sum().backward()

# %% a prehook on a node that changes its gradients
#: ends: ok
#: prints: tensor([20., 20., 20.])
import torch
x = torch.ones(3, requires_grad=True)
y = x * 2
y.grad_fn.register_prehook(lambda g: tuple(t * 10 for t in g))
y.sum().backward()
print(x.grad)

# %% a prehook that gives too few gradients
#: ends: error RuntimeError
import torch
x = torch.ones(3, requires_grad=True)
y = x * 2
y.grad_fn.register_prehook(lambda g: ())
y.sum().backward()

# %% saved tensors packed into something else
#: ends: ok
#: prints: tensor([2., 2., 2.])
import torch
kept = []
def pack(t):
    kept.append(t.detach().clone())
    return len(kept) - 1
x = torch.ones(3, requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(pack, lambda k: kept[k]):
    y = x * x
y.sum().backward()
print(x.grad)

# %% saved tensors that are unpacked to what does not fit
#: ends: error ValueError
import torch
x = torch.ones(3, requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(lambda t: 1, lambda k: torch.ones(7)):
    y = x * x
y.sum().backward()

# %% saved tensors that are unpacked to no tensor
#: ends: error TypeError
import torch
x = torch.ones(3, requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(lambda t: 1, lambda k: 'no'):
    y = x * x
y.sum().backward()

# %% saved tensors whose packing changes them in place
#: ends: error RuntimeError
import torch
x = torch.ones(3, requires_grad=True)
def pack(t):
    with torch.no_grad():
        t.mul_(2)
    return t
with torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
    y = x * x
y.sum().backward()

# %% saved tensors whose unpacking computes with what is unpacked
#: ends: any
import torch
x = torch.ones(3, requires_grad=True)
def unpack(t):
    with torch.enable_grad():
        return y.sum() * 0 + t if len(deep) > 5 else deep.append(1) or unpack(t)
deep = []
with torch.autograd.graph.saved_tensors_hooks(lambda t: t, unpack):
    y = x * x
y.sum().backward(retain_graph=True)

# %% hooks for saved tensors left in the wrong order
#: ends: any
import torch
a = torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t)
b = torch.autograd.graph.saved_tensors_hooks(lambda t: t * 2, lambda t: t)
a.__enter__()
b.__enter__()
a.__exit__(None, None, None)
x = torch.ones(3, requires_grad=True)
(x * x).sum().backward()
print(x.grad.shape)

# %% a function of one's own that keeps its context
#: ends: error RuntimeError
import torch
kept = []
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        kept.append(ctx)
        ctx.save_for_backward(x)
        return x * 2
    @staticmethod
    def backward(ctx, g): return g
x = torch.ones(3, requires_grad=True)
F.apply(x).sum().backward()
kept[0].saved_tensors

# %% a function whose backward changes its gradient in place
#: ends: ok
#: prints: torch.Size([3])
import torch
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x * 2
    @staticmethod
    def backward(ctx, g):
        g.mul_(5)
        return g
x = torch.ones(3, requires_grad=True)
y = F.apply(x)
(y + y).sum().backward()
print(x.grad.shape)

# %% a function whose backward gives another shape
#: ends: error RuntimeError
import torch
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x * 2
    @staticmethod
    def backward(ctx, g): return torch.ones(9)
x = torch.ones(3, requires_grad=True)
F.apply(x).sum().backward()

# %% a function whose backward gives too many
#: ends: error RuntimeError
import torch
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x * 2
    @staticmethod
    def backward(ctx, g): return g, g, g
x = torch.ones(3, requires_grad=True)
F.apply(x).sum().backward()

# %% a function whose forward gives no tensor
#: ends: any
import torch
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return 'no'
    @staticmethod
    def backward(ctx, g): return g
print(F.apply(torch.ones(3, requires_grad=True)))

# %% a function that saves what is no tensor
#: ends: error TypeError
import torch
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward('no')
        return x * 2
    @staticmethod
    def backward(ctx, g): return ctx.saved_tensors
x = torch.ones(3, requires_grad=True)
F.apply(x).sum().backward()

# %% a function that applies itself without end
#: ends: error RecursionError
import torch
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return F.apply(x)
    @staticmethod
    def backward(ctx, g): return g
F.apply(torch.ones(3, requires_grad=True))

# %% a function whose backward runs backward
#: ends: ok
#: prints: tensor([1., 1., 1.])
import torch
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.exp()
    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        with torch.enable_grad():
            x = x.detach().requires_grad_()
            x.exp().sum().backward()
        return x.grad * g
x = torch.zeros(3, requires_grad=True)
F.apply(x).sum().backward()
print(x.grad)

# %% a function whose setup_context lies
#: ends: any
import torch
class F(torch.autograd.Function):
    @staticmethod
    def forward(x): return x * 2
    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.needs_input_grad = ()
        ctx.save_for_backward(*inputs, output)
    @staticmethod
    def backward(ctx, g): return g * 2
x = torch.ones(3, requires_grad=True)
F.apply(x).sum().backward()
print(x.grad)

# %% a context whose insides are replaced
#: ends: any
import torch
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx._node = lambda: None
        ctx._saved = (1, 2)
        return x * 2
    @staticmethod
    def backward(ctx, g): return g
x = torch.ones(3, requires_grad=True)
F.apply(x).sum().backward()

# %% a marking of what is no input as changed
#: ends: any
import torch
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(torch.ones(2), x)
        return x
    @staticmethod
    def backward(ctx, g): return g
print(F.apply(torch.ones(3)))

# %% grad modes left in the wrong order
#: ends: ok
#: prints: False
import torch
a, b = torch.no_grad(), torch.enable_grad()
a.__enter__()
b.__enter__()
a.__exit__(None, None, None)
b.__exit__(None, None, None)
print(torch.is_grad_enabled())
x = torch.ones(1, requires_grad=True)
(x * 2).sum().backward() if torch.is_grad_enabled() else None

# %% a grad mode left twice
#: ends: any
import torch
a = torch.no_grad()
a.__enter__()
a.__exit__(None, None, None)
a.__exit__(None, None, None)
print(torch.is_grad_enabled())

# %% inference mode left by a generator that the collector closes
#: ends: ok
#: prints: True
#: prints: False
import torch
def g():
    with torch.inference_mode():
        yield 1
it = g()
next(it)
print(torch.is_inference_mode_enabled())
del it
print(torch.is_inference_mode_enabled())

# %% anomaly mode left in the middle of a pass
#: ends: ok
#: prints: tensor([2., 2., 2.])
import torch
x = torch.ones(3, requires_grad=True)
y = x * 2
m = torch.autograd.set_detect_anomaly(True)
y.register_hook(lambda g: m.__exit__(None, None, None))
y.sum().backward()
print(x.grad)

# %% an index that gives its tensor another shape
#: ends: any
import torch
class I:
    def __index__(self):
        t.resize_(2) if hasattr(t, 'resize_') else t.set_(torch.zeros(2))
        return 99
t = torch.zeros(100)
print(t[I()])

# %% an index that replaces its tensor's data
#: ends: error IndexError
import torch
class I:
    def __index__(self):
        t.data = torch.zeros(2)
        return 99
t = torch.zeros(100)
t[I()]

# %% a value that replaces its tensor's data when stored
#: ends: any
import torch
class F:
    def __float__(self):
        t.data = torch.zeros(2)
        return 1.0
t = torch.zeros(100)
t[99] = F()
print(t.shape)

# %% a list emptied by a number while it becomes a tensor
#: ends: any
import torch
class F:
    def __float__(self):
        items.clear()
        return 1.0
    def __index__(self):
        items.clear()
        return 1
items = [F() for _ in range(100)]
print(torch.tensor(items).shape)

# %% a list emptied by a sequence while it becomes a tensor
#: ends: any
import torch
class S:
    def __len__(self):
        items.clear()
        return 2
    def __getitem__(self, k):
        items.clear()
        return [1.0, 2.0][k]
items = [[S()], [S()], [S()]]
print(torch.tensor(items).shape)

# %% a shape emptied by its own numbers
#: ends: any
import torch
class I:
    def __index__(self):
        items.clear()
        return 3
items = [I(), I()]
print(torch.zeros(items).shape)

# %% a dimension that gives its tensor another shape
#: ends: any
import torch
class I(int):
    def __index__(self):
        t.data = torch.zeros(2)
        return 1
t = torch.zeros(3, 3)
print(t.sum(I(1)).shape)

# %% a list of tensors emptied while they are joined
#: ends: any
import torch
class L(list):
    def __iter__(self):
        yield from list.__iter__(self)
        self.clear()
items = L([torch.ones(2), torch.ones(2)])
print(torch.cat(items).shape, torch.stack([torch.ones(1)] * 2).shape)

# %% a tensor's truth and number in the middle of an operation
#: ends: ok
#: prints: tensor(3.)
import torch
class B:
    def __bool__(self):
        x.data = torch.zeros(1)
        return True
x = torch.ones(3)
print(x.sum(keepdim=B()))

# %% __torch_function__ that sees what is called
#: ends: ok
#: prints: add
#: prints: 5
import torch
class T:
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        print(func.__name__)
        return 5
print(torch.add(torch.ones(2), T()))

# %% __torch_function__ that calls without end
#: ends: error RecursionError
import torch
class T:
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return func(*args, **(kwargs or {}))
torch.add(torch.ones(2), T())

# %% __torch_function__ of a class of tensors that looks at the function
#: ends: policy
import torch
class T(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        print(func.__globals__)
        return super().__torch_function__(func, types, args, kwargs or {})
T([1.0]) + 1

# %% functions that __torch_function__ is given, called with anything
#: ends: ok
#: prints: ['TypeError']
#: prints: True True
import torch
kept = []
class T(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        kept.append(func)
        return super().__torch_function__(func, types, args, kwargs or {})
t, p = T([1.0, 2.0]), torch.ones(2)
t.shape; t.grad; t.data; t.requires_grad; t + 1; t - 1; p - t; t.sum(); t.add_(1); p.add_(t); p.sub(t); t[0]; t.size(); t.tolist(); t.mH if t.ndim > 1 else 0
t.is_leaf; t.grad_fn; t._version; t._base; len(t); list(t); t.register_hook; t.names if hasattr(t, 'names') else 0; t.device; t.backward
t.grad = None; t.requires_grad = False; t.data = p; t[0] = 5.0; float(t[0]); t.numpy(); t.clone(); t.resize_(1);
class Fake:
    def __getattr__(self, name): print('REACHED', name)
    def __setattr__(self, name, value): print('REACHED', name)
found = set()
for func in kept:
    try: func(Fake())
    except Exception as error: found.add(type(error).__name__)
    try: func(Fake(), 1)
    except Exception as error: found.add(type(error).__name__)
print(sorted(found))
kept.clear()
t + 1; t.sum()
print(kept[0] is torch.Tensor.add, kept[1] is torch.Tensor.sum)

# %% __torch_function__ of a class of tensors that lies about shapes to modules
#: ends: any
import torch
import torch.nn as nn
class T(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        name = func.__name__
        if name == '__get__': return torch.Size([10 ** 6, 10 ** 6])
        if name in ('dim', 'numel', '__len__'): return 10 ** 6
        if name == 'size': return (10 ** 6,) * 4
        return super().__torch_function__(func, types, args, kwargs or {})
t = T([[1.0, 2.0], [3.0, 4.0]])
for make in (lambda: nn.Flatten()(t), lambda: nn.LSTM(2, 2)(t), lambda: nn.BatchNorm1d(2)(t), lambda: nn.MultiheadAttention(2, 1)(t, t, t),
             lambda: nn.Conv1d(2, 2, 1)(t), lambda: nn.MaxPool1d(2)(t), lambda: nn.Unflatten(1, (1, 2))(t), lambda: nn.Embedding(3, 2)(t),
             lambda: nn.utils.rnn.pad_sequence([t, t]), lambda: nn.utils.clip_grad_norm_([t], 1.0), lambda: nn.PReLU(2)(t),
             lambda: nn.CrossEntropyLoss()(t, torch.tensor([0, 1])), lambda: nn.Transformer(2, 1, 1, 1, 2)(t, t)):
    try: make()
    except Exception as error: print(type(error).__name__)

# %% __torch_function__ of a class of tensors that takes memory away while modules and functions are at it
#: ends: any
import torch
import torch.nn as nn
class T(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        with torch._C.DisableTorchFunctionSubclass():
            for a in args:
                if isinstance(a, torch.Tensor) and not a.requires_grad:
                    a.resize_(0)
                    a.data = torch.zeros(0)
        return super().__torch_function__(func, types, args, kwargs or {})
plain = torch.arange(6.0).reshape(2, 3)
for make in (lambda t: torch.stack([plain, t]), lambda t: nn.Linear(3, 3)(t), lambda t: nn.GRU(3, 3)(t), lambda t: t[torch.tensor([0, 1])],
             lambda t: plain.add_(t), lambda t: torch.where(t > 0, t, plain), lambda t: list(t), lambda t: t.__setitem__(0, plain[0]),
             lambda t: nn.BatchNorm1d(3)(t), lambda t: torch.cat([t, plain]), lambda t: plain.copy_(t), lambda t: plain[t.long()]):
    try: print(make(T([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])))
    except Exception as error: print(type(error).__name__)

# %% as_subclass to a class that is no plain one
#: ends: any
import torch
class S(torch.Tensor):
    __slots__ = ('more',)
class F(torch.Tensor):
    def __getattr__(self, name): return 5
    def __del__(self): print('gone')
for cls in (S, F, torch.nn.Parameter, torch.nn.parameter.UninitializedParameter, torch.nn.Buffer, torch.FloatTensor, torch.Tensor, type, object):
    try: print(type(torch.ones(2).as_subclass(cls) + 1), torch.Tensor._make_subclass(cls, torch.ones(2)).shape)
    except Exception as error: print(type(error).__name__, error)

# %% a mode that stays, and one that leaves itself
#: ends: any
import torch
from torch.overrides import TorchFunctionMode
class M(TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        self.__exit__(None, None, None)
        return func(*args, **(kwargs or {}))
m = M()
m.__enter__()
print(torch.ones(2) + 1)
m.__exit__()
m.__enter__(); m.__enter__()
print(torch.ones(2) * 2)

# %% a node's saved tensors after the pass
#: ends: error RuntimeError
import torch
x = torch.ones(3, requires_grad=True)
y = x.exp()
node = y.grad_fn
y.sum().backward()
node._saved_result

# %% a walk over the graph that cuts it meanwhile
#: ends: ok
#: prints: torch::autograd::AccumulateGrad
#: prints: MulBackward0
#: prints: ExpBackward0
#: prints: SumBackward0
import torch
x = torch.ones(3, requires_grad=True)
y = (x * 2).exp().sum()
def walk(node):
    global y
    y = None
    for n, _ in node.next_functions:
        if n is not None:
            walk(n)
    print(node.name())
walk(y.grad_fn)

# %% the shape of a tensor's array under NumPy's name
#: ends: ok
#: prints: torch.Size([4]) torch.Size([4]) (2, 2)
import torch, numpy as np
x = torch.ones(4)
a = x.numpy()
a.shape = (2, 2)
b = np.ones(4)
y = torch.from_numpy(b)
b.shape = (2, 2)
print(x.shape, y.shape, a.shape)

# %% an array of a tensor that becomes read-only or not
#: ends: policy
import torch
torch.ones(4).numpy().setflags(write=False)

# %% a tensor that a map writes into while it is read
#: ends: ok
#: prints: torch.Size([3])
import torch
x = torch.zeros(3)
def f(a, b):
    x.fill_(9)
    return a + b
x.map_(torch.ones(3), f) if hasattr(x, 'map_') else x.apply_(lambda v: f(v, 1.0))
print(x.shape)

# %% a tensor shown by options that change meanwhile
#: ends: ok
#: prints: tensor([0.33, 0.33])
import torch
torch.set_printoptions(precision=2)
class P(int): pass
print(torch.ones(2) / 3)

# %% the graph's end reached while a program is destroyed
#: ends: ok
#: prints: tensor([2., 2.])
import torch
class A:
    def __del__(self):
        (self.x * 2).sum().backward()
        print(self.x.grad)
a = A()
a.x = torch.ones(2, requires_grad=True)
del a

# %% a hook that runs its own backward pass without end
#: ends: too_large
import torch
x = torch.ones(1, requires_grad=True)
y = x * 2
loss = y.sum()
y.register_hook(lambda g: loss.backward(retain_graph=True))
loss.backward(retain_graph=True)
