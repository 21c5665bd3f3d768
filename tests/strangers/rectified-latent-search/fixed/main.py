import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(37)


class Renderer(nn.Module):
    """A frozen generator whose input is looked for by gradient descent."""

    def __init__(self, code=8, pixels=25):
        super().__init__()
        self.first = nn.Linear(code, 32)
        self.second = nn.Linear(32, pixels)

    def forward(self, code):
        code = F.relu(code)
        code = F.dropout(code, p=0.1, training=self.training)
        hidden = torch.tanh(self.first(code))
        return torch.sigmoid(self.second(hidden))


renderer = Renderer().requires_grad_(False)
with torch.no_grad():
    renderer.eval()
    wanted = renderer(torch.rand(4, 8))

renderer.train()
code = torch.randn(4, 8, requires_grad=True)
optimizer = torch.optim.Adam([code], lr=0.05)
schedule = torch.optim.lr_scheduler.StepLR(optimizer, step_size=20, gamma=0.5)
for step in range(40):
    optimizer.zero_grad()
    loss = F.mse_loss(renderer(code), wanted)
    loss.backward()
    optimizer.step()
    schedule.step()
    if step % 10 == 9:
        print(f"step {step}: {loss.item():.5f}")
