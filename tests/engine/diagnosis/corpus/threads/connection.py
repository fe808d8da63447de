"""Losses that lead to no parameter, and tensors without a gradient, as people ask about them."""
#: thread: where people asked, and how they called it
#: cause: the kinds of findings that name the cause
#: shows?: true after the broken program, false after the mended one
#: raises?: how the broken program ends
#: missed?: why it is not found today

import copy, math; import numpy as np; import torch; import torch.nn as nn; import torch.nn.functional as F; torch.manual_seed(0)

# %% the output is taken as data
#: thread: issue, huggingface/torchMoji: loss don't go down when finetune and about requires_grad option in backward()
#: cause: loss_recreated, no_gradient, detached_parameter, loss_not_connected
#: shows: model.out.weight.grad is None
class Moji(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb, self.out = nn.Embedding(20, 8), nn.Linear(8, 2)

    def forward(self, tokens):
        outputs = self.out(self.emb(tokens).mean(1))
        outputs = outputs.data  # <- -
        return outputs

model = Moji()
optimizer = torch.optim.Adam(model.parameters())
tokens, labels = torch.randint(0, 20, (6, 5)), torch.randint(0, 2, (6,))
for epoch in range(3):
    optimizer.zero_grad()
    loss = F.cross_entropy(model(tokens), labels)
    loss = torch.autograd.Variable(loss, requires_grad=True)  # <- -
    loss.backward()
    optimizer.step()

# %% log probabilities collected in a tensor
#: thread: issue, Quantum-Cheese/DeepReinforcementLearning_Pytorch: Lose of gradient in log_probs
#: cause: loss_not_connected, loss_recreated, no_gradient
#: raises: RuntimeError: element 0 of tensors does not require grad and does not have a grad_fn
policy = nn.Linear(4, 2)
optimizer = torch.optim.Adam(policy.parameters())
memory = []
for t in range(5):
    state = torch.randn(4)
    probs = F.softmax(policy(state), dim=-1)
    action = torch.multinomial(probs, 1).item()
    memory.append((torch.log(probs[action]), 1.0))
log_probs = torch.tensor([m[0] for m in memory], dtype=torch.float)  # <- -
# + log_probs = torch.stack([m[0] for m in memory])
rewards = torch.tensor([m[1] for m in memory])
loss = -(log_probs * rewards).sum()
optimizer.zero_grad()
loss.backward()
optimizer.step()

# %% requires_grad set on the loss itself
#: thread: issue, roman-vygon/triplet_loss_kws: Torch autograd expects Variable with requires_grad set to True
#: cause: loss_recreated, no_gradient, detached_parameter
#: shows: net.weight.grad is None
net = nn.Linear(6, 3)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
anchor, positive, negative = torch.randn(8, 6), torch.randn(8, 6), torch.randn(8, 6)
for i in range(3):
    with torch.no_grad():  # <- -
        a, p, n = net(anchor), net(positive), net(negative)  # -
    # + a, p, n = net(anchor), net(positive), net(negative)
    losses = F.relu((a - p).pow(2).sum(1) - (a - n).pow(2).sum(1) + 1.0)
    mean_losses = losses.mean()
    if not mean_losses.requires_grad:
        mean_losses.requires_grad = True  # <-
    optimizer.zero_grad()
    mean_losses.backward()
    optimizer.step()

# %% argmax in the loss
#: thread: issue, pytorch/pytorch: Backprop through argmax
#: cause: no_gradient, detached_parameter, zero_derivative
#: shows: all(p.grad is None for p in first.parameters())
first, second = nn.Linear(5, 4), nn.Linear(4, 1)
optimizer = torch.optim.SGD([*first.parameters(), *second.parameters()], lr=0.1)
x, y = torch.randn(10, 5), torch.randn(10, 1)
for i in range(3):
    y_p = first(x)
    y_p = F.one_hot(torch.max(y_p, 1)[1], 4).float()  # <- -
    # + y_p = F.softmax(y_p, dim=1)
    loss = F.mse_loss(second(y_p), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# %% accuracy as the loss
#: thread: forum, Stack Overflow: element 0 of tensors does not require grad when I minimise 1 - accuracy
#: cause: loss_not_connected, no_gradient
#: raises: RuntimeError: element 0 of tensors does not require grad and does not have a grad_fn
model = nn.Linear(4, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(12, 4), torch.randint(0, 3, (12,))
outputs = model(x)
accuracy = (outputs.argmax(1) == y).float().mean()  # <- -
loss = 1 - accuracy  # -
# + loss = F.cross_entropy(outputs, y)
optimizer.zero_grad()
loss.backward()
optimizer.step()

# %% rounded predictions
#: thread: forum, PyTorch forums: Gradients are all zero with torch.round in my loss
#: cause: zero_derivative
#: shows: bool((model.weight.grad == 0).all())
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(12, 4), torch.randint(0, 2, (12, 1)).float()
for i in range(3):
    prob = torch.sigmoid(model(x))
    pred = torch.round(prob)  # <- -
    # + pred = prob
    loss = F.mse_loss(pred, y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# %% a threshold in a dice loss
#: thread: issue, Ugenteraan/Deep_Hierarchical_Classification: Gradient unable to backprop if we use argmax or torch.where
#: cause: loss_not_connected, no_gradient
#: raises: RuntimeError: element 0 of tensors does not require grad and does not have a grad_fn
net = nn.Conv2d(1, 1, 3, padding=1)
image, mask = torch.randn(2, 1, 6, 6), torch.randint(0, 2, (2, 1, 6, 6)).float()

def dice_loss(logits, target):
    pred = (torch.sigmoid(logits) > 0.5).float()  # <- -
    # + pred = torch.sigmoid(logits)
    inter = (pred * target).sum()
    return 1 - 2 * inter / (pred.sum() + target.sum() + 1e-6)

loss = dice_loss(net(image), mask)
loss.backward()

# %% the loss is computed with numpy
#: thread: issue, zhuangdizhu/FedGen: Can't call numpy() on Tensor that requires grad
#: cause: numpy_of_tracked
#: raises: RuntimeError: Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.
model = nn.Linear(3, 1)
test_samples = [4, 6]
test_losses = [F.mse_loss(model(torch.randn(n, 3)), torch.randn(n, 1)) for n in test_samples]
glob_loss = np.sum([n * l.numpy() for n, l in zip(test_samples, test_losses)]) / 10  # <- -
# + glob_loss = np.sum([n * l.detach().numpy() for n, l in zip(test_samples, test_losses)]) / 10
print(round(float(glob_loss), 4))

# %% the network goes through numpy and back
#: thread: forum, PyTorch forums: Loss does not decrease after using scipy in forward
#: cause: no_gradient, detached_parameter
#: shows: enc.weight.grad is None
enc, dec = nn.Linear(4, 3), nn.Linear(3, 4)
optimizer = torch.optim.Adam([*enc.parameters(), *dec.parameters()], lr=0.01)
x = torch.randn(10, 4)
for i in range(4):
    code = enc(x)
    code = torch.from_numpy(np.tanh(code.detach().numpy()))  # <- -
    # + code = torch.tanh(code)
    loss = F.mse_loss(dec(code), x)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# %% item() of a regulariser's strength
#: thread: forum, Stack Overflow: learnable weight of a loss term is never updated
#: cause: no_gradient, detached_parameter
#: shows: log_var.grad is None
model = nn.Linear(3, 2)
log_var = nn.Parameter(torch.zeros(2))
optimizer = torch.optim.Adam([*model.parameters(), log_var], lr=0.01)
x, y = torch.randn(10, 3), torch.randn(10, 2)
for i in range(3):
    out = model(x)
    loss = 0
    for k in range(2):
        precision = math.exp(-log_var[k].item())  # <- -
        # + precision = torch.exp(-log_var[k])
        loss = loss + precision * F.mse_loss(out[:, k], y[:, k])
        # + loss = loss + log_var[k]
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# %% weights are rebuilt in forward
#: thread: issue, rballester/tntorch: Usage with Pytorch optimizers using nn.Parameter
#: cause: no_gradient, detached_parameter
#: shows: net.scale.grad is None
class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(3))
        self.lin = nn.Linear(3, 1)

    def forward(self, x):
        s = torch.tensor([float(v) for v in self.scale])  # <- -
        # + s = self.scale
        return self.lin(x * s)

net = Scaled()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x, y = torch.randn(9, 3), torch.randn(9, 1)
for i in range(3):
    opt.zero_grad()
    F.mse_loss(net(x), y).backward()
    opt.step()

# %% grad mode stays off after validation
#: thread: forum, PyTorch forums: element 0 of tensors does not require grad in the second epoch
#: cause: loss_not_connected, no_gradient
#: raises: RuntimeError: element 0 of tensors does not require grad and does not have a grad_fn
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, y, xv, yv = torch.randn(8, 4), torch.randn(8, 1), torch.randn(4, 4), torch.randn(4, 1)
for epoch in range(2):
    loss = F.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    torch.set_grad_enabled(False)  # <- -
    # + torch.set_grad_enabled(False)
    print("val", F.mse_loss(model(xv), yv).item())
    # + torch.set_grad_enabled(True)

# %% the training step is decorated with no_grad
#: thread: forum, Stack Overflow: RuntimeError element 0 of tensors does not require grad, decorator
#: cause: loss_not_connected, no_gradient
#: raises: RuntimeError: element 0 of tensors does not require grad and does not have a grad_fn
model = nn.Linear(4, 1)
# + def compute_loss(batch):
@torch.no_grad()  # <- -
def compute_loss(batch):  # -
    x, y = batch
    return F.mse_loss(model(x), y)

optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loss = compute_loss((torch.randn(5, 4), torch.randn(5, 1)))
loss.backward()
optimizer.step()

# %% everything is frozen
#: thread: issue, weizheliu/People-Flows: RuntimeError: element 0 of tensors does not require grad and does not have a grad_fn
#: cause: loss_not_connected, no_gradient
#: raises: RuntimeError: element 0 of tensors does not require grad and does not have a grad_fn
model = nn.Sequential(nn.Linear(6, 6), nn.ReLU(), nn.Linear(6, 2))
for param in model.parameters():
    param.requires_grad = False  # <-
# + model[2] = nn.Linear(6, 2)
x, y = torch.randn(5, 6), torch.randint(0, 2, (5,))
loss = F.cross_entropy(model(x), y)
loss.backward()  # <-

# %% input without requires_grad
#: thread: issue, caogang/wgan-gp: Why "no required computing gradients"?
#: cause: differentiated_constant, loss_not_connected, no_gradient
#: raises: RuntimeError: One of the differentiated Tensors does not require grad
D = nn.Sequential(nn.Linear(3, 5), nn.ReLU(), nn.Linear(5, 1))
real, fake = torch.randn(4, 3), torch.randn(4, 3)
alpha = torch.rand(4, 1)
interpolates = alpha * real + (1 - alpha) * fake
# + interpolates.requires_grad_(True)
grads = torch.autograd.grad(D(interpolates).sum(), interpolates, create_graph=True)[0]  # <-
penalty = ((grads.norm(2, dim=1) - 1) ** 2).mean()
penalty.backward()

# %% grad of a tensor that was multiplied first
#: thread: forum, Stack Overflow: Why is x.grad None after backward although requires_grad=True
#: cause: converted_leaf, grad_of_non_leaf, grad_is_none
#: shows: x.grad is None
x = torch.randn(3, requires_grad=True) * 10  # <- -
# + x = (torch.randn(3) * 10).requires_grad_()
loss = (x**2).sum()
loss.backward()
print(x.grad)  # <-

# %% saliency of an image moved after requires_grad
#: thread: forum, PyTorch forums: Input gradient is None after .to(device)
#: cause: grad_is_none, converted_leaf, grad_of_non_leaf
#: raises: AttributeError: 'NoneType' object has no attribute 'abs'
net = nn.Conv2d(1, 2, 3).double()
image = torch.rand(1, 1, 5, 5, requires_grad=True).to(torch.float64)  # <- -
# + image = torch.rand(1, 1, 5, 5).to(torch.float64).requires_grad_()
score = net(image).mean()
score.backward()
saliency = image.grad.abs().max()  # <-

# %% parameters printed before backward
#: thread: issue, Eric-mingjie/network-slimming: BN weight not in model.parameters()
#: cause: grad_is_none
#: raises: AttributeError: 'NoneType' object has no attribute 'add_'
model = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4), nn.Linear(4, 1))

def update_bn(s=1e-3):
    for m in model.modules():
        if isinstance(m, nn.BatchNorm1d):
            m.weight.grad.add_(s * torch.sign(m.weight.data))  # <-

optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for i in range(2):
    optimizer.zero_grad()
    loss = model(torch.randn(6, 4)).pow(2).mean()
    update_bn()  # -
    loss.backward()
    # + update_bn()
    optimizer.step()

# %% a mask is built from the prediction
#: thread: forum, Stack Overflow: how to backpropagate through a boolean mask
#: cause: no_gradient, detached_parameter, loss_not_connected, zero_derivative
#: shows: gate.weight.grad is None
gate, head = nn.Linear(4, 4), nn.Linear(4, 1)
optimizer = torch.optim.Adam([*gate.parameters(), *head.parameters()], lr=0.01)
x, y = torch.randn(16, 4), torch.randn(16, 1)
for i in range(3):
    mask = (gate(x) > 0).float()  # <- -
    # + mask = torch.sigmoid(gate(x))
    loss = F.mse_loss(head(x * mask), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# %% the real cut stands after a validation and a printed accuracy
#: thread: forum, PyTorch forums: My encoder is not trained but the decoder is
#: cause: no_gradient, detached_parameter
#: shows: enc.weight.grad is None
enc, dec = nn.Linear(6, 4), nn.Linear(4, 3)
optimizer = torch.optim.Adam([*enc.parameters(), *dec.parameters()], lr=0.01)
x, y = torch.randn(20, 6), torch.randint(0, 3, (20,))
for epoch in range(3):
    with torch.no_grad():
        val = F.cross_entropy(dec(torch.relu(enc(x))), y)
    z = torch.relu(enc(x))
    logits = dec(z.detach())  # <- -
    # + logits = dec(z)
    acc = (logits.argmax(1) == y).float().mean().item()
    loss = F.cross_entropy(logits, y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(epoch, round(acc, 2), round(val.item(), 3))

# %% the value of an action is the action's number
#: thread: forum, PyTorch forums: DQN loss does not change, element 0 of tensors does not require grad
#: cause: loss_recreated
#: shows: q.weight.grad is None
q = nn.Linear(4, 3)
opt = torch.optim.Adam(q.parameters(), lr=0.01)
for i in range(4):
    s, r = torch.randn(5, 4), torch.randn(5)
    best = q(s).argmax(dim=1).float()  # <- -
    # + best = q(s).max(dim=1).values
    loss = F.mse_loss(best, r)
    opt.zero_grad()
    loss.requires_grad = True  # <- -
    loss.backward()  # <-
    opt.step()

# %% the error is computed by numpy and made to require grad
#: thread: forum, Stack Overflow: net.weight.grad is None after loss.backward() with a numpy loss
#: cause: loss_recreated
#: shows: net.weight.grad is None
net = nn.Linear(3, 1)
x, y = torch.randn(8, 3), torch.randn(8, 1)
pred = net(x)
loss = np.mean((pred.detach().numpy() - y.numpy()) ** 2)  # <- -
loss = torch.tensor(loss, requires_grad=True)  # <- -
# + loss = ((pred - y) ** 2).mean()
loss.backward()  # <-

# %% the generator's own step detaches what it made, and comes first
#: thread: issue, nikhilsinghmus/image2reverb: Is fake_spec.detach() in Generator training step intentional?
#: cause: detached_parameter
#: shows: G.weight.grad is None
G, D = nn.Linear(3, 4), nn.Linear(4, 1)
opt_g, opt_d = torch.optim.Adam(G.parameters(), lr=2e-3), torch.optim.Adam(D.parameters(), lr=2e-3)
real = torch.randn(8, 4) + 2
for step in range(3):
    z = torch.randn(8, 3)
    fake = G(z)
    g_loss = F.mse_loss(D(fake.detach()), torch.ones(8, 1))  # <- -
    # + g_loss = F.mse_loss(D(fake), torch.ones(8, 1))
    opt_g.zero_grad()
    g_loss.backward()
    opt_g.step()
    opt_d.zero_grad()
    d_loss = F.mse_loss(D(real), torch.ones(8, 1)) + F.mse_loss(D(G(z).detach()), torch.zeros(8, 1))
    d_loss.backward()
    opt_d.step()
