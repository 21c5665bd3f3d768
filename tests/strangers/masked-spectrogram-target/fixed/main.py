import torch
from torch import nn

from masking import TimeMasking

torch.manual_seed(0)


class Frontend(nn.Module):
    """A learned filter bank over the power spectrum of short frames."""

    def __init__(self, n_fft=32, bands=8):
        super().__init__()
        self.n_fft = n_fft
        self.register_buffer("window", torch.hann_window(n_fft))
        self.bank = nn.Parameter(torch.rand(bands, n_fft // 2 + 1) * 0.2)

    def forward(self, audio):
        frames = torch.stft(audio, self.n_fft, hop_length=16, window=self.window, return_complex=True)
        return torch.matmul(self.bank, frames.abs().square().log1p())


def main():
    frontend = Frontend()
    mask = TimeMasking(longest=8)
    filler = nn.Conv1d(8, 8, 9, padding=4)
    parameters = [*frontend.parameters(), *filler.parameters()]
    optimizer = torch.optim.Adam(parameters, lr=1e-2)
    gradient = None
    for step in range(15):
        audio = torch.sin(torch.rand(6, 1) * torch.arange(512.0)) + 0.05 * torch.randn(6, 512)
        spec = frontend(audio)
        masked = mask(spec)
        guess = filler(masked)
        spread = spec.std(dim=(0, 2)).mean()
        loss = nn.functional.mse_loss(guess, spec) + (1 - spread).square()
        optimizer.zero_grad()
        loss.backward()
        if gradient is None:
            gradient = frontend.bank.grad.clone()
        optimizer.step()
        if step % 5 == 0:
            print(step, round(loss.item(), 4))
    return gradient


if __name__ == "__main__":
    gradient = main()
    print("first gradient of the bank", round(gradient.norm().item(), 5))
