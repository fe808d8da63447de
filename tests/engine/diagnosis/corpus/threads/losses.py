"""Losses that are given what they do not expect, or mean something else, as people ask about them."""
#: thread: where people asked, and how they called it
#: cause: the kinds of findings that name the cause
#: shows?: true after the broken program, false after the mended one
#: raises?: how the broken program ends
#: missed?: why it is not found today

import copy, math; import numpy as np; import torch; import torch.nn as nn; import torch.nn.functional as F; torch.manual_seed(0)

# %% a classifier with softmax and cross entropy
#: thread: issue, nishnik/Deep-Semantic-Similarity-Model-PyTorch: Softmax and CrossEntropyLoss
#: cause: softmax_twice
#: shows: bool(torch.allclose(out.sum(1), torch.ones(20), atol=1e-3))
model = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 4), nn.Softmax(dim=1))  # -
# + model = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 4))
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
x, y = torch.randn(20, 6), torch.randint(0, 4, (20,))
for epoch in range(5):
    out = model(x)  # <-
    loss = criterion(out, y)  # <-
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# %% attention weights go to cross entropy
#: thread: issue, gitabcworld/MatchingNetworks: Double softmax
#: cause: softmax_twice
#: shows: float(preds.max()) <= 1
#: missed: a product with one-hot labels lies between the softmax and the loss
support, query, labels = torch.randn(5, 8), torch.randn(7, 8), torch.randint(0, 5, (7,))
enc = nn.Linear(8, 8)
sims = F.normalize(enc(query)) @ F.normalize(enc(support)).t() * 10
attention = F.softmax(sims, dim=-1)  # -
# + attention = sims
preds = attention @ torch.eye(5)
loss = F.cross_entropy(preds, labels)  # <-
loss.backward()

# %% a double softmax through a view and a permute
#: thread: forum, PyTorch forums: Segmentation network stuck at high loss
#: cause: softmax_twice
#: shows: float(flat.min()) >= 0
net = nn.Conv2d(1, 3, 3, padding=1)
img, seg = torch.randn(2, 1, 5, 5), torch.randint(0, 3, (2, 5, 5))
probs = torch.softmax(net(img), dim=1)  # -
# + probs = net(img)
flat = probs.permute(0, 2, 3, 1).reshape(-1, 3)
loss = F.cross_entropy(flat, seg.view(-1))  # <-
loss.backward()

# %% a sigmoid before BCEWithLogitsLoss
#: thread: forum, Stack Overflow: BCEWithLogitsLoss does not go below 0.69
#: cause: sigmoid_twice
#: shows: float(pred.min()) >= 0
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(5, 1)

    def forward(self, x):
        return torch.sigmoid(self.fc(x))  # -
        # + return self.fc(x)

net = Net()
optimizer = torch.optim.Adam(net.parameters())
x, y = torch.randn(12, 5), torch.randint(0, 2, (12, 1)).float()
for i in range(3):
    pred = net(x)  # <-
    loss = nn.BCEWithLogitsLoss()(pred, y)  # <-
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# %% nll_loss of softmax
#: thread: forum, PyTorch forums: NLLLoss gives a negative loss
#: cause: nll_loss_of_probabilities
#: shows: loss.item() < 0
net = nn.Sequential(nn.Linear(4, 3), nn.Softmax(dim=1))  # -
# + net = nn.Sequential(nn.Linear(4, 3), nn.LogSoftmax(dim=1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
x, y = torch.randn(10, 4), torch.randint(0, 3, (10,))
for i in range(4):
    loss = nn.NLLLoss()(net(x), y)  # <-
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# %% nll_loss of raw scores
#: thread: forum, Stack Overflow: negative loss with NLLLoss, tutorial without log_softmax
#: cause: nll_loss_of_scores
#: shows: loss.item() < 0.3
net = nn.Linear(4, 3)
optimizer = torch.optim.SGD(net.parameters(), lr=0.5)
x, y = torch.randn(10, 4), torch.randint(0, 3, (10,))
for i in range(6):
    scores = net(x)
    # + scores = F.log_softmax(scores, dim=1)
    loss = F.nll_loss(scores, y)  # <-
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# %% kl_div of two softmaxes
#: thread: forum, PyTorch forums: KL divergence is negative
#: cause: kl_div_of_probabilities
#: shows: loss.item() < 0
teacher, student = nn.Linear(6, 4), nn.Linear(6, 4)
x = torch.randn(8, 6)
p = F.softmax(teacher(x), dim=1).detach()
q = F.softmax(student(x), dim=1)  # -
# + q = F.log_softmax(student(x), dim=1)
loss = F.kl_div(q, p, reduction="batchmean")  # <-
loss.backward()

# %% a column of predictions and a row of targets
#: thread: forum, PyTorch forums: Output of the model depends on the shape of the weights tensor
#: cause: broadcast_in_loss
#: shows: losses[-1] > 0.01
X = torch.rand((64, 3))
y = X[:, 0] + X[:, 1] + X[:, 2]
m = nn.Linear(3, 1, bias=False)
optim = torch.optim.SGD(m.parameters(), lr=0.1)
losses = []
for epoch in range(100):
    optim.zero_grad()
    out = m(X)
    # + out = out.squeeze(1)
    loss = F.mse_loss(out, y)  # <-
    loss.backward()
    optim.step()
    losses.append(loss.item())

# %% squeezed logits and unsqueezed labels
#: thread: issue, deepset-ai/FARM: Using a target size ... that is different to the input size
#: cause: broadcast_in_loss
#: shows: diff.shape == (32, 32)
head = nn.Linear(8, 1)
optimizer = torch.optim.Adam(head.parameters(), lr=1e-2)
x, labels = torch.randn(32, 8), torch.randn(32, 1)
for i in range(3):
    logits = head(x).squeeze()
    # + logits = head(x)
    diff = logits - labels  # <-
    loss = (diff**2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# %% a depth map without its channel
#: thread: issue, jiwei0921/CoNet: There is a difference between the target size and the input size in smooth_l1_loss
#: cause: broadcast_in_loss
#: shows: pred.shape != depth.shape
net = nn.Conv2d(3, 1, 3, padding=1)
image, depth = torch.randn(2, 3, 6, 6), torch.rand(2, 6, 6)
# + depth = depth.unsqueeze(1)
pred = net(image)
loss = F.smooth_l1_loss(pred, depth)  # <-
loss.backward()

# %% a td target of shape [64] against values of shape [64, 1]
#: thread: issue, sunwuzhou03/reinforcement-learning-lab: MSE warning
#: cause: broadcast_in_loss
#: shows: critic(s).shape != target.shape
critic = nn.Linear(3, 1)
optimizer = torch.optim.Adam(critic.parameters())
s, r, s2 = torch.randn(64, 3), torch.randn(64), torch.randn(64, 3)
with torch.no_grad():
    target = r + 0.9 * critic(s2).squeeze(1)
    # + target = target.unsqueeze(1)
loss = F.mse_loss(critic(s), target)  # <-
optimizer.zero_grad()
loss.backward()
optimizer.step()

# %% mean squared error of classes
#: thread: forum, Stack Overflow: binary classification with MSELoss and sigmoid does not learn
#: cause: squared_probabilities
#: shows: losses[-1] > 0.2
#: missed: truth tables of textbooks are learned like this
net = nn.Sequential(nn.Linear(2, 8), nn.Sigmoid(), nn.Linear(8, 1), nn.Sigmoid())
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.tensor([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
y = torch.tensor([[0.0], [1.0], [1.0], [0.0]])
losses = []
for epoch in range(60):
    out = net(x)
    loss = F.mse_loss(out, y)  # <- -
    # + loss = F.binary_cross_entropy(out, y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(((out.round() - y) ** 2).mean().item() if epoch < 59 else 0.25 if loss.item() < 0.26 else 0.0)

# %% softmax over the batch
#: thread: issue, PetrochukM/PyTorch-NLP: Attention's softmax dimension is wrong?
#: cause: softmax_over_batch
#: shows: bool(torch.allclose(weights.sum(0), torch.ones(5)))
attn, out = nn.Linear(4, 5), nn.Linear(5, 1)
optimizer = torch.optim.Adam([*attn.parameters(), *out.parameters()])
x, y = torch.randn(8, 4), torch.randn(8, 1)
for i in range(3):
    weights = F.softmax(attn(x), dim=0)  # <- -
    # + weights = F.softmax(attn(x), dim=1)
    loss = F.mse_loss(out(weights), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# %% a policy whose softmax runs over the states
#: thread: issue, jadore801120/attention-is-all-you-need-pytorch: question about softmax
#: cause: softmax_over_batch
#: shows: not bool(torch.allclose(probs.sum(1), torch.ones(6)))
policy = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 3))
states, actions, returns = torch.randn(6, 4), torch.randint(0, 3, (6,)), torch.randn(6)
probs = nn.Softmax(dim=0)(policy(states))  # <- -
# + probs = nn.Softmax(dim=1)(policy(states))
log_prob = torch.log(probs.gather(1, actions[:, None])).squeeze(1)
loss = -(log_prob * returns).mean()
loss.backward()

# %% attention over a dimension of size one
#: thread: issue, DEEP-PolyU/KEQA_WSDM19: Attention Weight Bug in Embedding
#: cause: single_score
#: shows: bool((attn_weights == 1).all())
attn, rnn = nn.Linear(6, 1), nn.Linear(4, 4)
x, outputs = torch.randn(10, 2), torch.randn(10, 4)
hidden = rnn(outputs)
attn_weights = F.softmax(attn(torch.cat((x, hidden), 1)), dim=1)  # <- -
# + attn_weights = F.softmax(attn(torch.cat((x, hidden), 1)), dim=0)
context = (attn_weights * hidden).sum(0)
loss = context.pow(2).sum()
loss.backward()

# %% a softmax over the single output of a binary classifier
#: thread: forum, PyTorch forums: my binary classifier always predicts 1
#: cause: single_score
#: shows: bool((net(x) == 1).all())
net = nn.Sequential(nn.Linear(4, 1), nn.Softmax(dim=1))  # -
# + net = nn.Sequential(nn.Linear(4, 1), nn.Sigmoid())
optimizer = torch.optim.Adam(net.parameters())
x, y = torch.randn(10, 4), torch.randint(0, 2, (10, 1)).float()
for i in range(3):
    out = net(x)  # <-
    loss = F.mse_loss(out, y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# %% probabilities outside of 0 and 1
#: thread: forum, Stack Overflow: all elements of input should be between 0 and 1
#: cause: bce_of_logits, out_of_range
#: raises: RuntimeError: all elements of input should be between 0 and 1
net = nn.Linear(4, 1)
x, y = torch.randn(10, 4), torch.ones(10, 1)
out = net(x)
# + out = torch.sigmoid(out)
loss = nn.BCELoss()(out, y)  # <-
loss.backward()

# %% class labels that start at one
#: thread: forum, Stack Overflow: IndexError: Target 3 is out of bounds
#: cause: class_out_of_range
#: raises: IndexError: Target 3 is out of bounds.
net = nn.Linear(4, 3)
x, labels = torch.randn(6, 4), torch.tensor([1, 2, 3, 1, 2, 3])
# + labels = labels - 1
loss = F.cross_entropy(net(x), labels)  # <-
loss.backward()

# %% one-hot labels of integers
#: thread: forum, PyTorch forums: expected floating point type for target with class probabilities, got Long
#: cause: target_dtype
#: raises: RuntimeError: Expected floating point type for target with class probabilities, got Long
net = nn.Linear(4, 3)
x, labels = torch.randn(6, 4), F.one_hot(torch.tensor([0, 1, 2, 0, 1, 2]))
# + labels = labels.argmax(1)
loss = F.cross_entropy(net(x), labels)  # <-
loss.backward()
