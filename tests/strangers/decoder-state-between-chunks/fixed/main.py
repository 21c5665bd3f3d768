import torch
import torch.nn as nn
import torch.nn.functional as F


class DecoderState:
    """What the decoder carries over from one piece of a target sentence to the next."""

    def __init__(self, hidden, input_feed):
        self.hidden = hidden
        self.input_feed = input_feed

    def detach(self):
        self.hidden = self.hidden.detach()
        self.input_feed = self.input_feed.detach()


class InputFeedDecoder(nn.Module):
    def __init__(self, vocabulary, width):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.cell = nn.GRUCell(2 * width, width)
        self.project = nn.Linear(2 * width, width)
        self.vocabulary = nn.Linear(width, vocabulary)

    def forward(self, tokens, image_features, state):
        outputs = []
        hidden, feed = state.hidden, state.input_feed
        for token in tokens:
            hidden = self.cell(torch.cat([self.embedding(token), feed], dim=1), hidden)
            scores = torch.einsum("bh,brh->br", hidden, image_features).softmax(dim=1)
            context = torch.einsum("br,brh->bh", scores, image_features)
            feed = self.project(torch.cat([hidden, context], dim=1)).tanh()
            outputs.append(feed)
        outputs = torch.stack(outputs)
        state.hidden = hidden
        state.input_feed = outputs[-1]
        return self.vocabulary(outputs)


def main():
    torch.manual_seed(0)
    decoder = InputFeedDecoder(vocabulary=20, width=12)
    image_features, sentence = torch.randn(4, 6, 12), torch.randint(20, (13, 4))
    optimizer = torch.optim.Adam(decoder.parameters(), lr=0.02)
    for epoch in range(5):
        state = DecoderState(torch.zeros(4, 12), torch.zeros(4, 12))
        for start in range(0, 12, 4):
            logits = decoder(sentence[start:start + 4], image_features, state)
            loss = F.cross_entropy(logits.flatten(0, 1), sentence[start + 1:start + 5].flatten())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            state.detach()
        print(f"epoch {epoch}: loss {loss.item():.4f}")


if __name__ == "__main__":
    main()
