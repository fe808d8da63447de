"""Hessians and Newton steps; torch.func."""

import torch


def rosen(x):
    return (1 - x[0]) ** 2 + 100 * (x[1] - x[0] ** 2) ** 2


x = torch.tensor([-1.0, 1.5], requires_grad=True)
H = torch.autograd.functional.hessian(rosen, x)
print(H)
for i in range(2):
    (g,) = torch.autograd.grad(rosen(x), x, create_graph=True)
    H = torch.stack([torch.autograd.grad(g[i], x, retain_graph=True)[0] for i in range(2)])
    with torch.no_grad():
        x -= torch.linalg.solve(H, g)
    print(x.detach().round(decimals=2))
print(torch.func.hessian(rosen)(torch.tensor([1.0, 1.0])), torch.func.jacrev(lambda v: v**3)(torch.tensor([1.0, 2.0])))
print(torch.func.vmap(torch.func.grad(lambda v: (v**2).sum()))(torch.arange(6.0).reshape(3, 2)))
