"""What answers cost: the findings of programs of several kinds, and `why` of a parameter, of the loss and of a line.

Every program is run twice: for about 30,000 events, and for three times as long, which shows that the cost is linear. All
figures are CPU time, medians over recordings of which nothing had been asked before: one opened from its file's bytes, and one
just run. `--rules` prints what each rule costs, and what is made before it because it is the first that wants it.
"""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Sequence

from benchmarks.recording import RNN
from benchmarks.sizes import options
from benchmarks.training import TRAINING
from engine import limits
from engine.diagnosis import findings, why
from engine.diagnosis.findings import RULES
from engine.diagnosis.paths import paths_of
from engine.recording import Recording
from engine.recording.columns import columns_of
from engine.sandbox import Limits, run

MLP = """import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Dropout(0.1), nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 3))
xs = torch.randn(256, 8)
ys = torch.randint(0, 3, (256,))
loader = DataLoader(TensorDataset(xs, ys), batch_size=32, shuffle=True)
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
schedule = torch.optim.lr_scheduler.StepLR(opt, step_size=10, gamma=0.9)
criterion = nn.CrossEntropyLoss()
for epoch in range({n}):
    model.train()
    total = 0.0
    for x, y in loader:
        opt.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        total += loss.item()
    schedule.step()
    model.eval()
    with torch.no_grad():
        accuracy = (model(xs).argmax(1) == ys).float().mean().item()
"""
GPT = """import math
import torch
from torch import nn
from torch.nn import functional as F
torch.manual_seed(0)

class Attention(nn.Module):
    def __init__(self, width, heads, block):
        super().__init__()
        self.c_attn = nn.Linear(width, 3 * width)
        self.c_proj = nn.Linear(width, width)
        self.register_buffer("bias", torch.tril(torch.ones(block, block)).view(1, 1, block, block))
        self.heads, self.width = heads, width

    def forward(self, x):
        B, T, C = x.size()
        q, k, v = self.c_attn(x).split(self.width, dim=2)
        k = k.view(B, T, self.heads, C // self.heads).transpose(1, 2)
        q = q.view(B, T, self.heads, C // self.heads).transpose(1, 2)
        v = v.view(B, T, self.heads, C // self.heads).transpose(1, 2)
        att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
        att = att.masked_fill(self.bias[:, :, :T, :T] == 0, float("-inf"))
        att = F.softmax(att, dim=-1)
        y = (att @ v).transpose(1, 2).contiguous().view(B, T, C)
        return self.c_proj(y)

class Block(nn.Module):
    def __init__(self, width, heads, block):
        super().__init__()
        self.ln_1 = nn.LayerNorm(width)
        self.attn = Attention(width, heads, block)
        self.ln_2 = nn.LayerNorm(width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x):
        x = x + self.attn(self.ln_1(x))
        return x + self.mlp(self.ln_2(x))

class GPT(nn.Module):
    def __init__(self, vocab, width, heads, block, layers):
        super().__init__()
        self.wte = nn.Embedding(vocab, width)
        self.wpe = nn.Embedding(block, width)
        self.h = nn.ModuleList(Block(width, heads, block) for _ in range(layers))
        self.ln_f = nn.LayerNorm(width)
        self.lm_head = nn.Linear(width, vocab, bias=False)

    def forward(self, idx, targets):
        x = self.wte(idx) + self.wpe(torch.arange(idx.size(1)).unsqueeze(0))
        for block in self.h:
            x = block(x)
        logits = self.lm_head(self.ln_f(x))
        loss = F.cross_entropy(logits.view(-1, logits.size(-1)), targets.view(-1))
        return logits, loss

data = torch.randint(0, 11, (500,))
model = GPT(vocab=11, width=16, heads=2, block=8, layers=2)
opt = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=0.1)
for step in range({n}):
    ix = torch.randint(len(data) - 9, (4,))
    x = torch.stack([data[i : i + 8] for i in ix])
    y = torch.stack([data[i + 1 : i + 9] for i in ix])
    logits, loss = model(x, y)
    opt.zero_grad(set_to_none=True)
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    opt.step()
"""
GAN = """import torch
from torch import nn
torch.manual_seed(0)
G = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
D = nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1), nn.Sigmoid())
bce = nn.BCELoss()
opt_g = torch.optim.Adam(G.parameters(), lr=2e-4, betas=(0.5, 0.999))
opt_d = torch.optim.Adam(D.parameters(), lr=2e-4, betas=(0.5, 0.999))
ones, zeros = torch.ones(16, 1), torch.zeros(16, 1)
for step in range({n}):
    real = torch.randn(16, 2) + 3
    fake = G(torch.randn(16, 4))
    opt_d.zero_grad()
    d_loss = bce(D(real), ones) + bce(D(fake.detach()), zeros)
    d_loss.backward()
    opt_d.step()
    opt_g.zero_grad()
    g_loss = bce(D(fake), ones)
    g_loss.backward()
    opt_g.step()
"""
REINFORCE = """import torch
from torch import nn
from torch.nn import functional as F
torch.manual_seed(0)
policy = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 2))
opt = torch.optim.Adam(policy.parameters(), lr=1e-2)
for episode in range({n}):
    state = torch.randn(4)
    log_probs, rewards = [], []
    for t in range(10):
        log_p = F.log_softmax(policy(state), dim=-1)
        action = torch.multinomial(log_p.detach().exp(), 1)
        log_probs.append(log_p[action.item()])
        rewards.append(1.0 if (action.item() == 1) == (state[0].item() > 0) else 0.0)
        state = torch.randn(4)
    returns, total = [], 0.0
    for reward in reversed(rewards):
        total = reward + 0.99 * total
        returns.insert(0, total)
    returns = torch.tensor(returns)
    returns = (returns - returns.mean()) / (returns.std() + 1e-8)
    loss = -(torch.stack(log_probs) * returns).sum()
    opt.zero_grad()
    loss.backward()
    opt.step()
"""
CHAIN = """import torch
x = torch.ones((), requires_grad=True)
w, b = torch.ones(()) * 0.5, torch.ones(()) * 0.1
y = x
for k in range({n}):
    y = y * w
    y = y + b
    y = torch.tanh(y)
loss = y.sum()
loss.backward()
"""
FUNCTION = """import torch
torch.manual_seed(0)
class Swish(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, beta):
        s = torch.sigmoid(beta * x)
        ctx.save_for_backward(x, s, beta)
        return x * s
    @staticmethod
    def backward(ctx, grad):
        x, s, beta = ctx.saved_tensors
        d = s * (1 - s)
        return grad * (s + beta * x * d), (grad * x * x * d).sum()
w = torch.randn(4, 8, requires_grad=True)
v = torch.randn(8, 1, requires_grad=True)
beta = torch.ones((), requires_grad=True)
xs, ys = torch.randn(16, 4), torch.randn(16, 1)
opt = torch.optim.SGD([w, v, beta], lr=0.05)
for step in range({n}):
    opt.zero_grad()
    loss = ((Swish.apply(xs @ w, beta) @ v - ys) ** 2).mean()
    loss.backward()
    opt.step()
"""
PROGRAMS: dict[str, tuple[str, int, str]] = {
    "training script": (TRAINING.replace("{k}", "{n}"), 200, "model.fc1.weight"),
    "MLP, Adam, DataLoader": (MLP, 30, "model.0.weight"),
    "RNN over time": (RNN, 92, "W"),
    "minGPT of 2 blocks": (GPT, 70, "model.h.0.attn.c_attn.weight"),
    "GAN": (GAN, 310, "G.0.weight"),
    "REINFORCE": (REINFORCE, 75, "policy.0.weight"),
    "chain of operations": (CHAIN, 3_300, "x"),
    "custom Function": (FUNCTION, 1_200, "w"),
}
"""Title → program, how often its loop runs for about 30,000 events, and a parameter."""
TIMES = (1, 3)
ALL = Limits(seconds=3_600, events=limits.MOST_EVENTS, facts=2**30, parts=10**9, memory_mb=16_384)
"""So much that nothing grows thinner."""


def recorded(program: str) -> Recording:
    """The recording of a run."""
    result = run(program, ALL)
    assert result.status == "ok", result.error
    assert result.recording is not None
    return result.recording


def cost(work: Callable[..., object], *given: object) -> float:
    """CPU milliseconds of some work with what it is given."""
    gc.collect()
    began = time.process_time()
    work(*given)
    return (time.process_time() - began) * 1e3


def line_of_loss(program: str) -> str:
    """The question about the last line that makes a loss."""
    lines = [number for number, line in enumerate(program.splitlines(), 1) if "loss = " in line]
    return f"line {lines[-1]}"


def row(title: str, program: str, parameter: str, rounds: int) -> str:
    """One program's figures."""
    run_here = [recorded(program) for _ in range(min(rounds, 3))]
    file, events = run_here[0].to_bytes(), len(run_here[0].events)
    just_run = statistics.median(cost(findings, each) for each in run_here)
    opened = statistics.median(cost(findings, Recording.load(file)) for _ in range(rounds))
    cells = [f"{opened:.0f}", f"{just_run:.0f}"]
    for question in (parameter, "why is the loss not going down", line_of_loss(program)):
        first, second = [], []
        for _ in range(rounds):
            recording = Recording.load(file)
            first.append(cost(why, recording, question))
            second.append(cost(why, recording, question))
        cells.append(f"{statistics.median(first):.0f} / {statistics.median(second):.1f}")
    return f"| {title} | {events:,} | {' | '.join(cells)} |"


def rules(title: str, program: str, rounds: int, most: int = 25) -> None:
    """Print the rules that cost most, of a recording that was opened, each with what it is the first to want."""
    file = recorded(program).to_bytes()
    times: dict[str, list[float]] = {}
    for _ in range(rounds):
        recording = Recording.load(file)
        run_of = paths_of(recording).run
        times.setdefault("(index)", []).append(cost(lambda each: columns_of(each).tensors, recording))
        for rule in RULES:
            name = f"{rule.__module__.rpartition('.')[2]}.{rule.__name__}"
            times.setdefault(name, []).append(cost(lambda of, each: list(of(each)), rule, run_of))
    found = sorted(((statistics.median(each), name) for name, each in times.items()), reverse=True)
    print(f"\n{title}: {len(Recording.load(file).events):,} events, {len(RULES)} rules, ms\n\n| rule | ms |\n|---|---|")
    for taken, name in found[:most]:
        print(f"| {name} | {taken:.1f} |")


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table, or what the rules cost."""
    parser = options(__doc__)
    parser.add_argument("--rules", action="store_true", help="what each rule costs")
    parser.add_argument("--only", default="", metavar="TEXT", help="only programs with this in their title")
    chosen = parser.parse_args(arguments)
    small, rounds = chosen.smallest, 1 if chosen.smallest else 5
    asked = {title: each for title, each in PROGRAMS.items() if chosen.only.lower() in title.lower()}
    run("import torch")
    gc.freeze()  # what is loaded is not looked through before each measurement
    if chosen.rules:
        for title, (text, count, _) in asked.items():
            rules(title, text.replace("{n}", "2" if small else str(count)), rounds)
        return
    print("\nAnswers: CPU ms of recordings of which nothing was asked before; why: first / the same again\n")
    print("| | events | findings, opened | findings, just run | why of a parameter | why of the loss | why of a line |")
    print("|---|---|---|---|---|---|---|")
    for title, (text, count, parameter) in asked.items():
        for times in TIMES[:1] if small else TIMES:
            print(row(title, text.replace("{n}", "2" if small else str(count * times)), parameter, rounds), flush=True)


if __name__ == "__main__":
    main()
