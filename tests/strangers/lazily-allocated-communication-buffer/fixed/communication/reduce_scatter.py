import torch


class ReduceScatter:
    """Sums the partial results of all ranks through one buffer that is kept."""

    def __init__(self, *shape):
        self.shape, self.buffer = shape, None

    def allocate(self):
        with torch.inference_mode(False):
            return torch.zeros(self.shape)

    def __call__(self, partials):
        if self.buffer is None:
            self.buffer = self.allocate()
        tokens = len(partials[0])
        for rank, partial in enumerate(partials):
            self.buffer[rank, :tokens].copy_(partial)
        return self.buffer[:, :tokens].sum(dim=0)
