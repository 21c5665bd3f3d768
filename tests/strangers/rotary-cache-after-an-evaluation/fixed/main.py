import torch
from rotary import RotaryEmbedding
from torch import nn
from torch.nn import functional as F


class TinyLM(nn.Module):
    def __init__(self, vocab=11, dim=8):
        super().__init__()
        self.tok = nn.Embedding(vocab, dim)
        self.qkv = nn.Linear(dim, 3 * dim)
        self.rotary_emb = RotaryEmbedding(dim)
        self.out = nn.Linear(dim, vocab)

    def forward(self, ids):
        q, k, v = self.qkv(self.tok(ids)).chunk(3, dim=-1)
        q, k = self.rotary_emb(q, k)
        return self.out(F.scaled_dot_product_attention(q, k, v, is_causal=True))


def lm_loss(model, ids):
    return F.cross_entropy(model(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten())


@torch.inference_mode()
def evaluate(model, batches):
    model.eval()
    losses = [lm_loss(model, ids).item() for ids in batches]
    model.train()
    return sum(losses) / len(losses)


torch.manual_seed(1)
model = TinyLM()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
validation = [torch.randint(11, (2, 16)) for _ in range(2)]
print(f"before training: {evaluate(model, validation):.3f}")
for epoch in range(2):
    for ids in torch.randint(11, (3, 4, 16)):
        optimizer.zero_grad()
        lm_loss(model, ids).backward()
        optimizer.step()
    print(f"epoch {epoch}: {evaluate(model, validation):.3f}")
