"""Train a draft head for speculative decoding on hidden states of a frozen model."""
import torch
from torch import nn

torch.manual_seed(0)
VOCABULARY, WIDTH, LENGTH, ROUNDS = 20, 16, 10, 3


class DraftHead(nn.Module):
    def __init__(self):
        super().__init__()
        self.join = nn.Linear(2 * WIDTH, WIDTH)
        self.gate = nn.Parameter(torch.ones(WIDTH))
        self.layer = nn.Sequential(nn.LayerNorm(WIDTH), nn.Linear(WIDTH, WIDTH), nn.GELU())

    def forward(self, embedded, hidden):
        joined = self.join(torch.cat([embedded, hidden * self.gate], dim=-1))
        return joined + self.layer(joined)


base = nn.ModuleDict({
    "embed": nn.Embedding(VOCABULARY, WIDTH),
    "body": nn.GRU(WIDTH, WIDTH, batch_first=True),
    "head": nn.Linear(WIDTH, VOCABULARY),
}).requires_grad_(False)
draft = DraftHead()
optimizer = torch.optim.AdamW(draft.parameters(), lr=5e-3)
tokens = torch.randint(0, VOCABULARY, (6, LENGTH))


def mix(hidden, predicted, share):
    """Show the head its own predictions at some places, as it will see them in use."""
    batch, length, _ = hidden.shape
    count = int(length * share)
    places = torch.rand(batch, length).argsort(dim=1)[:, :count]
    rows = torch.arange(batch)[:, None]
    hidden[rows, places] = predicted[rows, places]
    return hidden


for step in range(10):
    with torch.no_grad():
        embedded = base["embed"](tokens)
        teacher, _ = base["body"](embedded)
        goal = base["head"](teacher).softmax(-1)
    hidden, loss = teacher, 0.0
    for _ in range(ROUNDS):
        predicted = draft(embedded, hidden)
        scores = base["head"](predicted).log_softmax(-1)
        loss = loss - (goal * scores).sum(-1).mean()
        hidden = mix(hidden, predicted, 0.4)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"loss {loss.item():.4f}")
