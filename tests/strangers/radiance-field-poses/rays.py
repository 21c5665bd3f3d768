"""Rays of posed pictures, all from one picture or from many."""
import random

import torch


class RayData:
    def __init__(self, poses, directions, strategy, count=64):
        self.poses, self.directions = poses, directions
        self.strategy, self.count = strategy, count

    def sample(self):
        pixels = torch.randint(0, len(self.directions), (self.count,))
        if self.strategy == "all_images":
            images = random.choices(range(len(self.poses)), k=self.count)
        else:
            images = random.choices(range(len(self.poses)), k=1)[0]
        return {"images": images, "pixels": pixels}


def rays_from(directions, poses):
    """Turn camera directions into the world and give the origins too."""
    turned = (directions[:, None, :] @ poses[..., :3].transpose(-1, -2)).squeeze(1)
    return poses[..., 3].expand_as(turned), turned
