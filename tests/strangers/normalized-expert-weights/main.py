import torch
from torch import nn

torch.manual_seed(7)


class Router(nn.Module):
    """Sends each token to its best experts and says how much each of them counts."""

    def __init__(self, width, experts, top_k, normalize=2):
        super().__init__()
        self.layer = nn.Linear(width, experts, bias=False)
        self.top_k = top_k
        self.normalize = normalize

    def forward(self, tokens):
        scores = self.layer(tokens).softmax(dim=-1)
        expert_weights, expert_indices = scores.topk(self.top_k, dim=-1)
        if self.normalize:
            expert_weights /= torch.norm(
                expert_weights, p=self.normalize, dim=-1, keepdim=True
            )
        return scores, expert_weights, expert_indices


class MixtureOfExperts(nn.Module):
    def __init__(self, width, experts=4, top_k=2):
        super().__init__()
        self.router = Router(width, experts, top_k)
        self.experts = nn.ModuleList(
            nn.Sequential(nn.Linear(width, 16), nn.GELU(), nn.Linear(16, width)) for _ in range(experts)
        )

    def forward(self, tokens):
        scores, weights, indices = self.router(tokens)
        outputs = torch.stack([expert(tokens) for expert in self.experts], dim=1)
        chosen = outputs.gather(1, indices.unsqueeze(-1).expand(-1, -1, tokens.shape[-1]))
        load = scores.mean(dim=0)
        return (weights.unsqueeze(-1) * chosen).sum(dim=1), load.pow(2).sum() * len(load)


model = MixtureOfExperts(width=8)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
tokens = torch.randn(32, 8)
target = tokens.roll(1, dims=1)
for step in range(5):
    output, balance = model(tokens)
    loss = nn.functional.mse_loss(output, target) + 0.01 * balance
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"step {step}: {loss.item():.4f}")
