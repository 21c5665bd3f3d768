import torch


class Geometry:
    """A batch of molecules; the missing atoms of the smaller ones have atomic number 0."""

    def __init__(self, numbers, positions):
        self.numbers = numbers
        self.positions = positions

    @property
    def distances(self):
        separation = self.positions.unsqueeze(-2) - self.positions.unsqueeze(-3)
        return separation.norm(dim=-1)

    @property
    def pair_mask(self):
        real = self.numbers > 0
        off_diagonal = ~torch.eye(self.numbers.shape[-1], dtype=torch.bool)
        return real.unsqueeze(-1) & real.unsqueeze(-2) & off_diagonal
