import torch
from torch import nn


class ManagedTable(nn.Module):
    """An embedding table of few rows: new ids take the rows that were used least recently."""

    def __init__(self, rows, dim):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(rows, dim) * 0.1)
        self.slot_of, self.last_used, self.clock = {}, [0] * rows, 0

    def remap(self, ids):
        self.clock += 1
        slots, evicted = [], []
        for key in ids.flatten().tolist():
            if key not in self.slot_of:
                slot = min(range(len(self.last_used)), key=self.last_used.__getitem__)
                self.slot_of = {k: s for k, s in self.slot_of.items() if s != slot}
                self.slot_of[key] = slot
                evicted.append(slot)
            self.last_used[self.slot_of[key]] = self.clock
            slots.append(self.slot_of[key])
        if evicted:
            self.reset_rows(torch.tensor(evicted))
        return torch.tensor(slots).view_as(ids)

    def reset_rows(self, rows):
        fresh = torch.randn(len(rows), self.weight.shape[1]) * 0.1
        with torch.no_grad():
            self.weight[rows] = fresh

    def forward(self, ids, importance):
        slots = self.remap(ids)
        return nn.functional.embedding_bag(
            slots, self.weight, mode="sum", per_sample_weights=importance.expand(ids.shape)
        )
