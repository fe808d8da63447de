"""Programs in which something cuts the graph: why(tensor) and the findings must name the same cut, at the line with `# <-`."""
#: tensor: whose gradient it cuts
#: code: of the reason
#: finds: the rule of the finding

import numpy as np, torch, torch.nn.functional as F; from torch import nn; torch.manual_seed(0)

# %% a shape as numbers
#: tensor: w
#: code: not_connected
#: finds: loss_not_connected
w = torch.ones(2, 3, requires_grad=True)
t = torch.tensor(w.shape, dtype=torch.float32)
loss = t.sum()
loss.backward()  # <-

# %% length of a tensor
#: tensor: w
#: code: not_connected
#: finds: loss_not_connected
w = torch.ones(2, 3, requires_grad=True)
n = torch.tensor(float(len(w)))
loss = n * 2
loss.backward()  # <-

# %% numbers appended to a list
#: tensor: w
#: code: cut_numbers
#: finds: loss_not_connected
w = torch.tensor(2.0, requires_grad=True)
parts = []
for k in range(3):
    parts.append((w * k).item())  # <-
loss = torch.tensor(parts).sum()
loss.backward()

# %% numbers from a comprehension
#: tensor: w
#: code: cut_numbers
#: finds: loss_not_connected
w = torch.tensor([2.0, 3.0], requires_grad=True)
numbers = [(w * k).sum().item() for k in range(3)]  # <-
loss = torch.tensor(numbers).mean()
loss.backward()

# %% numbers out of a function
#: tensor: w
#: code: cut_numbers
#: finds: loss_not_connected
w = torch.tensor(2.0, requires_grad=True)

def score(v):
    return float(v * 3)  # <-

loss = torch.tensor(score(w))
loss.backward()

# %% full of a number
#: tensor: w
#: code: cut_numbers
#: finds: loss_not_connected
w = torch.tensor(2.0, requires_grad=True)
loss = torch.full((2,), w.item()).sum()  # <-
loss.backward()

# %% full_like of a number of a line before
#: tensor: w
#: code: cut_numbers
#: finds: loss_not_connected
w = torch.tensor(2.0, requires_grad=True)
s = w.item()  # <-
loss = torch.full_like(torch.zeros(3), s).sum()
loss.backward()

# %% a number as a factor
#: tensor: w
#: code: cut_numbers
#: finds: loss_not_connected
w = torch.tensor(2.0, requires_grad=True)
x = torch.ones(3)
loss = (x * w.item()).sum()  # <-
loss.backward()

# %% detach, numpy and back
#: tensor: w
#: code: cut_numbers
#: finds: loss_not_connected
w = torch.tensor([1.0, 2.0], requires_grad=True)
a = np.sin(w.detach().numpy())  # <-
loss = torch.from_numpy(a).sum()
loss.backward()

# %% data, numpy and back
#: tensor: w
#: code: cut_numbers
#: finds: loss_not_connected
w = torch.tensor([1.0, 2.0], requires_grad=True)
a = np.exp(w.data.numpy())  # <-
loss = torch.as_tensor(a).sum()
loss.backward()

# %% new_tensor of a result
#: tensor: w
#: code: cut_copy
#: finds: loss_not_connected
w = torch.tensor([1.0, 2.0], requires_grad=True)
h = w * 2
loss = w.new_tensor(h).sum()  # <-
loss.backward()

# %% int and back
#: tensor: w
#: code: cut_dtype
#: finds: loss_not_connected
w = torch.tensor([1.2, 2.7], requires_grad=True)
loss = (w * 2).to(torch.int32).double().sum()  # <-
loss.backward()

# %% sample instead of rsample
#: tensor: w
#: code: cut_sample
#: finds: loss_not_connected
w = torch.tensor([1.0, 2.0], requires_grad=True)
normal = torch.distributions.Normal(w, torch.ones(2))
loss = normal.sample().pow(2).sum()  # <-
loss.backward()

# %% written in place under no_grad
#: tensor: w
#: code: cut_no_grad
#: finds: loss_not_connected
w = torch.tensor([1.0, 2.0], requires_grad=True)
y = torch.zeros(2)
with torch.no_grad():  # <-
    y[0] = w.sum()
loss = y.sum()
loss.backward()

# %% a mask as the loss
#: tensor: w
#: code: cut_op
#: finds: loss_not_connected
w = torch.tensor([1.0, -2.0], requires_grad=True)
y = torch.zeros(2)
y[w > 0] = 1  # <-
loss = y.sum()
loss.backward()

# %% detach_ on the loss
#: tensor: w
#: code: cut_detach
#: finds: loss_not_connected
w = torch.tensor([1.0, 2.0], requires_grad=True)
loss = (w * 2).sum()
loss.detach_()  # <-
loss.backward()

# %% set_grad_enabled
#: tensor: w
#: code: cut_no_grad
#: finds: loss_not_connected
w = torch.tensor([1.0, 2.0], requires_grad=True)
with torch.set_grad_enabled(False):  # <-
    h = w * 2
loss = h.sum()
loss.backward()

# %% set_grad_enabled for good
#: tensor: w
#: code: cut_no_grad
#: finds: loss_not_connected
w = torch.tensor([1.0, 2.0], requires_grad=True)
torch.set_grad_enabled(False)  # <-
loss = (w * 2).sum()
loss.backward()

# %% a decorated function
#: tensor: w
#: code: cut_no_grad
#: finds: loss_not_connected
@torch.no_grad()  # <-
def forward(w):
    h = w * 2
    return h.sum()

w = torch.tensor([1.0, 2.0], requires_grad=True)
loss = forward(w)
loss.backward()

# %% inference mode around
#: tensor: w
#: code: cut_inference
#: finds: loss_not_connected
w = torch.tensor([1.0, 2.0], requires_grad=True)
with torch.inference_mode():  # <-
    h = w * 2
loss = (h + 1).sum()
loss.backward()

# %% two cuts on two ways
#: tensor: b
#: code: cut_detach
#: finds: loss_not_connected
w = torch.tensor([1.0, 2.0], requires_grad=True)
b = torch.tensor(1.0, requires_grad=True)
base = b.detach()  # <-
with torch.no_grad():
    h = (w * 2).sum()
    h = h + 1
loss = h - base
loss.backward()

# %% argmax of scores in training
#: tensor: net.weight
#: code: cut_op
#: finds: detached_parameter
net = nn.Linear(2, 3)
head = nn.Linear(1, 1)
opt = torch.optim.SGD([*net.parameters(), *head.parameters()], lr=0.1)
x = torch.ones(4, 2)
for k in range(2):
    opt.zero_grad()
    h = net(x).argmax(1, keepdim=True).float()  # <-
    loss = head(h).mean()
    loss.backward()
    opt.step()

# %% a scale through numbers of a function
#: tensor: scale
#: code: cut_numbers
#: finds: detached_parameter
scale = torch.tensor(2.0, requires_grad=True)
w = torch.ones(2, requires_grad=True)
opt = torch.optim.SGD([scale, w], lr=0.1)

def value(s):
    return s.item()  # <-

for k in range(2):
    opt.zero_grad()
    loss = (w * value(scale)).sum()
    loss.backward()
    opt.step()

# %% a scale in a list of numbers
#: tensor: scale
#: code: cut_numbers
#: finds: detached_parameter
scale = torch.tensor(2.0, requires_grad=True)
w = torch.ones(2, requires_grad=True)
opt = torch.optim.SGD([scale, w], lr=0.1)
for k in range(2):
    opt.zero_grad()
    factors = [scale.item(), 1.0]  # <-
    loss = (w * torch.tensor(factors)).sum()
    loss.backward()
    opt.step()

# %% written into a buffer under no_grad in training
#: tensor: w
#: code: cut_no_grad
#: finds: detached_parameter
w = torch.ones(2, requires_grad=True)
v = torch.ones(2, requires_grad=True)
opt = torch.optim.SGD([w, v], lr=0.1)
for k in range(2):
    opt.zero_grad()
    buffer = torch.zeros(2)
    with torch.no_grad():  # <-
        buffer += w
    loss = (buffer * v).sum()
    loss.backward()
    opt.step()

# %% a loss made anew from a list
#: tensor: w
#: code: cut_numbers
#: finds: detached_parameter
w = torch.ones(2, requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1)
losses = []
for k in range(2):
    losses.append((w * k).sum().item())  # <-
loss = torch.tensor(losses, requires_grad=True).mean()
loss.backward()
opt.step()

# %% a loss made anew from a float
#: tensor: w
#: code: cut_numbers
#: finds: loss_recreated
w = torch.ones(2, requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1)
value = float((w * 2).sum())  # <-
loss = torch.tensor(value, requires_grad=True)
loss.backward()
opt.step()

# %% a loss made anew by nn.Parameter
#: tensor: w
#: code: cut_copy
#: finds: loss_recreated
w = torch.ones(2, requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1)
loss = nn.Parameter((w * 2).sum())  # <-
loss.backward()
opt.step()

# %% backward of a number
#: tensor: w
#: code: cut_numbers
#: finds: loss_not_connected
w = torch.ones(2, requires_grad=True)
loss = (w * 2).sum().item()  # <-
loss.backward()

# %% grad of a result whose loss is cut by numbers
#: tensor: w
#: code: cut_numbers
#: finds: grad_is_none
w = torch.ones(2, requires_grad=True)
v = torch.ones(2, requires_grad=True)
s = float((w * 2).sum())  # <-
loss = (v * s).sum()
loss.backward()
print(w.grad.norm())

# %% grad of a leaf cut by a decorated function
#: tensor: w
#: code: cut_no_grad
#: finds: grad_is_none
@torch.no_grad()  # <-
def features(w):
    return w * 2

w = torch.ones(2, requires_grad=True)
v = torch.ones(2, requires_grad=True)
loss = (v * features(w)).sum()
loss.backward()
print(w.grad * 2)

# %% grad of a leaf that is not used
#: tensor: w
#: code: not_connected
#: finds: grad_is_none
w = torch.ones(2, requires_grad=True)
v = torch.ones(2, requires_grad=True)
h = w * 2
loss = (v * 3).sum()
loss.backward()  # <-
print(w.grad * 2)

# %% sampling by multinomial
#: tensor: logits
#: code: cut_op
#: finds: loss_not_connected
logits = torch.zeros(3, requires_grad=True)
p = torch.softmax(logits, 0)
action = torch.multinomial(p, 1)  # <-
loss = action.float().sum()
loss.backward()

# %% a threshold of a prediction
#: tensor: net.weight
#: code: cut_op
#: finds: loss_not_connected
net = nn.Linear(2, 1)
pred = (torch.sigmoid(net(torch.ones(3, 2))) > 0.5).float()  # <-
loss = F.mse_loss(pred, torch.zeros(3, 1))
loss.backward()

# %% a custom function that marks its result
#: tensor: w
#: code: cut_op
#: finds: loss_not_connected
class Hard(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = (x > 0).float()
        ctx.mark_non_differentiable(y)
        return y

    @staticmethod
    def backward(ctx, g):
        return g

w = torch.tensor([1.0, -1.0], requires_grad=True)
loss = Hard.apply(w * 2).sum()  # <-
loss.backward()

# %% several lines in a call
#: tensor: w
#: code: cut_numbers
#: finds: loss_not_connected
w = torch.tensor(2.0, requires_grad=True)
loss = torch.tensor(
    [
        w.item(),  # <-
        1.0,
    ]
).sum()
loss.backward()

# %% a tensor of elements
#: tensor: w
#: code: cut_copy
#: finds: loss_not_connected
w = torch.tensor([2.0, 3.0], requires_grad=True)
loss = torch.tensor([w[0], w[1]]).sum()  # <-
loss.backward()

# %% two statements on a line
#: tensor: w
#: code: not_connected
#: finds: loss_not_connected
w = torch.tensor(2.0, requires_grad=True)
print(w.item()); t = torch.tensor(3.0)
loss = t * 2
loss.backward()  # <-

# %% a log line before a constant
#: tensor: w
#: code: not_connected
#: finds: loss_not_connected
w = torch.tensor(2.0, requires_grad=True)
seen = w.item()
one = torch.tensor(1.0)
loss = one * 2
loss.backward()  # <-

# %% topk indices
#: tensor: w
#: code: cut_op
#: finds: loss_not_connected
w = torch.tensor([2.0, 3.0, 1.0], requires_grad=True)
loss = w.topk(2).indices.float().sum()  # <-
loss.backward()

# %% no_grad in a function that calls a function
#: tensor: w
#: code: cut_no_grad
#: finds: loss_not_connected
def inner(w):
    return w * 2

def outer(w):
    with torch.no_grad():  # <-
        return inner(w)

w = torch.tensor([1.0, 2.0], requires_grad=True)
loss = outer(w).sum()
loss.backward()

# %% a gradient penalty without create_graph
#: tensor: w
#: code: cut_gradient
#: finds: loss_not_connected
w = torch.tensor(2.0, requires_grad=True)
y = w ** 3
(g,) = torch.autograd.grad(y, w)  # <-
loss = g ** 2
loss.backward()

# %% a hidden state that is carried through data
#: tensor: w
#: code: cut_data
#: finds: loss_not_connected
w = torch.tensor(2.0, requires_grad=True)
h = torch.tensor(1.0)
for k in range(3):
    h = (h * w).data  # <-
loss = h.sum()
loss.backward()

# %% both losses of a vector quantizer detach the same side
#: tensor: codebook
#: code: cut_detach
#: finds: detached_parameter
x = torch.randn(32, 3)
encode, codebook = nn.Linear(3, 2), nn.Parameter(torch.randn(5, 2))
opt = torch.optim.SGD([*encode.parameters(), codebook], lr=0.1)
for k in range(3):
    z = encode(x)
    q = codebook[torch.cdist(z, codebook).argmin(1)]
    commitment = F.mse_loss(z, q.detach())
    embedding = F.mse_loss(q.detach(), z)  # <-
    straight = z + (q - z).detach()
    loss = straight.square().mean() + embedding + 0.25 * commitment
    opt.zero_grad(); loss.backward(); opt.step()
