"""Small programs for test_semantics.py. Each ends with `out`, or with an exception, as in PyTorch."""

import numpy as np
import torch
import torch.nn.functional as F

out = None

# %% gradients add up over passes
x = torch.ones(2, requires_grad=True)
for _ in range(3): (2 * x).sum().backward()
out = x.grad

# %% zero_ clears in place
x = torch.ones(2, requires_grad=True)
(2 * x).sum().backward()
g = x.grad
x.grad.zero_()
out = (g, x.grad is g)

# %% the gradient grows in place
x = torch.ones(2, requires_grad=True)
x.sum().backward()
g = x.grad
x.sum().backward()
out = g

# %% a gradient may be set to None
x = torch.ones(2, requires_grad=True)
x.sum().backward()
x.grad = None
out = x.grad

# %% backward twice needs retain_graph
x = torch.ones(2, requires_grad=True)
y = (x * x).sum()
y.backward()
y.backward()

# %% retain_graph keeps it
x = torch.ones(2, requires_grad=True)
y = (x * x).sum()
y.backward(retain_graph=True)
y.backward()
out = x.grad

# %% a graph that saves nothing may run twice
x = torch.ones(2, requires_grad=True)
y = (x + 1).sum()
y.backward()
y.backward()
out = x.grad

# %% backward needs a scalar
x = torch.ones(2, requires_grad=True)
(x * 2).backward()

# %% backward takes a gradient
x = torch.ones(2, requires_grad=True)
(x * 2).backward(torch.tensor([1., 10.]))
out = x.grad

# %% the gradient's shape must fit
x = torch.ones(2, requires_grad=True)
(x * 2).backward(torch.ones(3))

# %% backward needs a graph
torch.ones(1).backward()

# %% backward with inputs fills only those
x = torch.ones(2, requires_grad=True)
y = torch.ones(2, requires_grad=True)
(x * y).sum().backward(inputs=[x])
out = (x.grad, y.grad)

# %% backward with a non-leaf input
x = torch.ones(2, requires_grad=True)
h = x * 3
h.retain_grad()
(h * 2).sum().backward(inputs=[h])
out = (x.grad, h.grad)

# %% shared leaves add up within a pass
x = torch.tensor(3., requires_grad=True)
(x * x * x + x).backward()
out = x.grad

# %% retained gradients add up
x = torch.ones(2, requires_grad=True)
y = x * 2
y.retain_grad()
for _ in range(2): y.sum().backward(retain_graph=True)
out = (y.grad, x.grad)

# %% grad leaves .grad alone
x = torch.ones(2, requires_grad=True)
g = torch.autograd.grad((x * x).sum(), x)
out = (g, x.grad)

# %% grad of an unused input
x = torch.ones(2, requires_grad=True)
y = torch.ones(2, requires_grad=True)
torch.autograd.grad(x.sum(), y)

# %% grad allows unused
x = torch.ones(2, requires_grad=True)
y = torch.ones(2, requires_grad=True)
out = torch.autograd.grad(x.sum(), [x, y], allow_unused=True)

# %% grad materializes zeros
x = torch.ones(2, requires_grad=True)
y = torch.ones(2, requires_grad=True)
out = torch.autograd.grad(x.sum(), [x, y], materialize_grads=True)

# %% grad of something that needs none
x = torch.ones(2)
y = torch.ones(2, requires_grad=True)
torch.autograd.grad((x * y).sum(), x)

# %% grad of a non-leaf
x = torch.ones(2, requires_grad=True)
h = x * 3
out = torch.autograd.grad((h * h).sum(), [h, x])

# %% second derivative
x = torch.tensor(2., requires_grad=True)
g, = torch.autograd.grad(x ** 3, x, create_graph=True)
g2, = torch.autograd.grad(g, x, create_graph=True)
out = (g, g2, torch.autograd.grad(g2, x))

# %% create_graph in backward
x = torch.tensor(2., requires_grad=True)
(x ** 3).backward(create_graph=True)
out = x.grad.requires_grad

# %% no_grad as a block
x = torch.ones(2, requires_grad=True)
with torch.no_grad(): y = x * 2
out = (y, y.requires_grad, y.is_leaf)

# %% no_grad as a decorator
@torch.no_grad()
def f(x): return x * 2
out = f(torch.ones(2, requires_grad=True))

# %% enable_grad inside no_grad
x = torch.ones(2, requires_grad=True)
with torch.no_grad():
    with torch.enable_grad(): y = x * 2
out = y

# %% set_grad_enabled
x = torch.ones(2, requires_grad=True)
with torch.set_grad_enabled(False): y = x * 2
out = (y, torch.is_grad_enabled())

# %% detach
x = torch.ones(2, requires_grad=True)
y = (x * 2).detach()
out = (y, y.requires_grad)

# %% detach shares memory
x = torch.zeros(2)
y = x.detach()
y[0] = 5
out = x

# %% requires_grad_ both ways
x = torch.ones(2)
x.requires_grad_()
a = repr(x)
x.requires_grad_(False)
out = (a, x)

# %% integers need no gradient
torch.ones(2, dtype=torch.int64, requires_grad=True)

# %% integers cannot be told to
torch.ones(2, dtype=torch.int64).requires_grad_()

# %% a result's flag cannot be cleared
y = torch.ones(2, requires_grad=True) * 2
y.requires_grad = False

# %% leaf or not
x = torch.ones(2, requires_grad=True)
y = x * 2
out = (x.is_leaf, y.is_leaf, (x.detach() * 2).is_leaf, x.grad_fn)

# %% retain_grad without grad
torch.ones(2).retain_grad()

# %% numpy of a tensor with grad
torch.ones(2, requires_grad=True).numpy()

# %% a tensor hook changes the gradient
x = torch.ones(2, requires_grad=True)
y = x * 3
y.register_hook(lambda g: g * 10)
y.sum().backward()
out = x.grad

# %% a removed hook does nothing
x = torch.ones(2, requires_grad=True)
h = x.register_hook(lambda g: g * 10)
h.remove()
x.sum().backward()
out = x.grad

# %% a leaf hook
x = torch.ones(2, requires_grad=True)
x.register_hook(lambda g: g + 1)
x.sum().backward()
out = x.grad

# %% post accumulate hook
seen = []
x = torch.ones(2, requires_grad=True)
x.register_post_accumulate_grad_hook(lambda p: seen.append(p.grad.tolist()))
x.sum().backward()
out = seen

# %% node hooks see gradients
seen = []
x = torch.ones(2, requires_grad=True)
y = x * 3
y.grad_fn.register_hook(lambda gi, go: seen.append((gi[0].tolist(), go[0].tolist())))
y.sum().backward()
out = seen

# %% node pre-hooks change gradients
x = torch.ones(2, requires_grad=True)
y = x * 3
y.grad_fn.register_prehook(lambda go: (go[0] * 2,))
y.sum().backward()
out = x.grad

# %% nodes run in PyTorch's order
seen = []
a = torch.ones(1, requires_grad=True)
b = a * 2
c = a.exp()
d = b + c
e = c * b
f = d * e
for n in (b, c, d, e, f): n.grad_fn.register_prehook(lambda g, n=n: seen.append(type(n.grad_fn).__name__))
f.backward()
out = seen

# %% in place on a leaf
x = torch.ones(2, requires_grad=True)
x.add_(1)

# %% in place on a view of a leaf
x = torch.ones(2, requires_grad=True)
x[0] = 5

# %% in place on a leaf under no_grad
x = torch.ones(2, requires_grad=True)
with torch.no_grad(): x -= 0.5
out = (x, x._version)

# %% a saved tensor was changed
x = torch.ones(2, requires_grad=True)
y = x * 2
z = y * y
y.add_(1)
z.sum().backward()

# %% a saved result was changed
x = torch.ones(2, requires_grad=True)
y = x.exp()
y.add_(1)
y.sum().backward()

# %% an in-place result is part of the graph
x = torch.ones(2, requires_grad=True)
y = x * 2
y.mul_(3)
y.sum().backward()
out = (y, x.grad)

# %% exp_ saves the written memory
x = torch.ones(2, requires_grad=True)
y = x * 2
y.exp_()
y.sum().backward()
out = x.grad

# %% assignment through an index
x = torch.ones(3, requires_grad=True)
y = x * 2
y[1] = 7
y.sum().backward()
out = (y, x.grad)

# %% assignment of a tensor that needs grad
w = torch.tensor([5.], requires_grad=True)
b = torch.zeros(2, 2)
b[0] = w
(b * b).sum().backward()
out = (b, w.grad)

# %% writing through a view
x = torch.ones(2, 2, requires_grad=True)
y = x * 2
row = y[0]
row.mul_(3)
y.sum().backward()
out = (y, x.grad, y.grad_fn.name(), row.grad_fn.name())

# %% writing to a view of a view
x = torch.ones(2, 3, requires_grad=True)
y = x * 2
y[0][1:].mul_(5)
y.sum().backward()
out = (y, x.grad)

# %% a view follows its base
x = torch.ones(2, requires_grad=True)
b = torch.zeros(2)
v = b[0:1]
b.add_(x)
(v * 3).sum().backward()
out = (v, x.grad)

# %% unbound views cannot be written
y = torch.ones(2, 2, requires_grad=True) * 1
a, b = y.unbind(0)
a.mul_(2)

# %% a no_grad view cannot be written
x = torch.ones(2, requires_grad=True)
with torch.no_grad(): v = x[0:1]
v.mul_(2)

# %% versions count writes
x = torch.zeros(2)
v = x[0:1]
x.add_(1)
v.add_(1)
out = (x._version, v._version, x)

# %% masked assignment
x = torch.arange(4.)
x[x > 1] = 0
out = x

# %% index array assignment
x = torch.zeros(4)
x[[0, 2]] = torch.tensor([1., 2.])
out = x

# %% augmented assignment of an entry
x = torch.zeros(2, 2)
x[0, 1] += 3
x[1] *= 2
out = x

# %% in-place dtype
x = torch.zeros(2, dtype=torch.int64)
x += 1.5

# %% in-place shape
x = torch.zeros(2)
x += torch.ones(2, 2)

# %% shapes that do not broadcast
torch.ones(2, 3) + torch.ones(2)

# %% matrix product
torch.ones(2, 3) @ torch.ones(2, 3)

# %% linear
F.linear(torch.ones(2, 3), torch.ones(4, 2), torch.ones(4))

# %% vector product
torch.ones(2) @ torch.ones(3)

# %% matrix and vector
torch.ones(2, 3) @ torch.ones(2)

# %% cat
torch.cat([torch.ones(2, 3), torch.ones(2, 2)])

# %% stack
torch.stack([torch.ones(2), torch.ones(3)])

# %% view
torch.ones(2, 3).view(4)

# %% view of a transpose
torch.ones(2, 3).t().view(6)

# %% reshape
torch.ones(2, 3).reshape(5, -1)

# %% expand
torch.ones(2).expand(3)

# %% dim out of range
torch.ones(2).sum(3)

# %% index out of range
torch.ones(2)[5]

# %% too many indices
torch.ones(2)[0, 0]

# %% item of many
torch.ones(2).item()

# %% truth of many
bool(torch.ones(2))

# %% mean of integers
torch.ones(2, dtype=torch.int64).mean()

# %% an operand that is no number
torch.ones(2) + 'a'

# %% two bools subtracted
torch.tensor([True]) - torch.tensor([False])

# %% integers to a negative power
torch.tensor([2]) ** -1

# %% cross entropy with a wrong class
F.cross_entropy(torch.ones(1, 2), torch.tensor([5]))

# %% cross entropy batch sizes
F.cross_entropy(torch.ones(3, 2), torch.tensor([0, 1]))

# %% a missing tensor
torch.exp(2.0)

# %% ragged lists
torch.tensor([[1, 2], [3]])

# %% assigning a wrong gradient
x = torch.ones(2, requires_grad=True)
x.grad = torch.ones(3)

# %% dtype of mixed arithmetic
out = (torch.ones(2, dtype=torch.int64) * 2.5, torch.ones(2) * torch.ones((), dtype=torch.float64), torch.tensor([1]) / 2)

# %% bool arithmetic
out = (torch.tensor([True, False]) + 1, torch.tensor([True]) * 2.0, torch.tensor([True, True]).sum())

# %% floor division
out = (torch.tensor([7, -7]) // 2, torch.tensor([7., -7.]) // 2)

# %% format of a number
x = torch.tensor(3.14159)
out = (f'{x:.2f}', f'{x}', str(x))

# %% f-string with =
x = torch.tensor([1.], requires_grad=True)
x.sum().backward()
out = f'{x.grad = }'

# %% sizes
x = torch.ones(2, 3)
out = (x.shape, x.size(1), x.numel(), x.dim(), len(x), x.stride(), x.dtype)

# %% lists
out = (torch.tensor([[1, 2], [3, 4]]).tolist(), torch.tensor(2.5).item())

# %% iteration
out = [a + b for a, b in torch.tensor([[1., 2.], [3., 4.]])]

# %% max with a dimension
out = torch.tensor([[1., 5.], [7., 2.]]).max(1)

# %% arange and linspace
out = (torch.arange(5), torch.arange(1, 2, 0.25), torch.linspace(0, 1, 5), torch.eye(2))

# %% tensors of scalars
out = (torch.tensor(1), torch.tensor(1.5), torch.tensor(True), torch.tensor([]), torch.tensor([1, 2.5]))

# %% Tensor with numbers
out = (torch.Tensor([1, 2]), torch.Tensor([[1.5]]))

# %% gradients of cat's gradients are slices, and slices' gradients
x, y = torch.ones(3, requires_grad=True), torch.ones(2, requires_grad=True)
z = torch.cat([x, y])
g, = torch.autograd.grad((z * z).sum(), x, create_graph=True)
h, = torch.autograd.grad((g * g).sum(), x, create_graph=True)
def names(node): return [] if node is None else [node.name(), *(n for f, _ in node.next_functions for n in names(f))]
out = (names(g.grad_fn), names(h.grad_fn))

# %% grad_fn chain
x = torch.ones(2, requires_grad=True)
y = (x * 2 + 1).mean()
out = (y.grad_fn.name(), y.grad_fn.next_functions[0][0].name(), x.grad_fn)

# %% saved attributes
x = torch.tensor([2.], requires_grad=True)
w = torch.tensor([3.], requires_grad=True)
z = x * w
out = (z.grad_fn._saved_self, z.grad_fn._saved_other, x.exp().grad_fn._saved_result)

# %% saved attributes after backward
x = torch.tensor([2.], requires_grad=True)
z = x * x
z.backward()
z.grad_fn._saved_self

# %% stale non-leaf
x = torch.ones(2, requires_grad=True)
x = x * 2
x.sum().backward()
out = x.is_leaf

# %% numpy round trip
a = np.ones((2, 2), dtype=np.float32)
t = torch.from_numpy(a)
a[0, 0] = 5
out = (t, t.numpy().dtype.name)

# %% products of two dtypes name both as C++ does
out = torch.ones(2, 2).long() @ torch.ones(2, 2)

# %% products of a short and a float name both as C++ does
out = torch.mm(torch.ones(2, 2).short(), torch.ones(2, 2))

# %% isclose of two dtypes names both
out = torch.isclose(torch.ones(2), torch.ones(2).half())

# %% masked_fill with a mask of another dtype names it as C++ does
out = torch.ones(2).masked_fill_(torch.ones(2).short(), 1.0)

# %% rms_norm refuses a shape that the input does not end with
out = F.rms_norm(torch.ones(2, 3), [2, 4])

# %% spreads of too few values warn
out = [torch.ones(1).std(), torch.ones(1, 2).var(0), *torch.std_mean(torch.ones(1, 2), 0)]
torch.ones(3).var()

# %% reversing the dimensions of anything but a matrix warns
out = [torch.ones(3).T, torch.ones(1, 2, 3).T.shape, torch.ones(2, 3).T.shape]

# %% a tensor of a list of arrays warns
out = torch.tensor([np.ones(2), np.zeros(2)])

# %% a tensor of an array that must not be written warns
rows = np.broadcast_to(np.array([1.0, 2.0]), (2, 2))
out = [torch.from_numpy(rows), torch.as_tensor(rows), torch.tensor(rows)]

# %% a linear layer is given a tuple
torch.nn.Linear(2, 1)((torch.ones(2), 1))

# %% scores that are no tensor
F.cross_entropy((torch.ones(2, 3),), torch.tensor([0, 1]))

# %% classes that are no tensor
F.cross_entropy(torch.ones(2, 3), [0, 1])

# %% a layer of another dtype than its input
torch.nn.Linear(2, 1)(torch.ones(3, 2, dtype=torch.float64))

# %% a matrix and a vector of two dtypes
torch.ones(2, 3) @ torch.arange(3)

# %% batches of matrices of two dtypes
torch.ones(1, 2, 3) @ torch.ones(1, 3, 2, dtype=torch.float64)

# %% an array of what requires grad, where nothing is recorded
x = torch.ones(2, requires_grad=True)
with torch.no_grad():
    out = x.numpy(), np.asarray(x), np.array(x * 2)

# %% an array of what requires grad, where something is recorded
out = np.asarray(torch.ones(2, requires_grad=True).exp())

# %% a pack hook makes arrays
x = torch.ones(2, requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(lambda t: t.numpy().copy(), torch.from_numpy):
    y = (x * x).sum()
y.backward()
out = x.grad

# %% a diagonal that is a copy
m = torch.arange(4.0).view(2, 2).requires_grad_()
y = m.diag()
y.sum().backward()
out = torch.diag(m), m.diag(1), m.diagonal(), torch.diag(y), m.grad
