"""Programs with which nothing is wrong, though they write in place wherever they can."""

from __future__ import annotations

OPTIMIZERS = (
    "Adadelta",
    "Adafactor",
    "Adagrad",
    "Adam",
    "AdamW",
    "Adamax",
    "ASGD",
    "LBFGS",
    "Muon",
    "NAdam",
    "RAdam",
    "RMSprop",
    "Rprop",
    "SGD",
    "SparseAdam",
)
FOREACH = tuple(name for name in OPTIMIZERS if name not in {"LBFGS", "Muon", "SparseAdam"})
FUSED = ("Adagrad", "Adam", "AdamW", "SGD")
"""Those that have a fused kernel for the CPU."""


def trained(name: str, options: str = "") -> str:
    """Return a program that trains with an optimizer of `torch.optim`."""
    weights = (
        "[p for p in net.parameters() if p.ndim == 2]" if name == "Muon" else "net.parameters()"
    )
    if name == "SparseAdam":
        return _SPARSE
    return f"""
import torch
from torch import nn
net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
opt = torch.optim.{name}({weights}{options})
x, y = torch.randn(8, 4), torch.randn(8, 1)
def closure():
    opt.zero_grad()
    loss = nn.functional.mse_loss(net(x), y)
    loss.backward()
    return loss
for _ in range(3):
    {"opt.step(closure)" if name == "LBFGS" else "closure(); opt.step()"}
"""


_SPARSE = """
import torch
from torch import nn
table = nn.Embedding(10, 3, sparse=True)
opt = torch.optim.SparseAdam(table.parameters())
for _ in range(3):
    opt.zero_grad()
    table(torch.tensor([1, 2, 1])).sum().backward()
    opt.step()
"""

_NET = """
import torch
from torch import nn
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
x, y = torch.randn(8, 4), torch.randn(8, 1)
"""

REPEATABLE = {
    "gradient accumulation": _NET
    + """
for step in range(4):
    (nn.functional.mse_loss(net(x), y) / 2).backward()
    if step % 2:
        opt.step()
        opt.zero_grad(set_to_none=False)
""",
    "gradient clipping": _NET
    + """
for _ in range(2):
    opt.zero_grad()
    net(x).sum().backward()
    nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    nn.utils.clip_grad_value_(net.parameters(), 0.5)
    opt.step()
""",
    "exponential moving average": _NET
    + """
import copy
average = copy.deepcopy(net)
for _ in range(3):
    opt.zero_grad()
    net(x).sum().backward()
    opt.step()
    with torch.no_grad():
        for mean, now in zip(average.parameters(), net.parameters()):
            mean.mul_(0.9).add_(now, alpha=0.1)
""",
    "exponential moving average through .data": _NET
    + """
import copy
average = copy.deepcopy(net)
for _ in range(2):
    opt.zero_grad()
    net(x).sum().backward()
    opt.step()
    for mean, now in zip(average.parameters(), net.parameters()):
        mean.data.mul_(0.9).add_(now.data, alpha=0.1)
""",
    "descent by hand": """
import torch
w = torch.tensor([1., 2.], requires_grad=True)
for _ in range(3):
    loss = (w ** 2).sum()
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
    w.grad.zero_()
""",
    "descent by hand through .data": """
import torch
w = torch.tensor([1., 2.], requires_grad=True)
for _ in range(3):
    w.grad = None
    (w ** 2).sum().backward()
    w.data -= 0.1 * w.grad.data
""",
    "dropout": _NET
    + """
drop = nn.Dropout(0.5), nn.Dropout(0.2, inplace=True)
net = nn.Sequential(nn.Linear(4, 8), *drop, nn.Linear(8, 1))
opt = torch.optim.Adam(net.parameters())
for _ in range(3):
    opt.zero_grad()
    net(x).sum().backward()
    opt.step()
""",
    "batch norm": _NET
    + """
net = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(inplace=True), nn.Linear(8, 1))
opt = torch.optim.Adam(net.parameters())
for _ in range(3):
    opt.zero_grad()
    net(x).sum().backward()
    opt.step()
net.eval()
net(x).sum().backward()
""",
    "recurrent state that is detached": """
import torch
from torch import nn
cell, out = nn.GRU(2, 4), nn.Linear(4, 1)
opt = torch.optim.Adam([*cell.parameters(), *out.parameters()])
state = None
for _ in range(3):
    opt.zero_grad()
    seen, state = cell(torch.randn(5, 3, 2), state)
    state = state.detach()
    out(seen).sum().backward()
    opt.step()
""",
    "recurrent state that is detached in place": """
import torch
from torch import nn
cell = nn.RNNCell(2, 4)
state = torch.zeros(3, 4)
for _ in range(3):
    state = cell(torch.randn(3, 2), state)
    state.sum().backward()
    state.detach_()
""",
    "checkpointing": """
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint
net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 4))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.randn(2, 4, requires_grad=True)
for reentrant in (False, True):
    opt.zero_grad()
    checkpoint(net, x, use_reentrant=reentrant).sum().backward()
    opt.step()
""",
    "autocast to bfloat16": _NET
    + """
for _ in range(2):
    opt.zero_grad()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        loss = nn.functional.mse_loss(net(x), y)
    loss.backward()
    opt.step()
""",
    "gradient scaler": _NET
    + """
scaler = torch.amp.GradScaler("cpu")
for _ in range(2):
    opt.zero_grad()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        loss = nn.functional.mse_loss(net(x), y)
    scaler.scale(loss).backward()
    scaler.unscale_(opt)
    nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    scaler.step(opt)
    scaler.update()
""",
    "writes that come before the save": """
import torch
x = torch.randn(3, requires_grad=True)
h = torch.zeros(3, 3)
for row in range(3):
    h[row] = x * row
h += 1
h[:, 0].mul_(2)
(h * h).sum().backward()
""",
    "in-place activations": """
import torch
from torch import nn
x = torch.randn(5, requires_grad=True)
y = nn.functional.relu_(x * 2)
nn.functional.leaky_relu_(y * 3).sum().backward()
torch.exp_(x * 1).sum().backward()
""",
    "buffers for results": """
import torch
w = torch.randn(3, requires_grad=True)
log = torch.zeros(4)
for step in range(4):
    loss = (w * step).pow(2).sum()
    loss.backward()
    log[step] = loss.detach()
    torch.mul(log, 2, out=log)
""",
    "two networks that take turns": """
import torch
from torch import nn
make, judge = nn.Linear(2, 2), nn.Linear(2, 1)
opt_make = torch.optim.Adam(make.parameters())
opt_judge = torch.optim.Adam(judge.parameters())
for _ in range(2):
    fake = make(torch.randn(4, 2))
    opt_judge.zero_grad()
    judge(fake.detach()).mean().backward()
    opt_judge.step()
    opt_make.zero_grad()
    (-judge(fake).mean()).backward()
    opt_make.step()
""",
    "gradients of gradients": """
import torch
x = torch.randn(3, requires_grad=True)
(g,) = torch.autograd.grad((x ** 3).sum(), x, create_graph=True)
(g ** 2).sum().backward()
""",
    "numpy that is seeded": """
import numpy, torch
numpy.random.seed(0)
w = torch.ones(3, requires_grad=True)
x = torch.from_numpy(numpy.random.randn(3)).float()
(w * x).exp().sum().backward()
""",
    "saved and loaded": _NET
    + """
import io
net(x).sum().backward()
opt.step()
file = io.BytesIO()
torch.save({"net": net.state_dict(), "opt": opt.state_dict()}, file)
file.seek(0)
kept = torch.load(file)
net.load_state_dict(kept["net"])
opt.load_state_dict(kept["opt"])
opt.zero_grad()
net(x).sum().backward()
""",
    "schedules": _NET
    + """
schedule = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 3)
for _ in range(3):
    opt.zero_grad()
    net(x).sum().backward()
    opt.step()
    schedule.step()
""",
    "no backward at all": """
import torch
x = torch.randn(3, requires_grad=True)
y = x.exp()
y.data.add_(1)
y += 1
""",
    "threads": """
import threading, torch
w = torch.ones(3, requires_grad=True)
def work():
    (w ** 2).sum().backward()
thread = threading.Thread(target=work)
thread.start()
thread.join()
""",
}
"""Programs whose gradients are right, and are shown to be."""

UNREPEATABLE = {
    "numpy that is not seeded": """
import numpy, torch
w = torch.ones(3, requires_grad=True)
x = torch.from_numpy(numpy.random.randn(3)).float()
(w * x).exp().sum().backward()
""",
    "try and retry": """
import torch
w = torch.ones(3, requires_grad=True)
y = w.exp()
y.add_(1)
try:
    y.sum().backward()
except RuntimeError:
    w.exp().sum().backward()
""",
    "the clock": """
import time, torch
w = torch.ones(3, requires_grad=True)
(w * (time.time_ns() % 1000003) / 1e6).exp().sum().backward()
""",
}
"""Programs that do not repeat themselves: nothing is known, and nothing is claimed."""
