import torch
from torch import nn

from encoding import GridEncoding

torch.manual_seed(0)


class Scene(nn.Module):
    """A signed distance over the unit square and a colour that depends on the normal."""

    def __init__(self):
        super().__init__()
        self.encoding = GridEncoding()
        self.distance = nn.Sequential(nn.Linear(4, 16), nn.Softplus(beta=10), nn.Linear(16, 1))
        self.colour = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 3), nn.Sigmoid())

    def sdf(self, points):
        return self.distance(self.encoding(points))

    def normals(self, points):
        points = points.requires_grad_(True)
        distance = self.sdf(points)
        (normals,) = torch.autograd.grad(distance.sum(), points, create_graph=True)
        return normals

    def forward(self, points):
        normals = self.normals(points)
        return self.colour(torch.cat((points, normals), dim=1)), normals


def main():
    scene = Scene()
    optimizer = torch.optim.Adam(scene.parameters(), lr=1e-2)
    for step in range(15):
        points = torch.rand(64, 2) * 0.9 + 0.05
        target = torch.stack((points[:, 0], points[:, 1], points.prod(dim=1)), dim=1)
        colour, normals = scene(points.clone())
        eikonal = (normals.norm(dim=1) - 1).square().mean()
        loss = (colour - target).square().mean() + 0.1 * eikonal
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 5 == 0:
            print(step, round(loss.item(), 5))


if __name__ == "__main__":
    main()
