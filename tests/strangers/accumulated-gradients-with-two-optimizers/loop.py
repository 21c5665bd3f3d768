class TrainingLoop:
    """One pass per optimizer; meanwhile the parameters of the other one are frozen."""

    def __init__(self, module, accumulate):
        self.module, self.accumulate = module, accumulate
        self.optimizers = module.configure_optimizers()
        self.remembered = {}

    def toggle(self, optimizer):
        for other in self.optimizers:
            for p in other.param_groups[0]["params"] if other is not optimizer else ():
                self.remembered[p] = p.requires_grad
                p.requires_grad = False

    def untoggle(self):
        for p, flag in self.remembered.items():
            p.requires_grad = flag
        self.remembered = {}

    def run_batch(self, batch, batch_idx):
        losses = []
        for idx, optimizer in enumerate(self.optimizers):
            self.toggle(optimizer)
            loss = self.module.training_step(batch, idx)
            (loss / self.accumulate).backward()
            losses.append(round(loss.item(), 4))
            if (batch_idx + 1) % self.accumulate == 0:
                optimizer.step()
                optimizer.zero_grad()
                self.untoggle()
        return losses
