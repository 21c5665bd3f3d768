import torch
from torch import nn


def rotate_half(x):
    first, second = x.chunk(2, dim=-1)
    return torch.cat([-second, first], dim=-1)


class RotaryEmbedding(nn.Module):
    def __init__(self, dim, base=10000.0):
        super().__init__()
        self.register_buffer("inv_freq", base ** (-torch.arange(0, dim, 2) / dim))
        self._seq_len_cached = 0
        self._cos_cached = None
        self._sin_cached = None

    def _update_cos_sin_cache(self, seqlen):
        # The tables are made again when a longer sequence comes along, or when training meets
        # those of an evaluation.
        if seqlen > self._seq_len_cached or (self.training and self._cos_cached.is_inference()):
            self._seq_len_cached = seqlen
            t = torch.arange(seqlen, dtype=self.inv_freq.dtype)
            freqs = torch.outer(t, self.inv_freq).repeat(1, 2)
            self._cos_cached = freqs.cos()
            self._sin_cached = freqs.sin()

    def forward(self, q, k):
        seqlen = q.shape[-2]
        self._update_cos_sin_cache(seqlen)
        cos, sin = self._cos_cached[:seqlen], self._sin_cached[:seqlen]
        return q * cos + rotate_half(q) * sin, k * cos + rotate_half(k) * sin
