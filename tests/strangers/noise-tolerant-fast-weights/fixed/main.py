"""Meta-learning against label noise: fast weights on made-up labels must agree with a slow teacher."""
import copy
from collections import OrderedDict

import torch
import torch.nn.functional as F
from torch import nn
from torch.func import functional_call

torch.manual_seed(14)
META_LR, NOISY_SETS = 0.2, 3


def make_noisy(labels, classes=3):
    noisy = labels.clone()
    flipped = torch.rand(len(labels)) < 0.4
    noisy[flipped] = torch.randint(0, classes, (int(flipped.sum()),))
    return noisy


def consistency(student_logits, teacher_logits):
    return F.kl_div(student_logits.log_softmax(1), teacher_logits.softmax(1), reduction="batchmean")


student = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 3))
teacher = copy.deepcopy(student)
for p in teacher.parameters():
    p.requires_grad_(False)

optimizer = torch.optim.SGD(student.parameters(), lr=0.1, momentum=0.9)
inputs = torch.randn(48, 6)
labels = inputs[:, :3].argmax(dim=1)
for epoch in range(8):
    optimizer.zero_grad()
    logits = student(inputs)
    class_loss = F.cross_entropy(logits, labels)
    class_loss.backward(retain_graph=True)
    for k in range(NOISY_SETS):
        fast_loss = F.cross_entropy(logits, make_noisy(labels))
        grads = torch.autograd.grad(fast_loss, tuple(student.parameters()), create_graph=True, retain_graph=True)
        grads = [grad.detach() for grad in grads]
        fast_weights = OrderedDict((name, p - META_LR * g)
                                   for (name, p), g in zip(student.named_parameters(), grads))
        fast_logits = functional_call(student, fast_weights, (inputs,))
        meta_loss = consistency(fast_logits, teacher(inputs)) / NOISY_SETS
        meta_loss.backward()
    optimizer.step()
    with torch.no_grad():
        for slow, p in zip(teacher.parameters(), student.parameters()):
            slow.lerp_(p, 0.1)
accuracy = (student(inputs).argmax(dim=1) == labels).float().mean().item()
print(f"class loss {class_loss.item():.3f}, meta loss {meta_loss.item():.4f}, accuracy {accuracy:.2f}")
