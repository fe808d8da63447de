"""What was found about the very thing that is asked about stands before the answer, where that is but a fact."""

from __future__ import annotations

from engine.diagnosis import findings, why
from engine.diagnosis.concerning import beneath, concerning
from engine.diagnosis.findings.catalogue import entry
from engine.diagnosis.gradcheck.functions import check_functions, keep
from engine.recording import Recording
from engine.sandbox import run
from tests.recorded import recorded

COLUMNS = """import torch
x = torch.rand(8, 2, requires_grad=True)
a, t = x[:, 0:1], x[:, 1:2]
u = (x ** 2).sum(1, keepdim=True)
torch.autograd.grad(u, t, torch.ones_like(u))
"""
TWICE = """import torch
w = torch.ones(3, requires_grad=True)
for k in range(4):
    p = torch.sigmoid(torch.randn(8, 3) @ w)
    q = p * 1
    loss = torch.nn.functional.binary_cross_entropy_with_logits(p, torch.ones(8))
    loss.backward()
"""


def about(recording: Recording, name: str) -> str:
    found = concerning(recording, why(recording, name), findings(recording))
    return "" if found is None else found.rule


def test_it_is_found_by_the_tensor() -> None:
    recording = recorded(COLUMNS)
    assert about(recording, "t") == "unused_input"
    assert about(recording, "a") == "", "of which nothing was asked"
    (found,) = findings(recording)
    assert found.title == "autograd.grad is asked for the gradient of t, but the result was computed from x itself."
    assert "t was made from x at line" in found.explanation
    assert "torch.cat" in found.fix


def test_before_it_has_happened_nothing_is_told_of_it() -> None:
    recording = recorded(COLUMNS)
    (found,) = findings(recording)
    assert concerning(recording, why(recording, "t", found.step), [found]) is found
    assert concerning(recording, why(recording, "t", found.step - 1), [found]) is None


def test_of_a_copy_no_parts_are_made() -> None:
    (found,) = findings(recorded(COLUMNS.replace("x[:, 1:2]", "x.clone()")))
    assert found.title == "autograd.grad is asked for the gradient of t, but the result was computed from x itself."
    assert "cat" not in found.fix


def test_what_is_asked_about_another_tensor_is_told_as_before() -> None:
    (found,) = findings(recorded(COLUMNS.replace("x[:, 1:2]", "torch.rand(8, 1, requires_grad=True)")))
    assert found.rule == "unused_input"
    assert "does not depend on" in found.title


def test_it_is_found_by_what_the_line_makes_in_another_iteration() -> None:
    recording = recorded(TWICE)
    (found,) = (f for f in findings(recording) if f.rule == "sigmoid_twice")
    reason = why(recording, "p")
    assert f"t{reason.tensor}" not in found.nodes, "the last one is asked about, and the first was found"
    assert about(recording, "p") == "sigmoid_twice"
    assert about(recording, "q") == "", "which another line made"


def test_an_answer_that_says_what_is_wrong_stands_by_itself() -> None:
    recording = recorded(
        "import torch\nw = torch.ones(2, requires_grad=True)\n(w * 2).detach().sum().requires_grad_().backward()\n"
    )
    reason = why(recording, "w")
    assert reason.wrong
    assert concerning(recording, reason, findings(recording)) is None


ALIAS = """import torch
net = torch.nn.Linear(2, 1)
shadow = {n: p.data for n, p in net.named_parameters()}
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(4):
    opt.zero_grad()
    net(torch.randn(4, 2)).pow(2).mean().backward()
    opt.step()
    with torch.no_grad():
        for n, p in net.named_parameters():
            shadow[n].mul_(0.9).add_(p.data, alpha=0.1)
"""
SWAPPED = """import torch
class Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a * b

    @staticmethod
    def backward(ctx, grad):
        a, b = ctx.saved_tensors
        return grad * a, grad * b

u = torch.nn.Linear(2, 3)
v = torch.nn.Linear(2, 3)
w = torch.nn.Linear(3, 1)
x = torch.randn(4, 2)
w(Product.apply(u(x), v(x))).sum().backward()
"""


def test_that_a_tensor_was_taken_out_of_its_graph_may_be_meant() -> None:
    recording = recorded(ALIAS)
    assert why(recording, "shadow['weight']").code == "cut_data"
    assert about(recording, "shadow['weight']") == "average_is_alias"
    alone = recorded(ALIAS.replace("p.data for", "p.data.clone() for"))
    assert about(alone, "shadow['weight']") == ""


def test_a_wrong_backward_is_told_of_the_leaves_that_get_its_gradient() -> None:
    recording = run(SWAPPED).recording
    assert recording is not None
    keep(recording, check_functions(recording))
    assert about(recording, "u.weight") == about(recording, "v.weight") == "wrong_backward"
    assert about(recording, "w.weight") == "", "which gets its gradient by another way"


def test_of_a_line_that_failed_what_explains_the_exception_leads() -> None:
    recording = recorded(
        "import torch\nlosses = torch.nn.CrossEntropyLoss(reduction='none')\nx = torch.ones(4, 3, requires_grad=True)\n"
        "loss = losses(x, torch.zeros(4, dtype=torch.long)) * 2\nloss.backward()\n"
    )
    reason = why(recording, "line 5")
    leading = concerning(recording, reason, findings(recording))
    assert leading is not None
    assert leading.title.startswith("loss has [4] elements")
    assert "as reduction='none' (line 2) asks for" in leading.explanation
    assert (beneath(reason, leading).explanation, beneath(reason, leading).fix) == ("", ""), "one cause, one headline"
    assert concerning(recording, why(recording, "line 2"), findings(recording)) is None


def test_a_gradient_of_one_of_several_is_asked_by_its_name() -> None:
    recording = recorded(
        "import torch\nnet = torch.nn.Linear(2, 1)\nfast = list(net.parameters())\nfor step in range(2):\n"
        "    loss = net(torch.ones(1, 2)).sum()\n    grads = torch.autograd.grad(loss, fast, create_graph=True)\n"
        "    fast = [p - 0.1 * g for p, g in zip(fast, grads)]\n"
    )
    leading = concerning(recording, why(recording, "line 6"), findings(recording))
    assert leading is not None
    assert leading.title == (
        "autograd.grad is asked for the gradient of fast[0], which was made at line 7, and loss is not computed from it."
    )


SINGLE = """import torch
net = torch.nn.Linear(2, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x, y = torch.randn(8, 2), torch.rand(8, 1)
for k in range(3):
    opt.zero_grad()
    p = torch.softmax(net(x), dim=1)
    loss = ((p - y) ** 2).mean()
    loss.backward()
    opt.step()
"""


def test_a_finding_leads_an_answer_that_its_kind_answers() -> None:
    recording = recorded(SINGLE)
    for asked in ("loss", "net.weight"):
        assert why(recording, asked).wrong
        assert about(recording, asked) == "single_score"
    assert "goes over a single element" in why(recording, "net.weight").title


def test_what_is_on_the_way_to_a_loss_is_told_of_the_loss() -> None:
    recording = recorded(SINGLE.replace("torch.softmax(net(x), dim=1)", "net(x)").replace("(p - y)", "(p - y[:, 0])"))
    assert not why(recording, "loss").wrong
    assert about(recording, "loss") == "broadcast_in_loss"
    assert about(recording, "net.weight") == "broadcast_in_loss", "its gradient came by way of that"


def test_what_says_the_cause_itself_stands_by_itself() -> None:
    recording = recorded(SINGLE.replace("lr=0.1", "lr=0.0").replace("torch.softmax(net(x), dim=1)", "net(x)"))
    assert {f.rule for f in findings(recording)} == {"zero_rate"}
    assert why(recording, "net.weight").code == "rate_zero"
    assert about(recording, "net.weight") == "", "the finding would say it once more"


def test_a_value_that_a_where_hides_is_one_origin_for_both() -> None:
    recording = recorded(
        "import torch\nw = torch.ones(3, 3, requires_grad=True)\npad = torch.tensor([[False] * 3, [True] * 3, [False] * 3])\n"
        "a = torch.softmax((w @ w) + torch.zeros(3, 3).masked_fill(pad, float('-inf')), -1)\nout = a @ w\n"
        "torch.where(pad, torch.zeros(3, 3), out).sum().backward()\n"
    )
    assert "it began with softmax(-inf) at line 4" in why(recording, "w").title
    (found,) = (f for f in findings(recording) if f.rule.startswith("nan"))
    assert (found.rule, found.line) == ("nan", 4)


STALE = """import torch
w = torch.ones(3, requires_grad=True)
opt = torch.optim.SGD([w], lr=0.001)
for k in range(13):
    loss = ((w - 4 * (k % 2)) ** 2).mean()
    loss.backward()
    opt.step()
"""


def test_a_line_that_ran_is_explained_by_what_was_found_there() -> None:
    recording = recorded(STALE)
    line = next(f.line for f in findings(recording) if f.rule == "no_zero_grad")
    assert about(recording, f"line {line}") == "no_zero_grad"
    assert about(recording, "line 2") == ""


def test_what_is_wrong_with_what_learns_is_told_of_a_loss_that_does_not_go_down() -> None:
    recording = recorded(STALE)
    reason = why(recording, "loss")
    assert (reason.code, reason.wrong) == ("loss_wanders", False)
    assert about(recording, "loss") == "no_zero_grad"


def test_what_is_found_at_a_losss_line_is_told_of_the_loss() -> None:
    recording = recorded(
        "import torch\nnet, x = torch.nn.Linear(2, 1), torch.randn(20, 2)\nopt = torch.optim.SGD(net.parameters(), lr=0.1)\n"
        "y = x.sum(1)\nfor k in range(9):\n    opt.zero_grad()\n    cost = torch.nn.functional.mse_loss(net(x), y)\n"
        "    cost.backward()\n    opt.step()\n"
    )
    assert why(recording, "cost").code == "loss_falls"
    assert about(recording, "cost") == "broadcast_in_loss"


def test_what_is_found_on_the_way_to_a_measure_is_told_of_it() -> None:
    recording = recorded(
        "import torch\nfrom torch import nn\nclass Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.fc = nn.Linear(4, 3)\n    def forward(self, x):\n        x = nn.Dropout(p=0.5)(x)\n"
        "        return self.fc(x)\nnet, x = Net().eval(), torch.randn(6, 4)\nother = torch.ones(2)\nwith torch.no_grad():\n"
        "    probs = net(x).softmax(1)\n    beside = other * 2\n"
    )
    assert why(recording, "probs").code == "cut_no_grad"
    assert about(recording, "probs") == "dropout_always_on"
    assert about(recording, "beside") == ""


def test_what_a_view_shows_is_told_of_the_view() -> None:
    recording = recorded(
        "import torch\nfrom torch import nn\nlinear, context = nn.Linear(3, 3), torch.randn(8, 5, 3)\n"
        "scores = torch.bmm(linear(torch.randn(8, 1, 3)), context.transpose(1, 2)).view(8, 5)\n"
        "weights = torch.softmax(scores, 0)\nweights = weights.view(8, 1, 5)\n"
        "torch.bmm(weights, context).pow(2).sum().backward()\n"
    )
    assert about(recording, "weights") == "attention_axis"


def test_at_a_line_that_is_asked_about_a_hint_leads_too_and_where_nothing_is_recorded() -> None:
    recording = recorded("""import torch
net = torch.nn.Sequential(torch.nn.Linear(2, 4), torch.nn.Dropout(), torch.nn.Linear(4, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x, accum = torch.randn(16, 2), 4
for i in range(5):
    net.train() if i == 0 else None
    for micro in range(accum):
        loss = net(x[micro::4]).pow(2).mean()
        loss.backward()
    opt.step(); opt.zero_grad()
    net.eval()
""")
    assert about(recording, "line 9") == "undivided_accumulation"
    assert about(recording, "line 11") == "eval_in_training"
    assert about(recording, "line 8") == "", "about which nothing was found"
    assert about(recording, "net[0].weight") != "undivided_accumulation", "a hint is no answer about a gradient"


def test_a_result_is_explained_by_what_was_found_at_the_line_that_made_it() -> None:
    recording = recorded(
        """import torch, torch.nn.functional as F
a, b = torch.randn(4, 3, requires_grad=True), torch.randn(4, 3)
loss_kl = F.kl_div(F.softmax(a, dim=1), F.softmax(b, dim=1), reduction="batchmean")
loss = a.pow(2).mean() + loss_kl
loss.backward()
"""
    )
    assert about(recording, "loss_kl.grad") == "kl_div_of_probabilities"


def test_a_line_that_what_ended_the_program_names_is_explained_by_that() -> None:
    recording = recorded(
        """import torch
from torch import nn
class Cam:
    def __init__(self, layer):
        self.gradient = None
        layer.register_full_backward_hook(self.keep)
    def keep(self, module, given, arrived):
        self.gradient = arrived[0]
net = nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 1)).requires_grad_(False)
net[1].requires_grad_(True)
cam = Cam(net[0])
net(torch.ones(1, 2)).sum().backward()
print(cam.gradient.shape)
"""
    )
    assert about(recording, "line 6") == "none_used"
    assert about(recording, "line 11") == ""
    (found,) = findings(recording)
    assert "Only keep sets it" in found.explanation


def test_a_hook_before_any_pass_waits_for_one() -> None:
    recording = recorded(
        """import torch
kept = {}
class Probe:
    seen = None
    def look(self, grad):
        self.seen = grad
probe, x = Probe(), torch.ones(2, requires_grad=True)
x.register_hook(probe.look)
print(probe.seen.sum())
"""
    )
    (found,) = findings(recording)
    assert "there was no backward pass before" in found.explanation


def test_data_that_a_where_leaves_out_are_told_with_where_it_does() -> None:
    recording = recorded(
        """import torch
w, y = torch.ones(2, requires_grad=True), torch.ones(2)
y[1] = float("nan")
for step in range(2):
    r = (w - y) ** 2
    loss = torch.where(torch.isnan(y), torch.zeros_like(r), r).sum()
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
    if step == 0:
        w.grad = None
"""
    )
    (found,) = findings(recording)
    assert (found.rule, found.line) == ("nan_gradient", 5)
    reason = why(recording, "w")
    assert "left out at line 6" in reason.explanation
    assert reason.fix.startswith("Make the input safe before the operation")


LOST = """import torch
w = torch.ones(3, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)
for epoch in range(2):
    optimizer.zero_grad()
    loss = 0
    for k in range(3):
        loss =+ (w * k - 1).pow(2).mean()
    loss.backward()
    optimizer.step()
"""
EMPTY = """import torch
from torch.utils.data import DataLoader, TensorDataset
net = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for x, in DataLoader(TensorDataset(torch.randn(20, 4)), batch_size=32, drop_last=True):
    optimizer.zero_grad()
    net(x).mean().backward()
    optimizer.step()
print("done")
"""


def test_a_gradient_is_explained_by_what_was_found_on_its_way() -> None:
    assert about(recorded(LOST), "w.grad") == "loss_lost"
    assert about(recorded(LOST.replace("=+", "+=")), "w.grad") == ""


def test_that_no_backward_ran_is_explained_by_the_loop_it_stands_in() -> None:
    assert about(recorded(EMPTY), "net.weight.grad") == "empty_loop"
    assert about(recorded(EMPTY.replace("(20, 4)", "(40, 4)")), "net.weight.grad") == ""


def test_a_loop_in_a_function_that_nobody_calls_is_none_that_holds_nothing() -> None:
    lines = EMPTY.splitlines()
    never = [*lines[:4], "def train():", *("    " + line for line in lines[4:-1]), lines[-1]]
    assert findings(recorded("\n".join(never) + "\n")) == []


SAMPLED = """import torch
from torch.utils.data import DataLoader, TensorDataset, WeightedRandomSampler
x, y = torch.randn(40, 4), (torch.arange(40) >= 32).long()
weights = 1 / torch.bincount(y)
sampler = WeightedRandomSampler(weights, 40)
loader = DataLoader(TensorDataset(x, y), batch_size=20, sampler=sampler)
for inputs, labels in loader:
    print(labels.sum() > 0)
"""


def test_what_is_no_tensor_is_explained_by_a_finding_that_names_its_line() -> None:
    assert about(recorded(SAMPLED), "loader") == "weights_of_classes"
    assert about(recorded(SAMPLED.replace("(weights,", "(weights[y],")), "loader") == ""


def test_a_closure_that_computes_no_gradients_is_told_of_what_does_not_move() -> None:
    recording = recorded(entry("closure_without_backward").broken)
    assert about(recording, "why does w not move") == "closure_without_backward"


def test_a_running_mean_is_explained_by_a_momentum_that_keeps_the_last_batch_alone() -> None:
    assert about(recorded(entry("momentum_of_last_batch").broken), "net.1.running_mean") == "momentum_of_last_batch"
    assert about(recorded(entry("momentum_of_last_batch").mended), "net.1.running_mean") == ""
