"""Finds gradients that are silently wrong: values that changed after they were saved.

Torch counts writes, and does not see those through `.data`, NumPy or a pointer. So after each
call from Python the new nodes of the graph are looked through and a checksum of what each
saved is kept with it; before a backward uses them they are compared.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from inplace_tui.blame import frames, names, report
from inplace_tui.blame.calls import Calls
from inplace_tui.blame.checksums import MAX_BYTES, Checksums
from inplace_tui.blame.graph import in_order, outside_modes, read
from inplace_tui.blame.nodes import Nodes
from inplace_tui.blame.program import say
from inplace_tui.blame.saved import is_stale, tensors_in
from inplace_tui.blame.writes import Writes

SUMS = "inplace_tui:sums"
"""The key of a node's metadata under which the checksums of its slots are kept."""


class Sum(NamedTuple):
    """What is known of a tensor since a node saved it."""

    checksum: Any
    writes: int
    """How many there had been to its storage."""


NOTHING: dict[str, Sum] = {}


class Values:
    """The checksums of what is saved."""

    def __init__(self, recorded: Nodes, writes: Writes) -> None:
        import torch

        self._tensor = torch.Tensor
        self._of_program = torch._C._FunctionBase
        self._leaf = getattr(torch._C._functions, "AccumulateGrad", None)  # it saves nothing
        self._under_mode = getattr(torch._C, "_is_torch_function_mode_enabled", lambda: True)
        self._calls = Calls(self.inspect, writes)
        self._recorded = recorded
        self._writes = writes
        self._checksums = Checksums()
        self._slots: dict[type, list[tuple[str, str]]] = {}

    def install(self) -> None:
        self._calls.install()

    def uninstall(self) -> None:
        self._calls.uninstall()
        if self._checksums.has_sampled:
            say(f"inplace_tui.blame: of tensors above {MAX_BYTES >> 20} MiB, samples were compared")

    def inspect(self, returned: Any) -> None:
        """Keep the checksums of all nodes below these tensors that have none yet."""
        is_plain = type(returned) is self._tensor and not self._under_mode()
        if is_plain and not returned.requires_grad:  # most of them, and nobody sees this read
            return
        found = returned if isinstance(returned, (list, tuple)) else (returned,)
        try:
            with outside_modes():
                for each in found:
                    if isinstance(each, self._tensor) and each.requires_grad:
                        self._keep(each.grad_fn)
        except Exception:  # a view that may not be differentiated any more
            return

    def _keep(self, root: Any) -> None:
        if root is None or SUMS in root.metadata:
            return
        self._checksums.forget()
        pending, leaf = [root], self._leaf
        while pending:
            node = pending.pop()
            metadata = node.metadata
            if SUMS not in metadata:
                metadata[SUMS] = self._sums(node)
                for before, _ in read(node):
                    if before is not None and type(before) is not leaf:
                        pending.append(before)

    def _sums(self, node: Any) -> dict[str, Sum]:
        slots = self._slots_of(node)
        if not slots:
            return NOTHING
        count = self._writes.count
        saved = self._saved(node, slots, NOTHING)
        return {name: Sum(checksum, count(storage)) for name, _, storage, checksum in saved}

    def _saved(
        self, node: Any, slots: list[tuple[str, str]], before: dict[str, Sum]
    ) -> Iterator[tuple[str, Any, Any, Any]]:
        """Yield what a node saved and can be read: name, tensor, storage, checksum."""
        storage_of, checksum_of = self._writes.storage_of, self._checksums.of
        for slot, first in slots:
            for index, tensor in enumerate(tensors_in(node, slot)):
                name = first.replace("[0]", f"[{index}]") if index else first
                try:
                    storage = storage_of(tensor)
                    was = before[name].checksum if name in before else None
                    checksum = checksum_of(tensor, storage, was)
                except Exception:  # nothing is there, it is sparse, or in a transform
                    checksum = None
                if checksum is not None:
                    yield name, tensor, storage, checksum

    def _slots_of(self, node: Any) -> list[tuple[str, str]]:
        """Return the attributes that tell what a node saved, and the names of these."""
        kind = type(node)
        slots = self._slots.get(kind)
        if slots is None:
            raw = "_raw_saved_"
            slots = [(e, e.replace(raw, "") + "[0]") for e in dir(kind) if e.startswith(raw)]
            if getattr(node, "_saved_training", False) is True:
                # Saved, and not used: each forward in training updates them.
                return [e for e in slots if e[1] not in ("running_mean[0]", "running_var[0]")]
            if not hasattr(kind, "_saved_training") and not issubclass(kind, self._of_program):
                self._slots[kind] = slots
        return slots

    def changed(self, roots: list[Any]) -> Iterator[report.Finding]:
        """Yield what a backward from here is going to use with values that it did not have."""
        self._checksums.begin()
        seen, pending, differ = set(roots), list(roots), set()
        while pending:
            node = pending.pop()
            if self._differing(node):
                differ.add(node)
            for before, _ in read(node):
                if before is not None and type(before) is not self._leaf and before not in seen:
                    seen.add(before)
                    pending.append(before)
        for node in in_order(roots) if differ else ():
            for name, tensor, now in self._differing(node) if node in differ else ():
                sums = node.metadata[SUMS]
                sums[name] = sums[name]._replace(checksum=now)
                if not is_stale(node, name):
                    yield self._finding(node, name, tensor)

    def _differing(self, node: Any) -> list[tuple[str, Any, Any]]:
        """Return what a node saved that has another checksum now."""
        before = node.metadata.get(SUMS)
        if not before:
            return []
        saved = self._saved(node, self._slots_of(node), before)
        return [(n, t, now) for n, t, _, now in saved if n in before and now != before[n].checksum]

    def _finding(self, node: Any, slot: str, tensor: Any) -> report.Finding:
        log, mark = self._writes.log_of(tensor), node.metadata[SUMS][slot].writes
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
