import torch
import torch.nn.functional as F

from depther import PatchBackbone, create_depther

torch.manual_seed(0)


def batches(count):
    for _ in range(count):
        images = torch.rand(4, 3, 10, 14)
        yield images, images.mean(dim=1, keepdim=True) * 5


def main():
    backbone = PatchBackbone()
    print("the backbone alone:", tuple(backbone(torch.rand(1, 3, 8, 8)).shape))

    model = create_depther(backbone)
    with torch.no_grad():
        print("predicting:", tuple(model(torch.rand(1, 3, 10, 14)).shape))

    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    for step, (images, depth) in enumerate(batches(12)):
        prediction = model(images)
        loss = F.smooth_l1_loss(prediction, depth)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 4 == 0:
            print(step, round(loss.item(), 4))


if __name__ == "__main__":
    main()
