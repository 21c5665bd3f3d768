import functools

import torch


def with_synced_buffers(forward):
    @functools.wraps(forward)
    def synced(self, *inputs):
        self.sync_buffers()
        return forward(self, *inputs)

    return synced


class Replicas:
    """Copies of one module in one process; before each forward, buffers are sent to all."""

    def __init__(self, make, count):
        self.replicas = [make() for _ in range(count)]
        for replica in self.replicas[1:]:
            replica.load_state_dict(self.replicas[0].state_dict())

    def parameters(self):
        return (p for replica in self.replicas for p in replica.parameters())

    @torch.no_grad()
    def sync_buffers(self):
        first, *rest = (dict(replica.named_buffers()) for replica in self.replicas)
        for buffers in rest:
            for name, buffer in buffers.items():
                buffer.copy_(first[name])

    @with_synced_buffers
    def __call__(self, batch):
        parts = batch.chunk(len(self.replicas))
        return torch.cat([replica(part) for replica, part in zip(self.replicas, parts)])
