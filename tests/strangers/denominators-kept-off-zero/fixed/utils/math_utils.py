import torch


def safe_divide(numerator, denominator, eps=1e-8):
    def off_zero(x):
        x = torch.where((x >= 0) & (x < eps), torch.tensor(eps), x)
        return torch.where((x <= 0) & (x > -eps), torch.tensor(-eps), x)

    return off_zero(numerator) / off_zero(denominator)
