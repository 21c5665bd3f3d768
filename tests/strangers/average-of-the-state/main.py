import torch
from torch import nn
from utils.torch_utils import ModelEMA


class Detector(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = nn.Sequential(
            nn.Conv2d(3, 6, 3, padding=1), nn.BatchNorm2d(6), nn.SiLU(inplace=True), nn.AdaptiveAvgPool2d(1)
        )
        self.head = nn.Linear(6, 4)

    def forward(self, images):
        return self.head(self.backbone(images).flatten(1))


torch.manual_seed(0)
model = Detector()
ema = ModelEMA(model, tau=5)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, nesterov=True)
for ni in range(6):
    loss = nn.functional.smooth_l1_loss(model(torch.rand(4, 3, 8, 8)), torch.rand(4, 4))
    loss.backward()
    if ni % 2:
        torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=10.0)
        optimizer.step()
        optimizer.zero_grad()
        ema.update(model)
    print(f"{ni} {loss.item():.4f}")
with torch.no_grad():
    print(f"{nn.functional.mse_loss(ema.ema(torch.rand(4, 3, 8, 8)), torch.rand(4, 4)).item():.4f}")
