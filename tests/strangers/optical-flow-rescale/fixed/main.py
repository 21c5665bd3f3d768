import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(8)


class FlowNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(2, 12, 3, padding=1), nn.ReLU(), nn.Conv2d(12, 2, 3, padding=1)
        )

    def forward(self, first, second):
        return self.body(torch.cat([first, second], dim=1))


def resize_flow(flow, height, width):
    """Resize a flow field and bring its vectors to the new pixel grid."""
    u_scale = width / flow.shape[3]
    v_scale = height / flow.shape[2]
    flow = F.interpolate(flow, size=(height, width), mode="bilinear", align_corners=False)
    u, v = flow.chunk(2, dim=1)
    u = u_scale * u
    v = v_scale * v
    return torch.cat([u, v], dim=1)


def warp(image, flow):
    height, width = image.shape[2:]
    ys, xs = torch.meshgrid(
        torch.linspace(-1, 1, height), torch.linspace(-1, 1, width), indexing="ij"
    )
    offset = flow * torch.tensor([2 / (width - 1), 2 / (height - 1)]).view(1, 2, 1, 1)
    grid = torch.stack([xs, ys], dim=-1) + offset.permute(0, 2, 3, 1)
    return F.grid_sample(image, grid, align_corners=True, padding_mode="border")


net = FlowNet()
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
first = F.interpolate(torch.rand(2, 1, 4, 4), size=(16, 16), mode="bilinear")
second = torch.roll(first, shifts=1, dims=3)

for step in range(30):
    coarse = net(F.avg_pool2d(first, 2), F.avg_pool2d(second, 2))
    flow = resize_flow(coarse, 16, 16)
    loss = (warp(second, flow) - first).abs().mean() + 1e-3 * flow.abs().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 10 == 0:
        print(f"step {step}: photometric loss {loss.item():.4f}")
