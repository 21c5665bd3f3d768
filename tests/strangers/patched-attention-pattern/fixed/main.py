import torch
from lens.model import HookedTransformer
from lens.patching import generic_activation_patch, layer_head_pattern_patch_setter

torch.manual_seed(3)
model = HookedTransformer()
clean, corrupted = torch.randint(17, (2, 6)), torch.randint(17, (2, 6))
answers, cache = torch.tensor([[3, 5], [4, 6]]), {}
with torch.no_grad():
    model.run_with_hook(clean, "pattern", lambda act: cache.setdefault("pattern", act))


def logit_difference(logits):
    right, wrong = logits[:, -1].gather(-1, answers).unbind(-1)
    return (right - wrong).mean()


results = generic_activation_patch(
    model, corrupted, cache["pattern"], logit_difference, layer_head_pattern_patch_setter, "pattern"
)
for head, (value, attribution) in enumerate(results.tolist()):
    print(f"head {head}: {value:+.4f} {attribution:.4f}")
