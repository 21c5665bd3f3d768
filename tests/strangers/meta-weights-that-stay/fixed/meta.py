import torch
from torch import nn
from torch.func import functional_call


class MAML(nn.Module):
    def __init__(self, model, inner_lr=0.1, outer_lr=0.01, inner_steps=2):
        super().__init__()
        self.model = model
        self.inner_lr, self.inner_steps = inner_lr, inner_steps
        self.criterion = nn.MSELoss()
        self.optimizer = torch.optim.Adam(model.parameters(), lr=outer_lr)

    def inner_update(self, support_x, support_y):
        """Weights adapted to one task, in the graph of the model's own."""
        adapted = dict(self.model.named_parameters())
        for _ in range(self.inner_steps):
            loss = self.criterion(functional_call(self.model, adapted, support_x), support_y)
            grads = torch.autograd.grad(loss, list(adapted.values()), create_graph=True)
            adapted = {
                name: param - self.inner_lr * grad
                for (name, param), grad in zip(adapted.items(), grads)
            }
        return adapted

    def meta_train_step(self, tasks):
        meta_loss = 0.0
        for support_x, support_y, query_x, query_y in tasks:
            adapted = self.inner_update(support_x, support_y)
            meta_loss = meta_loss + self.criterion(
                functional_call(self.model, adapted, query_x), query_y
            )
        meta_loss = meta_loss / len(tasks)
        self.optimizer.zero_grad()
        meta_loss.backward()
        self.optimizer.step()
        return meta_loss.item()
