import copy
import math

import torch


class ModelEMA:
    """A moving average of everything in the model's state, with a decay that ramps up."""

    def __init__(self, model, decay=0.9999, tau=2000, updates=0):
        self.ema = copy.deepcopy(model).eval()
        self.updates = updates
        self.decay = lambda x: decay * (1 - math.exp(-x / tau))
        for p in self.ema.parameters():
            p.requires_grad_(False)

    def update(self, model):
        self.updates += 1
        d = self.decay(self.updates)
        msd = model.state_dict()
        ema_v, model_v = [], []
        for k, v in self.ema.state_dict().items():
            if v.dtype.is_floating_point:
                ema_v.append(v)
                model_v.append(msd[k])
        torch._foreach_lerp_(ema_v, model_v, 1 - d)
