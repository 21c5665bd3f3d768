"""A low-rank adapter around a frozen token embedding."""
import torch
from torch import nn


class LoraEmbedding(nn.Module):
    def __init__(self, base, rank=2, alpha=4.0):
        super().__init__()
        self.base = base
        self.base.weight.requires_grad_(False)
        self.embedding_a = nn.Parameter(torch.zeros(rank, base.num_embeddings))
        self.embedding_b = nn.Parameter(torch.randn(base.embedding_dim, rank) * 0.1)
        self.scaling = alpha / rank

    def forward(self, tokens):
        result = self.base(tokens)
        after_a = nn.functional.embedding(tokens, self.embedding_a.T)
        result = result + (after_a @ self.embedding_b.T) * self.scaling
        return result


def enable_input_require_grads(embedding):
    """What checkpointed training wants: the embedded tokens must require grad."""
    def make_inputs_require_grad(module, inputs, output):
        output.requires_grad_(True)

    return embedding.register_forward_hook(make_inputs_require_grad)
