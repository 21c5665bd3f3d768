import torch
from torch import nn

torch.manual_seed(4)

N_FFT, HOP = 32, 8
WINDOW = torch.hann_window(N_FFT)


def stft(wave):
    return torch.stft(wave, N_FFT, HOP, window=WINDOW, return_complex=True)


def griffin_lim(magnitude, length, iterations=4, momentum=0.9):
    """Looks for the phase that belongs to a magnitude spectrogram."""
    angles = torch.polar(torch.ones_like(magnitude), 6.28 * torch.rand(magnitude.shape))
    previous = torch.zeros_like(angles)
    for _ in range(iterations):
        wave = torch.istft(magnitude * angles, N_FFT, HOP, window=WINDOW, length=length)
        rebuilt = stft(wave)
        angles = rebuilt - previous * (momentum / (1 + momentum))
        angles = angles.div_(angles.abs().add(1e-8))
        previous = rebuilt
    return torch.istft(magnitude * angles, N_FFT, HOP, window=WINDOW, length=length)


class Enhancer(nn.Module):
    def __init__(self, bins):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(bins, 24), nn.ReLU(), nn.Linear(24, bins), nn.Softplus())

    def forward(self, magnitude):
        return self.net(magnitude.transpose(1, 2)).transpose(1, 2)


t = torch.arange(160) / 160
clean = torch.stack([torch.sin(6.28 * f * t) for f in (5.0, 9.0, 14.0)])
noisy = clean + 0.3 * torch.randn_like(clean)
enhancer = Enhancer(N_FFT // 2 + 1)
optimizer = torch.optim.Adam(enhancer.parameters(), lr=0.01)
for step in range(4):
    estimate = enhancer(stft(noisy).abs())
    wave = griffin_lim(estimate, length=clean.shape[1])
    loss = nn.functional.mse_loss(stft(wave).abs(), stft(clean).abs())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"step {step}: {loss.item():.4f}")
