import torch
from torch import nn
from soft_masked_bert import SoftMaskedBert

torch.manual_seed(6)
vocabulary, mask_token = 20, 3
embedding = nn.Embedding(vocabulary, 8)
model = SoftMaskedBert(embedding, mask_token)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
criterion_c, criterion_d = nn.NLLLoss(), nn.BCELoss()
for batch in range(3):
    output_ids = torch.randint(4, vocabulary, (4, 6))
    wrong = torch.rand(4, 6) < 0.3
    input_ids = torch.where(wrong, torch.randint(4, vocabulary, (4, 6)), output_ids)
    out, prob = model(input_ids)
    loss_d = criterion_d(prob.squeeze(-1), wrong.float())
    loss_c = criterion_c(out.flatten(0, 1), output_ids.flatten())
    loss = 0.8 * loss_c + 0.2 * loss_d
    optimizer.zero_grad()
    loss.backward(retain_graph=True)
    optimizer.step()
    print(f"batch {batch}: {loss.item():.4f}")
