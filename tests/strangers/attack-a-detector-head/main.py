import torch

from detector import TinyDetector

torch.manual_seed(0)


def hide_objects(model, images, epsilon=8 / 255, step=2 / 255, iterations=5):
    """Find a perturbation under which the detector sees small boxes with no confidence."""
    delta = torch.zeros_like(images, requires_grad=True)
    history = []
    for _ in range(iterations):
        boxes = model(images + delta)
        size = boxes[..., 2] * boxes[..., 3]
        confidence = boxes[..., 4] * boxes[..., 5:].amax(dim=-1)
        loss = (confidence * size.log1p()).mean()
        loss.backward()
        with torch.no_grad():
            delta -= step * delta.grad.sign()
            delta.clamp_(-epsilon, epsilon)
        delta.grad = None
        history.append(round(loss.item(), 5))
    return delta.detach(), history


def main():
    model = TinyDetector().eval()
    for parameter in model.parameters():
        parameter.requires_grad_(False)
    images = torch.rand(2, 3, 16, 16)
    delta, history = hide_objects(model, images)
    print("objective", history)
    print("largest change", delta.abs().max().item())


if __name__ == "__main__":
    main()
