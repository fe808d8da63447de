"""Mistakes of every kind as people ask about them; written before it was looked at what is found in them."""
#: thread: where people asked, and how they called it
#: cause: the kinds of findings that name the cause
#: shows?: true after the broken program, false after the mended one
#: raises?: how the broken program ends
#: missed?: why it is not found today

import copy, math; import numpy as np; import torch; import torch.nn as nn; import torch.nn.functional as F; torch.manual_seed(0)

# %% zero_grad without its parentheses
#: thread: forum, Stack Overflow: the loss goes up and down after the first epochs although I call zero_grad
#: cause: not_called
#: shows: float(sums[-1]) > 1.5 * float(last)
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
x, y, sums = torch.randn(16, 4), torch.randn(16, 1), []
for epoch in range(4):
    optimizer.zero_grad  # <- -
    # + optimizer.zero_grad()
    loss = F.mse_loss(model(x), y)
    loss.backward()
    sums.append(model.weight.grad.norm())
    optimizer.step()  # <-
last = torch.autograd.grad(F.mse_loss(model(x), y), model.weight)[0].norm()

# %% step without its parentheses
#: thread: issue, WinnerMeat/detr: the weights of epoch 50 and of epoch 100 are the same
#: cause: not_called
#: shows: torch.equal(before, model.weight)
model = nn.Linear(4, 3)
optimizer = torch.optim.Adam(model.parameters())
before = model.weight.detach().clone()
for epoch in range(4):
    optimizer.zero_grad()
    loss = F.cross_entropy(model(torch.randn(6, 4)), torch.randint(0, 3, (6,)))
    loss.backward()  # <-
    optimizer.step  # <- -
    # + optimizer.step()

# %% backward without its parentheses
#: thread: forum, PyTorch forums: gradients are None although I call backward
#: cause: not_called
#: shows: model.weight.grad is None
model = nn.Linear(4, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(3):
    optimizer.zero_grad()
    loss = F.cross_entropy(model(torch.randn(6, 4)), torch.randint(0, 3, (6,)))
    loss.backward  # <- -
    # + loss.backward()
    optimizer.step()  # <-

# %% eval without its parentheses
#: thread: forum, Stack Overflow: each evaluation of my network gives another accuracy
#: cause: not_called
#: shows: model.training
model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Dropout(0.5), nn.Linear(16, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
x, y, xv, yv = torch.randn(32, 6), torch.randint(0, 2, (32,)), torch.randn(16, 6), torch.randint(0, 2, (16,))
for epoch in range(3):
    model.train()
    optimizer.zero_grad()
    F.cross_entropy(model(x), y).backward()
    optimizer.step()
    model.eval  # <- -
    # + model.eval()
    with torch.no_grad():
        accuracy = (model(xv).argmax(1) == yv).float().mean().item()  # <-

# %% the condition of the accumulation is the wrong way round
#: thread: issue, eriklindernoren/PyTorch-YOLOv3: Gradient accumulations not working as expected
#: cause: never_stepped
#: shows: torch.equal(before, model.weight)
model, accumulations = nn.Linear(5, 2), 1
optimizer = torch.optim.Adam(model.parameters())
before = model.weight.detach().clone()
for batches_done in range(6):
    loss = F.cross_entropy(model(torch.randn(4, 5)), torch.randint(0, 2, (4,)))
    loss.backward()  # <-
    if batches_done % accumulations:  # <- -
    # + if batches_done % accumulations == 0:
        optimizer.step()  # <-
        optimizer.zero_grad()

# %% the step has slipped out of the loop over batches
#: thread: forum, PyTorch forums: only the last batch of every epoch seems to count
#: cause: gradients_discarded
#: shows: steps < 4
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
batches, steps = [(torch.randn(8, 4), torch.randn(8, 1)) for _ in range(5)], 0
for epoch in range(3):
    for xb, yb in batches:
        optimizer.zero_grad()  # <-
        loss = F.mse_loss(model(xb), yb)
        loss.backward()
        # + optimizer.step(); steps += 1
    optimizer.step(); steps += 1  # <- -

# %% an auxiliary loss is added by =+
#: thread: forum, Stack Overflow: my second loss is learned, and the first one is not
#: cause: loss_lost
#: shows: net["main"].weight.grad is None
net = nn.ModuleDict({"main": nn.Linear(4, 1), "aux": nn.Linear(4, 1)})
optimizer = torch.optim.Adam(net.parameters())
for step in range(3):
    x = torch.randn(8, 4)
    optimizer.zero_grad()
    loss = F.mse_loss(net["main"](x), x.sum(1, keepdim=True))  # <-
    loss =+ F.mse_loss(net["aux"](x), x[:, :1])  # <- -
    # + loss += F.mse_loss(net["aux"](x), x[:, :1])
    loss.backward()  # <-
    optimizer.step()

# %% only the last head's loss is left
#: thread: forum, PyTorch forums: multi-head network, only one head gets gradients
#: cause: loss_lost
#: shows: heads[0].weight.grad is None
body, heads = nn.Linear(6, 8), nn.ModuleList(nn.Linear(8, 2) for _ in range(3))
optimizer = torch.optim.SGD([*body.parameters(), *heads.parameters()], lr=0.1)
for step in range(3):
    x, targets = torch.randn(8, 6), torch.randint(0, 2, (3, 8))
    optimizer.zero_grad()
    features, loss = torch.relu(body(x)), 0
    for k, head in enumerate(heads):
        loss = F.cross_entropy(head(features), targets[k])  # <- -
        # + loss = loss + F.cross_entropy(head(features), targets[k])
    loss.backward()  # <-
    optimizer.step()

# %% an autoencoder is compared with itself
#: thread: forum, PyTorch forums: loss of my autoencoder is exactly zero from the start
#: cause: compared_with_itself
#: shows: float(loss) == 0
auto = nn.Sequential(nn.Linear(8, 3), nn.Tanh(), nn.Linear(3, 8))
optimizer = torch.optim.Adam(auto.parameters())
for step in range(4):
    x = torch.randn(16, 8)
    x_hat = auto(x)
    loss = F.mse_loss(x_hat, x_hat)  # <- -
    # + loss = F.mse_loss(x_hat, x)
    optimizer.zero_grad()
    loss.backward()  # <-
    optimizer.step()  # <-

# %% the ratio of PPO is taken to probabilities with a graph
#: thread: issue, abhisheksuran/Reinforcement_Learning: PPO ratio between old policy and new policy
#: cause: gradient_cancels, zero_gradient
#: shows: float(policy.weight.grad.abs().max()) == 0
policy = nn.Linear(4, 2)
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-2)
for update in range(3):
    states, advantages = torch.randn(10, 4), torch.randn(10)
    actions = torch.randint(0, 2, (10,))
    old = F.log_softmax(policy(states), -1).gather(1, actions[:, None]).squeeze(1)  # <- -
    # + old = F.log_softmax(policy(states), -1).gather(1, actions[:, None]).squeeze(1).detach()
    new = F.log_softmax(policy(states), -1).gather(1, actions[:, None]).squeeze(1)  # <-
    ratio = torch.exp(new - old)  # <-
    loss = -torch.min(ratio * advantages, ratio.clamp(0.8, 1.2) * advantages).mean()
    optimizer.zero_grad()
    loss.backward()  # <-
    optimizer.step()  # <-

# %% the straight-through estimator of a VQ-VAE forgets detach
#: thread: issue, zalandoresearch/pytorch-vq-vae: the encoder does not learn
#: cause: zero_gradient
#: shows: float(encoder.weight.grad.abs().max()) < 1e-6
encoder, decoder, codebook = nn.Linear(6, 3), nn.Linear(3, 6), nn.Embedding(5, 3)
optimizer = torch.optim.Adam([*encoder.parameters(), *decoder.parameters(), *codebook.parameters()])
for step in range(3):
    x = torch.randn(12, 6)
    z = encoder(x)
    code = codebook(torch.cdist(z.detach(), codebook.weight.detach()).argmin(1))
    quantized = z + (code - z)  # <- -
    # + quantized = z + (code - z).detach()
    loss = F.mse_loss(decoder(quantized), x) + F.mse_loss(code, z.detach())
    optimizer.zero_grad()
    loss.backward()  # <-
    optimizer.step()  # <-

# %% both terms of a VQ-VAE detach the codebook
#: thread: issue, a VQ-VAE whose codebook collapses: the embedding never moves
#: cause: detached_parameter, unused_parameter
#: shows: codebook.weight.grad is None
encoder, decoder, codebook = nn.Linear(6, 3), nn.Linear(3, 6), nn.Embedding(5, 3)
optimizer = torch.optim.Adam([*encoder.parameters(), *decoder.parameters(), *codebook.parameters()])
for step in range(3):
    x = torch.randn(12, 6)
    z = encoder(x)
    code = codebook(torch.cdist(z.detach(), codebook.weight.detach()).argmin(1))
    commit = F.mse_loss(z, code.detach())
    embed = F.mse_loss(z, code.detach())  # <- -
    # + embed = F.mse_loss(z.detach(), code)
    quantized = z + (code - z).detach()  # <-
    loss = F.mse_loss(decoder(quantized), x) + embed + 0.25 * commit
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# %% grad mode is on for a phase that has another name
#: thread: forum, PyTorch forums: element 0 of tensors does not require grad, in the transfer learning tutorial
#: cause: loss_not_connected
#: raises: RuntimeError: element 0 of tensors does not require grad and does not have a grad_fn
model = nn.Linear(4, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(2):
    for phase in ["train", "val"]:
        x, y = torch.randn(8, 4), torch.randint(0, 2, (8,))
        optimizer.zero_grad()
        with torch.set_grad_enabled(phase == "training"):  # <- -
        # + with torch.set_grad_enabled(phase == "train"):
            loss = F.cross_entropy(model(x), y)
            if phase == "train":
                loss.backward()  # <-
                optimizer.step()

# %% only one half of the LSTM's state is detached
#: thread: forum, Stack Overflow: Trying to backward through the graph a second time, in a character LSTM
#: cause: spans_iterations, freed_graph
#: raises: RuntimeError: Trying to backward through the graph a second time
lstm, head = nn.LSTM(5, 7), nn.Linear(7, 5)
optimizer = torch.optim.Adam([*lstm.parameters(), *head.parameters()])
h, c = torch.zeros(1, 2, 7), torch.zeros(1, 2, 7)
for chunk in range(3):
    h = h.detach()  # <-
    # + c = c.detach()
    out, (h, c) = lstm(torch.randn(4, 2, 5), (h, c))  # <-
    loss = F.mse_loss(head(out), torch.randn(4, 2, 5))
    optimizer.zero_grad()
    loss.backward()  # <-
    optimizer.step()

# %% the attack's gradients add up
#: thread: forum, PyTorch forums: PGD attack gets weaker with more iterations
#: cause: no_zero_grad
#: shows: float(delta.grad.abs().sum()) > 1.4 * float(own.abs().sum())
model = nn.Sequential(nn.Linear(6, 12), nn.Tanh(), nn.Linear(12, 3))
for p in model.parameters():
    p.requires_grad_(False)
x, y = torch.randn(4, 6), torch.tensor([0, 1, 2, 0])
delta = torch.zeros_like(x, requires_grad=True)
for k in range(5):
    loss = F.cross_entropy(model(x + delta), y)
    # + delta.grad = None
    loss.backward()  # <-
    own, = torch.autograd.grad(F.cross_entropy(model(x + delta), y), delta)
    delta.data = (delta + 0.01 * delta.grad.sign()).clamp(-0.1, 0.1).data  # <-

# %% the closure of LBFGS clears nothing
#: thread: forum, Stack Overflow: LBFGS in PyTorch diverges on a quadratic
#: cause: no_zero_grad
#: shows: abs(float(w) - 3) > 1e-2
w = torch.tensor(0.0, requires_grad=True)
optimizer = torch.optim.LBFGS([w], lr=0.5, max_iter=4)

def closure():
    # + optimizer.zero_grad()
    loss = (w - 3) ** 2
    loss.backward()  # <-
    return loss

for step in range(6):
    optimizer.step(closure)  # <-

# %% the image that is optimised is replaced by its clamped values
#: thread: forum, PyTorch forums: neural style transfer, the image does not change after the first step
#: cause: leaf_overwritten
#: raises: RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation
image, target = torch.rand(3, 4, 4, requires_grad=True), torch.rand(3, 4, 4)
optimizer = torch.optim.Adam([image], lr=0.1)
for step in range(5):
    optimizer.zero_grad()
    loss = F.mse_loss(image, target)
    loss.backward(retain_graph=True)
    optimizer.step()  # <-
    image = image.clamp(0, 1)  # <- -
    # + image.data.clamp_(0, 1)

# %% the image has no gradient to be optimised with
#: thread: issue, a style transfer on the GPU: element 0 of tensors does not require grad
#: cause: loss_not_connected
#: raises: RuntimeError: element 0 of tensors does not require grad and does not have a grad_fn
features = nn.Conv2d(3, 4, 3)
for p in features.parameters():
    p.requires_grad_(False)
content = torch.rand(1, 3, 6, 6)
image = content.clone()  # <-
# + image.requires_grad_(True)
optimizer = torch.optim.Adam([image], lr=0.1)  # <-
for step in range(3):
    optimizer.zero_grad()
    loss = F.mse_loss(features(image), features(content) + 1)
    loss.backward()  # <-
    optimizer.step()

# %% heads are kept in a plain dictionary
#: thread: forum, PyTorch forums: layers in a dict do not appear in parameters()
#: cause: unlisted_parameter, unowned_parameters
#: shows: not any("head" in name for name, _ in net.named_parameters())
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 8)
        self.heads = {"a": nn.Linear(8, 2), "b": nn.Linear(8, 2)}  # <- -
        # + self.heads = nn.ModuleDict({"a": nn.Linear(8, 2), "b": nn.Linear(8, 2)})

    def forward(self, x):
        x = torch.relu(self.body(x))
        return self.heads["a"](x) + self.heads["b"](x)  # <-

net = Net()
optimizer = torch.optim.Adam(net.parameters())  # <-
for step in range(3):
    optimizer.zero_grad()
    loss = F.cross_entropy(net(torch.randn(6, 4)), torch.randint(0, 2, (6,)))
    loss.backward()
    optimizer.step()  # <-

# %% a parameter is scaled after it was made
#: thread: forum, Stack Overflow: nn.Parameter does not show up in model.parameters()
#: cause: unregistered_tensor, converted_leaf, unlisted_parameter
#: shows: "gate" not in dict(net.named_parameters())
class Gated(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 3)
        self.gate = nn.Parameter(torch.rand(3)) * 0.1  # <- -
        # + self.gate = nn.Parameter(torch.rand(3) * 0.1)

    def forward(self, x):
        return self.fc(x) * self.gate  # <-

net = Gated()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)  # <-
optimizer.zero_grad()
loss = F.mse_loss(net(torch.randn(6, 4)), torch.randn(6, 3))
loss.backward()
optimizer.step()  # <-

# %% forward wraps its input in torch.tensor
#: thread: forum, Stack Overflow: To copy construct from a tensor, it is recommended to use sourceTensor.clone().detach()
#: cause: detached_parameter, copied_tensor
#: shows: model[0].weight.grad is None
class Head(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(8, 2)

    def forward(self, x):
        x = torch.tensor(x, dtype=torch.float32)  # <- -
        return self.fc(x)

model = nn.Sequential(nn.Linear(5, 8), nn.ReLU(), Head())
optimizer = torch.optim.Adam(model.parameters())
for step in range(3):
    optimizer.zero_grad()
    loss = F.cross_entropy(model(torch.randn(6, 5)), torch.randint(0, 2, (6,)))
    loss.backward()
    optimizer.step()

# %% the loss is a number before it is differentiated
#: thread: forum, Stack Overflow: AttributeError: 'float' object has no attribute 'backward'
#: cause: loss_not_connected
#: raises: AttributeError: 'float' object has no attribute 'backward'
model = nn.Linear(3, 1)
loss = F.mse_loss(model(torch.randn(4, 3)), torch.randn(4, 1)).item()  # <- -
# + loss = F.mse_loss(model(torch.randn(4, 3)), torch.randn(4, 1))
loss.backward()  # <-

# %% parameters without its parentheses
#: thread: forum, Stack Overflow: TypeError: 'method' object is not iterable
#: cause: not_iterable
#: raises: TypeError: 'method' object is not iterable
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters, lr=0.1)  # <- -
# + optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
F.mse_loss(model(torch.randn(4, 3)), torch.randn(4, 1)).backward()
optimizer.step()

# %% the loss is made with the data
#: thread: forum, Stack Overflow: Boolean value of Tensor with more than one value is ambiguous, in CrossEntropyLoss
#: cause: truth_of_tensor
#: raises: RuntimeError: Boolean value of Tensor with more than one value is ambiguous
model = nn.Linear(4, 3)
x, y = torch.randn(6, 4), torch.randint(0, 3, (6,))
loss = nn.CrossEntropyLoss(model(x), y)  # <- -
# + loss = nn.CrossEntropyLoss()(model(x), y)
loss.backward()

# %% the model is what load_state_dict returns
#: thread: forum, Stack Overflow: '_IncompatibleKeys' object is not callable
#: cause: program_error
#: raises: TypeError: '_IncompatibleKeys' object is not callable
model, saved = nn.Linear(4, 3), nn.Linear(4, 3).state_dict()
model = model.load_state_dict(saved)  # <- -
# + model.load_state_dict(saved)
out = model(torch.randn(2, 4))  # <-

# %% a number is put into grad
#: thread: forum, PyTorch forums: assigned grad has data of a different type
#: cause: not_a_tensor, wrong_arguments, program_error
#: raises: TypeError: assigned grad expected to be a Tensor or None but got grad of type
w = torch.tensor([1.0, 2.0], requires_grad=True)
for step in range(3):
    loss = (w ** 2).sum()
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
    w.grad = 0  # <- -
    # + w.grad = None

# %% the gradient is cleared before there is one
#: thread: forum, Stack Overflow: AttributeError: 'NoneType' object has no attribute 'zero_'
#: cause: grad_is_none
#: raises: AttributeError: 'NoneType' object has no attribute 'zero_'
w = torch.randn(3, requires_grad=True)
for step in range(3):
    w.grad.zero_()  # <- -
    # + if w.grad is not None: w.grad.zero_()
    loss = (w ** 2).sum()
    loss.backward()
    w.data -= 0.1 * w.grad

# %% the input requires grad only after the forward pass
#: thread: forum, PyTorch forums: saliency map, input.grad is None
#: cause: no_gradient
#: shows: image.grad is None
net = nn.Sequential(nn.Flatten(), nn.Linear(16, 3))
image = torch.rand(1, 1, 4, 4)
# + image.requires_grad_(True)
scores = net(image)  # <-
image.requires_grad_(True)  # <- -
scores[0, scores.argmax()].backward()
print(image.grad)  # <-

# %% retain_grad comes after backward
#: thread: forum, Stack Overflow: The .grad attribute of a Tensor that is not a leaf Tensor is being accessed
#: cause: no_gradient
#: shows: hidden.grad is None
net, head = nn.Linear(4, 5), nn.Linear(5, 1)
hidden = torch.relu(net(torch.randn(3, 4)))
# + hidden.retain_grad()
head(hidden).sum().backward()
hidden.retain_grad()  # <- -
print(hidden.grad)  # <-

# %% a ReLU stands before cross entropy and kills every score
#: thread: forum, Stack Overflow: my classifier is stuck at a loss of 2.30
#: cause: dead_relu
#: shows: float(model(x).abs().max()) == 0
model = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 10), nn.ReLU())  # <- -
# + model = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 10))
nn.init.constant_(model[2].bias, -3.0)
x, y = torch.randn(64, 6), torch.randint(0, 10, (64,))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(5):
    optimizer.zero_grad()
    loss = F.cross_entropy(model(x), y)  # <-
    loss.backward()
    optimizer.step()

# %% binary labels are -1 and 1
#: thread: forum, Stack Overflow: binary cross entropy becomes negative
#: cause: unreachable_targets, diverging
#: shows: float(loss) < 0
model = nn.Linear(4, 1)
x = torch.randn(32, 4)
labels = torch.sign(x[:, :1])
# + labels = (labels + 1) / 2
optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
for epoch in range(30):
    optimizer.zero_grad()
    loss = F.binary_cross_entropy_with_logits(model(x), labels)  # <-
    loss.backward()
    optimizer.step()

# %% dropout drops everything
#: thread: forum, PyTorch forums: output does not depend on the input, dropout with p=1
#: cause: zero_gradient
#: shows: float(model[0].weight.grad.abs().max()) == 0
model = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Dropout(1.0), nn.Linear(8, 1))  # <- -
# + model = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Dropout(0.1), nn.Linear(8, 1))
optimizer = torch.optim.Adam(model.parameters())
for step in range(4):
    optimizer.zero_grad()
    loss = F.mse_loss(model(torch.randn(16, 6)), torch.randn(16, 1))  # <-
    loss.backward()
    optimizer.step()

# %% the teacher is updated in a variable of the loop
#: thread: issue, neuropoly/domainadaptation: Wrong implementation about EMA ?
#: cause: variable_of_loop
#: shows: torch.equal(teacher.weight, start)
student = nn.Linear(4, 2)
teacher = copy.deepcopy(student)
start = teacher.weight.clone()
optimizer = torch.optim.SGD(student.parameters(), lr=0.5)
for step in range(4):
    x = torch.randn(8, 4)
    optimizer.zero_grad()
    F.cross_entropy(student(x), torch.randint(0, 2, (8,))).backward()
    optimizer.step()
    with torch.no_grad():
        for slow, fast in zip(teacher.parameters(), student.parameters()):
            slow = 0.9 * slow + 0.1 * fast  # <- -
            # + slow.copy_(0.9 * slow + 0.1 * fast)
print(teacher(x))

# %% noise that is asked for its gradient is used by its data
#: thread: issue, archinetai/smart-pytorch: error while using SMARTLoss
#: cause: unused_input
#: raises: RuntimeError: The differentiated Tensor at index
net, state = nn.Linear(4, 3), torch.randn(5, 4)
noise = torch.randn_like(state, requires_grad=True)
perturbed = net(state + 1e-3 * noise.data)  # <- -
# + perturbed = net(state + 1e-3 * noise)
loss = F.mse_loss(perturbed, net(state).detach() + 1)
gradient, = torch.autograd.grad(loss, noise)  # <-

# %% a meta-gradient over a layer that the task does not use
#: thread: issue, ShiYunyi/Meta-Weight-Net_Code-Optimization: One of the differentiated Tensors appears to not have been used in the graph
#: cause: unused_input
#: raises: RuntimeError: The differentiated Tensor at index
class Two(nn.Module):
    def __init__(self):
        super().__init__()
        self.used, self.other = nn.Linear(4, 2), nn.Linear(4, 2)

    def forward(self, x):
        return self.used(x)  # <-

pseudo_net = Two()
pseudo_loss = F.cross_entropy(pseudo_net(torch.randn(6, 4)), torch.randint(0, 2, (6,)))
pseudo_grads = torch.autograd.grad(pseudo_loss, pseudo_net.parameters(), create_graph=True)  # <- -
# + pseudo_grads = torch.autograd.grad(pseudo_loss, pseudo_net.used.parameters(), create_graph=True)

# %% cross entropy is given its arguments the other way round
#: thread: forum, PyTorch forums: expected scalar type Long, or: 0D or 1D target tensor expected
#: cause: needs_floating_point
#: raises: NotImplementedError: "log_softmax_lastdim_kernel_impl" not implemented for 'Long'
model, labels = nn.Linear(4, 3), torch.randint(0, 3, (6,))
out = model(torch.randn(6, 4))
loss = F.cross_entropy(labels, out)  # <- -
# + loss = F.cross_entropy(out, labels)
loss.backward()

# %% the curve is plotted with its graph
#: thread: forum, Stack Overflow: Can't call numpy() on Tensor that requires grad, when plotting
#: cause: numpy_of_tracked
#: raises: RuntimeError: Can't call numpy() on Tensor that requires grad
fit, xs = nn.Linear(1, 1), torch.linspace(0, 1, 5)[:, None]
curve = fit(xs).squeeze(1)
points = np.asarray(curve)  # <- -
# + points = np.asarray(curve.detach())

# %% the optimizer is made anew in every iteration
#: thread: forum, PyTorch forums: Adam behaves like sign descent, moments are always reset
#: cause: remade_optimizer
#: shows: float(steps[-1]["step"]) == 1
model, steps = nn.Linear(4, 1), []
# + optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(5):
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)  # <- -
    optimizer.zero_grad()
    loss = F.mse_loss(model(torch.randn(8, 4)), torch.randn(8, 1))
    loss.backward()
    optimizer.step()  # <-
    steps.append(optimizer.state[model.weight])

# %% batch normalisation never learns its statistics
#: thread: issue, Cadene/pretrained-models.pytorch: BatchNorm momentum set to 0 in Inception models
#: cause: frozen_statistics
#: shows: float(model[1].running_mean.abs().max()) == 0
#: missed: nothing looks at the statistics that a normalisation keeps
model = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8, momentum=0), nn.ReLU(), nn.Linear(8, 2))  # <- -
# + model = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8, momentum=0.1), nn.ReLU(), nn.Linear(8, 2))
optimizer = torch.optim.Adam(model.parameters())
for step in range(4):
    optimizer.zero_grad()
    F.cross_entropy(model(torch.randn(16, 4) * 5 + 3), torch.randint(0, 2, (16,))).backward()
    optimizer.step()
model.eval()
with torch.no_grad():
    out = model(torch.randn(16, 4) * 5 + 3)

# %% the positive of a triplet is the anchor itself
#: thread: forum, PyTorch forums: triplet loss equals the margin and does not move
#: cause: compared_with_itself
#: shows: positive is anchor
embed = nn.Linear(5, 3)
optimizer = torch.optim.Adam(embed.parameters())
for step in range(3):
    a, p, n = torch.randn(8, 5), torch.randn(8, 5), torch.randn(8, 5)
    anchor, negative = embed(a), embed(n)
    positive = anchor  # <- -
    # + positive = embed(p)
    loss = F.triplet_margin_loss(anchor, positive, negative)  # <-
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# %% distillation detaches the student
#: thread: issue, a distillation repository: the student does not learn from the teacher's logits
#: cause: detached_parameter, loss_not_connected, unused_parameter
#: raises: RuntimeError: element 0 of tensors does not require grad and does not have a grad_fn
student, teacher = nn.Linear(4, 3), nn.Linear(4, 3)
teacher.requires_grad_(False)
optimizer = torch.optim.Adam(student.parameters())
for step in range(3):
    x = torch.randn(8, 4)
    soft = F.log_softmax(student(x).detach() / 2, dim=1)  # <- -
    # + soft = F.log_softmax(student(x) / 2, dim=1)
    loss = F.kl_div(soft, F.softmax(teacher(x) / 2, dim=1), reduction="batchmean")
    optimizer.zero_grad()
    loss.backward()  # <-
    optimizer.step()

# %% the second branch of a siamese network is a copy
#: thread: forum, PyTorch forums: Siamese network, weights of the two branches drift apart
#: cause: unlisted_parameter, unowned_parameters
#: shows: right is not left
left = nn.Sequential(nn.Linear(6, 4), nn.Tanh())
right = copy.deepcopy(left)  # <- -
# + right = left
optimizer = torch.optim.SGD(left.parameters(), lr=0.1)  # <-
for step in range(4):
    a, b, same = torch.randn(8, 6), torch.randn(8, 6), torch.randint(0, 2, (8,)).float()
    distance = F.pairwise_distance(left(a), right(b))
    loss = (same * distance ** 2 + (1 - same) * F.relu(1 - distance) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()  # <-

# %% the first loss is cleared before the second one comes
#: thread: forum, Stack Overflow: two losses, only the second has an effect
#: cause: gradients_discarded, cleared_before_step
#: shows: float(total) > 0.1
model = nn.Linear(4, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(4):
    x, y = torch.randn(8, 4), torch.randn(8)
    optimizer.zero_grad()
    out = model(x)
    first, second = F.mse_loss(out[:, 0], y), F.mse_loss(out[:, 1], -y)
    first.backward(retain_graph=True)
    optimizer.zero_grad()  # <- -
    second.backward()
    total = 1.0 - float(model.weight.grad[0].abs().sum() > 0)
    optimizer.step()  # <-

# %% gradient descent by hand in a variable of the loop
#: thread: forum, Stack Overflow: manual update, parameters do not change: p = p - lr * p.grad
#: cause: variable_of_loop
#: shows: torch.equal(before, model.weight)
model = nn.Linear(3, 1)
before = model.weight.detach().clone()
x, y = torch.randn(16, 3), torch.randn(16, 1)
for step in range(4):
    model.zero_grad()
    loss = F.mse_loss(model(x), y)
    loss.backward()
    with torch.no_grad():
        for p in model.parameters():
            p = p - 0.1 * p.grad  # <- -
            # + p -= 0.1 * p.grad

# %% a weight is replaced by a plain tensor
#: thread: forum, Stack Overflow: cannot assign 'torch.FloatTensor' as parameter 'weight'
#: cause: not_a_parameter
#: raises: TypeError: cannot assign 'torch.FloatTensor' as parameter 'weight' (torch.nn.Parameter or None expected)
model = nn.Linear(3, 2)
model.weight = torch.randn(2, 3)  # <- -
# + model.weight = nn.Parameter(torch.randn(2, 3))
out = model(torch.randn(4, 3))

# %% the gradient penalty's points require no grad
#: thread: issue, caogang/wgan-gp: One of the differentiated Tensors does not require grad
#: cause: differentiated_constant
#: raises: RuntimeError: One of the differentiated Tensors does not require grad
critic = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 1))
real, fake = torch.randn(6, 3), torch.randn(6, 3)
alpha = torch.rand(6, 1)
between = alpha * real + (1 - alpha) * fake  # <-
# + between.requires_grad_(True)
scores = critic(between)
slope, = torch.autograd.grad(scores.sum(), between, create_graph=True)  # <-
penalty = ((slope.norm(2, dim=1) - 1) ** 2).mean()
penalty.backward()

# %% a Hessian-vector product of a gradient without a graph
#: thread: forum, PyTorch forums: second call of autograd.grad fails, element 0 of tensors does not require grad
#: cause: loss_not_connected
#: raises: RuntimeError: element 0 of tensors does not require grad and does not have a grad_fn
w, v = torch.randn(3, requires_grad=True), torch.randn(3)
f = (w ** 4).sum()
g, = torch.autograd.grad(f, w)  # <- -
# + g, = torch.autograd.grad(f, w, create_graph=True)
hv, = torch.autograd.grad((g * v).sum(), w)  # <-

# %% ranks are compared
#: thread: forum, Stack Overflow: Spearman correlation as a loss in PyTorch
#: cause: loss_not_connected
#: raises: RuntimeError: element 0 of tensors does not require grad and does not have a grad_fn
model, x, y = nn.Linear(4, 1), torch.randn(10, 4), torch.randn(10)
scores = model(x).squeeze(1)
ranks = scores.argsort().argsort().float()  # <- -
# + ranks = torch.sigmoid((scores[:, None] - scores[None, :]) / 0.1).sum(1)
loss = F.mse_loss(ranks, y.argsort().argsort().float())
loss.backward()  # <-

# %% an activation without its parentheses
#: thread: forum, Stack Overflow: torch.nn.modules.activation.ReLU is not a Module subclass
#: cause: class_not_made
#: raises: TypeError: torch.nn.modules.activation.ReLU is not a Module subclass
model = nn.Sequential(nn.Linear(3, 4), nn.ReLU, nn.Linear(4, 1))  # <- -
# + model = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1))
out = model(torch.randn(2, 3))

# %% the optimizer is given the model
#: thread: forum, Stack Overflow: TypeError: 'Linear' object is not iterable
#: cause: not_iterable
#: raises: TypeError: 'Linear' object is not iterable
model = nn.Linear(3, 1)
optimizer = torch.optim.Adam(model)  # <- -
# + optimizer = torch.optim.Adam(model.parameters())
F.mse_loss(model(torch.randn(4, 3)), torch.randn(4, 1)).backward()
optimizer.step()

# %% backward is misspelled
#: thread: forum, Stack Overflow: 'Tensor' object has no attribute 'backwards'
#: cause: unknown_attribute
#: raises: AttributeError: 'Tensor' object has no attribute 'backwards'
model = nn.Linear(3, 1)
loss = F.mse_loss(model(torch.randn(4, 3)), torch.randn(4, 1))
loss.backwards()  # <- -
# + loss.backward()

# %% no_grad without its parentheses
#: thread: forum, Stack Overflow: AttributeError: __enter__, or: 'type' object does not support the context manager protocol
#: cause: class_not_made
#: raises: TypeError: 'type' object does not support the context manager protocol
model = nn.Linear(3, 1)
with torch.no_grad:  # <- -
# + with torch.no_grad():
    out = model(torch.randn(4, 3))

# %% one layer stands three times in a network
#: thread: forum, PyTorch forums: [nn.Linear(8, 8)] * 3 gives the same layer three times
#: cause: same_layer_again
#: shows: len(list(net.parameters())) == 2
#: missed: shared layers are what recurrent and tied networks are made of; nothing looks at how the list was made
net = nn.Sequential(*[nn.Linear(8, 8)] * 3)  # <- -
# + net = nn.Sequential(*[nn.Linear(8, 8) for _ in range(3)])
optimizer = torch.optim.Adam(net.parameters())
for step in range(3):
    x = torch.randn(16, 8)
    optimizer.zero_grad()
    F.mse_loss(net(x), x).backward()
    optimizer.step()

# %% a one-hot of the most likely class goes on
#: thread: forum, PyTorch forums: hard Gumbel softmax, the network before it gets no gradient
#: cause: detached_parameter
#: shows: encoder.weight.grad is None
encoder, decoder = nn.Linear(6, 4), nn.Linear(4, 6)
optimizer = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()])
for step in range(3):
    x = torch.randn(10, 6)
    soft = F.gumbel_softmax(encoder(x), tau=0.5)
    hard = F.one_hot(soft.argmax(-1), 4).float()  # <- -
    # + hard = F.one_hot(soft.argmax(-1), 4).float() + soft - soft.detach()
    loss = F.mse_loss(decoder(hard), x)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# %% the plateau is looked for in the wrong direction
#: thread: forum, Stack Overflow: ReduceLROnPlateau reduces the rate although the loss goes down
#: cause: rate_decayed
#: shows: optimizer.param_groups[0]["lr"] < 1e-4
model = nn.Linear(4, 1)
x = torch.randn(64, 4)
y = x.sum(1, keepdim=True)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, mode="max", patience=1)  # <- -
# + scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, mode="min", patience=1)
for epoch in range(30):
    optimizer.zero_grad()
    loss = F.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()
    scheduler.step(loss.item())  # <-
