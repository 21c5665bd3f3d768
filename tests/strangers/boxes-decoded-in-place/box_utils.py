import torch


def point_form(boxes):
    return torch.cat([boxes[:, :2] - boxes[:, 2:] / 2, boxes[:, :2] + boxes[:, 2:] / 2], 1)


def decode(loc, priors, variances=(0.1, 0.2)):
    """From offsets to the priors, to the corners of the boxes."""
    boxes = torch.cat(
        (
            priors[:, :2] + loc[:, :2] * variances[0] * priors[:, 2:],
            priors[:, 2:] * torch.exp(loc[:, 2:] * variances[1]),
        ),
        1,
    )
    boxes[:, :2] -= boxes[:, 2:] / 2
    boxes[:, 2:] += boxes[:, :2]
    return boxes


def area(boxes):
    return (boxes[:, 2:] - boxes[:, :2]).clamp(min=0).prod(1)


def giou(one, two):
    inner = torch.cat([one[:, :2].maximum(two[:, :2]), one[:, 2:].minimum(two[:, 2:])], 1)
    outer = torch.cat([one[:, :2].minimum(two[:, :2]), one[:, 2:].maximum(two[:, 2:])], 1)
    union = area(one) + area(two) - area(inner)
    return area(inner) / union - (area(outer) - union) / area(outer)
