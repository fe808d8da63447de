"""A character model with an embedding and a GRU; an LSTM."""

import torch, torch.nn as nn

torch.manual_seed(1)
text = "hello world, hello torch"
chars = sorted(set(text))
stoi = {c: i for i, c in enumerate(chars)}
data = torch.tensor([stoi[c] for c in text])


class CharRNN(nn.Module):
    def __init__(s, v, h):
        super().__init__()
        s.emb = nn.Embedding(v, 8)
        s.rnn = nn.GRU(8, h, batch_first=True)
        s.out = nn.Linear(h, v)

    def forward(s, x, h=None):
        e = s.emb(x)
        o, h = s.rnn(e, h)
        return s.out(o), h


m = CharRNN(len(chars), 16)
print(m)
opt = torch.optim.Adam(m.parameters(), 1e-2)
for i in range(10):
    lo, _ = m(data[None, :-1])
    loss = nn.functional.cross_entropy(lo.view(-1, len(chars)), data[1:])
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(round(loss.item(), 4))
lstm = nn.LSTM(8, 5, num_layers=2, bidirectional=True)
o, (h, c) = lstm(torch.randn(3, 2, 8))
print(o.shape, h.shape, o[0, 0])
print(lstm)
