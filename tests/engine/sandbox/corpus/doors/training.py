"""Modules, optimizers, schedules, data and transforms, with what a program hooks into them."""
#: ends: ok, policy, too_large, error and its type, or any where that depends on the machine
#: prints*: what it prints, a line each

if __name__: raise SystemExit("these programs may do harm: `python -m tests.corpus FILE::NAME` runs one shut in")

# %% a forward hook that removes itself and the others
#: ends: ok
#: prints: once
#: prints: once
import torch
m = torch.nn.Linear(2, 2)
handles = []
def hook(*a):
    for h in handles: h.remove()
    print('once')
handles += [m.register_forward_hook(hook), m.register_forward_hook(hook)]
m(torch.ones(1, 2))
m(torch.ones(1, 2))

# %% a forward hook that takes the module apart
#: ends: ok
#: prints: dictionary changed size during iteration
#: prints: 0
import torch
m = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.ReLU(), torch.nn.Linear(2, 2))
def hook(module, args, out):
    m._modules.clear()
m[0].register_forward_hook(hook)
try:
    print(m(torch.ones(1, 2)).shape)
except RuntimeError as e:
    print(e)
print(len(m))

# %% a forward hook that calls its module without end
#: ends: error RecursionError
import torch
m = torch.nn.Linear(2, 2)
m.register_forward_hook(lambda module, args, out: module(*args))
m(torch.ones(1, 2))

# %% a forward hook that gives something else
#: ends: ok
#: prints: else
import torch
m = torch.nn.Linear(2, 2)
m.register_forward_hook(lambda module, args, out: 'else')
print(m(torch.ones(1, 2)))

# %% a hook before forward that changes the arguments
#: ends: error TypeError
import torch
m = torch.nn.Linear(2, 2)
m.register_forward_pre_hook(lambda module, args: (1, 2, 3, 4))
m(torch.ones(1, 2))

# %% a backward hook that changes the parameters
#: ends: any
import torch
m = torch.nn.Linear(2, 2)
def hook(module, gin, gout):
    with torch.no_grad():
        module.weight.zero_()
m.register_full_backward_hook(hook)
m(torch.ones(1, 2, requires_grad=True)).sum().backward()
print(m.weight.grad is not None)

# %% a backward hook that gives too many gradients
#: ends: error RuntimeError
import torch
m = torch.nn.Linear(2, 2)
m.register_full_backward_hook(lambda module, gin, gout: (gin[0], gin[0], gin[0]))
m(torch.ones(1, 2, requires_grad=True)).sum().backward()

# %% a hook of state_dict that empties it
#: ends: ok
#: prints: 0
import torch
m = torch.nn.Linear(2, 2)
m._register_state_dict_hook(lambda module, state, prefix, local: state.clear())
print(len(m.state_dict()))

# %% a hook of load_state_dict that changes keys meanwhile
#: ends: ok
#: prints: 2
import torch
m = torch.nn.Linear(2, 2)
def hook(state, prefix, *rest):
    state.clear()
m._register_load_state_dict_pre_hook(hook)
print(len(m.load_state_dict(m.state_dict(), strict=False).missing_keys))

# %% a state that is no state
#: ends: error TypeError
import torch
torch.nn.Linear(2, 2).load_state_dict(5)

# %% parameters that change while they are walked
#: ends: error RuntimeError
import torch
m = torch.nn.Linear(2, 2)
for name, p in m.named_parameters():
    m.register_parameter(f'{name}_', torch.nn.Parameter(torch.ones(1)))

# %% apply whose function removes the children
#: ends: any
import torch
m = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 2))
def f(module):
    m._modules.clear()
m.apply(f)
print(len(m))

# %% _apply whose function gives no tensors
#: ends: any
import torch
m = torch.nn.Linear(2, 2)
m._apply(lambda t: t.double())
print(m.weight.dtype)

# %% attributes of a module read by a property that removes it
#: ends: error AttributeError
import torch
class M(torch.nn.Module):
    def __getattr__(self, name):
        self._modules.clear()
        return super().__getattr__(name)
m = M()
m.a = torch.nn.Linear(2, 2)
m.a

# %% a module shown by an extra_repr that empties it
#: ends: ok
#: prints: M(x)
import torch
class M(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.a = torch.nn.ReLU()
    def extra_repr(self):
        self._modules.clear()
        return 'x'
print(M())

# %% an optimizer's closure that steps without end
#: ends: error RecursionError
import torch
x = torch.ones(2, requires_grad=True)
o = torch.optim.LBFGS([x])
def closure():
    return o.step(closure)
o.step(closure)

# %% an optimizer's closure that takes the parameters away
#: ends: any
import torch
x = torch.ones(2, requires_grad=True)
o = torch.optim.LBFGS([x], max_iter=3)
def closure():
    o.param_groups[0]['params'].clear()
    loss = (x * x).sum()
    loss.backward()
    return loss
print(o.step(closure))

# %% an optimizer's closure that gives parameters another shape
#: ends: any
import torch
x = torch.ones(2, requires_grad=True)
o = torch.optim.SGD([x], lr=0.1, momentum=0.9)
def closure():
    x.data = torch.ones(5)
    x.grad = torch.ones(5)
    return 1.0
o.step(closure)
o.step(closure)
print(x.shape)

# %% an optimizer's hook that empties its groups
#: ends: ok
#: prints: tensor([1., 1.], requires_grad=True)
import torch
x = torch.ones(2, requires_grad=True)
x.grad = torch.ones(2)
o = torch.optim.SGD([x], lr=0.1)
o.register_step_pre_hook(lambda *a: o.param_groups.clear())
o.step()
print(x)

# %% an optimizer's state of numbers that call back
#: ends: any
import torch
class F(float):
    def __mul__(self, other):
        o.state.clear()
        return 1.0
    __rmul__ = __mul__
x = torch.ones(2, requires_grad=True)
x.grad = torch.ones(2)
o = torch.optim.Adam([x], lr=F(0.1))
o.step()
o.step()
print(len(o.state))

# %% a schedule whose function changes the optimizer
#: ends: any
import torch
x = torch.ones(2, requires_grad=True)
o = torch.optim.SGD([x], lr=0.1)
def f(epoch):
    if epoch:
        o.param_groups.clear()
    return 1.0
s = torch.optim.lr_scheduler.LambdaLR(o, f)
o.step()
s.step()
print(len(o.param_groups))

# %% a schedule whose function steps without end
#: ends: error RecursionError
import torch
x = torch.ones(2, requires_grad=True)
o = torch.optim.SGD([x], lr=0.1)
s = None
def f(epoch):
    if s is not None:
        s.step()
    return 1.0
s = torch.optim.lr_scheduler.LambdaLR(o, f)
s.step()

# %% a dataset that lies about its length
#: ends: error IndexError
import torch
class D(torch.utils.data.Dataset):
    def __len__(self): return 100
    def __getitem__(self, k): return [1.0][k]
for batch in torch.utils.data.DataLoader(D(), batch_size=2):
    pass

# %% a dataset of negative length
#: ends: error ValueError
import torch
class D(torch.utils.data.Dataset):
    def __len__(self): return -5
    def __getitem__(self, k): return 1.0
len(torch.utils.data.DataLoader(D()))

# %% a dataset that empties itself while it is read
#: ends: ok
#: prints: torch.Size([3])
#: prints: torch.Size([1])
import torch
items = [1.0, 2.0, 3.0, 4.0]
class D(torch.utils.data.Dataset):
    def __len__(self): return len(items)
    def __getitem__(self, k):
        return items.pop()
for batch in torch.utils.data.DataLoader(D(), batch_size=3):
    print(batch.shape)

# %% a collate function that changes its batch
#: ends: ok
#: prints: [2, 1]
import torch
def collate(batch):
    n = len(batch)
    batch.clear()
    return n
print(list(torch.utils.data.DataLoader([1, 2, 3], batch_size=2, collate_fn=collate)))

# %% a collate function that loads without end
#: ends: error RecursionError
import torch
def collate(batch): return list(loader)
loader = torch.utils.data.DataLoader([1, 2, 3], collate_fn=collate)
list(loader)

# %% a sampler that samples what is not there
#: ends: error IndexError
import torch
class S(torch.utils.data.Sampler):
    def __init__(self): pass
    def __iter__(self): return iter([10 ** 9])
    def __len__(self): return 1
list(torch.utils.data.DataLoader([1, 2, 3], sampler=S()))

# %% a sampler that changes the data
#: ends: error IndexError
import torch
data = [1, 2, 3]
class S(torch.utils.data.Sampler):
    def __init__(self): pass
    def __iter__(self):
        yield 0
        data.clear()
        yield 1
    def __len__(self): return 3
list(torch.utils.data.DataLoader(data, sampler=S()))

# %% a worker's start that is never called in one process
#: ends: ok
#: prints: 2
import torch
print(len(list(torch.utils.data.DataLoader([1, 2], num_workers=0, worker_init_fn=lambda k: print('started')))))

# %% a checkpoint whose function changes its inputs when it runs again
#: ends: any
import torch
from torch.utils.checkpoint import checkpoint
n = []
def f(x):
    n.append(1)
    return x * len(n)
x = torch.ones(3, requires_grad=True)
checkpoint(f, x, use_reentrant=False).sum().backward()
print(len(n))

# %% a checkpoint whose second run has another shape
#: ends: error RuntimeError
import torch
from torch.utils.checkpoint import checkpoint
n = []
def f(x):
    n.append(1)
    return (x[:1] if len(n) > 1 else x).exp().exp()
x = torch.ones(3, requires_grad=True)
checkpoint(f, x, use_reentrant=False).sum().backward()

# %% a checkpoint whose second run goes backward itself
#: ends: any
import torch
from torch.utils.checkpoint import checkpoint
n = []
def f(x):
    n.append(1)
    y = x.exp()
    if len(n) == 2:
        loss.backward()
    return y.exp()
x = torch.ones(3, requires_grad=True)
loss = checkpoint(f, x, use_reentrant=False).sum()
loss.backward()
print(len(n))

# %% a checkpoint's contexts that are none
#: ends: any
import torch
from torch.utils.checkpoint import checkpoint
x = torch.ones(3, requires_grad=True)
print(checkpoint(torch.exp, x, use_reentrant=False, context_fn=lambda: (1, 2)).shape)

# %% grad of a function that keeps its inputs
#: ends: ok
#: prints: tensor([2., 2., 2.])
#: prints: torch.Size([3])
import torch
kept = []
def f(x):
    kept.append(x)
    return (x * x).sum()
print(torch.func.grad(f)(torch.ones(3)))
print((kept[0] + 1).shape)

# %% grad of a function that gives no number
#: ends: error RuntimeError
import torch
torch.func.grad(lambda x: x)(torch.ones(3))

# %% vmap of a function that keeps its inputs
#: ends: any
import torch
kept = []
def f(x):
    kept.append(x)
    return x * 2
print(torch.func.vmap(f)(torch.ones(3, 2)).shape)
print(kept[0].shape)

# %% vmap of a function that changes the whole
#: ends: any
import torch
x = torch.ones(3, 2)
def f(row):
    x.zero_()
    return row * 2
print(torch.func.vmap(f)(x).shape)

# %% vmap of a function that looks at a value
#: ends: any
import torch
print(torch.func.vmap(lambda x: x if x.sum() > 0 else -x)(torch.ones(3, 2)).shape)

# %% vmap of a function that gives no tensor
#: ends: error ValueError
import torch
torch.func.vmap(lambda x: 'no')(torch.ones(3, 2))

# %% jacrev of a function that calls it without end
#: ends: error RecursionError
import torch
def f(x): return torch.func.jacrev(f)(x)
torch.func.jacrev(f)(torch.ones(2))

# %% jvp of a function that changes its input in place
#: ends: any
import torch
def f(x):
    x.mul_(2)
    return x.sum()
print(torch.func.jvp(f, (torch.ones(2),), (torch.ones(2),))[0])

# %% functional_call with parameters of other shapes
#: ends: error RuntimeError
import torch
m = torch.nn.Linear(2, 2)
torch.func.functional_call(m, {'weight': torch.ones(7, 7)}, (torch.ones(1, 2),))

# %% functional_call whose module calls itself with others
#: ends: ok
#: prints: tensor([3.]) 1.0
import torch
class M(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.w = torch.nn.Parameter(torch.ones(1))
    def forward(self, n):
        return self.w * n if n == 0 else torch.func.functional_call(self, {'w': self.w + 1}, (n - 1,)) + self.w
m = M()
print(torch.func.functional_call(m, {'w': torch.zeros(1)}, (3,)), m.w.item())

# %% functional_call whose module raises, and is whole afterwards
#: ends: ok
#: prints: 1.0 Parameter
import torch
class M(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.w = torch.nn.Parameter(torch.ones(1))
    def forward(self):
        raise KeyError(1)
m = M()
try:
    torch.func.functional_call(m, {'w': torch.zeros(1)}, ())
except KeyError:
    print(m.w.item(), type(m.w).__name__)

# %% a parametrized module whose hook puts names on it
#: ends: policy
import torch
m = torch.nn.Linear(2, 2)
m.register_forward_hook(lambda module, *a: setattr(module, '__array_interface__', {}))
m(torch.ones(1, 2))

# %% a pruned list of modules walked meanwhile
#: ends: error RuntimeError
import torch
m = torch.nn.ModuleList([torch.nn.ReLU(), torch.nn.ReLU()])
for child in m:
    m.append(torch.nn.ReLU())
    if len(m) > 10:
        raise RuntimeError

# %% gradcheck of a function that changes its inputs
#: ends: any
import torch
def f(x):
    with torch.no_grad():
        x.add_(1)
    return (x * x).sum()
print(torch.autograd.gradcheck(f, torch.ones(2, dtype=torch.float64, requires_grad=True), raise_exception=False))

# %% averaged weights whose function gives no tensor
#: ends: any
import torch
m = torch.nn.Linear(1, 1)
a = torch.optim.swa_utils.AveragedModel(m, avg_fn=lambda averaged, current, n: averaged)
a.update_parameters(m)
a.update_parameters(m)
print(a.n_averaged)

# %% an initialisation that changes what it fills
#: ends: any
import torch
class F(float):
    def __float__(self):
        t.data = torch.zeros(2)
        return 1.0
t = torch.zeros(100)
torch.nn.init.constant_(t, F(1))
print(t.shape)

# %% saved things that change while they are saved
#: ends: ok
#: prints: tensor([1., 1.])
import torch
class D(dict): pass
kept = {'a': torch.ones(2)}
torch.save(kept, 'x')
kept['a'].zero_()
print(torch.load('x')['a'])

# %% a module that says it is parametrized in a name of its class
#: ends: ok
#: prints: ValueError
#: prints: ValueError
#: prints: AttributeError
#: prints: torch.Size([1, 2])
import torch
from torch.nn.utils import parametrize, parametrizations
class Says(torch.nn.ModuleDict):
    def __contains__(self, name): return True
    def __len__(self): return 1
plain, made = torch.nn.Linear(2, 2), parametrizations.weight_norm(torch.nn.Linear(2, 2))
class Given(torch.nn.Module):
    def forward(self, x):
        print('REACHED', x)
        return x
for module, name in ((plain, 'forward'), (made, 'forward'), (made, '__dict__')):
    module.parametrizations = Says()
    try:
        if name == '__dict__': parametrize.register_parametrization(module, name, Given())
        else: parametrize.remove_parametrizations(module, name)
    except Exception as e:
        print(type(e).__name__)
print(torch.nn.Linear(2, 2)(torch.ones(1, 2)).shape)

# %% a parametrization that is copied by a memo of its own
#: ends: ok
#: prints: Kept
#: prints: True
import copy
import torch
from torch.nn.utils import parametrize
class Kept(torch.nn.Module):
    def forward(self, x): return x * 2
    def __deepcopy__(self, memo):
        for key in list(memo): memo[key] = {'_modules': 5}
        return self
m = torch.nn.Linear(2, 2)
parametrize.register_parametrization(m, 'weight', Kept())
n = copy.deepcopy(m)
print(type(n.parametrizations.weight[0]).__name__)
print(torch.equal(n.weight, m.weight) and n.parametrizations.weight.original is not m.parametrizations.weight.original)

# %% a parametrization that takes itself away while it is asked
#: ends: ok
#: prints: KeyError
#: prints: True
import torch
from torch.nn.utils import parametrize
class Away(torch.nn.Module):
    asked = 0
    def forward(self, x):
        Away.asked += 1
        if Away.asked > 1: del m.parametrizations['weight']
        return x * 2
m = torch.nn.Linear(2, 2)
parametrize.register_parametrization(m, 'weight', Away())
m(torch.ones(1, 2))
try:
    m.weight
except Exception as e:
    print(type(e).__name__)
print(parametrize.is_parametrized(m) is False)

# %% a model of torchvision that is built of what the program makes, and taken apart meanwhile
#: ends: ok
#: prints: AttributeError
#: prints: True
#: prints: torch.Size([1, 3])
import torch
from torchvision.models.resnet import BasicBlock, ResNet
made = []
class Net(ResNet):
    def __init__(self, norm): super().__init__(BasicBlock, [1, 1, 1, 1], num_classes=3, norm_layer=norm)
def norm(n):
    layer = torch.nn.BatchNorm2d(n)
    made.append(layer)
    return layer
class Away:
    def __init__(self, n): pass
try:
    Net(Away)(torch.ones(1, 3, 32, 32))
except Exception as e:
    print('AttributeError' if isinstance(e, (AttributeError, TypeError)) else type(e))
net = Net(norm)
print(len(made) > 5)
net.layer4[0].bn1.register_forward_hook(lambda *a: made.clear())
print(net.eval()(torch.ones(1, 3, 32, 32)).shape)

# %% names of a program's own, private ones among them, by which its modules' tensors are found
#: ends: ok
#: prints: tensor([2., 2.]) (2, 2) (2, 2) [1.0, 0.0]
#: prints: tensor([3., 3.]) tensor([1., 1.]) True
import torch, warnings
from torch import nn
warnings.simplefilter('ignore')
class M(nn.Module):
    def __init__(self, *shape):
        super().__init__()
        self._w = nn.Parameter(torch.ones(*shape))
    def forward(self): return self._w
class Twice(nn.Module):
    def forward(self, x): return x * 2
m = M(2)
nn.utils.parametrize.register_parametrization(m, '_w', Twice())
normed = [f(M(2, 2), '_w')() for f in (nn.utils.weight_norm, nn.utils.spectral_norm)]
pruned = M(2)
nn.utils.prune.custom_from_mask(pruned, '_w', torch.tensor([1, 0]))
print(m().detach(), *(tuple(n.shape) for n in normed), pruned().tolist())
kept = nn.ParameterDict({'_w': torch.ones(2), 'format': torch.ones(2), 'base': torch.ones(2)})
other = M(2)
found = torch.func.functional_call(other, {'_w': 3 * torch.ones(2), 'scale': 5}, ())
compiled = torch.compile(other)
print(found, kept['_w'].detach() * kept['format'].detach(), compiled._w is other._w and not hasattr(compiled, '_v'))

# %% a schedule of an object, which keeps what it has counted
#: ends: ok
#: prints: {'_seen': 2, 'base': 0.5} 7 {} 0.05
import functools, torch
class Factor:
    def __init__(self): self._seen, self.base = 0, 0.5
    def __call__(self, epoch):
        self._seen += 1
        return self.base ** epoch
p = torch.nn.Parameter(torch.ones(1))
f = Factor()
o = torch.optim.SGD([p], lr=0.1)
s = torch.optim.lr_scheduler.LambdaLR(o, f)
o.step()
s.step()
state = s.state_dict()
state['lr_lambdas'][0]['_seen'] = 7
s.load_state_dict(state)
half = functools.partial(pow, 0.5)
other = torch.optim.lr_scheduler.LambdaLR(torch.optim.SGD([p], lr=0.1), half)
print({**state['lr_lambdas'][0], '_seen': 2}, f._seen, other.state_dict()['lr_lambdas'][0], o.param_groups[0]['lr'])

# %% classes of data that are modules, and places of their own
#: ends: ok
#: prints: Net 3 7 {'depth': 3, 'width': 2} [('add', 1)]
from dataclasses import dataclass
import torch
from torch import nn
from sklearn.base import BaseEstimator
@dataclass(eq=False)
class Net(nn.Module):
    _width: int
    depth: int = 3
    def __post_init__(self): super().__init__()
class Marked(nn.Parameter):
    __slots__ = ('_mark',)
class Model(BaseEstimator):
    def __init__(self, depth=1, width=2): self.depth, self.width = depth, width
t = Marked(torch.ones(2))
t._mark = 7
with torch.profiler.profile() as profile:
    torch.ones(2) + 1
rows = [(e.key.removeprefix('aten::'), e.count) for e in profile.key_averages() if 'add' in e.key]
profile.key_averages().table(sort_by='cpu_time_total', row_limit=3)
print(type(Net(5)).__name__, Net(5).depth, t._mark, Model().set_params(depth=3).get_params(), rows)

# %% the states of all schedules, which begin where others ended
#: ends: ok
#: prints: True 15 []
import torch, warnings
from torch.optim import lr_scheduler as schedules
warnings.simplefilter('ignore')
def optimizer(): return torch.optim.SGD([torch.nn.Parameter(torch.ones(1))], lr=0.1, momentum=0.9)
def two(o): return [schedules.StepLR(o, 1), schedules.ExponentialLR(o, 0.5)]
ways = [
    lambda o: schedules.LambdaLR(o, lambda e: 0.9 ** e), lambda o: schedules.MultiplicativeLR(o, lambda e: 0.9),
    lambda o: schedules.StepLR(o, 2), lambda o: schedules.MultiStepLR(o, [1, 3]), lambda o: schedules.ConstantLR(o),
    lambda o: schedules.LinearLR(o), lambda o: schedules.ExponentialLR(o, 0.5), lambda o: schedules.PolynomialLR(o),
    lambda o: schedules.CosineAnnealingLR(o, 5), lambda o: schedules.CyclicLR(o, 0.01, 0.1, scale_fn=lambda x: 0.5),
    lambda o: schedules.OneCycleLR(o, 0.1, 20), lambda o: schedules.CosineAnnealingWarmRestarts(o, 3),
    lambda o: schedules.SequentialLR(o, two(o), [2]), lambda o: schedules.ChainedScheduler(two(o)),
    lambda o: torch.optim.swa_utils.SWALR(o, 0.05),
]
wrong = []
for k, way in enumerate(ways):
    first, second = optimizer(), optimizer()
    one, other = way(first), way(second)
    for _ in range(3):
        first.step()
        one.step()
    other.load_state_dict(one.state_dict())
    if other.get_last_lr() != one.get_last_lr() or getattr(other, 'last_epoch', 0) != getattr(one, 'last_epoch', 0):
        wrong.append(k)
plateau = schedules.ReduceLROnPlateau(optimizer())
plateau.step(1.0)
again = schedules.ReduceLROnPlateau(optimizer())
again.load_state_dict(plateau.state_dict())
print(again.best == 1.0, len(ways), wrong)
