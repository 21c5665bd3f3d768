import torch
from torch import nn

from lora import LanguageModel, add_adapters

torch.manual_seed(1)

model = LanguageModel(vocabulary=20, width=12, depth=3)
adapters = add_adapters(model)


def make_inputs_require_grad(module, inputs, output):
    output.requires_grad_(True)


model.embed_tokens.register_forward_hook(make_inputs_require_grad)
optimizer = torch.optim.AdamW(adapters, lr=0.02)
tokens = torch.randint(0, 20, (4, 9))
for step in range(5):
    logits = model(tokens[:, :-1])
    loss = nn.functional.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"step {step}: {loss.item():.4f}")
