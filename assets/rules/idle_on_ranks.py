"""Started by torchrun: each rank trains a head of its own, and gradients of one are averaged with the other's."""

# %% broken
import torch
import torch.distributed as dist
from torch import nn

dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()
torch.manual_seed(0)
body = nn.Linear(4, 8)
heads = nn.ModuleList([nn.Linear(8, 1), nn.Linear(8, 1)])
parameters = [*body.parameters(), *heads.parameters()]
optimizer = torch.optim.SGD(parameters, lr=0.1)
torch.manual_seed(rank)
for step in range(3):
    x = torch.randn(16, 4)
    loss = ((heads[rank % 2](torch.tanh(body(x))) - x.sum(1, keepdim=True)) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    for p in parameters:
        if p.grad is None:
            continue
        dist.all_reduce(p.grad)
        p.grad /= size
    optimizer.step()
dist.destroy_process_group()

# %% mended
import torch
import torch.distributed as dist
from torch import nn

dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()
torch.manual_seed(0)
body = nn.Linear(4, 8)
heads = nn.ModuleList([nn.Linear(8, 1), nn.Linear(8, 1)])
parameters = [*body.parameters(), *heads.parameters()]
optimizer = torch.optim.SGD(parameters, lr=0.1)
torch.manual_seed(rank)
for step in range(3):
    x = torch.randn(16, 4)
    loss = ((heads[rank % 2](torch.tanh(body(x))) - x.sum(1, keepdim=True)) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    for p in parameters:
        if p.grad is None:
            p.grad = torch.zeros_like(p)
        dist.all_reduce(p.grad)
        p.grad /= size
    optimizer.step()
dist.destroy_process_group()
