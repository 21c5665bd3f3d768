import torch
from bert import BERTModel
from torch.nn import functional as F


def mask_tokens(tokens, mask_id, rate=0.3):
    positions = torch.rand(tokens.shape) < rate
    positions[:, 0] = True
    return tokens.masked_fill(positions, mask_id), positions


torch.manual_seed(25)
net = BERTModel(vocab_size=12, num_hiddens=8, max_len=20)
tokens = torch.randint(1, 12, (4, 10))
masked, positions = mask_tokens(tokens, mask_id=0)
segments = (torch.arange(10) > 4).long().expand(4, 10)
loss = F.cross_entropy(net(masked, segments)[positions], tokens[positions])
loss.backward()
gradient = net.encoder.pos_embedding.grad
print(f"loss {loss.item():.4f}, positions are trained: {gradient is not None}")
