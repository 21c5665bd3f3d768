"""What nodes saved, and which of it a failed version check was about."""

from __future__ import annotations

import functools
import re
from typing import Any, NamedTuple

from inplace_tui.blame.graph import creation_site, in_order

VERSION_CHECK = re.compile(
    r"modified by an inplace operation: \[(?P<type>\S+) (?P<shape>.*?)\]"
    r"(?:, which is output (?P<output>\d+) of (?P<producer>[^,]+),)?"
    r" is at version (?P<current>\d+); expected version (?P<saved>\d+) instead"
)
"""The version check's message; its words are the same from torch 1.13 to 2.15."""


class Stale(NamedTuple):
    """What a failed check was about."""

    node: Any
    slot: str
    tensor: Any
    """What was saved, or an alias of it; None where torch gives no access to it."""


def find_stale(roots: list[Any], error: BaseException) -> Stale | None:
    """Return the first slot, in the engine's order, whose check failed like this."""
    for node in in_order(roots):
        if _is_hooked(node):
            continue
        for slot in sorted(name for name in dir(node) if name.startswith("_raw_saved_")):
            found = _stale_slot(node, slot, error)
            if found is not None:
                return found
    return None


def find_stale_in_hook(roots: list[Any], error: BaseException) -> Stale | None:
    """Return what an unpack hook found stale: checkpoint checks the inputs that it saved.

    It saves them in slots of its own, or in a node that is not part of the graph.
    """
    import torch

    message = version_check_message(error) or ""
    codes: set[Any] = set()
    kept: list[Any] = []
    entry = error.__traceback__
    while entry is not None:
        codes.add(entry.tb_frame.f_code)
        for value in list(entry.tb_frame.f_locals.values()):
            # Not isinstance: it asks an object for its class, which may run code.
            name = type(value).__name__
            if issubclass(type(value), torch._C._FunctionBase) or name == "SavedTensor":
                kept.append(value)
            elif name == "_CheckpointFrame":
                kept += getattr(value, "saved_args", ())
        entry = entry.tb_next
    for value in kept:
        if issubclass(type(value), torch._C._FunctionBase):
            found = find_stale([value], error)
            if found is not None:
                # Old torch does not tell whose hooks they are. What a checkpoint saved is first
                # unpacked for the first node that it made, which was made while hooks were set.
                made = () if reads_hooks() else filter(_is_hooked, in_order(roots))
                return found._replace(node=next(iter(made), found.node))
        elif type(value).__name__ == "SavedTensor" and _failure(value.unpack) == message:
            node = _hooked_by(roots, codes)
            return Stale(node, "", _tensor_of(value, error))
    return None


def _hooked_by(roots: list[Any], codes: set[Any]) -> Any:
    """Return the first node, in the engine's order, with a hook among these."""
    for node in in_order(roots):
        for slot in dir(node):
            if not slot.startswith("_raw_saved_"):
                continue
            raw = _try(functools.partial(getattr, node, slot))
            hook = getattr(raw, "unpack_hook", None)
            if getattr(hook, "__code__", None) in codes:
                return node
    return None


def tensors_in(node: Any, slot: str) -> list[Any]:
    """Return the tensors in a slot, without calling the program's hooks."""
    if not reads_hooks():
        values = None if _is_hooked(node) else _try(lambda: getattr(node, _value_name(node, slot)))
        return list(values) if isinstance(values, (tuple, list)) else [values]
    try:
        raws = getattr(node, slot)
        if not isinstance(raws, (tuple, list)):
            return [raws.data] if raws is not None and raws.unpack_hook is None else []
    except Exception:  # freed by now; torch refuses to show some slots, each in its own words
        return []
    found = [each for each in raws if each is not None and each.unpack_hook is None]
    return [_try(functools.partial(getattr, each, "data")) for each in found]


def is_stale(node: Any, slot: str) -> bool:
    """Whether the version check of a slot fails, as torch itself says."""
    name = f"_raw_saved_{slot.partition('[')[0]}"
    return _failure(lambda: getattr(node, _value_name(node, name))) is not None


def _stale_slot(node: Any, slot: str, error: BaseException) -> Stale | None:
    name, message = slot.replace("_raw_saved_", ""), version_check_message(error)
    raws = _try(lambda: getattr(node, slot))
    raws = raws if isinstance(raws, (tuple, list)) else (raws,)
    raws = [raw for raw in raws if raw is not None and getattr(raw, "unpack_hook", None) is None]
    if not raws:
        return None
    if len(raws) > 1 and hasattr(raws[0], "unpack"):
        raws = [raw for raw in raws if _failure(raw.unpack) == message]
    elif _failure(lambda: getattr(node, _value_name(node, slot))) != message:
        return None
    tensors = [_tensor_of(raw, error) for raw in raws]
    found = [each for each in tensors if each is not None and _fits(each, error)]
    return Stale(node, name, found[0] if found else None) if raws else None


@functools.lru_cache(maxsize=1)
def reads_hooks() -> bool:
    """Whether torch tells, without calling them, if a slot has hooks: from 2.9."""
    import torch

    return hasattr(torch._C._autograd.SavedTensor, "unpack_hook")


def _is_hooked(node: Any) -> bool:
    """Whether the program had saved-tensor hooks when it made this node: a read would call them."""
    recorded = creation_site(node)
    return recorded is not None and recorded.hooked


def _fits(tensor: Any, error: BaseException) -> bool:
    """Whether a message may be about this tensor."""
    check = VERSION_CHECK.search(str(error))
    if check is None or tensor._version != int(check["current"]):
        return False
    shape = check["shape"].strip("[]")
    return str(tensor.layout) != "torch.strided" or shape == str([*tensor.shape]).strip("[]")


def _value_name(node: Any, slot: str) -> str:
    name = slot.replace("_raw", "", 1)
    return name if hasattr(type(node), name) else name[1:]  # a custom Function: saved_tensors


def _tensor_of(raw: Any, error: BaseException) -> Any:
    """Return the tensor that a stale slot holds, or an alias of it.

    Before torch 2.9 only hooks are given it. Once they are registered, torch calls the unpack hook
    instead of its check, so that one raises the error of the check, which fails in any case.
    """
    if hasattr(raw, "data"):
        return _try(lambda: raw.data)
    packed: list[Any] = []
    message = str(error)

    def pack(tensor: Any) -> Any:
        packed.append(tensor)
        return tensor

    def unpack(tensor: Any) -> Any:
        now = f" is at version {tensor._version};"
        raise RuntimeError(re.sub(r" is at version \d+;", now, message))

    _try(lambda: raw.register_hooks(pack, unpack))
    return packed[0] if packed else None


def _try(read: Any) -> Any:
    try:
        return read()
    except Exception:  # torch refuses to show some slots, each in its own words
        return None


def _failure(read: Any) -> str | None:
    """Return what a version check says of this, without its hint on anomaly mode."""
    try:
        read()
    except RuntimeError as error:
        return version_check_message(error)
    except Exception:
        return None
    return None


def version_check_message(error: BaseException) -> str | None:
    """Return the part of an error's message that a version check wrote, if one did."""
    check = VERSION_CHECK.search(str(error))
    return None if check is None else check[0]
