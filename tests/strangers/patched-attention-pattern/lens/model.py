from torch import nn


class HookPoint(nn.Module):
    """An identity; a hook may give something else instead of what comes in."""

    hook = None

    def forward(self, x):
        return x if self.hook is None else self.hook(x)


class HookedTransformer(nn.Module):
    def __init__(self, vocab=17, dim=12, heads=3):
        super().__init__()
        self.heads = heads
        self.embed, self.unembed = nn.Embedding(vocab, dim), nn.Linear(dim, vocab)
        self.qkv, self.o = nn.Linear(dim, 3 * dim), nn.Linear(dim, dim)
        self.hooks = nn.ModuleDict({"pattern": HookPoint(), "z": HookPoint()})

    def forward(self, tokens):
        x = self.embed(tokens)
        qkv = self.qkv(x).unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        q, k, v = qkv.unbind(0)
        scores = q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5
        pattern = self.hooks["pattern"](scores.softmax(dim=-1))
        z = self.hooks["z"]((pattern @ v).transpose(1, 2))
        return self.unembed(x + self.o(z.flatten(2)))

    def run_with_hook(self, tokens, name, hook):
        self.hooks[name].hook = hook
        logits = self(tokens)
        self.hooks[name].hook = None
        return logits
