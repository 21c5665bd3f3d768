import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

from lora import LoraEmbedding, enable_input_require_grads

torch.manual_seed(0)


class TinyLM(nn.Module):
    def __init__(self, vocab=24, width=16):
        super().__init__()
        self.embed = nn.Embedding(vocab, width)
        self.block = nn.Sequential(nn.Linear(width, width), nn.GELU(), nn.Linear(width, width))
        self.head = nn.Linear(width, vocab)

    def forward(self, tokens):
        x = self.embed(tokens)
        x = x + checkpoint(self.block, x, use_reentrant=True)
        return self.head(x)


def main():
    model = TinyLM()
    model.requires_grad_(False)
    enable_input_require_grads(model.embed)
    model.embed = LoraEmbedding(model.embed)
    trainable = [p for p in model.parameters() if p.requires_grad]
    print("trainable parameters", sum(p.numel() for p in trainable))

    optimizer = torch.optim.AdamW(trainable, lr=5e-2)
    tokens = torch.randint(0, 24, (8, 10))
    for step in range(15):
        logits = model(tokens[:, :-1])
        loss = nn.functional.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 5 == 0:
            print(step, round(loss.item(), 4))


if __name__ == "__main__":
    main()
