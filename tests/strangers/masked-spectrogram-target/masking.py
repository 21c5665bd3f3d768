"""Masks along the time axis of a batch of spectrograms."""
import torch
from torch import nn


def mask_along_time(specgrams, starts, ends, mask_value=0.0):
    """Mask, in each spectrogram of (batch, frequency, time), its own stretch of frames."""
    frames = torch.arange(specgrams.shape[-1])
    mask = (frames >= starts[:, None]) & (frames < ends[:, None])
    specgrams.masked_fill_(mask.unsqueeze(1), mask_value)
    return specgrams


class TimeMasking(nn.Module):
    def __init__(self, longest):
        super().__init__()
        self.longest = longest

    def forward(self, specgrams):
        batch, _, time = specgrams.shape
        length = torch.randint(2, self.longest + 1, (batch,))
        starts = (torch.rand(batch) * (time - length)).long()
        return mask_along_time(specgrams, starts, starts + length)
