import torch


class TextTable:
    """A table with one text column and one numerical column."""

    def __init__(self, sentences, numbers, target, embedder):
        self.sentences, self.numbers, self.target = sentences, numbers, target
        self.embedder = embedder
        self.features = None

    def materialise(self):
        text = self.embedder(self.sentences)
        numerical = (self.numbers - self.numbers.mean()) / self.numbers.std()
        self.features = torch.cat([text, numerical.unsqueeze(1)], dim=1)
        return self

    def batches(self, size):
        for index in torch.randperm(len(self.target)).split(size):
            yield self.features[index], self.target[index]
