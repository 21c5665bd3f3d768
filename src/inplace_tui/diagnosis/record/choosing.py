"""Which readings a worker takes, and all that are forked from it."""

from __future__ import annotations

import faulthandler
import json
import mmap
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict
from functools import partial

import torch

from inplace_tui.common.system import PORTABLE
from inplace_tui.diagnosis.record import compat
from inplace_tui.diagnosis.record.readings import Readings, use
from inplace_tui.diagnosis.record.torch_asked import AskedReadings
from inplace_tui.diagnosis.record.torch_memory import Layout, LayoutError, measure


def choose() -> None:
    """Choose, before the worker runs anything.

    Raises:
        LayoutError: this torch can't be read in any way.
    """
    reason, known = _measured_in_child()
    if known is None and not compat.SHOWS_DATA:
        raise LayoutError(f"{reason}, and only from torch 2.9 on there is another way")
    use(AskedReadings() if known is None else known)


def _measured_in_child() -> tuple[str, Layout | None]:
    """Have a process of their own find the offsets, and compare them with what Python says.

    This one may not run an operation, and what is looked at may be no object.
    """
    if sys.platform != "linux" or PORTABLE:
        return "its memory is not read here", None
    with suppress(OSError), mmap.mmap(-1, mmap.PAGESIZE) as shared:  # no process to be had
        pid = os.fork()
        if pid == 0:
            try:
                faulthandler.disable()
                known = measure()
                reason = contradiction(known, AskedReadings()) if compat.SHOWS_DATA else None
                shared.write(json.dumps([reason, asdict(known)]).encode())
            except LayoutError as failure:
                shared.write(json.dumps([str(failure), None]).encode())
            finally:
                os._exit(0)
        os.waitpid(pid, 0)
        if found := shared[:].rstrip(b"\0"):
            reason, known = json.loads(found)
            return reason or "", None if reason else Layout(**known)
    return "the process that looked for torch's numbers did not end well", None


def contradiction(read: Readings, asked: Readings) -> str | None:
    """Return the first thing that two ways to read say differently; None if they agree."""
    with torch.enable_grad(), torch.inference_mode(False), torch.device("cpu"):
        for what, of in _compared():
            if of(read) != of(asked):
                return f"{what} reads differently than Python says"
    return None


def _compared() -> Iterator[tuple[str, Callable[[Readings], object]]]:
    """Yield each kind of reading, with a way to get it."""
    leaf = torch.ones(3, requires_grad=True)
    base = leaf * 1
    view = base[:2]
    yield "an object", lambda by: by.reference(base)() is base
    yield "the freshness of a view", lambda by: by.outdated(view)
    nodes = (base * base).grad_fn, base.exp().grad_fn, (base * 2).grad_fn
    for _ in range(5):
        base.add_(1)
    yield "the version", lambda by: _version(by, base)
    yield "the age of a view", lambda by: by.outdated(view)
    _ = view.grad_fn
    yield "a view that is fresh again", lambda by: (by.note_fresh(view), by.outdated(view))
    for others in ((base, view, base.detach()), (base, base.data), (leaf, base)):
        yield "a counter", partial(_distinct, others)
    with torch.inference_mode():
        alone = torch.ones(1)
    yield "no counter", lambda by: by.counter_of(alone)
    lent = torch.frombuffer(bytearray(36), dtype=torch.uint8).untyped_storage()
    yield "memory that was lent", partial(_memory, lent)
    storage = torch.zeros(9).untyped_storage()
    yield "memory", partial(_memory, storage)
    storage.resize_(0)
    yield "memory that was given back", partial(_memory, storage)
    for node in nodes:
        for name in ("self", "other", "result"):
            raw = getattr(node, f"_raw_saved_{name}", None)
            if node is not None and raw is not None:
                yield f"{name} of {node.name()}", partial(_slot, raw, node, name)


def _distinct(tensors: Sequence[torch.Tensor], by: Readings) -> int:
    return len({by.counter_of(each) for each in tensors})


def _version(by: Readings, tensor: torch.Tensor) -> int | None:
    counter = by.counter_of(tensor)
    return None if counter is None else by.version_in(by.versions.one(by.cell(counter)))


def _memory(storage: torch.UntypedStorage, by: Readings) -> tuple[int, int]:
    weak = storage._weak_ref()
    try:
        return by.memory_in(by.memories.one(by.head(storage, weak)))
    finally:
        torch.UntypedStorage._free_weak_ref(weak)


def _slot(raw: object, node: torch.autograd.graph.Node, name: str, by: Readings) -> object:
    found = by.slot(raw, node, name)
    if found.empty:
        return None
    return by.holder(raw), found.version, found.output, found.original, found.leaf
