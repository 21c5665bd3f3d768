import torch
from torch import nn
from torch.nn import functional as F


class ConvISTFT(nn.Module):
    """The inverse of a short time Fourier transform, as a transposed convolution."""

    def __init__(self, n_fft=16, hop=4, eps=1e-6):
        super().__init__()
        self.hop, self.eps = hop, eps
        window = torch.hann_window(n_fft)
        spectrum = torch.fft.irfft(torch.eye(n_fft // 2 + 1).to(torch.cfloat), n=n_fft)
        imaginary = torch.fft.irfft(1j * torch.eye(n_fft // 2 + 1), n=n_fft)
        self.register_buffer("basis", (torch.cat([spectrum, imaginary]) * window)[:, None])
        self.register_buffer("wsq", window.square()[None, None])

    def forward(self, spec):
        wav = F.conv_transpose1d(torch.cat([spec.real, spec.imag], 1), self.basis, stride=self.hop)
        frames = torch.ones(1, 1, spec.shape[-1])
        wsq_ola = F.conv_transpose1d(frames, self.wsq, stride=self.hop)
        wsq_ola = wsq_ola.expand_as(wav).clone()
        min_mask = wsq_ola.abs() < self.eps
        wav[~min_mask] = wav[~min_mask] / wsq_ola[~min_mask]
        return wav.squeeze(1)


torch.manual_seed(30)
mask = nn.Sequential(nn.Conv1d(9, 9, 3, padding=1), nn.Sigmoid())
istft = ConvISTFT()
optimizer = torch.optim.Adam(mask.parameters(), lr=1e-2)
clean = torch.sin(torch.arange(64) * torch.tensor([[0.3], [0.7]]))
for step in range(3):
    noisy = clean + 0.3 * torch.randn(2, 64)
    window = torch.hann_window(16)
    spec = torch.stft(noisy, 16, 4, window=window, center=False, return_complex=True)
    loss = (istft(spec * mask(spec.abs())) - clean).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"step {step}: {loss.item():.5f}")
