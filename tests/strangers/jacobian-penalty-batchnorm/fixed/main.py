"""Train an autoencoder whose encoder is kept flat by a penalty on its Jacobian."""
import torch
from torch import nn
from torch.func import jacrev, replace_all_batch_norm_modules_

torch.manual_seed(0)


class Encoder(nn.Module):
    def __init__(self, inputs, hidden, outputs):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(inputs, hidden),
            nn.BatchNorm1d(hidden),
            nn.Tanh(),
            nn.Linear(hidden, outputs),
        )

    def forward(self, x):
        return self.net(x)


def flatness(encoder, x):
    jacobian = jacrev(encoder)(x)
    return jacobian.square().sum() / x.shape[0]


encoder, decoder = Encoder(4, 6, 2), nn.Linear(2, 4)
replace_all_batch_norm_modules_(encoder)
encoder.train()
samples = torch.randn(8, 4)

optimizer = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()], lr=0.02)
for epoch in range(5):
    optimizer.zero_grad()
    error = (decoder(encoder(samples)) - samples).square().mean()
    loss = error + 0.01 * flatness(encoder, samples)
    loss.backward()
    optimizer.step()
    print(epoch, round(loss.item(), 4))
