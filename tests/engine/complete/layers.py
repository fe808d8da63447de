"""Layers and losses one by one."""

import torch, torch.nn as nn

torch.manual_seed(7)
l = nn.LayerNorm(4)
x = torch.randn(2, 4)
print(l(x))
print(nn.GroupNorm(2, 4)(torch.randn(1, 4, 2)))
print(nn.Dropout(0.5)(torch.ones(10)))
print(nn.Softmax(dim=-1)(x))
print(nn.GELU()(x))
print(nn.CrossEntropyLoss(label_smoothing=0.1)(x, torch.tensor([0, 3])))
e = nn.Embedding(5, 3, padding_idx=0)
print(e(torch.tensor([[0, 1], [4, 0]])))
print(e)
c = nn.Conv1d(2, 3, 3)
print(c(torch.randn(1, 2, 5)), c)
print(nn.Upsample(scale_factor=2)(torch.arange(4.0).view(1, 1, 2, 2)))
print(nn.AdaptiveAvgPool2d(1)(torch.ones(1, 2, 3, 3)).shape)
print(nn.Flatten()(torch.ones(2, 3, 4)).shape)
print(
    nn.BCEWithLogitsLoss()(torch.tensor([0.5, -1.0]), torch.tensor([1.0, 0.0])),
    nn.HuberLoss()(torch.tensor([3.0]), torch.tensor([0.0])),
    nn.KLDivLoss(reduction="batchmean")(torch.log_softmax(x, 1), torch.softmax(x * 2, 1)),
)
print(
    nn.Bilinear(2, 3, 1)(torch.ones(1, 2), torch.ones(1, 3)),
    nn.PReLU()(torch.tensor([-1.0, 1.0])),
    nn.CosineSimilarity()(x, x * 2),
)
