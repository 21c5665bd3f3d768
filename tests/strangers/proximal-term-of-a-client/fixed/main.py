import copy

import torch
from torch import nn

torch.manual_seed(10)

CLIENTS, ROUNDS, LOCAL_STEPS, MU = 3, 2, 4, 0.8


class Client:
    def __init__(self, shift):
        self.x = torch.randn(24, 4) + shift
        self.y = (self.x * torch.tensor([1.0, -2.0, 0.5, shift])).sum(dim=1, keepdim=True)
        self.last_gradient = None

    def fit(self, model):
        optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
        global_params = [w.clone().detach() for w in model.parameters()]
        for _ in range(LOCAL_STEPS):
            loss = nn.functional.mse_loss(model(self.x), self.y)
            optimizer.zero_grad()
            loss.backward()
            for w, w_t in zip(model.parameters(), global_params):
                w.grad.data += MU * (w.data - w_t.data)
            optimizer.step()
        self.last_gradient = model.weight.grad.clone()
        return model.state_dict(), loss.item()


def average(states):
    return {k: torch.stack([s[k] for s in states]).mean(dim=0) for k in states[0]}


server = nn.Linear(4, 1)
clients = [Client(float(shift)) for shift in range(CLIENTS)]
for rnd in range(ROUNDS):
    results = [client.fit(copy.deepcopy(server)) for client in clients]
    server.load_state_dict(average([state for state, _ in results]))
    print(f"round {rnd}: " + ", ".join(f"{loss:.3f}" for _, loss in results))

gradient = clients[-1].last_gradient
print("last local gradient:", gradient)
