import torch


class AverageLoss:
    """Averages a loss function over the batches of an evaluation."""

    def __init__(self, loss_fn):
        self.loss_fn = loss_fn
        self.reset()

    def reset(self):
        self.total = torch.tensor(0.0)
        self.examples = 0

    def update(self, output):
        y_pred, y, extra = output
        y_pred, y = y_pred.detach(), y.detach()
        average = self.loss_fn(y_pred, y, **extra)
        if average.dim() != 0:
            raise ValueError("loss_fn must return the average loss")
        self.total += average * len(y)
        self.examples += len(y)

    def compute(self):
        return (self.total / self.examples).item()
