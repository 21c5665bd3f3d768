import torch
import torch.nn.functional as F
from balance import collect_balance_loss
from torch import nn

torch.manual_seed(41)


class Gate(nn.Module):
    def __init__(self, width, experts):
        super().__init__()
        self.score = nn.Linear(width, experts)
        self.balance_loss = None

    def forward(self, tokens):
        weight = self.score(tokens).softmax(-1)
        chosen = weight.argmax(-1)
        load = F.one_hot(chosen, weight.shape[-1]).float().mean(0)
        self.balance_loss = (load * weight.mean(0)).sum() * weight.shape[-1]
        return chosen, weight.gather(1, chosen.unsqueeze(1))


class ExpertLayer(nn.Module):
    def __init__(self, width=8, experts=4):
        super().__init__()
        self.gate = Gate(width, experts)
        self.experts = nn.ModuleList(nn.Linear(width, width) for _ in range(experts))

    def forward(self, tokens):
        chosen, weight = self.gate(tokens)
        outputs = torch.stack([expert(tokens) for expert in self.experts], dim=1)
        return tokens + weight * outputs[torch.arange(len(tokens)), chosen].tanh()


layers = nn.ModuleList(ExpertLayer() for _ in range(2))
head = nn.Linear(8, 1)
optimizer = torch.optim.SGD([*layers.parameters(), *head.parameters()], lr=0.1)
for step in range(5):
    tokens = torch.randn(32, 8) + 0.5
    target = tokens.sum(1, keepdim=True).sin()
    hidden = tokens
    for layer in layers:
        hidden = layer(hidden)
    task = F.mse_loss(head(hidden), target)
    balance = collect_balance_loss(layers)
    optimizer.zero_grad()
    (task + 0.5 * balance).backward()
    gate_gradient = layers[0].gate.score.weight.grad.clone()
    optimizer.step()
    print(f"step {step}: task {task.item():.4f}, balance {balance.item():.4f}")
