import torch
from torch import nn

from diffopt import DifferentiableSGD

torch.manual_seed(0)


class SentenceScorer(nn.Module):
    """Frozen word vectors, a trained head."""

    def __init__(self, vocab=30, width=8):
        super().__init__()
        self.words = nn.Embedding(vocab, width)
        self.words.weight.requires_grad_(False)
        self.hidden = nn.Linear(width, 16)
        self.score = nn.Linear(16, 1)

    def forward(self, tokens):
        mean = self.words(tokens).mean(dim=1)
        return self.score(torch.tanh(self.hidden(mean))).squeeze(1)


def sample_task():
    liked = torch.randint(0, 30, (10,))
    tokens = torch.randint(0, 30, (20, 6))
    labels = torch.isin(tokens, liked).float().mean(dim=1)
    return (tokens[:10], labels[:10]), (tokens[10:], labels[10:])


def main():
    model = SentenceScorer()
    trainable = [p for p in model.parameters() if p.requires_grad]
    outer = torch.optim.Adam(trainable, lr=1e-2)
    for round_number in range(8):
        outer.zero_grad()
        total = 0.0
        for _ in range(3):
            (support_x, support_y), (query_x, query_y) = sample_task()
            learner = DifferentiableSGD(model, lr=0.1)
            for _ in range(2):
                learner.step(nn.functional.mse_loss(learner(support_x), support_y))
            loss = nn.functional.mse_loss(learner(query_x), query_y)
            loss.backward()
            total += loss.item()
        outer.step()
        print(round_number, round(total / 3, 4))


if __name__ == "__main__":
    main()
