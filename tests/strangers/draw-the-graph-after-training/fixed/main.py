"""Train a small recommender and then describe the graph of its last loss."""
import torch
from torch import nn

torch.manual_seed(0)


class DotInteraction(torch.autograd.Function):
    """Dot products of all pairs of feature vectors, with a hand-written backward."""
    @staticmethod
    def forward(ctx, parts):
        ctx.save_for_backward(parts)
        return torch.bmm(parts, parts.transpose(1, 2))

    @staticmethod
    def backward(ctx, grad):
        (parts,) = ctx.saved_tensors
        return torch.bmm(grad + grad.transpose(1, 2), parts)


class Recommender(nn.Module):
    def __init__(self, width=4):
        super().__init__()
        self.users, self.items = nn.Embedding(12, width), nn.Embedding(9, width)
        self.bottom = nn.Linear(3, width)
        self.top = nn.Linear(3, 1)

    def forward(self, dense, user, item):
        parts = torch.stack((self.bottom(dense), self.users(user), self.items(item)), dim=1)
        rows, columns = torch.tril_indices(3, 3, offset=-1)
        return self.top(DotInteraction.apply(parts)[:, rows, columns]).squeeze(1)


def describe_graph(loss):
    """List every node of the graph with the shapes of the tensors that a custom one keeps."""
    lines, queue, seen = [], [loss.grad_fn], set()
    while queue:
        node = queue.pop(0)
        seen.add(node)
        kept = node.saved_tensors if hasattr(node, "saved_tensors") else ()
        lines.append(" ".join([node.name(), *(str(tuple(t.shape)) for t in kept)]))
        queue.extend(f for f, _ in node.next_functions if f and f not in seen and f not in queue)
    return lines


def main():
    model = Recommender()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(10):
        dense, user, item = torch.rand(16, 3), torch.randint(0, 12, (16,)), torch.randint(0, 9, (16,))
        clicks = ((user + item) % 2).float()
        loss = nn.functional.binary_cross_entropy_with_logits(model(dense, user, item), clicks)
        optimizer.zero_grad()
        loss.backward(retain_graph=True)
        optimizer.step()
    print("last loss", round(loss.item(), 4), *describe_graph(loss), sep="\n")


if __name__ == "__main__":
    main()
