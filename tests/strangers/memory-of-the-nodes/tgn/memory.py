from typing import Dict

import torch


class Memory:
    """What each node of the temporal graph remembers, made when it is first asked for."""

    def __init__(self, dimension: int):
        self.dimension = dimension
        self.memory_container: Dict[int, torch.Tensor] = {}
        self.last_update: Dict[int, float] = {}

    def get_node_memory(self, node: int) -> torch.Tensor:
        if node not in self.memory_container:
            self.memory_container[node] = torch.zeros(self.dimension)
        return self.memory_container[node]

    def set_node_memory(self, node: int, value: torch.Tensor, time: float):
        self.memory_container[node] = value
        self.last_update[node] = time
