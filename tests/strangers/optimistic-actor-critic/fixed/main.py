import torch

from trainer import SACTrainer

torch.manual_seed(11)

trainer = SACTrainer()
goal = torch.tensor([0.4, -0.3])

obs = torch.randn(256, 4)
action = torch.rand(256, 2) * 2 - 1
next_obs = 0.9 * obs + 0.1 * torch.cat([action, action], dim=1)
reward = -(action - goal).pow(2).sum(dim=1, keepdim=True)

for step in range(40):
    index = torch.randint(0, 256, (64,))
    losses = trainer.train_batch(obs[index], action[index], reward[index], next_obs[index])
    if step % 10 == 0:
        print("step %d: qf1 %.3f qf2 %.3f policy %.3f" % (step, *losses))
