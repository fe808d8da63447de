"""Optimizers and a cosine schedule."""

import torch, torch.nn as nn

torch.manual_seed(0)
m = nn.Linear(4, 2)
for O in (
    lambda p: torch.optim.SGD(p, 0.1, 0.9),
    lambda p: torch.optim.RMSprop(p, 0.01),
    lambda p: torch.optim.Adagrad(p, 0.1),
    lambda p: torch.optim.AdamW(p, 0.01, amsgrad=True),
    lambda p: torch.optim.NAdam(p),
    lambda p: torch.optim.RAdam(p, 0.05),
):
    o = O(m.parameters())
    s = torch.optim.lr_scheduler.CosineAnnealingLR(o, 10)
    for i in range(3):
        o.zero_grad()
        m(torch.ones(1, 4)).pow(2).sum().backward()
        o.step()
        s.step()
    print(m.weight, o)
    print(s.get_last_lr())
