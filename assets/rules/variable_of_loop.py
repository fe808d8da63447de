"""A slow copy of a network is to follow the network, and only the variable of the loop is given the new values."""

# %% broken
import copy

import torch
from torch import nn

torch.manual_seed(0)
student = nn.Linear(4, 2)
teacher = copy.deepcopy(student)
optimizer = torch.optim.SGD(student.parameters(), lr=0.5)
for step in range(4):
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(student(torch.randn(8, 4)), torch.randint(0, 2, (8,)))
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        for slow, fast in zip(teacher.parameters(), student.parameters()):
            slow = 0.9 * slow + 0.1 * fast
print(teacher.weight)

# %% mended
import copy

import torch
from torch import nn

torch.manual_seed(0)
student = nn.Linear(4, 2)
teacher = copy.deepcopy(student)
optimizer = torch.optim.SGD(student.parameters(), lr=0.5)
for step in range(4):
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(student(torch.randn(8, 4)), torch.randint(0, 2, (8,)))
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        for slow, fast in zip(teacher.parameters(), student.parameters()):
            slow.copy_(0.9 * slow + 0.1 * fast)
print(teacher.weight)
