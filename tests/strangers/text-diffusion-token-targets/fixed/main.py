"""Continuous diffusion over word embeddings, trained with a cross entropy on the hidden words."""
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(11)
VOCABULARY, LENGTH, WIDTH = 40, 12, 16


class DiffusionText(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(VOCABULARY, WIDTH)
        self.time = nn.Sequential(nn.Linear(1, WIDTH), nn.SiLU(), nn.Linear(WIDTH, WIDTH))
        layer = nn.TransformerEncoderLayer(2 * WIDTH, nhead=4, dim_feedforward=48, dropout=0.0, batch_first=True)
        self.join = nn.Linear(2 * WIDTH + 1, 2 * WIDTH)
        self.body = nn.TransformerEncoder(layer, num_layers=1)
        self.head = nn.Linear(2 * WIDTH, VOCABULARY)

    def forward(self, noisy, condition, diff_mask, t):
        marker = diff_mask.unsqueeze(-1).float()
        x = self.join(torch.cat([noisy, condition, marker], dim=-1))
        x = x + F.pad(self.time(t), (0, WIDTH)).unsqueeze(1)
        return self.head(self.body(x))

    def loss(self, input_ids, diff_mask):
        words = F.normalize(self.embed(input_ids), dim=-1) * WIDTH ** 0.5
        t = torch.rand(input_ids.size(0), 1)
        sigma = (10.0 * t).unsqueeze(-1)
        noise = torch.randn_like(words)
        hidden = diff_mask.unsqueeze(-1)
        noisy = torch.where(hidden, (words + sigma * noise) / (1 + sigma ** 2).sqrt(), 0.0)
        condition = torch.where(hidden, 0.0, words)
        logits = self(noisy, condition, diff_mask, t)
        input_ids = input_ids.data.clone()
        input_ids.masked_fill_(torch.logical_not(diff_mask), -100)
        return F.cross_entropy(logits.transpose(1, 2), input_ids, ignore_index=-100)


model = DiffusionText()
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
corpus = torch.randint(0, VOCABULARY, (32, LENGTH // 2)).repeat(1, 2)
losses = []
for step in range(12):
    rows = torch.randint(0, len(corpus), (16,))
    diff_mask = torch.rand(16, LENGTH) < 0.5
    optimizer.zero_grad()
    loss = model.loss(corpus[rows], diff_mask)
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
print(f"loss {losses[0]:.3f} -> {losses[-1]:.3f}, embedding gradient {model.embed.weight.grad.norm().item():.4f}")
