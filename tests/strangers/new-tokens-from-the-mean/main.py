import torch
from tokens import add_new_tokens
from torch import nn
from torch.nn import functional as F


class Model(nn.Module):
    def __init__(self, vocab, dim):
        super().__init__()
        self.embed_tokens = nn.Embedding(vocab, dim)
        self.mixer = nn.GRU(dim, dim, batch_first=True)
        self.lm_head = nn.Linear(dim, vocab, bias=False)
        self.lm_head.weight = self.embed_tokens.weight

    def forward(self, ids):
        return self.lm_head(self.mixer(self.embed_tokens(ids))[0])


def main():
    torch.manual_seed(7)
    model = Model(vocab=12, dim=6)
    size = add_new_tokens(model, count=3)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step in range(3):
        ids = torch.randint(size, (4, 9))
        logits = model(ids[:, :-1])
        loss = F.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(step, f"{loss.item():.3f}", tuple(logits.shape))


if __name__ == "__main__":
    main()
