"""DeepFool: push an image over the nearest linearised decision boundary."""
import torch


class DeepFool:
    def __init__(self, model, steps=4, overshoot=0.02):
        self.model = model
        self.steps = steps
        self.overshoot = overshoot

    def __call__(self, images, labels):
        adversarial = []
        for image, label in zip(images, labels):
            image = image.unsqueeze(0)
            for _ in range(self.steps):
                image, done = self.one_step(image, int(label))
                if done:
                    break
            adversarial.append(image)
        return torch.cat(adversarial).detach()

    def one_step(self, image, label):
        image.requires_grad = True
        scores = self.model(image)[0]
        if int(scores.argmax()) != label:
            return image, True
        gradients = [torch.autograd.grad(s, image, retain_graph=True)[0] for s in scores]
        best, shift = float("inf"), None
        for k in range(len(scores)):
            if k == label:
                continue
            w = gradients[k] - gradients[label]
            distance = (scores[k] - scores[label]).abs() / (w.norm() + 1e-8)
            if float(distance) < best:
                best = float(distance)
                shift = distance * w / (w.norm() + 1e-8)
        return image + (1 + self.overshoot) * shift, False
