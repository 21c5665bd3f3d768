"""Quantize a language model with a draft head after calibrating it on a few batches."""
import torch
import torch.nn.functional as F

from model import DraftModel
from quantizer import Compressor

torch.manual_seed(5)

model = DraftModel(vocabulary=32, width=12)
compressor = Compressor(bits=4)
model.body.register_forward_hook(compressor.observe)
model(torch.randint(0, 32, (8, 9)))

with torch.no_grad():
    compressor.write_back(model.body.weight)
    compressor.write_back(model.draft_weight)

# A short recovery run on the output scale alone.
optimizer = torch.optim.Adam([model.scale], lr=0.05)
tokens = torch.randint(0, 32, (6, 9))
losses = []
for step in range(15):
    optimizer.zero_grad()
    logits = model.draft(tokens[:, :-1])
    loss = F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
print(f"levels {model.draft_weight.unique().numel()}, loss {losses[0]:.4f} -> {losses[-1]:.4f}")
