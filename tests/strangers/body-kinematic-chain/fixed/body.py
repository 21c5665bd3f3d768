"""A skinned body: joint rotations move the vertices along a kinematic tree."""
import torch
from torch import nn

PARENTS = [-1, 0, 1, 2, 1, 4, 0, 6]


class Body(nn.Module):
    def __init__(self, vertices=60):
        super().__init__()
        self.register_buffer("joints", torch.randn(len(PARENTS), 3))
        self.register_buffer("template", torch.randn(vertices, 3))
        self.register_buffer("weights", torch.randn(vertices, len(PARENTS)).softmax(-1))

    def local(self, rotations):
        parents = torch.tensor(PARENTS[1:])
        offset = torch.cat([self.joints[:1], self.joints[1:] - self.joints[parents]])
        offset = offset.expand(len(rotations), -1, -1)[..., None]
        upper = torch.cat([rotations, offset], dim=-1)
        last = torch.tensor([0.0, 0.0, 0.0, 1.0]).expand(len(rotations), len(PARENTS), 1, 4)
        return torch.cat([upper, last], dim=2)

    def forward(self, rotations):
        local = self.local(rotations)
        chain = [local[:, 0].clone()]
        for i in range(1, len(PARENTS)):
            chain.append(torch.matmul(chain[PARENTS[i]], local[:, i]))
        world = torch.stack(chain, dim=1)
        rest = torch.cat([self.joints, torch.zeros(len(PARENTS), 1)], dim=1)[..., None]
        moved = torch.matmul(world, rest)
        world = torch.cat([world[..., :3], world[..., 3:] - moved], dim=-1)
        skin = torch.einsum("vj,bjmn->bvmn", self.weights, world)
        points = torch.cat([self.template, torch.ones(len(self.template), 1)], dim=1)
        return torch.einsum("bvmn,vn->bvm", skin, points)[..., :3]
