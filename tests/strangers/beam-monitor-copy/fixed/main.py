"""Tune a steering magnet so that the beam position monitor reads zero."""
import torch

from lattice import Beam, Drift, Monitor, Quadrupole, Steerer

torch.manual_seed(3)


def build(angle, strength):
    monitor = Monitor()
    line = [Drift(0.5), Quadrupole(0.2, strength), Drift(0.3), Steerer(angle), Drift(1.0), monitor, Drift(0.2)]
    return line, monitor


angle = torch.tensor(0.0, requires_grad=True)
strength = torch.tensor(4.0)
optimizer = torch.optim.SGD([angle], lr=0.2)
history = []
for trial in range(25):
    incoming = Beam(mean=torch.tensor([2e-3, -1e-3]), spread=torch.tensor([1e-4, 2e-5]))
    line, monitor = build(angle, strength)
    beam = incoming
    for element in line:
        beam = element.track(beam)
    loss = (1e3 * monitor.reading).pow(2) * 1e-6 + 1e-4 * beam.spread.sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    history.append(abs(monitor.reading.item()))
print(f"reading {history[0]:.2e} -> {history[-1]:.2e} m, angle {angle.item():.2e}")
