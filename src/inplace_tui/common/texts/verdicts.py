"""What each verdict means, and what to do."""

from __future__ import annotations

from inplace_tui.common.local_text import T

MEANINGS = {
    "leaf-modified": T(
        "A leaf that requires grad can't be written in place while autograd records: "
        "the write would make it a computed result, no longer the leaf that gets `.grad`. Write "
        "under `torch.no_grad()`, or compute a new tensor."
    ),
    "leaf-view-modified": T(
        "A view shares the leaf's memory, so writing to it writes to the leaf, "
        "and a leaf that requires grad can't be written while autograd records."
    ),
    "saved-tensor-modified": T(
        "A node saved this tensor for backward, and it was written in place before backward "
        "used it. Torch compares version numbers and refuses."
    ),
    "saved-tensor-detached": T(
        "A node saved this tensor for backward, and `detach_()` then cut it out of the graph. "
        "Use `detach()`, which makes a new tensor."
    ),
    "no-grad-fn": T(
        "Backward was called on something that no recorded operation made: "
        "nothing it was computed from requires grad, or `detach()` or `no_grad` cut it off."
    ),
    "silently-wrong": T(
        "Nothing was raised, and the gradient is wrong: it is not the gradient of what the "
        "forward pass computed, and no check saw that."
    ),
    "multi-output-view-modified": T(
        "This tensor is one of several views made by one call (`split`, `unbind`, `chunk`). "
        "Autograd can't record a write to only one of them."
    ),
    "no-grad-view-modified": T(
        "The view was made under `no_grad` and is written while autograd records. "
        "Do both inside the block, or both outside."
    ),
    "inference-view-modified": T(
        "The view was made in inference mode and is written in normal mode. "
        "Do both inside the block, or both outside."
    ),
    "custom-function-view-modified": T(
        "A custom Function returned this view; writing to it would bypass the Function's own "
        "backward. Clone it first."
    ),
    "view-detached-in-place": T(
        "`detach_()` can't be used on a view: its base would still be in the graph. Use `detach()`."
    ),
    "graph-freed": T(
        "Backward frees what the nodes saved, so a second backward through the same graph has "
        "nothing to compute with."
    ),
    "backward-not-a-scalar": T(
        "Backward starts from one number. For several, say with which weights: "
        "`y.backward(gradient=...)`, or reduce them first, as `y.sum()` does."
    ),
    "inference-tensor-saved": T(
        "A tensor made in inference mode has no version counter, so backward could not check "
        "it. Clone it outside the block."
    ),
    "inference-tensor-modified": T(
        "A tensor made in inference mode may be written only there. Clone it first."
    ),
    "dtype-not-writable": T(
        "An in-place operation keeps the dtype of what it writes to, and the result does not "
        "fit into it."
    ),
    "shape-not-writable": T(
        "An in-place operation keeps the shape of what it writes to, and the result has "
        "another one."
    ),
    "memory-overlaps": T(
        "Several elements of the written tensor lie on one place in memory, so the result "
        "would depend on the order of writing. Clone it first."
    ),
    "integer-gradient": T(
        "Only floating point and complex tensors can require grad: integers have no derivative."
    ),
    "no-derivative": T(
        "Torch ran the operation forward and has no derivative for it, "
        "or none for its in-place form."
    ),
    "non-leaf-grad-read": T(
        "Only leaves keep the gradient that arrives. For a tensor that was computed, call "
        "`retain_grad()` before backward."
    ),
    "leaf-lost": T(
        "The name was bound to a computed tensor. Gradients go on to the leaf, not "
        "to what the name means now; to update the leaf, write to it under `torch.no_grad()`."
    ),
    "gradient-keeps-graph": T(
        "With `create_graph=True`, `.grad` has a graph of its own that leads back to the leaf: "
        "they refer to each other, so neither is freed. For gradients of gradients use "
        "`torch.autograd.grad`."
    ),
    "typed-storage": T(
        "`storage()` makes a typed view of the memory, which is deprecated. "
        "Use `untyped_storage()`, which has the same `data_ptr()`."
    ),
    "out-argument-requires-grad": T(
        "`out=` writes a result into a tensor that is there already, and autograd has no "
        "derivative for that. Use the operation without `out=`, or write under `torch.no_grad()`."
    ),
    "tuple-item-written": T(
        "`+=` on an item does two things: it writes the tensor in place, and then stores it "
        "back. The write worked; the tuple refused to store. Name the tensor first."
    ),
    "resize-requires-grad": T(
        "Resizing has no derivative, so a tensor that requires grad can't be resized in place. "
        "Make a new one of that size."
    ),
    "swap-tensors-held": T(
        "`swap_tensors` exchanges two tensors altogether, and something else still holds one "
        "of them, such as a graph that saved it. Swap before the forward pass, or copy the values."
    ),
    "requires-grad-of-result": T(
        "Whether a computed tensor requires grad follows from what it was computed from. "
        "To cut it off, use `detach()`, which makes a new tensor."
    ),
    "deepcopy-of-result": T(
        "Only leaves can be deep-copied: a computed tensor would need its graph copied too. "
        "Use `clone()`, with `detach()` before it if the copy shall be a leaf."
    ),
    "needs-detach": T(
        "What numpy, plain Python or another process writes, autograd does not see, so a tensor "
        "that requires grad is not handed out. Say that it may be cut off: `detach()` first."
    ),
    "input-not-in-graph": T(
        "The gradient was asked for with respect to a tensor from which the result was not "
        "computed. Look for a line that bound its name to another tensor, or pass "
        "`allow_unused=True`."
    ),
    "gradient-misfits": T(
        "A gradient is another tensor, of the shape and the dtype of the one that it belongs "
        "to. What was given here is not."
    ),
    "nan-in-backward": T(
        "Anomaly mode found that a derivative came out as NaN, such as that of `sqrt` at 0 "
        "times a gradient of 0. Keep the value away from that point, by `clamp` or a small term."
    ),
    "differentiated-twice": T(
        "This custom Function is marked `@once_differentiable`: its backward is not recorded, "
        "so there is no second derivative through it."
    ),
    "optimizer-needs-leaf": T(
        "An optimizer updates leaves, whose `.grad` is filled. A computed tensor has none: "
        "make it a leaf with `detach().requires_grad_()`."
    ),
    "inference-tensor-requires-grad": T(
        "A tensor made in inference mode can never be a leaf that requires grad. "
        "Clone it outside the block first."
    ),
    "inference-tensor-version": T(
        "A tensor made in inference mode has no version counter to read. "
        "Ask `is_inference()` first."
    ),
    "dirty-input-not-returned": T(
        "`mark_dirty` says that an input was written, and such an input must be returned: "
        "it becomes the result of the Function."
    ),
    "ctx-needs-tensors": T(
        "`save_for_backward` and `mark_dirty` take the tensors of the Function only. "
        "Keep plain values on `ctx` as attributes."
    ),
    "function-gradient-invalid": T(
        "A custom Function's backward must return one gradient for each input of forward, "
        "each of that input's shape, and None where there is none."
    ),
    "hook-needs-leaf": T(
        "This hook runs after `.grad` was filled, and only leaves have theirs filled. "
        "Use `register_hook` for a computed tensor."
    ),
    "hook-needs-grad": T(
        "No gradient will ever arrive at a tensor that does not require grad, so there is "
        "nothing to hook or to retain."
    ),
    "pack-hook-wrote": T(
        "A pack hook is given the very tensor that is saved, and must not write it. "
        "Return a new tensor."
    ),
    "saved-hooks-disabled": T(
        "Hooks for saved tensors are forbidden here, by `disable_saved_tensors_hooks` or by a "
        "`torch.func` transform."
    ),
    "mutation-context-left": T(
        "`allow_mutation_on_saved_tensors` keeps copies of what is overwritten, and drops them "
        "at the end of its block. Run backward inside the block."
    ),
    "mutation-context-nested": T(
        "`allow_mutation_on_saved_tensors` covers everything inside it already and can't be nested."
    ),
    "transform-captured-modified": T(
        "Inside a `torch.func` transform, a tensor from outside can't be written: what is "
        "differentiated must not get out that way. Pass it in, or return it with `has_aux=True`."
    ),
    "vmap-inplace": T(
        "Under `vmap` the value is a whole batch, and the tensor that is written has no place "
        "for one. Pass the tensor in as a batch, or use the operation out of place."
    ),
    "vmap-random": T(
        "Shall every element of the batch get the same random numbers, or its own? "
        "`vmap` does not guess: pass `randomness='same'` or `'different'`."
    ),
    "sparse-unsupported": T(
        "Few operations know sparse tensors: this one does not, be it an optimizer or the "
        "addition that `weight_decay` makes. Use dense gradients, no decay, or an optimizer that "
        "knows sparse ones, as `SparseAdam` does."
    ),
    "sparse-uncoalesced": T(
        "The same index may still occur twice in this sparse tensor, so its values mean nothing "
        "by themselves. Call `coalesce()` first."
    ),
    "zero-tensor-modified": T(
        "This is a ZeroTensor, as torch makes them inside derivatives: zeros that take no "
        "memory, so there is nothing to write to. Clone it, and write to the clone."
    ),
    "conjugate-pending": T(
        "`conj()` and `imag` copy nothing: the memory holds the values before the conjugation "
        "or the change of sign, and a bit says that it is still to be done. "
        "Have it done: `resolve_conj()` or `resolve_neg()` first."
    ),
    "function-without-backward": T(
        "This custom Function has no method for what was asked: `backward` (or `vjp`) for a "
        "gradient, `jvp` for forward mode. Write it, as a static method."
    ),
    "legacy-function": T(
        "A custom Function is not made and then called, as a module is: its methods are static, "
        "the first argument is `ctx`, and it runs as `MyFunction.apply(x)`."
    ),
    "input-needs-grad": T(
        "The gradient was asked for with respect to a tensor that does not require grad, so "
        "nothing was recorded for it. Call `requires_grad_()` on it before the forward pass."
    ),
    "hook-result-invalid": T(
        "What a hook returns takes the place of what it was given: a gradient of the same "
        "shape and dtype, or the tensor that was packed. To change nothing, return None from a "
        "hook on gradients."
    ),
    "parameter-replaced": T(
        "A parameter is a leaf that the optimizer knows, so a computed tensor can't take its "
        "name. Write its values under `torch.no_grad()`, or compute with a name of its own."
    ),
    "checkpoint-differs": T(
        "Checkpointing runs the function again in backward, and this time it computed something "
        "else. It may depend on nothing that changes in between: a counter, a mode, a global."
    ),
    "checkpoint-reentrant": T(
        "With `use_reentrant=True`, checkpointing runs a `backward()` of its own inside, which "
        "delivers to `.grad` only. Use `use_reentrant=False`."
    ),
    "transform-needs-setup-context": T(
        "For `torch.func`, a custom Function's `forward` takes no `ctx`: what is to be kept is "
        "put there by a second static method, `setup_context(ctx, inputs, output)`."
    ),
    "transform-autograd-inside": T(
        "`torch.func` differentiates the function itself, so `backward()` and "
        "`requires_grad_()` have no place inside it. Use `torch.func.grad` or `vjp` there, or call "
        "them outside."
    ),
    "vmap-needs-values": T(
        "Under `vmap` the function runs once for the whole batch, so it can't ask for the value "
        "of one element: no `item()`, no `if` on a tensor, no result whose size depends on values. "
        "Use `torch.where`."
    ),
    "numpy-missing": T(
        "Torch runs without numpy, except for what goes to numpy or comes from it. Install "
        "numpy, or use `tolist()`."
    ),
}
"""For each verdict: what it means, and what to do."""
