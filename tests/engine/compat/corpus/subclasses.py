"""Classes of tensors that programs make, and what they print, warn of and raise, as PyTorch does; for test_names.py."""
#: gives*: what is printed, the warnings' line and text in angle brackets, and the error at the end

# %% results are of the class
#: gives: T T T T T T T T T T T T T T T T T T T T T T T T T T T T T T T T Tensor Tensor Size ndarray
import copy
import torch
import torch.nn as nn
import torch.nn.functional as F
class T(torch.Tensor):
    def doubled(self): return self * 2
t, w = T([1., 2., 3.]), nn.Parameter(torch.ones(3))
for x in (t + 1, 1 + t, torch.ones(3) + t, w * t, t.sum(), t.doubled(), t[0], t.detach(), t.data, t.view(1, 3).T, torch.relu(t),
          F.relu(t), nn.Linear(3, 2)(t), torch.cat([t, torch.ones(2)]), t.split(1)[0], t.max(0).values, next(iter(t)),
          torch.ones_like(t), t.new_zeros(2), t.long(), t > 1, torch.where(t > 1, t, torch.zeros(3)), copy.copy(t),
          F.mse_loss(t, torch.zeros(3)), t.clone().add_(1), torch.einsum('i,i->', t, t), t @ t, 2 ** t, -t,
          torch.meshgrid(t, t, indexing='ij')[0], torch.add(t, 1, out=torch.empty(3)), nn.LayerNorm(3)(t)):
    print(type(x).__name__, end=' ')
print(type(torch.zeros(3)).__name__, type(torch.tensor(t.tolist())).__name__, type(t.shape).__name__, type(t.numpy()).__name__)

# %% how they print
#: gives: T([1., 2.]) [T([1., 2.])] T([1., 2.]) T([1., 2.]) T(1.) T(1.) torch.return_types.max(
#: gives: values=T(2.),
#: gives: indices=T(1)) (T([1.]), T([2.]))
#: gives: Named! Named! [Named!] Named!
#: gives: Parameter(T([1., 2.], requires_grad=True)) Parameter containing:
#: gives: tensor([1., 1.], requires_grad=True)
import torch
class T(torch.Tensor): pass
t = T([1., 2.])
print(t, [t], f'{t}', '%s' % t, t[0], f'{t[0]}', t.max(0), t.split(1))
class Named(torch.Tensor):
    def __repr__(self): return 'Named!'
n = Named([1.])
print(n, str(n), [n], n + 1)
print(torch.nn.Parameter(T([1., 2.])), torch.nn.Parameter(torch.ones(2)))

# %% their graph has an alias
#: gives: T(3., grad_fn=<AliasBackward0>) AliasBackward0 SumBackward0
#: gives: tensor([1., 2.]) Tensor
#: gives: T([ 3., 12.], grad_fn=<AliasBackward0>) Tensor tensor([ 6., 12.])
#: gives: T([1., 1.], grad_fn=<AliasBackward0>) False True
import torch
class T(torch.Tensor): pass
w = torch.ones(2, requires_grad=True)
t = T([1., 2.])
y = (w * t).sum()
print(y, y.grad_fn.name(), y.grad_fn.next_functions[0][0].name())
y.backward()
print(w.grad, type(w.grad).__name__)
t.requires_grad_()
g, = torch.autograd.grad((t ** 3).sum(), t, create_graph=True)
g.sum().backward()
print(g, type(t.grad).__name__, t.grad)
u = torch.ones(2, requires_grad=True).as_subclass(T)
print(u, u.is_leaf, u._is_view())

# %% made in every way
#: gives: A([1.]) a B([1., 2.], requires_grad=True) 0.5 True C([1.]) c A([2.])
#: gives: False
#: gives: object.__init__() takes exactly one argument (the instance to initialize)
#: gives: Creating a Tensor subclass from a class that does not inherit from Tensor is not possible. Make sure your class inherits from Tensor.
#: gives: cls must be a type (got int)
import torch
class A(torch.Tensor):
    @staticmethod
    def __new__(cls, x, extra, *args): return super().__new__(cls, x, *args)
    def __init__(self, x, extra): self.extra = extra
class B(torch.Tensor):
    def __new__(cls, data, scale):
        made = torch.Tensor._make_subclass(cls, torch.as_tensor(data), True)
        made.scale = scale
        return made
class C(torch.Tensor):
    def __new__(cls, x, extra): return torch.as_tensor(x).as_subclass(cls)
    def __init__(self, x, extra):
        super().__init__()
        self.extra = extra
class D(torch.Tensor):
    def __init__(self, x): super().__init__(x)
a, b, c = A([1.], 'a'), B([1., 2.], 0.5), C([1.], 'c')
print(a, a.extra, b, b.scale, b.is_leaf, c, c.extra, a + 1)
print(hasattr(a + 1, 'extra'))
for make in (lambda: D([1.]), lambda: torch.ones(1).as_subclass(int), lambda: torch.ones(1).as_subclass(3)):
    try: make()
    except TypeError as error: print(error)

# %% what a class makes of each function
#: gives: add ['L']; add ['L']; sub ['L']; sub ['L']; __rsub__ ['L']; mul ['L']; div ['L']; pow ['L']; neg ['L']; abs ['L']; __eq__ ['L']; lt ['L']; gt ['L']; matmul ['L']; sum ['L']; mean ['L']; __getitem__ ['L']; size ['L']; __get__ ['L']; __get__ ['L']; __len__ ['L']; __get__ ['L']; add_ ['L']; __get__ ['L']; add_ ['L']; add ['L']; stack ['L']; softmax ['L']; gt ['L']; where ['L']; linalg_norm ['L']; 
#: gives: relu ['L']; linear ['L']; relu ['L']; mse_loss ['L', 'Tensor']; __setitem__ ['L']; __set__ ['L']; __set__ ['L']; __getitem__ ['L']; __float__ ['L']; __getitem__ ['L']; __bool__ ['L']; tolist ['L']; to ['L']; clone ['L']; 
#: gives: mul ['L']; sum ['L']; backward ['L']; 
import torch
class L(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        print(func.__name__, [t.__name__ for t in types], end='; ')
        return super().__torch_function__(func, types, args, kwargs or {})
a, p = L([1., 2.]), torch.ones(2)
a + 1; 1 + a; a - p; p - a; 2 - a; p * a; a / 2; a ** 2; -a; abs(a); a == a; a < p; p < a; a @ p
a.sum(); a.mean(dim=0); a[0]; a.size(); a.shape; a.dtype; len(a); a.T if a.ndim == 2 else None; a.add_(1); p.add_(a.data)
torch.add(a, p); torch.stack([p, a]); torch.softmax(a, dim=0); torch.where(a > 1, a, p); torch.linalg.norm(a)
print()
torch.nn.functional.relu(a); torch.nn.Linear(2, 2)(a); torch.nn.Sequential(torch.nn.ReLU())(a); torch.nn.MSELoss()(a, p)
a[0] = 5.; a.requires_grad = False; a.grad = None; float(a[0]); bool(a[0]); a.tolist(); a.to(torch.float64); a.clone()
print()
(torch.ones(2, requires_grad=True) * a).sum().backward()

# %% metadata that goes along
#: gives: M(M([1., 2.]), 'x') M(M([2., 3.]), 'x') M(M(6.), 'x') M(M([1., 2., 1., 2.]), None) M(M([1., 2.]), 'x')
import torch
class M(torch.Tensor):
    @staticmethod
    def __new__(cls, x, meta=None, *args, **kwargs): return super().__new__(cls, x, *args, **kwargs)
    def __init__(self, x, meta=None): self.meta = meta
    def __repr__(self): return f'M({super().__repr__()}, {self.meta!r})'
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        out = super().__torch_function__(func, types, args, kwargs or {})
        if isinstance(out, M):
            metas = [a.meta for a in args if isinstance(a, M) and hasattr(a, 'meta')]
            out.meta = metas[0] if metas else None
        return out
m = M([1., 2.], 'x')
print(m, m + 1, (m * 2).sum(), torch.cat([m, m]), torch.nn.functional.relu(m))

# %% classes that are no tensors
#: gives: Scalar(2, 3) 1.5 Scalar(2, 6) tensor([[4., 1.],
#: gives:         [1., 4.]]) stacked 2 at 1
#: gives: TypeError: Multiple dispatch failed for 'torch.mul'; all __torch_function__ handlers returned NotImplemented:
#: gives:
#: gives:   - tensor subclass <class '__main__.Scalar'>
#: gives:
#: gives: For more information, try re-running with TORCH_LOGS=not_implemented
import functools
import torch
HANDLED = {}
class Scalar:
    def __init__(self, n, value): self.n, self.value = n, value
    def __repr__(self): return f'Scalar({self.n}, {self.value})'
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        if func not in HANDLED or not all(issubclass(t, (torch.Tensor, Scalar)) for t in types): return NotImplemented
        return HANDLED[func](*args, **(kwargs or {}))
def implements(function):
    def decorator(func):
        functools.update_wrapper(func, function)
        HANDLED[function] = func
        return func
    return decorator
@implements(torch.mean)
def mean(input): return float(input.value) / input.n
@implements(torch.add)
def add(input, other):
    if isinstance(input, Scalar) and isinstance(other, Scalar): return Scalar(input.n, input.value + other.value)
    a, b = (x.value * torch.eye(x.n) if isinstance(x, Scalar) else x for x in (input, other))
    return torch.add(a, b)
@implements(torch.stack)
def stack(tensors, dim=0): return f'stacked {len(tensors)} at {dim}'
d = Scalar(2, 3)
print(d, torch.mean(d), torch.add(d, d), torch.add(torch.ones(2, 2), d), torch.stack([d, d], dim=1))
torch.mul(d, 3)

# %% operators of their own
#: gives: adding int
#: gives: adding Sum
#: gives: Sum([2., 3.]) reflected reflected summed Sum(3.) Sum([3., 6.])
#: gives: in place
import torch
class Sum(torch.Tensor):
    def __add__(self, other):
        print('adding', type(other).__name__)
        return super().__add__(other)
    def __radd__(self, other): return 'reflected'
    def __iadd__(self, other): return 'in place'
    def sum(self): return 'summed'
s = Sum([1., 2.])
print(s + 1, 1 + s, torch.ones(2) + s, s.sum(), torch.sum(s), s * 2 + s)
s += 1
print(s)

# %% two classes
#: gives: B B B
#: gives: unsupported operand type(s) for +: 'A' and 'X'
#: gives: no implementation found for 'torch.nn.functional.mse_loss' on types that implement __torch_function__: [<class '__main__.A'>, <class '__main__.X'>]
#: gives: TypeError: Multiple dispatch failed for 'torch.add'; all __torch_function__ handlers returned NotImplemented:
#: gives:
#: gives:   - tensor subclass <class '__main__.A'>
#: gives:   - tensor subclass <class '__main__.X'>
#: gives:
#: gives: For more information, try re-running with TORCH_LOGS=not_implemented
import torch
class A(torch.Tensor): pass
class B(A): pass
class X(torch.Tensor): pass
a, b, x = A([1.]), B([1.]), X([1.])
print(type(a + b).__name__, type(b + a).__name__, type(torch.maximum(a, b)).__name__)
for call in (lambda: a + x, lambda: torch.nn.functional.mse_loss(a, x)):
    try: call()
    except TypeError as error: print(error)
torch.add(a, x)

# %% modes
#: gives: ['ones', 'add', 'sum', 'zeros', 'relu', 'linear', '__getitem__', '__get__', 'einsum']
#: gives: tensor([2., 2.])
#: gives: ['ones']
#: gives: tensor([1., 1.]) ['ones']
#: gives: True False True False
#: gives: Tensor
#: gives: Tensor
import torch
from torch.overrides import TorchFunctionMode, has_torch_function, is_tensor_like
class Log(TorchFunctionMode):
    def __init__(self): self.seen = []
    def __torch_function__(self, func, types, args=(), kwargs=None):
        self.seen.append(func.__name__)
        return func(*args, **(kwargs or {}))
class Twice(TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        out = func(*args, **(kwargs or {}))
        return out * 2 if func is torch.ones else out
linear = torch.nn.Linear(2, 2)
with Log() as log:
    y = torch.ones(2) + 1
    y.sum(); torch.zeros(3); torch.nn.functional.relu(y); linear(y); y[0]; y.shape; torch.einsum('i->', y)
print([n for n in log.seen if n in ('ones', 'add', 'sum', 'zeros', 'relu', 'linear', '__getitem__', '__get__', 'einsum')])
with Twice():
    print(torch.ones(2))
    with Log() as log: torch.ones(2)
    print(log.seen)
print(torch.ones(2), log.seen)
class T(torch.Tensor): pass
print(has_torch_function((T([1.]),)), has_torch_function((torch.ones(1),)), is_tensor_like(T([1.])), is_tensor_like(3))
with torch._C.DisableTorchFunctionSubclass():
    print(type(T([1.]) + 1).__name__)
class Off(torch.Tensor):
    __torch_function__ = torch._C._disabled_torch_function_impl
print(type(Off([1.]) + 1).__name__)

# %% parameters of a class
#: gives: Parameter containing:
#: gives: Parameter(P([1., 1.], requires_grad=True)) Parameter(T([1., 2.], requires_grad=True)) T([3.]) ['p', 't'] True True
#: gives: Tensor T Tensor
#: gives: Parameter containing:
#: gives: Parameter(P([0.8000, 0.2000], requires_grad=True)) Parameter(T([0.8000, 1.6000], requires_grad=True)) tensor([2., 4.])
#: gives: [('p', tensor([0.8000, 0.2000])), ('t', T([0.8000, 1.6000])), ('b', T([3.]))]
#: gives: Parameter containing:
#: gives: tensor(1., requires_grad=True)
import torch
import torch.nn as nn
class P(nn.Parameter): pass
class T(torch.Tensor): pass
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.p, self.t = P(torch.ones(2)), nn.Parameter(T([1., 2.]))
        self.register_buffer('b', T([3.]))
net = Net()
print(net.p, net.t, net.b, [n for n, _ in net.named_parameters()], isinstance(net.t, nn.Parameter), isinstance(net.t, T))
print(type(net.p * 2).__name__, type(net.t * 2).__name__, type(net.p.data).__name__)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
((net.p * net.t) ** 2).sum().backward()
opt.step()
print(net.p, net.t, net.t.grad)
print(list(net.state_dict().items()))
print(f'{nn.Parameter(torch.tensor(1.))}')

# %% copies
#: gives: T([1.]) ['t'] True
#: gives: tensor([1., 1.]) ['x'] True
#: gives: tensor([1., 1.]) ['x'] False
#: gives: RuntimeError: The default implementation of __deepcopy__() for non-wrapper subclasses only works for subclass types that implement new_empty() and for which that function returns another instance of the same subclass. You should either properly implement new_empty() for your subclass or override __deepcopy__() if it is intended behavior for new_empty() to return an instance of a different type.
import copy
import torch
class T(torch.Tensor): pass
class Deep(torch.Tensor):
    def new_empty(self, *args, **kwargs): return super().new_empty(*args, **kwargs).as_subclass(Deep)
t, x, d = T([1.]), torch.ones(2), Deep([1.])
t.label, x.label, d.label = ['t'], ['x'], ['d']
for made, of in ((copy.copy(t), t), (copy.copy(x), x), (copy.deepcopy(x), x)):
    print(made, made.label, made.label is of.label)
copy.deepcopy(t)

# %% functions and their names
#: gives: ['torch.randn', 'torch.Tensor.T.__get__', 'torch.Tensor.matmul', 'torch.nn.functional.softmax', 'torch.Tensor.sum', 'torch.Tensor.add'] T
#: gives: torch.relu True
import torch
class Mode(torch.overrides.TorchFunctionMode):
    def __init__(self): self.names = []
    def __torch_function__(self, func, types, args=(), kwargs=None):
        self.names.append(torch.overrides.resolve_name(func))
        return func(*args, **(kwargs or {}))
with Mode() as mode:
    x = torch.randn(3, 3)
    torch.nn.functional.softmax(x @ x.T, -1).sum()
    class T(torch.Tensor): pass
    T([1.0]) + 1
    with torch._C.DisableTorchFunction(): torch.zeros(2)
print(mode.names, type(T([1.0]) + 1).__name__)
print(torch.overrides.resolve_name(torch.relu), torch.overrides.is_tensor_method_or_property(torch.Tensor.add))

# %% trees
#: gives: [1, 2, 3, 4, 5, None, 6, 7] TreeSpec(dict, ['a', 'b', 'd', 'e', 'f'], [TreeSpec(list, None, [*,
#: gives:     TreeSpec(tuple, None, [*,
#: gives:       *])]),
#: gives:   TreeSpec(namedtuple, <class '__main__.P'>, [*,
#: gives:     TreeSpec(dict, ['c'], [*])]),
#: gives:   *,
#: gives:   TreeSpec(deque, 2, [*]),
#: gives:   TreeSpec(OrderedDict, ['z'], [*])]) 8 15
#: gives: {'a': [10, (20, 30)], 'b': P(x=40, y={'c': 50}), 'd': None, 'e': deque([60], maxlen=2), 'f': OrderedDict([('z', 70)])} ([3], *)
#: gives: [11, (22,)] [2, 'a', 2.0]
#: gives: True True [1, 2]
#: gives: ValueError Node arity mismatch; expected 2, but got 1.
#: gives: ValueError treespec.unflatten(leaves): `leaves` has length 1 but the spec refers to a pytree that holds 2 items (TreeSpec(list, None, [*,
#: gives:   *])).
#: gives: TypeError Expected `treespec` to be an instance of PyTreeSpec but got item of type <class 'int'>.
#: gives: ValueError Node keys mismatch; missing key(s): {'a'}; extra key(s): {'b'}.
#: gives: True False
#: gives: {'w': tensor([2., 2.]), 'b': [tensor([0.])]}
import torch.utils._pytree as p
from collections import OrderedDict, deque, namedtuple
from torch.utils._pytree import tree_map
import torch
P = namedtuple('P', 'x y')
t = {'a': [1, (2, 3)], 'b': P(4, {'c': 5}), 'd': None, 'e': deque([6], maxlen=2), 'f': OrderedDict(z=7)}
leaves, spec = p.tree_flatten(t)
print(leaves, spec, spec.num_leaves, spec.num_nodes)
print(p.tree_unflatten([10 * k if k else k for k in leaves], spec), p.tree_flatten(3))
print(tree_map(lambda a, b: a + b, [1, (2,)], [10, (20,)]), p.tree_map_only(int, lambda x: x + 1, [1, 'a', 2.0]))
print(p.tree_all(lambda x: x > 0, [1, 2]), p.tree_any(lambda x: x > 1, [1, 2]), p.tree_leaves({'z': 1, 'a': 2}))
for f in (lambda: tree_map(lambda a, b: a, [1, 2], [1]), lambda: p.tree_unflatten([1], p.tree_structure([1, 2])),
          lambda: p.tree_unflatten([1], 3), lambda: tree_map(lambda a, b: a, {'a': 1}, {'b': 1})):
    try: f()
    except Exception as e: print(type(e).__name__, e)
print(p.tree_structure([1]) == p.tree_structure([2]), p.tree_structure([1]) == p.tree_structure((2,)))
print(tree_map(lambda x: x * 2, {'w': torch.ones(2), 'b': [torch.zeros(1)]}))
