"""A speech decoder that attends to the text and masks the padding of every sentence."""
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(13)
TEXT, FRAMES, WIDTH, MELS = 9, 6, 12, 5


class MaskedAttention(nn.Module):
    def __init__(self, width, score_mask_value=-float("inf")):
        super().__init__()
        self.query = nn.Linear(width, width, bias=False)
        self.score = nn.Linear(width, 1, bias=False)
        self.score_mask_value = score_mask_value

    def forward(self, query, memory, processed, mask):
        energy = torch.tanh(self.query(query).unsqueeze(1) + processed)
        alignment = self.score(energy).squeeze(-1)
        alignment.data.masked_fill_(mask, self.score_mask_value)
        alignment = F.softmax(alignment, dim=-1)
        return torch.bmm(alignment.unsqueeze(1), memory).squeeze(1), alignment


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(20, WIDTH)
        self.memory_layer = nn.Linear(WIDTH, WIDTH, bias=False)
        self.cell = nn.GRUCell(WIDTH + MELS, WIDTH)
        self.attention = MaskedAttention(WIDTH)
        self.out = nn.Linear(2 * WIDTH, MELS)

    def forward(self, text, lengths, mels):
        memory = self.embed(text)
        processed = self.memory_layer(memory)
        mask = torch.arange(text.size(1)).unsqueeze(0) >= lengths.unsqueeze(1)
        context, state = memory.mean(dim=1), torch.zeros(text.size(0), WIDTH)
        frame, outputs = torch.zeros(text.size(0), MELS), []
        for t in range(FRAMES):
            state = self.cell(torch.cat([context, frame], dim=1), state)
            context, alignment = self.attention(state, memory, processed, mask)
            outputs.append(self.out(torch.cat([state, context], dim=1)))
            frame = mels[:, t]
        return torch.stack(outputs, dim=1), alignment


model = Decoder()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
text = torch.randint(0, 20, (4, TEXT))
lengths = torch.tensor([9, 7, 5, 8])
mels = torch.randn(4, FRAMES, MELS)
for step in range(20):
    optimizer.zero_grad()
    predicted, alignment = model(text, lengths, mels)
    loss = F.l1_loss(predicted, mels)
    loss.backward()
    optimizer.step()
print(f"loss {loss.item():.3f}, weight on padding {alignment[2, 5:].sum().item():.1f}")
