import torch
from generators.relational_rnn import RelationalMemory
from torch import nn
from torch.nn import functional as F


class Generator(nn.Module):
    def __init__(self, vocab=9, width=8):
        super().__init__()
        self.embeddings = nn.Embedding(vocab, width)
        self.lstm = RelationalMemory(mem_slots=2, head_size=4, input_size=width, num_heads=2)
        self.lstm2out = nn.Linear(2 * width, vocab)

    def forward(self, inp, hidden):
        logits, hidden = self.lstm(self.embeddings(inp), hidden)
        return self.lstm2out(logits).log_softmax(-1), hidden


torch.manual_seed(11)
gen = Generator()
optimizer = torch.optim.Adam(gen.parameters(), lr=1e-2)
for epoch in range(3):
    text = torch.randint(9, (4, 6))
    out, _ = gen(text[:, :-1], gen.lstm.initial_state(4))
    loss = F.nll_loss(out.flatten(0, 1), text[:, 1:].flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"epoch {epoch}: {loss.item():.4f}")
