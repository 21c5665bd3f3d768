"""Attack a trained graph network by learning which candidate edges to add."""
import torch
import torch.nn.functional as F

from gcn import GCN

torch.manual_seed(10)
NODES = 18


def margin(logits, labels):
    """How far the true class is ahead; the attack lowers it."""
    true = logits.gather(1, labels.unsqueeze(1)).squeeze(1)
    rest = logits.scatter(1, labels.unsqueeze(1), float("-inf")).amax(dim=1)
    return torch.tanh(true - rest).mean()


features = torch.randn(NODES, 5)
labels = (features[:, 0] > 0).long()
edges = torch.randint(0, NODES, (2, 30))
weights = torch.ones(30)

victim = GCN(5, 12, 2, do_cache=False)
optimizer = torch.optim.Adam(victim.parameters(), lr=0.05)
for epoch in range(20):
    optimizer.zero_grad()
    F.cross_entropy(victim(features, edges, weights), labels).backward()
    optimizer.step()
victim.adj_cache = None
victim.requires_grad_(False)

candidates = torch.randint(0, NODES, (2, 40))
perturbed = torch.full((40,), 0.01, requires_grad=True)
attacked_edges = torch.cat([edges, candidates], dim=1)
victim.train()
for step in range(15):
    loss = margin(victim(features, attacked_edges, torch.cat([weights, perturbed])), labels)
    loss.backward()
    with torch.no_grad():
        perturbed -= 2.0 * perturbed.grad
        perturbed.clamp_(0.01, 1.0)
    perturbed.grad = None
print(f"margin {loss.item():.4f}, strongest edge {perturbed.max().item():.2f}")
