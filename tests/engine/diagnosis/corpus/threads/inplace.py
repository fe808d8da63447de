"""In-place changes that autograd refuses, as people ask about them."""
#: thread: where people asked, and how they called it
#: cause: the kinds of findings that name the cause
#: shows?: true after the broken program, false after the mended one
#: raises?: how the broken program ends
#: missed?: why it is not found today

import copy, math; import numpy as np; import torch; import torch.nn as nn; import torch.nn.functional as F; torch.manual_seed(0)

# %% laterals of a feature pyramid are added in place
#: thread: issue, lyongo/NWPU-MOC: gradient computation problems
#: cause: in_place_on_saved
#: raises: RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation
class FPN(nn.Module):
    def __init__(self):
        super().__init__()
        self.convs = nn.ModuleList([nn.Conv2d(2, 2, 1), nn.Conv2d(2, 2, 1)])

    def forward(self, feats):
        laterals = [F.relu(c(f)) for c, f in zip(self.convs, feats)]
        size = laterals[0].shape[2:]
        laterals[0] += F.interpolate(laterals[1], size=size, mode="nearest")  # <- -
        # + laterals[0] = laterals[0] + F.interpolate(laterals[1], size=size, mode="nearest")
        return laterals

fpn = FPN()
outs = fpn([torch.randn(1, 2, 4, 4), torch.randn(1, 2, 2, 2)])
loss = sum(o.mean() for o in outs)
loss.backward()

# %% the borders of an attention map are set to zero
#: thread: issue, AggMan96/RK-Net: RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation
#: cause: in_place_on_saved
#: raises: RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation
conv = nn.Conv2d(1, 1, 3, padding=1)
att = torch.sigmoid(conv(torch.randn(2, 1, 5, 5)))
# + att = att.clone()
att[:, :, :, 0] = 0  # <-
att[:, :, :, -1] = 0  # <-
att[:, :, 0, :] = 0  # <-
att[:, :, -1, :] = 0  # <-
att.sum().backward()

# %% a residual is added to an activation that sigmoid keeps
#: thread: issue, charlesCXK/RGBD_Semantic_Segmentation_PyTorch: RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation
#: cause: in_place_on_saved
#: raises: RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation
lin1, lin2 = nn.Linear(4, 4), nn.Linear(4, 4)
x = torch.randn(3, 4)
gate = torch.sigmoid(lin1(x))
out = gate * lin2(x)
gate += 1  # <- -
# + gate = gate + 1
loss = (out + gate).mean()
loss.backward()

# %% an in-place ReLU after a tanh
#: thread: issue, osmr/imgclsmob: Inplace ReLU's are unnecessary and wrong
#: cause: in_place_on_saved
#: raises: RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation
net = nn.Sequential(nn.Linear(5, 5), nn.Tanh(), nn.ReLU(inplace=True), nn.Linear(5, 1))  # <- -
# + net = nn.Sequential(nn.Linear(5, 5), nn.Tanh(), nn.ReLU(), nn.Linear(5, 1))
loss = net(torch.randn(7, 5)).pow(2).mean()  # <-
loss.backward()

# %% hidden states are written into one tensor
#: thread: forum, PyTorch forums: RNN cell, in-place assignment into a preallocated tensor
#: cause: in_place_on_saved
#: raises: RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation
W = nn.Parameter(torch.randn(3, 3) * 0.3)
x = torch.randn(4, 2, 3)
# + hs = [torch.zeros(2, 3)]
h = torch.zeros(5, 2, 3)  # -
for t in range(4):
    h[t + 1] = torch.tanh(x[t] + h[t] @ W)  # <- -
    # + hs.append(torch.tanh(x[t] + hs[t] @ W))
# + h = torch.stack(hs)
loss = h.pow(2).sum()
loss.backward()

# %% the generator's step changes weights that the second pass needs
#: thread: issue, tamarott/SinGAN: Fix for PyTorch 1.6
#: cause: in_place_on_saved
#: raises: RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation
G, D = nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 3)), nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
optG, optD = torch.optim.SGD(G.parameters(), lr=0.1), torch.optim.SGD(D.parameters(), lr=0.1)
fake = G(torch.randn(5, 2))
for j in range(3):
    # + fake = G(torch.randn(5, 2))
    optG.zero_grad()
    errG = -D(fake).mean()
    errG.backward(retain_graph=True)  # -
    # + errG.backward()
    optG.step()  # <-

# %% both losses first, then both steps
#: thread: forum, PyTorch forums: one of the variables needed for gradient computation has been modified, actor and critic
#: cause: in_place_on_saved
#: raises: RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation
critic = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1))
actor = nn.Linear(2, 1)
opt_c, opt_a = torch.optim.Adam(critic.parameters(), lr=0.01), torch.optim.Adam(actor.parameters(), lr=0.01)
s, r = torch.randn(6, 2), torch.randn(6, 1)
a = actor(s)
actor_loss = -critic(torch.cat([s, a], 1)).mean()  # -
critic_loss = F.mse_loss(critic(torch.cat([s, a.detach()], 1)), r)
opt_c.zero_grad()
critic_loss.backward()
opt_c.step()  # <-
# + actor_loss = -critic(torch.cat([s, a], 1)).mean()
opt_a.zero_grad()
actor_loss.backward()
opt_a.step()

# %% a parameter is updated in place
#: thread: issue, BaiTheBest/SparseLLM: How to fix this problem?
#: cause: in_place_on_leaf
#: raises: RuntimeError: a leaf Variable that requires grad is being used in an in-place operation.
s_batch = torch.randn(4, 3, requires_grad=True)
s_learning_rate = 0.1
for it in range(3):
    loss_s = (s_batch - 1).pow(2).sum()
    loss_s.backward()
    # + with torch.no_grad():
    # +     s_batch -= s_learning_rate * s_batch.grad
    s_batch -= s_learning_rate * s_batch.grad  # <- -
    s_batch.grad.zero_()

# %% words of an embedding are edited
#: thread: issue, Hunter-DDM/knowledge-neurons: RuntimeError: a view of a leaf Variable that requires grad is being used in an in-place operation.
#: cause: in_place_on_view, in_place_on_leaf
#: raises: RuntimeError: a view of a leaf Variable that requires grad is being used in an in-place operation.
dense = nn.Linear(6, 4)
ori, tgt = torch.randn(4), torch.randn(4)
# + with torch.no_grad():
# +     dense.weight[:, 2] -= ori * 0.5
dense.weight[:, 2] -= ori * 0.5  # <- -
loss = dense(torch.randn(3, 6)).sum()
loss.backward()

# %% weights are copied into a layer
#: thread: issue, PingoLH/FCHarDNet: RuntimeError: a view of a leaf Variable that requires grad is being used in an in-place operation
#: cause: in_place_on_view, in_place_on_leaf
#: raises: RuntimeError: a leaf Variable that requires grad is being used in an in-place operation.
conv = nn.Conv2d(1, 2, 3)
W = torch.randn(2, 1, 3, 3)
conv.weight[:, :, :, :] = W[:, :, :, :]  # <- -
# + conv.weight.data[:, :, :, :] = W[:, :, :, :]
conv(torch.randn(1, 1, 5, 5)).sum().backward()

# %% an in-place ReLU on a parameter
#: thread: issue, zylo117/Yet-Another-EfficientDet-Pytorch: RuntimeError: a leaf Variable that requires grad is being used in an in-place operation.
#: cause: in_place_on_leaf
#: raises: RuntimeError: a leaf Variable that requires grad is being used in an in-place operation.
class Fuse(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(2))
        self.weight_relu = nn.ReLU(inplace=True)  # <- -
        # + self.weight_relu = nn.ReLU()

    def forward(self, a, b):
        weight = self.weight_relu(self.weight)  # <-
        weight = weight / (weight.sum() + 1e-4)
        return weight[0] * a + weight[1] * b

fuse = Fuse()
fuse(torch.randn(3), torch.randn(3)).sum().backward()

# %% the from-scratch update of a tutorial
#: thread: issue, pytorch/examples: [word_language_model] Fix grad in-place operation
#: cause: in_place_on_leaf
#: raises: RuntimeError: a leaf Variable that requires grad is being used in an in-place operation.
model = nn.Linear(3, 2)
lr = 0.1
loss = model(torch.randn(5, 3)).pow(2).mean()
loss.backward()
for p in model.parameters():
    p.add_(p.grad, alpha=-lr)  # <- -
    # + p.data.add_(p.grad, alpha=-lr)

# %% a normalised input is changed after it was used
#: thread: forum, Stack Overflow: output 0 of MulBackward0 is at version 1; expected version 0
#: cause: in_place_on_saved
#: raises: RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation
x = torch.randn(4, requires_grad=True)
y = x * 2
z = y.pow(2)
y /= y.max()  # <- -
# + y = y / y.max()
(z + y).sum().backward()

# %% clamp_ between exp and the loss
#: thread: issue, qianyu-dlut/MVANet: Training error : Relu variables has been modified by an inplace operation
#: cause: in_place_on_saved
#: raises: RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation
net = nn.Linear(4, 2)
log_std = net(torch.randn(6, 4))
std = log_std.exp()
std.clamp_(min=0.1, max=2.0)  # <- -
# + std = std.clamp(min=0.1, max=2.0)
loss = (std**2).mean()
loss.backward()

# %% an embedding with max_norm writes the weight that a product has saved
#: thread: issue, pytorch/pytorch: nn.Embedding with max_norm shows unstable behavior and causes sometimes runtime error
#: cause: in_place_on_saved
#: raises: RuntimeError
embedding = nn.Embedding(3, 5, max_norm=1.0)
W = torch.randn(7, 5, requires_grad=True)
idx = torch.tensor([1, 2])
a = embedding.weight @ W.t()  # -
# + a = embedding.weight.clone() @ W.t()
b = embedding(idx) @ W.t()  # <-
(a.unsqueeze(0) + b.unsqueeze(1)).sigmoid().mean().backward()
