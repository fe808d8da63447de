"""The log probabilities of the actions are taken with [:, actions], from all rows."""

# %% broken
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
policy = nn.Linear(4, 3)
optimizer = torch.optim.Adam(policy.parameters(), lr=0.01)
states, actions, returns = torch.randn(10, 4), torch.randint(0, 3, (10,)), torch.randn(10)
for step in range(3):
    log_probs = F.log_softmax(policy(states), dim=1)
    chosen = log_probs[:, actions]
    loss = -(chosen * returns).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# %% mended
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
policy = nn.Linear(4, 3)
optimizer = torch.optim.Adam(policy.parameters(), lr=0.01)
states, actions, returns = torch.randn(10, 4), torch.randint(0, 3, (10,)), torch.randn(10)
for step in range(3):
    log_probs = F.log_softmax(policy(states), dim=1)
    chosen = log_probs[torch.arange(10), actions]
    loss = -(chosen * returns).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
