"""Finds gradients that are silently wrong: values that changed after they were saved.

Torch counts writes, and does not see those through `.data`, NumPy or a pointer. So after each
call from Python the new nodes of the graph are looked through and a checksum of what each
saved is kept with it; before a backward uses them they are compared.
"""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Iterator
from typing import Any

from inplace_tui.blame import frames, names, report
from inplace_tui.blame.graph import in_order, outside_modes, read
from inplace_tui.blame.nodes import Nodes
from inplace_tui.blame.saved import is_stale, tensors_in
from inplace_tui.blame.writes import Writes, leave_uncompiled

SUMS = "inplace_tui:sums"
"""The key of a node's metadata under which the checksums of its slots are kept."""


class Values:
    """The checksums of what is saved."""

    def __init__(self, recorded: Nodes, writes: Writes) -> None:
        from torch.overrides import TorchFunctionMode

        values = self

        class AfterEachCall(TorchFunctionMode):  # type: ignore[misc]
            """Looks at what each call returned."""

            def __torch_function__(
                self, func: Any, types: Any, args: Any = (), kwargs: Any = None
            ) -> Any:
                returned = func(*args, **(kwargs or {}))
                with contextlib.suppress(Exception), outside_modes():
                    values.inspect(returned)
                return returned

        self._mode = AfterEachCall()
        self._recorded = recorded
        self._writes = writes

    def install(self) -> None:
        self._mode.__enter__()
        with contextlib.suppress(ImportError, AttributeError):  # before torch 2.0
            self._leave_compiled_regions()

    def _leave_compiled_regions(self) -> None:
        """Take the mode off while torch.compile's hook is set: it would compile the mode, too."""
        import torch
        from torch._C._dynamo import eval_frame

        original, mode, left = eval_frame.set_eval_frame, self._mode, threading.local()
        size, pop = torch._C._len_torch_function_stack, torch._C._pop_torch_function_stack
        is_compiling = torch._guards.CompileContext.try_get  # torch has all modes off meanwhile

        def set_eval_frame(callback: Any) -> Any:
            before = original(None)
            places = left.__dict__.setdefault("places", [])
            if bool(places) is (callback is None) and not is_compiling():
                modes = [pop() for _ in range(size())][::-1]
                for at in places:
                    modes.insert(at, mode)
                here = range(0 if places else len(modes))
                places[:] = [at for at in here if modes[at] is mode]
                for at in places:
                    del modes[at]
                for each in modes:
                    torch._C._push_on_torch_function_stack(each)
            original(callback)
            return before

        leave_uncompiled(set_eval_frame)
        for owner in (eval_frame, sys.modules.get("torch._dynamo.eval_frame")):
            for name in ("set_eval_frame", "_maybe_set_eval_frame"):
                if hasattr(owner, name):
                    self._writes.replace(owner, name, set_eval_frame)

    def uninstall(self) -> None:
        self._mode.__exit__(None, None, None)

    def inspect(self, returned: Any) -> None:
        """Keep the checksums of all nodes below these tensors that have none yet."""
        import torch

        found = returned if isinstance(returned, (list, tuple)) else [returned]
        pending = [each.grad_fn for each in found if isinstance(each, torch.Tensor)]
        while pending:
            node = pending.pop()
            if node is None or SUMS in node.metadata:
                continue
            node.metadata[SUMS] = {
                name: (checksum(tensor), self._mark(tensor)) for name, tensor in self._saved(node)
            }
            pending += [before for before, _ in read(node)]

    def _mark(self, tensor: Any) -> int:
        """Return how many writes there were to the storage so far."""
        log = self._writes.log_of(tensor)
        return 0 if log is None else log.total()

    def _saved(self, node: Any) -> Iterator[tuple[str, Any]]:
        training = getattr(node, "_saved_training", False) is True
        for slot in dir(node):
            if slot.startswith("_raw_saved_"):
                name = slot.replace("_raw_saved_", "")
                if training and name in ("running_mean", "running_var"):
                    continue  # saved, and not used: each forward in training updates them
                for index, tensor in enumerate(tensors_in(node, slot)):
                    if tensor is not None:
                        yield f"{name}[{index}]", tensor

    def changed(self, roots: list[Any]) -> Iterator[report.Finding]:
        """Yield what a backward from here is going to use with values that it did not have."""
        for node in in_order(roots):
            sums = node.metadata.get(SUMS)
            for name, tensor in self._saved(node) if sums else ():
                before, mark = sums.get(name, (None, 0))
                now = checksum(tensor)
                if before is not None and now is not None and now != before:
                    sums[name] = (now, mark)
                    if not is_stale(node, name):
                        yield self._finding(node, name, tensor, mark)

    def _finding(self, node: Any, slot: str, tensor: Any, mark: int) -> report.Finding:
        log = self._writes.log_of(tensor)
        since = [] if log is None else log.since(mark)
        called, *used = names.names_of([tensor, *names.parameters_used(node)])
        return {
            "category": "silently-wrong",
            "error": {
                "type": "silently wrong",
                "message": "backward uses values that changed after they were saved",
            },
            "saved": {
                "op": node.name().rpartition("::")[2],
                "slot": slot,
                "name": called,
                "parameters": list(dict.fromkeys(each for each in used if each)),
                "type": tensor.type(),
                "shape": ", ".join(map(str, tensor.shape)),
                "version": tensor._version,
                "version_now": tensor._version,
                **report.place(self._recorded.stack(node)),
            },
            "writes": [
                {
                    "op": each.op,
                    "version": None,
                    "version_after": None,
                    **report.place(frames.resolve(each.captured, each.at)),
                }
                for each in since
            ],
            "unseen": [],
            "not_kept": 0,
            "reader": {"op": "backward", **report.place(frames.here())},
        }


def checksum(tensor: Any) -> Any:
    """Return a number that changes when a value does; None where it can't be read.

    Of a tensor on a device it stays there until it is compared: nothing waits for the device
    while the graph is built.
    """
    import torch

    integers = {1: torch.int8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
    if tensor.layout is not torch.strided or tensor.is_meta or not tensor.numel():
        return None
    size = tensor.element_size()
    span = sum((n - 1) * s for n, s in zip(tensor.shape, tensor.stride())) + 1
    needed = (tensor.storage_offset() + span) * size
    storage = tensor.untyped_storage() if hasattr(tensor, "untyped_storage") else tensor.storage()
    if storage.nbytes() < needed:  # resized to nothing: to read it would be to crash
        return None
    with torch.no_grad():
        dense = tensor.detach().resolve_conj().resolve_neg().contiguous()
        real = torch.view_as_real(dense) if dense.is_complex() else dense
        bits = real.reshape(-1).view(integers[real.element_size()]).long()
        places = torch.arange(1, bits.numel() + 1, device=bits.device)
        total = (bits * places).sum()  # wraps around: it is a number to compare only
        return int(total) if total.device.type == "cpu" else total
