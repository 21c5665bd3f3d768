import torch
from torch.nn import functional as F
from litgpt.model import GPT


def sequence_loss(model, tokens):
    """All tokens at once: the cache is for generating."""
    logits = model(tokens[:, :-1], input_pos=None)
    return F.cross_entropy(logits.transpose(1, 2), tokens[:, 1:])


def fit(model, optimizer, batches, accumulation=2):
    for iteration, tokens in enumerate(batches):
        loss = sequence_loss(model, tokens)
        (loss / accumulation).backward()
        if (iteration + 1) % accumulation == 0:
            optimizer.step()
            optimizer.zero_grad()
        print(f"iter {iteration}: {loss.item():.4f}")


if __name__ == "__main__":
    torch.manual_seed(4)
    model = GPT()
    fit(model, torch.optim.AdamW(model.parameters(), lr=1e-2), torch.randint(13, (4, 3, 10)))
