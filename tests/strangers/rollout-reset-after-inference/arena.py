import torch


class ReachArena:
    """Several point robots that shall reach the origin, simulated as one batch."""

    def __init__(self, num_envs, horizon=6):
        self.num_envs, self.horizon = num_envs, horizon
        self.position = torch.zeros(num_envs, 2)
        self.age = torch.zeros(num_envs, dtype=torch.long)
        self.reset(torch.arange(num_envs))

    def reset(self, env_ids):
        self.position[env_ids] = torch.rand(len(env_ids), 2) * 2.0 - 1.0
        self.age[env_ids] = 0
        return self.position

    def step(self, action):
        self.position = self.position + 0.2 * action.clamp(-1.0, 1.0)
        self.age = self.age + 1
        distance = self.position.norm(dim=1)
        terminated = (distance < 0.05) | (self.age >= self.horizon)
        return self.position, -distance, terminated
