import torch
from drit import DRIT

torch.manual_seed(5)
model = DRIT()
for it in range(3):
    images_a, images_b = torch.randn(6, 10), torch.randn(6, 10) + 1
    model.forward(images_a, images_b)
    model.update_EG()
    print(f"it {it}: total {model.G_loss:.4f}, latent {model.l1_recon_z_loss:.4f}")
