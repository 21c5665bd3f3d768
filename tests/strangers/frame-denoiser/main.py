import torch
from torch import nn

from geometry import quaternion_multiply, quaternion_to_matrix

torch.manual_seed(2)


class FrameBlock(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.mix = nn.Sequential(nn.Linear(dim + 3, dim), nn.ReLU(), nn.Linear(dim, dim))
        self.update = nn.Linear(dim, 6)

    def forward(self, x, rotations, points):
        local = torch.einsum("bncd,bnd->bnc", rotations, points)
        return x + self.mix(torch.cat([x, local], dim=-1))


class FrameTransformer(nn.Module):
    def __init__(self, dim=16, depth=3):
        super().__init__()
        self.blocks = nn.ModuleList([FrameBlock(dim) for _ in range(depth)])
        self.embed = nn.Embedding(20, dim)

    def forward(self, tokens, points):
        x = self.embed(tokens)
        quaternions = torch.tensor([1.0, 0.0, 0.0, 0.0]).repeat(*tokens.shape, 1)
        for block in self.blocks:
            rotations = quaternion_to_matrix(quaternions)
            if block is not self.blocks[-1]:
                rotations.detach_()
            x = block(x, rotations, points)
            turn, shift = block.update(x).chunk(2, dim=-1)
            quaternions = quaternion_multiply(quaternions, nn.functional.pad(turn, (1, 0), value=1.0))
            points = points + torch.einsum("bncd,bnd->bnc", rotations, shift)
        return points


model = FrameTransformer()
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
tokens = torch.randint(0, 20, (4, 10))
clean = torch.cumsum(torch.randn(4, 10, 3), dim=1)

for step in range(30):
    noised = clean + 0.5 * torch.randn_like(clean)
    loss = nn.functional.mse_loss(model(tokens, noised), clean)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 10 == 0:
        print(step, round(loss.item(), 4))
