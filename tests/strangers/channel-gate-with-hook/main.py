import torch
from torch import nn

torch.manual_seed(5)


class CornerGate(nn.Module):
    """The template branch scales one position of the search features."""

    def __init__(self, channels=8):
        super().__init__()
        self.embed = nn.Conv2d(3, channels, 3)
        self.head = nn.Conv2d(channels, 1, 1)
        self.gate_grad_norm = 0.0

    def record(self, grad):
        self.gate_grad_norm = grad.norm().item()

    def forward(self, search, template):
        features = self.embed(search)
        gate = self.embed(template).flatten(1)
        gate.register_hook(self.record)
        features[:, :, 0, 0] = features[:, :, 0, 0] * gate
        return self.head(torch.tanh(features)).mean(dim=(1, 2, 3))


model = CornerGate()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=20)

template = torch.randn(6, 3, 3, 3)
search = torch.randn(6, 3, 7, 7)
search[:, :, :3, :3] = template
target = template.mean(dim=(1, 2, 3))

for step in range(20):
    score = model(search, template)
    loss = nn.functional.mse_loss(score, target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    scheduler.step()
    if step % 5 == 0:
        print(f"{step:2d} loss {loss.item():.4f} gradient at the gate {model.gate_grad_norm:.4f}")
