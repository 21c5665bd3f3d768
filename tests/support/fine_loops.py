"""More programs with which nothing is wrong: what training loops are made of."""

from __future__ import annotations

_NET = """
import torch
from torch import nn
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
x, y = torch.randn(8, 4), torch.randn(8, 1)
"""
LOOPS = {
    "a scaler that finds infinities and skips the step": _NET
    + """
scaler = torch.amp.GradScaler("cpu", init_scale=1e38, growth_interval=1)
for _ in range(3):
    opt.zero_grad()
    scaler.scale(nn.functional.mse_loss(net(x), y) * 1e6).backward()
    scaler.step(opt)
    scaler.update()
""",
    "parametrized weights": _NET
    + """
from torch.nn.utils import parametrizations
net = nn.Sequential(
    parametrizations.weight_norm(nn.Linear(4, 8)),
    nn.ReLU(inplace=True),
    parametrizations.spectral_norm(nn.Linear(8, 4)),
    parametrizations.orthogonal(nn.Linear(4, 1)),
)
opt = torch.optim.Adam(net.parameters())
for _ in range(2):
    opt.zero_grad()
    nn.functional.mse_loss(net(x), y).backward()
    opt.step()
""",
    "spectral norm of the old kind": """
import warnings
warnings.simplefilter("ignore")
"""
    + _NET
    + """
net = nn.Sequential(nn.utils.spectral_norm(nn.Linear(4, 8)), nn.utils.weight_norm(nn.Linear(8, 1)))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(2):
    opt.zero_grad()
    nn.functional.mse_loss(net(x), y).backward()
    opt.step()
""",
    "averaged weights": _NET
    + """
from torch.optim.swa_utils import AveragedModel, SWALR, get_ema_multi_avg_fn, update_bn
net = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.Linear(8, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
mean, ema = AveragedModel(net), AveragedModel(net, multi_avg_fn=get_ema_multi_avg_fn(0.9))
schedule = SWALR(opt, swa_lr=0.05)
for _ in range(3):
    opt.zero_grad()
    nn.functional.mse_loss(net(x), y).backward()
    opt.step()
    mean.update_parameters(net)
    ema.update_parameters(net)
    schedule.step()
update_bn([x, x], mean)
nn.functional.mse_loss(mean(x), y).backward()
""",
    "batches from worker processes": _NET
    + """
from torch.utils.data import DataLoader, TensorDataset
loader = DataLoader(TensorDataset(x, y), batch_size=4, num_workers=2, shuffle=True)
for _ in range(2):
    for some, wanted in loader:
        opt.zero_grad()
        nn.functional.mse_loss(net(some), wanted).backward()
        opt.step()
""",
    "compiling that is switched off": _NET
    + """
@torch.compile(disable=True)
def loss_of(some, wanted):
    out = net(some)
    out -= wanted
    return out.pow(2).mean()
for _ in range(2):
    opt.zero_grad()
    loss_of(x, y).backward()
    opt.step()
""",
    "a penalty on the gradient": _NET
    + """
for _ in range(2):
    opt.zero_grad()
    some = x.clone().requires_grad_()
    out = net(some)
    (slope,) = torch.autograd.grad(out.sum(), some, create_graph=True)
    (nn.functional.mse_loss(out, y) + (slope.norm(2, dim=1) - 1).pow(2).mean()).backward()
    opt.step()
""",
    "a table of sparse gradients": """
import torch
from torch import nn
table, out = nn.Embedding(10, 3, sparse=True), nn.Linear(3, 1)
bag = nn.EmbeddingBag(10, 3, mode="sum", sparse=True)
sparse = torch.optim.SGD([*table.parameters(), *bag.parameters()], lr=0.1)
opts = sparse, torch.optim.Adam(out.parameters())
at = torch.tensor([[1, 2, 1]])
for _ in range(2):
    for opt in opts:
        opt.zero_grad()
    out(table(at).sum(1) + bag(at)).sum().backward()
    for opt in opts:
        opt.step()
""",
    "schedules of every kind": _NET
    + """
from torch.optim import lr_scheduler as s
kinds = [s.StepLR(opt, 1), s.ExponentialLR(opt, 0.9), s.LinearLR(opt)]
kinds += [s.LambdaLR(opt, lambda e: 0.9 ** e), s.OneCycleLR(opt, 0.1, total_steps=5)]
plateau = s.ReduceLROnPlateau(opt, patience=0)
for _ in range(3):
    opt.zero_grad()
    loss = nn.functional.mse_loss(net(x), y)
    loss.backward()
    opt.step()
    for each in kinds:
        each.step()
    plateau.step(loss.item())
""",
    "max_norm before everything else": """
import torch
from torch import nn
table = nn.Embedding(5, 3, max_norm=0.5)
opt = torch.optim.SGD(table.parameters(), lr=0.1)
for _ in range(2):
    opt.zero_grad()
    table(torch.tensor([1, 2, 1])).pow(2).sum().backward()
    opt.step()
""",
    "attention": """
import torch
from torch import nn
layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
opt = torch.optim.AdamW(layer.parameters())
mask = nn.Transformer.generate_square_subsequent_mask(4)
for _ in range(2):
    opt.zero_grad()
    layer(torch.randn(2, 4, 8), src_mask=mask, is_causal=True).pow(2).mean().backward()
    torch.nn.utils.clip_grad_norm_(layer.parameters(), 1.0, foreach=True)
    opt.step()
""",
    "convolutions": """
import torch
from torch import nn
net = nn.Sequential(
    nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.ReLU(inplace=True), nn.MaxPool2d(2),
    nn.Dropout2d(inplace=True), nn.Flatten(), nn.Linear(36, 2),
)
opt = torch.optim.RMSprop(net.parameters())
for _ in range(2):
    opt.zero_grad(set_to_none=True)
    nn.functional.cross_entropy(net(torch.randn(3, 1, 8, 8)), torch.tensor([0, 1, 1])).backward()
    opt.step()
with torch.no_grad():
    for p in net.parameters():
        p.clamp_(-1, 1)
    net.eval()(torch.randn(1, 1, 8, 8))
""",
    "hooks that return and hooks that look": """
import torch
from torch import nn
net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
seen = []
net[1].register_forward_hook(lambda m, i, o: seen.append(o.detach().mean()))
net[0].register_full_backward_hook(lambda m, i, o: seen.append(o[0].norm()))
net[0].weight.register_hook(lambda g: g.clamp(-1, 1))
def descend(p):
    p.data.add_(p.grad, alpha=-0.1)
for p in net.parameters():
    p.register_post_accumulate_grad_hook(descend)
for _ in range(2):
    net.zero_grad()
    net(torch.randn(3, 4)).sum().backward()
""",
    "a policy gradient": """
import torch
from torch import nn
policy = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 3))
opt = torch.optim.Adam(policy.parameters())
for _ in range(2):
    logs, rewards = [], []
    state = torch.zeros(2)
    for _ in range(4):
        chance = torch.distributions.Categorical(logits=policy(state))
        act = chance.sample()
        logs.append(chance.log_prob(act))
        rewards.append(float(act))
        state = state + act * 0.1
    returns = torch.tensor(rewards).flip(0).cumsum(0).flip(0)
    returns -= returns.mean()
    opt.zero_grad()
    (-torch.stack(logs) * returns).sum().backward()
    opt.step()
""",
}
"""Programs whose gradients are right, and are shown to be."""

UNPROVEN = {
    "gradients of single elements by torch.func": """
import torch
from torch import nn
from torch.func import functional_call, grad, vmap
net = nn.Linear(3, 1)
held = {name: p.detach() for name, p in net.named_parameters()}
def loss(held, some):
    return functional_call(net, held, (some,)).pow(2).sum()
each = vmap(grad(loss), in_dims=(None, 0))(held, torch.randn(4, 3))
with torch.no_grad():
    net.weight -= 0.1 * each["weight"].mean(0)
net(torch.randn(2, 3)).sum().backward()
"""
}
"""Programs that run, and whose replay torch refuses: nothing is claimed."""
