import torch
import torch.nn as nn
import torch.nn.functional as F


class EdgeMap(nn.Module):
    """Blur each colour, measure its slope, and add the slopes up."""

    def __init__(self, threshold=0.3):
        super().__init__()
        self.threshold = threshold
        blur = torch.exp(-torch.linspace(-2, 2, 5).square() / 2)
        self.register_buffer("blur", (blur / blur.sum()).view(1, 1, 1, 5))
        sobel = torch.tensor([[1.0, 0.0, -1.0], [2.0, 0.0, -2.0], [1.0, 0.0, -1.0]])
        self.register_buffer("sobel", sobel.view(1, 1, 3, 3))

    def slope(self, channel):
        channel = F.conv2d(channel, self.blur, padding=(0, 2))
        channel = F.conv2d(channel, self.blur.transpose(2, 3), padding=(2, 0))
        grad_x = F.conv2d(channel, self.sobel, padding=1)
        grad_y = F.conv2d(channel, self.sobel.transpose(2, 3), padding=1)
        return torch.sqrt(grad_x.square() + grad_y.square() + 1e-8)

    def forward(self, image):
        red, green, blue = image.split(1, dim=1)
        magnitude = self.slope(red)
        magnitude = magnitude + self.slope(green)
        magnitude = magnitude + self.slope(blue)
        edges = magnitude.clone()
        edges[magnitude < self.threshold] = 0.0
        return edges


def main():
    torch.manual_seed(0)
    sharp = torch.zeros(2, 3, 16, 16)
    sharp[:, :, 4:12, 4:12] = torch.rand(2, 3, 1, 1) + 0.5
    blurry = F.avg_pool2d(sharp, 5, stride=1, padding=2)
    restore = nn.Sequential(nn.Conv2d(3, 12, 3, padding=1), nn.ReLU(), nn.Conv2d(12, 3, 3, padding=1))
    edge_map = EdgeMap()
    optimizer = torch.optim.Adam(restore.parameters(), lr=0.01)
    for step in range(20):
        image = blurry + restore(blurry)
        loss = F.mse_loss(image, sharp) + 0.1 * F.mse_loss(edge_map(image), edge_map(sharp))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"loss {loss.item():.4f}")


if __name__ == "__main__":
    main()
