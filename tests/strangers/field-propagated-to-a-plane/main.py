import math

import torch
from torch import nn


def angular_spectrum(u_in, wavelength, pitch, distance):
    """The field at a distance, by the free space transfer function of its spectrum."""
    f = torch.fft.fftfreq(u_in.shape[-1], pitch, dtype=u_in.real.dtype)
    fxx = f[:, None].square() + f.square()
    kz = 2 * math.pi * torch.sqrt((1 / wavelength) ** 2 - fxx)
    U2 = torch.fft.fft2(u_in)
    H = torch.exp(1j * kz * distance)
    U2 *= H
    u_out = torch.fft.ifft2(U2)
    intensity = u_out.abs()
    intensity /= intensity.max()
    return u_out, intensity


class PhaseMask(nn.Module):
    def __init__(self, pixels=16, distance=40.0):
        super().__init__()
        self.phase = nn.Parameter(0.1 * torch.randn(pixels, pixels, dtype=torch.double))
        self.distance = nn.Parameter(torch.tensor(distance, dtype=torch.double))

    def forward(self):
        u_in = torch.exp(1j * self.phase)
        return angular_spectrum(u_in, wavelength=0.5, pitch=1.0, distance=self.distance)[1]


torch.manual_seed(14)
mask = PhaseMask()
target = torch.zeros(16, 16, dtype=torch.double)
target[6:10, 6:10] = 1.0
optimizer = torch.optim.Adam(mask.parameters(), lr=0.05)
for iteration in range(3):
    optimizer.zero_grad()
    loss = (mask() - target).square().mean()
    loss.backward()
    optimizer.step()
    print(f"iteration {iteration}: {loss.item():.5f}")
