import torch


class Integrator:
    @staticmethod
    def integrate(pos, vel, acc, dt, type="euler"):
        assert type == "euler"
        return pos + vel * dt, vel + acc * dt


class Dynamics:
    """Point masses; one column of each state for each drone."""

    def __init__(self, num, dt=0.1, drag=0.3):
        self.num, self.dt, self.drag = num, dt, drag
        self.start = torch.linspace(0.7, 1.3, num).repeat(3, 1)

    def reset(self, indices=None):
        if indices is None:
            self._position = self.start.clone()
            self._velocity = torch.zeros(3, self.num)
        else:
            self._position = self._position.clone()
            self._velocity = self._velocity.clone()
            self._position[:, indices] = self.start[:, indices]
            self._velocity[:, indices] = 0.0

    @property
    def position(self):
        return self._position.T

    @property
    def velocity(self):
        return self._velocity.T

    def step(self, action):
        acc = action.T - self.drag * self._velocity * self._velocity.abs()
        self._position, self._velocity = Integrator.integrate(
            pos=self._position, vel=self._velocity, acc=acc, dt=self.dt
        )
