"""What one node saved, and what torch would say of it now."""

from __future__ import annotations

import torch

from inplace_tui.common.run.snapshot import Saved, SlotState, ViewOrigin
from inplace_tui.diagnosis.record.state.counters import Counters
from inplace_tui.diagnosis.record.state.memory import Blocks
from inplace_tui.diagnosis.record.state.records import Fn, Raw, SavedSlot, Vertex
from inplace_tui.diagnosis.record.state.safe_reads import is_opaque, text_of
from inplace_tui.diagnosis.record.torch_memory.layout import Slot, measure
from inplace_tui.diagnosis.record.torch_memory.live import saved_data

_RAW = "_raw_saved_"
_Meta = torch._C._autograd.CreationMeta
_ORIGINS = {
    _Meta.MULTI_OUTPUT_NODE: ViewOrigin.MULTI_OUTPUT,
    _Meta.NO_GRAD_MODE: ViewOrigin.NO_GRAD,
    _Meta.INFERENCE_MODE: ViewOrigin.INFERENCE,
    _Meta.IN_CUSTOM_FUNCTION: ViewOrigin.CUSTOM,
}


class Slots:
    """Finds and describes what nodes saved."""

    def __init__(self, blocks: Blocks, counters: Counters) -> None:
        self._blocks = blocks
        self._counters = counters
        self._layout = measure()
        self._attributes: dict[type, tuple[tuple[str, str], ...]] = {}

    def raw(self, fn: Fn) -> list[tuple[str, Raw | None]]:
        """Return what a node saved, by slot; None for a list that was freed."""
        kind = type(fn)
        names = self._attributes.get(kind)
        if names is None:
            found_in = (name for name in dir(kind) if name.startswith(_RAW))
            names = self._attributes[kind] = tuple((n, n.removeprefix(_RAW)) for n in found_in)
        found: list[tuple[str, Raw | None]] = []
        for name, slot in names:
            try:
                raw = getattr(fn, name)
            except RuntimeError:
                found.append((slot, None))
                continue
            if isinstance(raw, (tuple, list)):
                found.extend((f"{slot}[{i}]", item) for i, item in enumerate(raw))
            elif raw is not None:
                found.append((slot, raw))
        return found

    def describe(self, vertex: Vertex, name: str, raw: Raw | None) -> SavedSlot | None:
        """Describe one slot; None where nothing was ever saved in it."""
        if raw is None:
            return SavedSlot(vertex, Saved(node=vertex.id, slot=name, state=SlotState.FREED))
        held = self._layout.slot(raw)
        if held.empty and not held.hooked:
            return None
        with saved_data(raw, 0 if held.hooked else held.impl) as data:
            return self._describe(vertex, name, held, None if held.hooked else data)

    def _describe(
        self, vertex: Vertex, name: str, held: Slot, data: torch.Tensor | None
    ) -> SavedSlot:
        if data is None or is_opaque(data):
            state = SlotState.HOOKED if held.hooked or data is not None else SlotState.FREED
            version = held.version if data is None and not held.hooked else None
            fixed = Saved(
                node=vertex.id, slot=name, version=version, is_output=held.output, state=state
            )
            slot = SavedSlot(vertex, fixed)
            slot.hooked = state is SlotState.HOOKED
            return slot
        block = self._blocks.of(data)
        fixed = Saved(
            node=vertex.id,
            slot=name,
            storage=None if block is None else block.id,
            shape=tuple(data.shape),
            dtype=text_of(data.dtype),
            version=held.version,
            now=held.version,
            is_output=held.output,
            origin=_origin(data) if held.original and data._is_view() else None,
        )
        slot = SavedSlot(vertex, fixed)
        slot.impl = held.impl
        slot.unfixed = held.original and not held.leaf and not held.output
        slot.block = block
        slot.counter = self._counters.save(slot, data)
        self._blocks.save(block)
        return slot

    def check(self, slot: SavedSlot, raw: Raw | None) -> None:
        """Look at a slot again: it may have been freed, or its tensor detached."""
        if slot.impl == 0 or slot.hooked:
            return
        held = None if raw is None else self._layout.slot(raw)
        if held is None or (held.impl != slot.impl and not held.hooked):
            self.release(slot)
        elif held.hooked:
            self.release(slot)
            slot.hooked = True
        elif slot.unfixed:
            with saved_data(raw, held.impl) as data:
                assert data is not None
                slot.detached = not data._is_view() and data.grad_fn is None

    def release(self, slot: SavedSlot) -> None:
        slot.impl = 0
        self._counters.unsave(slot)
        self._blocks.unsave(slot.block)
        slot.counter = slot.block = None


def _origin(data: torch.Tensor) -> ViewOrigin | None:
    """Return where a saved view comes from, if that may have torch refuse it later."""
    base = data._base
    if base is None:
        return None
    origin = _ORIGINS.get(torch._C._autograd._get_creation_meta(data))
    return ViewOrigin.GRADLESS if origin is not None and not base.requires_grad else origin
