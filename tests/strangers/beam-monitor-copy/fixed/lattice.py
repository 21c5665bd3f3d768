"""Linear beam optics in one plane: the mean and the spread of (position, slope)."""
from dataclasses import dataclass

import torch


@dataclass
class Beam:
    mean: torch.Tensor
    spread: torch.Tensor

    def clone(self):
        return Beam(mean=self.mean.clone(), spread=self.spread.clone())


class Element:
    def matrix(self):
        return torch.eye(2)

    def track(self, beam):
        m = self.matrix()
        return Beam(mean=m @ beam.mean, spread=(m.pow(2) @ beam.spread.pow(2)).sqrt())


class Drift(Element):
    def __init__(self, length):
        self.length = length

    def matrix(self):
        return torch.tensor([[1.0, self.length], [0.0, 1.0]])


class Quadrupole(Element):
    def __init__(self, length, strength):
        self.length, self.strength = length, strength

    def matrix(self):
        kick = -self.strength * self.length
        return torch.stack([torch.tensor([1.0, 0.0]), torch.stack([kick, torch.tensor(1.0)])])


class Steerer(Element):
    def __init__(self, angle):
        self.angle = angle

    def track(self, beam):
        return Beam(mean=beam.mean + torch.stack([torch.zeros(()), self.angle]), spread=beam.spread)


class Monitor(Element):
    reading = None

    def track(self, beam):
        self.reading = beam.mean[0]
        return beam.clone()
