import torch
from torch import nn
from darknet import CSPDarknet


class Detector(nn.Module):
    def __init__(self, classes=3, activate="mish"):
        super().__init__()
        self.backbone = CSPDarknet(stem=4, blocks=(1, 2), activate=activate)
        self.predict = nn.Conv2d(16, 5 + classes, 1)

    def forward(self, images):
        return self.predict(self.backbone(images)[-1])


torch.manual_seed(3)
detector = Detector(activate="relu")
optimizer = torch.optim.SGD(detector.parameters(), lr=1e-2)
for step in range(3):
    images, target = torch.randn(4, 3, 16, 16), torch.rand(4, 8, 4, 4)
    loss = nn.functional.binary_cross_entropy_with_logits(detector(images), target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"step {step}: {loss.item():.4f}")
