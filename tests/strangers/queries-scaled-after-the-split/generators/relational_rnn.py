import torch
from torch import nn


class RelationalMemory(nn.Module):
    """Slots of memory that attend to each other and to the new input."""

    def __init__(self, mem_slots, head_size, input_size, num_heads):
        super().__init__()
        self.mem_slots, self.num_heads, self.key_size = mem_slots, num_heads, head_size
        self.mem_size = head_size * num_heads
        self.input_projector = nn.Linear(input_size, self.mem_size)
        self.qkv_projector = nn.Linear(self.mem_size, 3 * self.mem_size)
        self.norm = nn.LayerNorm(self.mem_size)

    def initial_state(self, batch):
        return torch.eye(self.mem_slots, self.mem_size).repeat(batch, 1, 1)

    def multihead_attention(self, memory):
        qkv = self.qkv_projector(memory)
        qkv = qkv.view(*memory.shape[:2], self.num_heads, 3 * self.key_size).permute(0, 2, 1, 3)
        q, k, v = torch.split(qkv, [self.key_size] * 3, dim=-1)
        q *= self.key_size**-0.5
        weights = torch.softmax(q @ k.permute(0, 1, 3, 2), dim=-1)
        return (weights @ v).permute(0, 2, 1, 3).flatten(2)

    def forward_step(self, inputs, memory):
        both = torch.cat([memory, self.input_projector(inputs)[:, None]], dim=1)
        both = self.norm(both + self.multihead_attention(both))
        return both[:, : self.mem_slots]

    def forward(self, inputs, memory):
        logits = []
        for x in inputs.unbind(1):
            memory = self.forward_step(x, memory)
            logits.append(memory.flatten(1))
        return torch.stack(logits, dim=1), memory
