import torch

from model import from_pretrained

torch.manual_seed(6)

sentence = torch.randint(0, 16, (3, 8))
model = from_pretrained(vocabulary=16)
model.train()
optimizer = torch.optim.Adam(model.parameters(), lr=0.02)

for step in range(4):
    loss, logits, _ = model(sentence, labels=sentence)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"step {step}: {loss.item():.4f}")
