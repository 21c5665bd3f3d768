import torch
from torch import nn
from torch.nn import functional as F


class SelfAttention(nn.Module):
    """SASRec's blocks; nothing of a padded place is a key or a value."""

    def __init__(self, num_items, maxlen, hidden=8, blocks=2):
        super().__init__()
        self.item_emb = nn.Embedding(num_items + 1, hidden, padding_idx=num_items)
        self.pos_emb = nn.Embedding(maxlen, hidden)
        self.padding = num_items
        self.blocks = []
        for number in range(blocks):
            norms = [nn.LayerNorm(hidden, eps=1e-8) for _ in range(2)]
            attention = nn.MultiheadAttention(hidden, 2, batch_first=True)
            forward = nn.Sequential(nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, hidden))
            for name, module in zip("abcd", (*norms, attention, forward)):
                self.add_module(f"{name}{number}", module)
            self.blocks.append((*norms, attention, forward))

    def forward(self, log_seqs):
        timeline_mask = log_seqs == self.padding
        length = log_seqs.shape[1]
        seqs = self.item_emb(log_seqs) + self.pos_emb(torch.arange(length))
        seqs = seqs * ~timeline_mask.unsqueeze(-1)
        future = ~torch.tril(torch.ones(length, length, dtype=torch.bool))
        for norm, norm_forward, attention, forward in self.blocks:
            Q = norm(seqs)
            seqs = seqs * ~timeline_mask.unsqueeze(-1)
            seqs = Q + attention(Q, seqs, seqs, attn_mask=future, need_weights=False)[0]
            seqs = norm_forward(seqs)
            seqs = seqs + forward(seqs)
        return seqs @ self.item_emb.weight[:-1].T


torch.manual_seed(17)
model = SelfAttention(num_items=7, maxlen=6)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(3):
    seqs = torch.randint(7, (5, 7))
    seqs[torch.arange(7) < torch.randint(4, (5, 1))] = 7
    scores = model(seqs[:, :-1])
    loss = F.cross_entropy(scores.flatten(0, 1), seqs[:, 1:].flatten(), ignore_index=7)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"epoch {epoch}: {loss.item():.4f}")
