import torch


class LinkMeshes:
    """All vertices of a robot in one homogeneous tensor, with the range that each link owns."""

    def __init__(self, vertices_per_link):
        self.ranges, start = [], 0
        for vertices in vertices_per_link:
            self.ranges.append((start, start + len(vertices)))
            start += len(vertices)
        stacked = torch.cat(vertices_per_link)
        self.vertices = torch.cat([stacked, torch.ones(len(stacked), 1)], dim=1).unsqueeze(0)


def planar_chain(joints, link_length=1.0):
    """Forward kinematics of a planar arm: one 4x4 transform for each link."""
    transform = torch.eye(4)
    transforms = []
    for angle in joints:
        cos, sin, zero, one = angle.cos(), angle.sin(), torch.zeros(()), torch.ones(())
        turn = torch.stack([cos, -sin, zero, zero, sin, cos, zero, zero,
                            zero, zero, one, zero, zero, zero, zero, one]).view(4, 4)
        transform = transform @ turn
        transforms.append(transform)
        shift = torch.eye(4)
        shift[0, 3] = link_length
        transform = transform @ shift
    return transforms


class RobotScene:
    def __init__(self, meshes):
        self.meshes = meshes

    def observe(self, joints):
        configured = self.meshes.vertices
        for (low, high), transform in zip(self.meshes.ranges, planar_chain(joints)):
            configured[:, low:high] = torch.matmul(
                self.meshes.vertices[:, low:high], transform.transpose(-1, -2))
        return configured[0, :, :2]
