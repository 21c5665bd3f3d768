import torch

from scene import LinkMeshes, RobotScene


def build_scene():
    generator = torch.Generator().manual_seed(3)
    return RobotScene(LinkMeshes([torch.rand(6, 3, generator=generator) for _ in range(3)]))


def main():
    torch.manual_seed(0)
    with torch.no_grad():
        target = build_scene().observe(torch.tensor([0.4, -0.3, 0.2]))

    scene = build_scene()
    joints = torch.zeros(3, requires_grad=True)
    optimizer = torch.optim.Adam([joints], lr=0.05)
    for step in range(60):
        optimizer.zero_grad()
        loss = (scene.observe(joints) - target).square().mean()
        loss.backward()
        optimizer.step()
        if step % 15 == 0:
            print(f"step {step}: loss {loss.item():.5f}")
    print("joints", [round(value, 3) for value in joints.tolist()])


if __name__ == "__main__":
    main()
