import torch.nn.functional as F
from torch import nn


class ConvolutionalPosition(nn.Module):
    def __init__(self, width, kernel=5, groups=2):
        super().__init__()
        self.conv = nn.Conv1d(width, width, kernel, padding=kernel // 2, groups=groups)

    def forward(self, x):
        return F.gelu(self.conv(x))


class SpeechEncoder(nn.Module):
    def __init__(self, width=16, heads=2, depth=2):
        super().__init__()
        self.position = ConvolutionalPosition(width)
        self.norm = nn.LayerNorm(width)
        self.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(width, heads, 2 * width, dropout=0.0, batch_first=True)
            for _ in range(depth)
        )

    def extract_features(self, x):
        x_conv = self.position(x.transpose(1, 2))
        x_conv = x_conv.transpose(1, 2)
        x += x_conv
        x = self.norm(x)
        for layer in self.layers:
            x = layer(x)
        return x
