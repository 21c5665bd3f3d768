import torch
from torch import nn
from utils.rays import near_far


class Avatar(nn.Module):
    """Rays are moved into a learned pose; where they meet its box, the shading is read."""

    def __init__(self):
        super().__init__()
        self.turn = nn.Parameter(torch.tensor(0.2))
        self.sides = nn.Parameter(torch.tensor([0.6, 1.0]))
        self.shade = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1))

    def forward(self, origins, directions):
        c, s = self.turn.cos(), self.turn.sin()
        rotation = torch.stack([c, -s, s, c]).view(2, 2)
        o, d = origins @ rotation, directions @ rotation
        near, far = near_far(o, d, self.sides)
        return self.shade(o + d * (0.5 * (near + far))[:, None]).squeeze(1)


torch.manual_seed(16)
avatar = Avatar()
optimizer = torch.optim.Adam(avatar.parameters(), lr=1e-2)
angle = torch.linspace(-0.4, 0.4, 12)
directions = torch.stack([angle.cos(), angle.sin()], dim=1)
for step in range(3):
    color = torch.rand(12)
    loss = (avatar(torch.tensor([[-3.0, 0.0]]).expand(12, 2), directions) - color).abs().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"step {step}: {loss.item():.4f}")
