import torch
from torch import nn


class TimeMixing(nn.Module):
    def __init__(self, layer, width):
        super().__init__()
        self.layer = layer
        self.decay = nn.Parameter(torch.full((width,), 1.0))
        self.key = nn.Linear(width, width)
        self.value = nn.Linear(width, width)
        self.receptance = nn.Linear(width, width)

    def forward(self, x, state=None):
        memory = x.new_zeros(x.shape[0], x.shape[2]) if state is None else state[self.layer]
        keep = torch.sigmoid(self.decay)
        key, value, outputs = self.key(x), self.value(x), []
        for t in range(x.shape[1]):
            memory = memory * keep + torch.sigmoid(key[:, t]) * value[:, t]
            outputs.append(memory)
        if state is not None:
            state[self.layer] = memory
        return torch.sigmoid(self.receptance(x)) * torch.stack(outputs, dim=1)


class RecurrentLanguageModel(nn.Module):
    def __init__(self, vocabulary, width=12, depth=2):
        super().__init__()
        self.embeddings = nn.Embedding(vocabulary, width)
        self.blocks = nn.ModuleList(TimeMixing(i, width) for i in range(depth))
        self.head = nn.Linear(width, vocabulary)

    def forward(self, tokens, labels, state=None, use_cache=None):
        use_cache = not self.training if use_cache is None else use_cache
        hidden = self.embeddings(tokens)
        if use_cache and state is None:
            state = hidden.new_zeros(len(self.blocks), tokens.shape[0], hidden.shape[-1])
        for block in self.blocks:
            hidden = hidden + block(hidden, state)
        logits = self.head(hidden)
        loss = nn.functional.cross_entropy(logits[:, :-1].flatten(0, 1), labels[:, 1:].flatten())
        return loss, logits, state


def from_pretrained(vocabulary):
    return RecurrentLanguageModel(vocabulary).eval()
