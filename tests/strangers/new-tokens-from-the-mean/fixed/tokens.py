import torch
from torch import nn


@torch.no_grad()
def add_new_tokens(model, count, noise=0.01):
    """Append rows for new tokens, started near the mean of the old ones; both ends stay tied."""
    old = model.embed_tokens.weight
    mean = old.mean(dim=0, keepdim=True)
    rows = mean + noise * torch.randn(count, old.shape[1])
    resized = nn.Parameter(torch.cat([old, rows]))
    model.embed_tokens.weight = resized
    model.embed_tokens.num_embeddings = len(resized)
    model.lm_head.weight = resized
    model.lm_head.out_features = len(resized)
    return len(resized)
