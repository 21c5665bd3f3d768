import torch
from torch import nn

torch.manual_seed(12)


class Tokenizer:
    def __init__(self, words):
        self.index = {word: i for i, word in enumerate(words)}

    def add_tokens(self, words):
        for word in words:
            self.index.setdefault(word, len(self.index))

    def __call__(self, text):
        return torch.tensor([[self.index[word] for word in text.split()]])


class TextEncoder(nn.Module):
    def __init__(self, vocabulary, width):
        super().__init__()
        self.token_embedding = nn.Embedding(vocabulary, width)
        self.mixer = nn.GRU(width, width, batch_first=True)

    def resize_token_embeddings(self, size):
        old = self.token_embedding
        self.token_embedding = nn.Embedding(size, old.embedding_dim)
        self.token_embedding.weight.data[: old.num_embeddings] = old.weight.data

    def forward(self, ids):
        return self.mixer(self.token_embedding(ids))[0][:, -1]


def load_tokens(tokenizer, encoder, learned):
    tokenizer.add_tokens(learned)
    encoder.resize_token_embeddings(len(tokenizer.index))
    with torch.no_grad():
        for token, vector in learned.items():
            position = tokenizer.index[token]
            encoder.token_embedding.weight[position] = vector
    return list(learned)


tokenizer = Tokenizer("a photo of cat dog mug".split())
encoder = TextEncoder(len(tokenizer.index), 8)
nodes = {"<left>": torch.randn(8), "<right>": torch.randn(8)}
print("loaded", load_tokens(tokenizer, encoder, nodes))

optimizer = torch.optim.Adam(encoder.parameters(), lr=0.02)
image = torch.randn(1, 8)
for step in range(4):
    similarity = torch.cosine_similarity(encoder(tokenizer("a photo of <left>")), image)
    loss = (1 - similarity).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"step {step}: {loss.item():.4f}")
