import torch


def make_digits(count=60, pixels=28):
    """Two kinds of tiny images: dark at the left, or dark at the right."""
    labels = torch.randint(0, 2, (count, 1)).float()
    ramp = torch.linspace(-1, 1, pixels)
    return labels * ramp - (1 - labels) * ramp + 0.8 * torch.randn(count, pixels), labels


def init_params(size, std=1.0):
    return (torch.randn(size) * std).requires_grad_()


def linear1(x, weights, bias):
    return x @ weights + bias


def batch_accuracy(predictions, labels):
    return ((predictions > 0.0).float() == labels).float().mean()


def digit_loss(predictions, labels):
    probability = predictions.sigmoid()
    return torch.where(labels == 1, 1 - probability, probability).mean()


def main():
    torch.manual_seed(0)
    x, labels = make_digits()
    weights, bias = init_params((28, 1)), init_params(1)
    print(f"accuracy before: {batch_accuracy(linear1(x, weights, bias), labels):.4f}")

    # A very small change of one weight: does the accuracy move? (It does not: we need a loss.)
    weights[0].data *= 1.0001
    print(f"accuracy after the nudge: {batch_accuracy(linear1(x, weights, bias), labels):.4f}")

    for epoch in range(10):
        loss = digit_loss(linear1(x, weights, bias), labels)
        loss.backward()
        for p in (weights, bias):
            p.data -= p.grad * 1.0
            p.grad.zero_()
    print(f"after training: loss {loss.item():.4f}, "
          f"accuracy {batch_accuracy(linear1(x, weights, bias), labels):.4f}")


if __name__ == "__main__":
    main()
