import torch
import torch.nn.functional as F
from solver import gradient_ascent
from torch import nn

torch.manual_seed(29)

encoder = nn.Sequential(nn.Linear(10, 6), nn.Tanh())
classifier = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 3))
optimizer = torch.optim.Adam([*encoder.parameters(), *classifier.parameters()], lr=0.01)

for step in range(12):
    x = torch.randn(24, 10)
    y = x[:, :3].argmax(1)
    latent = encoder(x)
    worst, attack_loss = gradient_ascent(classifier, latent, y, F.cross_entropy)
    clean = F.cross_entropy(classifier(latent), y)
    robust = F.cross_entropy(classifier(worst), y)
    loss = clean + 0.5 * robust
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 4 == 3:
        print(f"step {step}: clean {clean.item():.4f}, robust {robust.item():.4f}, attack {attack_loss:.4f}")
