import torch


def add_to_loss(func):
    """Make a callback that adds the value of func(state) to the loss."""

    def callback(state):
        state["loss"] += func(state)

    return callback


class Trial:
    def __init__(self, model, optimizer, criterion=None, callbacks=()):
        self.model, self.optimizer, self.callbacks = model, optimizer, callbacks
        if criterion is None:
            def criterion(prediction, target):
                return torch.zeros(1, requires_grad=True)
        self.criterion = criterion
        self.history = []

    def run(self, batches, epochs):
        for epoch in range(epochs):
            total = 0.0
            for x, y in batches:
                state = {"model": self.model, "x": x, "y_true": y, "epoch": epoch}
                state["y_pred"] = self.model(x)
                state["loss"] = self.criterion(state["y_pred"], y)
                for callback in self.callbacks:
                    callback(state)
                self.optimizer.zero_grad()
                state["loss"].backward()
                self.optimizer.step()
                total += state["loss"].item()
            self.history.append(total / len(batches))
        return self.history
