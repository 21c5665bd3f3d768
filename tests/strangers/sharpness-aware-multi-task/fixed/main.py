import torch
import torch.nn.functional as F
from sam import SharpnessAware
from torch import nn

torch.manual_seed(13)
FINDINGS = 3


class ChestNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(1, 6, 3, stride=2), nn.ReLU(), nn.Flatten(), nn.Linear(54, 16), nn.ReLU())
        self.heads = nn.ModuleList(nn.Linear(16, 1) for _ in range(FINDINGS))

    def forward(self, image):
        features = self.features(image)
        return [head(features).squeeze(1) for head in self.heads]


def finding_loss(output, target, t):
    value = F.binary_cross_entropy_with_logits(output[t], target[:, t])
    accuracy = ((output[t] > 0) == (target[:, t] > 0.5)).float().mean()
    return value, accuracy


model = ChestNet()
optimizer = SharpnessAware(model.parameters(), torch.optim.SGD, lr=0.1)
for step in range(8):
    image = torch.randn(16, 1, 8, 8)
    target = (image.flatten(1)[:, [9, 27, 45]] > 0).float()
    hits = torch.zeros(FINDINGS)

    output = model(image)
    loss = 0
    for t in range(FINDINGS):
        loss_t, accuracy = finding_loss(output, target, t)
        loss += loss_t
        hits[t] = accuracy
    optimizer.zero_grad()
    loss.backward()
    optimizer.first_step()

    output = model(image)
    loss = 0
    for t in range(FINDINGS):
        loss_t, accuracy = finding_loss(output, target, t)
        loss += loss_t
    loss.backward()
    optimizer.second_step()
    print(f"step {step}: loss {loss.item():.4f}, accuracy {hits.mean():.3f}")
