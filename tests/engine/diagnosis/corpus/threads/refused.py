"""Shapes, types and values that PyTorch refuses, as people ask about them."""
#: thread: where people asked, and how they called it
#: cause: the kinds of findings that name the cause
#: shows?: true after the broken program, false after the mended one
#: raises?: how the broken program ends
#: missed?: why it is not found today

import copy, math; import numpy as np; import torch; import torch.nn as nn; import torch.nn.functional as F; torch.manual_seed(0)

# %% features from numpy are doubles
#: thread: issue, OUCMachineLearning/OUCML: 3.2.1 RuntimeError: expected scalar type Double but found Float
#: cause: dtype_mismatch
#: raises: RuntimeError: expected m1 and m2 to have the same dtype, but got: double != float
features = torch.from_numpy(np.random.RandomState(0).normal(0, 1, (10, 2)))  # <-
# + features = features.to(torch.float32)
w = torch.randn(2, 1, requires_grad=True)
pred = torch.mm(features, w)  # <-
pred.sum().backward()

# %% a data set of numpy arrays
#: thread: issue, pytorch/pytorch: Type Conversions
#: cause: dtype_mismatch
#: raises: RuntimeError: mat1 and mat2 must have the same dtype, but got Double and Float
X = np.linspace(0, 1, 12).reshape(6, 2)
model = nn.Linear(2, 1)
x = torch.tensor(X)  # <- -
# + x = torch.tensor(X, dtype=torch.float32)
out = model(x)  # <-
out.mean().backward()

# %% images are bytes
#: thread: forum, PyTorch forums: expected scalar type Byte but found Float
#: cause: dtype_mismatch
#: raises: RuntimeError:
conv = nn.Conv2d(3, 4, 3)
img = torch.randint(0, 256, (1, 3, 8, 8), dtype=torch.uint8)  # <-
# + img = img.float() / 255
out = conv(img)  # <-
out.mean().backward()

# %% labels of type float
#: thread: forum, Stack Overflow: expected scalar type Long but found Float, cross entropy
#: cause: target_dtype, dtype_mismatch
#: raises: RuntimeError: expected target dtype to be Long or Byte, but got Float
net = nn.Linear(4, 3)
labels = torch.tensor([0.0, 2.0, 1.0])  # <-
# + labels = labels.long()
loss = F.cross_entropy(net(torch.randn(3, 4)), labels)  # <-
loss.backward()

# %% a half precision model and float input
#: thread: forum, PyTorch forums: mat1 and mat2 must have the same dtype, but got Float and Half
#: cause: dtype_mismatch
#: raises: RuntimeError: mat1 and mat2 must have the same dtype, but got Float and Double
model = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 1)).double()
x = torch.rand(2, 4)
# + x = x.double()
model(x).sum().backward()  # <-

# %% an integer parameter
#: thread: forum, Stack Overflow: Only Tensors of floating point and complex dtype can require gradients
#: cause: integer_requires_grad
#: raises: RuntimeError: Only Tensors of floating point
x = torch.tensor([1, 2, 3], requires_grad=True)  # <- -
# + x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
(x * x).sum().backward()

# %% the flattened size is wrong
#: thread: issue, pytorch/pytorch: RuntimeError: mat1 and mat2 shapes cannot be multiplied
#: cause: matrix_shapes
#: raises: RuntimeError: mat1 and mat2 shapes cannot be multiplied (4x128 and 72x10)
class CNN(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 8, 3, padding=1)
        self.pool = nn.MaxPool2d(2)
        self.fc = nn.Linear(8 * 3 * 3, 10)  # <- -
        # + self.fc = nn.Linear(8 * 4 * 4, 10)

    def forward(self, x):
        x = self.pool(F.relu(self.conv(x)))
        x = x.view(x.size(0), -1)
        return self.fc(x)  # <-

loss = F.cross_entropy(CNN()(torch.randn(4, 1, 8, 8)), torch.randint(0, 10, (4,)))
loss.backward()

# %% the feature map is not flattened
#: thread: forum, Stack Overflow: mat1 and mat2 shapes cannot be multiplied after conv layers
#: cause: matrix_shapes
#: raises: RuntimeError: mat1 and mat2 shapes cannot be multiplied
net = nn.Sequential(nn.Conv2d(1, 2, 3), nn.ReLU(), nn.Linear(2 * 4 * 4, 3))  # -
# + net = nn.Sequential(nn.Conv2d(1, 2, 3), nn.ReLU(), nn.Flatten(), nn.Linear(2 * 4 * 4, 3))
out = net(torch.randn(5, 1, 6, 6))  # <-
out.mean().backward()

# %% two layers that do not fit
#: thread: issue, theislab/multimil: RuntimeError: mat1 and mat2 shapes cannot be multiplied (256x35228 and 30x30)
#: cause: matrix_shapes
#: raises: RuntimeError: mat1 and mat2 shapes cannot be multiplied (8x16 and 32x4)
class MLP(nn.Module):
    def __init__(self, n_in, n_hidden, n_out):
        super().__init__()
        self.a = nn.Linear(n_in, n_hidden // 2)  # -
        # + self.a = nn.Linear(n_in, n_hidden)
        self.b = nn.Linear(n_hidden, n_out)  # <-

    def forward(self, x):
        return self.b(torch.relu(self.a(x)))  # <-

MLP(10, 32, 4)(torch.randn(8, 10)).sum().backward()

# %% a skip connection of another width
#: thread: forum, PyTorch forums: The size of tensor a must match the size of tensor b, residual block
#: cause: shapes_do_not_broadcast
#: raises: RuntimeError: The size of tensor a (8) must match the size of tensor b (4) at non-singleton dimension 1
class Block(nn.Module):
    def __init__(self, c_in, c_out):
        super().__init__()
        self.conv = nn.Conv2d(c_in, c_out, 3, padding=1)
        # + self.skip = nn.Conv2d(c_in, c_out, 1)

    def forward(self, x):
        # + return torch.relu(self.conv(x) + self.skip(x))
        return torch.relu(self.conv(x) + x)  # <- -

Block(4, 8)(torch.randn(2, 4, 5, 5)).mean().backward()

# %% channels come last
#: thread: forum, Stack Overflow: expected input to have 3 channels, but got 32 channels instead
#: cause: layer_size
#: raises: RuntimeError: Given groups=1, weight of size [4, 3, 3, 3], expected input[2, 8, 8, 3] to have 3 channels, but got 8 channels instead
conv = nn.Conv2d(3, 4, 3)
images = torch.rand(2, 8, 8, 3)
# + images = images.permute(0, 3, 1, 2)
conv(images).mean().backward()  # <-

# %% batch norm of a last batch of one
#: thread: issue, pytorch/pytorch: Batchnorm1d cannot work with batch size == 1
#: cause: one_value_per_channel
#: raises: ValueError: Expected more than 1 value per channel when training, got input size torch.Size([1, 4])
from torch.utils.data import DataLoader, TensorDataset
data = TensorDataset(torch.randn(9, 3), torch.randn(9, 1))
loader = DataLoader(data, batch_size=4)  # <- -
# + loader = DataLoader(data, batch_size=4, drop_last=True)
model = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Linear(4, 1))
for x, y in loader:
    loss = F.mse_loss(model(x), y)  # <-
    loss.backward()

# %% one sample goes through a network that trains
#: thread: issue, meetps/pytorch-semseg: Expected more than 1 value per channel when training - On pspnet
#: cause: one_value_per_channel
#: raises: ValueError: Expected more than 1 value per channel when training
net = nn.Sequential(nn.Conv2d(3, 4, 3), nn.AdaptiveAvgPool2d(1), nn.BatchNorm2d(4), nn.Flatten(), nn.Linear(4, 2))
image = torch.randn(1, 3, 8, 8)
# + net.eval()
out = net(image)  # <-
out.sum().backward()

# %% backward of a vector of losses
#: thread: forum, Stack Overflow: grad can be implicitly created only for scalar outputs
#: cause: backward_on_vector
#: raises: RuntimeError: grad can be implicitly created only for scalar outputs
net = nn.Linear(4, 3)
x, y = torch.randn(6, 4), torch.randint(0, 3, (6,))
loss = F.cross_entropy(net(x), y, reduction="none")
# + loss = loss.mean()
loss.backward()  # <-

# %% a model that has kept its output is copied
#: thread: issue, pytorch/pytorch: Problem about using "deepcopy(model)"
#: cause: copy_of_non_leaf
#: raises: RuntimeError: Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the moment.
class Test(nn.Module):
    def __init__(self):
        super().__init__()
        self.con1 = nn.Conv2d(1, 2, 3)

    def forward(self, x):
        self.exp = self.con1(x)  # <- -
        # + self.exp = self.con1(x).detach()
        return self.con1(x)

model = Test()
model(torch.randn(1, 1, 6, 6)).sum().backward()
copied = copy.deepcopy(model)  # <-

# %% inference tensors are trained on
#: thread: forum, PyTorch forums: Inference tensors cannot be saved for backward
#: cause: inference_tensor
#: raises: RuntimeError: Inference tensors cannot be saved for backward.
enc, head = nn.Linear(4, 4), nn.Linear(4, 1)
# + with torch.no_grad():
with torch.inference_mode():  # <- -
    features = enc(torch.randn(8, 4))
loss = head(features).mean()  # <-
loss.backward()

# %% requires_grad of a result
#: thread: forum, Stack Overflow: you can only change requires_grad flags of leaf variables
#: cause: flag_of_non_leaf
#: raises: RuntimeError: you can only change requires_grad flags of leaf variables.
enc = nn.Linear(4, 3)
code = enc(torch.randn(2, 4))
code.requires_grad = False  # <- -
# + code = code.detach()
loss = nn.Linear(3, 1)(code).sum()
loss.backward()

# %% an unused input of autograd.grad
#: thread: issue, pytorch/pytorch: One of the differentiated Tensors appears to not have been used in the graph
#: cause: unused_input
#: raises: RuntimeError: The differentiated Tensor at index 1 appears to not have been used in the graph
a, b = nn.Linear(3, 3), nn.Linear(3, 3)
x = torch.randn(4, 3)
loss = a(x).pow(2).sum()
# + loss = loss + b(x).pow(2).sum()
grads = torch.autograd.grad(loss, [a.weight, b.weight])  # <-
print([round(float(g.norm()), 3) for g in grads])

# %% an index that the embedding does not have
#: thread: forum, Stack Overflow: IndexError: index out of range in self
#: cause: index_out_of_range
#: raises: IndexError: index out of range in self
vocab = {"a": 0, "b": 1, "c": 2, "<pad>": 3}
emb = nn.Embedding(len(vocab) - 1, 4)  # <- -
# + emb = nn.Embedding(len(vocab), 4)
out = emb(torch.tensor([[0, 1, 3], [2, 2, 3]]))  # <-
out.sum().backward()

# %% a hook on a frozen layer never runs
#: thread: issue, yizt/Grad-CAM.pytorch: module.register_backward_hook has no output
#: cause: none_used
#: raises: TypeError
class Cam:
    def __init__(self, net, layer):
        self.net, self.gradient = net, None
        layer.register_full_backward_hook(self.keep)
    def keep(self, module, given, arrived):
        self.gradient = arrived[0]
    def __call__(self, image):
        self.net(image)[0, 1].backward()
        return self.gradient[0].mean()  # <-

net = nn.Sequential(nn.Conv2d(1, 2, 3), nn.ReLU(), nn.Flatten(), nn.Linear(32, 3))
for p in net[0].parameters():
    p.requires_grad = False
image = torch.rand(1, 1, 6, 6)  # -
# + image = torch.rand(1, 1, 6, 6, requires_grad=True)
print(Cam(net, net[0])(image))
